/*
 * A bug at one variable among many accesses to others, which threads share, too, but which do not matter.
 *
 * Suite: rank
 * Published: RankChecker section 4 and Figure 6: executions to the bug over the accesses that have no part in it
 * Size: NOISE=10 VARIABLES=4
 * Bug 1: two threads add to the total by a read and a write; an update is lost (assertion) (1,1,2)
 * Bug 2: a thread reads the total twice while another changes it for a moment (assertion) (2,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef NOISE
#define NOISE 10
#endif
#ifndef VARIABLES
#define VARIABLES 4
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int total, unrelated[VARIABLES];

/* Accesses that are no part of any bug; each thread begins with another variable. */
static void make_noise(int first) {
    for (int i = 0; i < NOISE; i++) {
        atomic_fetch_add(&unrelated[(first + i) % VARIABLES], 1);
    }
}

static void add_to_total(int amount) {
    int before = total;
    total = before + amount;
}

static void *adds(void *arg) {
    int number = (int)(intptr_t)arg;
    make_noise(number);
#if BUG == 1
    add_to_total(1); /* seeded bug: no lock */
#else
    pthread_mutex_lock(&lock);
    add_to_total(1);
    pthread_mutex_unlock(&lock);
#endif
    make_noise(number + 1);
    return NULL;
}

static void *looks(void *arg) {
    int number = (int)(intptr_t)arg;
    make_noise(number);
    pthread_mutex_lock(&lock);
    int first = total, second = total;
    pthread_mutex_unlock(&lock);
    assert(first == second);
    make_noise(number + 1);
    return NULL;
}

static void *borrows(void *arg) {
    int number = (int)(intptr_t)arg;
    make_noise(number);
#if BUG == 2
    total = total + 1; /* seeded bug: no lock, although the total is as before at the end */
    total = total - 1;
#else
    pthread_mutex_lock(&lock);
    total = total + 1;
    total = total - 1;
    pthread_mutex_unlock(&lock);
#endif
    make_noise(number + 1);
    return NULL;
}

int main(void) {
    static void *(*const work[])(void *) = {BUG == 2 ? looks : adds, BUG == 2 ? borrows : adds};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, work[i], (void *)(intptr_t)i);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(total == (BUG == 2 ? 0 : 2));
    return 0;
}
