/*
 * exec.c - exec: another program takes the place of the tested one. Unless the call fails it ends all threads, as
 * exit does. The other program is not controlled; the driver sees only its exit status.
 */
#include "rt/hook/process/child.h"
#include "rt/hook/hook.h"
#include "rt/raw.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

/* Finishes the outcome before the call, because a call that succeeds does not return. */
static void before_exec(uint64_t pc) {
    if (rd_rt.threaded)
        rd_rt_op((struct rd_op){.kind = RD_OP_PROCESS_START, .pc = pc});
    rd_rt_enter();
    if (rd_rt.threaded)
        rd_rt_finish_outcome();
    rd_rt.channel->execution.outcome.unseen |= RD_UNSEEN_EXEC;
}

/* The call has failed: the execution goes on. */
static int exec_failed(int result) {
    rd_rt.channel->execution.outcome.unseen &= (uint16_t)~RD_UNSEEN_EXEC;
    rd_rt.channel->execution.outcome.threads = 0;
    rd_rt_leave();
    return result;
}

long rd_hook_exec_raw(long number, const long a[6], uint64_t pc) {
    before_exec(pc);
    long r = rd_raw(number, a[0], a[1], a[2], a[3], a[4]);
    exec_failed(0);
    return r;
}

static int run(const char *file, char *const *argv, char *const *env, bool search, uint64_t pc) {
    bool on = rd_rt_active();
    if (on)
        before_exec(pc);
    int r = search ? RD_REAL(execvpe)(file, argv, env) : RD_REAL(execve)(file, argv, env);
    return on ? exec_failed(r) : r;
}

RD_EXPORT int execve(const char *file, char *const argv[], char *const env[]) {
    return run(file, argv, env, false, RD_PC());
}
RD_EXPORT int execv(const char *file, char *const argv[]) { return run(file, argv, environ, false, RD_PC()); }
RD_EXPORT int execvp(const char *file, char *const argv[]) { return run(file, argv, environ, true, RD_PC()); }
RD_EXPORT int execvpe(const char *file, char *const argv[], char *const env[]) {
    return run(file, argv, env, true, RD_PC());
}

RD_EXPORT int fexecve(int fd, char *const argv[], char *const env[]) {
    bool on = rd_rt_active();
    if (on)
        before_exec(RD_PC());
    int r = RD_REAL(fexecve)(fd, argv, env);
    return on ? exec_failed(r) : r;
}

RD_EXPORT int execveat(int dir, const char *file, char *const argv[], char *const env[], int flags) {
    bool on = rd_rt_active();
    if (on)
        before_exec(RD_PC());
    int r = RD_REAL(execveat)(dir, file, argv, env, flags);
    return on ? exec_failed(r) : r;
}

/*
 * execl(): collects the arguments up to the null pointer; `with_env`: the environment is the argument after that.
 */
static int run_list(const char *file, const char *first, va_list *more, bool search, bool with_env, uint64_t pc) {
    va_list count;
    va_copy(count, *more);
    size_t n = first != NULL;
    while (first && va_arg(count, const char *))
        n++;
    va_end(count);
    char *argv[n + 1];
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; first && i <= n; i++)
        argv[i] = va_arg(*more, char *);
    return run(file, argv, with_env ? va_arg(*more, char *const *) : environ, search, pc);
}

#define RD_EXEC_LIST(name, search, with_env)                           \
    RD_EXPORT int name(const char *file, const char *arg, ...) {       \
        va_list more;                                                  \
        va_start(more, arg);                                           \
        int r = run_list(file, arg, &more, search, with_env, RD_PC()); \
        va_end(more);                                                  \
        return r;                                                      \
    }

RD_EXEC_LIST(execl, false, false)
RD_EXEC_LIST(execlp, true, false)
RD_EXEC_LIST(execle, false, true)
