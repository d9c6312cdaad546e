"""The kinds of isolation agree, and a program that is not deterministic is reported."""
import re

from common import Contract, Failure, PROGRAMS, SOURCES, run

PROGRAMS_FAST = (("ok/gambit_2x2.c", "hooks"), ("ok/slot_1p1c.c", "plain"), ("bug/abba.c", "plain"),
                 ("bug/lost_update.c", "hooks"), ("bug/splitsync.c", "plain"), ("bug/bank_transfer.c", "plain"),
                 ("ok/small_stack.c", "plain"), ("ok/heap_reuse.c", "hooks"), ("ok/stdio.c", "plain"),
                 ("bug/null_dereference.c", "plain"), ("ok/long_beginning.c", "plain"), ("ok/thread_local_dtor.cc", "plain"),
                 ("bug/crash_without_threads.c", "plain"), ("ok/stream_lock.c", "plain"))
STRATEGIES_FAST = ("dfs", "random", "dpor")
WAYS = ("snapshot", "fork", "exec")
OTHER_WAYS = ("auto", "exec")


def agree(tools, name, mode, strategy, ways=WAYS, under="isolation"):
    """Same executions in the same order, same findings, and the same bytes of the schedule files."""
    contract, seen = Contract(PROGRAMS / name), {}
    program, own = tools.program(name, mode=mode, compiler=contract.compilers[0]), contract.options
    at = own.index("--max-steps") if "--max-steps" in own else len(own)
    steps = own[at:at + 2] or ["--max-steps", "100000"]  # an endless execution need not be long thirty times
    for way in ways:
        work = tools.dir(f"{under}-{name}-{mode}")  # the same directory: it is part of the schedule
        options = ["-s", strategy, "-n", "30", "--keep-going", "--max-seconds", "20", "--isolation", way, *steps]
        done, s = tools.search(work, options, program)
        if way == "snapshot" and "snapshot isolation is not possible" in done.err:
            return False
        if way == "fork" and "cannot be made anew" in done.err:  # descriptors that only a snapshot can put back
            done.expect(2)
            continue
        if s is None or way not in ("auto", s["isolation"]):
            done.fail(f"isolation {s and s['isolation']}")
        found = [[f["kind"], f["file"], f["line"], f["execution"], (work / f["schedule"]).read_bytes()]
                 for f in s["findings"]]
        counts = [s[k] for k in ("digest", "executions", "distinct_orders", "steps", "finished", "threads_max")]
        seen[way] = [done.status, *counts], found
    for way in seen:
        if seen[way] != seen[ways[0]]:
            done.fail(f"{name} {mode} {strategy}: {ways[0]} {seen[ways[0]][0]}, {way} {seen[way][0]}, "
                      f"findings equal: {seen[way][1] == seen[ways[0]][1]}")
    return True


def test_ways_agree(tools):
    for name, mode in PROGRAMS_FAST:
        for strategy in STRATEGIES_FAST:
            if not agree(tools, name, mode, strategy, WAYS if strategy == "dfs" else WAYS[:2]):
                raise Failure(f"{name}: no snapshot is possible")
    # an execution that is run again because it lacked a stack of that size has counted its accesses once
    agree(tools, "ok/small_stack.c", "hooks", "pctvb", WAYS[:2])
    # a failure before the first thread has followed no plan, in any isolation
    agree(tools, "bug/deadlock_without_threads.c", "hooks", "pctvb")
    # what the first thread has set before there was a second one belongs to every execution
    agree(tools, "bug/cancel_any_alone.c", "hooks", "exitblock")
    # independent of when a child ends
    agree(tools, "bug/process_reaper.c", "plain", "random", OTHER_WAYS)


def test_all_agree(tools):
    """Every program with every strategy: all kinds of isolation, or all but snapshots where these cannot isolate it.
    Without the programs whose end depends on the clock."""
    names = run([tools.raddle, "list", "strategies"]).expect(0).out
    strategies = re.findall(r"^([a-z]+)", names, re.M)
    for source in sorted(p for kind in ("ok", "bug", "hooks") for p in (PROGRAMS / kind).iterdir() if p.suffix in SOURCES):
        name = str(source.relative_to(PROGRAMS))
        if "--max-seconds" in Contract(source).options:
            continue
        ways = WAYS
        for strategy in strategies:
            if not agree(tools, name, "hooks", strategy, ways, "isolation-all"):
                ways = OTHER_WAYS
                agree(tools, name, "hooks", strategy, ways, "isolation-all")


test_all_agree.slow = True


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
    """Every execution runs a prefix of the search again, which notices a coin with another result. The probability that
    200 executions with eight coins each agree by accident is far below 1e-9."""
    work = tools.dir(name)
    program = tools.text_program(work, f"{name}.c", UNSTEADY, mode="plain", flags=flags)
    for way in ("snapshot", "fork", "exec"):
        command = [tools.raddle, "run", "-s", "dfs", "-n", "200", "--isolation", way, "-o", work / "out", program]
        done = run(command, cwd=work).expect_trouble("deterministic")
        if "step" not in done.err or "lock" not in done.err:
            done.fail("the first difference is not named (step and operation)")


def test_reads_proc_self_stat(tools):
    unsteady(tools, "reads_stat", ())


def test_reads_the_cycle_counter(tools):
    unsteady(tools, "reads_cycles", ("-DCYCLES",))
