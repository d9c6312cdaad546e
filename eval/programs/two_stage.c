/*
 * Two-stage access: a record is written in two steps, each under a lock of its own, and readers read it likewise.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "TwoStageAccess" (SCTBench: twostage)
 * Size: WRITERS=1 READERS=1 ROUNDS=2
 * Bug 1: nothing holds the two steps together; a reader sees the first without the second (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER, mirror_lock = PTHREAD_MUTEX_INITIALIZER;
static int data, mirror = 1;

/* A whole record is one step for the others: record_lock is held around both stages. */
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
static const bool whole = BUG != 1; /* seeded bug: each stage has its lock, and that is all */

static void begin_record(void) {
    if (whole) {
        pthread_mutex_lock(&record_lock);
    }
}

static void end_record(void) {
    if (whole) {
        pthread_mutex_unlock(&record_lock);
    }
}

static void *write_records(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        begin_record();
        pthread_mutex_lock(&data_lock);
        int value = ++data;
        pthread_mutex_unlock(&data_lock);
        pthread_mutex_lock(&mirror_lock);
        mirror = value + 1;
        pthread_mutex_unlock(&mirror_lock);
        end_record();
    }
    return arg;
}

static void *read_records(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        begin_record();
        pthread_mutex_lock(&data_lock);
        int value = data;
        pthread_mutex_unlock(&data_lock);
        pthread_mutex_lock(&mirror_lock);
        int copy = mirror;
        pthread_mutex_unlock(&mirror_lock);
        end_record();
        assert(copy > value);
    }
    return arg;
}

int main(void) {
    pthread_t thread[WRITERS + READERS];
    for (int i = 0; i < WRITERS + READERS; i++) {
        pthread_create(&thread[i], NULL, i < WRITERS ? write_records : read_records, NULL);
    }
    for (int i = 0; i < WRITERS + READERS; i++) {
        pthread_join(thread[i], NULL);
    }
    return 0;
}
