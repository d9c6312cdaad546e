// The writer of a FIFO waits for the mutex that the reader holds, so it never opens its end.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[64];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg) {
    pthread_mutex_lock(&m);
    close(open(name, O_WRONLY));
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    snprintf(name, sizeof name, "io_fifo_alone_%d.tmp", (int)getpid());
    unlink(name);
    assert(mkfifo(name, 0600) == 0);
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&m);
    int fd = open(name, O_RDONLY); /* BUG */
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    unlink(name);
    return fd < 0;
}
