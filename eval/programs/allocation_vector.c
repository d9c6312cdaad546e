/*
 * Allocation vector: threads find a free block, mark it as allocated, and free it again; each call is synchronised.
 *
 * Suite: rank
 * Published: RankChecker Figure 12, "AllocationVector" (ConTest): a bug with (c, v, t) = (2, 1, 2)
 * Size: THREADS=2 BLOCKS=1 ROUNDS=1
 * Bug 1: find and mark are two calls; a block that was found is allocated before it is marked (assertion) (2,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool allocated[BLOCKS];

/* The caller holds the lock. */
static int first_free(void) {
    for (int i = 0; i < BLOCKS; i++) {
        if (!allocated[i]) {
            return i;
        }
    }
    return -1;
}

/* Returns a free block, or -1. */
static int find_free_block(void) {
    pthread_mutex_lock(&lock);
    int block = first_free();
    pthread_mutex_unlock(&lock);
    return block;
}

static bool is_free(int block) {
    pthread_mutex_lock(&lock);
    bool result = !allocated[block];
    pthread_mutex_unlock(&lock);
    return result;
}

static void mark_allocated(int block) {
    pthread_mutex_lock(&lock);
    allocated[block] = true;
    pthread_mutex_unlock(&lock);
}

/* Finds a free block and marks it, in one step. */
static int find_and_mark(void) {
    pthread_mutex_lock(&lock);
    int block = first_free();
    if (block >= 0) {
        allocated[block] = true;
    }
    pthread_mutex_unlock(&lock);
    return block;
}

static void free_block(int block) {
    pthread_mutex_lock(&lock);
    allocated[block] = false;
    pthread_mutex_unlock(&lock);
}

static int allocate(void) {
    if (BUG != 1) {
        return find_and_mark();
    }
    int block = find_free_block(); /* seeded bug: another thread may allocate it after this step */
    if (block >= 0) {
        assert(is_free(block));
        mark_allocated(block);
    }
    return block;
}

static void *work(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        int block = allocate();
        if (block >= 0) {
            free_block(block);
        }
    }
    return arg;
}

int main(void) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < BLOCKS; i++) {
        assert(!allocated[i]);
    }
    return 0;
}
