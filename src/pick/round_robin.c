/*
 * round_robin.c - round robin without preemption: the current thread while it is enabled, else the next one in the
 * order of thread numbers. Timed waits that would time out come after all others.
 */
#include "pick/pick.h"

static void begin(void *state, const struct rd_plan *plan) {
    (void)state;
    (void)plan;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    (void)state;
    if (!point->cand)
        return 0;
    for (unsigned late = 0; late < 2; late++)
        for (unsigned turn = 0; turn < 2; turn++)
            for (uint32_t i = 0; i < point->count; i++)
                if (point->cand[i].only_times_out == late && (point->cand[i].tid >= point->current) == !turn)
                    return i;
    return 0;
}

const struct rd_picker rd_pick_round = {"round", "go on with the current thread, else the next in turn", begin,
                                        pick, false};
