/*
 * step_edges.c - see step_edges.h.
 *
 * The order of events: for each object, and for each byte of memory, the last touches of it are kept; a step that
 * touches it in a way that conflicts comes after them. rd_event_dependent has the last word on each pair, so no
 * arrow is shown between independent steps. Vector clocks leave out the arrows that others imply. Of accesses to
 * more than LONG bytes the first LONG are looked at, so an arrow to the rest of them can be missing; none is ever
 * wrong.
 *
 * Who let a blocked thread go on is known where the record leaves no doubt: a lock was released while the operation
 * that takes it was already pending, or the thread was not enabled when its operation became pending (the flags of
 * the step after) and the last operation that could enable it came after that.
 */
#include "report/html/step_edges.h"

#include "trace/event.h"

#include <stdlib.h>
#include <string.h>

enum { LONG = 64, CLOCKS_MAX = 1 << 24 };

/* The last touch of a thing by a thread in one way. */
struct touch {
    uint32_t step, next; /* next: index + 1 in the touches; 0: none */
    uint8_t how;         /* enum rd_touch */
};

/* A hash table from 64-bit keys to numbers. */
struct place_table {
    uint64_t *key; /* 0: empty */
    uint32_t *value;
    uint32_t room, count;
};

struct finder {
    const struct rd_report *r;
    const struct rd_schedule *s;
    struct rd_step_edges *to;
    uint32_t threads;
    struct place_table things;   /* object or byte -> index + 1 of its first touch */
    struct place_table releases; /* place -> the last step that released it, + 1 */
    struct touch *touch;
    uint32_t touch_count, touch_room, touch_free;
    uint32_t *clock; /* a row for each step: of each thread, how many steps happened before; NULL: too many */
    uint32_t *last;  /* by thread: its last step, + 1 */
    uint32_t *told;  /* by thread: the last step of another thread that acted on it, + 1 */
    uint32_t *woken; /* by thread: the step that woke it, + 1 */
    uint32_t *best;  /* by thread: the latest step that the current one depends on, + 1 */
    uint32_t wide;   /* the last wide event, + 1 */
    struct rd_waits *waits;
};

static void *zeroed(size_t count, size_t size) {
    void *p = calloc(count, size);
    if (!p)
        abort();
    return p;
}

static uint32_t *look_up(struct place_table *t, uint64_t key) {
    RD_CHECK(key != 0); /* 0 marks an empty entry */
    if (t->count * 2 >= t->room) {
        struct place_table old = *t;
        *t = (struct place_table){.room = old.room ? old.room * 2 : 1024};
        t->key = zeroed(t->room, sizeof *t->key);
        t->value = zeroed(t->room, sizeof *t->value);
        for (uint32_t i = 0; i < old.room; i++)
            if (old.key[i])
                *look_up(t, old.key[i]) = old.value[i];
        free(old.key);
        free(old.value);
    }
    uint32_t at = (uint32_t)rd_mix(key) & (t->room - 1);
    while (t->key[at] && t->key[at] != key)
        at = (at + 1) & (t->room - 1);
    t->count += t->key[at] == 0;
    t->key[at] = key;
    return &t->value[at];
}

static void add_edge(struct finder *f, uint32_t from, uint32_t to, enum rd_step_edge_kind kind) {
    struct rd_step_edges *e = f->to;
    for (uint32_t i = e->count; i-- > 0 && e->at[i].to == to;)
        if (e->at[i].from == from && (e->at[i].kind == kind || kind == RD_EDGE_ORDERS))
            return;
    if (e->count == e->room) {
        e->room = e->room ? e->room * 2 : 256;
        e->at = realloc(e->at, e->room * sizeof *e->at);
        if (!e->at)
            abort();
    }
    e->at[e->count++] = (struct rd_step_edge){from, to, (uint8_t)kind};
}

/* ---- wake-ups, and who let a thread go on ---- */

/* Follows the waiters of conditions through the step, and notes which of them it wakes. */
static void note_woken(struct finder *f, uint32_t i) {
    struct rd_waits *w = f->waits;
    static bool before[RD_TID_MAX];
    uint32_t count = w->count;
    for (uint32_t k = 0; k < count; k++)
        before[k] = w->at[k].signalled;
    rd_phrase_skip(f->r, w, i);
    for (uint32_t k = 0; k < count && w->count == count; k++)
        if (w->at[k].signalled && !before[k])
            f->woken[w->at[k].tid] = (f->s->steps[i].op == RD_OP_WAITER ? i - 1 : i) + 1;
}

/* The place that the step releases to threads that wait there; 0: none. */
static rd_place released(const struct rd_step *s) {
    switch (s->op) {
    case RD_OP_COND_WAIT:
        return s->flags & RD_STEP_VALUE2 ? s->value : 0;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
    case RD_OP_SEM_POST:
    case RD_OP_ONCE_END:
    case RD_OP_IO_SEND:
    case RD_OP_IO_CLOSE:
        return s->result ? 0 : s->place;
    case RD_OP_BARRIER_ARRIVE:
    case RD_OP_FUTEX_WAKE:
        return rd_event_gate(s) != s->place ? rd_event_gate(s) : 0;
    default:
        return rd_op_flags(s->op) & RD_F_WRITES ? s->place : 0;
    }
}

/* Was thread t blocked when the operation of step i became pending? `before`: its step before that one, + 1. */
static bool was_blocked(const struct rd_schedule *s, uint32_t i, uint32_t before) {
    if (before == 0 || before >= i)
        return false;
    const struct rd_step *after = &s->steps[before];
    return after->tid != s->steps[i].tid && !(after->flags & (RD_STEP_PREEMPTION | RD_STEP_COULD_STAY));
}

static void find_release(struct finder *f, uint32_t i) {
    const struct rd_step *s = &f->s->steps[i];
    uint32_t before = f->last[s->tid];
    rd_place place = s->place;
    bool exclusive = s->op == RD_OP_MUTEX_LOCK || s->op == RD_OP_SPIN_LOCK || s->op == RD_OP_COND_WAKE;
    if (!(rd_op_flags(s->op) & RD_F_BLOCKS) || s->flags & RD_STEP_GAVE_UP || s->op == RD_OP_JOIN)
        return;
    if (s->op == RD_OP_COND_WAKE) {
        uint32_t by = f->woken[s->tid];
        if (by > before)
            add_edge(f, by - 1, i, RD_EDGE_WAKES);
        before = RD_MAX(before, by);
        f->woken[s->tid] = 0;
        place = s->flags & RD_STEP_VALUE2 ? s->value : 0;
    }
    bool gate = s->op == RD_OP_BARRIER_LEAVE || s->op == RD_OP_FUTEX_WOKEN;
    if (gate)
        place = rd_event_gate(s);
    if (!place || (gate && place == s->place))
        return;
    uint32_t by = *look_up(&f->releases, place);
    if (by > before && f->s->steps[by - 1].tid != s->tid && (exclusive || was_blocked(f->s, i, f->last[s->tid])))
        add_edge(f, by - 1, i, s->op == RD_OP_FUTEX_WOKEN ? RD_EDGE_WAKES : RD_EDGE_UNBLOCKS);
}

static void find_thread_edges(struct finder *f, uint32_t i) {
    const struct rd_step *s = &f->s->steps[i];
    if (s->op == RD_OP_START && f->told[s->tid] && f->s->steps[f->told[s->tid] - 1].op == RD_OP_CREATE)
        add_edge(f, f->told[s->tid] - 1, i, RD_EDGE_THREAD);
    bool joins = (s->op == RD_OP_JOIN || s->op == RD_OP_TRYJOIN) && !s->result && s->value < f->threads;
    if (joins && f->last[s->value] && s->value != s->tid)
        add_edge(f, f->last[s->value] - 1, i,
                 f->last[s->value] > f->last[s->tid] && was_blocked(f->s, i, f->last[s->tid]) ? RD_EDGE_UNBLOCKS
                                                                                              : RD_EDGE_THREAD);
}

/* ---- the order of events ---- */

static uint64_t key_of(uint64_t thing, bool memory) { return rd_hash2(thing, memory) | 1; }

static void offer(struct finder *f, uint32_t step, const struct rd_event *e) {
    rd_tid tid = f->s->steps[step].tid;
    if (tid == e->tid || f->best[tid] > step)
        return;
    struct rd_event other = rd_event_of_step(&f->s->steps[step]);
    if (rd_event_dependent(&other, e))
        f->best[tid] = step + 1;
}

/* Offers the touches of a thing that conflict with this one, and adds this one to them. */
static void touch_thing(struct finder *f, uint64_t key, uint8_t how, uint32_t step, const struct rd_event *e) {
    uint32_t *first = look_up(&f->things, key), at;
    bool known = false;
    for (at = *first; at; at = f->touch[at - 1].next) {
        struct touch *t = &f->touch[at - 1];
        if (rd_touch_conflict(t->how, how))
            offer(f, t->step, e);
        if (how != RD_TOUCH_WRITE && t->how == how && f->s->steps[t->step].tid == e->tid) {
            t->step = step;
            known = true;
        }
    }
    if (how == RD_TOUCH_WRITE && *first) { /* what comes after it comes after all touches before it */
        uint32_t rest = f->touch[*first - 1].next, end = rest;
        while (end && f->touch[end - 1].next)
            end = f->touch[end - 1].next;
        if (rest) {
            f->touch[end - 1].next = f->touch_free;
            f->touch_free = rest;
        }
        f->touch[*first - 1] = (struct touch){.step = step, .how = how};
        return;
    }
    if (known)
        return;
    if (f->touch_free) {
        at = f->touch_free;
        f->touch_free = f->touch[at - 1].next;
    } else {
        if (f->touch_count == f->touch_room) {
            f->touch_room = f->touch_room ? f->touch_room * 2 : 1024;
            f->touch = realloc(f->touch, f->touch_room * sizeof *f->touch);
            if (!f->touch)
                abort();
        }
        at = ++f->touch_count;
    }
    f->touch[at - 1] = (struct touch){.step = step, .next = *first, .how = how};
    *first = at;
}

static void offer_all(struct finder *f, uint32_t i, const struct rd_event *e) {
    for (uint32_t t = 0; t < f->threads && e->wide; t++)
        if (f->last[t])
            offer(f, f->last[t] - 1, e);
    if (f->wide)
        offer(f, f->wide - 1, e);
    if (f->told[e->tid])
        offer(f, f->told[e->tid] - 1, e);
    if (e->target < f->threads && f->last[e->target])
        offer(f, f->last[e->target] - 1, e);
    for (uint64_t at = e->first; e->access && at <= e->last && at - e->first < LONG; at++)
        touch_thing(f, key_of(at, true), e->access, i, e);
    for (unsigned k = 0; k < RD_EVENT_OBJECTS; k++)
        if (e->touch[k])
            touch_thing(f, key_of(e->object[k], false), e->touch[k], i, e);
    if (e->clock)
        touch_thing(f, key_of(1, false), e->clock, i, e);
}

/* Adds the arrows that no other arrows imply, latest first, and computes the clock of the step. */
static void take_best(struct finder *f, uint32_t i) {
    rd_tid tid = f->s->steps[i].tid;
    uint32_t *now = f->clock ? f->clock + (size_t)i * f->threads : NULL;
    for (;;) {
        uint32_t latest = 0;
        for (uint32_t t = 0; t < f->threads; t++)
            latest = RD_MAX(latest, f->best[t]);
        if (!latest)
            return;
        rd_tid other = f->s->steps[latest - 1].tid;
        f->best[other] = 0;
        if (now && now[other] >= latest)
            continue;
        add_edge(f, latest - 1, i, RD_EDGE_ORDERS);
        if (!now) {
            memset(f->best, 0, f->threads * sizeof *f->best);
            return;
        }
        const uint32_t *theirs = f->clock + (size_t)(latest - 1) * f->threads;
        for (uint32_t t = 0; t < f->threads; t++)
            now[t] = RD_MAX(now[t], theirs[t]);
        RD_CHECK(now[tid] <= i);
    }
}

static void find_order(struct finder *f, uint32_t i) {
    const struct rd_step *s = &f->s->steps[i];
    uint32_t *now = f->clock ? f->clock + (size_t)i * f->threads : NULL;
    if (now && f->last[s->tid])
        memcpy(now, f->clock + (size_t)(f->last[s->tid] - 1) * f->threads, f->threads * sizeof *now);
    if (!rd_step_is_way(s)) {
        struct rd_event e = rd_event_of_step(s);
        offer_all(f, i, &e);
        take_best(f, i);
        f->wide = e.wide ? i + 1 : f->wide;
        if (e.target < f->threads)
            f->told[e.target] = i + 1;
    }
    if (now)
        now[s->tid] = i + 1;
}

void rd_step_edges_find(const struct rd_report *r, struct rd_step_edges *to) {
    const struct rd_schedule *s = r->schedule;
    struct finder f = {.r = r, .s = s, .to = to, .threads = RD_MAX(s->thread_count, 1u)};
    *to = (struct rd_step_edges){0};
    for (uint32_t i = 0; i < s->step_count; i++)
        f.threads = RD_MAX(f.threads, s->steps[i].tid + 1u);
    if ((uint64_t)s->step_count * f.threads <= CLOCKS_MAX)
        f.clock = zeroed((size_t)s->step_count * f.threads + 1, sizeof *f.clock);
    uint32_t **const by_thread[] = {&f.last, &f.told, &f.woken, &f.best};
    for (size_t i = 0; i < RD_COUNT(by_thread); i++)
        *by_thread[i] = zeroed(f.threads, sizeof **by_thread[i]);
    f.waits = zeroed(1, sizeof *f.waits);
    for (uint32_t i = 0; i < s->step_count; i++) {
        find_thread_edges(&f, i);
        find_release(&f, i);
        note_woken(&f, i);
        find_order(&f, i);
        rd_place place = released(&s->steps[i]);
        if (place)
            *look_up(&f.releases, place) = i + 1;
        f.last[s->steps[i].tid] = i + 1;
    }
    free(f.things.key);
    free(f.things.value);
    free(f.releases.key);
    free(f.releases.value);
    free(f.touch);
    free(f.clock);
    for (size_t i = 0; i < RD_COUNT(by_thread); i++)
        free(*by_thread[i]);
    free(f.waits);
}

void rd_step_edges_free(struct rd_step_edges *e) {
    free(e->at);
    *e = (struct rd_step_edges){0};
}
