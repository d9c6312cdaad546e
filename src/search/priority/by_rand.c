/* by_rand.c - the priority by chance: a search at random that runs no execution twice, and in the end all. */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) { return rd_rng_next(v->rng) >> 32; }

const struct rd_priority rd_priority_rand = {.bits = 32, .of = of};
