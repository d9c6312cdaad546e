/*
 * outcomes.h - what executions end with: what was printed on standard output, the exit status, the values of
 * raddle_observe. Each different one is kept with its number of executions and the schedule of the first.
 *
 * What an execution ends with follows from its class: streams are locked, and observed values are listed by name,
 * then by thread, then in the order of the thread. So a search that runs one execution of each class shows them
 * all.
 */
#ifndef RD_EXPLORE_OUTCOMES_H
#define RD_EXPLORE_OUTCOMES_H

#include "channel/channel.h"

/* What stands for an output. */
uint64_t rd_output_key(const char *text, uint64_t size);
/* --expect-output: an execution that passed and has printed something else is a finding. */
void rd_outcomes_expect(struct rd_channel *c);
/* --outcomes: counts the execution that is in the channel. */
void rd_outcomes_note(struct rd_channel *c);

#endif
