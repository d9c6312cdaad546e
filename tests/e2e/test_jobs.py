"""Several workers: together they run what one worker runs, and no execution is lost when one of them dies."""
import os
import signal
import threading
from pathlib import Path

import re

LOCKS = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *add(void *a) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return a;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""

# The order of the first creations depends on the schedule, so every worker numbers the threads in another order.
NESTED = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *leaf(void *a) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return a;
}
static void *branch(void *a) {
    pthread_t t;
    pthread_create(&t, NULL, leaf, NULL);
    pthread_join(t, NULL);
    return a;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, branch, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""

# One execution kills the worker that runs it; when another worker runs it again, it ends in a bug.
KILLER = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order[4], n;
static void *add(void *a) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        order[n++] = *(int *)a;
        pthread_mutex_unlock(&m);
    }
    return a;
}
static int parent(void) { /* by the kernel's number: what getppid() gives is refused */
    int pid = 0;
    FILE *f = fopen("/proc/self/stat", "r");
    assert(f && fscanf(f, "%*d (%*[^)]) %*c %d", &pid) == 1);
    return pid;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (argc > 1 && order[0] == 1 && order[1] == 0) {
        if (syscall(SYS_open, argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
            kill(parent(), SIGKILL);
        assert(!"in the execution that killed the search");
    }
    return 0;
}
"""

# An execution takes some milliseconds, so that the search is in an execution whenever it is killed.
LONG = """
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int turns;
static void *add(void *a) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return a;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (turns < 5000000)
        turns++;
    return 0;
}
"""

# The first process makes one more operation than the others.
UNLIKE = """
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int more;
static void *add(void *a) {
    for (int i = 0; i < 2 + more; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return a;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    more = argc > 1 && syscall(SYS_open, argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""

SAME = ("executions", "cut", "distinct_orders", "steps", "finished", "guarantee", "preemptions")


def search(tools, work, program, strategy, jobs, *options, args=(), status=0):
    done, summary = tools.search(work, ["-s", strategy, "-j", str(jobs), *options], program, args=args)
    done.expect(status)
    return done, summary


def compare(tools, work, program, strategy, jobs, *options):
    _, one = search(tools, work, program, strategy, 1, *options)
    done, some = search(tools, work, program, strategy, jobs, *options)
    if some["workers"] < 2:
        done.fail(f"{strategy}: {some['workers']} worker")
    for key in SAME:
        if key in ("cut", "steps") and strategy.startswith("exitblock"):
            continue  # a branch that was handed over may be run again from its start
        if one.get(key) != some.get(key):
            done.fail(f"{strategy}: '{key}' is {some.get(key)} with {jobs} workers, {one.get(key)} with one")


def test_the_same_executions(tools):
    work = tools.dir("jobs_same")
    program = tools.text_program(work, "locks.c", LOCKS, mode="plain")
    for strategy, jobs, *options in (("dfs", 2), ("dfs", 3), ("icb", 2), ("icb:c=2", 3), ("delay:d=3", 2), ("best:pb", 2),
                                     ("dpor", 2), ("dpor:optimal", 2), ("random", 2, "-n", "120"), ("pos", 3, "-n", "120"),
                                     ("idfs", 2), ("bpor", 2), ("bpor:c=1", 3), ("dpor:classic", 2), ("icb:sleep", 2),
                                     ("icb:c=1,sleep", 3), ("exitblock", 2), ("exitblock:rw,dd", 3)):
        compare(tools, work, program, strategy, jobs, *options)


def test_variables_of_all_workers(tools):
    """Sets of variables are drawn, or tried, from the profiles of all workers' executions."""
    work = tools.dir("jobs_variables")
    program = tools.text_program(work, "locks.c", LOCKS, mode="hooks")
    compare(tools, work, program, "random:v=1", 2, "-n", "120")
    compare(tools, work, program, "rank:c=1,plain", 2)
    _, one = search(tools, work, program, "rank", 1)
    done, some = search(tools, work, program, "rank", 2)
    proved = [re.sub(r" \(.* executions\)", "", s["bounds"]["proved"] or "") for s in (one, some)]
    if not proved[0] or proved[0] != proved[1] or not some["finished"]:
        done.fail(f"'{proved[1]}' with 2 workers, '{proved[0]}' with one")
    if some["workers"] != 2 or not 0.8 * one["executions"] < some["executions"] < 1.2 * one["executions"]:
        done.fail(f"{some['executions']} executions, {one['executions']} of one worker")
    done, summary = search(tools, work, program, "rank:random", 2, "-n", "200")
    if summary["executions"] != 200 or summary["workers"] != 2 or summary["finished"]:
        done.fail(f"{summary['executions']} executions by {summary['workers']}")
    _, _, schedule = tools.find(work, ["-s", "rank:c=2,v=1", "--points", "all", "-j", "2"],
                                tools.program("bug/rank_fig3.c"), "assertion")
    tools.replay(work, schedule, "kernel", 2)


def test_visited_classes_are_common(tools):
    """Each worker prunes what another has covered: the same orders, and hardly more executions."""
    work = tools.dir("jobs_visited")
    program = tools.text_program(work, "locks.c", LOCKS, mode="plain")
    for strategy in ("icb:cache", "icb:c=1,cache"):
        _, one = search(tools, work, program, strategy, 1)
        _, plain = search(tools, work, program, strategy.replace("cache", "").rstrip(":,"), 1)
        done, some = search(tools, work, program, strategy, 2)
        for key in ("distinct_orders", "finished"):
            if one[key] != some[key] or plain["distinct_orders"] != one["distinct_orders"]:
                done.fail(f"{strategy}: '{key}' is {some[key]} with 2 workers, {one[key]} with one")
        if some["workers"] != 2 or some["executions"] > 1.5 * one["executions"]:
            done.fail(f"{strategy}: {some['executions']} executions, {one['executions']} of one worker")


def test_the_default(tools):
    """The parts of auto are divided: one proof by all workers, a sweep with numbered executions; any worker's finding
    ends the search."""
    work = tools.dir("jobs_auto")
    program = tools.text_program(work, "locks.c", LOCKS, mode="hooks")
    _, one = search(tools, work, program, "auto", 1)
    for strategy, jobs in (("auto", 2), ("auto:sweep=0", 3), ("auto:sweep=20", 2)):
        done, some = search(tools, work, program, strategy, jobs)
        if some["workers"] != jobs or not some["finished"] or some["guarantee"] != one["guarantee"]:
            done.fail(f"{strategy}: {some['workers']} workers, complete: {some['finished']}, {some['guarantee']}")
        if some["distinct_orders"] != one["distinct_orders"]:
            done.fail(f"{strategy}: {some['distinct_orders']} orders, {one['distinct_orders']} with one worker")
    done, some = search(tools, work, program, "auto", 2, "-n", "8")  # one execution fewer than it needs
    if some["executions"] + some["cut"] != 8 or some["finished"]:
        done.fail(f"{some['executions']} executions of 8, complete: {some['finished']}")
    _, _, schedule = tools.find(work, ["-j", "2"], tools.program("bug/abba.c"), "deadlock")
    tools.replay(work, schedule, "kernel", 2)


def test_samplers_that_learn(tools):
    work = tools.dir("jobs_learn")
    program = tools.text_program(work, "locks.c", LOCKS, mode="hooks")
    for strategy in ("urw", "surw", "pctvb", "rff"):
        done, summary = search(tools, work, program, strategy, 2, "-n", "200")
        if summary["executions"] != 200 or summary["workers"] != 2 or summary["finished"]:
            done.fail(f"{strategy}: {summary['executions']} executions by {summary['workers']}")


def test_threads_of_threads(tools):
    """A schedule that is handed to another worker names the same threads there."""
    work = tools.dir("jobs_nested")
    program = tools.text_program(work, "nested.c", NESTED, mode="plain")
    compare(tools, work, program, "icb:c=1", 2)
    compare(tools, work, program, "dpor", 2)


def test_findings_of_all_workers(tools):
    """The findings are those of one worker, each once, and each can be replayed."""
    work = tools.dir("jobs_findings")
    program = tools.program("bug/abba.c")
    _, one = search(tools, work, program, "dfs", 1, "--keep-going", status=1)
    done, some = search(tools, work, program, "dfs", 2, "--keep-going", status=1)
    if [f["kind"] for f in one["findings"]] != [f["kind"] for f in some["findings"]]:
        done.fail("other findings")
    for key in SAME:
        if one.get(key) != some.get(key):
            done.fail(f"'{key}' is {some.get(key)} with 2 workers, {one.get(key)} with one")
    for finding in some["findings"]:
        tools.replay(work, work / finding["schedule"], "virtual", 2)
    _, _, schedule = tools.find(work, ["-s", "icb", "-j", "2"], program, "deadlock")
    tools.replay(work, schedule, "kernel", 2)


def test_a_worker_that_dies(tools):
    """Another worker continues the search: as many executions as without a death, and the bug in the execution that
    killed the worker is found."""
    work = tools.dir("jobs_dies")
    program = tools.text_program(work, "killer.c", KILLER, mode="plain")
    _, whole = search(tools, work, program, "dfs", 1)
    wanted = {"dfs": whole["executions"], "dpor": 6, "pct": 200}
    for strategy, jobs in (("dfs", 1), ("dfs", 2), ("dpor", 2), ("pct", 2), ("auto", 2)):
        (work / "mark").unlink(missing_ok=True)
        budget = ["-n", "200"] if strategy == "pct" else []
        done, summary = search(tools, work, program, strategy, jobs, "-k", "--isolation", "fork", *budget, args=[work / "mark"], status=1)
        if "a worker died; only its last execution was run again" not in done.out or summary["workers"] != jobs:
            done.fail("nobody died, or nobody was told")
        if [f["kind"] for f in summary["findings"]] != ["assertion"]:
            done.fail("the bug is lost")
        if summary["executions"] != wanted.get(strategy, summary["executions"]) or summary["finished"] != (strategy != "pct"):
            done.fail(f"{summary['executions']} executions, {wanted.get(strategy)} when nobody dies")


def kill_one(program, over):
    """Kills a process of the program that has computed for a twentieth of a second."""
    while not over.wait(0.005):
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text().rsplit(")", 1)[1].split()
                if int(words[11]) >= os.sysconf("SC_CLK_TCK") // 20 and os.readlink(stat.parent / "exe") == str(program):
                    os.kill(int(stat.parent.name), signal.SIGKILL)
                    return
            except OSError:
                pass


def test_a_worker_that_is_killed(tools):
    """In the process that runs all executions: another worker continues in the same way."""
    work = tools.dir("jobs_killed")
    program = tools.text_program(work, "long.c", LONG, mode="plain")
    for strategy, jobs in (("dfs", 1), ("icb", 2)):
        over = threading.Event()
        killer = threading.Thread(target=kill_one, args=(program, over))
        killer.start()
        try:
            done, summary = search(tools, work, program, strategy, jobs)
        finally:
            over.set()
            killer.join()
        if "a worker died; only its last execution was run again" not in done.out:
            done.fail("nobody died, or more was done again")
        if summary["executions"] != 178 or not summary["finished"] or summary["workers"] != jobs or summary["isolation"] != "snapshot":
            done.fail(f"{summary['executions']} executions by {summary['workers']} workers, isolation {summary['isolation']}")


def test_workers_that_differ(tools):
    """A program that behaves differently in other processes is searched by one worker."""
    work = tools.dir("jobs_differ")
    program = tools.text_program(work, "unlike.c", UNLIKE, mode="plain")
    (work / "mark").unlink(missing_ok=True)
    done, summary = search(tools, work, program, "dfs", 2, args=[work / "mark"])
    if not summary["finished"] or summary["workers"] != 1 or "begun again with one" not in done.out:
        done.fail("it was searched by workers that differ")


def test_one_budget_for_all(tools):
    work = tools.dir("jobs_budget")
    program = tools.text_program(work, "locks.c", LOCKS, mode="plain")
    for strategy in ("dfs", "icb", "random"):
        done, summary = search(tools, work, program, strategy, 2, "-n", "60")
        if summary["executions"] + summary["cut"] != 60 or summary["finished"]:
            done.fail(f"{strategy}: {summary['executions']} executions")


def test_what_is_for_one_worker(tools):
    work = tools.dir("jobs_one")
    program = tools.program("ok/conflict_2x2.c")
    for options, words in ((["-s", "dfs", "--outcomes"], "--outcomes is for one worker: --jobs 2 has no effect"),
                           (["-s", "dfs", "--coverage", "c.csv"], "--coverage is for one worker: --jobs 2 has no effect"),
                           (["-s", "dfs", "--isolation", "exec"], "exec isolation is for one worker: --jobs 2 has no effect")):
        done, summary = tools.search(work, [*options, "-j", "2"], program)
        done.expect(0)
        if words not in done.err or summary["workers"] != 1:
            done.fail(f"not said: {words}")
    for wrong in ("0", "65", "x"):
        tools.search(work, ["-j", wrong], program)[0].expect_trouble("jobs")
