// Two threads send each other replies before they read their own queue; each queue has one place.
// RADDLE: -s dfs
// EXPECT: deadlock
// FLAGS: -lrt
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

static mqd_t queue[2];

static void talk(mqd_t to, mqd_t from) {
    char c;
    for (int i = 0; i < 2; i++)
        assert(mq_send(to, "x", 1, 0) == 0); /* BUG */
    assert(mq_receive(from, &c, 1, NULL) == 1);
}

static void *other(void *arg) {
    talk(queue[1], queue[0]);
    return arg;
}

int main(void) {
    pthread_t t;
    struct stat here;
    stat(".", &here); /* each run has a directory of its own, and so a name of its own */
    for (int i = 0; i < 2; i++) {
        char name[64];
        struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 1};
        snprintf(name, sizeof name, "/io_mqueue_%lu_%d", (unsigned long)here.st_ino, i);
        mq_unlink(name);
        queue[i] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
        assert(queue[i] >= 0);
        mq_unlink(name);
    }
    pthread_create(&t, NULL, other, NULL);
    talk(queue[0], queue[1]);
    pthread_join(t, NULL);
    return 0;
}
