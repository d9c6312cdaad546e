"""The search continues after a race: consequences of a race are reported, too, a race is not lost beside another
finding, and no probability is claimed beside a bug."""

FAILS = """
#include <assert.h>
#include <pthread.h>
static int x, y;
static void *add(void *arg) {
    x++;
    __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    x++;
    pthread_join(t, NULL);
    assert(!y);
    return 0;
}
"""
# 2 is left only if each thread is preempted at the right places, far from the first executions of the search
LATE = """
#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *add(void *arg) {
    for (int i = 0; i < 3; i++)
        x++;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x != WRONG);
    return 0;
}
"""


def shown(tools, work, program, *options):
    done, summary = tools.search(work, ["--detect", "races", *options], program)
    done.expect(1)
    for f in summary["findings"]:
        tools.replay(work, work / f["schedule"], "virtual", 2)
    return done, summary, [f["kind"] for f in summary["findings"]]


def test_a_race_beside_another_finding(tools):
    """The first execution fails by its assertion, and has a race."""
    work = tools.dir("after-race")
    program = tools.text_program(work, "fails.c", FAILS)
    for options in ((), ("-s", "dfs"), ("-k", "-s", "dpor")):
        done, summary, kinds = shown(tools, work, program, *options)
        if set(kinds) != {"assertion", "data-race"} or kinds[0] != "assertion":
            done.fail(f"{kinds}, expected the assertion and, under it, the race")


def test_what_comes_of_a_race(tools):
    """The consequence shows more than 500 executions after the race; with a small budget a quarter of it is used."""
    work = tools.dir("after-race-late")
    program = tools.text_program(work, "late.c", LATE.replace("WRONG", "2"))
    done, summary, kinds = shown(tools, work, program, "-s", "dfs")
    if kinds != ["data-race", "assertion"] or summary["executions"] < 600:
        done.fail(f"{kinds} in {summary['executions']} executions, expected the race and late what comes of it")
    done, summary, kinds = shown(tools, work, program, "-s", "dfs", "-n", "400")
    if kinds != ["data-race"] or not 100 <= summary["executions"] <= 102:
        done.fail(f"{kinds} in {summary['executions']} executions, expected the race, and 100 more executions")


def test_nothing_is_likely_beside_a_bug(tools):
    work = tools.dir("after-race-likely")
    program = tools.text_program(work, "never.c", LATE.replace("WRONG", "7"))
    for strategy in ("random", "pct:d=2", "surw", "rank"):
        done, summary, kinds = shown(tools, work, program, "-s", strategy, "-n", "2000")
        if kinds != ["data-race"] or "likely:" in done.out or summary["bounds"]["likely"] is not None:
            done.fail("a bug was found, and something is called likely")
