/*
 * Linked list with synchronised wrappers: every method locks its list, but methods on two lists use a second one.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1, "LinkedList" (java.util, Collections.synchronizedList)
 * Size: ADDS=2 FIRST=3
 * Bug 1: add_all locks its own list and walks over the other; a node is freed under it (heap) (2,2,2)
 * Bug 2: equals locks its own list and counts the other; the walk meets another length (assertion) (1,1,2)
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
    struct node *_Atomic next;
    atomic_int value;
};

struct list {
    pthread_mutex_t lock;
    struct node *_Atomic head;
    atomic_int size;
};

static struct list a = {.lock = PTHREAD_MUTEX_INITIALIZER}, b = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The methods of the list itself: none of them locks. */

static void plain_add(struct list *l, int value) {
    struct node *n = malloc(sizeof(*n));
    if (!n) {
        abort();
    }
    atomic_init(&n->value, value);
    atomic_init(&n->next, l->head);
    l->head = n;
    l->size++;
}

static void plain_remove_first(struct list *l) {
    struct node *n = l->head;
    if (n) {
        l->head = n->next;
        l->size--;
        free(n);
    }
}

static void plain_clear(struct list *l) {
    while (l->head) {
        plain_remove_first(l);
    }
}

/* The wrapper's methods. */

static void add(struct list *l, int value) {
    pthread_mutex_lock(&l->lock);
    plain_add(l, value);
    pthread_mutex_unlock(&l->lock);
}

static void remove_first(struct list *l) {
    pthread_mutex_lock(&l->lock);
    plain_remove_first(l);
    pthread_mutex_unlock(&l->lock);
}

/* Locks l, and the other list, too, unless the method forgets it. The order is the order of the addresses. */
static void lock_both(struct list *l, struct list *other, bool forgets) {
    if (!forgets && other < l) {
        pthread_mutex_lock(&other->lock);
    }
    pthread_mutex_lock(&l->lock);
    if (!forgets && l < other) {
        pthread_mutex_lock(&other->lock);
    }
}

static void unlock_both(struct list *l, struct list *other, bool forgets) {
    pthread_mutex_unlock(&l->lock);
    if (!forgets) {
        pthread_mutex_unlock(&other->lock);
    }
}

static void add_all(struct list *l, struct list *other) {
    const bool forgets = BUG == 1; /* seeded bug: nothing keeps `other` as it is */
    lock_both(l, other, forgets);
    for (struct node *n = other->head; n; n = n->next) {
        plain_add(l, n->value);
    }
    unlock_both(l, other, forgets);
}

static bool equals(struct list *l, struct list *other) {
    const bool forgets = BUG == 2; /* seeded bug: nothing keeps `other` as it is */
    bool equal = true;
    lock_both(l, other, forgets);
    int size = other->size, count = 0;
    struct node *m = l->head;
    for (struct node *n = other->head; n; n = n->next) {
        equal = equal && m && m->value == n->value;
        m = m ? m->next : NULL;
        count++;
    }
    unlock_both(l, other, forgets);
    assert(count == size); /* else: ConcurrentModificationException */
    return equal && !m;
}

static void *combines(void *arg) {
    equals(&a, &b);
    add_all(&a, &b);
    return arg;
}

static void *changes(void *arg) {
    for (int i = 0; i < ADDS; i++) {
        add(&b, 10 + i);
    }
    if (BUG != 2) { /* with bug 2 the finding would be that the walk meets a freed node */
        remove_first(&b);
    }
    return arg;
}

int main(void) {
    pthread_t one, two;
    for (int i = 0; i < FIRST; i++) {
        plain_add(&a, i);
        plain_add(&b, i);
    }
    pthread_create(&one, NULL, combines, NULL);
    pthread_create(&two, NULL, changes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(b.size == FIRST + ADDS - (BUG != 2));
    assert(a.size >= 2 * FIRST && a.size <= 2 * FIRST + ADDS);
    plain_clear(&a);
    plain_clear(&b);
    return 0;
}
