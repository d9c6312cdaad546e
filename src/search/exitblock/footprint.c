/* footprint.c - see footprint.h. */
#include "search/exitblock/footprint.h"

#include "trace/held.h"

bool rd_footprints_has(const struct rd_footprints *s, uint32_t list, rd_tid tid) {
    for (; list; list = s->cells.at[list - 1].next)
        if (s->cells.at[list - 1].tid == tid)
            return true;
    return false;
}

uint32_t rd_footprints_add(struct rd_footprints *s, uint32_t list, struct rd_cell c) {
    RD_CHECK(list <= s->cells.count && c.first + c.count <= s->events.count);
    RD_ASSERT(!rd_footprints_has(s, list, c.tid));
    c.next = list;
    rd_vec_push(s->arena, &s->cells, c);
    return s->cells.count;
}

static bool only_locks(const struct rd_step *p) {
    rd_place lock;
    unsigned op = p->op;
    return op == RD_OP_START || op == RD_OP_RWLOCK_QUEUE ||
           (op != RD_OP_COND_WAIT && op != RD_OP_COND_WAKE && rd_lock_change(p, &lock) != RD_LOCK_SAME);
}

/*
 * Adds the event of a step if other blocks can depend on it. Taking a lock only orders, so it counts in some cases
 * only.
 */
static void add_event(struct rd_footprints *s, const struct rd_step *p) {
    rd_place lock;
    enum rd_lock_change change = rd_lock_change(p, &lock);
    bool takes = change == RD_LOCK_TAKEN || change == RD_LOCK_SHARED;
    bool counts = (takes && (s->lock_is_write || rd_atomic_blocks_guards_unseen(s->blocks, lock))) ||
                  rd_atomic_blocks_tried(s->blocks, lock) || rd_access_mode_is_wide(p->order) || p->timed;
    if (rd_op_flags(p->op) & RD_F_VALUE || (only_locks(p) && !counts) || rd_atomic_blocks_private(s->blocks, p))
        return;
    struct rd_event e = rd_event_of_step(p);
    if ((p->op == RD_OP_COND_WAIT || p->op == RD_OP_COND_WAKE) && !counts)
        e.touch[1] = RD_TOUCH_NONE;
    rd_vec_push(s->arena, &s->events, e);
}

/*
 * Locks that a block takes and keeps, and that keep other threads out. `more`: there are more than fit, and the
 * footprint of the block is wide.
 */
struct kept {
    rd_place lock[16];
    uint32_t count;
    bool more;
};

static void keep(const struct rd_footprints *s, struct kept *k, const struct rd_step *p) {
    rd_place lock;
    if (rd_atomic_blocks_private(s->blocks, p))
        return;
    enum rd_lock_change change = rd_lock_change(p, &lock);
    /* a writer in the queue keeps others out already */
    if (change == RD_LOCK_TAKEN || change == RD_LOCK_SHARED || p->op == RD_OP_RWLOCK_QUEUE) {
        k->more |= k->count == RD_COUNT(k->lock);
        if (!k->more && rd_access_mode(p->order) != RD_ACCESS_OWN)
            k->lock[k->count++] = lock;
    }
    for (uint32_t i = 0; change == RD_LOCK_RELEASED && rd_access_mode(p->order) != RD_ACCESS_OWN && i < k->count;
         i++)
        if (k->lock[i] == lock)
            k->lock[i--] = k->lock[--k->count];
}

struct rd_cell rd_footprints_block(struct rd_footprints *s, const struct rd_record *r, uint32_t from, uint32_t to,
                                   struct rd_cell *itself) {
    RD_CHECK(from < to && to <= r->out->steps);
    struct rd_cell c = {.tid = r->steps[from].tid, .first = s->events.count};
    struct kept kept = {.count = 0};
    uint32_t i = from;
    for (; i < to; i++) {
        add_event(s, &r->steps[i]);
        keep(s, &kept, &r->steps[i]);
    }
    *itself = c;
    itself->count = s->events.count - c.first;
    for (; kept.count && i < r->out->steps && r->steps[i].tid == c.tid; i++) {
        add_event(s, &r->steps[i]);
        keep(s, &kept, &r->steps[i]);
    }
    c.count = s->events.count - c.first;
    if (kept.count || kept.more)
        rd_footprints_widen(s, &c);
    return c;
}

void rd_footprints_widen(struct rd_footprints *s, struct rd_cell *c) {
    struct rd_event any = {.tid = c->tid, .target = RD_TID_NONE, .wide = true};
    RD_CHECK(c->first + c->count == s->events.count);
    rd_vec_push(s->arena, &s->events, any);
    c->count++;
}

static bool are_dependent(const struct rd_footprints *s, const struct rd_cell *a, const struct rd_cell *b) {
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (rd_event_dependent(&s->events.at[a->first + i], &s->events.at[b->first + k]))
                return true;
    return false;
}

uint32_t rd_footprints_unrelated(struct rd_footprints *s, uint32_t list, const struct rd_cell *block) {
    uint32_t left = 0;
    for (; list; list = s->cells.at[list - 1].next)
        if (!are_dependent(s, &s->cells.at[list - 1], block))
            left = rd_footprints_add(s, left, s->cells.at[list - 1]);
    return left;
}

/* Returns whether one of these steps, or the end of their thread, lets the stopped thread go on. */
static bool released(const struct rd_footprints *s, const struct rd_cell *c, const struct rd_record *r,
                     uint32_t from, uint32_t to, bool dies) {
    const struct rd_event *stopper = &s->events.at[c->first];
    if (dies && stopper->target == r->steps[from].tid)
        return true;
    for (uint32_t i = from; i < to; i++) {
        const struct rd_step *p = &r->steps[i];
        rd_place lock;
        if (rd_op_flags(p->op) & RD_F_VALUE || rd_event_blocks(p->op))
            continue;
        struct rd_event e = rd_event_of_step(p);
        bool signals = p->op == RD_OP_COND_SIGNAL || p->op == RD_OP_COND_BROADCAST;
        bool lets_go = rd_atomic_blocks_kind(s->blocks, p) == RD_BLOCK_EXIT || signals ||
                       rd_lock_change(p, &lock) == RD_LOCK_RELEASED;
        if (lets_go && rd_event_dependent(stopper, &e))
            return true;
    }
    return false;
}

struct rd_cell rd_footprints_stop(struct rd_footprints *s, const struct rd_record *r, uint32_t from, uint32_t to,
                                  rd_tid tid, const struct rd_event *stopper) {
    RD_CHECK(from <= to && to <= r->out->steps);
    struct rd_cell c = {.tid = tid, .first = s->events.count};
    rd_vec_push(s->arena, &s->events, *stopper);
    for (uint32_t i = from; i < to; i++)
        add_event(s, &r->steps[i]);
    c.count = s->events.count - c.first;
    return c;
}

uint32_t rd_footprints_stopped(struct rd_footprints *s, uint32_t list, const struct rd_record *r, uint32_t from,
                               uint32_t to, bool dies, const struct rd_cell *block) {
    uint32_t left = 0;
    for (; list; list = s->cells.at[list - 1].next) {
        const struct rd_cell *c = &s->cells.at[list - 1];
        RD_CHECK(c->count > 0); /* the first event is that of the operation that stopped the thread */
        struct rd_cell begun = {.tid = c->tid, .first = c->first + 1, .count = c->count - 1};
        if (!released(s, c, r, from, to, dies) && !are_dependent(s, &begun, block))
            left = rd_footprints_add(s, left, s->cells.at[list - 1]);
    }
    return left;
}
