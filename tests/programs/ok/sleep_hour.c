// Hours of sleep cost nothing, and the clocks know about them.
// RADDLE: -s dfs --require-complete
// EXPECT: none
// ALONE: no
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* needs no points */

QUIET static void *nap(void *arg) {
    struct timespec before, after, hour = {3600, 0};
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(sleep(3600) == 0);
    assert(nanosleep(&hour, NULL) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec >= 3 * 3600 - 1);
    after.tv_sec += 1000;
    struct timespec now;
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &after, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > after.tv_sec || (now.tv_sec == after.tv_sec && now.tv_nsec >= after.tv_nsec));
    return arg;
}

QUIET int main(void) {
    pthread_t t;
    time_t start = time(NULL);
    pthread_create(&t, NULL, nap, NULL);
    assert(usleep(1000) == 0);
    pthread_join(t, NULL);
    assert(time(NULL) - start >= 3 * 3600 + 999);
    return 0;
}
