/*
 * alternate.c - all threads in turn, one operation each: the fairest picker. A livelock under it is not the fault
 * of an unfair schedule. Timed waits that would time out come after all other candidates. The plan's `a` is the
 * number of operations for which the current thread goes on before that, so that the search can shift which thread
 * follows which.
 */
#include "pick/pick.h"

struct turns {
    uint32_t alone; /* operations for which the current thread still goes on */
};

static void begin(void *state, const struct rd_plan *plan) { ((struct turns *)state)->alone = plan->a; }

static uint32_t pick(void *state, const struct rd_point *point) {
    struct turns *t = state;
    if (!point->cand)
        return 0;
    for (uint32_t i = 0; t->alone && i < point->count; i++) {
        if (point->cand[i].tid == point->current && !point->cand[i].only_times_out) {
            t->alone--;
            return i;
        }
    }
    t->alone = 0;
    for (unsigned late = 0; late < 2; late++)
        for (unsigned turn = 0; turn < 2; turn++)
            for (uint32_t i = 0; i < point->count; i++)
                if (point->cand[i].only_times_out == late && (point->cand[i].tid > point->current) == !turn)
                    return i;
    return 0;
}

const struct rd_picker rd_pick_turns = {"turns", "everybody in turn, one operation each", begin, pick, true};
