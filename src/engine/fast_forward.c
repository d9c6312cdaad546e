/* resume.c - an execution that goes on from a point of an earlier one, with a plan that has the same beginning. */
#include "engine/engine.h"
#include "engine/enabled.h"

void rd_engine_resume(struct rd_engine *e, const struct rd_plan *plan) {
    RD_CHECK(e->recording && plan->picker < RD_PICKERS && plan->prefix_count > e->rec.out->steps);
    e->plan = *plan;
    e->picker = rd_pickers[plan->picker];
    e->picker->begin(e->picker_state, &e->plan);
    e->rec.out->prefix_used = e->rec.out->steps; /* an element for each: the plan is not sparse */
    e->asked_version = 0;
    e->sleeping = (struct rd_bits){0};
    for (uint32_t i = 0; i < plan->sleep_count; i++)
        rd_bits_add(&e->sleeping, e->rec.sleep[i]);
    e->asleep = plan->sleep_count;
    e->quiet = rd_enabled_quiet(e);
}
