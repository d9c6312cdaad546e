/*
 * guide.h - a guide lists where an execution differs from the default picker, by the number of operations of a
 * thread: "after its fifth operation T1 gives way to T2". Unlike a step number, that keeps its meaning when another
 * part of the execution is left out. The guide is stored behind the prefix of the plan; the plan's `a` is its
 * length.
 */
#ifndef RD_PICK_GUIDE_H
#define RD_PICK_GUIDE_H

#include "pick/pick.h"

/* Returns the element "after the first `count` operations of `tid`, which ran last, `pick` goes on". */
static inline struct rd_choice rd_guide_turn(rd_tid tid, uint32_t count, rd_tid pick) {
    return (struct rd_choice){.fp = tid, .step = count, .pick = pick};
}
/* Returns the element "within operation number `count` of `tid`, this way is taken". */
static inline struct rd_choice rd_guide_way(rd_tid tid, uint32_t count, uint16_t way) {
    return (struct rd_choice){.fp = tid, .step = count, .pick = way, .op = RD_OP_WAITER};
}
static inline rd_tid rd_guide_tid(const struct rd_choice *c) { return (rd_tid)c->fp; }
static inline bool rd_guide_is_way(const struct rd_choice *c) { return c->op == RD_OP_WAITER; }

/*
 * A guide is sorted by this key: by thread, then in the order in which its elements come up. No two keys are equal.
 */
static inline uint64_t rd_guide_key(const struct rd_choice *c) {
    return (uint64_t)c->fp << 40 | c->step << 1 | !rd_guide_is_way(c);
}

#endif
