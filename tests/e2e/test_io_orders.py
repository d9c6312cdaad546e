"""Input and output: a reduced search shows all possible outputs, in few executions. The possible outputs are known from
dfs."""
import json
from pathlib import Path

from common import SLOW_TIMEOUT_S, run

SOURCE = Path(__file__).resolve().parent / "io_orders.c"
MOVED = ["looked-1 moved-1", "looked-1 moved1", "looked1 moved-1",
         "moved-1 looked-1", "moved-1 looked1", "moved1 looked-1"]
# by case: the outputs, and the number of orders of events
CASES = {
    "two pipes": (["0 1", "1 0", "1 1"], 3),
    "copy": (["0", "1"], 4),
    "time": (["0", "1"], 4),
    "datagrams": (["0", "1"], 4),
    "calls": (["0", "1"], 24),
    "room": (["1 filled0"], 2),
    "splice": (MOVED, 12),
    "epoll": (["1", "2"], 7),
    "three pipes": (["0 0 1", "1 0 0", "1 0 1"], 9),
}


def outcomes(tools, name, strategy):
    work = tools.dir("io-orders-" + name.replace(" ", "-") + "-" + strategy)
    program = tools.compile(SOURCE, "gcc", "plain")
    command = [tools.raddle, "run", "-s", strategy, "--outcomes", "--json", work / "o.json", "-o", work / "out"]
    done = run([*command, "--", program, name], timeout=SLOW_TIMEOUT_S).expect(0)
    summary = json.loads((work / "o.json").read_text())
    if not summary["finished"]:
        done.fail(f"{name}: not complete")
    return done, summary, sorted(o["output"].strip() for o in summary["outcomes"])


def test_reduced(tools):
    for name, (expected, orders) in CASES.items():
        done, summary, seen = outcomes(tools, name, "dpor")
        if seen != expected:
            done.fail(f"{name}: {seen} came out, expected {expected}")
        runs = summary["executions"], summary["distinct_orders"]
        if runs != (orders, orders):
            done.fail(f"{name}: {runs} executions and orders, expected {orders}")


def test_all(tools):
    for name, (expected, _) in CASES.items():
        if name == "calls":  # 260,000 schedules, each in a process of its own
            continue
        done, _, seen = outcomes(tools, name, "dfs")
        if seen != expected:
            done.fail(f"{name}: {seen} came out, expected {expected}")


test_all.slow = True
