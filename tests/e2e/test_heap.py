"""The heap: threads that wait in freed blocks, switched-off checks, known errors."""
from pathlib import Path

from common import run

HERE = Path(__file__).resolve().parent

KNOWN = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *node, gone;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *drop(void *a) {
    pthread_mutex_lock(&lock);
    gone = 1;
    free(node);
    pthread_mutex_unlock(&lock);
    return a;
}
static __attribute__((noinline)) int use(void) { return *node; }
static __attribute__((noinline)) int *make(void) { return calloc(1, sizeof(int)); }
int main(void) {
    pthread_t t;
    node = make();
    pthread_create(&t, NULL, drop, NULL);
    pthread_mutex_lock(&lock);
    int late = gone + use();
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    assert(!late);
    return 0;
}
"""

ORDER = """
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void forth(void) {
    pthread_mutex_lock(&a), pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b), pthread_mutex_unlock(&a);
}
static void *back(void *x) {
    pthread_mutex_lock(&b), pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a), pthread_mutex_unlock(&b);
    return x;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, back, NULL);
    forth();
    pthread_join(t, NULL);
    return 0;
}
"""


def test_waits_in_freed_memory(tools):
    work = tools.dir("heap-wait")
    source = HERE / "heap_wait.c"
    program = tools.compile(source)
    line = 1 + next(i for i, text in enumerate(source.read_text().splitlines()) if "free(all)" in text)
    for what in ("mutex", "cond", "sem", "rwlock", "barrier"):
        done, summary = tools.search(work, ["-k", "-s", "dfs"], program, [what])
        done.expect(1)
        if {f["kind"] for f in summary["findings"]} != {"use-after-free"}:
            done.fail(f"{what}: something else than the use of freed memory")
        waits = [f for f in summary["findings"] if f["line"] == line]
        if len(waits) != 1 or "while another thread waits in it" not in waits[0]["message"]:
            done.fail(f"{what}: the free is not told")
        tools.replay(work, work / waits[0]["schedule"], "kernel", 1)


def test_heap_checks_off(tools):
    work = tools.dir("heap-off")
    program = tools.text_program(work, "known.c", KNOWN, mode="hooks")
    tools.find(work, ["-s", "dpor"], program, "use-after-free")
    _, _, schedule = tools.find(work, ["--detect", "none", "-s", "dpor"], program, "assertion")
    if " heap 0\n" not in schedule.read_text():
        raise AssertionError("the schedule does not say that the checks were off")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, 2)


def test_known_errors_of_the_heap(tools):
    """Known errors are counted, and the execution continues to other errors."""
    work = tools.dir("heap-known")
    program = tools.text_program(work, "known.c", KNOWN, mode="hooks")
    options = ["--detect", "heap", "-s", "dpor", "--suppress", work / "list"]
    for text in ("heap:use", "heap:make", "heap:dr?p", "heap:known.c"):
        (work / "list").write_text(text)
        done, _, schedule = tools.find(work, options, program, "assertion")
        if "1 finding was suppressed" not in done.out:
            done.fail(f"'{text}' does not count what it suppresses")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, 2)
    (work / "list").write_text("race:use\nheap:other\n")
    tools.find(work, options, program, "use-after-free")


def test_known_deadlocks(tools):
    work = tools.dir("deadlock-known")
    program = tools.text_program(work, "order.c", ORDER)
    options = ["--detect", "deadlocks", "-s", "dfs", "-n", "1", "--suppress", work / "list"]
    for text in ("deadlock:forth", "deadlock:back", "deadlock:order.c"):
        (work / "list").write_text(text)
        done, _ = tools.search(work, options, program)
        if "1 finding was suppressed" not in done.expect(0).out:
            done.fail(f"'{text}' does not count what it suppresses")
    (work / "list").write_text("deadlock:other\nrace:forth\nheap:forth\n")
    tools.find(work, options, program, "deadlock")
