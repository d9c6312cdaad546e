/*
 * exit.c - the ends of a program. Exit is an operation like any other: other threads may be at any point then, and
 * they go on while exit handlers and the destructors of all modules run. A failed assertion and abort() are
 * findings.
 */
#include "base/text.h"
#include "rt/hook/hook.h"
#include "rt/isolate/quick_exit.h"
#include "rt/isolate/snapshot.h"
#include "rt/process/standard_streams.h"
#include "rt/stack/unwind.h"
#include "rt/thread/failure_point.h"
#include "trace/place.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The operation of an exit; the outcome keeps the first exit of the execution. */
static void begin_exit(int status, uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = RD_OP_EXIT, .arg = (uint64_t)(unsigned)status, .pc = pc});
    struct rd_outcome *o = rd_rt.engine.rec.out;
    rd_self->exit_pc = pc;
    rd_self->exit_after = o->steps;
    if (!o->exiting) {
        o->exiting = 1;
        o->exit_status = status & 0xff;
        o->exit_tid = rd_self->tid;
        o->exit_pc = rd_place_of(pc);
    }
}

/*
 * All exit handlers have run, and a thread is about to end the process: for another thread that exits none is left.
 */
static bool all_run;

RD_EXPORT _Noreturn void exit(int status) {
    if (rd_rt_active()) {
        begin_exit(status, RD_PC());
        rd_vthread_run_dtors(rd_self);
        if (all_run) /* libc's exit() would run no handler, and so not rd_rt_end either */
            rd_rt_end_quickly();
        if (rd_snapshot_running() && rd_quick_exit_possible()) {
            rd_rt_end();
            rd_snapshot_leave((status & 0xff) << 8);
        }
    }
    RD_REAL(exit)(status);
    __builtin_unreachable();
}

static int add_handler(void (*fn)(void *), void *arg, void *module) {
    return ((int (*)(void (*)(void *), void *, void *))rd_real_get(&rd_real.__cxa_atexit))(fn, arg, module);
}

static void end(void *arg) {
    (void)arg;
    rd_rt_end();
}

/*
 * exit() calls handlers from the newest to the oldest. One of them calls the fini functions of all modules; it is
 * registered when the constructors of all modules have run. A handler that is older than that one runs when no code
 * of the program is left to run. It is registered for no module: else the fini function of this library would call
 * it.
 */
void rd_exit_last(void) {
    static bool added;
    if (!added) {
        added = true;
        add_handler(end, NULL, NULL);
    }
}

/* Also atexit(), which is a function in the program itself (libc_nonshared.a) that calls this one. */
RD_EXPORT int __cxa_atexit(void (*fn)(void *), void *arg, void *module) {
    rd_exit_last(); /* a module's constructor may run before this library's */
    rd_rt.exit_work++;
    return add_handler(fn, arg, module);
}

RD_EXPORT int on_exit(void (*fn)(int, void *), void *arg) {
    rd_exit_last();
    rd_rt.exit_work++;
    return RD_REAL(on_exit)(fn, arg);
}

/*
 * A second exit operation, if the thread's exit handlers made steps: other threads may run between those and the
 * end of the process.
 */
void rd_rt_last_exit(void) {
    const struct rd_outcome *o = rd_rt.engine.rec.out;
    if (rd_hook_on() && rd_self->exit_pc && rd_rt.engine.world.alive > 1 && o->steps > rd_self->exit_after) {
        all_run = true;
        rd_rt_op((struct rd_op){.kind = RD_OP_EXIT, .arg = (uint64_t)o->exit_status, .pc = rd_self->exit_pc});
    }
}

/* The execution ends here, without a finding: finishes the outcome and the captured output. */
static void finish_execution(void) {
    RD_CHECK(!rd_rt.ending); /* an execution ends once */
    rd_self->inside = 1;
    rd_rt.ending = true;
    rd_rt_finish_outcome();
    rd_standard_streams_flush();
}

void rd_hook_exit(int status, uint64_t pc) {
    if (rd_rt_active()) {
        begin_exit(status, pc);
        finish_execution();
        if (rd_snapshot_running())
            rd_snapshot_leave((status & 0xff) << 8);
    }
    RD_REAL(_exit)(status);
    __builtin_unreachable();
}

void rd_rt_end_quickly(void) {
    rd_rt_last_exit();
    if (rd_rt_active())
        finish_execution();
}

RD_EXPORT _Noreturn void _exit(int status) { rd_hook_exit(status, RD_PC()); }
RD_EXPORT _Noreturn void _Exit(int status) { rd_hook_exit(status, RD_PC()); }

RD_EXPORT _Noreturn void quick_exit(int status) {
    if (rd_rt_active())
        begin_exit(status, RD_PC());
    RD_REAL(quick_exit)(status);
    __builtin_unreachable();
}

static void say(const char *text) { (void)!write(2, text, strlen(text)); }

/*
 * A number for the place of an abort(). A library may call it for many reasons (an exception that nobody catches),
 * and so may a function of the program (die()), so the calls of the program's own code that led there count, too.
 */
static uint64_t callers_of(rd_place pc) {
    enum { FRAMES = 64, CALLERS = 2 };
    uint64_t frames[FRAMES], key = pc;
    uint32_t n = rd_stack_capture(frames, FRAMES, false, NULL), callers = 0;
    for (uint32_t i = 0; i < n && callers < CALLERS; i++) {
        if (rd_place_module(frames[i]) != 0 && !rd_place_is_instrumented(rd_place_address(frames[i])))
            continue;
        key = rd_hash2(key, frames[i]);
        callers++;
    }
    return key;
}

void rd_hook_failed(const char *what, const char *file, unsigned line, const char *function, uint64_t pc) {
    struct rd_finding f = {.kind = RD_ASSERTION, .tid = rd_self->tid, .line = (int32_t)line};
    rd_failure_point(pc);
    rd_self->inside = 1;
    f.pc = rd_place_of(pc);
    rd_text_copy(f.file, sizeof f.file, file);
    rd_text_copy(f.function, sizeof f.function, function);
    rd_text_copy(f.message, sizeof f.message, what);
    f.key = rd_hash2(RD_ASSERTION, line ? line : callers_of(f.pc));
    for (const char *p = f.file; *p; p++)
        f.key = rd_hash2(f.key, (unsigned char)*p);
    for (const char *p = line ? f.message : ""; *p; p++) /* two assertions may stand in one line */
        f.key = rd_hash2(f.key, (unsigned char)*p);
    rd_rt_found(&f);
}

/*
 * Returns whether an abort is reported as a finding here; a handler of the program for SIGABRT has run then. False:
 * the program has a handler and one thread, and libc's abort() calls the handler.
 */
static bool is_ours(void) {
    if (!rd_rt_active())
        return false;
    if (rd_finding_owns(SIGABRT))
        return true;
    if (rd_rt.threaded)
        rd_signal_run(SIGABRT);
    return rd_rt.threaded;
}

/* Prints glibc's message, so that the captured output is that of a run without Raddle. */
static void print_assertion(const char *what, const char *file, unsigned line, const char *function, uint64_t pc) {
    if (!rd_rt_active() || !(rd_rt.threaded || rd_finding_owns(SIGABRT)))
        return; /* libc is going to print it */
    char text[1024];
    struct rd_text t;
    rd_text_init(&t, text, sizeof text);
    rd_text_str(&t, program_invocation_short_name);
    rd_text_str(&t, ": ");
    rd_text_str(&t, file);
    rd_text_str(&t, ":");
    rd_text_dec(&t, line);
    rd_text_str(&t, ": ");
    if (function) {
        rd_text_str(&t, function);
        rd_text_str(&t, ": ");
    }
    rd_text_str(&t, what);
    rd_text_str(&t, "\n");
    rd_failure_point(
        pc); /* before the message: other threads may print first. rd_hook_failed() needs no other one */
    rd_standard_streams_flush(); /* earlier output comes first in the report */
    say(text);
}

RD_EXPORT _Noreturn void __assert_fail(const char *expr, const char *file, unsigned line, const char *function) {
    char what[512];
    struct rd_text t;
    rd_text_init(&t, what, sizeof what);
    rd_text_str(&t, "Assertion `");
    rd_text_str(&t, expr);
    rd_text_str(&t, "' failed.");
    print_assertion(what, file, line, function, RD_PC());
    if (!is_ours())
        RD_REAL(__assert_fail)(expr, file, line, function);
    rd_hook_failed(what, file, line, function, RD_PC());
}

RD_EXPORT _Noreturn void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    char what[512];
    struct rd_text t;
    rd_text_init(&t, what, sizeof what);
    rd_text_str(&t, "Unexpected error: ");
    rd_text_str(&t, strerrordesc_np(error) ? strerrordesc_np(error) : "unknown");
    rd_text_str(&t, ".");
    print_assertion(what, file, line, function, RD_PC());
    if (!is_ours())
        RD_REAL(__assert_perror_fail)(error, file, line, function);
    rd_hook_failed(what, file, line, function, RD_PC());
}

RD_EXPORT _Noreturn void abort(void) {
    if (!is_ours()) {
        RD_REAL(abort)();
        __builtin_unreachable();
    }
    rd_hook_failed("abort() was called", "", 0, "", RD_PC());
}
