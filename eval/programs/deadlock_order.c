/*
 * Allocation of resources: each thread needs two neighbouring ones of a ring at a time, like dining philosophers.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "Deadlock" (resources taken in different order)
 * Size: THREADS=3 ROUNDS=1
 * Bug 1: every thread takes its own resource first, also the last one in the ring (deadlock) (1,1,3)
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static struct resource {
    pthread_mutex_t lock;
    int uses;
} resource[THREADS];

static void *work(void *arg) {
    int own = (int)(intptr_t)arg, next = (own + 1) % THREADS;
    int first = own < next ? own : next, second = own < next ? next : own;
#if BUG == 1
    first = own; /* seeded bug: the ring of requests can close */
    second = next;
#endif
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&resource[first].lock);
        pthread_mutex_lock(&resource[second].lock);
        resource[first].uses++;
        resource[second].uses++;
        pthread_mutex_unlock(&resource[second].lock);
        pthread_mutex_unlock(&resource[first].lock);
    }
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&resource[i].lock, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        assert(resource[i].uses == 2 * ROUNDS);
    }
    return 0;
}
