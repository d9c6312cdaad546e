/* by_method.c - the priority by functions: first the preemptions between operations in functions that the user
 * names.
 */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) { return rd_priority_unlisted(v, RD_NAMES_METHOD); }

const struct rd_priority rd_priority_method = {.bits = 2, .names = true, .needs = RD_PRIORITY_PENDING, .of = of};
