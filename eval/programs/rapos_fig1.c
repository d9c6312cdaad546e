/*
 * RAPOS' example: one thread makes steps that matter to nobody before its only write of x, another reads x once.
 *
 * Suite: rapos
 * Published: RAPOS Figure 1 (the program), Figure 2 (its five interleavings: 1/16 by a random walk, 1/4 by RAPOS)
 * Size: STEPS=3
 * Bug 1: the reader takes for granted that it reads before the only write (assertion) (0,0,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef STEPS
#define STEPS 3
#endif

enum { NEW = 4 };

static atomic_int x, y;

static void *writer(void *arg) {
    for (int i = 1; i <= STEPS; i++) {
        atomic_store_explicit(&y, i, memory_order_relaxed);
    }
    atomic_store_explicit(&x, NEW, memory_order_relaxed);
    return arg;
}

static void *reader(void *arg) {
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
#if BUG == 1
    assert(seen != NEW); /* seeded bug: the assertion forgets the executions that read late */
#else
    assert(seen == 0 || seen == NEW);
#endif
    return arg;
}

int main(void) {
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
