/*
 * Tree set with synchronised wrappers: every method locks its set, but methods on two sets use a second one.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1, "TreeSet" (java.util, Collections.synchronizedSortedSet)
 * Size: ADDS=2 FIRST=3
 * Bug 1: remove_all locks its own set and walks over the other, from which a thread takes a node (heap) (2,1,2)
 * Bug 2: poll finds the smallest element and then removes it, each under the lock; it is gone (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef ADDS
#define ADDS 2
#endif
#ifndef FIRST
#define FIRST 3
#endif

/* The fields are atomic, so that a walk without the lock is no data race. */
struct node {
    struct node *_Atomic left, *_Atomic right;
    atomic_int value;
};

struct set {
    pthread_mutex_t lock;
    struct node *_Atomic root;
    atomic_int size;
};

static struct set a = {.lock = PTHREAD_MUTEX_INITIALIZER}, b = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The methods of the set itself: none of them locks. */

/* The place of the value's node, or where it would be. */
static struct node *_Atomic *place_of(struct set *s, int value) {
    struct node *_Atomic *at = &s->root;
    for (struct node *n = *at; n && n->value != value; n = *at) {
        at = value < n->value ? &n->left : &n->right;
    }
    return at;
}

static void plain_add(struct set *s, int value) {
    struct node *_Atomic *at = place_of(s, value);
    if (!*at) {
        struct node *n = malloc(sizeof(*n));
        if (!n) {
            abort();
        }
        atomic_init(&n->left, NULL);
        atomic_init(&n->right, NULL);
        atomic_init(&n->value, value);
        *at = n;
        s->size++;
    }
}

static bool plain_remove(struct set *s, int value) {
    struct node *_Atomic *at = place_of(s, value);
    struct node *n = *at;
    if (!n) {
        return false;
    }
    if (n->left && n->right) { /* the smallest node on the right takes its place */
        at = &n->right;
        while ((*at)->left) {
            at = &(*at)->left;
        }
        struct node *least = *at;
        n->value = least->value;
        n = least;
    }
    *at = n->left ? n->left : n->right;
    s->size--;
    free(n);
    return true;
}

static int plain_smallest(struct set *s) {
    struct node *n = s->root;
    while (n->left) {
        n = n->left;
    }
    return n->value;
}

/* Removes the values of a tree from the set, in their order. */
static void plain_remove_tree(struct set *s, struct node *n) {
    if (n) {
        plain_remove_tree(s, n->left);
        plain_remove(s, n->value);
        plain_remove_tree(s, n->right);
    }
}

/* The wrapper's methods. */

static void add(struct set *s, int value) {
    pthread_mutex_lock(&s->lock);
    plain_add(s, value);
    pthread_mutex_unlock(&s->lock);
}

static bool discard(struct set *s, int value) {
    pthread_mutex_lock(&s->lock);
    bool found = plain_remove(s, value);
    pthread_mutex_unlock(&s->lock);
    return found;
}

static int smallest(struct set *s) {
    pthread_mutex_lock(&s->lock);
    int value = plain_smallest(s);
    pthread_mutex_unlock(&s->lock);
    return value;
}

/* Takes the smallest element out of the set, and returns it. */
static int poll(struct set *s) {
#if BUG == 2
    int value = smallest(s); /* seeded bug: two calls, each synchronised, are not one step */
    bool found = discard(s, value);
#else
    (void)smallest;
    pthread_mutex_lock(&s->lock);
    int value = plain_smallest(s);
    bool found = plain_remove(s, value);
    pthread_mutex_unlock(&s->lock);
#endif
    assert(found);
    return value;
}

static void remove_all(struct set *s, struct set *other) {
    pthread_mutex_lock(s < other ? &s->lock : &other->lock);
    pthread_mutex_lock(s < other ? &other->lock : &s->lock);
#if BUG == 1
    pthread_mutex_unlock(&other->lock); /* seeded bug: the walk over `other` is without its lock */
#endif
    plain_remove_tree(s, other->root);
#if BUG != 1
    pthread_mutex_unlock(&other->lock);
#endif
    pthread_mutex_unlock(&s->lock);
}

static void *subtracts(void *arg) {
    poll(&b);
    remove_all(&a, &b);
    return arg;
}

static void *changes(void *arg) {
    for (int i = 1; i < ADDS; i++) {
        add(&a, 10 + i);
    }
    poll(&b);
    discard(&b, FIRST);
    return arg;
}

int main(void) {
    static const int order[] = {1, 0, 2}; /* a balanced tree of each three */
    pthread_t one, two;
    for (int i = 0; i < FIRST + 1; i++) {
        int value = i / 3 * 3 + order[i % 3];
        plain_add(&a, value);
        plain_add(&b, value);
    }
    pthread_create(&one, NULL, subtracts, NULL);
    pthread_create(&two, NULL, changes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    while (a.root) {
        plain_remove(&a, plain_smallest(&a));
    }
    while (b.root) {
        plain_remove(&b, plain_smallest(&b));
    }
    assert(a.size == 0 && b.size == 0);
    return 0;
}
