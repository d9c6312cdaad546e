/*
 * order.c - see order.h. Of the candidates that one goes on whose next operation has the first place in the
 * recorded order. A thread with more operations than were recorded comes after all others, and so does a timed wait
 * that would time out, unless it timed out at that place. The picker counts the operations of each thread, so it
 * must be asked at every step, and the plan must have no prefix.
 */
#include "pick/order.h"

#include <string.h>

struct order {
    uint32_t length;
    bool started, late;
    uint64_t moved;
    uint32_t next[RD_TID_MAX];    /* by thread: index of its first element that has not come up; `length`: none */
    uint32_t creates[RD_TID_MAX]; /* by thread: index of its last creation of a thread, + 1; 0: it creates none */
};

static_assert(sizeof(struct order) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct order *o = state;
    RD_CHECK(plan->ask_always && plan->prefix_count == 0);
    o->length = plan->a;
    o->late = plan->b;
    o->moved = plan->seed;
    o->started = false;
}

/* Returns the index of the thread's next element from `from` on. */
static uint32_t find(const struct order *o, const struct rd_choice *list, rd_tid tid, uint32_t from) {
    while (from < o->length && (rd_tid)list[from].fp != tid)
        from++;
    return from;
}

static void start(struct order *o, const struct rd_choice *list) {
    memset(o->creates, 0, sizeof o->creates);
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        o->next[t] = o->length;
    for (uint32_t i = o->length; i-- > 0;) {
        RD_CHECK(list[i].fp < RD_TID_MAX);
        o->next[list[i].fp] = i;
        if (list[i].op == RD_OP_CREATE && !o->creates[list[i].fp])
            o->creates[list[i].fp] = i + 1;
    }
    o->started = true;
}

/* Returns the place of a candidate in the order: the smallest goes on. Skips choices of ways that did not come up.
 */
static uint32_t place_of(struct order *o, const struct rd_choice *list, const struct rd_cand *c) {
    uint32_t *at = &o->next[c->tid];
    while (*at < o->length && list[*at].op == RD_OP_WAITER)
        *at = find(o, list, c->tid, *at + 1);
    if (c->only_times_out && !(*at < o->length && list[*at].pick))
        return o->length + 2;
    if (c->tid < RD_ORDER_THREADS && o->moved >> c->tid & 1)
        return !o->late ? 0 : *at < o->creates[c->tid] ? *at : o->length + 1;
    return o->moved && !o->late ? *at + 1 : *at;
}

static uint32_t pick(void *state, const struct rd_point *p) {
    struct order *o = state;
    if (!o->started)
        start(o, p->guide);
    if (!p->cand) {
        uint32_t *at = &o->next[p->current];
        bool known = *at < o->length && p->guide[*at].op == RD_OP_WAITER;
        uint32_t way = known ? p->guide[*at].pick : 0;
        if (known)
            *at = find(o, p->guide, p->current, *at + 1);
        return way < p->count ? way : 0;
    }
    uint32_t best = 0, first = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t place = place_of(o, p->guide, &p->cand[i]);
        if (place < first) {
            first = place;
            best = i;
        }
    }
    uint32_t *at = &o->next[p->cand[best].tid];
    if (*at < o->length)
        *at = find(o, p->guide, p->cand[best].tid, *at + 1);
    return best;
}

const struct rd_picker rd_pick_order = {"order", "a recorded order, but for threads that run early or late", begin,
                                        pick, false};
