"""The cost of a step in long executions, with few threads and with many, by sampler.

Writes bench/steps.md. The unit is processor time, not wall-clock time: the time of a search with more executions minus
that of a search with a few, the minimum of several rounds. Beside its first executions a search may run a few more
(src/explore/livelock_probe.h), so the counts are large enough to hide them. With a second raddle as third argument both are
measured in the same run.
"""
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import build, publish, table

programs, out = [sys.argv[1], *sys.argv[3:4]], Path(sys.argv[2])
HERE = Path(__file__).parent
ROUNDS, STEPS, FEW = 3, 1000000, 30
SIZES = ((4, 250), (4, 2500), (4, 25000), (100, 10), (100, 100), (100, 1000))


def measure(raddle, strategy, program, executions, args):
    with tempfile.TemporaryDirectory() as work:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([raddle, "run", "-j", "1", "-s", strategy, "-n", str(executions), "--detect", "none", "-q",
                        "--json", f"{work}/s.json", "-o", f"{work}/out", "--", str(program), *map(str, args)], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        steps = json.loads(Path(work, "s.json").read_text())["steps"]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, steps


def cost(raddle, strategy, program, args):
    """Nanoseconds of a step, and steps of an execution."""
    more = max(4, STEPS // (args[0] * args[1] + 3 * args[0]))
    best = None
    for _ in range(ROUNDS):
        few, many = (measure(raddle, strategy, program, n, args) for n in (FEW, FEW + more))
        ns = (many[0] - few[0]) * 1e9 / (many[1] - few[1])
        best = ns if best is None else min(best, ns)
    return best, many[1] // (FEW + more)


def main():
    program = build(programs[0], HERE / "steps.c", out / "steps")
    rows = []
    for strategy in ("random", "pos", "surw", "pct"):
        for args in SIZES:
            costs = [cost(raddle, strategy, program, args) for raddle in programs]
            rows.append([strategy, args[0], f"{costs[0][1]:,}", *(f"{ns:.0f}" for ns, _ in costs)])
    head = ["strategy", "threads", "steps", "ns a step", "ns a step, the other"][:3 + len(programs)]
    publish(HERE / "steps.md", "# The cost of a step in long executions\n\nWritten by `bench/steps.py`; processor time, the "
            "minimum of several rounds.\n\n" + table(head, rows))


main()
