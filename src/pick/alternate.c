/*
 * alternate.c - everybody in turn, one operation each. The fairest there is: what goes round under it for ever is
 * kept up by nobody's bad luck. Who can only give up a wait comes after all others. The plan's first number says
 * how long the current thread goes on before that: so who follows whom can be shifted.
 */
#include "pick/pick.h"

struct turns {
    uint32_t alone; /* so many more */
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
