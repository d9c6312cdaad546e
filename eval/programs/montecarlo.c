/*
 * Monte Carlo simulation: threads simulate paths of a price and put the outcomes in a list of results.
 *
 * Suite: rapos, rank
 * Published: "montecarlo" of Java Grande; the computing programs of RankChecker Tables 3 and 4
 * Size: THREADS=2 RUNS=6 STEPS=60
 * Bug 1: a result is put in the list without the lock; two take the same place; a race, too (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef RUNS
#define RUNS 6
#endif
#ifndef STEPS
#define STEPS 60
#endif

struct result {
    int run;
    long price;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results;
static struct result result[RUNS];
static long path[THREADS][STEPS + 1]; /* the prices in the run that a thread simulates */

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The price at the end of a path; its seed is the number of the run, so that it does not matter which thread runs
 * it. */
static long simulate(int run, long *price) {
    uint64_t state = (uint64_t)run * 977 + 1;
    price[0] = 1000000;
    for (int i = 0; i < STEPS; i++) {
        long change = (long)(next_random(&state) % 2001) - 990;
        price[i + 1] = price[i] + price[i] / 10000 * change / 100;
    }
    long sum = 0;
    for (int i = 1; i <= STEPS; i++) {
        sum += price[i];
    }
    return sum / STEPS;
}

static void add_result(int run, long price) {
    const bool locks = BUG != 1; /* seeded bug: no lock */
    if (locks) {
        pthread_mutex_lock(&lock);
    }
    result[results] = (struct result){run, price};
    results++;
    if (locks) {
        pthread_mutex_unlock(&lock);
    }
}

static void *work(void *arg) {
    int self = (int)(intptr_t)arg;
    for (int run = self; run < RUNS; run += THREADS) {
        add_result(run, simulate(run, path[self]));
    }
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    long total = 0, expected = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_mutex_lock(&lock);
    assert(results == RUNS);
    for (int i = 0; i < RUNS; i++) {
        total += result[i].price;
        expected += simulate(i, path[0]);
    }
    pthread_mutex_unlock(&lock);
    assert(total == expected);
    return 0;
}
