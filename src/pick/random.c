/* random.c - uniform among the candidates. */
#include "base/rng.h"
#include "pick/pick.h"

static void begin(void *state, const struct rd_plan *plan) { rd_rng_seed(state, plan->seed); }

static uint32_t pick(void *state, const struct rd_point *point) { return rd_rng_below(state, point->count); }

static_assert(sizeof(struct rd_rng) <= RD_PICKER_STATE, "fits");

const struct rd_picker rd_pick_random = {"random", "uniform among the threads that can go on", begin, pick, true};
