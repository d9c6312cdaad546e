/*
 * driver.h - a test driver for a synchronised collection of numbers: two collections, each with a lock of its own,
 * and seven threads that call one method each, two of them with the other collection as argument. A collection
 * defines struct items, items_add, items_remove, items_contain, items_clear and items_each, which do not lock, and
 * includes this file. There is no bug: the benchmark counts the different orders of operations that are seen.
 *
 * QUIET functions touch memory of one thread only. They make no operations, unless the program is built with
 * -DPRIVATE_TOO.
 */
#include "quiet.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { THREADS = 7, COPY_MAX = 16 };

struct collection {
    pthread_mutex_t lock;
    struct items items;
};

struct copy {
    int count;
    int value[COPY_MAX];
};

static struct collection a = {.lock = PTHREAD_MUTEX_INITIALIZER}, b = {.lock = PTHREAD_MUTEX_INITIALIZER};

QUIET static void keep(void *copy, int value) {
    struct copy *c = copy;
    assert(c->count < COPY_MAX);
    c->value[c->count++] = value;
}

QUIET static void sum_up(void *sum, int value) { *(int *)sum += value; }

static bool add(struct collection *c, int value) {
    pthread_mutex_lock(&c->lock);
    bool changed = items_add(&c->items, value);
    pthread_mutex_unlock(&c->lock);
    return changed;
}

static bool discard(struct collection *c, int value) {
    pthread_mutex_lock(&c->lock);
    bool changed = items_remove(&c->items, value);
    pthread_mutex_unlock(&c->lock);
    return changed;
}

static bool contains(struct collection *c, int value) {
    pthread_mutex_lock(&c->lock);
    bool found = items_contain(&c->items, value);
    pthread_mutex_unlock(&c->lock);
    return found;
}

static void clear(struct collection *c) {
    pthread_mutex_lock(&c->lock);
    items_clear(&c->items);
    pthread_mutex_unlock(&c->lock);
}

static void each(struct collection *c, void (*visit)(void *, int), void *arg) {
    pthread_mutex_lock(&c->lock);
    items_each(&c->items, visit, arg);
    pthread_mutex_unlock(&c->lock);
}

QUIET static int nth(const struct copy *copy, int i) { return i < copy->count ? copy->value[i] : -1; }

/* The other collection is copied first, under its own lock: holding both locks at once could deadlock. */
static void change_all(struct collection *c, struct collection *from, bool (*change)(struct items *, int)) {
    struct copy copy = {.count = 0};
    each(from, keep, &copy);
    pthread_mutex_lock(&c->lock);
    for (int i = 0, value; (value = nth(&copy, i)) >= 0; i++) {
        change(&c->items, value);
    }
    pthread_mutex_unlock(&c->lock);
}

static void *adds(void *arg) {
    add(&a, 7);
    return arg;
}

static void *removes(void *arg) {
    discard(&a, 2);
    return arg;
}

static void *looks(void *arg) {
    contains(&b, 4);
    return arg;
}

static void *walks(void *arg) {
    int sum = 0;
    each(&a, sum_up, &sum);
    return arg;
}

static void *clears(void *arg) {
    clear(&b);
    return arg;
}

static void *adds_all(void *arg) {
    change_all(&a, &b, items_add);
    return arg;
}

static void *removes_all(void *arg) {
    change_all(&b, &a, items_remove);
    return arg;
}

QUIET int main(void) {
    static void *(*const work[THREADS])(void *) = {adds, removes, looks, walks, clears, adds_all, removes_all};
    pthread_t thread[THREADS];
    for (int i = 1; i <= 3; i++) {
        items_add(&a.items, i);
        items_add(&b.items, i + 2);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(items_contain(&a.items, 1) && items_contain(&a.items, 7) && !items_contain(&a.items, 2));
    return 0;
}
