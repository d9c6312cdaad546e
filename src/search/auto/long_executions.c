/* long_executions.c - see long_executions.h. */
#include "search/auto/long_executions.h"

/*
 * LONG: steps from which on an execution is long. PASSED_PART: so many accesses that are no points cost as much as
 * one step.
 */
enum { LONG = 50000, PASSED_PART = 16 };
/* SHARE: its share of the cost of all executions is SHARE in SHARE + 1. BYTES_MAX: memory that it may use. */
enum { SHARE = 2, BYTES_MAX = 256 << 20 };

void rd_long_executions_open(struct rd_long_executions *l, const struct rd_parts *all) {
    const struct rd_params *p = all->params;
    *l = (struct rd_long_executions){.all = all, .over = p->focused || (p->team && p->team->me)};
}

/* Opens the component: it is for one worker and knows no team. */
static void take_part(struct rd_long_executions *l) {
    struct rd_params params = *l->all->params;
    struct rd_parts alone = {l->all->arena, &params};
    params.team = NULL;
    rd_part_open(&l->part, &alone, 0, "rank", 0);
    l->open = true;
}

bool rd_long_executions_next(struct rd_long_executions *l, struct rd_draft *d) {
    uint64_t bytes = l->all->params->memory_max ? l->all->params->memory_max / 8 : BYTES_MAX;
    l->now = false;
    if (l->over || l->steps_high < LONG || l->own >= SHARE * l->others)
        return false;
    if (!l->open)
        take_part(l);
    l->over = l->part.bytes > bytes || rd_part_next(&l->part, d) != RD_NEXT_RUN;
    l->now = !l->over;
    return l->now;
}

bool rd_long_executions_feedback(struct rd_long_executions *l, const struct rd_plan *plan,
                                 const struct rd_record *r) {
    uint64_t cost = r->out->steps + r->out->passed / PASSED_PART;
    if (!l->now) {
        l->steps_high = RD_MAX(l->steps_high, r->out->steps);
        l->others += cost;
        return false;
    }
    RD_CHECK(l->open && !l->over);
    l->own += cost + 1;
    rd_part_feedback(&l->part, plan, r);
    return true;
}

void rd_long_executions_restart(struct rd_long_executions *l) {
    RD_CHECK(!l->now || l->part.turn == RD_TURN_FED);
    if (l->now)
        l->part.search->hooks.restart_set(l->part.state);
}
