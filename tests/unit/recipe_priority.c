/*
 * recipe_priority.c - the recipe of CONTRIBUTING.md for "a priority of best", followed: this file and one row of
 * src/search/priority/table.c (which CMakeLists.txt adds to the table of the unit tests) are all that it takes. The
 * priority prefers alternatives at early steps; test_recipe.c is its unit test.
 */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) { return RD_MIN(v->step, UINT16_MAX); }

const struct rd_priority rd_priority_recipe = {.bits = 16, .of = of};

/* All alternatives are equal: the newest comes first (test_best.c). */
static uint64_t zero(const struct rd_priority_view *v) {
    (void)v;
    return 0;
}

const struct rd_priority rd_priority_equal = {.bits = 1, .of = zero};
