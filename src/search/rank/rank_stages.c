/* rank_stages.c - see rank_stages.h. */
#include "search/rank/rank_stages.h"

void rd_rank_known_merge(struct rd_rank_known *to, const struct rd_rank_known *from) {
    rd_rank_threads_unite(&to->threads, &from->threads);
    rd_rank_vars_merge(&to->vars, &from->vars);
    for (uint32_t i = 0; i < RD_BITS_WORDS; i++)
        to->creators.w[i] |= from->creators.w[i];
    to->yields |= from->yields;
    to->spins |= from->spins;
    to->left_out |= from->left_out;
    to->too_many |= from->too_many;
}

static void begin_orders(struct rd_rank_course *c) {
    c->stage = rd_rank_threads_full(&c->known.threads) ? RD_RANK_OVER : RD_RANK_ORDERS;
    c->ordered_done = false;
    c->size_done = c->tried = 0;
}

/* Begins the sets that have a variable from number `fresh` on. */
static void begin_sets(struct rd_rank_course *c, uint32_t fresh) {
    rd_rank_vars_list(&c->known.vars);
    RD_CHECK(fresh <= c->known.vars.list.count);
    c->stage = RD_RANK_SETS;
    c->size = 1;
    c->sets_before = 0;
    c->fresh = fresh;
    c->tried = fresh;
    if (fresh == 0) {
        c->size_done = 0;
        c->data = c->known.vars.data;
    }
}

/*
 * Returns whether more shared data is known than when the sets were begun, and continuations were left out: these
 * may not have been covered, as their keys did not contain the data.
 */
static bool knew_too_little(const struct rd_rank_course *c) {
    return c->known.vars.data > c->data && c->known.left_out;
}

/*
 * The sets of a size are finished: begins the sets of the next size, or the sets with variables that are new
 * since, or the check.
 */
static void end_sets(struct rd_rank_course *c, const struct rd_rank_bounds *b, uint64_t executions) {
    uint32_t listed = c->known.vars.list.count;
    bool last = b->all || c->size == b->size_max;
    RD_CHECK(b->all || c->size <= b->size_max);
    if (last || c->fresh == 0) {
        c->size_done = last ? b->size_max : c->size;
        c->tried = listed;
        c->covered = executions;
    }
    if (!last) {
        c->size++;
        c->sets_before = 0;
        return;
    }
    rd_rank_vars_list(&c->known.vars);
    if (knew_too_little(c))
        begin_sets(c, 0);
    else if (c->known.vars.list.count > listed)
        begin_sets(c, listed);
    else
        c->stage = RD_RANK_CHECK;
}

static void end_check(struct rd_rank_course *c, const struct rd_rank_bounds *b) {
    uint32_t listed = c->known.vars.list.count;
    rd_rank_vars_list(&c->known.vars);
    if (knew_too_little(c))
        begin_sets(c, 0);
    else if (c->known.vars.list.count > listed && b->size_max > 0)
        begin_sets(c, listed);
    else
        c->stage = RD_RANK_OVER;
}

void rd_rank_course_next(struct rd_rank_course *c, const struct rd_rank_bounds *b,
                         const struct rd_rank_known *shown, uint32_t news, uint64_t executions) {
    RD_CHECK(c->stage != RD_RANK_OVER);
    if (c->stage == RD_RANK_SETS && !news) { /* the knowledge stays the same, and so do the numbers of sets */
        c->sets_before += RD_RANK_SETS_MAX;
        return;
    }
    rd_rank_known_merge(&c->known, shown);
    if (news & RD_RANK_AGAIN_ALL || c->stage == RD_RANK_FIRST) {
        begin_orders(c);
    } else if (news & RD_RANK_AGAIN_SETS) {
        begin_sets(c, 0);
    } else if (c->stage == RD_RANK_ORDERS) {
        c->ordered_done = true;
        c->covered = executions;
        c->stage = RD_RANK_CHECK;
        if (b->size_max)
            begin_sets(c, 0);
    } else if (c->stage == RD_RANK_SETS) {
        end_sets(c, b, executions);
    } else {
        end_check(c, b);
    }
}
