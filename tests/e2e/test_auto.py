"""The default strategy: `raddle run` without options finds bugs at once and ends with a proof where one is possible."""
import json

from common import run

# One bug of each kind; bench/default.py runs all of them.
BUGS = """aba.c abba.c bank_transfer.c bluetooth.c c11_timed.c cond_if.c cxx_future.cc dekker.c exit_status.c free_read.c
    futex_lost_wakeup.c io_crossed_pipes.c lf_condqueue.c lf_seqlock.c livelock_flags.c lost_wakeup.c
    misuse_unlock_stranger.c philosophers.c rank_fig4.c reorder_2.c rwlock_read_writes.c time_retry.c""".split()
REPLAYED = ("abba.c", "c11_timed.c", "lf_seqlock.c")  # found by several of its parts; one with a thread that yields
PROVED = """bank.c cancel_deferred.c cxx_call_once.cc early_return.c exceptions.cc futex_wait_wake.c
    io_pipe.c lf_clh.c lf_deque.c lf_mcs.c lf_queue.c lf_treiber.c rwlock_nested_read.c sem_pingpong.c
    yield_flag.c""".split()


def default(tools, work, program, *options):
    """`raddle run` with only these options."""
    summary = work / "summary.json"
    summary.unlink(missing_ok=True)
    done = run([tools.raddle, "run", *options, "--json", summary, "-o", work / "out", "--", program], cwd=work)
    return done, json.loads(summary.read_text()) if summary.exists() else None


def test_finds_bugs(tools):
    work = tools.dir("auto-bugs")
    for name in BUGS:
        done, summary = default(tools, work, tools.program(f"bug/{name}"), "-t", "5")
        done.expect(1)
        if summary["strategy"] != "auto" or not summary["findings"]:
            done.fail(f"bug/{name}: strategy '{summary['strategy']}', nothing found")
        if name in REPLAYED:
            for backend in ("virtual", "kernel"):
                tools.replay(work, work / summary["findings"][0]["schedule"], backend, 2)


def test_finds_bugs_without_hooks(tools):
    """Without hooks bugs at unseen memory accesses are found, too: the reduction can claim no proof there, but samplers
    find them."""
    work = tools.dir("auto-plain")
    for name in ("abba.c", "cond_if.c", "futex_mutex.c", "rwlock_read_writes.c", "spin_two_locks.c"):
        done, summary = default(tools, work, tools.program(f"bug/{name}", mode="plain"), "-t", "5")
        done.expect(1)
        if summary["bounds"]["proved"] and "every schedule of" in summary["bounds"]["proved"]:
            done.fail(f"bug/{name}: there is a bug that the proof has not shown, and it says '{summary['guarantee']}'")


def test_proves(tools):
    work = tools.dir("auto-proofs")
    for name in PROVED:
        done, summary = default(tools, work, tools.program(f"ok/{name}"), "--require-complete")
        done.expect(0)
        bounds = summary["bounds"]
        if not (summary["complete"] and bounds["complete"] and bounds["proved"]) or "\ncomplete: every " not in done.out:
            done.fail(f"ok/{name}: guarantee '{summary['guarantee']}'")


def test_proves_on_condition(tools):
    """If threads read a clock, the reduction relies on a condition that it does not check: the claim names it, and is
    not complete."""
    work = tools.dir("auto-condition")
    program = tools.program("ok/cond_timedwait.c")
    done, summary = default(tools, work, program)
    done.expect(0)
    what = "what the program does is the same whatever time it is"
    if summary["complete"] or not summary["finished"] or summary["assumes"] != what or f"\ncomplete if {what}: every " not in done.out:
        done.fail(f"guarantee '{summary['guarantee']}'")
    done, _ = default(tools, work, program, "--require-complete")
    done.expect(2)
    if what not in done.err:
        done.fail("the error does not say what is not checked")
    done = run([tools.raddle, "run", "-s", "dpor", "--outcomes", "--detect", "none", "-o", work / "out", "--", program]).expect(0)
    if f"; there is no other if {what}\n" not in done.out:
        done.fail("the outcomes are called all there are")


def test_what_a_reduction_cannot_do(tools):
    """With raddle_atomic_begin, a focus or the fairness rule no reduction is possible: every schedule is run, and the
    claim is about schedules."""
    work = tools.dir("auto-plainly")
    for name, options in (("ok/raddle_atomic.c", ("--detect", "none")), ("ok/join_try.c", ()),
                          ("ok/conflict_2x2.c", ("--detect", "none", "--focus", "var=x"))):
        done, summary = default(tools, work, tools.program(name), *options)
        done.expect(0)
        if not summary["complete"] or "every execution was covered" not in summary["guarantee"]:
            done.fail(f"{name}: guarantee '{summary['guarantee']}'")


FROM_OUTSIDE = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    char c = 0;
    FILE *child = popen("printf x >>runs; wc -c <runs", "r");
    while (child && fread(&c, 1, 1, child) == 1 && c != '\\n')
        for (int i = 0; i < c % 4; i++) { /* another number every time */
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
        }
    if (child)
        pclose(child);
    return arg;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""


def test_what_comes_from_outside(tools):
    """A program that depends on its environment behaves differently every time: with a previous warning that is no
    error, and nothing is proved."""
    work = tools.dir("auto-outside")
    program = tools.text_program(work, "outside.c", FROM_OUTSIDE, mode="plain")
    done, summary = default(tools, work, program, "-n", "25")
    done.expect(0)
    proved = summary["complete"] or summary["bounds"]["proved"] or summary["bounds"]["preemptions"] is not None
    if summary["executions"] + summary["cut"] != 25 or not summary["cut"] or proved:
        done.fail(f"{summary['executions']} executions, {summary['cut']} cut, '{summary['guarantee']}'")
    done, _ = default(tools, work, program, "-n", "25", "-s", "dfs")
    done.expect_trouble("the program is not deterministic")


def test_small_budget(tools):
    """A small budget proves a bound, and the estimate of the samplers is printed beside it; the same seed gives the
    same executions."""
    work = tools.dir("auto-budget")
    program = tools.program("ok/futex_mutex.c")
    seen = []
    for _ in range(2):
        done, summary = default(tools, work, program, "-n", "800", "-j", "1", "--seed", "7")
        done.expect(0)
        bounds = summary["bounds"]
        if summary["complete"] or not isinstance(bounds["preemptions"], int) or "fails with" not in bounds["likely"]:
            done.fail(f"bounds {bounds}")
        wanted = f"\nbounded: every state that a thread can reach with at most {bounds['preemptions']} preemption"
        if summary["executions"] + summary["cut"] != 800 or wanted not in done.out or "\nlikely: " not in done.out:
            done.fail(f"no '{wanted}'")
        seen.append([summary[k] for k in ("steps", "distinct_orders", "preemptions")] + [bounds["proved"], bounds["likely"]])
    if seen[0] != seen[1]:
        done.fail(f"other executions with the same seed: {seen}")


def test_with_other_options(tools):
    """--memory is kept, --keep-going continues to a proof, and --outcomes says that there are no other outcomes."""
    work = tools.dir("auto-options")
    done, summary = default(tools, work, tools.program("ok/futex_mutex.c"), "-n", "600", "--memory", "1")
    done.expect(0)
    if summary["bounds"]["void"] or summary["search_bytes"] > 3 << 19:
        done.fail(f"{summary['search_bytes']} bytes, void {summary['bounds']['void']}")
    done, summary = default(tools, work, tools.program("bug/abba.c"), "--keep-going")
    done.expect(1)
    if not summary["complete"] or summary["distinct_orders"] != 3:
        done.fail(f"complete {summary['complete']}, {summary['distinct_orders']} orders")
    done, summary = default(tools, work, tools.program("hooks/litmus_sb.c"), "--outcomes")
    done.expect(0)
    if not summary["outcomes_all"] or "3 outcomes, and there are no others" not in done.out:
        done.fail("outcomes")
