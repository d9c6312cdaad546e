/*
 * guide.h - where an execution is to differ from the default behaviour, by what each thread itself has done so far:
 * "after its fifth operation T1 gives way to T2". Unlike the number of a step that means the same when something
 * else is left out. A guide stands behind the prefix of the plan; `a` of the plan is its length.
 */
#ifndef RD_PICK_GUIDE_H
#define RD_PICK_GUIDE_H

#include "pick/pick.h"

/* After so many operations of `tid`, the last one to run, `pick` goes on. */
static inline struct rd_choice rd_guide_turn(rd_tid tid, uint32_t count, rd_tid pick) {
    return (struct rd_choice){.fp = tid, .step = count, .pick = pick};
}
/* Inside that operation of `tid` this way is taken. */
static inline struct rd_choice rd_guide_way(rd_tid tid, uint32_t count, uint16_t way) {
    return (struct rd_choice){.fp = tid, .step = count, .pick = way, .op = RD_OP_WAITER};
}
static inline rd_tid rd_guide_tid(const struct rd_choice *c) { return (rd_tid)c->fp; }
static inline bool rd_guide_is_way(const struct rd_choice *c) { return c->op == RD_OP_WAITER; }

/* A guide is sorted: by thread, then in the order in which its elements come up. No two are equal. */
static inline uint64_t rd_guide_key(const struct rd_choice *c) {
    return (uint64_t)c->fp << 40 | c->step << 1 | !rd_guide_is_way(c);
}

#endif
