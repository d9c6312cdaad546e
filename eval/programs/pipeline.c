/*
 * Pipeline: stages connected by queues; each stage takes a number, changes it and passes it on.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "PipeInttoInt" and "Piper"
 * Size: STAGES=1 ITEMS=2
 * Bug 1: a stage closes its output when its input ends, but its last item comes after that (assertion) (1,1,3)
 * Bug 2: a stage looks first whether the queue is empty and then whether it is closed (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef STAGES
#define STAGES 1
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int item[ITEMS];
    atomic_int put, taken; /* written under the lock; `put` is also read without it */
    atomic_bool closed;
};

/* Stage i takes from queue[i] and puts into queue[i + 1]; main takes from the last one. */
static struct queue queue[STAGES + 1];

static void put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    q->item[q->put] = item;
    q->put++;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static void close_queue(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/* Returns false when the queue is closed and empty. */
static bool take(struct queue *q, int *item) {
#if BUG == 2
    /* seeded bug: an item may be put, and the queue closed, between these two tests without the lock */
    if (q->put == q->taken && q->closed) {
        return false;
    }
#endif
    pthread_mutex_lock(&q->lock);
    while (q->put == q->taken && !q->closed) {
        pthread_cond_wait(&q->changed, &q->lock);
    }
    bool found = q->put > q->taken;
    if (found) {
        *item = q->item[q->taken];
        q->taken++;
    }
    pthread_mutex_unlock(&q->lock);
    return found;
}

static void *stage(void *arg) {
    struct queue *in = &queue[(intptr_t)arg], *out = in + 1;
    int item;
    while (take(in, &item)) {
#if BUG == 1
        pthread_mutex_lock(&in->lock);
        bool last = in->closed && in->put == in->taken;
        pthread_mutex_unlock(&in->lock);
        if (last) {
            close_queue(out); /* seeded bug: there is an item in hand */
        }
#endif
        put(out, item + 1);
    }
    close_queue(out);
    return NULL;
}

/* The last stage adds up what comes out. */
static void *drain(void *arg) {
    int *sum = arg, item;
    while (take(&queue[STAGES], &item)) {
        *sum += item;
    }
    return NULL;
}

int main(void) {
    pthread_t thread[STAGES], last;
    int sum = 0, expected = 0;
    for (int i = 0; i <= STAGES; i++) {
        pthread_mutex_init(&queue[i].lock, NULL);
        pthread_cond_init(&queue[i].changed, NULL);
    }
    pthread_create(&last, NULL, drain, &sum);
    for (int i = 0; i < STAGES; i++) {
        pthread_create(&thread[i], NULL, stage, (void *)(intptr_t)i);
    }
    for (int i = 0; i < ITEMS; i++) {
        put(&queue[0], i);
        expected += i + STAGES;
    }
    close_queue(&queue[0]);
    for (int i = 0; i < STAGES; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_join(last, NULL);
    assert(sum == expected);
    return 0;
}
