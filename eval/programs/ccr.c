/*
 * Coordination runtime: messages are posted to ports; arbiters run a handler when the messages it needs are there.
 *
 * Suite: gambit
 * Published: GAMBIT Table 2, the CCR programs (ScatterGather, join receiver)
 * Size: THREADS=2 (services; each answers a request, and posts to both ports of a join)
 * Bug 1: the join tests both ports, then takes a message from each in a second step (assertion) (1,1,2)
 * Bug 2: the gather counts the missing answers down in two steps; its handler never runs (deadlock) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif

static struct port {
    pthread_mutex_t lock;
    int messages;
} left = {PTHREAD_MUTEX_INITIALIZER, 0}, right = {PTHREAD_MUTEX_INITIALIZER, 0};

static atomic_int joined; // runs of the handler of the join

static struct {
    atomic_int missing; // answers
    atomic_int sum;     // of the answers
    sem_t complete;
} gather;

static bool has_message(struct port *port) {
    pthread_mutex_lock(&port->lock);
    bool found = port->messages > 0;
    pthread_mutex_unlock(&port->lock);
    return found;
}

static void take_message(struct port *port) {
    pthread_mutex_lock(&port->lock);
    assert(port->messages > 0);
    port->messages--;
    pthread_mutex_unlock(&port->lock);
}

// Runs the handler of the join if each port has a message.
static void try_join(void) {
#if BUG == 1
    if (has_message(&left) && has_message(&right)) { // BUG: another thread may take them now
        take_message(&left);
        take_message(&right);
        joined++;
    }
#else
    (void)has_message, (void)take_message;
    pthread_mutex_lock(&left.lock);
    pthread_mutex_lock(&right.lock);
    bool both = left.messages > 0 && right.messages > 0;
    left.messages -= both;
    right.messages -= both;
    pthread_mutex_unlock(&right.lock);
    pthread_mutex_unlock(&left.lock);
    joined += both;
#endif
}

static void post(struct port *port) {
    pthread_mutex_lock(&port->lock);
    port->messages++;
    pthread_mutex_unlock(&port->lock);
    try_join();
}

static void answer(int value) {
    atomic_fetch_add(&gather.sum, value);
#if BUG == 2
    int missing = gather.missing; // BUG: another answer may come between this line and the next
    gather.missing = missing - 1;
    if (missing == 1)
#else
    if (atomic_fetch_sub(&gather.missing, 1) == 1)
#endif
        sem_post(&gather.complete);
}

static void *service(void *argument) {
    answer((int)(intptr_t)argument + 1);
    post(&left);
    post(&right);
    return NULL;
}

int main(void) {
    pthread_t services[THREADS];
    gather.missing = THREADS;
    sem_init(&gather.complete, 0, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&services[i], NULL, service, (void *)(intptr_t)i);
    sem_wait(&gather.complete);
    assert(gather.sum == THREADS * (THREADS + 1) / 2);
    for (int i = 0; i < THREADS; i++)
        pthread_join(services[i], NULL);
    assert(joined == THREADS); // each pair of messages was joined
    return 0;
}
