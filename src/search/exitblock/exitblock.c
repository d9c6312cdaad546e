/*
 * exitblock.c - a search over the orders of atomic blocks (atomic_blocks.h), after Bruening and Chapin,
 * "Systematic testing of multithreaded programs" (2000), with corrections.
 *
 * A path is a sequence of blocks. The current thread goes on until it finishes, then the one with the smallest
 * number. At the end of each block a branch is left behind in which the block's thread is *delayed*: other threads
 * go first, and the thread comes back after the next block, or (`rw`) after the first block that depends on its
 * own. Several threads can be delayed; two blocks depend on each other if one writes memory or an object that the
 * other reads or writes. When only delayed threads are left, no new order can follow, and the path ends.
 *
 * A thread that meets a lock that is not free in the middle of a block has not run that block: the execution is
 * cut, and the next one repeats the path to the start of the block and takes another thread. So a path may cost
 * several executions. If all threads are stopped in this way, the execution goes on: it shows a deadlock.
 *
 * The search states its plan as a prefix and a picker, and then compares the record with it (`walk`): where the
 * execution differs, the next one repeats it up to there. All branches that are left lie on the current path (the
 * deepest is taken first), so the path is stored once, and so are the footprints of blocks and the lists of
 * threads, which grow and shrink with the stack of branches.
 *
 * Branches are independent of each other, so workers give branches to each other (exitblock_team.c).
 */
#include "search/exitblock/exitblock_state.h"

#include "trace/held.h"

#include <string.h>

/* The position of a walk through a record: the start of a block. */
struct exitblock_walk {
    const struct rd_record *r;
    uint32_t at, delayed, blocked, limits;
    uint32_t fresh; /* as in struct rd_exitblock_branch */
    rd_tid tid;     /* the thread that runs the block, once it is decided */
    rd_tid current; /* the thread that ran the block before, if it is enabled */
    bool again, had_stop;
};

enum ending { EXIT, DIES, STOPPED, STRAYED, BROKEN };

struct block {
    enum ending ending;
    uint32_t end;
    bool takes; /* the block takes a lock */
    struct rd_event stopper;
};

static const char *check(const struct rd_params *params) {
    if (rd_param_given(params, "lock-is-write") && !rd_param_given(params, "rw"))
        return "lock-is-write needs rw: without rw, every block is tried in every order, whatever it touches";
    if (rd_param_given(params, "blocks") && rd_param_number(params, "blocks", 0) == 0)
        return "blocks=0 leaves no block of a thread: give at least 1";
    return NULL;
}

static void *open_search(struct rd_arena *a, const struct rd_params *params) {
    struct rd_exitblock_search *s = rd_arena_zero(a, sizeof *s);
    s->arena = a;
    s->rw = rd_param_given(params, "rw");
    s->dd = rd_param_given(params, "dd");
    rd_atomic_blocks_init(&s->blocks, a, params);
    rd_thread_limits_init(&s->limits, params);
    s->footprints = (struct rd_footprints){.arena = a, .blocks = &s->blocks};
    s->footprints.lock_is_write = rd_param_given(params, "lock-is-write");
    /* in a team, other workers must know each new fact before they go on */
    s->blocks.footprints = s->rw || params->team;
    if (params->team)
        rd_exitblock_join(s, params);
    return s;
}

void rd_exitblock_begin(struct rd_exitblock_search *s) {
    s->now = (struct rd_exitblock_branch){.tid = RD_TID_NONE};
    s->stack.count = s->footprints.cells.count = s->footprints.events.count = s->path.count = 0;
    s->limits.marks.count = 0;
    s->limited = false;
    s->count = (struct rd_exitblock_count){.begun = s->count.begun + 1};
    s->started = s->planned = true;
}

void rd_exitblock_drop(struct rd_exitblock_search *s) {
    rd_exitblock_begin(s);
    s->planned = false;
}

static uint64_t threads_of(const struct rd_exitblock_search *s, uint32_t list) {
    uint64_t set = 0;
    for (; list; list = s->footprints.cells.at[list - 1].next)
        if (s->footprints.cells.at[list - 1].tid < 64)
            set |= UINT64_C(1) << s->footprints.cells.at[list - 1].tid;
    return set;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct rd_exitblock_search *s = state;
    s->footprints.lock_is_write |= d->code_unseen; /* which data such code uses under a lock is not known */
    if (!s->started)
        rd_exitblock_begin(s);
    if (!s->planned) {
        if (s->stack.count == 0)
            return RD_NEXT_DONE;
        s->now = s->stack.at[--s->stack.count];
        RD_CHECK(s->now.cells <= s->footprints.cells.count && s->now.events <= s->footprints.events.count);
        RD_CHECK(s->now.delayed <= s->now.cells && s->now.blocked <= s->now.cells);
        s->footprints.cells.count = s->now.cells;
        s->footprints.events.count = s->now.events;
        s->limits.marks.count = s->now.marks;
    }
    s->planned = false;
    const struct rd_exitblock_branch *b = &s->now;
    RD_CHECK(b->length < d->prefix_max && b->length <= s->path.count);
    if (b->length)
        memcpy(d->prefix, s->path.at, b->length * sizeof *d->prefix);
    d->plan = (struct rd_plan){.prefix_count = b->length, .picker = b->let_go ? RD_PICK_STAY : RD_PICK_BLOCK};
    d->plan.ask_always = 1;
    if (b->tid != RD_TID_NONE && !b->let_go)
        d->prefix[d->plan.prefix_count++] = (struct rd_choice){.fp = b->fp, .pick = b->pick, .op = b->op};
    d->plan.seed = threads_of(s, b->delayed) | threads_of(s, b->blocked);
    return RD_NEXT_RUN;
}

/*
 * Returns the thread chosen at the start of a block, other than `except`: the current one if it is enabled, else
 * the first; only among threads that are at their limit, or among those that are not.
 */
static rd_tid choose_at(const struct rd_exitblock_search *s, const struct exitblock_walk *w, rd_tid except,
                        bool over) {
    const struct rd_step *p = &w->r->steps[w->at];
    rd_tid best = RD_TID_NONE;
    bool best_late = true;
    for (uint32_t i = 0; i < p->ncand; i++) {
        rd_tid t = w->r->cands[p->cand + i];
        bool late = i < RD_LATE_MAX && p->only_times_out >> i & 1;
        if (t == except || rd_footprints_has(&s->footprints, w->delayed, t) ||
            rd_footprints_has(&s->footprints, w->blocked, t) ||
            rd_thread_limits_over(&s->limits, w->limits, t) != over)
            continue;
        if (t == w->current && !late)
            return t;
        if (best == RD_TID_NONE || (best_late && !late)) {
            best = t;
            best_late = late;
        }
    }
    return best;
}

/*
 * The same for the next block of the path. Delayed threads come back only after other threads that are not at their
 * limits, so that no thread goes on beyond its limit while some are delayed.
 */
static rd_tid choose(const struct rd_exitblock_search *s, const struct exitblock_walk *w) {
    rd_tid t = choose_at(s, w, RD_TID_NONE, false);
    return t == RD_TID_NONE && !w->delayed && rd_thread_limits_any(&s->limits) ? choose_at(s, w, RD_TID_NONE, true)
                                                                               : t;
}

/* ---- one block ---- */

static bool is_cand(const struct rd_record *r, uint32_t at, rd_tid tid) {
    for (uint32_t i = 0; i < r->steps[at].ncand; i++)
        if (r->cands[r->steps[at].cand + i] == tid)
            return true;
    return false;
}

/* Returns how the block ends when its thread does not go on at step `at`. */
static struct block held_up(const struct rd_record *r, uint32_t at, rd_tid tid, bool born) {
    uint32_t n = at;
    while (n < r->out->steps && (r->steps[n].tid != tid || rd_op_flags(r->steps[n].op) & RD_F_VALUE))
        n++;
    bool later = n < r->out->steps;
    struct block b = {.ending = EXIT, .end = at};
    if (!later && tid < r->out->threads && r->threads[tid].state == RD_T_FINISHED) {
        b.ending = DIES;
        return b;
    }
    const struct rd_op *op = &r->threads[tid].pending;
    bool broken = at == r->out->steps && r->out->verdict != RD_CUT && r->out->verdict != RD_DROPPED &&
                  r->out->finding.kind != RD_DEADLOCK;
    if (broken || tid >= r->out->threads)
        b.ending = BROKEN;
    else if (rd_atomic_blocks_end_before(later ? r->steps[n].op : op->kind,
                                         later ? r->steps[n].timed : op->deadline != 0, born))
        b.ending = EXIT;
    else if ((at < r->out->steps || r->out->verdict == RD_CUT) && is_cand(r, at, tid))
        b.ending = STRAYED;
    else {
        b.ending = STOPPED;
        b.stopper = later ? rd_event_of_step(&r->steps[n]) : rd_event_of_pending(tid, op);
    }
    return b;
}

static struct block read_block(const struct rd_exitblock_search *s, const struct exitblock_walk *w) {
    const struct rd_record *r = w->r;
    rd_tid tid = r->steps[w->at].tid;
    bool born = false, takes = false;
    for (uint32_t i = w->at;; i++) {
        const struct rd_step *p = &r->steps[i];
        if (i == r->out->steps || p->tid != tid) {
            struct block b = held_up(r, i, tid, born);
            b.takes = takes;
            return b;
        }
        rd_place lock;
        enum rd_lock_change change = rd_lock_change(p, &lock);
        takes |= (change == RD_LOCK_TAKEN || change == RD_LOCK_SHARED) && !rd_atomic_blocks_private(&s->blocks, p);
        if (p->flags & RD_STEP_FORCED)
            return (struct block){.ending = BROKEN, .end = i};
        if (i > w->at && !(rd_op_flags(p->op) & RD_F_VALUE) && rd_atomic_blocks_end_before(p->op, p->timed, born))
            return (struct block){.ending = EXIT, .end = i};
        enum rd_block_kind kind = rd_atomic_blocks_kind(&s->blocks, p);
        born |= kind == RD_BLOCK_BIRTH;
        if (kind != RD_BLOCK_EXIT)
            continue;
        while (i + 1 < r->out->steps && rd_op_flags(r->steps[i + 1].op) & RD_F_VALUE)
            i++;
        return (struct block){.ending = EXIT, .end = i + 1};
    }
}

/* ---- branches ---- */

static struct rd_exitblock_branch branch_at(const struct rd_exitblock_search *s, const struct exitblock_walk *w,
                                            rd_tid tid) {
    RD_CHECK(w->at <= s->path.count);
    struct rd_exitblock_branch b = {.start = w->at, .length = w->at, .delayed = w->delayed, .blocked = w->blocked};
    b.limits = w->limits;
    b.marks = s->limits.marks.count;
    b.tid = tid;
    b.pick = tid;
    b.fp = w->r->steps[w->at].fp;
    b.fresh = w->fresh;
    b.again = w->again;
    b.had_stop = w->had_stop;
    b.cells = s->footprints.cells.count;
    b.events = s->footprints.events.count;
    return b;
}

/* Leaves the branch in which the thread of this block is delayed, if another thread can be chosen. */
static void leave_delay(struct rd_exitblock_search *s, const struct exitblock_walk *w,
                        const struct rd_cell *block) {
    rd_tid other = choose_at(s, w, block->tid, false);
    if (w->again || other == RD_TID_NONE)
        return;
    uint32_t delayed = rd_footprints_add(&s->footprints, w->delayed, *block);
    struct rd_exitblock_branch b = branch_at(s, w, other);
    b.delayed = delayed;
    b.had_stop = false;
    rd_vec_push(s->arena, &s->stack, b);
}

/*
 * Leaves a branch with the next alternative of each choice inside the block that was made here for the first time.
 */
static void leave_choices(struct rd_exitblock_search *s, const struct exitblock_walk *w, uint32_t end) {
    for (uint32_t i = RD_MAX(w->at, w->fresh); i < end; i++) {
        const struct rd_step *p = &w->r->steps[i];
        if (!(rd_op_flags(p->op) & RD_F_VALUE) || p->flags & RD_STEP_FORCED || p->value + 1 >= p->ncand)
            continue;
        struct rd_exitblock_branch b = branch_at(s, w, w->r->steps[w->at].tid);
        b.length = b.fresh = i;
        b.fp = p->fp;
        b.op = p->op;
        b.pick = (uint16_t)(p->value + 1);
        b.again = true;
        rd_vec_push(s->arena, &s->stack, b);
    }
}

static void plan(struct rd_exitblock_search *s, struct rd_exitblock_branch b) {
    RD_CHECK(!s->planned && b.start <= b.length && b.length <= s->path.count);
    s->now = b;
    s->planned = true;
}

static void end_path(struct rd_exitblock_search *s, const struct exitblock_walk *w) {
    s->count.paths++;
    s->count.aborted += w->had_stop;
    RD_CHECK(w->at <= w->r->out->steps);
    bool over = w->at >= w->r->out->steps && w->r->out->verdict != RD_CUT;
    s->count.pruned += w->delayed && !w->had_stop && !over;
    s->count.length = w->at;
}

/* No thread is left to choose: lets the execution go on to a deadlock, or ends the path. */
static void no_thread_left(struct rd_exitblock_search *s, const struct exitblock_walk *w) {
    if (w->blocked && !w->delayed) {
        struct rd_exitblock_branch b = branch_at(s, w, RD_TID_NONE);
        b.let_go = true;
        plan(s, b);
        return;
    }
    end_path(s, w);
}

/* The last operation of a block of steps [from, to). */
static const struct rd_step *last_step(const struct rd_record *r, uint32_t from, uint32_t to) {
    while (to - 1 > from && rd_op_flags(r->steps[to - 1].op) & RD_F_VALUE)
        to--;
    return &r->steps[to - 1];
}

/* The block is complete: leaves its branches, and wakes threads that it lets go on. */
static void pass_block(struct rd_exitblock_search *s, struct exitblock_walk *w, const struct block *b) {
    bool dies = b->ending == DIES;
    rd_tid tid = w->r->steps[w->at].tid;
    bool over = rd_thread_limits_over(&s->limits, w->limits, tid);
    bool boundary = !over && (!dies || b->takes || s->blocks.deaths);
    s->limited |= over;
    RD_CHECK(b->end > w->at && b->end <= w->r->out->steps);
    struct rd_cell itself, block = rd_footprints_block(&s->footprints, w->r, w->at, b->end, &itself);
    if (b->ending == BROKEN)
        rd_footprints_widen(&s->footprints, &block);
    if (boundary)
        leave_delay(s, w, &block);
    if (!over)
        leave_choices(s, w, b->end);
    if (boundary)
        w->delayed = s->rw ? rd_footprints_unrelated(&s->footprints, w->delayed, &itself) : 0;
    w->blocked = rd_footprints_stopped(&s->footprints, w->blocked, w->r, w->at, b->end, dies, &itself);
    w->limits = rd_thread_limits_block(&s->limits, s->arena, w->limits, last_step(w->r, w->at, b->end));
    w->current = dies ? RD_TID_NONE : tid;
    w->at = b->end;
    w->tid = RD_TID_NONE;
    w->again = false;
}

/* Walks through the execution as far as it follows the plan. */
static void walk(struct rd_exitblock_search *s, struct exitblock_walk *w) {
    const struct rd_outcome *o = w->r->out;
    for (;;) {
        bool end = w->at >= o->steps;
        if ((end && o->verdict != RD_CUT) || (!end && w->r->steps[w->at].flags & RD_STEP_FORCED)) {
            end_path(s, w);
            return;
        }
        if (w->tid == RD_TID_NONE)
            w->tid = choose(s, w);
        if (w->tid == RD_TID_NONE) {
            no_thread_left(s, w);
            return;
        }
        if (end || w->r->steps[w->at].tid != w->tid) {
            plan(s, branch_at(s, w, w->tid));
            return;
        }
        struct block b = read_block(s, w);
        if (b.ending == STRAYED) {
            struct rd_exitblock_branch more = branch_at(s, w, w->tid);
            more.length = b.end;
            more.fp = w->r->steps[b.end].fp;
            plan(s, more);
            return;
        }
        if (b.ending == STOPPED) { /* the thread was stopped in the block, which therefore does not count as run */
            struct rd_cell c = rd_footprints_stop(&s->footprints, w->r, w->at, b.end, w->tid, &b.stopper);
            s->blocks.footprints = true; /* for all executions from now on */
            w->blocked = rd_footprints_add(&s->footprints, w->blocked, c);
            w->tid = w->current = RD_TID_NONE;
            w->again = false;
            w->had_stop = true;
            continue;
        }
        pass_block(s, w, &b);
    }
}

static void feedback(void *state, const struct rd_plan *p, const struct rd_record *r) {
    struct rd_exitblock_search *s = state;
    (void)p;
    s->ended |= r->out->verdict == RD_FOUND && r->out->finding.kind != RD_DEADLOCK;
    s->stuck |= r->out->verdict == RD_FOUND && r->out->finding.kind == RD_DEADLOCK;
    bool news = rd_atomic_blocks_learn(&s->blocks, r);
    if (s->team && !rd_exitblock_agree(s, news))
        return;
    if (!s->team && news) {
        rd_exitblock_begin(s);
        return;
    }
    uint32_t steps = r->out->steps;
    s->path.count = RD_MIN(s->path.count, steps);
    while (s->path.count < steps)
        rd_vec_push(s->arena, &s->path, (struct rd_choice){0});
    if (steps)
        rd_choices_of_steps(s->path.at, r->steps, steps);
    struct exitblock_walk w = {.r = r, .at = s->now.start, .delayed = s->now.delayed, .blocked = s->now.blocked};
    w.tid = s->now.tid;
    w.limits = s->now.limits;
    w.fresh = s->now.fresh;
    w.current = RD_TID_NONE;
    w.again = s->now.again;
    w.had_stop = s->now.had_stop;
    if (s->now.let_go)
        end_path(s, &w);
    else
        walk(s, &w);
}

struct rd_exitblock_count rd_exitblock_count(const void *state) {
    return ((const struct rd_exitblock_search *)state)->count;
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = rd_exitblock_level,
    .give = rd_exitblock_give,
    .take = rd_exitblock_take,
    .tally = rd_exitblock_tally,
    .merge = rd_exitblock_merge,
};

const struct rd_search rd_search_exitblock = {
    .name = "exitblock",
    .summary = "every order of the atomic blocks between lock exits; rw: only those that touch the same data; dd: "
               "finds lock cycles",
    .keys = "rw dd lock-is-write blocks# trust= within=",
    .guarantee =
        {.sentence = "no assertion can fail, as long as shared data is used under locks: every order of the blocks "
                     "between lock exits was covered; only dd without rw tells about deadlocks",
         .exhaustive = true,
         .misses_deadlocks = true},
    .open = open_search,
    .next = next,
    .feedback = feedback,
    .claim = rd_exitblock_claim,
    .hooks = {.check = check, .predict = rd_exitblock_predict},
    .team = &team_ops,
};
