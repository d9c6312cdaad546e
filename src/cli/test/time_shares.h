/*
 * time_shares.h - how much time each test of `raddle test` gets. Pure: the caller reads the clock.
 *
 * A search cannot be resumed and nobody knows before which tests are long, so there are two rounds. In the first
 * one each test gets the same small part of its equal share; most tests of a real suite end there. What they leave
 * is divided among the tests that were not finished, which begin again: at most that small part is lost.
 */
#ifndef RD_CLI_TEST_TIME_SHARES_H
#define RD_CLI_TEST_TIME_SHARES_H

#include "base/base.h"

/* The time of a test in the first round. 0: one round is enough. `tests` run in `at_once` slots. */
double rd_time_shares_first(double left_s, uint32_t tests, uint32_t at_once);

/*
 * The time of a test that starts now in a free slot; `queued` tests have not started, this one included. It is
 * never more than `left_s`, or than `first_s` unless that is 0. 0 or less: the time is over.
 */
double rd_time_shares_next(double left_s, uint32_t queued, uint32_t at_once, double first_s);

#endif
