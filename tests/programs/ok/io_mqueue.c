// A message queue of one place between two threads: the sender waits for room, the receiver for a message.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
// FLAGS: -lrt
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

enum { MESSAGES = 3 };
static char name[64];

static void *sender(void *arg) {
    mqd_t q = mq_open(name, O_WRONLY);
    assert(q >= 0);
    for (char c = 'a'; c < 'a' + MESSAGES; c++)
        assert(mq_send(q, &c, 1, 0) == 0);
    assert(mq_close(q) == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    struct stat here;
    char c;
    unsigned priority;
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 1};
    stat(".", &here); /* each run has a directory of its own, and so a name of its own */
    snprintf(name, sizeof name, "/io_mqueue_%lu", (unsigned long)here.st_ino);
    mq_unlink(name);
    mqd_t q = mq_open(name, O_RDWR | O_CREAT, 0600, &attr);
    if (q < 0 && errno == ENOSYS)
        return 0;
    assert(q >= 0);
    pthread_create(&t, NULL, sender, NULL);
    struct pollfd p = {.fd = q, .events = POLLIN};
    assert(poll(&p, 1, -1) == 1);
    for (int i = 0; i < MESSAGES; i++)
        assert(mq_receive(q, &c, 1, &priority) == 1 && c == 'a' + i && priority == 0);
    pthread_join(t, NULL);
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    assert(mq_timedreceive(q, &c, 1, &priority, &soon) == -1 && errno == ETIMEDOUT);
    soon.tv_nsec = -1;
    assert(mq_timedreceive(q, &c, 1, &priority, &soon) == -1 && errno == EINVAL);
    assert(mq_send(q, "x", 1, 1) == 0 && mq_timedsend(q, "y", 1, 1, &soon) == -1 && errno == EINVAL);
    mq_unlink(name);
    return 0;
}
