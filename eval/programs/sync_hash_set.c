/*
 * Hash set with synchronised wrappers: every method locks its set, but methods on two sets use a second one.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1, "HashSet" (java.util, Collections.synchronizedSet)
 * Size: ADDS=2 FIRST=3
 * Bug 1: add_all locks its own set and walks over the other, which a thread changes (assertion) (1,1,2)
 * Bug 2: add_all locks its own set and then the other; two threads do it crosswise (deadlock) (1,1,2)
 * Bug 3: add_absent asks contains and then adds, each under the lock; an element is in twice (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef ADDS
#define ADDS 2
#endif
#ifndef FIRST
#define FIRST 3
#endif

enum { BUCKETS = 4, DEPTH = 2 * FIRST + ADDS };

/* Each bucket is an array. The fields are atomic, so that a walk without the lock is no data race. */
struct set {
    pthread_mutex_t lock;
    atomic_int size, changes;
    atomic_int count[BUCKETS];
    atomic_int element[BUCKETS][DEPTH];
};

static struct set a = {.lock = PTHREAD_MUTEX_INITIALIZER}, b = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The methods of the set itself: none of them locks. */

static bool plain_contains(struct set *s, int value) {
    int bucket = value % BUCKETS;
    for (int i = 0; i < s->count[bucket]; i++) {
        if (s->element[bucket][i] == value) {
            return true;
        }
    }
    return false;
}

static void plain_insert(struct set *s, int value) {
    int bucket = value % BUCKETS, at = s->count[bucket];
    assert(at < DEPTH);
    s->element[bucket][at] = value;
    s->count[bucket] = at + 1;
    s->size++;
    s->changes++;
}

static void plain_add(struct set *s, int value) {
    if (!plain_contains(s, value)) {
        plain_insert(s, value);
    }
}

/* The wrapper's methods. */

static bool contains(struct set *s, int value) {
    pthread_mutex_lock(&s->lock);
    bool found = plain_contains(s, value);
    pthread_mutex_unlock(&s->lock);
    return found;
}

static void insert(struct set *s, int value) {
    pthread_mutex_lock(&s->lock);
    plain_insert(s, value);
    pthread_mutex_unlock(&s->lock);
}

static void add(struct set *s, int value) {
    pthread_mutex_lock(&s->lock);
    plain_add(s, value);
    pthread_mutex_unlock(&s->lock);
}

static void add_absent(struct set *s, int value) {
#if BUG == 3
    if (!contains(s, value)) { /* seeded bug: two calls, each synchronised, are not one step */
        insert(s, value);
    }
#else
    (void)contains;
    (void)insert;
    add(s, value);
#endif
}

static void lock_both(struct set *s, struct set *other) {
#if BUG == 1
    (void)other;
    pthread_mutex_lock(&s->lock); /* seeded bug: nothing keeps `other` as it is */
#elif BUG == 2
    pthread_mutex_lock(&s->lock); /* seeded bug: the order depends on the caller */
    pthread_mutex_lock(&other->lock);
#else
    pthread_mutex_lock(s < other ? &s->lock : &other->lock);
    pthread_mutex_lock(s < other ? &other->lock : &s->lock);
#endif
}

static void unlock_both(struct set *s, struct set *other) {
    pthread_mutex_unlock(&s->lock);
    if (BUG != 1) {
        pthread_mutex_unlock(&other->lock);
    }
}

static void add_all(struct set *s, struct set *other) {
    lock_both(s, other);
    int changes = other->changes;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        for (int i = 0; i < other->count[bucket]; i++) {
            assert(changes == other->changes); /* else: ConcurrentModificationException */
            plain_add(s, other->element[bucket][i]);
        }
    }
    unlock_both(s, other);
}

static void *fills_a(void *arg) {
    add_absent(&a, 20);
    add_all(&a, &b);
    return arg;
}

static void *fills_b(void *arg) {
    for (int i = 1; i < ADDS; i++) {
        add(&b, 10 + i);
    }
    add_absent(&a, 20);
    if (BUG != 1) {
        add_all(&b, &a);
    }
    return arg;
}

/* The number of times that the value is in the set. */
static int occurrences(struct set *s, int value) {
    int n = 0;
    for (int i = 0; i < s->count[value % BUCKETS]; i++) {
        n += s->element[value % BUCKETS][i] == value;
    }
    return n;
}

int main(void) {
    pthread_t one, two;
    for (int i = 0; i < FIRST; i++) {
        plain_insert(&a, i);
        plain_insert(&b, i + FIRST);
    }
    pthread_create(&one, NULL, fills_a, NULL);
    pthread_create(&two, NULL, fills_b, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(occurrences(&a, 20) == 1);
    for (int i = 0; i < 2 * FIRST; i++) {
        assert(occurrences(&a, i) == 1);
    }
    return 0;
}
