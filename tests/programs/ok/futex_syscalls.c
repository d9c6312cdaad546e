// A system call by its number is the same operation as the libc function.
// RADDLE: --detect none -s random --seed 1 -n 100
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int other_ran;

static void *other(void *arg) {
    assert(syscall(SYS_gettid) == gettid() && gettid() != getpid());
    other_ran = 1;
    return arg;
}

static long ns_since(const struct timespec *t) {
    struct timespec now;
    assert(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0);
    return (now.tv_sec - t->tv_sec) * 1000000000L + now.tv_nsec - t->tv_nsec;
}

int main(void) {
    pthread_t t;
    struct timespec start, ms = {0, 1000000}, wrong = {0, -1};
    struct timeval day;
    char bytes[20];
    assert(syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == getpid() && syscall(SYS_getppid) == getppid());
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_create(&t, NULL, other, NULL);
    while (!other_ran)
        syscall(SYS_sched_yield);
    assert(syscall(SYS_nanosleep, &ms, NULL) == 0);
    assert(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ms, NULL) == 0);
    assert(syscall(SYS_nanosleep, &wrong, NULL) == -1 && errno == EINVAL);
    assert(ns_since(&start) >= 2000000);
    assert(syscall(SYS_gettimeofday, &day, NULL) == 0 && time(NULL) - day.tv_sec <= 1);
    assert(syscall(SYS_getrandom, bytes, sizeof bytes, 0) == sizeof bytes);
    pthread_join(t, NULL);
    assert(syscall(SYS_close, -1) == -1 && errno == EBADF);
    int status;
    pid_t child = (pid_t)syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0);
    if (child == 0)
        syscall(SYS_exit_group, 7);
    assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    syscall(SYS_exit_group, 0);
    return 1;
}
