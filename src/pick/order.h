/*
 * order.h - a picker that repeats the order of a recorded execution as far as it can, but for some threads that it
 * moves: they run as early as they can, or as late as they can. A thread that creates others runs late only after
 * it has created the last of them: order matters among threads that exist. An execution that still shows a finding
 * does not need these threads to be ordered as they were.
 *
 * The plan's `a` is the number of recorded steps, which are stored behind its prefix as a list of rd_order_step;
 * `seed` has a bit for each thread that is moved, and `b` is 1 if they run late.
 */
#ifndef RD_PICK_ORDER_H
#define RD_PICK_ORDER_H

#include "pick/pick.h"

/*
 * A recorded step as an element of the list: `fp` is its thread; `op` is WAITER, and `pick` the way, if it is the
 * choice of one; `pick` is 1 if the step is a wait that ended early.
 */
static inline struct rd_choice rd_order_step(const struct rd_step *s) {
    bool way = rd_step_is_way(s);
    return (struct rd_choice){.fp = s->tid,
                              .pick = way ? (uint16_t)s->value : (s->flags & RD_STEP_GAVE_UP) != 0,
                              .op = way ? RD_OP_WAITER : s->op};
}

enum { RD_ORDER_THREADS = 64 }; /* only threads with a smaller number can be moved */

#endif
