"""Partial-order reduction on real programs: exactly one execution of every class of equivalent schedules.

The numbers are those of the literature, checked by brute force; the simulator's unit tests have the same ones.
"""
import json

from common import COMPILERS, ROOT, run

# program, size, classes, how many of them are deadlocks
CLASSES = [
    ("independent2", 2, 1, 0), ("independent3", 2, 1, 0), ("conflict2", 2, 6, 0), ("conflict2", 3, 20, 0),
    ("rapos1", 0, 2, 0), ("rank1", 0, 2, 0), ("rank2", 0, 3, 0), ("rank3", 0, 6, 0), ("rank4", 0, 9, 0),
    ("rank8", 0, 6, 0), ("rank9", 0, 12, 0), ("rank10", 0, 9, 0), ("rank12", 0, 18, 0), ("splitsync", 0, 6, 0),
    ("lostupdate", 0, 4, 0), ("philosophers", 2, 3, 1), ("philosophers", 3, 7, 1), ("philosophers", 4, 15, 1),
    ("philosophers", 5, 31, 1), ("readers", 3, 8, 0), ("readers", 5, 32, 0), ("readers", 8, 256, 0),
    ("lastzero", 3, 12, 0), ("lastzero", 4, 28, 0), ("lastzero", 5, 64, 0), ("lastzero", 10, 3328, 0),
    ("ring", 2, 3, 0), ("ring", 3, 7, 0), ("ring", 4, 15, 0), ("reorder", 2, 36, 0), ("reorder", 3, 576, 0),
    ("reorder_sct", 2, 56, 0), ("twostage", 1, 3, 0), ("twostage", 2, 28, 0), ("critical2", 2, 6, 0),
    ("critical3", 1, 6, 0), ("critical3", 2, 90, 0), ("bluetooth", 0, 8, 0), ("hidden", 0, 4, 0),
]


def search(tools, work, program, size, strategy):
    out = work / f"{strategy.replace(':', '-')}.json"
    run([tools.raddle, "run", "-k", "-q", "--detect", "none", "-s", strategy, "--json", out, "-o", work / "out", work / "literature",
         program, size], cwd=work)
    return json.loads(out.read_text())


def classes(tools, compiler):
    work = tools.dir(f"traces-{compiler}")
    source = ROOT / "tests" / "e2e" / "traces" / "literature.c"
    env = {"RADDLE_CC": COMPILERS[compiler][0]}
    run([tools.raddle, "cc", "-g", "-O1", "-Wall", "-Wextra", source, "-o", work / "literature"], env=env).expect(0)
    for program, size, expected, deadlocks in CLASSES:
        for strategy in ("dpor:optimal", "dpor"):
            if strategy == "dpor" and expected > 100:
                continue
            got = search(tools, work, program, size, strategy)
            found = len(got["findings"])
            told = (got["executions"], got["distinct_orders"], found)
            if told != (expected, expected, deadlocks) or not got["finished"]:
                raise AssertionError(f"{program}({size}), {strategy}: {told}, complete {got['finished']}; "
                                     f"expected {expected} executions, {deadlocks} deadlocks")


def test_classes_gcc(tools):
    classes(tools, "gcc")


def test_classes_clang(tools):
    classes(tools, "clang")


def test_best_first_within_its_memory(tools):
    """At the budget the lowest priorities are dropped: the search continues, without a claim."""
    work = tools.dir("traces-memory")
    program = tools.compile(ROOT / "tests" / "e2e" / "traces" / "literature.c")
    done, summary = tools.search(work, ["-s", "best:rand", "--memory", "1", "-n", "4000"], program, ["lastzero", "10"])
    done.expect(0)
    if summary["executions"] != 4000 or summary["finished"] or "used up" not in " ".join(summary["bounds"]["void"]):
        done.fail("it does not say that it has given up a part")
    if summary["search_bytes"] > 2 << 20 or summary["bounds"]["proved"]:
        done.fail(f"{summary['search_bytes']} bytes, proved: '{summary['bounds']['proved']}'")
