"""Deadlocks that an execution predicts: possible ones are confirmed by an execution, the others are warnings, or not
reported."""

from pathlib import Path

SOURCE = Path(__file__).parent / "deadlocks.c"


def test_predicted_and_run_into(tools):
    """One execution without a deadlock is enough for the prediction; ExitBlock's Figures 8 and 10 are among the cases.
    """
    for mode in ("plain", "hooks"):
        program = tools.compile(SOURCE, mode=mode)
        for name, threads in (("figure-8", 2), ("figure-10", 2), ("three", 3), ("write", 2)):
            work = tools.dir(f"deadlocks_{name}_{mode}")
            done, finding, schedule = tools.find(work, ["--detect", "deadlocks", "-s", "dfs", "-n", "1"], program,
                                                 "deadlock", args=[name])
            if f"{threads} threads wait for each other" not in done.out or finding["execution"] != 1:
                done.fail(f"not a circle of {threads} threads in execution 1")
            for backend in ("virtual", "kernel"):
                tools.replay(work, schedule, backend, 2)


def test_writers_in_line_and_semaphores(tools):
    """A waiting writer keeps readers out, and a semaphore can be a lock: one execution is enough for these, too."""
    program = tools.compile(SOURCE.parent / "mixtures.c", mode="plain")
    for name in ("writer-first", "semaphores", "semaphore-lock"):
        work = tools.dir(f"deadlocks_{name}")
        options = ["--detect", "deadlocks", "-s", "dfs", "-n", "1"]
        done, finding, schedule = tools.find(work, options, program, "deadlock", args=[name])
        if "2 threads wait for each other" not in done.out or finding["execution"] != 1:
            done.fail("not a circle of 2 threads in execution 1")
        tools.replay(work, schedule, "kernel", 1)


def test_what_cannot_close(tools):
    """A gate, an order by join, readers, locks that are not nested: no warning."""
    program = tools.compile(SOURCE, mode="plain")
    for name in ("gate", "joined", "read", "printed"):
        work = tools.dir(f"deadlocks_{name}")
        done, summary = tools.search(work, ["--detect", "deadlocks", "-s", "random", "-n", "30"], program, [name])
        done.expect(0)
        if summary["warnings"] or summary["findings"] or summary["confirming"]:
            done.fail(f"{name}: a deadlock is predicted")


def test_a_warning_is_no_bug(tools):
    """Data keeps the threads apart: the deadlock is predicted, not confirmed, and refuted by a complete search."""
    program = tools.compile(SOURCE, mode="plain")
    work = tools.dir("deadlocks_warning")
    some = ["--detect", "deadlocks", "-s", "random", "-n", "30"]
    done, summary = tools.search(work, some, program, ["data"])
    done.expect(0)
    if summary["findings"] or [w["kind"] for w in summary["warnings"]] != ["predicted-deadlock"]:
        done.fail("not one warning")
    if "warning: predicted deadlock" not in done.out or "while it holds b since step" not in done.out:
        done.fail("the warning does not say who holds what")
    for backend in ("virtual", "kernel"):
        tools.replay(work, work / summary["warnings"][0]["schedule"], backend, 2)
    done, finding, _ = tools.find(work, [*some, "--fail-on-predicted"], program, "predicted-deadlock", args=["data"])
    if finding["because_of"]["line"] == finding["line"]:
        done.fail("only one place")
    done, summary = tools.search(work, ["--detect", "deadlocks", "-s", "dfs"], program, ["data"])
    done.expect(0)
    if summary["warnings"] or not summary["finished"] or "does not happen under any schedule" not in done.out:
        done.fail("a complete search does not refute the prediction")


def test_lock_discipline_with_any_search(tools):
    """x is accessed without its lock if the second thread comes first: every search that runs that order reports it."""
    program = tools.program("bug/exitblock_discipline.c")
    for strategy in ("dfs", "icb", "random", "dpor"):
        work = tools.dir(f"deadlocks_discipline_{strategy}")
        done, finding, schedule = tools.find(work, ["--detect", "lock-discipline", "-s", strategy], program,
                                             "lock-discipline")
        if not finding["because_of"]["line"]:
            done.fail("only one place")
        tools.replay(work, schedule, "virtual", 1)
