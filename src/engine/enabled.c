/*
 * enabled.c - updates the list of enabled threads when it is not that of the step before. The engine keeps the list
 * as a bit set, as thread numbers and as candidates for the picker, with the sum of the hashes of the pending
 * operations. If one thread becomes enabled or blocked, the cost does not depend on the number of other threads,
 * except that the arrays move up or down by one.
 *
 * Invariants while `listed`: `enabled` and `cand` have the threads of `listed_set` in ascending order; `hash_sum`
 * is the sum of `listed_hash` over them; and `listed_hash` is the hash of the operation that each announced last.
 */
#include "engine/enabled.h"

#include <string.h>

enum { FEW = 16 }; /* lists up to this length are written anew, not moved */

static void put(struct rd_engine *e, uint32_t at, rd_tid tid) {
    e->enabled[at] = tid;
    e->cand[at] = (struct rd_cand){&e->world.threads[tid].pending, tid, false};
}

/* Writes the whole list anew from its set. */
static void write_list(struct rd_engine *e, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t left = e->listed_set.w[i]; left; left &= left - 1)
            put(e, n++, (rd_tid)(i * 64 + (unsigned)__builtin_ctzll(left)));
    RD_CHECK(n <= e->room);
    e->listed_count = n;
}

/* Returns the index of the thread in the list, or where it belongs. */
static uint32_t index_of(const struct rd_engine *e, rd_tid tid) {
    uint32_t at = 0, word = tid / 64u;
    for (uint32_t i = 0; i < word; i++)
        at += (uint32_t)__builtin_popcountll(e->listed_set.w[i]);
    return at + (uint32_t)__builtin_popcountll(e->listed_set.w[word] & (((uint64_t)1 << tid % 64) - 1));
}

/* Adds the thread to the arrays, or removes it. pre: listed_set has the thread or not, as the arrays are to be */
static void move_list(struct rd_engine *e, rd_tid tid) {
    uint32_t at = index_of(e, tid), n = e->listed_count;
    RD_CHECK(at <= n && n < e->room + !rd_bits_has(&e->listed_set, tid));
    if (rd_bits_has(&e->listed_set, tid)) {
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

/* Adds the thread to the set of the list, or removes it. */
static void flip(struct rd_engine *e, rd_tid tid) {
    e->listed_set.w[tid / 64] ^= (uint64_t)1 << tid % 64;
    if (!rd_bits_has(&e->listed_set, tid)) {
        e->hash_sum -= e->listed_hash[tid];
        return;
    }
    e->listed_hash[tid] = e->world.threads[tid].pending_hash;
    e->hash_sum += e->listed_hash[tid];
}

bool rd_enabled_is_sound(const struct rd_engine *e, uint32_t n) {
    uint32_t in_set = 0;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < n; i++)
        if (e->enabled[i - 1] >= e->enabled[i])
            return false;
    for (uint32_t t = 0; e->listed && t < e->world.count; t++) {
        if (!rd_bits_has(&e->listed_set, t))
            continue;
        bool fits = e->enabled[in_set] == t && e->cand[in_set].tid == t &&
                    e->cand[in_set].op == &e->world.threads[t].pending &&
                    e->listed_hash[t] == e->world.threads[t].pending_hash;
        if (!fits || e->world.threads[t].state != RD_T_READY || ++in_set > e->listed_count)
            return false;
        sum += e->listed_hash[t];
    }
    return !e->listed || (in_set == e->listed_count && sum == e->hash_sum);
}

uint32_t rd_enabled_relist(struct rd_engine *e, uint64_t first) {
    uint32_t words = (e->world.count + 63) / 64;
    bool moves = e->listed && e->listed_count > FEW, changed = !e->listed;
    if (!e->listed) {
        e->hash_sum = 0;
        memset(&e->listed_set, 0, words * sizeof *e->listed_set.w);
    }
    for (uint32_t i = 0; i < words; i++) {
        uint64_t now = i ? rd_enabled_group(&e->world, i * 64) : first;
        changed |= now != e->listed_set.w[i];
        for (uint64_t left = e->listed_set.w[i] ^ now; left; left &= left - 1) {
            rd_tid tid = (rd_tid)(i * 64 + (unsigned)__builtin_ctzll(left));
            flip(e, tid);
            if (moves)
                move_list(e, tid);
        }
    }
    if (changed && !moves)
        write_list(e, words);
    RD_CHECK(e->listed_count <= e->world.count);
    e->version += changed;
    e->listed = true;
    return e->listed_count;
}
