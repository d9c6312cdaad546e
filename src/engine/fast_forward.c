/* fast_forward.c - an execution that goes on from a step of an earlier one, by a plan with the same beginning. */
#include "engine/engine.h"
#include "engine/enabled.h"

void rd_engine_resume(struct rd_engine *e, const struct rd_plan *plan) {
    RD_CHECK(e->recording && plan->picker < RD_PICKERS && plan->prefix_count > e->rec.out->steps);
    RD_CHECK(!plan->sparse && !rd_accesses_selective(plan->access_points) && e->chosen == RD_TID_NONE);
    e->plan = *plan;
    e->picker = rd_pickers[plan->picker];
    e->picker->begin(e->picker_state, &e->plan);
    e->rec.out->prefix_used = e->rec.out->steps; /* one element for each step, since the plan is not sparse */
    e->asked_version = 0;
    e->sleeping = (struct rd_bits){0};
    for (uint32_t i = 0; i < plan->sleep_count; i++) {
        RD_CHECK(e->rec.sleep[i] < RD_TID_MAX && !rd_bits_has(&e->sleeping, e->rec.sleep[i]));
        rd_bits_add(&e->sleeping, e->rec.sleep[i]);
    }
    e->asleep = plan->sleep_count;
    e->quiet_until = rd_enabled_quiet_until(e);
}
