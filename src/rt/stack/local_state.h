/* local_state.h - a hash of the local state of a thread: its registers and its stack. See local_state.c. */
#ifndef RD_RT_STACK_LOCAL_STATE_H
#define RD_RT_STACK_LOCAL_STATE_H

#include <stdint.h>

/*
 * Returns a hash of the calling thread's registers and stack at the hook that was called from `pc` (raw); 0: they
 * are not known. Marks the registers that entry_*.S has kept as used, so a second call returns 0.
 */
uint64_t rd_local_state(uint64_t pc);

#endif
