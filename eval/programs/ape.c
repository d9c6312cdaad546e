/*
 * Asynchronous processing environment: a client posts work items to a pool of workers, cancels one, waits for all.
 *
 * Suite: icb
 * Published: ICB Table 1 and 2, "APE"
 * Size: WORKERS=2 CAPACITY=1 (at least two workers, and one client; CAPACITY of the queue)
 * Bug 1: the worker that starts first initialises the queue; an item posted before is lost (deadlock) (0,0,2)
 * Bug 2: the client frees the results when the last posted item is done; another item still runs (heap) (0,0,3)
 * Bug 3: an event is set without its lock; an item that is about to sleep misses it (deadlock) (1,1,2)
 * Bug 4: a worker tests and sets the state of an item in two steps; a cancelled item runs (assertion) (2,2,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif

// The client posts these items in this order: one waits for an event, one is cancelled, one sets the event.
enum { WAITER, CANCELLED, SETTER, ITEMS };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, space, progress; // there is work or the end; the queue has space; an item is done
    int posted, taken, finished;
    bool done[ITEMS];
    bool running, stopping;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .space = PTHREAD_COND_INITIALIZER,
          .progress = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool set; // written under the lock, so that nobody who is about to sleep misses it
} event = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

enum { QUEUED, RUNNING, WITHDRAWN };
static atomic_int state[ITEMS];
static atomic_bool cancelled;
static int *results;

static void wait_for_event(void) {
    pthread_mutex_lock(&event.lock);
    while (!event.set)
        pthread_cond_wait(&event.changed, &event.lock);
    pthread_mutex_unlock(&event.lock);
}

static void set_event(void) {
#if BUG == 3
    event.set = true; // BUG: another thread may have seen false, and does not sleep yet
    pthread_cond_broadcast(&event.changed);
#else
    pthread_mutex_lock(&event.lock);
    event.set = true;
    pthread_cond_broadcast(&event.changed);
    pthread_mutex_unlock(&event.lock);
#endif
}

static void post(void) {
    pthread_mutex_lock(&pool.lock);
    while (pool.posted - pool.taken == CAPACITY)
        pthread_cond_wait(&pool.space, &pool.lock);
    pool.posted++;
    pthread_cond_signal(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

// Returns true if the item will not run.
static bool cancel(int item) {
    int expected = QUEUED;
    return atomic_compare_exchange_strong(&state[item], &expected, WITHDRAWN);
}

static bool start(int item) {
#if BUG == 4
    if (state[item] != QUEUED) // BUG: the item may be cancelled between this line and the next
        return false;
    state[item] = RUNNING;
    return true;
#else
    int expected = QUEUED;
    return atomic_compare_exchange_strong(&state[item], &expected, RUNNING);
#endif
}

static void run(int item) {
    if (item == WAITER)
        wait_for_event();
    else if (item == SETTER)
        set_event();
    else
        assert(!cancelled);
    results[item] = 1;
}

static void *worker(void *unused) {
    pthread_mutex_lock(&pool.lock);
#if BUG == 1
    if (!pool.running) // BUG: the client may have posted an item
        pool.posted = pool.taken = 0;
    pool.running = true;
#endif
    for (;;) {
        while (pool.taken == pool.posted && !pool.stopping)
            pthread_cond_wait(&pool.work, &pool.lock);
        if (pool.taken == pool.posted)
            break;
        int item = pool.taken++;
        pthread_cond_signal(&pool.space);
        pthread_mutex_unlock(&pool.lock);
        if (start(item))
            run(item);
        pthread_mutex_lock(&pool.lock);
        pool.done[item] = true;
        pool.finished++;
        pthread_cond_signal(&pool.progress);
    }
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

static void *client(void *unused) {
    results = calloc(ITEMS, sizeof *results);
    post(); // WAITER
    post(); // CANCELLED
    if (cancel(CANCELLED))
        cancelled = true;
    post(); // SETTER
    pthread_mutex_lock(&pool.lock);
#if BUG == 2
    while (!pool.done[ITEMS - 1]) // BUG: the items do not end in the order in which they were posted
#else
    while (pool.finished < ITEMS)
#endif
        pthread_cond_wait(&pool.progress, &pool.lock);
    pool.stopping = true;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
    free(results);
    return unused;
}

int main(void) {
    pthread_t threads[WORKERS + 1];
    for (int i = 0; i < WORKERS + 1; i++)
        pthread_create(&threads[i], NULL, i < WORKERS ? worker : client, NULL);
    for (int i = 0; i < WORKERS + 1; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
