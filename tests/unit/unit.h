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
int test_base(void);
int test_trace(void);
int test_schedule(void);
int test_report(void);
int test_unseen_code(void);
int test_rule(void);
int test_sharing(void);
int test_symbols(void);
int test_thread_mutex(void);
int test_cond_clock(void);
int test_primitives(void);
int test_timeouts(void);
int test_order(void);
int test_fair(void);
int test_engine(void);
int test_divergence(void);
int test_endings(void);
int test_counts(void);
int test_primitive_counts(void);
int test_harness(void);
int test_sim(void);
int test_search(void);
int test_auto(void);
int test_random(void);
int test_sample(void);
int test_pctvb(void);
int test_rff(void);
int test_surw(void);
int test_loop(void);
int test_resume(void);
int test_sync_rules(void);
int test_cover(void);
int test_claims(void);
int test_io(void);
int test_team_op(void);
int test_futex(void);
int test_dpor(void);
int test_icb(void);
int test_delay(void);
int test_best(void);
int test_depth(void);
int test_exitblock(void);
int test_exitblock_brute(void);
int test_lockset(void);
int test_detectors(void);
int test_track(void);
int test_hb_graph(void);
int test_turns(void);
int test_race(void);
int test_heap(void);
int test_spin(void);
int test_stall(void);
int test_probe(void);
int test_sites(void);
int test_focus(void);
int test_profile(void);
int test_rank(void);
int test_lockorder(void);
int test_outcomes(void);
int test_minimise(void);
int test_recipe(void);
int test_result(void);
int test_refine(void);
int test_why(void);
int test_status(void);
int test_team(void);
int test_auto_team(void);
int test_team_parts(void);

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
