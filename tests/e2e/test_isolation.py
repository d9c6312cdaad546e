"""The ways of isolation agree, and a program that is not deterministic is told so."""
from common import run

PROGRAMS = (("ok/gambit_2x2.c", "hooks"), ("ok/slot_1p1c.c", "plain"), ("bug/abba.c", "plain"),
            ("bug/lost_update.c", "hooks"), ("bug/splitsync.c", "plain"), ("bug/bank_transfer.c", "plain"))


def test_fork_and_exec_agree(tools):
    """Same executions, orders, findings and schedules under dfs."""
    for name, mode in PROGRAMS:
        program, seen = tools.program(name, mode=mode), []
        for way in ("fork", "exec"):
            work = tools.dir(f"isolation-{name}")  # the same directory: it is part of the schedule
            done, s = tools.search(work, ["-s", "dfs", "--keep-going", "--isolation", way], program)
            if s is None or s["isolation"] != way:
                done.fail(f"isolation {s and s['isolation']}")
            found = [[f["kind"], f["file"], f["line"], f["execution"], (work / f["schedule"]).read_bytes()]
                     for f in s["findings"]]
            counts = [s[key] for key in ("executions", "distinct_orders", "steps", "complete", "threads_max")]
            seen.append(([done.status, *counts], found))
        if seen[0] != seen[1]:
            done.fail(f"{name}: fork {seen[0][0]}, exec {seen[1][0]}, findings equal: {seen[0][1] == seen[1][1]}")


def test_auto_says_which(tools):
    work = tools.dir("isolation_auto")
    done, s = tools.search(work, ["-s", "dfs"], tools.program("ok/gambit_2x2.c"))
    done.expect(0)
    if s["isolation"] not in ("fork", "exec", "snapshot"):
        done.fail(f"isolation '{s['isolation']}'")


UNSTEADY = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned outside(void) { /* something that differs from execution to execution */
#ifdef CYCLES
    return (unsigned)(__rdtsc() >> 4);
#else
    char text[512] = "";
    FILE *f = fopen("/proc/self/stat", "r");
    if (!f || !fgets(text, sizeof text, f))
        abort();
    fclose(f);
    unsigned h = 2166136261u;
    for (char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    return h;
#endif
}

static void *worker(void *arg) {
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        if (outside() & 1) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock); /* one operation more, or not */
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
"""


def unsteady(tools, name, flags):
    """A prefix of the search is run again at every execution; a coin that falls otherwise is seen there. The chance
    that 200 executions with eight coins each agree by accident is far below 1e-9."""
    work = tools.dir(name)
    program = tools.text_program(work, f"{name}.c", UNSTEADY, mode="plain", flags=flags)
    for way in ("fork", "exec"):
        command = [tools.raddle, "run", "-s", "dfs", "-n", "200", "--isolation", way, "-o", work / "out", program]
        done = run(command, cwd=work).expect_trouble("deterministic")
        if "step" not in done.err or "lock" not in done.err:
            done.fail("the first difference is not named (step and operation)")


def test_reads_proc_self_stat(tools):
    unsteady(tools, "reads_stat", ())


def test_reads_the_cycle_counter(tools):
    unsteady(tools, "reads_cycles", ("-DCYCLES",))
