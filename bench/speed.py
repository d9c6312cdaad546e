"""The speed of executions: in one process against a process for each, whole proofs, long executions, two workers.

Writes bench/speed.md. Everything is the best of several rounds, on one core unless it says otherwise; compare ratios.
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import build, publish, table

raddle, out = sys.argv[1], Path(sys.argv[2])
HERE = Path(__file__).parent
ROUNDS = 5


def run(program, *options, args=(), jobs=1):
    """Seconds and summary of the fastest of the rounds."""
    best = None
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as work:
            command = [raddle, "run", "-j", str(jobs), "--json", f"{work}/s.json", "-q", "-o", f"{work}/out", *options,
                       "--", str(program), *map(str, args)]
            start = time.monotonic()
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            took = time.monotonic() - start
            if done.returncode not in (0, 1):
                raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}")
            s = json.loads(Path(work, "s.json").read_text())
        if best is None or took < best[0]:
            best = took, s
    return best


def isolation(two):
    rows = []
    for name, options in (("snapshot, no detector", ("--isolation", "snapshot", "--detect", "none")),
                          ("snapshot, races", ("--isolation", "snapshot", "--detect", "races")),
                          ("snapshot, default detectors", ("--isolation", "snapshot")),
                          ("fork, no detector", ("--isolation", "fork", "--detect", "none")),
                          ("exec, no detector", ("--isolation", "exec", "--detect", "none"))):
        n = {"snap": 150000, "fork": 3000, "exec": 300}[name[:4]]
        _, s = run(two, "-s", "dfs", "-n", str(n), *options)
        rows.append([name, f"{s['executions_per_s']:,.0f}"])
    return table(["2 threads x 3 lock; x++; unlock, dfs", "executions a second"], rows)


def parts(two):
    text = subprocess.run([raddle, "bench", "-s", "dfs", "--isolation", "snapshot", str(two)], capture_output=True,
                          text=True, check=True).stdout
    keep = [line for line in text.splitlines() if re.match(r"executions|of each|just to copy", line)]
    return "```\n" + "\n".join(keep) + "\n```\n"


def proofs(programs):
    rows = []
    for name, program in programs:
        took, s = run(program, "-s", "dpor:optimal", "--detect", "none")
        rows.append([name, f"{s['distinct_orders']:,}", f"{took:.2f}", f"{s['executions_per_s']:,.0f}",
                     "yes" if s["complete"] else "no"])
    return table(["dpor:optimal", "classes", "s", "a second", "complete"], rows)


def lengths(program):
    rows = []
    for k in (1, 10, 100, 1000, 5000):
        n = max(20, 400000 // (4 * k + 10))
        _, s = run(program, "-s", "random", "-n", str(n), "--detect", "none", args=(k,))
        steps = s["steps"] / s["executions"]
        rows.append([f"{steps:,.0f}", f"{s['executions_per_s']:,.0f}", f"{1e9 / (s['executions_per_s'] * steps):.0f}"])
    return table(["steps an execution", "executions a second", "ns a step"], rows)


def main():
    two = build(raddle, HERE / "two.c", out / "two")
    counters, lastzero, storeload = (HERE / "speed" / f"{n}.c" for n in ("counters", "lastzero", "storeload"))
    programs = [
        ("2 threads x 10 lock; x++; unlock", build(raddle, counters, out / "c2x10", "-DTHREADS=2", "-DROUNDS=10")),
        ("4 threads x 3", build(raddle, counters, out / "c4x3", "-DTHREADS=4", "-DROUNDS=3")),
        ("lastzero(15)", build(raddle, lastzero, out / "lastzero", "-DN=15")),
        ("6 threads x (store; load)", build(raddle, storeload, out / "storeload", "-DTHREADS=6")),
    ]
    long = build(raddle, HERE / "speed" / "long.c", out / "long")
    text = "# How fast executions are\n\nWritten by `make bench` (bench/speed.py); the best of several rounds.\n\n"
    text += isolation(two) + "\nWhere the time of one execution goes, and the time to copy as many pages:\n\n"
    text += parts(two) + "\nProofs, on one core:\n\n" + proofs(programs) + "\nLonger executions:\n\n" + lengths(long)
    one, two_workers = (run(programs[0][1], "-s", "dpor:optimal", "--detect", "none", jobs=j) for j in (1, 2))
    text += (f"\nTwo workers on the first of those proofs: {one[0]:.2f} s with `-j 1`, {two_workers[0]:.2f} s with "
             f"`-j 2`, {one[0] / two_workers[0]:.2f} times as fast.\n")
    publish(HERE / "speed.md", text)


main()
