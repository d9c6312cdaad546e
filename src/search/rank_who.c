/* rank_who.c - the threads that take part; see rank.h. */
#include "search/rank.h"

#include "base/bitset.h"

bool rd_rank_who_add(struct rd_rank_who *w, const struct rd_record *r) {
    struct rd_bits there = {{0}}, fresh = {{0}};
    uint32_t before = w->count;
    for (uint32_t i = 0; i < w->count; i++)
        rd_bits_add(&there, w->at[i]);
    for (uint32_t i = 0; i < r->out->steps; i++)
        rd_bits_add(&fresh, r->steps[i].tid);
    for (uint32_t t = 0; t < RD_MIN(r->out->threads, (uint32_t)RD_TID_MAX); t++) {
        bool waits = r->threads[t].state == RD_T_READY; /* it may never have come to its turn */
        if (rd_bits_has(&there, t) || !(waits || rd_bits_has(&fresh, t)))
            continue;
        uint32_t i = w->count++;
        for (; i > 0 && w->at[i - 1] > t; i--)
            w->at[i] = w->at[i - 1];
        w->at[i] = (rd_tid)t;
    }
    return w->count > before;
}
