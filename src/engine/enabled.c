/*
 * enabled.c - the list of who can go on, when it is not that of the step before. It is kept as bits, as numbers and
 * as candidates for the picker, with the sum of the hashes of what they are about to do. One thread that blocks, or
 * goes on, costs the same however many others there are, but for moving the lists up or down by one.
 *
 * Invariants while `listed`: `enabled` and `cand` have the threads of `who`, ascending; `sum` is the sum of
 * `summed` over them, and that is what each of them has announced last.
 */
#include "engine/enabled.h"

#include <string.h>

enum { FEW = 16 }; /* shorter lists are written anew */

static void put(struct rd_engine *e, uint32_t at, rd_tid tid) {
    e->enabled[at] = tid;
    e->cand[at] = (struct rd_cand){&e->world.threads[tid].pending, tid, false};
}

/* All of the list anew. */
static void write_list(struct rd_engine *e, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t left = e->who.w[i]; left; left &= left - 1)
            put(e, n++, (rd_tid)(i * 64 + (unsigned)__builtin_ctzll(left)));
    e->listed_count = n;
}

/* Where it is in the list, or belongs. */
static uint32_t place_of(const struct rd_engine *e, rd_tid tid) {
    uint32_t at = 0, word = tid / 64u;
    for (uint32_t i = 0; i < word; i++)
        at += (uint32_t)__builtin_popcountll(e->who.w[i]);
    return at + (uint32_t)__builtin_popcountll(e->who.w[word] & (((uint64_t)1 << tid % 64) - 1));
}

/* pre: `who` has the bit as it is to be, and the bits of the list otherwise */
static void move_list(struct rd_engine *e, rd_tid tid) {
    uint32_t at = place_of(e, tid), n = e->listed_count;
    if (rd_bits_has(&e->who, tid)) {
        memmove(&e->enabled[at + 1], &e->enabled[at], (n - at) * sizeof *e->enabled);
        memmove(&e->cand[at + 1], &e->cand[at], (n - at) * sizeof *e->cand);
        put(e, at, tid);
        e->listed_count++;
    } else {
        memmove(&e->enabled[at], &e->enabled[at + 1], (n - at - 1) * sizeof *e->enabled);
        memmove(&e->cand[at], &e->cand[at + 1], (n - at - 1) * sizeof *e->cand);
        e->listed_count--;
    }
}

static void toggle(struct rd_engine *e, rd_tid tid) {
    e->who.w[tid / 64] ^= (uint64_t)1 << tid % 64;
    if (!rd_bits_has(&e->who, tid)) {
        e->sum -= e->summed[tid];
        return;
    }
    e->summed[tid] = e->world.threads[tid].pending_hash;
    e->sum += e->summed[tid];
}

uint32_t rd_enabled_relist(struct rd_engine *e, uint64_t first) {
    uint32_t words = (e->world.count + 63) / 64;
    bool moves = e->listed && e->listed_count > FEW, changed = !e->listed;
    if (!e->listed) {
        e->sum = 0;
        memset(&e->who, 0, words * sizeof *e->who.w);
    }
    for (uint32_t i = 0; i < words; i++) {
        uint64_t who = i ? rd_enabled_group(&e->world, i * 64) : first;
        changed |= who != e->who.w[i];
        for (uint64_t left = e->who.w[i] ^ who; left; left &= left - 1) {
            rd_tid tid = (rd_tid)(i * 64 + (unsigned)__builtin_ctzll(left));
            toggle(e, tid);
            if (moves)
                move_list(e, tid);
        }
    }
    if (changed && !moves)
        write_list(e, words);
    e->version += changed;
    e->listed = true;
    return e->listed_count;
}
