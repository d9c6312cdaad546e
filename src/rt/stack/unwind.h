/* unwind.h - return addresses of the calling thread, by the unwind tables. See unwind.c. */
#ifndef RD_RT_STACK_UNWIND_H
#define RD_RT_STACK_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* The addresses between which a call has its variables: its stack pointer, and the stack pointer before the call.
 */
struct rd_stack_extent {
    uint64_t low, high; /* high 0: not known */
};

/*
 * Stores up to `max` return addresses, innermost first, as places and without the runtime's own frames; returns
 * their number. `interrupted`: the caller is a signal handler, and the first frame is the one that the signal
 * interrupted. `extents`: where the calls have their variables, or NULL. pre: max > 0
 */
uint32_t rd_stack_capture(uint64_t *to, uint32_t max, bool interrupted, struct rd_stack_extent *extents);
/* Called by the handler of fatal signals. Does not return if the unwinder has caused the signal. */
void rd_stack_fault(void);
/* Makes the unwinder initialise itself, before the program's own code runs. */
void rd_stack_init(void);

#endif
