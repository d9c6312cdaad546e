// "Both are on one processor, so they cannot disturb each other." (Affinity does not exclude preemptions.)
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static volatile int counter;

static void *worker(void *arg) {
    cpu_set_t all, one;
    int cpu = 0;
    pthread_getaffinity_np(pthread_self(), sizeof all, &all);
    while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    int n = counter;
    sched_yield();
    counter = n + 1;
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(counter == 2); /* BUG */
    return 0;
}
