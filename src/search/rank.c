/*
 * rank.c - variable and thread bounding (Bindal, Bansal and Lal, "Variable and thread bounding for systematic
 * testing of multithreaded programs", ISSTA 2013): executions by strict priorities (pick/rank.c) that change at
 * most c times, after accesses to the variables of a set of v; for enough orders of the priorities that every order
 * of any t threads and of what the changes make of them is among them.
 *
 *   orders    no changes: for these and the first one every access is profiled. That tells who the threads are and
 *             which variables they share.
 *   sets      one set of variables after the other (rank_vars.h), and for each 1, 2 … c changes. The orders of
 *             priorities are the same for all sets, so that the probability of having drawn enough is one for all.
 *   check     some more executions with profiles, in other orders: a variable that shows only now is tried in all
 *             sets that it is part of, and so on until nothing new comes. A thread that was not known begins anew.
 *
 * Which of two threads runs first is decided only when both are there. So each order of priorities is also run with
 * main, and with all threads that create others, above the rest (unless all orders are run anyway).
 *
 * Where it differs from the paper: priorities are those of n + c fragments (its listing has n (c + 1)). A change is
 * left out only when it changes nothing in the order of all threads that are not over, not only of those that can
 * go on: who is blocked now may be next. What was covered before is left out by the key of rank_tree.h. Accesses
 * to shared data are part of that key even where they are not of the set; when it shows only later that something
 * is shared, all sets are searched again.
 */
#include "search/rank.h"

#include "base/bitset.h"
#include "base/text.h"
#include "search/bound.h"
#include "search/rank_tree.h"

#include <string.h>

/* Who is put above all others. */
enum lift { LIFT_NOBODY, LIFT_MAIN, LIFT_CREATORS, LIFTS };
enum stage { FIRST, ORDERS, SETS, CHECK, OVER };
enum { CHECKS = 3, THREADS_MAX = 8 };

struct rank {
    struct rd_arena *arena;
    uint64_t seed;
    uint32_t changes, size_max, ordered;
    double missed; /* probability that is accepted */
    uint32_t percent;
    bool all, plain;
    bool yields, spins; /* a thread has yielded; so often that its priority may have fallen */
    void *random;       /* the state of the randomized mode, when that is asked for */

    enum stage stage;
    struct rd_rank_who who;
    struct rd_rank_vars vars;
    struct rd_rank_sets sets;
    struct rd_rank_pieces set, along; /* where changes may be; what is tracked */
    bool watch_along;
    uint32_t data; /* how much of it was known when the sets were begun */
    struct rd_perms perms;
    uint64_t order; /* of the permutations, the next one */
    enum lift lift;
    struct rd_bits creators;
    uint64_t checks;
    struct rd_rank_tree tree;
    bool strange; /* the tree was that before the last execution */

    uint64_t executions, covered;
    bool ordered_done;  /* the orders without a change */
    uint32_t size_done; /* sets of so many are done */
    uint32_t tried;     /* variables in the list that are in those */
};

static void *open_rank(struct rd_arena *a, const struct rd_params *params) {
    struct rank *s = rd_arena_zero(a, sizeof *s);
    if (rd_param_given(params, "random")) {
        s->random = rd_search_rank_random.open(a, params);
        return s;
    }
    s->arena = s->vars.arena = s->tree.arena = a;
    s->seed = params->seed;
    s->changes = (uint32_t)rd_param_number(params, "c", 2);
    s->size_max = (uint32_t)RD_MIN(rd_param_number(params, "v", 2), (uint64_t)s->changes);
    s->ordered = (uint32_t)rd_param_number(params, "t", 2);
    s->percent = (uint32_t)rd_param_number(params, "e", 1);
    s->missed = s->percent / 100.0;
    s->all = rd_param_given(params, "all");
    s->plain = rd_param_given(params, "plain");
    s->vars.ordinal_max = (uint32_t)rd_param_number(params, "l", 2);
    s->vars.privately = rd_param_given(params, "private");
    s->set.at = rd_arena_alloc(a, RD_TRACKS_MAX * sizeof *s->set.at);
    s->along.at = rd_arena_alloc(a, RD_TRACKS_MAX * sizeof *s->along.at);
    s->tree.who = s->who.at;
    return s;
}

/* So many changes from here on: the orders of priorities for that, from the first one. */
static void set_level(struct rank *s, uint32_t changes) {
    s->tree.threads = s->who.count;
    s->tree.changes = changes;
    s->perms = rd_perms_of(s->who.count, changes, s->ordered, s->missed, s->seed);
    s->tree.free = s->perms.kind == RD_PERM_ALL && changes > 0 && !s->plain && !s->spins;
    if (s->tree.free)
        s->perms = rd_perms_of(s->who.count, 0, s->ordered, 0, s->seed);
    s->order = 0;
    s->lift = LIFT_NOBODY;
}

static void begin_orders(struct rank *s) {
    s->stage = rd_rank_who_full(&s->who) ? OVER : ORDERS;
    s->ordered_done = false;
    s->size_done = s->tried = 0;
    s->tree.stack.count = 0;
    s->tree.plain = true; /* every one is run: it is profiled */
    set_level(s, 0);
}

/* Sets of variables, those that have one from `fresh` on. */
static void begin_sets(struct rank *s, uint32_t fresh) {
    rd_rank_vars_list(&s->vars);
    s->stage = SETS;
    s->tried = fresh;
    if (fresh == 0) {
        s->size_done = 0;
        s->data = s->vars.data;
    }
    s->sets = rd_rank_sets_begin(s->size_max, fresh, s->all);
    s->order = s->perms.count; /* nothing to do before the first set */
    s->tree.changes = s->changes;
}

static void begin_check(struct rank *s) {
    s->stage = CHECK;
    s->checks = 0;
}

/* All sets were tried: is there something that has shown since? */
static void end_sets(struct rank *s) {
    uint32_t listed = s->vars.list.count;
    s->size_done = s->size_max;
    s->covered = s->executions;
    s->tried = listed;
    rd_rank_vars_list(&s->vars);
    if (s->vars.data > s->data && s->tree.left_out)
        begin_sets(s, 0);
    else if (s->vars.list.count > listed)
        begin_sets(s, listed);
    else
        begin_check(s);
}

static void end_check(struct rank *s) {
    uint32_t listed = s->vars.list.count;
    rd_rank_vars_list(&s->vars);
    if (s->vars.data > s->data && s->tree.left_out)
        begin_sets(s, 0);
    else if (s->vars.list.count > listed && s->changes > 0)
        begin_sets(s, listed);
    else
        s->stage = OVER;
}

static void take_set(struct rank *s) {
    rd_rank_pieces_of(&s->sets, &s->vars, &s->set);
    bool fits = rd_rank_pieces_along(&s->set, &s->vars, &s->along);
    s->watch_along = fits && !s->plain && !s->yields;
    s->tree.plain = !s->watch_along;
    rd_rank_tree_forget(&s->tree);
    set_level(s, 1);
}

/* All orders of the level are done. */
static void advance(struct rank *s) {
    if (s->stage == ORDERS) {
        s->ordered_done = true;
        s->covered = s->executions;
        if (s->size_max)
            begin_sets(s, 0);
        else
            begin_check(s);
        return;
    }
    if (s->tree.changes < s->changes) {
        set_level(s, s->tree.changes + 1);
        return;
    }
    uint32_t size = s->sets.size;
    bool more = rd_rank_sets_next(&s->sets, &s->vars);
    if (s->sets.size > size && s->sets.fresh == 0 && !s->all) { /* all of a size were tried */
        s->size_done = size;
        s->tried = s->vars.list.count;
        s->covered = s->executions;
    }
    if (more)
        take_set(s);
    else
        end_sets(s);
}

/* Puts those that create threads above all others, in the same order. True: that changes something. */
static bool lift(const struct rank *s, enum lift who, uint16_t *priority) {
    uint32_t of = s->perms.threads + s->perms.fragments;
    uint16_t from[RD_TID_MAX + RD_RANK_CHANGES_MAX];
    bool up[RD_TID_MAX + RD_RANK_CHANGES_MAX] = {false}, changed = false;
    memcpy(from, priority, of * sizeof *from);
    for (uint32_t i = 0; i < s->perms.threads; i++)
        up[i] =
            who == LIFT_MAIN ? s->who.at[i] == 0 : who == LIFT_CREATORS && rd_bits_has(&s->creators, s->who.at[i]);
    for (uint32_t i = 0; i < of; i++) {
        uint16_t below = 0;
        for (uint32_t k = 0; k < of; k++)
            below += up[k] != up[i] ? up[i] : from[k] < from[i];
        priority[i] = below;
        changed |= below != from[i];
    }
    return changed;
}

/* The next order. False: it is the same as one before. */
static bool take_order(struct rank *s) {
    uint16_t *to = s->tree.priority;
    rd_perms_at(&s->perms, s->order, to);
    enum lift how = s->lift;
    s->lift = s->perms.kind == RD_PERM_ALL ? LIFTS : how + 1;
    if (s->lift == LIFTS) {
        s->lift = LIFT_NOBODY;
        s->order++;
    }
    if (how == LIFT_CREATORS)
        lift(s, LIFT_MAIN, to);
    return how == LIFT_NOBODY || lift(s, how, to);
}

/* The first execution, and those that only look: in the order of creation, or in any. */
static void profile_plan(struct rank *s, struct rd_draft *d) {
    s->tree.threads = s->who.count;
    s->tree.changes = 0;
    s->perms = (struct rd_perms){s->who.count, 0, rd_hash2(s->seed, 77 + s->checks), 1, RD_PERM_RANDOM};
    rd_perms_at(&s->perms, 0, s->tree.priority);
    rd_rank_tree_begin(&s->tree);
    rd_rank_tree_next(&s->tree, d);
    d->plan.watch = RD_WATCH_PROFILE;
}

static void track(struct rank *s, struct rd_draft *d) {
    const struct rd_rank_pieces *p = s->watch_along ? &s->along : &s->set;
    d->plan.watch = RD_WATCH_AFTER;
    d->plan.track_count = p->count;
    memcpy(d->track, p->at, p->count * sizeof *p->at);
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct rank *s = state;
    if (s->random)
        return rd_search_rank_random.next(s->random, d);
    d->plan = (struct rd_plan){.picker = RD_PICK_RANK};
    if (s->stage == FIRST) {
        profile_plan(s, d);
        return RD_NEXT_RUN;
    }
    while (s->stage == ORDERS || s->stage == SETS) {
        if (rd_rank_tree_next(&s->tree, d)) {
            d->plan.watch = RD_WATCH_PROFILE;
            if (s->stage == SETS)
                track(s, d);
            return RD_NEXT_RUN;
        }
        if (s->order == s->perms.count)
            advance(s);
        else if (take_order(s))
            rd_rank_tree_begin(&s->tree);
    }
    if (s->stage == CHECK && s->checks++ < CHECKS) {
        profile_plan(s, d);
        return RD_NEXT_RUN;
    }
    if (s->stage == CHECK) {
        end_check(s);
        return s->stage == OVER ? RD_NEXT_DONE : next(state, d);
    }
    return RD_NEXT_DONE;
}

/* How often a thread has yielded, the most. */
static uint32_t most_yields(const struct rd_record *r) {
    uint16_t count[RD_TID_MAX] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        uint16_t *n = &count[r->steps[i].tid];
        *n += rd_op_flags(r->steps[i].op) & RD_F_YIELD && *n < UINT16_MAX;
        most = RD_MAX(most, *n);
    }
    return most;
}

/* What must be begun anew, because it was not known when it was begun. */
static bool surprised(struct rank *s, const struct rd_record *r) {
    uint32_t most = most_yields(r);
    bool yields = !s->yields && most > 0, spins = !s->spins && most > RD_RANK_YIELDS;
    s->yields |= yields;
    s->spins |= spins;
    bool again = rd_rank_who_add(&s->who, r) || s->stage == FIRST;
    again |= yields && s->tree.left_out; /* what was left out may not have been covered */
    again |= spins && s->stage == SETS;
    if (again)
        begin_orders(s);
    return again;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rank *s = state;
    if (s->random) {
        rd_search_rank_random.feedback(s->random, plan, r);
        return;
    }
    s->executions++;
    s->strange = s->tree.strange;
    for (uint32_t t = 1; t < r->out->threads; t++)
        rd_bits_add(&s->creators, r->threads[t].parent);
    if (plan->watch == RD_WATCH_PROFILE)
        rd_rank_vars_profile(&s->vars, r);
    else
        rd_rank_vars_note(&s->vars, r);
    if (!surprised(s, r) && s->stage != CHECK)
        rd_rank_tree_feedback(&s->tree, &s->set, r);
}

/*
 * Code that was off has made a point of the set, or the one after it. Where all shared data is watched along, sets
 * have the same points: all of them begin again. What the last execution did is no sign of anything.
 */
static void restart(void *state) {
    struct rank *s = state;
    if (s->random) {
        rd_search_rank_random.restart(s->random);
        return;
    }
    s->tree.strange = s->strange;
    if (s->stage != SETS)
        return;
    rd_rank_tree_end(&s->tree);
    if (s->watch_along)
        begin_sets(s, 0);
    else
        take_set(s);
}

static void count_words(struct rd_text *t, uint64_t n, const char *one) {
    rd_bound_count(t, n);
    rd_text_char(t, ' ');
    rd_text_str(t, one);
    rd_text_str(t, n == 1 ? "" : "s");
}

static void say_variables(const struct rank *s, struct rd_text *t) {
    rd_text_str(t, " with at most ");
    count_words(t, s->changes, "preemption");
    rd_text_str(t, " at any ");
    if (!s->all && s->size_done < s->tried) {
        rd_text_dec(t, s->size_done);
        rd_text_str(t, " of ");
    } else {
        rd_text_str(t, "of ");
    }
    count_words(t, s->tried, s->vars.privately ? "variable" : "shared variable");
    if (s->vars.left_out == 0)
        return;
    rd_text_str(t, " (of each allocation the first ");
    count_words(t, s->vars.ordinal_max + 1, "block");
    rd_text_char(t, ')');
}

static void claim(const void *state, struct rd_claim *c) {
    const struct rank *s = state;
    if (s->random) {
        rd_search_rank_random.claim(s->random, c);
        return;
    }
    *c = rd_claim_nothing();
    rd_text_copy(c->phase, sizeof c->phase, "the orders of threads and of their changes");
    struct rd_text t;
    rd_text_init(&t, c->voids, sizeof c->voids);
    if (rd_rank_who_full(&s->who))
        rd_text_str(&t, "there are more threads than can be ordered");
    else if (s->tree.strange)
        rd_text_str(&t, "the program is not deterministic");
    else if (s->vars.lost)
        rd_text_str(&t, "there are more variables than can be profiled");
    else if (s->set.too_many)
        rd_text_str(&t, "there are more variables than can be tracked at once");
    rd_text_init(&t, c->proved, sizeof c->proved);
    if (!s->ordered_done)
        return;
    bool changes = s->size_done && s->tried;
    struct rd_perms p = rd_perms_of(s->who.count, changes ? s->changes : 0, s->ordered, s->missed, s->seed);
    c->likely = p.kind == RD_PERM_RANDOM;
    rd_text_str(&t, "every order of ");
    rd_text_str(&t, s->ordered < s->who.count ? "any " : "the ");
    count_words(&t, RD_MIN(s->ordered, s->who.count), "thread");
    if (changes)
        say_variables(s, &t);
    else
        rd_text_str(&t, " without a preemption");
    rd_text_str(&t, " was run");
    if (c->likely) {
        rd_text_str(&t, ", with a probability of at least ");
        rd_text_dec(&t, 100 - s->percent);
        rd_text_str(&t, " %");
    }
    rd_text_str(&t, " (");
    count_words(&t, s->covered, "execution");
    rd_text_char(&t, ')');
}

static const char *check(const struct rd_params *params) {
    uint64_t t = rd_param_number(params, "t", 2), c = rd_param_number(params, "c", 2);
    if (c > RD_RANK_CHANGES_MAX)
        return "strategy parameter 'c' of rank must be at most 8";
    if (t < 1 || t > THREADS_MAX)
        return "strategy parameter 't' of rank must be from 1 to 8";
    if (rd_param_number(params, "e", 1) > 50)
        return "strategy parameter 'e' of rank must be at most 50 (per cent)";
    if (rd_param_number(params, "l", 0) > UINT16_MAX)
        return "strategy parameter 'l' of rank must be at most 65535";
    bool random = rd_param_given(params, "random");
    static const char *const not_random[] = {"t", "e", "all", "plain"};
    for (size_t i = 0; i < RD_COUNT(not_random); i++)
        if (random && rd_param_given(params, not_random[i]))
            return "'random' can be used with 'c', 'v', 'l' and 'private' only";
    if (random && (c < 1 || rd_param_number(params, "v", 1) < 1))
        return "'random' needs at least one change and one variable";
    if (rd_param_number(params, "v", 1) > RD_RANK_VARS_MAX)
        return "strategy parameter 'v' of rank must be at most 8";
    return rd_param_given(params, "all") && rd_param_given(params, "v") ? "'all' and 'v' cannot be used together"
                                                                        : NULL;
}

const struct rd_search rd_search_rank = {
    .name = "rank",
    .summary =
        "every order of any t=2 threads, with c=2 preemptions at any v=2 variables; l=2: later heap blocks of an "
        "allocation; e=1: per cent that may be missed; random: samples of it",
    .keys = "c# v# t# l# e# all private plain random",
    .exhaustive = true,
    .no_deadlocks = true,
    .variables = true,
    .check = check,
    .open = open_rank,
    .next = next,
    .feedback = feedback,
    .restart = restart,
    .claim = claim,
    .guarantee = "every order of the threads within the bounds was run",
};
