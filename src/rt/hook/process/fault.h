/* fault.h - handlers of the program's for faults of its own. */
#ifndef RD_RT_HOOK_PROCESS_FAULT_H
#define RD_RT_HOOK_PROCESS_FAULT_H

#include "rt/hook/hook.h"

bool rd_fault_is_one(int sig);
/* As sigaction(), for one of those. */
int rd_fault_action(int sig, const struct sigaction *act, struct sigaction *old);

#endif
