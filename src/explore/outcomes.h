/*
 * outcomes.h - the endings of executions. An *ending* (struct rd_ending) is the standard output, the exit status
 * and the values of raddle_observe. Each different ending is kept with the number of executions that had it and
 * with the schedule of the first.
 *
 * The ending of an execution follows from its class: streams are locked, and observed values are listed by name,
 * then by thread, then in the order in which the thread observed them. So a search that runs one execution of each
 * class shows every ending.
 */
#ifndef RD_EXPLORE_OUTCOMES_H
#define RD_EXPLORE_OUTCOMES_H

#include "channel/channel.h"

/* Returns a hash of an output of `size` bytes; at most the first RD_OUTPUT_MAX are read. */
uint64_t rd_outcomes_output_key(const char *text, uint64_t size);
/* --expect-output: makes an execution that passed a finding if its output is not the expected one. */
void rd_outcomes_expect(struct rd_channel *c);
/* --outcomes: counts the ending of the execution in the channel, which is one of the search. */
void rd_outcomes_note(struct rd_channel *c);
/*
 * The same for an extra execution, which is none of the search: one that tries to make a predicted deadlock happen.
 * It counts only if it ends with a bug, and as long as no execution of the search has had the ending.
 */
void rd_outcomes_note_extra(struct rd_channel *c);

#endif
