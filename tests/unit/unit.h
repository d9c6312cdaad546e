/*
 * unit.h - every file of unit tests includes it. Declares the groups of tests that main.c runs; each file is one
 * group.
 */
#ifndef RD_TEST_UNIT_H
#define RD_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/hb_class.h"

/* Each function returns the number of tests that failed. */
#define GROUP(name) int name(void);
#include "groups.def"
#undef GROUP

/*
 * Returns whether case number i of a long loop over cases is run: every case with `unit --slow`, otherwise one case
 * in `part`. The cases left out differ from the cases run only in the program or the seed.
 */
bool unit_takes(uint64_t i, unsigned part);
/* Returns whether all cases are run (`unit --slow`). */
bool unit_is_slow(void);
/* Like assert_int_equal; the message names the program and the number that is compared. */
void unit_count(const char *program, const char *number, uint64_t got, uint64_t expected);
/* Adds the operation to the class `o` as an event. */
void unit_order(struct rd_hb_class *o, rd_tid tid, const struct rd_op *op, rd_tid other);
/* Runs the function in a child process. Returns true if the function ends the process with RD_BUG. */
bool unit_is_bug(void (*fn)(void *ctx), void *ctx);

#endif
