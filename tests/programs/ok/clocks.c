// Clocks never go back, agree with one another, and advance while a thread only reads them.
// RADDLE: -s random --seed 1 -n 50
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(clockid_t id) {
    struct timespec t;
    assert(clock_gettime(id, &t) == 0);
    assert(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *worker(void *arg) {
    long long last = now_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 20; i++) {
        long long next = now_ns(CLOCK_MONOTONIC);
        assert(next >= last);
        last = next;
        if (i % 5 == 0)
            sched_yield();
    }
    while (now_ns(CLOCK_MONOTONIC) < last + 20000000) /* a busy wait of 20 ms */
        ;
    return arg;
}

/* The time of a processor moves, too, and both calls show the same. */
static void processor_time(void) {
    struct tms used;
    struct rusage usage;
    clock_t start = times(&used);
    while (times(&used) == start)
        ;
    assert(getrusage(RUSAGE_SELF, &usage) == 0);
    assert(usage.ru_utime.tv_sec >= used.tms_utime / sysconf(_SC_CLK_TCK));
}

int main(void) {
    pthread_t t[2];
    struct timeval day;
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    processor_time();
    pthread_join(t[1], NULL);
    time_t seconds = time(NULL);
    assert(gettimeofday(&day, NULL) == 0 && day.tv_sec >= seconds && day.tv_sec <= seconds + 60);
    long long real = now_ns(CLOCK_REALTIME) / 1000000000;
    assert(real >= day.tv_sec && real <= day.tv_sec + 60);
    return 0;
}
