// The handler increments a counter, and so does the thread that it interrupts.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
// TIMES: 20
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t count, done;

static void handler(int number) { count += number == SIGUSR1; }

static void *worker(void *arg) {
    int n = count;
    sched_yield();
    count = n + 1;
    while (!done)
        sched_yield();
    return arg;
}

int main(void) {
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, worker, NULL);
    pthread_kill(t, SIGUSR1);
    done = 1;
    pthread_join(t, NULL);
    assert(count == 2); /* BUG */
    return 0;
}
