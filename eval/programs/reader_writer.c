/*
 * Readers and writers: a lock for many readers or one writer, made of a mutex and a condition variable.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "ReadersWriters"
 * Size: READERS=2 WRITERS=1 ROUNDS=1
 * Bug 1: the writer tests that nobody reads, and then says that it writes, in two steps (assertion) (2,2,2)
 * Bug 2: the last reader wakes the writer without the mutex, after the writer's test; it is lost (deadlock) (2,2,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t free_again = PTHREAD_COND_INITIALIZER;
static atomic_int readers;
static bool writing;

/* What the lock protects: the two are always equal for a reader. They are atomic, so that a bug is no data race. */
static atomic_int left, right;

static void begin_read(void) {
    pthread_mutex_lock(&mutex);
    while (writing) {
        pthread_cond_wait(&free_again, &mutex);
    }
    readers++;
    pthread_mutex_unlock(&mutex);
}

static void end_read(void) {
#if BUG == 2
    if (--readers == 0) { /* seeded bug: a writer between its test and its wait does not hear it */
        pthread_cond_broadcast(&free_again);
    }
#else
    pthread_mutex_lock(&mutex);
    if (--readers == 0) {
        pthread_cond_broadcast(&free_again);
    }
    pthread_mutex_unlock(&mutex);
#endif
}

static void begin_write(void) {
    pthread_mutex_lock(&mutex);
    while (readers > 0 || writing) {
        pthread_cond_wait(&free_again, &mutex);
    }
#if BUG == 1
    pthread_mutex_unlock(&mutex); /* seeded bug: a reader may begin here */
    pthread_mutex_lock(&mutex);
#endif
    writing = true;
    pthread_mutex_unlock(&mutex);
}

static void end_write(void) {
    pthread_mutex_lock(&mutex);
    writing = false;
    pthread_cond_broadcast(&free_again);
    pthread_mutex_unlock(&mutex);
}

static void *reads(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        begin_read();
        int l = left, r = right;
        end_read();
        assert(l == r);
    }
    return arg;
}

static void *writes(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        begin_write();
        left++;
        right++;
        end_write();
    }
    return arg;
}

int main(void) {
    pthread_t thread[READERS + WRITERS];
    for (int i = 0; i < READERS + WRITERS; i++) {
        pthread_create(&thread[i], NULL, i < READERS ? reads : writes, NULL);
    }
    for (int i = 0; i < READERS + WRITERS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(left == WRITERS * ROUNDS && right == left);
    return 0;
}
