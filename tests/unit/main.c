/*
 * main.c - runs all groups of unit tests: the pure parts of Raddle, and whole searches over simulated programs
 * (sim.h) whose numbers are known exactly. Everything is deterministic: fixed seeds, no clocks, no real threads.
 *
 *     unit           two seconds; long loops over programs and seeds run only some of their cases (unit_takes)
 *     unit --slow    all cases
 *
 * tests/unit/slowest.py prints the tests that take longest.
 */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool slow;

bool unit_is_slow(void) { return slow; }

bool unit_takes(uint64_t i, unsigned part) { return slow || i % part == 0; }

void unit_count(const char *program, const char *number, uint64_t got, uint64_t expected) {
    if (got == expected)
        return;
    print_error("%s: %s: %llu, expected %llu\n", program, number, (unsigned long long)got,
                (unsigned long long)expected);
    fail();
}

static _Noreturn void die_quietly(void (*fn)(void *ctx), void *ctx) {
    static const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGILL, SIG_DFL); /* cmocka's own handler would report a failed test */
    signal(SIGTRAP, SIG_DFL);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    fn(ctx);
    _exit(0);
}

void unit_order(struct rd_hb_class *o, rd_tid tid, const struct rd_op *op, rd_tid other) {
    struct rd_op about = *op;
    if (other != RD_TID_NONE)
        about.arg = other;
    struct rd_event e = rd_event_of_op(tid, &about, other);
    rd_hb_class_event(o, &e);
}

bool unit_is_bug(void (*fn)(void *ctx), void *ctx) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        die_quietly(fn, ctx);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGILL || WTERMSIG(status) == SIGTRAP);
}

int main(int argc, char **argv) {
    static int (*const groups[])(void) = {
#define GROUP(name) name,
#include "groups.def"
#undef GROUP
    };
    int failed = 0;
    unsetenv("XDG_STATE_HOME"); /* no key: schedules are not signed */
    unsetenv("HOME");
    slow = argc > 1 && strcmp(argv[1], "--slow") == 0;
    for (size_t i = 0; i < RD_COUNT(groups); i++)
        failed += groups[i]();
    if (failed)
        fprintf(stderr, "%d unit tests failed\n", failed);
    return failed ? 1 : 0;
}
