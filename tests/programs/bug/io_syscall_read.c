// A read by system call number comes before the write, and finds no data.
// RADDLE: -s dfs
// EXPECT: deadlock
// OUTPUT: waits at
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first[2], second[2];

static void *mover(void *arg) {
    assert(splice(first[0], NULL, second[1], NULL, 1, 0) == 1);
    return arg;
}

int main(void) {
    pthread_t t;
    char c;
    assert(pipe(first) == 0 && pipe(second) == 0);
    pthread_create(&t, NULL, mover, NULL);
    assert(syscall(SYS_read, second[0], &c, 1L) == 1); /* BUG */
    assert(write(first[1], "x", 1) == 1);
    pthread_join(t, NULL);
    return 0;
}
