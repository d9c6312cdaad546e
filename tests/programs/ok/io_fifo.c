// A FIFO between two threads: opening either end waits for the other one.
// RADDLE: -s dfs -n 200
// EXPECT: none
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[64];
static sem_t made;

static void *writer(void *arg) {
    sem_wait(&made);
    int fd = open(name, O_WRONLY);
    assert(fd >= 0 && write(fd, "x", 1) == 1);
    close(fd);
    return arg;
}

int main(void) {
    pthread_t t;
    char c;
    sem_init(&made, 0, 0);
    pthread_create(&t, NULL, writer, NULL);
    snprintf(name, sizeof name, "io_fifo_%d.tmp", (int)getpid());
    assert(mkfifo(name, 0600) == 0);
    sem_post(&made);
    int fd = open(name, O_RDONLY);
    unlink(name);
    assert(fd >= 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
    assert(read(fd, &c, 1) == 1 && c == 'x' && read(fd, &c, 1) == 0);
    pthread_join(t, NULL);
    return 0;
}
