/* fault.h - the program's handlers of faults. */
#ifndef RD_RT_HOOK_PROCESS_FAULT_H
#define RD_RT_HOOK_PROCESS_FAULT_H

#include "rt/hook/hook.h"

bool rd_fault_is_one(int sig); /* of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP */
/* sigaction() for one of these signals. */
int rd_fault_action(int sig, const struct sigaction *act, struct sigaction *old);

#endif
