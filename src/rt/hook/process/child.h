/* child.h - starting and awaiting child processes, for all interposers that do. */
#ifndef RD_RT_HOOK_PROCESS_CHILD_H
#define RD_RT_HOOK_PROCESS_CHILD_H

#include "rt/process/child_table.h"

#include <spawn.h>

/* A copy of this process by `call`, which returns as fork does; with the handlers of pthread_atfork or without. */
pid_t rd_hook_copy(long (*call)(const long a[6]), const long a[6], bool handlers, uint64_t pc);

/* What posix_spawn needs; `search`: the file is looked for as posix_spawnp does. */
struct rd_spawn {
    const char *file;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attr;
    char *const *argv, *const *envp;
    bool search;
};
int rd_hook_spawn(pid_t *pid, const struct rd_spawn *s, uint64_t pc); /* 0 or an error */

/* As waitpid; the child with this number, status as the kernel's. */
pid_t rd_hook_waitpid(pid_t pid, int *status, int options, uint64_t pc);

/* atfork.c: the handlers that were registered when the first of these is called. */
unsigned rd_atfork_prepare(void);
void rd_atfork_parent(unsigned count);
void rd_atfork_child(unsigned count);
/* While set, libc's own fork runs none of them. */
extern bool rd_atfork_by_us;

/* child_locks.c: this process is the copy: locks look to libc as the model knows them. */
void rd_child_locks(void);

/* sigchld.c: a child is about to be made; it was made, and its signal gets a moment to come. */
void rd_sigchld_hold(void);
void rd_sigchld_settle(const struct rd_child *c);

#endif
