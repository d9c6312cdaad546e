/*
 * Object cache: a map from keys to objects and a list of keys in the order of use, each synchronised by itself.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1, "cache4j" (a cache for Java objects; its maps are synchronised one by one)
 * Size: CLIENTS=2 REQUESTS=2 CAPACITY=1
 * Bug 1: put changes the map and the order of use in two steps; an eviction in between misses (assertion) (1,1,2)
 * Bug 2: get returns the object after the map is unlocked; an eviction has freed it (heap) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif

enum { KEYS = 4 };

struct object {
    atomic_int references, value;
};

/* The cache's lock makes one step of changes to both; each of the two also has a lock of its own. */
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static struct map {
    pthread_mutex_t lock;
    struct object *object[KEYS];
    int count;
} map = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct order {
    pthread_mutex_t lock;
    int key[KEYS], count; /* the key that was put first is at 0 */
} order = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void release(struct object *o) {
    if (o && atomic_fetch_sub(&o->references, 1) == 1) {
        free(o);
    }
}

/* Puts an object or, for NULL, none in the map. Returns the object that was there, and the number of objects. */
static struct object *map_exchange(int key, struct object *o, int *count) {
    pthread_mutex_lock(&map.lock);
    struct object *old = map.object[key];
    map.object[key] = o;
    map.count += (o != NULL) - (old != NULL);
    *count = map.count;
    pthread_mutex_unlock(&map.lock);
    return old;
}

/* Returns the object with a reference for the caller, or NULL. */
static struct object *map_get(int key) {
    pthread_mutex_lock(&map.lock);
    struct object *o = map.object[key];
    if (o && BUG != 2) {
        o->references++;
    }
    pthread_mutex_unlock(&map.lock);
    if (o && BUG == 2) {
        o->references++; /* seeded bug: the map's reference may be gone by now */
    }
    return o;
}

static void order_append(int key) {
    pthread_mutex_lock(&order.lock);
    order.key[order.count++] = key;
    pthread_mutex_unlock(&order.lock);
}

/* Returns the key that was put first, or -1. */
static int order_take_first(void) {
    pthread_mutex_lock(&order.lock);
    int key = order.count ? order.key[0] : -1;
    if (order.count) {
        order.count--;
    }
    for (int i = 0; i < order.count; i++) {
        order.key[i] = order.key[i + 1];
    }
    pthread_mutex_unlock(&order.lock);
    return key;
}

/* Puts an object for a key that was not found; another client may have been faster. */
static void put(int key, struct object *o) {
    const bool locks = BUG != 1; /* seeded bug: map and order are changed one after the other */
    int count;
    if (locks) {
        pthread_mutex_lock(&cache_lock);
    }
    struct object *old = map_exchange(key, o, &count);
    if (count > CAPACITY) {
        int victim = order_take_first();
        assert(victim >= 0); /* there are more objects than one, so that one is in the order */
        release(map_exchange(victim, NULL, &count));
    }
    if (!old) {
        order_append(key);
    }
    if (locks) {
        pthread_mutex_unlock(&cache_lock);
    }
    release(old);
}

static struct object *get(int key) {
    struct object *o = map_get(key);
    if (!o) {
        o = malloc(sizeof(*o));
        if (!o) {
            abort();
        }
        atomic_init(&o->references, 2); /* the map's and the caller's */
        atomic_init(&o->value, 100 + key);
        put(key, o);
    }
    return o;
}

static void *client(void *arg) {
    int self = (int)(intptr_t)arg;
    for (int i = 0; i < REQUESTS; i++) {
        int key = (self + i) % KEYS;
        struct object *o = get(key);
        assert(o->value == 100 + key);
        release(o);
    }
    return NULL;
}

int main(void) {
    pthread_t thread[CLIENTS];
    int count;
    release(get(0)); /* so that the first client finds its object */
    for (int i = 0; i < CLIENTS; i++) {
        pthread_create(&thread[i], NULL, client, (void *)(intptr_t)i);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int key = 0; key < KEYS; key++) {
        release(map_exchange(key, NULL, &count));
    }
    assert(count == 0);
    return 0;
}
