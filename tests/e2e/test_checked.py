"""With --points sync every access of instrumented code is checked for races (src/trace/sharing.h)."""
from common import PROGRAMS

OK = PROGRAMS / "ok" / "checked_locks.c"
COUNTER = PROGRAMS / "bug" / "checked_counter.c"
ORDER = PROGRAMS / "bug" / "checked_order.c"
KINDS = ("--isolation", "snapshot"), ("--isolation", "fork"), ("--isolation", "exec")


def search(tools, name, source, *options):
    return tools.search(tools.dir(f"checked-{name}"), list(options), tools.compile(source, flags=("-O0",)), detect=())


def expect_race(tools, name, source, *options):
    """The search must report a race, and its schedule must replay."""
    work = tools.dir(f"checked-{name}")
    done, s = tools.search(work, ["--points", "sync", *options], tools.compile(source, flags=("-O0",)), detect=())
    races = [f for f in s["findings"] if f["kind"] == "data-race"]
    if not races:
        done.fail("no race was reported")
    for backend in ("virtual", "kernel"):
        tools.replay(work, work / races[0]["schedule"], backend, 2)
    return s


def expect_kind(tools, name, program, kind, *options):
    """The search must report such a finding, and its schedule must replay."""
    work = tools.dir(f"checked-{name}")
    done, s = tools.search(work, list(options), program, detect=())
    found = [f for f in s["findings"] if f["kind"] == kind]
    if not found:
        done.fail(f"no {kind} was reported")
    tools.replay(work, work / found[0]["schedule"], "virtual", 2)


def test_proof(tools):
    """Without a race: complete, with far fewer executions than with accesses as points."""
    done, s = search(tools, "proof", OK, "-s", "dfs", "--points", "sync")
    every, t = search(tools, "every", OK, "-s", "dpor", "--points", "all")
    if not s["complete"] or s["not_seen"] or "Musuvathi and Qadeer" not in s["guarantee"]:
        done.fail("the claim is not complete")
    if not t["complete"] or s["distinct_orders"] != t["distinct_orders"]:
        every.fail(f"{t['distinct_orders']} orders, with --points sync {s['distinct_orders']}")
    done, auto = search(tools, "auto", OK, "-s", "dfs")
    if s["executions"] * 5 > auto["executions"]:
        done.fail(f"{auto['executions']} executions, and with --points sync {s['executions']}")


def test_not_checked(tools):
    """Without the detector of races, with a focus, or without hooks, freedom from races is an assumption."""
    plain = tools.compile(OK, mode="plain")
    for name, options, program in (("none", ["--detect", "none"], None), ("focus", ["--focus", "var=lock"], None),
                                   ("plain", [], plain)):
        program = program or tools.compile(OK, flags=("-O0",))
        done, s = tools.search(tools.dir(f"checked-not-{name}"), ["-s", "dfs", "--points", "sync", *options], program, detect=())
        if s["complete"] or not s["finished"] or "(not checked)" not in s["guarantee"] or "Musuvathi" in s["guarantee"]:
            done.fail(f"{name}: complete {s['complete']}, finished {s['finished']}")


def test_race_with_every_isolation(tools):
    seen = set()
    for kind in KINDS:
        s = expect_race(tools, kind[1], COUNTER, "-s", "dpor", "-k", *kind)
        seen.add((s["executions"], s["distinct_orders"], tuple(sorted(f["kind"] for f in s["findings"]))))
    assert len(seen) == 1, f"the isolations differ: {seen}"


def test_race_within_bounds(tools):
    """The race is reported although a bound or a budget leaves out the executions that would show it again."""
    expect_race(tools, "bound", COUNTER, "-s", "icb:c=0")
    expect_race(tools, "one", COUNTER, "-s", "random", "-n", "1")
    expect_race(tools, "team", COUNTER, "-s", "dfs", "-k", "-j", "2")
    for strategy in ("random", "pos", "pct", "delay:d=1", "best:pb", "idfs", "exitblock"):
        expect_race(tools, f"order-{strategy.replace(':', '-')}", ORDER, "-s", strategy, "-n", "60")


def test_loops_that_wait(tools):
    """As many orders of events as with every access a point, and the failure replays; the word of a futex does not race."""
    program = tools.program("bug/checked_polls.c")
    work = tools.dir("checked-polls")
    done, s = tools.search(work, ["-s", "dpor", "--points", "sync", "-k"], program, detect=())
    failed = [f for f in s["findings"] if f["kind"] == "assertion"]
    if not failed or "a loop waits for them" not in done.out or not s["complete"]:
        done.fail(f"findings: {s['findings']}, complete: {s['complete']}")
    for backend in ("virtual", "kernel"):
        tools.replay(work, work / failed[0]["schedule"], backend, 2)
    for strategy in ("random", "dfs", "icb", "best"):
        expect_kind(tools, f"polls-{strategy}", program, "assertion", "-s", strategy, "--points", "sync", "--seed", "3", "-n", "3000")
