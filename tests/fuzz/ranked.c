/*
 * ranked.c - the promise of a search by ranks, by brute force: the schedules that strict priorities lead to which
 * change at most c times. Each change lowers the thread that has just run and is enabled, after its start or after
 * an access to one of at most v variables. This file shares no code with the search: for each schedule it decides,
 * step by step, whether such priorities exist. The thread that runs has a higher priority than all other enabled
 * ones: that makes an order of fragments of threads, which must be free of cycles. Which wait times out, and which
 * way an operation takes, does not depend on priorities.
 *
 * A wait gives up only where the search has a point: not between two accesses of the thread that runs, unless one
 * of them is to a variable of the set. The search may show more (`strict` is false), as it has points at other
 * accesses, too.
 */
#include "fuzz.h"

#include "trace/track.h"

enum { CHANGES = 4, FRAGMENTS = SIM_THREADS + 1 + CHANGES, RANKED = 256 /* a mark in fuzz_thing.seen */ };

struct order {
    uint64_t below[FRAGMENTS];    /* the fragments below this one */
    uint8_t now[SIM_THREADS + 1]; /* the fragment of each thread */
    uint32_t made;                /* number of changes so far */
    rd_place at[CHANGES];         /* the variables of the changes */
    uint32_t vars;
    bool strict;
};

static bool late(const struct rd_step *s, uint32_t cand) { return cand < 31 && s->only_times_out >> cand & 1; }

/* Puts fragment a above b. Returns false if b is above a already. */
static bool put_above(struct order *o, uint32_t a, uint32_t b) {
    if (o->below[b] >> a & 1)
        return false;
    uint64_t more = o->below[b] | (uint64_t)1 << b;
    for (uint32_t i = 0; i < FRAGMENTS; i++)
        if (i == a || o->below[i] >> a & 1)
            o->below[i] |= more;
    return true;
}

/* The thread of this step has a higher priority than all other enabled threads. */
static bool add_step(struct order *o, const struct rd_record *r, uint32_t i) {
    const struct rd_step *s = &r->steps[i];
    for (uint32_t k = 0; k < s->ncand; k++)
        if (r->cands[s->cand + k] == s->tid && late(s, k))
            return true;
    for (uint32_t k = 0; k < s->ncand; k++) {
        rd_tid other = r->cands[s->cand + k];
        if (other != s->tid && !late(s, k) && !put_above(o, o->now[s->tid], o->now[other]))
            return false;
    }
    return true;
}

static bool could_go_on(const struct rd_record *r, uint32_t i, rd_tid tid) {
    const struct rd_step *s = &r->steps[i];
    for (uint32_t k = 0; k < s->ncand; k++)
        if (r->cands[s->cand + k] == tid && !late(s, k))
            return true;
    return false;
}

/* Adds the variable unless it is there already. Returns false if there are too many. */
static bool add_variable(struct order *o, rd_place place, uint32_t vars_max) {
    for (uint32_t i = 0; i < o->vars; i++)
        if (o->at[i] == place)
            return true;
    if (o->vars == vars_max)
        return false;
    o->at[o->vars++] = place;
    return true;
}

static bool fits(const struct fuzz_ranked *b, const struct rd_record *r, uint32_t i, const struct rd_step *before,
                 struct order o);

static bool accesses(unsigned op) { return op == RD_OP_READ || op == RD_OP_WRITE; }

/* The thread's first step from step i on; NULL: it has none. */
static const struct rd_step *next_of(const struct rd_record *r, uint32_t i, rd_tid tid) {
    while (i < r->out->steps && (r->steps[i].tid != tid || rd_step_is_way(&r->steps[i])))
        i++;
    return i < r->out->steps ? &r->steps[i] : NULL;
}

/* Whether a wait gives up at this step between two accesses of the thread that has just run. */
static bool gives_up_between(const struct rd_record *r, uint32_t i, const struct rd_step *before) {
    if (!before || could_go_on(r, i, r->steps[i].tid) || !could_go_on(r, i, before->tid))
        return false;
    const struct rd_step *next = next_of(r, i, before->tid);
    unsigned then = next ? next->op : r->threads[before->tid].pending.kind;
    return (accesses(before->op) || before->op == RD_OP_ATOMIC_RMW) && accesses(then);
}

/* Whether priorities exist that lead to the schedule from step i on, without a change before that step. */
static bool goes_on(const struct fuzz_ranked *b, const struct rd_record *r, uint32_t i,
                    const struct rd_step *before, struct order o) {
    if (!add_step(&o, r, i))
        return false;
    if (!o.strict || !gives_up_between(r, i, before))
        return fits(b, r, i + 1, &r->steps[i], o);
    const struct rd_step *near[] = {before, next_of(r, i, before->tid)};
    for (uint32_t n = 0; n < RD_COUNT(near) && near[n]; n++) {
        for (uint32_t k = 0; k < b->count; k++) {
            struct order with = o;
            if (rd_track_of_step(&b->vars[k], 1, near[n]) && add_variable(&with, b->vars[k].first, b->vars_max) &&
                fits(b, r, i + 1, &r->steps[i], with))
                return true;
        }
    }
    return false;
}

/* As `fits`, with a change of the thread that has just run, at this variable; 0: a change after its start. */
static bool fits_changed(const struct fuzz_ranked *b, const struct rd_record *r, uint32_t i,
                         const struct rd_step *before, const struct order *from, rd_place place) {
    struct order o = *from;
    if (place && !add_variable(&o, place, b->vars_max))
        return false;
    o.now[before->tid] = (uint8_t)(SIM_THREADS + 1 + o.made++);
    return goes_on(b, r, i, before, o);
}

/* Whether priorities exist that lead to the schedule from step i on. */
static bool fits(const struct fuzz_ranked *b, const struct rd_record *r, uint32_t i, const struct rd_step *before,
                 struct order o) {
    while (i < r->out->steps && rd_step_is_way(&r->steps[i]))
        i++;
    if (i == r->out->steps)
        return true;
    if (before && o.made < b->changes && could_go_on(r, i, before->tid)) {
        if (before->op == RD_OP_START && fits_changed(b, r, i, before, &o, 0))
            return true;
        for (uint32_t k = 0; k < b->count; k++)
            if (rd_track_of_step(&b->vars[k], 1, before) && fits_changed(b, r, i, before, &o, b->vars[k].first))
                return true;
    }
    return goes_on(b, r, i, before, o);
}

static bool is_ranked(const struct fuzz_ranked *b, const struct rd_record *r, bool strict) {
    struct order o = {.strict = strict};
    for (uint32_t t = 0; t <= SIM_THREADS; t++)
        o.now[t] = (uint8_t)t;
    return fits(b, r, 0, NULL, o);
}

void fuzz_ranked_tried(struct fuzz_ranked *b, const struct sim *s) {
    for (uint32_t i = 0; i < s->engine.plan.track_count; i++) {
        const struct rd_track *it = &s->rec.track[i];
        uint32_t k = 0;
        while (k < b->count && b->vars[k].first != it->first)
            k++;
        if (it->var != UINT32_MAX && k == b->count) {
            RD_CHECK(b->count < RD_COUNT(b->vars));
            b->vars[b->count++] = *it;
        }
    }
}

static void run_again(struct sim *s, const struct fuzz_truth *t, const struct fuzz_run *run) {
    struct rd_plan plan = {.prefix_count = run->length, .picker = RD_PICK_STAY};
    for (uint32_t i = 0; i < run->length; i++) {
        uint16_t pick = t->picks.at[run->at + i];
        s->prefix[i] = pick < RD_TID_MAX ? (struct rd_choice){.pick = pick}
                                         : (struct rd_choice){.pick = pick - RD_TID_MAX, .op = RD_OP_WAITER};
    }
    sim_run(s, &plan);
}

/*
 * The threads that use each variable in schedules without a preemption. An operation with which the execution fails
 * has no effect, and nothing comes after it, so it is no use.
 */
struct users {
    rd_place place[64];
    uint32_t by[64], count;
};

static void add_users(struct users *u, const struct rd_record *r) {
    bool fails = r->out->verdict == RD_FOUND && !rd_is_stuck(r->out->finding.kind);
    for (uint32_t i = 0; i + fails < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        uint32_t k = 0;
        if (rd_step_is_way(s) || !s->place)
            continue;
        while (k < u->count && u->place[k] != s->place)
            k++;
        if (k == RD_COUNT(u->place))
            continue;
        u->count += k == u->count;
        u->place[k] = s->place;
        u->by[k] |= 1u << s->tid;
    }
}

/* Checks that changes were tried at each variable that several threads use in schedules without a preemption. */
static bool all_tried(const struct fuzz_ranked *b, const struct users *u, struct fuzz_failure *f) {
    for (uint32_t i = 0; i < u->count && b->vars_max; i++) {
        bool there = (u->by[i] & (u->by[i] - 1)) == 0;
        for (uint32_t k = 0; k < b->count; k++)
            there |= rd_track_find(&b->vars[k], 1, u->place[i], 1) != NULL;
        if (!there)
            return fuzz_fail(f, FUZZ_LOST_SCHEDULE, "no change was tried at %#llx, which several threads use",
                             (unsigned long long)u->place[i]);
    }
    return true;
}

static bool nothing_more(const struct fuzz_truth *t, uint64_t mark, struct fuzz_failure *f) {
    for (unsigned k = FUZZ_FINAL; k < FUZZ_THINGS; k++) {
        for (uint32_t i = 0; i < t->things[k].count; i++) {
            const struct fuzz_thing *it = &t->things[k].at[i];
            if (it->seen & mark && !(it->seen & RANKED))
                return fuzz_fail(f, FUZZ_BEYOND, "shown, though no priorities lead there; one way: %s",
                                 fuzz_schedule_text(t, it->run));
        }
    }
    return true;
}

bool fuzz_ranked_kept(const struct fuzz_ranked *b, struct sim *s, struct fuzz_truth *t, uint64_t mark,
                      struct fuzz_failure *f) {
    const struct fuzz_ranked orders = {.changes = 0};
    struct users users = {.count = 0};
    for (uint32_t i = 0; i < t->runs.count; i++) {
        struct fuzz_shown w;
        run_again(s, t, &t->runs.at[i]);
        if (is_ranked(&orders, &s->rec, true))
            add_users(&users, &s->rec);
        if (!is_ranked(b, &s->rec, false))
            continue;
        bool strict = is_ranked(b, &s->rec, true);
        fuzz_show(s, &w);
        for (unsigned k = FUZZ_FINAL; k < FUZZ_THINGS; k++) {
            const uint64_t *index = w.key[k] ? rd_map_get(&t->things[k].index, w.key[k]) : NULL;
            struct fuzz_thing *it = index ? &t->things[k].at[*index - 1] : NULL;
            if (it && strict && !(it->seen & mark))
                return fuzz_fail(f, k == FUZZ_FINAL ? FUZZ_LOST_FINAL : FUZZ_LOST_FAILURE,
                                 "lost, though priorities lead there with %u changes at %u variables: %s",
                                 b->changes, b->vars_max, fuzz_schedule_text(t, i));
            if (it)
                it->seen |= RANKED;
        }
    }
    return all_tried(b, &users, f) && nothing_more(t, mark, f);
}
