/*
 * rank.c - variable and thread bounding (Bindal, Bansal and Lal, "Variable and thread bounding for systematic
 * testing of multithreaded programs", ISSTA 2013): executions by strict priorities (pick/rank.c) that change at
 * most c times, after accesses to the variables of a set of v variables. The search runs so many orders of the
 * priorities that every order of any t threads, and of the fragments into which the changes divide them, is among
 * these.
 *
 * The search proceeds in stages (rank_stages.h): orders of priorities without a change, sets of variables, a
 * check.
 *
 * Which of two threads runs first is decided only when both exist. So each order of priorities is also run with
 * the main thread, and with all threads that create others, above the rest (unless all orders are run anyway).
 *
 * Differences from the paper: priorities are those of n + c fragments (the paper's listing has n (c + 1)). A
 * change is left out only if the order of all threads that are alive stays the same, not only the order of the
 * enabled ones: a thread that is blocked now may be next. Covered continuations are found by the key of
 * rank_tree.h. Accesses to shared data are part of that key even if the data is not in the set; if an execution
 * shows later that data is shared, all sets are searched again.
 */
#include "search/rank/rank_stages.h"

#include <string.h>

/* The threads that are put above all others. */
enum lift { LIFT_NONE, LIFT_MAIN, LIFT_CREATORS, LIFTS };
enum { CHECKS = 3, THREADS_MAX = 8 };

static void *open_rank(struct rd_arena *a, const struct rd_params *params) {
    struct rd_rank *s = rd_arena_zero(a, sizeof *s);
    s->arena = s->own.known.vars.arena = s->seen.vars.arena = s->tree.arena = a;
    s->seed = params->seed;
    s->bounds.changes = (uint32_t)rd_param_number(params, "c", 2);
    s->bounds.size_max = (uint32_t)RD_MIN(rd_param_number(params, "v", 2), (uint64_t)s->bounds.changes);
    s->bounds.all = rd_param_given(params, "all");
    s->ordered = (uint32_t)rd_param_number(params, "t", 2);
    s->percent = (uint32_t)rd_param_number(params, "e", 1);
    s->missed = s->percent / 100.0;
    s->plain = rd_param_given(params, "plain");
    s->seen.vars.ordinal_max = s->own.known.vars.ordinal_max = (uint32_t)rd_param_number(params, "l", 2);
    s->seen.vars.private_too = s->own.known.vars.private_too = rd_param_given(params, "private");
    s->set.at = rd_arena_alloc(a, RD_TRACKS_MAX * sizeof *s->set.at);
    s->along.at = rd_arena_alloc(a, RD_TRACKS_MAX * sizeof *s->along.at);
    s->course = &s->own;
    s->team = params->team;
    if (s->team)
        rd_rank_join(s);
    else
        rd_rank_enter(s);
    return s;
}

/* Adds news (a set of enum rd_rank_news), for this worker and its team. */
static void tell(struct rd_rank *s, uint32_t news) {
    s->news |= news;
    if (s->team)
        rd_rank_tell(s, news);
}

/* ---- the units of a stage ---- */

/* Sets the number of changes, and the orders of priorities for it. */
static void set_level(struct rd_rank *s, uint32_t changes) {
    uint32_t threads = s->course->known.threads.count;
    RD_CHECK(changes <= s->bounds.changes);
    s->tree.threads = threads;
    s->tree.changes = changes;
    s->perms = rd_permutations_of(threads, changes, s->ordered, s->missed, s->seed);
    s->tree.free = s->perms.kind == RD_PERMUTATION_ALL && changes > 0 && !s->plain && !s->course->known.spins;
    if (s->tree.free)
        s->perms = rd_permutations_of(threads, 0, s->ordered, 0, s->seed);
}

static uint32_t lifts(const struct rd_rank *s) { return s->perms.kind == RD_PERMUTATION_ALL ? 1 : LIFTS; }

static uint64_t orders(const struct rd_rank *s) {
    return s->perms.count > UINT64_MAX / LIFTS ? UINT64_MAX : s->perms.count * lifts(s);
}

void rd_rank_enter(struct rd_rank *s) {
    const struct rd_rank_course *k = s->course;
    rd_rank_tree_end(&s->tree);
    s->tree.tids = k->known.threads.at;
    s->tree.plain = true; /* orders are profiled, so every one is run */
    s->news = 0;
    s->unit = s->set_number = s->per_set = 0;
    s->sets = rd_rank_sets_begin(s->bounds.size_max, k->fresh, s->bounds.all);
    if (!s->bounds.all)
        s->sets.size = s->sets.size_max = k->size;
    if (k->stage == RD_RANK_OVER)
        return;
    set_level(s, 0);
    s->per_level[0] = orders(s);
    for (uint32_t i = 1; i <= s->bounds.changes; i++) {
        set_level(s, i);
        s->per_level[i] = orders(s);
        s->per_set = s->per_set > UINT64_MAX - s->per_level[i] ? UINT64_MAX : s->per_set + s->per_level[i];
    }
}

/* Puts the lifted threads above all others, and keeps their order. Returns whether that changes the priorities. */
static bool lift(const struct rd_rank *s, enum lift lifted, uint16_t *priority) {
    const struct rd_rank_known *known = &s->course->known;
    uint32_t of = s->perms.threads + s->perms.fragments;
    uint16_t from[RD_TID_MAX + RD_RANK_CHANGES_MAX];
    bool up[RD_TID_MAX + RD_RANK_CHANGES_MAX] = {false}, changed = false;
    memcpy(from, priority, of * sizeof *from);
    for (uint32_t i = 0; i < s->perms.threads; i++)
        up[i] = lifted == LIFT_MAIN
                    ? known->threads.at[i] == 0
                    : lifted == LIFT_CREATORS && rd_bits_has(&known->creators, known->threads.at[i]);
    for (uint32_t i = 0; i < of; i++) {
        uint16_t below = 0;
        for (uint32_t k = 0; k < of; k++)
            below += up[k] != up[i] ? up[i] : from[k] < from[i];
        priority[i] = below;
        changed |= below != from[i];
    }
    return changed;
}

/* Takes the order with this number. Returns false if it is equal to one before. */
static bool take_order(struct rd_rank *s, uint32_t changes, uint64_t number) {
    uint16_t *to = s->tree.priority;
    set_level(s, changes);
    rd_permutations_at(&s->perms, number / lifts(s), to);
    enum lift how = (enum lift)(number % lifts(s));
    if (how == LIFT_CREATORS)
        lift(s, LIFT_MAIN, to);
    return how == LIFT_NONE || lift(s, how, to);
}

static void take_set(struct rd_rank *s) {
    const struct rd_rank_known *k = &s->course->known;
    rd_rank_pieces_of(&s->sets, &k->vars, &s->set);
    bool fits = rd_rank_pieces_along(&s->set, &k->vars, &s->along);
    s->watch_along = fits && !s->plain && !k->yields;
    s->seen.too_many |= s->set.too_many;
    s->tree.plain = !s->watch_along;
    s->tree.common = s->team ? &s->visited : NULL;
    s->tree.salt = rd_hash2(s->phase, s->set_number);
    rd_rank_tree_forget(&s->tree);
}

/* Goes on to the set with this number. Returns false if there are not so many. */
static bool reach_set(struct rd_rank *s, uint64_t number) {
    if (s->set_number == number + 1)
        return true;
    while (s->set_number <= number) {
        if (!rd_rank_sets_next(&s->sets, &s->course->known.vars)) {
            tell(s, RD_RANK_NO_MORE);
            return false;
        }
        s->set_number++;
    }
    RD_CHECK(s->set_number == number + 1); /* numbers of sets only increase within a stage */
    take_set(s);
    return true;
}

/* Begins the unit with this number. Returns false if there are not so many. */
static bool take_unit(struct rd_rank *s, uint64_t number) {
    uint32_t changes = 0;
    if (s->course->stage == RD_RANK_ORDERS && number >= s->per_level[0])
        return false;
    if (s->course->stage == RD_RANK_SETS) {
        RD_CHECK(s->per_set > 0);
        uint64_t set = number / s->per_set;
        if (set >= RD_RANK_SETS_MAX || !reach_set(s, s->course->sets_before + set))
            return false;
        number %= s->per_set;
        for (changes = 1; number >= s->per_level[changes]; changes++)
            number -= s->per_level[changes];
    }
    if (take_order(s, changes, number))
        rd_rank_tree_begin(&s->tree);
    return true;
}

/*
 * Plans an execution of the stages `first` or `check`, which only profiles. The first one has the order of
 * creation, as no thread is known yet; each other one draws an order. Returns false if all of them were run.
 */
static bool take_profile(struct rd_rank *s, uint64_t number, struct rd_draft *d) {
    bool first = s->course->stage == RD_RANK_FIRST;
    RD_CHECK(first || s->course->stage == RD_RANK_CHECK);
    if (number >= (first ? 1 : CHECKS))
        return false;
    uint32_t threads = s->course->known.threads.count;
    s->tree.threads = threads;
    s->tree.changes = 0;
    s->perms = (struct rd_permutations){threads, 0, rd_hash2(s->seed, 77 + (first ? 0 : number + 1)), 1,
                                        RD_PERMUTATION_RANDOM};
    rd_permutations_at(&s->perms, 0, s->tree.priority);
    rd_rank_tree_begin(&s->tree);
    rd_rank_tree_next(&s->tree, d);
    d->plan.access_points = RD_ACCESSES_PROFILE;
    return true;
}

/* ---- the search ---- */

static void track(struct rd_rank *s, struct rd_draft *d) {
    const struct rd_rank_pieces *p = s->watch_along ? &s->along : &s->set;
    d->plan.access_points = RD_ACCESSES_AFTER;
    d->plan.track_count = p->count;
    memcpy(d->track, p->at, p->count * sizeof *p->at);
}

/* Plans the next execution of this stage. Returns false if this worker has none left. */
static bool go_on(struct rd_rank *s, struct rd_draft *d) {
    bool profiles = s->course->stage == RD_RANK_FIRST || s->course->stage == RD_RANK_CHECK;
    while (!((s->team ? rd_rank_told(s) : s->news) & RD_RANK_AGAIN)) {
        if (!profiles && rd_rank_tree_next(&s->tree, d)) {
            d->plan.access_points = RD_ACCESSES_PROFILE;
            if (s->course->stage == RD_RANK_SETS)
                track(s, d);
            return true;
        }
        uint64_t number = s->team ? rd_rank_draw(s) : s->unit++;
        if (number == UINT64_MAX)
            return false;
        if (profiles)
            return take_profile(s, number, d);
        if (!take_unit(s, number))
            return false;
    }
    return false;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct rd_rank *s = state;
    d->plan = (struct rd_plan){.picker = RD_PICK_RANK};
    if (s->team)
        rd_rank_tell_nondeterministic(
            s); /* only now is it known whether the last execution counts: see restart_set */
    for (;;) {
        if (s->team)
            rd_rank_follow(s);
        if (!s->arrived && s->course->stage == RD_RANK_OVER)
            return RD_NEXT_DONE; /* a worker that waits must not read the course: others may be changing it */
        if (go_on(s, d))
            return RD_NEXT_RUN;
        if (!s->team) {
            rd_rank_course_next(&s->own, &s->bounds, &s->seen, s->news, s->executions);
            rd_rank_enter(s);
            continue;
        }
        rd_rank_tree_end(&s->tree);
        enum rd_next then = rd_rank_arrive(s);
        if (then != RD_NEXT_RUN)
            return then;
    }
}

/* Returns how often the thread that yields most has yielded. */
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

/*
 * Returns whether all stages must begin again, because the execution shows facts that were not known when this
 * stage began.
 */
static bool surprised(struct rd_rank *s, const struct rd_record *r) {
    const struct rd_rank_course *k = s->course;
    uint32_t most = most_yields(r);
    bool yields = !k->known.yields && most > 0, spins = !k->known.spins && most > RD_RANK_YIELDS;
    s->seen.yields |= yields;
    s->seen.spins |= spins;
    bool again = rd_rank_threads_add(&s->seen.threads, r) && k->stage != RD_RANK_FIRST;
    /* executions that were left out may not have been covered */
    again |= yields && (s->seen.left_out || (k->stage == RD_RANK_SETS && !s->plain));
    again |= spins && k->stage == RD_RANK_SETS;
    if (again)
        tell(s, RD_RANK_AGAIN_ALL);
    return again;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rd_rank *s = state;
    enum rd_rank_stage stage = s->course->stage;
    s->executions++;
    s->nondeterministic = s->tree.nondeterministic;
    for (uint32_t t = 1; t < r->out->threads; t++)
        rd_bits_add(&s->seen.creators, r->threads[t].parent);
    if (plan->access_points == RD_ACCESSES_PROFILE)
        rd_rank_vars_profile(&s->seen.vars, r);
    else
        rd_rank_vars_note(&s->seen.vars, r);
    if (!surprised(s, r) && (stage == RD_RANK_ORDERS || stage == RD_RANK_SETS))
        rd_rank_tree_feedback(&s->tree, &s->set, r);
    s->seen.left_out |= s->tree.left_out > 0;
}

/*
 * Begins the set again: code that was switched off has touched the tracked variables. If all shared data is
 * tracked along with each set, this concerns all sets: all of them begin again. The last execution does not count.
 */
static void restart(void *state) {
    struct rd_rank *s = state;
    s->tree.nondeterministic = s->nondeterministic;
    if (s->course->stage != RD_RANK_SETS)
        return;
    rd_rank_tree_end(&s->tree);
    if (s->watch_along || s->team) { /* other workers are, or were, at the same set */
        tell(s, RD_RANK_AGAIN_SETS);
        return;
    }
    RD_CHECK(s->set_number > s->course->sets_before);
    s->unit = (s->set_number - 1 - s->course->sets_before) * s->per_set;
    take_set(s);
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

static const struct rd_search *as(const struct rd_params *params) {
    return rd_param_given(params, "random") ? &rd_search_rank_random : NULL;
}

/*
 * The tally is empty: a worker has shared its facts when it arrived. Only its last execution may have shown that
 * the program is not deterministic.
 */
static size_t tally(const void *state, void *to, size_t room) {
    const struct rd_rank *s = state;
    rd_rank_tell_nondeterministic(s);
    (void)to;
    (void)room;
    return 0;
}

static void merge(void *state, const void *from, size_t size) {
    (void)state;
    (void)from;
    (void)size;
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TREE, .tally = tally, .merge = merge};

const struct rd_search rd_search_rank = {
    .name = "rank",
    .summary =
        "every order of any t=2 threads, with c=2 preemptions at any v=2 variables; l=2: later heap blocks of an "
        "allocation; e=1: per cent that may be missed; random: samples of it",
    .keys = "c# v# t# l# e# all private plain random",
    .guarantee = {.sentence = "every order of the threads within the bounds was run",
                  .exhaustive = true,
                  .misses_deadlocks = true},
    .profiles_memory = true,
    .open = open_rank,
    .next = next,
    .feedback = feedback,
    .claim = rd_rank_claim,
    .hooks = {.check = check, .variant = as, .restart_set = restart},
    .team = &team_ops,
};
