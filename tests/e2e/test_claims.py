"""The claims of a search: the bound that it has proved, the conditions, the reasons that make it void; coverage,
progress."""
import csv
import re
from collections import Counter

from common import run

BOUNDS = ["strategy", "preemptions", "delays", "depth", "complete", "done", "estimate", "proved", "likely",
          "orders", "new_order", "missed", "conditions", "void"]
CONSISTENT = "sequential consistency"
HOOKS = "points: synchronisation, atomics and every instrumented access to memory that threads share"
COMPILED = "accesses that the compiler removed, merged or gave no hook are no points"
PLAIN = "points: synchronisation calls only, the program is not instrumented"
UNCHECKED = "data that threads share is not accessed without synchronisation (not checked)"
INPUT = "input fixed"


def claim(tools, name, options, program, status=0):
    """The summary of a search, after checks that hold for every summary."""
    work = tools.dir(f"claims-{name}")
    done, s = tools.search(work, options, program)
    done.expect(status)
    b = s["bounds"]
    if list(b) != BOUNDS:
        done.fail(f"'bounds' has the keys {list(b)}")
    if b["strategy"] != s["strategy"] or (b["complete"] and not s["complete"]):
        done.fail(f"bounds {b}, strategy {s['strategy']}, complete {s['complete']}")
    if sum(s["preemptions"]) != s["executions"]:
        done.fail(f"{s['executions']} executions, by preemptions {s['preemptions']}")
    if b["void"] and (s["complete"] or b["proved"] or s["guarantee"] != "nothing is proved: " + "; ".join(b["void"])):
        done.fail(f"void, but {s['guarantee']}")
    unseen = f"; not seen: {s['not_seen']}" if s["not_seen"] else ""
    if b["proved"] and s["guarantee"] != f"{b['proved']} ({'; '.join(b['conditions'])}){unseen}":
        done.fail(f"guarantee '{s['guarantee']}', proved '{b['proved']}' under {b['conditions']}")
    return done, s


def expect(done, what, got, wanted):
    if got != wanted:
        done.fail(f"{what}: {got}, expected {wanted}")


def test_complete(tools):
    for mode, points in (("hooks", [HOOKS, COMPILED]), ("plain", [PLAIN, UNCHECKED])):
        done, s = claim(tools, "complete", ["-s", "dfs"], tools.program("ok/gambit_2x2.c", mode=mode))
        b = s["bounds"]
        seen = mode == "hooks"
        expect(done, "complete", (s["complete"], b["complete"], b["done"], b["void"]), (seen, seen, 1, []))
        expect(done, "finished", s["finished"], True)
        expect(done, "estimate", b["estimate"], s["executions"])
        expect(done, "conditions", b["conditions"], [CONSISTENT, *points, INPUT])
        if not b["proved"] or f"{'complete' if seen else 'covered'}: {s['guarantee']}" not in done.text:
            done.fail("the text does not say what is proved")


def test_stopped(tools):
    done, s = claim(tools, "stopped", ["-s", "dfs", "-n", "3"], tools.program("ok/gambit_2x2.c"))
    b = s["bounds"]
    expect(done, "complete", (s["complete"], b["complete"], b["proved"], b["void"]), (False, False, None, []))
    expect(done, "guarantee", s["guarantee"], "nothing is proved: the search was not finished")
    done, s = claim(tools, "stopped", ["-s", "random", "-n", "3"], tools.program("ok/gambit_2x2.c"))
    expect(done, "guarantee", s["guarantee"], "schedules were sampled; nothing is proved")


def test_conditions(tools):
    """The conditions that applied in the executions are named."""
    program = tools.program("ok/cond_timedwait.c", mode="plain")
    for option, wake in (("0", "no condition wait wakes without a signal"),
                         ("2", "condition waits wake without a signal at most 2 times an execution")):
        done, s = claim(tools, "conditions", ["-s", "random", "-n", "20", "--spurious", option], program)
        for text in ("timed waits give up early at most 3 times a thread", wake):
            if text not in s["bounds"]["conditions"]:
                done.fail(f"'{text}' is not in {s['bounds']['conditions']}")
    done, s = claim(tools, "clock", ["-s", "random", "-n", "5"], tools.text_program(
        tools.dir("claims-clock-program"), "clock.c", CLOCK, mode="plain"))
    expect(done, "conditions", s["bounds"]["conditions"][-1], "clocks show virtual time, not every time that could be")
    done, s = claim(tools, "clock-dpor", ["-s", "dpor"], tools.text_program(
        tools.dir("claims-clock-program"), "clock.c", CLOCK, mode="plain"))
    expect(done, "conditions", s["bounds"]["conditions"][-1],
           "what the program does is the same whatever time it is (not checked)")


CLOCK = r"""
#include <pthread.h>
#include <time.h>
static void *look(void *arg) { return time(NULL) ? arg : NULL; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, look, NULL);
    pthread_join(t, NULL);
    return 0;
}
"""
SPIN = r"""
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static volatile int rounds; /* it changes something: a loop that does not is one that waits */
static void *set(void *arg) { flag = 1; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    while (!flag)
        rounds++;
    pthread_join(t, NULL);
    return 0;
}
"""
TALK = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void say(void) { puts("the end"); }
static void *work(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    say();
    return arg;
}
int main(void) {
    pthread_t t;
    atexit(say);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
"""
LONG = r"""
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    for (int i = 0; i < 9000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
"""


def test_void(tools):
    """Each of these makes a claim void, and is named."""
    work = tools.dir("claims-void-programs")
    spin = tools.text_program(work, "spin.c", SPIN)
    for options, program, status, reason in (
            (["-n", "5", "-s", "random"], tools.program("ok/io_child.c", mode="plain"), 0, "came from outside"),
            (["-n", "3", "-s", "random"], tools.program("ok/process_fork.c", mode="plain"), 0, "another process"),
            (["-n", "3", "-s", "dfs", "--max-steps", "2000"], spin, 0, "run fairly, not explored"),
            (["-s", "exitblock"], tools.program("ok/signal_handler.c", mode="plain"), 0, "handler or a cancellation can come"),
            (["-s", "dfs", "-n", "3", "--max-steps", "3"], spin, 2, "reached the limit of 3 steps")):
        done, s = claim(tools, "void", options, program, status)
        if not any(reason in v for v in s["bounds"]["void"]) or "nothing is proved: " not in done.text:
            done.fail(f"'{reason}' is not in {s['bounds']['void']} or not in the text")
    done = run([tools.raddle, "run", "-s", "random", "-n", "3", "--max-steps", "3", "-o", tools.dir("void") / "out", spin]).expect(2)
    if "executions were cut after 3 steps: --max-steps gives them more" not in done.err:
        done.fail("it does not say why no execution came to its end")


def test_memory(tools):
    """A search that needs more memory than its limit stops and says so."""
    long = tools.text_program(tools.dir("claims-memory-program"), "long.c", LONG, mode="plain")
    done, s = claim(tools, "memory", ["-s", "dfs", "-n", "9", "--memory", "1"], long)
    if "stopped at the limit of memory" not in done.text or s["executions"] >= 9 or s["search_bytes"] < 1 << 20:
        done.fail(f"{s['executions']} executions, {s['search_bytes']} bytes")
    done, s = claim(tools, "memory", ["-s", "dfs", "--memory", "64"], tools.program("ok/gambit_2x2.c"))
    expect(done, "complete", s["complete"], True)
    # their working memory is not part of the kept memory
    for strategy in ("dpor", "dpor:optimal", "bpor", "icb:sleep"):
        done, s = claim(tools, "memory", ["-s", strategy, "--memory", "1"], tools.program("ok/gambit_2x2.c"))
        if not s["complete"] or s["search_bytes"] > 1 << 20:
            done.fail(f"{s['search_bytes']} bytes, complete: {s['complete']}")
    for value in ("0", "x", "-1", "9999999"):
        run([tools.raddle, "run", "--memory", value, long]).expect_trouble("--memory")


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def test_coverage(tools):
    """One row for each execution; the same numbers by preemptions; fork and exec agree except for the time."""
    seen = []
    for way in ("fork", "exec"):
        work = tools.dir(f"claims-coverage-{way}")
        file = work / "c.csv"
        options = ["-s", "dfs", "--keep-going", "--isolation", way, "--coverage", file]
        done, s = tools.search(work, options, tools.program("bug/splitsync.c", mode="plain"))
        all_, by = rows(file), rows(work / "c.bounds.csv")
        expect(done, "columns", list(all_[0]),
               "execution cut seconds steps points preemptions blocking new_order class orders lazy_orders states verdict "
               "bound tree_nodes".split())
        expect(done, "executions", [int(r["execution"]) for r in all_], list(range(1, s["executions"] + 1)))
        expect(done, "steps", sum(int(r["steps"]) for r in all_), s["steps"])
        expect(done, "orders", (sum(int(r["new_order"]) for r in all_), int(all_[-1]["orders"])),
               (s["distinct_orders"],) * 2)
        expect(done, "verdicts", {r["verdict"] for r in all_}, {"passed", "finding"})
        for column in ("steps", "blocking", "preemptions"):
            expect(done, column, s[f"{column}_max"], max(int(r[column]) for r in all_))
        orders = {r["class"]: int(r["executions"]) for r in rows(work / "c.orders.csv")}
        expect(done, "executions by order", orders, Counter(r["class"] for r in all_))
        expect(done, "orders", len(orders), s["distinct_orders"])
        expect(done, "by preemptions", [int(r["executions"]) for r in by], s["preemptions"])
        expect(done, "orders by preemptions", int(by[-1]["orders_up_to"]), s["distinct_orders"])
        expect(done, "states by preemptions", by[-1]["states_up_to"], all_[-1]["states"])
        seen.append(([{k: v for k, v in r.items() if k != "seconds"} for r in all_], by))
    if seen[0] != seen[1]:
        done.fail("fork and exec isolation do not agree")
    missing = work / "no" / "c.csv"
    run([tools.raddle, "run", "--coverage", missing, tools.program("ok/gambit_2x2.c")]).expect_trouble(
        f"cannot write '{missing}'")


def test_cut(tools):
    """Executions cut by their plan count neither as executions nor as findings, and print nothing."""
    seen = []
    for way in ("fork", "exec"):
        work = tools.dir(f"claims-cut-{way}")
        options = ["-s", "dfs:depth=6", "--isolation", way, "--coverage", work / "c.csv", "--show-output"]
        program = tools.text_program(work, "talk.c", TALK, mode="plain")
        done, s = tools.search(work, options, program)
        done.expect(0)
        expect(done, "executions, findings, orders", (s["executions"], s["findings"], s["distinct_orders"]), (0, [], 0))
        expect(done, "verdicts", {r["verdict"] for r in rows(work / "c.csv")}, {"cut"})
        expect(done, "orders", ({r["class"] for r in rows(work / "c.csv")}, rows(work / "c.orders.csv")), ({""}, []))
        expect(done, "maxima", (s["steps_max"], s["blocking_max"], s["preemptions_max"]), (0, 0, 0))
        if s["cut"] < 2 or f"+{s['cut']} cut short" not in done.text or "the end" in done.text or s["bounds"]["complete"]:
            done.fail(f"{s['cut']} cut short, bounds {s['bounds']}")
        seen.append([s[k] for k in ("cut", "steps", "bounds")])
    expect(done, "exec isolation", seen[1], seen[0])


def test_coverage_without_threads(tools):
    work = tools.dir("claims-coverage-single")
    program = tools.text_program(work, "single.c", "int main(void) { return 0; }\n", mode="plain")
    for way in ("fork", "exec"):
        done, s = tools.search(work, ["--isolation", way, "--coverage", work / "c"], program)
        expect(done, "finished", (s["finished"], s["complete"], s["bounds"]["complete"]), (True, False, False))
        expect(done, "conditions", s["bounds"]["conditions"], [INPUT])
        expect(done, "rows", [(r["execution"], r["states"]) for r in rows(work / "c")], [("1", "1")])
        expect(done, "bounds", [r["executions"] for r in rows(work / "c.bounds")], ["1"])
        expect(done, "orders", [r["executions"] for r in rows(work / "c.orders")], ["1"])


BLOCKING = """#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static void *work(void *x) {
    struct pollfd none = {.fd = *(int *)x, .events = POLLIN};
    struct timespec past = {.tv_sec = 1};
    pthread_mutex_lock(&m);         /* may block */
    pthread_mutex_unlock(&m);
    if (pthread_mutex_trylock(&m) == 0)
        pthread_mutex_unlock(&m);
    sem_wait(&s);                   /* may block */
    sem_timedwait(&s, &past);       /* times out at once */
    if (pthread_mutex_timedlock(&m, &past) == 0) /* the same, but it is free */
        pthread_mutex_unlock(&m);
    poll(&none, 1, 0);              /* does not wait */
    return x;
}
int main(void) {
    pthread_t t;
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    pthread_mutex_lock(&m);         /* before the first thread: no step */
    pthread_mutex_unlock(&m);
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, work, &ends[0]);
    return pthread_join(t, 0);      /* may block */
}
"""


def test_blocking_steps(tools):
    """Steps that may block: not an attempt, nor a wait that would time out at once, nor what main does alone."""
    work = tools.dir("claims-blocking")
    program = tools.text_program(work, "blocking.c", "#include <unistd.h>\n" + BLOCKING, mode="plain")
    done, s = tools.search(work, ["-s", "dfs", "-n", "50", "-k", "--coverage", work / "c.csv"], program)
    done.expect(0)
    expect(done, "blocking", {r["blocking"] for r in rows(work / "c.csv") if r["cut"] == "0"}, {"3"})
    expect(done, "maximum", s["blocking_max"], 3)


def test_list_of_strategies(tools):
    done = run([tools.raddle, "list", "strategies"]).expect(0)
    if not re.search(r"^auto {2,}\S.*\n {2,}auto:sweep=N", done.out, re.M):
        done.fail("no line with the parameters of auto")
