/*
 * by_mdpor.c - the priority by backtrack sets ("modified dpor"): as by_dpor.c, without the alternatives that are in
 * the backtrack set only because the racing thread was not enabled, and without those before a release.
 */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) {
    return !(rd_backtrack_marks_of(v->marks, v->step, v->child->pick) & RD_BACKTRACK_FIRM);
}

const struct rd_priority rd_priority_mdpor = {.bits = 1, .needs = RD_PRIORITY_RACES, .of = of};
