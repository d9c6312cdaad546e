/* hb_graph.c - see hb_graph.h. */
#include "search/por/hb_graph.h"

#include "base/lanes.h"

#include <string.h>

/*
 * SCRATCH_KEPT: a graph that has used more bytes is built anew, without the common prefix; BLOCK: steps that are
 * compared at once.
 */
enum { SCRATCH_KEPT = 64 << 20, BLOCK = 16 };

void rd_hb_graph_open(struct rd_hb_graph *t, struct rd_arena *a) {
    size_t size = (a->size - a->used) / 4 & ~(size_t)4095;
    rd_arena_init(&t->scratch, rd_arena_alloc(a, size), size);
    a->lent += size;
    t->reused = true;
}

static void start(struct rd_hb_graph *t, uint32_t threads) {
    *t = (struct rd_hb_graph){.scratch = t->scratch,
                              .reused = t->reused,
                              .nearest = t->nearest,
                              .threads = threads,
                              .asked = t->asked,
                              .undirected = t->undirected};
    rd_arena_reset(&t->scratch);
    t->stride = (threads + RD_LANES - 1) / RD_LANES * RD_LANES;
    t->thread = rd_arena_zero(&t->scratch, t->stride * sizeof *t->thread);
    for (uint32_t i = 0; i < t->stride; i++) {
        t->thread[i].creator = RD_HB_GRAPH_NONE;
        rd_vec_push(&t->scratch, &t->things, 0);
    }
}

void rd_hb_graph_forget(struct rd_hb_graph *t) { t->stride = 0; }

/*
 * Returns the number of first steps that are equal in this execution and in the last one. The common part never
 * ends between an operation and the choices inside it.
 */
static uint32_t same_steps(const struct rd_hb_graph *t, const struct rd_record *r) {
    uint32_t n = RD_MIN(t->steps.count, r->out->steps), same = 0;
    while (same + BLOCK <= n && memcmp(&t->steps.at[same], &r->steps[same], BLOCK * sizeof *r->steps) == 0)
        same += BLOCK;
    while (same < n && memcmp(&t->steps.at[same], &r->steps[same], sizeof *r->steps) == 0)
        same++;
    while (same > 0 && ((same < t->steps.count && rd_step_is_way(&t->steps.at[same])) ||
                        (same < r->out->steps && rd_step_is_way(&r->steps[same]))))
        same--;
    return same;
}

/* Removes the events of all steps after the first `steps` ones. */
static void keep_common(struct rd_hb_graph *t, uint32_t steps) {
    RD_CHECK(steps <= t->steps.count && t->steps.count == t->of_step.count);
    uint32_t events = steps < t->steps.count ? t->of_step.at[steps] : t->count;
    rd_hb_graph_part(t, events);
    while (t->all > events) {
        const struct rd_event *e = &t->at[--t->all].e;
        t->thread[e->tid].count--;
        if (t->all < t->count && e->op == RD_OP_CREATE && e->target != RD_TID_NONE)
            t->thread[e->target].creator = RD_HB_GRAPH_NONE;
    }
    t->count = t->kept = events;
    t->steps.count = t->of_step.count = steps;
}

/* Makes room for one more event and its clock. */
static void make_room(struct rd_hb_graph *t) {
    if (t->all < t->room)
        return;
    uint32_t room = RD_MAX(t->room * 2, 64u);
    struct rd_hb_graph_event *at = rd_arena_alloc(&t->scratch, room * sizeof *at);
    uint32_t *clocks = rd_arena_alloc(&t->scratch, (size_t)room * t->stride * sizeof *clocks);
    if (t->all) {
        memcpy(at, t->at, t->all * sizeof *at);
        memcpy(clocks, t->clocks, (size_t)t->count * t->stride * sizeof *clocks);
    }
    t->at = at;
    t->clocks = clocks;
    t->room = room;
}

static struct rd_hb_graph_event *push(struct rd_hb_graph *t, rd_tid tid) {
    RD_ASSERT(tid < t->stride);
    struct rd_hb_graph_thread *own = &t->thread[tid];
    make_room(t);
    struct rd_hb_graph_event *x = &t->at[t->all];
    x->marked = 0;
    x->way = -1;
    x->index = own->count + 1;
    x->prev = own->count ? own->at[own->count - 1] : own->creator;
    rd_vec_push(&t->scratch, own, t->all);
    t->all++;
    return x;
}

/*
 * Sets the clock of the last event: the maximum of the clock of its thread's previous event and the clocks of its
 * racing events.
 */
static void set_clock(struct rd_hb_graph *t) {
    struct rd_hb_graph_event *x = &t->at[t->count - 1];
    uint32_t *to = &t->clocks[(size_t)(t->count - 1) * t->stride];
    if (x->prev == RD_HB_GRAPH_NONE)
        memset(to, 0, t->stride * sizeof *to);
    else
        memcpy(to, rd_hb_graph_clock(t, x->prev), t->stride * sizeof *to);
    x->after = x->prev + 1; /* NONE + 1 is 0 */
    for (uint32_t k = x->racing; k < t->racing.count; k++) {
        const struct rd_hb_graph_event *other = &t->at[t->racing.at[k]];
        x->after = RD_MAX(x->after, t->racing.at[k] + 1);
        if (to[other->e.tid] < other->index)
            rd_lanes_max(to, rd_hb_graph_clock(t, t->racing.at[k]), t->stride);
    }
    RD_ASSERT(to[x->e.tid] == x->index - 1 && x->after < t->count);
    to[x->e.tid] = x->index;
}

static void add_event(struct rd_hb_graph *t, const struct rd_step *s, uint32_t step) {
    struct rd_hb_graph_event *x = push(t, s->tid);
    rd_event_set_step(&x->e, s);
    x->sign = rd_event_sign(&x->e);
    x->step = step;
    x->timed = s->timed;
    t->undirected |= s->op == RD_OP_SIGNAL_SEND && x->e.target == RD_TID_NONE;
    t->count++;
    rd_hb_graph_meet(t);
    set_clock(t);
    rd_hb_graph_note(t);
    if (s->op == RD_OP_CREATE && x->e.target != RD_TID_NONE)
        t->thread[x->e.target].creator = t->count - 1;
}

static void add_pending(struct rd_hb_graph *t, const struct rd_record *r) {
    for (uint32_t i = 0; i < r->out->threads; i++) {
        const struct rd_thread_info *info = &r->threads[i];
        if (info->state != RD_T_READY || info->pending.kind == RD_OP_NONE)
            continue;
        struct rd_hb_graph_event *x = push(t, (rd_tid)i);
        x->e = rd_event_of_pending((rd_tid)i, &info->pending);
        x->sign = rd_event_sign(&x->e);
        x->timed = info->pending.deadline != 0;
        x->step = r->out->steps;
        rd_hb_graph_meet(t);
    }
}

void rd_hb_graph_build(struct rd_hb_graph *t, const struct rd_record *r) {
    uint32_t same = t->stride ? same_steps(t, r) : 0, threads = RD_MAX(r->out->threads, 1u);
    for (uint32_t i = same; i < r->out->steps; i++) {
        threads = RD_MAX(threads, (uint32_t)r->steps[i].tid + 1);
        if (r->steps[i].op == RD_OP_CREATE && r->steps[i].value < RD_TID_MAX)
            threads = RD_MAX(threads, (uint32_t)r->steps[i].value + 1);
    }
    if (threads > t->stride || t->scratch.used > SCRATCH_KEPT) {
        start(t, threads);
        same = 0;
    }
    keep_common(t, same);
    t->threads = RD_MAX(t->threads, threads);
    t->record = r;
    for (uint32_t i = same; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s))
            t->at[t->count - 1].way = (int32_t)s->value;
        else
            add_event(t, s, i);
        rd_vec_push(&t->scratch, &t->of_step, t->count - 1);
        rd_vec_push(&t->scratch, &t->steps, *s);
    }
    RD_CHECK(t->of_step.count == r->out->steps && t->count <= r->out->steps);
    add_pending(t, r);
    RD_CHECK(t->all - t->count <= r->out->threads);
}

uint32_t rd_hb_graph_next(const struct rd_hb_graph *t, rd_tid tid, uint32_t step) {
    if (tid >= t->threads)
        return RD_HB_GRAPH_NONE;
    const struct rd_hb_graph_thread *own = &t->thread[tid];
    uint32_t low = 0, high = own->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->at[own->at[middle]].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < own->count ? own->at[low] : RD_HB_GRAPH_NONE;
}

bool rd_hb_graph_enabled(const struct rd_hb_graph *t, rd_tid tid, uint32_t step) {
    const struct rd_step *s = &t->record->steps[step];
    for (uint32_t i = 0; i < s->ncand; i++)
        if (t->record->cands[s->cand + i] == tid)
            return true;
    return false;
}

static bool releases(unsigned op) {
    return op == RD_OP_MUTEX_UNLOCK || op == RD_OP_SPIN_UNLOCK || op == RD_OP_COND_WAIT;
}

/* Returns whether b needs the effect of a in every execution: a releases the lock that b acquires, or the like. */
static bool needs(const struct rd_event *b, const struct rd_event *a) {
    switch (b->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
        return releases(a->op);
    case RD_OP_COND_WAKE: /* else the thread acquires its mutex later, by an operation of its own */
        return b->touch[1] && releases(a->op);
    case RD_OP_RWLOCK_RDLOCK:
        return a->op == RD_OP_RWLOCK_UNLOCK && a->touch[0] == RD_TOUCH_WRITE;
    case RD_OP_RWLOCK_WRLOCK:
        return a->op == RD_OP_RWLOCK_UNLOCK;
    case RD_OP_ONCE_BEGIN:
        return a->op == RD_OP_ONCE_END;
    case RD_OP_BARRIER_LEAVE:
        return a->op == RD_OP_BARRIER_ARRIVE;
    case RD_OP_FUTEX_WOKEN: /* that wake let this thread go on */
        return a->op == RD_OP_FUTEX_WAKE && b->touch[0] == RD_TOUCH_READ;
    default:
        return false;
    }
}

/* Returns whether a has acquired the same lock or semaphore as b: then it was free just before a. */
static bool took_the_same(const struct rd_event *a, const struct rd_event *b) {
    if (a->object[0] != b->object[0])
        return false;
    switch (b->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
        return a->op == RD_OP_MUTEX_LOCK || a->op == RD_OP_MUTEX_TRYLOCK || a->op == RD_OP_SPIN_LOCK ||
               a->op == RD_OP_SPIN_TRYLOCK;
    case RD_OP_SEM_WAIT:
        return a->op == RD_OP_SEM_WAIT || a->op == RD_OP_SEM_TRYWAIT;
    case RD_OP_RWLOCK_WRLOCK:
        return a->op == RD_OP_RWLOCK_WRLOCK || a->op == RD_OP_RWLOCK_TRYWRLOCK;
    default:
        return false;
    }
}

static bool on_semaphore(const struct rd_event *e, uint64_t object) {
    return e->object[0] == object && (e->op == RD_OP_SEM_WAIT || e->op == RD_OP_SEM_TRYWAIT ||
                                      e->op == RD_OP_SEM_POST || e->op == RD_OP_SEM_VALUE);
}

/* Returns by how much the event has changed the value of the semaphore. */
static int64_t added(const struct rd_hb_graph *t, uint32_t i) {
    const struct rd_step *s = &t->record->steps[t->at[i].step];
    if (s->result || s->op == RD_OP_SEM_VALUE)
        return 0;
    return s->op == RD_OP_SEM_POST ? 1 : -1;
}

/*
 * Returns whether the semaphore would let b pass without a and without the events that a happened before: its
 * value at b, less the sum that these events have added.
 */
static bool enough_without(const struct rd_hb_graph *t, uint32_t a, uint32_t b) {
    uint64_t object = t->at[b].e.object[0];
    int64_t value = 0, of_others = 0;
    for (uint32_t i = 0; i < RD_MIN(b, t->count); i++) {
        const struct rd_step *s = &t->record->steps[t->at[i].step];
        if (!on_semaphore(&t->at[i].e, object) || s->flags & (RD_STEP_GAVE_UP | RD_STEP_SIGNALLED))
            continue;
        value = (int64_t)s->value + added(t, i);
        if (i == a || (i > a && rd_hb_graph_before(t, a, i)))
            of_others += added(t, i);
    }
    if (b < t->count)
        value = (int64_t)t->record->steps[t->at[b].step].value;
    return value - of_others > 0;
}

/*
 * Returns whether the operation succeeded: it returned no error, and neither a signal nor a cancellation
 * interrupted it.
 */
static bool succeeded(const struct rd_hb_graph *t, uint32_t i) {
    const struct rd_step *s = i < t->count ? &t->record->steps[t->at[i].step] : NULL;
    return !s || (!s->result && !(s->flags & RD_STEP_SIGNALLED));
}

/* Returns whether writer a, which was in the queue of the lock, keeps reader b out until a has had the lock. */
static bool kept_out(const struct rd_hb_graph *t, uint32_t a, uint32_t b) {
    const struct rd_hb_graph_event *x = &t->at[a];
    return t->at[b].e.op == RD_OP_RWLOCK_RDLOCK && x->e.op == RD_OP_RWLOCK_WRLOCK && x->prev != RD_HB_GRAPH_NONE &&
           t->at[x->prev].e.op == RD_OP_RWLOCK_QUEUE && t->at[x->prev].e.object[0] == x->e.object[0];
}

enum rd_swap rd_hb_graph_swap(const struct rd_hb_graph *t, uint32_t a, uint32_t b) {
    RD_ASSERT(a < b && a < t->count && b < t->all && t->at[a].e.tid != t->at[b].e.tid);
    const struct rd_hb_graph_event *x = &t->at[a], *y = &t->at[b];
    if (!rd_event_blocks(y->e.op) || (y->timed && !y->e.wide)) /* a timed wait can always complete */
        return RD_SWAP_SURE;
    if (y->e.op == RD_OP_JOIN && y->e.target == x->e.tid && !y->e.wide && succeeded(t, b))
        return RD_SWAP_NEVER;
    bool plain = !x->e.wide && !y->e.wide && succeeded(t, a) && succeeded(t, b);
    /* the trylock failed because of a third event that held the mutex, which has no part in this race */
    bool tried = x->e.op == RD_OP_MUTEX_TRYLOCK || x->e.op == RD_OP_SPIN_TRYLOCK;
    bool locks = y->e.op == RD_OP_MUTEX_LOCK || y->e.op == RD_OP_SPIN_LOCK;
    if (tried && locks && t->record->steps[x->step].result && !x->e.wide && !y->e.wide && succeeded(t, b))
        return RD_SWAP_NEVER;
    if (plain && (needs(&y->e, &x->e) || kept_out(t, a, b)))
        return RD_SWAP_NEVER;
    bool counted =
        !x->e.wide && !y->e.wide && succeeded(t, b) && !(t->record->steps[x->step].flags & RD_STEP_SIGNALLED);
    if (counted && y->e.op == RD_OP_SEM_WAIT && on_semaphore(&x->e, y->e.object[0]))
        return enough_without(t, a, b) ? RD_SWAP_SURE : RD_SWAP_NEVER;
    bool pending =
        y->prev == RD_HB_GRAPH_NONE || t->at[y->prev].step < x->step; /* b was pending at the step of a */
    if (pending)
        return rd_hb_graph_enabled(t, y->e.tid, x->step) ? RD_SWAP_SURE : RD_SWAP_MAYBE;
    return plain && took_the_same(&x->e, &y->e) ? RD_SWAP_SURE : RD_SWAP_MAYBE;
}
