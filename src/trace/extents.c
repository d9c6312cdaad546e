/* extents.c - see extents.h. */
#include "trace/extents.h"

#include "trace/event.h"

#include <string.h>

enum { SLOTS = 1 << 16, TRIES = 64, UNIT = 16 };

/* A hash table. A slot holds the offset of a list from the start of the table, in units of UNIT bytes; 0: empty. */
struct rd_extents_table {
    uint64_t size;
    uint64_t check; /* hash of the size: the tested program may have overwritten the table */
    uint64_t used;  /* number of bytes in use, the table itself included */
    uint32_t slot[SLOTS];
};

struct rd_extents_table *rd_extents_open(void *memory, uint64_t size) {
    struct rd_extents_table *t = memory;
    RD_CHECK(size > sizeof *t && size / UNIT <= UINT32_MAX);
    t->size = size;
    t->check = rd_mix(size);
    t->used = (sizeof *t + UNIT - 1) / UNIT * UNIT;
    return t;
}

static size_t bytes_of(const struct rd_extents *x) {
    return offsetof(struct rd_extents, at) + x->count * sizeof *x->at;
}

static uint64_t hash_of(const struct rd_extents *x) {
    uint64_t h = x->count;
    for (uint32_t i = 0; i < x->count; i++) {
        const struct rd_extent *e = &x->at[i];
        h = rd_hash2(rd_hash2(h, e->first), rd_hash2(e->last, (uint64_t)e->touch << 2 | e->bound << 1 | e->object));
    }
    return h;
}

bool rd_extents_same(const struct rd_extents *a, const struct rd_extents *b) {
    bool is = a->count == b->count;
    for (uint32_t i = 0; is && i < a->count; i++) {
        const struct rd_extent *x = &a->at[i], *y = &b->at[i];
        is = x->first == y->first && x->last == y->last && x->touch == y->touch && x->object == y->object &&
             x->bound == y->bound;
    }
    return is;
}

static struct rd_extents *list_at(struct rd_extents_table *t, uint32_t unit) {
    return (struct rd_extents *)((char *)t + (uint64_t)unit * UNIT);
}

/* Copies a list into memory of the table that no slot refers to yet. Returns its offset in units; 0: no room. */
static uint32_t write_list(struct rd_extents_table *t, const struct rd_extents *x) {
    uint64_t need = (bytes_of(x) + UNIT - 1) / UNIT * UNIT;
    uint64_t at = __atomic_fetch_add(&t->used, need, __ATOMIC_RELAXED);
    if (at + need > t->size || at + need < need) {
        __atomic_store_n(&t->used, t->size, __ATOMIC_RELAXED);
        return 0;
    }
    memcpy((char *)t + at, x, bytes_of(x));
    return (uint32_t)(at / UNIT);
}

const struct rd_extents *rd_extents_keep(struct rd_extents_table *t, const struct rd_extents *x) {
    RD_CHECK(x->count <= RD_EXTENTS_MAX);
    if (t->check != rd_mix(t->size))
        return NULL;
    uint64_t h = hash_of(x);
    uint32_t mine = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t *slot = &t->slot[(h + i) % SLOTS];
        uint32_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!there && !mine && !(mine = write_list(t, x)))
            return NULL;
        if (!there && __atomic_compare_exchange_n(slot, &there, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return list_at(t, mine);
        if (!rd_extents_is_kept(t, list_at(t, there)))
            return NULL;
        if (rd_extents_same(list_at(t, there), x))
            return list_at(t, there);
    }
    return NULL;
}

bool rd_extents_is_kept(const struct rd_extents_table *t, const struct rd_extents *x) {
    uint64_t at = (uintptr_t)x - (uintptr_t)t;
    return at >= sizeof *t && at < t->size && at % UNIT == 0 && x->count <= RD_EXTENTS_MAX;
}

/* Returns whether one extent can stand for both. */
static bool joins(const struct rd_extent *a, const struct rd_extent *b) {
    if (a->object != b->object || a->touch != b->touch || a->bound != b->bound || a->own != b->own)
        return false;
    return a->object ? a->first == b->first : a->first <= b->last + 1 && b->first <= a->last + 1;
}

bool rd_extents_add(struct rd_extents *x, const struct rd_extent *e) {
    for (uint32_t i = 0; i < x->count; i++) {
        if (!joins(&x->at[i], e))
            continue;
        x->at[i].first = RD_MIN(x->at[i].first, e->first);
        x->at[i].last = RD_MAX(x->at[i].last, e->last);
        return true;
    }
    if (x->count == RD_EXTENTS_MAX)
        return false;
    x->at[x->count++] = *e;
    return true;
}
