/* child.h - starting child processes and waiting for them: code that the hooks in this folder share. */
#ifndef RD_RT_HOOK_PROCESS_CHILD_H
#define RD_RT_HOOK_PROCESS_CHILD_H

#include "rt/process/child_table.h"

#include <spawn.h>

/*
 * Makes a copy of this process by `call(a)`, which returns as fork() does; `handlers`: with the handlers of
 * pthread_atfork. Returns the program's number of the child, 0 in the child, or -1 with errno.
 */
pid_t rd_hook_copy(long (*call)(const long a[6]), const long a[6], bool handlers, uint64_t pc);

/* The arguments of posix_spawn; `search`: the file is searched in PATH, as posix_spawnp does. */
struct rd_spawn {
    const char *file;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attr;
    char *const *argv, *const *envp;
    bool search;
};
int rd_hook_spawn(pid_t *pid, const struct rd_spawn *s, uint64_t pc); /* 0 or an errno value */

/* waitpid(); numbers are the program's. */
pid_t rd_hook_waitpid(pid_t pid, int *status, int options, uint64_t pc);

/*
 * atfork.c: run the program's handlers. prepare returns the number of handlers that are registered; the other two
 * run that many of them.
 */
unsigned rd_atfork_prepare(void);
void rd_atfork_parent(unsigned count);
void rd_atfork_child(unsigned count);
/* True: rd_hook_copy calls libc's fork, and has run the handlers itself. */
extern bool rd_atfork_by_us;

/* child_locks.c: in a copy of the process, puts libc's own locks into the state that the model has for them. */
void rd_child_locks(void);

/*
 * sigchld.c: prepares for the SIGCHLD of a child that is about to be started; gives a short-lived child that was
 * started time to end and send it.
 */
void rd_sigchld_hold(void);
void rd_sigchld_settle(const struct rd_child *c);

#endif
