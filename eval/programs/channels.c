/*
 * Channels: a writer sends items through a channel, workers hand them to the application, main closes the channel.
 *
 * Suite: icb
 * Published: ICB Table 1 and 2, "Dryad Channels"; bug 1 is the use after free of its Figure 4
 * Size: WORKERS=2 ITEMS=2 (the paper has 5 threads: WORKERS=3)
 * Bug 1: main frees the channel when all threads have left, but a worker comes back to alert (heap) (1,1,2)
 * Bug 2: signal instead of broadcast at the end of the items; a worker sleeps forever (deadlock) (0,0,3)
 * Bug 3: a thread counts down the references, then compares in a second step; two free the channel (heap) (1,1,2)
 * Bug 4: the end is set without the lock; a worker that is about to sleep misses it (deadlock) (1,1,2)
 * Bug 5: a worker looks whether the channel is closed, and hands an item over later (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

struct channel {
    pthread_mutex_t lock;
    pthread_cond_t items;    // there is an item, or the end
    pthread_cond_t progress; // an item was handed over, or a thread has left
    sem_t credits;           // what the writer may send; the end needs one, too
    int queued, handed_over, alerts;
    int active;         // threads that use the channel, other than main
    bool closed;        // the application takes no item any more
    atomic_bool at_end; // no item will come; written under the lock, so that no worker misses it
    atomic_int references;
};

static void release(struct channel *channel) {
#if BUG == 3
    atomic_fetch_sub(&channel->references, 1);
    if (channel->references == 0) // BUG: another thread may have seen 0 and freed the channel
        free(channel);
#else
    if (atomic_fetch_sub(&channel->references, 1) == 1)
        free(channel);
#endif
}

static void leave(struct channel *channel) {
    pthread_mutex_lock(&channel->lock);
    channel->active--;
    pthread_cond_signal(&channel->progress);
    pthread_mutex_unlock(&channel->lock);
}

static void *writer(void *argument) {
    struct channel *channel = argument;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&channel->credits);
        pthread_mutex_lock(&channel->lock);
        if (channel->queued++ == 0)
            pthread_cond_signal(&channel->items);
        pthread_mutex_unlock(&channel->lock);
    }
    sem_wait(&channel->credits);
#if BUG == 4
    channel->at_end = true; // BUG: a worker may have seen false, and does not sleep yet
    pthread_cond_broadcast(&channel->items);
#else
    pthread_mutex_lock(&channel->lock);
    channel->at_end = true;
#if BUG == 2
    pthread_cond_signal(&channel->items); // BUG: all workers wait for the end
#else
    pthread_cond_broadcast(&channel->items);
#endif
    pthread_mutex_unlock(&channel->lock);
#endif
    leave(channel);
    release(channel);
    return NULL;
}

// Waits for an item; false at the end.
static bool receive(struct channel *channel) {
    pthread_mutex_lock(&channel->lock);
    while (channel->queued == 0 && !channel->at_end)
        pthread_cond_wait(&channel->items, &channel->lock);
    bool found = channel->queued > 0;
    channel->queued -= found;
    pthread_mutex_unlock(&channel->lock);
    return found;
}

// An item that comes after the application has closed the channel is dropped.
static void hand_over(struct channel *channel) {
    pthread_mutex_lock(&channel->lock);
    bool closed = channel->closed;
#if BUG == 5
    pthread_mutex_unlock(&channel->lock); // BUG: the application may close the channel here
    pthread_mutex_lock(&channel->lock);
#endif
    if (!closed) {
        assert(!channel->closed);
        channel->handed_over++;
        pthread_cond_signal(&channel->progress);
    }
    pthread_mutex_unlock(&channel->lock);
    sem_post(&channel->credits);
}

// Tells the application that a worker has seen the end.
static void alert_application(struct channel *channel) {
    pthread_mutex_lock(&channel->lock);
    channel->alerts++;
    pthread_mutex_unlock(&channel->lock);
}

static void *worker(void *argument) {
    struct channel *channel = argument;
    while (receive(channel))
        hand_over(channel);
    leave(channel);
    alert_application(channel);
    release(channel);
    return NULL;
}

// The application closes the channel when it has got one item; threads may still be in it.
static void close_channel(struct channel *channel) {
    pthread_mutex_lock(&channel->lock);
    while (channel->handed_over == 0)
        pthread_cond_wait(&channel->progress, &channel->lock);
    channel->closed = true;
    while (channel->active > 0)
        pthread_cond_wait(&channel->progress, &channel->lock);
    pthread_mutex_unlock(&channel->lock);
#if BUG == 1
    free(channel); // BUG: the last worker has left, but it will come back to alert the application
#else
    release(channel);
#endif
}

int main(void) {
    pthread_t threads[WORKERS + 1];
    struct channel *channel = calloc(1, sizeof *channel);
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->items, NULL);
    pthread_cond_init(&channel->progress, NULL);
    sem_init(&channel->credits, 0, ITEMS);
    channel->active = WORKERS + 1;
    channel->references = WORKERS + 2;
    for (int i = 0; i < WORKERS + 1; i++)
        pthread_create(&threads[i], NULL, i == 0 ? writer : worker, channel);
    close_channel(channel);
    for (int i = 0; i < WORKERS + 1; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
