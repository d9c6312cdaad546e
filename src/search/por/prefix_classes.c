/*
 * prefix_classes.c - see prefix_classes.h. The event of a thread at a step where it was not chosen is taken to be
 * the event that it performs when it is chosen next. That is true for the operations listed in `foretold`; the
 * event of any other operation may depend on the events in between (a timed wait that times out, a signal's choice
 * of a waiter), so its class is unknown.
 */
#include "search/por/prefix_classes.h"

struct rd_arena rd_arena_rest(const struct rd_arena *a) {
    size_t used = RD_MIN((a->used + 63) & ~(size_t)63, a->size);
    struct rd_arena rest;
    rd_arena_init(&rest, a->base + used, a->size - used);
    return rest;
}

static bool foretold(const struct rd_step *s) {
    if (s->timed || s->flags & (RD_STEP_GAVE_UP | RD_STEP_SIGNALLED))
        return false;
    switch (s->op) {
    case RD_OP_START:
    case RD_OP_YIELD:
    case RD_OP_READ:
    case RD_OP_WRITE:
    case RD_OP_FREE:
    case RD_OP_ATOMIC_LOAD:
    case RD_OP_ATOMIC_STORE:
    case RD_OP_ATOMIC_RMW:
    case RD_OP_ATOMIC_CAS:
    case RD_OP_FENCE:
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_UNLOCK:
    case RD_OP_SEM_POST:
        return true;
    default:
        return false;
    }
}

/*
 * Returns whether a signal was sent or delivered: it may be delivered at the next step of any thread, so no
 * thread's next event is known.
 */
static bool has_signals(const struct rd_record *r) {
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (r->steps[i].op == RD_OP_SIGNAL_SEND || r->steps[i].flags & RD_STEP_SIGNALLED)
            return true;
    return false;
}

static uint64_t fold(const uint64_t hash[2]) {
    uint64_t class = hash[0] ^ rd_mix(hash[1]);
    return class ? class : 1;
}

/* Fills in `instead` for the candidates of step i; next[t] is the next step of thread t, from i on. */
static void foretell(struct rd_prefix_classes *c, struct rd_hb_class *o, const struct rd_record *r, uint32_t i,
                     const uint32_t *next) {
    const struct rd_step *s = &r->steps[i];
    for (uint32_t k = 0; k < s->ncand && !rd_step_is_way(s); k++) {
        uint32_t n = next[r->cands[s->cand + k]];
        if (n >= r->out->steps || !foretold(&r->steps[n]))
            continue;
        struct rd_event e = rd_event_of_step(&r->steps[n]);
        uint64_t hash[2];
        rd_hb_class_peek(o, &e, hash);
        RD_ASSERT(c->base.at[i] + k < c->instead.count);
        c->instead.at[c->base.at[i] + k] = fold(hash);
    }
}

static void make_room(struct rd_prefix_classes *c, struct rd_arena *a, const struct rd_record *r) {
    c->after.count = c->instead.count = c->base.count = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        rd_vec_push(a, &c->after, 0);
        rd_vec_push(a, &c->base, c->instead.count);
        for (uint32_t k = 0; k < r->steps[i].ncand; k++)
            rd_vec_push(a, &c->instead, 0);
    }
}

void rd_prefix_classes_of(struct rd_prefix_classes *c, struct rd_arena *a, const struct rd_record *r) {
    uint32_t steps = r->out->steps;
    bool ahead = !has_signals(r);
    make_room(c, a, r);
    struct rd_arena scratch = rd_arena_rest(a); /* from here on no memory is allocated from `a` itself */
    /* `after` by step: the next step of its thread; `next` by thread */
    uint32_t *after = rd_arena_alloc(&scratch, steps * sizeof *after);
    uint32_t *next = rd_arena_alloc(&scratch, RD_TID_MAX * sizeof *next);
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        next[t] = UINT32_MAX;
    for (uint32_t i = steps; i-- > 0;) {
        after[i] = next[r->steps[i].tid];
        if (!rd_step_is_way(&r->steps[i]))
            next[r->steps[i].tid] = i;
    }
    struct rd_hb_class o;
    rd_hb_class_init(&o, &scratch);
    for (uint32_t i = 0; i < steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (ahead)
            foretell(c, &o, r, i, next);
        if (rd_step_is_way(s)) {
            rd_hb_class_way(&o, s->tid, (uint32_t)s->value);
        } else {
            struct rd_event e = rd_event_of_step(s);
            rd_hb_class_event(&o, &e);
            next[s->tid] = after[i];
        }
        bool inside = i + 1 < steps && rd_step_is_way(&r->steps[i + 1]);
        c->after.at[i] = inside ? 0 : fold(o.hash);
    }
}

uint64_t rd_prefix_classes_instead(const struct rd_prefix_classes *c, const struct rd_record *r, uint32_t step,
                                   rd_tid tid) {
    RD_CHECK(step < c->base.count && c->base.count == r->out->steps);
    const struct rd_step *s = &r->steps[step];
    for (uint32_t k = 0; k < s->ncand && !rd_step_is_way(s); k++)
        if (r->cands[s->cand + k] == tid)
            return c->instead.at[c->base.at[step] + k];
    return 0;
}
