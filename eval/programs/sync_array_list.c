/*
 * Array list with synchronised wrappers: every method locks its list, but methods on two lists use a second one.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1 and Figure 7, "Vector" and "ArrayList" (java.util, Collections.synchronizedList)
 * Size: ADDS=2 FIRST=3
 * Bug 1: contains_all locks its own list and walks over the other, which a thread changes (assertion) (2,1,2)
 * Bug 2: copy_of takes the size and then the elements, each under the lock; one is gone (assertion) (1,1,2)
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

enum { CAPACITY = 4 * FIRST + ADDS, NOTHING = -1 };

/* The fields are atomic, so that a walk without the lock is no data race: it fails as in the published library. */
struct list {
    pthread_mutex_t lock;
    atomic_int size, changes;
    atomic_int element[CAPACITY];
};

static struct list a = {.lock = PTHREAD_MUTEX_INITIALIZER}, b = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The methods of the list itself: none of them locks. */

static void plain_add(struct list *l, int value) {
    assert(l->size < CAPACITY);
    l->element[l->size] = value;
    l->size++;
    l->changes++;
}

static bool plain_remove(struct list *l, int value) {
    int size = l->size;
    for (int i = 0; i < size; i++) {
        if (l->element[i] == value) {
            for (; i + 1 < size; i++) {
                l->element[i] = l->element[i + 1];
            }
            l->size = size - 1;
            l->changes++;
            return true;
        }
    }
    return false;
}

static bool plain_contains(struct list *l, int value) {
    for (int i = 0; i < l->size; i++) {
        if (l->element[i] == value) {
            return true;
        }
    }
    return false;
}

/* An iterator notices that its list was changed since the walk began. */
struct iterator {
    struct list *list;
    int at, changes;
};

static bool next_element(struct iterator *it, int *value) {
    if (it->at == it->list->size) {
        return false;
    }
    assert(it->changes == it->list->changes); /* else: ConcurrentModificationException */
    *value = it->list->element[it->at++];
    return true;
}

/* The wrapper's methods. */

static void add(struct list *l, int value) {
    pthread_mutex_lock(&l->lock);
    plain_add(l, value);
    pthread_mutex_unlock(&l->lock);
}

static bool discard(struct list *l, int value) {
    pthread_mutex_lock(&l->lock);
    bool found = plain_remove(l, value);
    pthread_mutex_unlock(&l->lock);
    return found;
}

static bool contains_all(struct list *l, struct list *other) {
    const bool forgets = BUG == 1; /* seeded bug: nothing keeps `other` as it is */
    bool all = true;
    int value;
    if (!forgets && other < l) { /* two lists are locked in the order of their addresses */
        pthread_mutex_lock(&other->lock);
    }
    pthread_mutex_lock(&l->lock);
    if (!forgets && l < other) {
        pthread_mutex_lock(&other->lock);
    }
    for (struct iterator it = {other, 0, other->changes}; all && next_element(&it, &value);) {
        all = plain_contains(l, value);
    }
    if (!forgets) {
        pthread_mutex_unlock(&other->lock);
    }
    pthread_mutex_unlock(&l->lock);
    return all;
}

/* Copies the elements to `to`, which the caller has made large enough, and returns how many. */
static int elements(struct list *l, int *to, int room) {
    int n = 0;
    while (n < room && n < l->size) {
        to[n] = l->element[n];
        n++;
    }
    return n;
}

/* The constructor that makes a list of the elements of another. */
static int copy_of(struct list *l, int *to) {
    for (int i = 0; i < CAPACITY; i++) {
        to[i] = NOTHING;
    }
    pthread_mutex_lock(&l->lock);
    int size = l->size;
#if BUG == 2
    pthread_mutex_unlock(&l->lock); /* seeded bug: size() and toArray() are two synchronised calls */
    pthread_mutex_lock(&l->lock);
#endif
    elements(l, to, size);
    pthread_mutex_unlock(&l->lock);
    return size;
}

static void *compares(void *arg) {
    int copy[CAPACITY];
    contains_all(&a, &b);
    int size = copy_of(&b, copy);
    for (int i = 0; i < size; i++) {
        assert(copy[i] != NOTHING);
    }
    return arg;
}

static void *changes(void *arg) {
    for (int i = 0; i < ADDS; i++) {
        add(&a, 10 + i);
    }
    discard(&b, 1);
    return arg;
}

int main(void) {
    pthread_t one, two;
    for (int i = 0; i < FIRST; i++) {
        plain_add(&a, i);
        plain_add(&b, i);
    }
    pthread_create(&one, NULL, compares, NULL);
    pthread_create(&two, NULL, changes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(a.size == FIRST + ADDS && b.size == FIRST - 1);
    return 0;
}
