"""Calls of functions without hooks: each is an operation on the memory that it touches (calls.c), and random programs
of such calls lose no outcome (tests/calls)."""
import json
import re
import sys
from pathlib import Path

from common import ROOT, run

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests" / "calls"))
import generate  # noqa: E402

OTHERS = ("dfs", "dpor:optimal", "auto")


def test_every_call_is_an_operation(tools):
    """Call and access are run in both orders: the assertion that holds only after the call fails in one of them."""
    binary = tools.compile(HERE / "calls.c", flags=("-lm", "-w"))
    names = run([binary]).expect(0).out.split()
    for i, name in enumerate(names):
        for strategy in ("dpor", OTHERS[i % len(OTHERS)]):
            work = tools.dir(f"calls-{name}-{strategy.replace(':', '-')}")
            tools.find(work, ["-s", strategy, "-n", "200"], binary, "assertion", args=(name,))
    return f"{len(names)} calls"


def test_vectors(tools):
    """Arguments in long vector registers are unchanged when other threads run before the call."""
    can = Path("/proc/cpuinfo").read_text().split()
    flag = "-mavx512f" if "avx512f" in can else "-mavx"
    if "avx" not in can:
        return "the processor has no AVX"
    work = tools.dir("calls-vectors")
    library = work / "libvectors.so"
    run(["gcc", "-O1", flag, "-DLIBRARY", "-shared", "-fPIC", HERE / "vectors.c", "-o", library]).expect(0)
    for compiler in ("cc", "clang"):
        binary = work / compiler
        run([tools.raddle, compiler, "-O1", "-g", flag, HERE / "vectors.c", library, f"-Wl,-rpath,{work}", "-pthread", "-o", binary]).expect(0)
        run([tools.raddle, "run", "-s", "dfs", "-n", "2000", "--detect", "heap", "-o", work / "out", "--", binary]).expect(0)


def test_linked_in_any_way(tools):
    """Calls are seen however the program is linked, and through pointers."""
    ways = (("-no-pie",), ("-no-pie", "-fno-plt", "-O2"), ("-fno-plt",), ("-Wl,-z,lazy",), ("-Wl,-z,now",), ("-no-pie", "-Wl,-z,norelro"),
            ("-mcmodel=large", "-no-pie"), ("-Wl,--hash-style=sysv",))
    for i, way in enumerate(ways):
        for compiler in ("cc", "clang")[i % 2:][:1]:
            work = tools.dir(f"calls-linked-{i}-{compiler}")
            binary = work / "calls"
            run([tools.raddle, compiler, "-g", "-O1", "-w", *way, HERE / "calls.c", "-o", binary, "-lm", "-pthread"]).expect(0)
            for name in ("rand", "snprintf", "setenv", "dlsym"):
                tools.find(work, ["-s", "dpor", "-n", "200"], binary, "assertion", args=(name,))
    return f"{len(ways)} ways"


LOADED = """
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static int (*next)(void);
static int first, second;
static void *load(void *path) { next = (int (*)(void))dlsym(dlopen(path, RTLD_NOW), "next"); return 0; }
static void *one(void *arg) { first = next(); return arg; }
static void *two(void *arg) { second = next(); return arg; }
int main(int argc, char **argv) {
    pthread_t t, u;
    pthread_create(&t, 0, load, argv[1]);
    pthread_join(t, 0);
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(argc == 2 && first < second);
}
"""


def test_loaded_later(tools):
    """A library that a thread loads is not seen, and the report names it; calls of its functions are operations all the
    same."""
    work = tools.dir("calls-loaded")
    (work / "next.c").write_text("static int n; int next(void) { return n++; }")
    (work / "loaded.c").write_text(LOADED)
    run(["gcc", "-shared", "-fPIC", work / "next.c", "-o", work / "next.so"]).expect(0)
    run([tools.raddle, "cc", "-g", "-w", work / "loaded.c", "-o", work / "loaded", "-pthread"]).expect(0)
    for strategy in ("dfs", "dpor", "auto"):
        done = run([tools.raddle, "run", "-s", strategy, "-t", "10", "-o", work / "out", "--", work / "loaded", work / "next.so"]).expect(1)
        assert "assertion failed" in done.out and "next.so" in done.out, done.out


WIDTH = "#include <iostream>\n#include <thread>\nint main() { std::thread t([] { std::cout.width(3); }), u([] { std::cout << 7; }); t.join(); u.join(); }"


def test_state_of_streams(tools):
    """The state that a thread sets in a C++ stream matters for the output of another thread."""
    work = tools.dir("calls-width")
    (work / "width.cc").write_text(WIDTH)
    run([tools.raddle, "c++", "-g", "-O1", work / "width.cc", "-o", work / "width", "-pthread"]).expect(0)
    summary = work / "summary.json"
    run([tools.raddle, "run", "-s", "dpor", "--detect", "heap", "--outcomes", "--json", summary, "-o", work / "out", "--", work / "width"]).expect(0)
    found = {o["output"] for o in json.loads(summary.read_text())["outcomes"]}
    assert found == {"7", "  7"}, found


SORTS = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static int numbers[2] = {2, 1};
static atomic_int compared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int compare(const void *a, const void *b) {
    BEGIN;
    int x = *(const int *)a, y = *(const int *)b;
    END;
    return (x > y) - (x < y);
}
static void *sort(void *arg) { qsort(numbers, 2, sizeof *numbers, compare); return arg; }
static void *set(void *arg) { numbers[1] = 7; return arg; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, sort, 0);
    pthread_create(&u, 0, set, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    printf("%d %d", numbers[0], numbers[1]);
}
"""
LAST = {"atomic": ("", "atomic_fetch_add(&compared, 1)"), "mutex": ("pthread_mutex_lock(&m)", "pthread_mutex_unlock(&m)"),
        "rwlock": ("pthread_rwlock_rdlock(&l)", "pthread_rwlock_unlock(&l)"), "fence": ("", "atomic_thread_fence(memory_order_seq_cst)"),
        "futex": ("", "syscall(SYS_futex, &compared, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0)")}


def outcomes(tools, work, binary, strategy):
    summary = work / "summary.json"
    run([tools.raddle, "run", "-s", strategy, "--detect", "none", "--outcomes", "--json", summary, "-o", work / "out", "--", binary]).expect(0)
    return {o["output"] for o in json.loads(summary.read_text())["outcomes"]}


def test_callbacks(tools):
    """qsort continues after the last operation of its callback: its later accesses depend on everything."""
    work = tools.dir("calls-callbacks")
    (work / "sorts.c").write_text(SORTS)
    for name, (begin, end) in LAST.items():
        run([tools.raddle, "cc", "-g", "-O1", "-w", f"-DBEGIN={begin}", f"-DEND={end}", work / "sorts.c", "-o", work / name, "-pthread"]).expect(0)
        found = {s: outcomes(tools, work, work / name, s) for s in ("dfs", "dpor", "dpor:optimal")}
        assert found["dfs"] == found["dpor"] == found["dpor:optimal"] and len(found["dfs"]) > 2, (name, found)


DEEP = """
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
static int numbers[2] = {2, 1}, compared;
static int throws(const void *, const void *) { throw 1; }
static int compare(const void *a, const void *b) {
    char room[8192];
    asm volatile("rep stosb" : : "D"(room), "c"(sizeof room), "a"(0) : "memory");
    int x = *(const int *)a, y = *(const int *)b;
    __atomic_fetch_add(&compared, 1, __ATOMIC_SEQ_CST);
    return (x > y) - (x < y);
}
__attribute__((noinline)) static void deep(int n) {
    volatile char room[512];
    room[0] = 0;
    if (n)
        deep(n - 1);
    else
        try { int two[2] = {2, 1}; qsort(two, 2, sizeof *two, throws); } catch (int) { }
    room[1] = 0;
}
static void *sort(void *arg) { deep(4); qsort(numbers, 2, sizeof *numbers, compare); return arg; }
static void *set(void *arg) { numbers[1] = 7; return arg; }
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, sort, 0);
    pthread_create(&u, 0, set, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    printf("%d %d", numbers[0], numbers[1]);
}
"""


def test_left_and_called_again(tools):
    """A call that was left by a jump deep in the stack is forgotten; the current call is not."""
    work = tools.dir("calls-deep")
    (work / "deep.cc").write_text(DEEP)
    run([tools.raddle, "c++", "-g", "-O1", "-w", work / "deep.cc", "-o", work / "deep", "-pthread"]).expect(0)
    found = outcomes(tools, work, work / "deep", "dpor")
    assert found == {"1 7", "7 2", "2 7"}, found


LEFT = """
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
static int value[2];
static int compare(const void *, const void *) { throw 1; }
__attribute__((noinline)) static void sort() { try { int n[2] = {2, 1}; qsort(n, 2, sizeof *n, compare); } catch (int) { } }
__attribute__((noinline)) static void use_stack() { char room[4096]; asm volatile("rep stosb" : : "D"(room), "c"(sizeof room), "a"(0) : "memory"); }
static void *work(void *arg) { sort(); use_stack(); for (int i = 0; i < 4; i++) *(volatile int *)arg = i; return 0; }
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, work, &value[0]);
    pthread_create(&u, 0, work, &value[1]);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
"""


def test_left_by_an_exception(tools):
    """A callback throws: later calls of its thread, which use the same stack memory, are tracked as usual."""
    work = tools.dir("calls-left")
    (work / "left.cc").write_text(LEFT)
    run([tools.raddle, "c++", "-g", "-O1", "-w", work / "left.cc", "-o", work / "left", "-pthread"]).expect(0)
    summary = work / "summary.json"
    run([tools.raddle, "run", "-s", "dpor", "--json", summary, "-o", work / "out", "--", work / "left"]).expect(0)
    s = json.loads(summary.read_text())
    assert s["complete"] and s["distinct_orders"] < 1000, s["distinct_orders"]
    return f"{s['distinct_orders']} orders"


def test_every_hook_has_a_row(tools):
    """Every function that libraddle.so defines is in the table: without a row its arguments would touch no memory."""
    symbols = run(["nm", "-D", "--defined-only", tools.raddle.parent / "libraddle.so"]).expect(0).out
    names = {line.split()[2].split("@")[0] for line in symbols.splitlines() if line.split()[1] != "A"}  # A: a version
    rows = set(re.findall(r'^RD_FUNCTION\("([^"]+)"', (ROOT / "src/foreign/functions.def").read_text(), re.M))
    ours = re.compile(r"__tsan_|raddle_|rd_|Annotate|WTFAnnotate|__sanitizer_|RunningOnValgrind|GOMP_|__kmpc_|omp_|kmp_|ValgrindSlowdown|ThreadSanitizerQuery")
    missing = sorted(n for n in names - rows if not ours.match(n))
    assert not missing, f"hooks without a row in functions.def: {missing}"
    return f"{len(names & rows)} hooks"


def random_programs(tools, batches, each):
    report, build = {}, tools.dir(f"calls-random-{batches.start}")
    failures = sum(generate.run_batch(tools.raddle, build, seed, each, report) for seed in batches)
    assert failures == 0, f"{failures} of {report['programs']} programs failed: what was printed says which"
    return f"{report['programs']} programs, {len(report['functions'])} functions"


def test_random_calls(tools):
    """Random programs of calls: every strategy shows every outcome of the orders of whole statements."""
    return random_programs(tools, range(1, 6), 6)


def test_random_calls_many(tools):
    return random_programs(tools, range(101, 201), 50)


test_random_calls_many.slow = True
