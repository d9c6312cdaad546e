/* rank_threads.c - the threads that take part; see rank.h. */
#include "search/rank/rank.h"

#include "base/bitset.h"

static void insert(struct rd_rank_threads *w, rd_tid tid) {
    RD_CHECK(w->count < RD_TID_MAX);
    uint32_t i = w->count++;
    for (; i > 0 && w->at[i - 1] > tid; i--)
        w->at[i] = w->at[i - 1];
    w->at[i] = tid;
    RD_CHECK((i == 0 || w->at[i - 1] < tid) && (i + 1 == w->count || tid < w->at[i + 1]));
}

bool rd_rank_threads_add(struct rd_rank_threads *w, const struct rd_record *r) {
    struct rd_bits there = {{0}}, fresh = {{0}};
    uint32_t before = w->count;
    for (uint32_t i = 0; i < w->count; i++)
        rd_bits_add(&there, w->at[i]);
    for (uint32_t i = 0; i < r->out->steps; i++)
        rd_bits_add(&fresh, r->steps[i].tid);
    for (uint32_t t = 0; t < RD_MIN(r->out->threads, (uint32_t)RD_TID_MAX); t++) {
        bool waits = r->threads[t].state == RD_T_READY; /* it may never have been enabled */
        if (rd_bits_has(&there, t) || !(waits || rd_bits_has(&fresh, t)))
            continue;
        insert(w, (rd_tid)t);
    }
    return w->count > before;
}

void rd_rank_threads_unite(struct rd_rank_threads *w, const struct rd_rank_threads *other) {
    for (uint32_t i = 0, k = 0; i < other->count; i++) {
        while (k < w->count && w->at[k] < other->at[i])
            k++;
        if (k == w->count || w->at[k] != other->at[i])
            insert(w, other->at[i]);
    }
}
