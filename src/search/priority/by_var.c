/* by_var.c - the priority by variables: first the preemptions between operations on variables that the user names.
 */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) { return rd_priority_unlisted(v, RD_NAMES_VAR); }

const struct rd_priority rd_priority_var = {.bits = 2, .names = true, .needs = RD_PRIORITY_PENDING, .of = of};
