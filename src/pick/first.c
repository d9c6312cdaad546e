/* first.c - the candidate with the smallest thread number; timed waits that would time out come last. */
#include "pick/pick.h"

static void begin(void *state, const struct rd_plan *plan) {
    (void)state;
    (void)plan;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    (void)state;
    for (uint32_t i = 0; point->cand && i < point->count; i++)
        if (!point->cand[i].only_times_out)
            return i;
    return 0;
}

const struct rd_picker rd_pick_first = {"first", "the thread with the smallest number", begin, pick, false};
