"""An end by a system call in inline assembly is an operation like exit(): other threads run before it, in every
isolation, and in a replay on either backend."""
import json
import platform
from pathlib import Path

from common import run

SOURCE = Path(__file__).resolve().parent / "inline.c"
EXECUTIONS = {"process": 6, "thread": 1, "exec": 21}
WAYS = ("auto", "fork", "exec")


def search(tools, name, way, *more):
    program = tools.compile(SOURCE, mode="plain")
    work = tools.dir(f"inline-{name}-{way}-{'-'.join(more)}")
    return work, *tools.search(work, ["-s", "dfs", "--isolation", way], program, [name, *more])


def test_every_order(tools):
    if platform.machine() != "x86_64":
        return "x86-64 only"
    for name, wanted in EXECUTIONS.items():
        for way in WAYS:
            _, done, s = search(tools, name, way)
            done.expect(0)
            if s["executions"] != wanted or s["distinct_orders"] != wanted or s["finished"] != (name != "exec"):
                done.fail(f"{name}, {way}: {s['executions']} executions, {wanted} expected")


def test_what_races_with_it(tools):
    """A failure of the other thread before the end, or beside it, is found and replayed."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    for name in EXECUTIONS:
        for way in WAYS:
            work, done, s = search(tools, name, way, "bug")
            done.expect(1)
            finding = s["findings"][0]
            if finding["kind"] != "assertion":
                done.fail(f"{finding['kind']}, expected an assertion")
            for backend in ("virtual", "kernel"):
                tools.replay(work, work / finding["schedule"], backend, 2)


def test_status(tools):
    """The status is that of the call, also in a replay."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    for way in WAYS:
        work, done, s = search(tools, "status", way)
        done.expect(1)
        finding = s["findings"][0]
        if finding["kind"] != "exit-status" or "status 5" not in finding["message"]:
            done.fail(f"{finding['kind']}: {finding['message']}")
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / finding["schedule"], backend, 2)


LOCK = """
#include <assert.h>
#include <pthread.h>
static unsigned held;
static int n;
static unsigned swap(unsigned *p, unsigned v) { __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p)::"memory"); return v; }
static void add(int *p) { __asm__ __volatile__("lock incl %0" : "+m"(*p)::"memory"); }
static void *work(void *arg) {
    if (!arg) {
        add(&n);
        return arg;
    }
    while (swap(&held, 1))
        __asm__ __volatile__("pause");
    n++;
    __asm__ __volatile__("movl $0, %0" : "=m"(held)::"memory");
    return arg;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, 0, work, argc > 1 ? argv[1] : 0);
    work(argc > 1 ? argv[1] : 0);
    pthread_join(t, 0);
    assert(n == 2);
}
"""


def test_synchronisation(tools):
    """The claim names inline assembly that may synchronise. A thread that waits in such code is not scheduled: that is
    trouble."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    work = tools.dir("inline-lock")
    (work / "lock.c").write_text(LOCK)
    run([tools.raddle, "cc", "-g", "-O1", work / "lock.c", "-o", work / "lock", "-pthread"]).expect(0)
    done = run([tools.raddle, "run", "-s", "dpor", "-o", work / "out", "--", work / "lock"]).expect(0)
    if "(inline assembly with atomic instructions)" not in done.out or "\ncomplete:" in done.out:
        done.fail("the inline assembly is not named")
    done = run([tools.raddle, "run", "-s", "dfs", "--detect", "heap", "--max-seconds", "1", "-o", work / "out", "--", work / "lock", "spin"])
    done.expect(2)
    if "inline assembly" not in done.err + done.out:
        done.fail("why it cannot be tested is not said")


TRY = """
#include <pthread.h>
static int try_lock(unsigned *p) { unsigned v = 1; __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p)::"memory"); return v == 0; }
static void unlock(unsigned *p) { __asm__ __volatile__("movl $0, %0" : "=m"(*p)::"memory"); }
static unsigned held;
static int n;
static void *work(void *arg) {
    if (try_lock(&held)) {
        n++;
        unlock(&held);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
}
"""


def test_race_in_doubt(tools):
    """A lock of inline assembly may order the accesses that it protects: a warning, no bug."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    work = tools.dir("inline-race")
    (work / "try.c").write_text(TRY)
    binary, summary = work / "try", work / "summary.json"
    run([tools.raddle, "cc", "-g", "-O1", work / "try.c", "-o", binary, "-pthread"]).expect(0)
    done = run([tools.raddle, "run", "-s", "dfs", "--json", summary, "-o", work / "out", "--", binary]).expect(0)
    warning = json.loads(summary.read_text())["warnings"][0]
    if warning["kind"] != "data-race" or "work()" not in warning["unseen"] or "no bug yet" not in done.out:
        done.fail("the function that may have ordered the two is not named")
    for backend in ("virtual", "kernel"):
        run([tools.raddle, "replay", "--backend", backend, work / "out" / warning["schedule"]]).expect(1)


CALLS = Path(__file__).resolve().parent / "inline_calls.c"


def test_calls_are_operations(tools):
    """Futexes, sleeps, clocks, yields and blocking reads by inline assembly are the operations of syscall(): as many
    executions and orders, in every isolation; a missing wake-up is a deadlock, which is replayed on either backend."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    work = tools.dir("inline-calls")
    for strategy in ("dfs", "dpor"):
        counts = set()
        for flags in ([], ["-DLIBC"]):
            binary = work / ("calls" + "".join(flags))
            run(["gcc", "-g", "-O1", *flags, CALLS, "-o", binary, "-pthread"]).expect(0)
            for way in WAYS:
                done, s = tools.search(work, ["-s", strategy, "--isolation", way], binary, [])
                done.expect(0)
                counts.add((s["executions"], s["distinct_orders"], s["steps"]))
        if len(counts) != 1:
            done.fail(f"{strategy}: they differ: {counts}")
    binary = work / "hooks"
    run([tools.raddle, "cc", "-g", "-O1", CALLS, "-o", binary, "-pthread"]).expect(0)
    for way in WAYS:
        done, s = tools.search(work, ["-s", "dpor", "--isolation", way], binary, ["forget"])
        done.expect(1)
        if s["findings"][0]["kind"] != "deadlock":
            done.fail(f"{s['findings'][0]['kind']}, expected a deadlock")
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / s["findings"][0]["schedule"], backend, 2)


MEMORY = r"""
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int begun;
static char buffer[8];
static int fd[2], which;

static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static void *keep(void *arg) {
    volatile char *mine = buffer;
    atomic_store(&begun, 1);
    mine[0] = 1;
    if (mine[0] != 1) /* the other thread has asked the kernel to write there */
        abort();
    return arg;
}

static void *overwrite(void *arg) {
    errno = 42;
    if (atomic_load(&begun) && which == 0)
        call(SYS_getcwd, (long)buffer, sizeof buffer, 0);
    else if (atomic_load(&begun) && which == 1)
        call(SYS_read, fd[0], (long)buffer, 1);
    else if (which == 2 && (call(SYS_read, fd[0], 8, 1) != -EFAULT || call(SYS_nanosleep, 8, 0, 0) != -EFAULT))
        exit(3);
    if (errno != 42)
        exit(4);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    which = argc > 1 ? atoi(argv[1]) : 0;
    if (chdir("/") || pipe(fd) || write(fd[1], "x", 1) != 1)
        return 5;
    pthread_create(&a, NULL, keep, NULL);
    pthread_create(&b, NULL, overwrite, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""


def test_memory(tools):
    """Memory that the kernel writes for inline assembly is shared with other threads; errno is unchanged, and bad
    addresses are EFAULT."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    work = tools.dir("inline-memory")
    (work / "memory.c").write_text(MEMORY)
    run([tools.raddle, "cc", "-g", "-O1", work / "memory.c", "-o", work / "memory", "-pthread"]).expect(0)
    for strategy, ways in ("dfs", ["auto"]), ("dpor", WAYS), ("auto", ["auto"]):
        for way in ways:
            for which, wanted in ("0", 1), ("1", 1), ("2", 0):
                done = run([tools.raddle, "run", "-s", strategy, "--isolation", way, "-o", work / "out", "--", work / "memory", which])
                done.expect(wanted)
                if wanted and "abort" not in done.out:
                    done.fail(f"{strategy}, {way}, {which}: not the failure that was expected")
