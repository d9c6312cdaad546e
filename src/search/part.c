/* part.c - see part.h. */
#include "search/part.h"

#include "search/bound.h"

void rd_part_open(struct rd_part *p, const struct rd_parts *all, const char *strategy, uint64_t memory_max) {
    struct rd_params params = *all->params;
    char error[128];
    struct rd_arena *a = all->arena;
    params.memory_max = memory_max;
    *p = (struct rd_part){.arena = a, .search = rd_search_parse(strategy, &params, error, sizeof error)};
    RD_CHECK(p->search);
    for (const char *c = strategy; *c; c++) /* what two of them draw has nothing to do with each other */
        params.seed = rd_hash2(params.seed, (unsigned char)*c);
    size_t before = a->used - a->lent;
    p->state = p->search->open(a, &params);
    p->bytes = a->used - a->lent - before;
}

bool rd_part_next(struct rd_part *p, struct rd_draft *d) {
    size_t before = p->arena->used - p->arena->lent;
    p->done = p->search->next(p->state, d) == RD_NEXT_DONE;
    p->bytes += p->arena->used - p->arena->lent - before;
    p->runs += !p->done;
    return !p->done;
}

void rd_part_feedback(struct rd_part *p, const struct rd_plan *plan, const struct rd_record *r) {
    size_t before = p->arena->used - p->arena->lent;
    p->search->feedback(p->state, plan, r);
    p->bytes += p->arena->used - p->arena->lent - before;
}

struct rd_claim rd_part_claim(const struct rd_part *p) {
    struct rd_claim c = rd_claim_nothing();
    p->search->claim(p->state, &c);
    return c;
}

uint32_t rd_turns_next(struct rd_turns *t, const uint32_t *share, uint32_t count) {
    uint32_t best = count;
    int64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        t->credit[i] = share[i] ? t->credit[i] + share[i] : 0;
        all += share[i];
        if (share[i] && (best == count || t->credit[i] > t->credit[best]))
            best = i;
    }
    RD_CHECK(best < count);
    t->credit[best] -= all;
    return best;
}
