/*
 * exprs.h - the expressions over registers that random programs use: only a few, so that their values are often
 * equal.
 */
#ifndef RD_FUZZ_EXPRS_H
#define RD_FUZZ_EXPRS_H

#include "sim.h"

/* Expressions by any number: a value, a condition to test or to assert, a change of a variable. */
sim_expr fuzz_value(uint32_t n);
sim_expr fuzz_test(uint32_t n);
sim_update fuzz_update(uint32_t n);
/* The result of the last trylock or timed operation. */
int fuzz_tried(const int *r);

const char *fuzz_expr_name(sim_expr e);
const char *fuzz_update_name(sim_update u);

#endif
