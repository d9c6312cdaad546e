/* held.c - see held.h. */
#include "trace/held.h"

#include <errno.h>
#include <string.h>

static bool got_it(const struct rd_step *s) { return s->result == 0 || s->result == EOWNERDEAD; }

enum rd_lock_change rd_lock_change(const struct rd_step *s, rd_place *lock) {
    *lock = s->place;
    if (s->flags & RD_STEP_SIGNALLED)
        return RD_LOCK_SAME;
    switch (s->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
        return got_it(s) ? RD_LOCK_TAKEN : RD_LOCK_SAME;
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
        return got_it(s) ? RD_LOCK_SHARED : RD_LOCK_SAME;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return s->result == 0 ? RD_LOCK_RELEASED : RD_LOCK_SAME;
    case RD_OP_COND_WAIT:
        *lock = s->value;
        return s->result == 0 && s->flags & RD_STEP_VALUE2 ? RD_LOCK_RELEASED : RD_LOCK_SAME;
    case RD_OP_COND_WAKE: /* the thread has the mutex again, whether it was woken, timed out or was cancelled */
        *lock = s->value;
        return s->flags & RD_STEP_VALUE2 ? RD_LOCK_TAKEN : RD_LOCK_SAME;
    default:
        return RD_LOCK_SAME;
    }
}

rd_place rd_lock_wanted(unsigned op, rd_place place, rd_place second) {
    switch (op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
        return place;
    case RD_OP_COND_WAKE:
        return second;
    default:
        return 0;
    }
}

rd_place rd_circle_wanted(unsigned op, rd_place place, rd_place second) {
    return op == RD_OP_SEM_WAIT ? place : rd_lock_wanted(op, place, second);
}

uint32_t rd_record_threads(const struct rd_record *r) {
    uint32_t n = RD_MAX(r->out->threads, 1u);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        n = RD_MAX(n, s->tid + 1u);
        if ((s->op == RD_OP_CREATE || s->op == RD_OP_JOIN) && s->value < RD_TID_MAX)
            n = RD_MAX(n, (uint32_t)s->value + 1);
    }
    return n;
}

static struct rd_hold *find(struct rd_held_thread *t, rd_place lock) {
    for (uint32_t i = 0; i < t->count; i++)
        if (t->at[i].lock == lock)
            return &t->at[i];
    return NULL;
}

enum rd_lock_change rd_held_step(struct rd_held *h, const struct rd_step *s, uint32_t index) {
    rd_place lock;
    enum rd_lock_change change = rd_lock_change(s, &lock);
    if (change == RD_LOCK_SAME)
        return change;
    struct rd_held_thread *t = &h->thread[s->tid];
    struct rd_hold *known = find(t, lock);
    if (change == RD_LOCK_RELEASED) {
        /* a condition wait releases a recursive mutex at any depth */
        if (!known || (--known->depth > 0 && s->op != RD_OP_COND_WAIT))
            return RD_LOCK_SAME;
        t->last = *known;
        *known = t->at[--t->count];
        return change;
    }
    if (known) {
        known->depth++;
        return RD_LOCK_SAME;
    }
    struct rd_hold hold = {.lock = lock, .pc = s->pc, .taken = index + 1, .depth = 1};
    hold.shared = change == RD_LOCK_SHARED;
    rd_vec_push(h->arena, t, hold);
    return change;
}

/* Adds the locks that were taken before the recording began: the record shows only their release. */
static void add_earlier(struct rd_held *h, const struct rd_record *r) {
    struct rd_held now = {.arena = h->arena, .threads = h->threads};
    now.thread = rd_arena_zero(h->arena, h->threads * sizeof *now.thread);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        rd_place lock;
        if (rd_lock_change(s, &lock) == RD_LOCK_RELEASED && !find(&now.thread[s->tid], lock)) {
            struct rd_hold hold = {.lock = lock, .depth = 1};
            rd_vec_push(h->arena, &h->thread[s->tid], hold);
        }
        rd_held_step(&now, s, i);
    }
}

void rd_held_init(struct rd_held *h, struct rd_arena *a, const struct rd_record *r) {
    *h = (struct rd_held){.arena = a, .threads = rd_record_threads(r)};
    h->thread = rd_arena_zero(a, h->threads * sizeof *h->thread);
    add_earlier(h, r);
}

const struct rd_hold *rd_held_by(const struct rd_held *h, rd_tid tid, rd_place lock) {
    const struct rd_held_thread *t = &h->thread[tid];
    for (uint32_t i = 0; i < t->count; i++)
        if (t->at[i].lock == lock)
            return &t->at[i];
    return NULL;
}
