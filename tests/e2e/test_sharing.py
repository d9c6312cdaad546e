"""Only accesses to memory that threads share are points: no schedule is lost by that (tests/sharing)."""
import importlib.util
import random
from pathlib import Path

from common import contracts

spec = importlib.util.spec_from_file_location("sharing_generate", Path(__file__).resolve().parent.parent / "sharing" / "generate.py")
sharing = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sharing)


def compare(tools, seeds, points="auto"):
    work = tools.dir(f"sharing-{points}")
    binaries = sharing.build(tools.raddle, work)
    compared = 0
    for n in seeds:
        words = sharing.program(random.Random(n))
        strategies = [sharing.FIRST, sharing.IN_TURN[n % len(sharing.IN_TURN)]]
        wrong = sharing.check(tools.raddle, work, binaries[n % len(binaries)], words, strategies, points)
        assert not wrong, f"seed {n}, {words}: {wrong}"
        compared += wrong == ""
    assert compared > len(seeds) / 2, f"only {compared} of {len(seeds)} could be compared"
    return f"{compared} programs"


# the options that this test sets itself, with their number of values
OWN = {"-s": 1, "-n": 1, "-t": 1, "--seed": 1, "-k": 0, "--keep-going": 0, "--require-complete": 0}


def others(options):
    """The options of a contract that do not choose the executions."""
    kept, at = [], 0
    while at < len(options):
        if options[at] in OWN:
            at += OWN[options[at]]
        else:
            kept.append(options[at])
        at += 1
    return kept


def differs(tools, c, binary):
    """The difference between searches with all points and with points at shared memory; "": none; None where they
    cannot be compared."""
    seen = []
    for points in ("all", "auto"):
        options = ["-s", "dpor", "-k", "-n", "1000", "-t", "6", "--outcomes", "--points", points, *others(c.options)]
        done, s = tools.search(tools.dir(f"points-{c.name}"), options, binary, c.args, detect=())
        if s is None:
            return None
        seen.append((sharing.shown(s), s["finished"], done))
    (every, all_finished, _), (found, finished, done) = seen
    if not finished or not found:
        return None
    lost, more = every - found, found - every if all_finished else set()
    return f"{c.name}: lost {sorted(lost)}, more {sorted(more)}\n    {done.command}" if lost or more else ""


def test_all_programs(tools):
    """Every program of tests/programs, with all points and with points at shared memory only."""
    good, broken = contracts()
    assert not broken
    compared, wrong = 0, []
    for c in good:
        if "hooks" in c.modes and "--points" not in c.options and "-t" not in c.options:
            binary = tools.compile(c.source, c.compilers[0], "hooks", c.flags)
            difference = differs(tools, c, binary)
            compared += difference is not None
            wrong += [difference] if difference else []
    assert not wrong, "\n".join(wrong)
    assert compared > len(good) / 3
    return f"{compared} programs"


test_all_programs.slow = True


def test_same_as_with_every_access(tools):
    return compare(tools, range(1, 61))


# an execution that always ends before a second thread uses the memory; a race that only a missing operation shows
KNOWN = ["+8,51,50 52", "+51,48 52", "+51,49 52", "39,52,48 4,51,48"]


def test_known_programs(tools):
    work = tools.dir("sharing-known")
    for binary in sharing.build(tools.raddle, work):
        for p in KNOWN:
            strategies = [sharing.FIRST, "dpor:classic", "icb"]
            wrong = sharing.check(tools.raddle, work, binary, p.split(), strategies, "auto")
            assert wrong == "", f"{p}: {wrong}"


FAILURES = """
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static int ready;
static int *volatile null;
static void *f(void *a) { ready = 1; return a; }
static void leave(int how, int *p) {
    pthread_mutex_t *none = NULL;
    switch (how) {
    case 0: abort();
    case 1: *null = 1; break;
    case 2: free(p); p[1] = 2; break;
    case 3: free(p); free(p); break;
    case 4: pthread_join(pthread_self(), NULL); break;
    case 5: __builtin_trap();
    case 6: exit(3);
    case 7: p[5] = 1; break;
    case 8: raise(SIGKILL); break;
    case 9: free(p); memset(p, 0, 8); break;
    case 10: assert(!"early");
    case 11: pthread_mutex_lock(none);
    }
}
int main(int argc, char **argv) {
    pthread_t t;
    int how = atoi(argv[argc - 1]), *p = malloc(16);
    pthread_create(&t, NULL, f, NULL);
    int r = ready;
    assert(!r);
    leave(how, p);
    pthread_join(t, NULL);
    return 0;
}
"""


def test_every_kind_of_failure(tools):
    """A thread fails right after an access to memory that no other thread has used yet: another one can still come first."""
    work = tools.dir("sharing-failures")
    program = tools.text_program(work, "failures.c", FAILURES, flags=("-w",))
    for how in range(12):
        found = {}
        for points in ("all", "auto"):
            done, s = tools.search(work, ["-s", "dpor", "-k", "-j", "1", "--points", points], program, [how])
            found[points] = sorted((f["kind"], f["line"]) for f in s["findings"])
            proves = "complete: every schedule" in done.out
            if how == 11 and points == "auto":  # the fault is in the runtime
                if proves or "other threads could not go on first" not in done.out:
                    done.fail("a claim, although threads could not go on")
                continue
            if len(found[points]) != 2 or not proves:
                done.fail(f"failure {how}: {found[points]}")
            for f in s["findings"]:
                for backend in ("virtual", "kernel"):
                    tools.replay(work, work / f["schedule"], backend, 1)
        assert how == 11 or found["auto"] == found["all"], f"failure {how}: {found}"


BOTH_FAIL = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static sem_t sem;
static atomic_int told;
static int plain;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int compare(const void *a, const void *b) { plain = 1; assert(!"in qsort"); return *(int *)a - *(int *)b; }
static void *first(void *arg) {
    int two[2] = {2, 1};
#ifdef POST
    sem_post(&sem);
#elif defined ATOMIC
    told = 1;
#elif defined UNLOCK
    pthread_mutex_lock(&lock); plain = 1; pthread_mutex_unlock(&lock);
#elif defined CALLBACK
    qsort(two, 2, sizeof *two, compare);
#else
    plain = 1;
#endif
    assert(!"first");
    return arg;
}
static void *second(void *arg) {
#ifdef POST
    sem_wait(&sem);
    assert(!"second");
#elif defined ATOMIC
    assert(!told);
#elif defined UNLOCK
    pthread_mutex_lock(&lock); int seen = plain; pthread_mutex_unlock(&lock);
    assert(!seen);
#else
    assert(!plain);
#endif
    return arg;
}
int main(void) {
    pthread_t a, b;
    sem_init(&sem, 0, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""


def test_what_a_failing_thread_did_is_seen(tools):
    """A thread fails right after an operation: another one can go on because of it, and fail, too."""
    work = tools.dir("sharing-both-fail")
    for how in ("POST", "ATOMIC", "UNLOCK", "PLAIN", "CALLBACK"):
        program = tools.text_program(work, f"{how.lower()}.c", f"#define {how}\n{BOTH_FAIL}", flags=("-w",))
        for options in (["-s", "dfs", "--points", "all"], ["-s", "dfs"], ["-s", "dpor"], ["-s", "dpor:optimal"], ["-s", "icb"]):
            done, s = tools.search(work, ["-k", *options], program)
            if how == "CALLBACK":
                if "other threads could not go on first" not in done.out or s["complete"]:
                    done.fail("a claim, although threads could not go on")
            elif any(f["executions"] > s["executions"] for f in s["findings"]):
                done.fail("a finding counts executions that the summary does not count")
            elif len([f for f in s["findings"] if f["kind"] == "assertion"]) != 2 or "complete: every" not in done.out:
                done.fail("a failure is lost")


def test_many(tools):
    return compare(tools, range(1000, 3000))


test_many.slow = True


def test_same_with_synchronisation_and_races(tools):
    """--points sync: accesses are checked for races, and are points only where they race."""
    return compare(tools, range(201, 241), "sync")


def test_many_with_synchronisation_and_races(tools):
    return compare(tools, range(5000, 6000), "sync")


test_many_with_synchronisation_and_races.slow = True
