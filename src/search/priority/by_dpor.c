/*
 * by_dpor.c - the priority by backtrack sets: first the alternatives that dynamic partial-order reduction would run
 * because of this execution.
 */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) {
    return !(rd_backtrack_marks_of(v->marks, v->step, v->child->pick) & RD_BACKTRACK_RACE);
}

const struct rd_priority rd_priority_dpor = {.bits = 1, .needs = RD_PRIORITY_RACES, .of = of};
