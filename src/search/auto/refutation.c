/* refutation.c - see refutation.h. */
#include "search/auto/refutation.h"

enum { PROOF = 1, OTHERS = 2 };
enum { ORDER_BYTES = 128 }; /* of a map that has just grown, with the tables that it had before */

void rd_refutation_open(struct rd_refutation *a, struct rd_arena *arena, uint64_t memory_max) {
    uint64_t room = memory_max ? memory_max / ORDER_BYTES : RD_REFUTATION_MAX;
    *a = (struct rd_refutation){.arena = arena, .most = RD_MIN(room, (uint64_t)RD_REFUTATION_MAX)};
}

/*
 * Returns a key of the class or bug that the execution shows, and that a finished reduction must have shown; 0:
 * none. If a bug ended the execution it is the bug, because a reduction does not promise to show that prefix. An
 * execution in which fairness held a thread back, or that a limit ended, has no key.
 */
static uint64_t key_of(const struct rd_outcome *o) {
    unsigned kind = o->verdict == RD_FOUND ? o->finding.kind : 0;
    bool whole = o->verdict == RD_PASSED || kind == RD_DEADLOCK;
    if (o->fairness || o->fair_tail || o->limited || o->waited_outside || kind == RD_HANG || kind == RD_LIVELOCK)
        return 0;
    if (whole)
        return (o->class_hash[0] ^ rd_mix(o->class_hash[1])) | 2;
    return kind ? rd_hash2(kind, o->finding.key) | 2 : 0;
}

static void note_common(struct rd_refutation_common *c, uint64_t key, bool proof) {
    key &= ~(uint64_t)1; /* the lowest bit says whether the proof has shown it */
    for (uint32_t i = 0; i < RD_REFUTATION_SLOTS; i++) {
        uint64_t *at = &c->slot[(rd_mix(key) + i) % RD_REFUTATION_SLOTS], is = 0;
        if (__atomic_load_n(&c->count, __ATOMIC_RELAXED) > RD_REFUTATION_MAX)
            return;
        if (__atomic_compare_exchange_n(at, &is, key | proof, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_add_fetch(&c->count, 1, __ATOMIC_ACQ_REL);
            if (!proof)
                __atomic_add_fetch(&c->others, 1, __ATOMIC_ACQ_REL);
            return;
        }
        if ((is & ~(uint64_t)1) != key)
            continue;
        if (proof && !(__atomic_fetch_or(at, 1, __ATOMIC_ACQ_REL) & 1))
            __atomic_sub_fetch(&c->others, 1, __ATOMIC_ACQ_REL);
        return;
    }
}

void rd_refutation_note(struct rd_refutation *a, const struct rd_record *r, bool proof) {
    uint64_t key = key_of(r->out);
    if (key && a->common)
        note_common(a->common, key, proof);
    if (!key || a->full || a->common)
        return;
    a->full = a->seen.count >= a->most;
    uint64_t *at = a->full ? NULL : rd_map_put(&a->seen, a->arena, key);
    if (!at)
        return;
    a->others += !proof && !*at;
    RD_CHECK(!proof || *at != OTHERS || a->others > 0);
    a->others -= proof && *at == OTHERS;
    *at = proof ? PROOF : *at ? *at : OTHERS;
    RD_CHECK(a->others <= a->seen.count + a->seen.has_zero);
}
