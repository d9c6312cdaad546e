/* by_ss.c - the priority by sleep sets: threads that a sleep set would hold back come last. */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) {
    return rd_backtrack_marks_of(v->marks, v->step, v->child->pick) & RD_BACKTRACK_ASLEEP ? 1 : 0;
}

const struct rd_priority rd_priority_ss = {.bits = 1, .needs = RD_PRIORITY_SLEEP, .of = of};
