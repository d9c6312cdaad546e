/*
 * stay.c - the default picker: the current thread while it is enabled, else the one with the smallest number; no
 * preemption.
 */
#include "pick/pick.h"

static void begin(void *state, const struct rd_plan *plan) {
    (void)state;
    (void)plan;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    (void)state;
    uint32_t first = point->count;
    for (uint32_t i = 0; point->cand && i < point->count; i++) {
        if (point->cand[i].only_times_out)
            continue;
        if (point->cand[i].tid == point->current)
            return i;
        first = first < i ? first : i;
    }
    return first < point->count ? first : 0;
}

const struct rd_picker rd_pick_stay = {"stay", "go on with the current thread, else the first", begin, pick, false};
