/*
 * cache.c - a cache in front of an expensive function: a map with a lock for each shard and entries in chains. A
 * full shard drops its least useful entry. Values are computed and digested outside of the locks.
 */
#include "compute.h"

#include <stdatomic.h>
#include <string.h>

enum { SHARDS = 16, BUCKETS = 16, ENTRIES = 12, KEYS = 400, WORDS = 1024 };

struct entry {
    struct entry *next;
    uint32_t key;
    uint32_t used;
    uint64_t value[WORDS];
};

static struct shard {
    pthread_mutex_t lock;
    struct entry *bucket[BUCKETS];
    struct entry entry[ENTRIES];
    int count;
} shard[SHARDS];

static atomic_long hits, misses;
static uint64_t digest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests;

static void compute(uint32_t key, uint64_t *value) {
    uint64_t s = key;
    for (int i = 0; i < WORDS; i++) {
        uint64_t z = next_random(&s);
        for (int round = 0; round < 12; round++)
            z = next_random(&z);
        value[i] = z;
    }
}

static uint64_t digest_of(const uint64_t *value) {
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < WORDS; i++)
        for (int shift = 0; shift < 64; shift += 8)
            h = (h ^ (value[i] >> shift & 255)) * 0x100000001b3u;
    return h;
}

static struct entry **find(struct shard *s, uint32_t key) {
    struct entry **e = &s->bucket[key / SHARDS % BUCKETS];
    while (*e && (*e)->key != key)
        e = &(*e)->next;
    return e;
}

static struct entry *room(struct shard *s) {
    if (s->count < ENTRIES)
        return &s->entry[s->count++];
    struct entry *least = &s->entry[0];
    for (int i = 1; i < ENTRIES; i++) {
        s->entry[i].used -= s->entry[i].used > 0;
        if (s->entry[i].used < least->used)
            least = &s->entry[i];
    }
    *find(s, least->key) = least->next;
    return least;
}

static void get(uint32_t key, uint64_t *value) {
    struct shard *s = &shard[key % SHARDS];
    pthread_mutex_lock(&s->lock);
    struct entry *e = *find(s, key);
    if (e) {
        e->used++;
        memcpy(value, e->value, sizeof e->value);
        pthread_mutex_unlock(&s->lock);
        atomic_fetch_add(&hits, 1);
        return;
    }
    pthread_mutex_unlock(&s->lock);
    atomic_fetch_add(&misses, 1);
    compute(key, value);
    pthread_mutex_lock(&s->lock);
    struct entry **to = find(s, key);
    if (!*to) {
        e = room(s);
        to = find(s, key); /* the dropped entry may have contained the old place */
        *e = (struct entry){.key = key, .used = 1};
        memcpy(e->value, value, sizeof e->value);
        *to = e;
    }
    pthread_mutex_unlock(&s->lock);
}

static void *work(void *arg) {
    uint64_t seed = (uint64_t)(intptr_t)arg + 1, sum = 0;
    uint64_t value[WORDS];
    for (int i = 0; i < requests; i++) {
        double u = next_uniform(&seed);
        get((uint32_t)(u * u * u * KEYS), value);
        sum += digest_of(value);
    }
    pthread_mutex_lock(&lock);
    digest += sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* The expected result, computed without a cache. */
static uint64_t expected(void) {
    uint64_t sum = 0, of_key[KEYS];
    uint64_t value[WORDS];
    for (uint32_t key = 0; key < KEYS; key++) {
        compute(key, value);
        of_key[key] = digest_of(value);
    }
    for (intptr_t t = 0; t < THREADS; t++) {
        uint64_t seed = (uint64_t)t + 1;
        for (int i = 0; i < requests; i++) {
            double u = next_uniform(&seed);
            sum += of_key[(uint32_t)(u * u * u * KEYS)];
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    requests = (int)(4000 * scale_of(argc, argv));
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&shard[i].lock, NULL);
    run_threads(work);
    if (digest != expected() || hits + misses != (long)requests * THREADS)
        return 1;
    return check("share of hits", (double)hits / (double)(hits + misses), 0.1, 0.95);
}
