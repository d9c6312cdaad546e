/*
 * Concurrent dictionary: buckets under striped locks; a thread that finds the table too small moves it to a larger
 * one.
 *
 * Suite: gambit
 * Published: GAMBIT Table 2, the dictionary of the parallel library (ConcurrentDictionary)
 * Size: THREADS=2 KEYS=2 (each thread adds KEYS keys of its own, and one key that all threads add)
 * Bug 1: add does not look at the table again under the lock; a key gets into the old table (assertion) (1,1,2)
 * Bug 2: add looks for the key and inserts it in two critical sections; two threads add it (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef KEYS
#define KEYS 2
#endif

enum { STRIPES = 2, ALL_KEYS = THREADS * KEYS + 1, SHARED_KEY = ALL_KEYS - 1, TABLES = 2 };

// Bucket b is under the lock b % STRIPES. A bucket is the set of the keys in it.
static struct table {
    int size; // a multiple of STRIPES
    bool present[2 * STRIPES][ALL_KEYS];
} tables[TABLES] = {{.size = STRIPES}, {.size = 2 * STRIPES}};

static _Atomic(struct table *) current = tables; // changes only under all locks
static pthread_mutex_t locks[STRIPES];
static atomic_int count, winners;

static int bucket_of(const struct table *table, int key) { return key % table->size; }

// Locks the bucket of a key in the table that is valid then.
static struct table *lock_bucket(int key) {
    for (;;) {
        struct table *table = current;
        pthread_mutex_lock(&locks[bucket_of(table, key) % STRIPES]);
#if BUG == 1
        return table; // BUG: another thread may have moved the keys while this one waited for the lock
#endif
        if (table == current)
            return table;
        pthread_mutex_unlock(&locks[bucket_of(table, key) % STRIPES]);
    }
}

static void unlock_bucket(const struct table *table, int key) {
    pthread_mutex_unlock(&locks[bucket_of(table, key) % STRIPES]);
}

static bool contains(int key) {
    struct table *table = lock_bucket(key);
    bool found = table->present[bucket_of(table, key)][key];
    unlock_bucket(table, key);
    return found;
}

static void grow(void) {
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_lock(&locks[i]);
    struct table *old = current, *new = old + 1;
    if (new < tables + TABLES) {
        for (int key = 0; key < ALL_KEYS; key++)
            if (old->present[bucket_of(old, key)][key])
                new->present[bucket_of(new, key)][key] = true;
        current = new;
    }
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_unlock(&locks[i]);
}

// Returns false if the key was there already.
static bool add(int key) {
#if BUG == 2
    bool found = contains(key); // BUG: another thread may add the key before the next line
    struct table *table = lock_bucket(key);
#else
    struct table *table = lock_bucket(key);
    bool found = table->present[bucket_of(table, key)][key];
#endif
    table->present[bucket_of(table, key)][key] = true;
    unlock_bucket(table, key);
    if (!found && atomic_fetch_add(&count, 1) + 1 == STRIPES + 1)
        grow();
    return !found;
}

static void *worker(void *argument) {
    int self = (int)(intptr_t)argument;
    winners += add(SHARED_KEY);
    for (int i = 0; i < KEYS; i++) {
        bool added = add(self * KEYS + i);
        assert(added); // nobody else has this key
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int key = 0; key < ALL_KEYS; key++)
        assert(contains(key));
    assert(winners == 1); // one thread has added the shared key
    return 0;
}
