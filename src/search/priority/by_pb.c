/* by_pb.c - the priority by preemptions: executions with fewer come first, as in iterative context bounding. */
#include "search/priority/priority.h"

static uint64_t of(const struct rd_priority_view *v) { return v->child->cost; }

const struct rd_priority rd_priority_pb = {.bits = 16, .is_the_cost = true, .of = of};
