/* exprs.h - the expressions over registers that random programs use: few, so that they are often equal. */
#ifndef RD_FUZZ_EXPRS_H
#define RD_FUZZ_EXPRS_H

#include "sim.h"

/* By any number: a value, something to test or to assert, a change of a variable. */
sim_expr fuzz_value(uint32_t n);
sim_expr fuzz_test(uint32_t n);
sim_update fuzz_update(uint32_t n);
/* What the last try or timed operation said. */
int fuzz_tried(const int *r);

const char *fuzz_expr_name(sim_expr e);
const char *fuzz_update_name(sim_update u);

#endif
