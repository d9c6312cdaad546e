/*
 * stack_parts.h - in detail mode: the part of a thread's stack that each of its calls has, to name the local
 * variables that threads share (struct rd_stack_part).
 */
#ifndef RD_RT_STACK_STACK_PARTS_H
#define RD_RT_STACK_STACK_PARTS_H

#include "trace/types.h"

/*
 * Stores the call stack of the calling thread, which is `tid`, as its stack in the record, and the addresses
 * between which each call has its variables. pre: the record has stacks
 */
void rd_stack_parts_capture(const struct rd_record *rec, rd_tid tid);
/* The call stack of the thread is no longer in the record. */
void rd_stack_parts_forget(const struct rd_record *rec, rd_tid tid);
/* An operation uses this memory: if it is in a stack, adds the part of the call that it belongs to to the record.
 */
void rd_stack_parts_note(const struct rd_record *rec, rd_place place);

#endif
