/* unwind.h - return addresses of the calling thread, by the unwind tables. See unwind.c. */
#ifndef RD_RT_STACK_UNWIND_H
#define RD_RT_STACK_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Stores up to `max` return addresses, innermost first, as places and without the runtime's own frames; returns how
 * many. `interrupted`: the caller is a signal handler, and the frames from the interrupted one on are meant.
 */
uint32_t rd_stack_capture(uint64_t *to, uint32_t max, bool interrupted);
/* Called by the handler of fatal signals: does not return if the unwinder has caused the signal. */
void rd_stack_fault(void);
/* Lets the unwinder initialise itself, before the program's own code runs. */
void rd_stack_init(void);

#endif
