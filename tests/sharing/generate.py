#!/usr/bin/env python3
"""The differential test of points at shared memory only (src/trace/sharing.h).

    tests/sharing/generate.py [--raddle FILE] [--build DIR] [--seed N] [--programs N]
    tests/sharing/generate.py --program '5,0,6 8,9,12' [--strategy dfs]

Random programs: 2 or 3 threads, each with a few of the statements of statements.c, which use memory of stacks, of the
heap and of globals: private, handed over, or shared. Each program is searched with every access as a point (--points
all) and with accesses to shared memory only. The outcomes, the kinds of findings and the places of races must be the
same. (Of the deadlocks with one set of locks only the first is reported: its place may differ.)
"""
import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENDS = (48, 49, 50)  # an execution ends at these in any case
EXECUTIONS = 3000
# Strategies with points at shared memory only: every program runs with the first, and with one of the others in turn.
FIRST, IN_TURN = "dpor", ["dfs", "dpor:optimal", "auto", "dpor:classic", "icb", "bpor", "idfs", "delay", "icb:sleep"]
# clang with optimisation puts no hook before some accesses to a local struct whose address is known to others (docs/limits.md)
BUILDS = [("gcc", "-O0"), ("gcc", "-O1"), ("clang", "-O0")]
# statements that belong together, so that most programs share memory
TOPICS = [(0, 1, 2, 3, 4, 14, 15, 19, 20), (5, 6, 7, 0, 1, 3), (8, 9, 10, 11, 12, 13), (8, 23, 24, 25, 13, 22),
          (8, 26, 27, 13, 28), (16, 17, 18, 0), (2, 29, 30, 3, 21), (21, 22, 31, 32, 4), (8, 33, 13, 9, 10, 25, 23),
          (34, 35, 36, 2, 0), (37, 10, 38, 2), (39, 34, 30, 4),
          (2, 3, 40, 41, 0), (4, 42, 14, 40, 20, 19), (8, 43, 44, 9, 10, 13), (2, 3, 45, 46, 6, 5, 7), (5, 6, 7, 40, 1, 47)]


def build(raddle, work):
    """Builds the program in every way; returns the paths."""
    work.mkdir(parents=True, exist_ok=True)
    made = []
    for compiler, level in BUILDS:
        to = work / f"statements-{compiler}{level}"
        driver = "cc" if compiler == "gcc" else "clang"
        done = subprocess.run([raddle, driver, "-g", level, "-w", HERE / "statements.c", "-o", to, "-pthread"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        made.append(to)
    return made


def program(r):
    while True:
        statements = list(r.choice(TOPICS)) + r.sample(range(ENDS[0]), 2)
        count = r.choice((2, 2, 2, 3))
        threads = [[r.choice(statements) for _ in range(r.randint(1, 5 if count == 2 else 3))] for _ in range(count)]
        if r.random() < 0.2:
            threads = [t[:r.randint(0, 2)] + [*r.choice(((51,), (52,), ())), r.choice(ENDS)] for t in threads]
        if sum(len(t) for t in threads) > 2:
            words = [",".join(str(s) for s in t) for t in threads]
            return [r.choice(("", "+")) + words[0], *words[1:]]


def shown(summary):
    """Outcomes, kinds of findings, and places of races."""
    found = {("outcome", o["output"]) for o in summary["outcomes"]}
    for f in summary["findings"]:
        lines = {f["line"], (f.get("because_of") or {}).get("line")} if f["kind"] == "data-race" else set()
        lines |= {f["line"]} if f["kind"] in ("assertion", "crash", "use-after-free", "double-free") else set()
        found.add((f["kind"], *sorted(str(n) for n in lines)))
    return found


def search(raddle, work, binary, words, strategy, points):
    """The result of a search if it was finished, otherwise None; and the command."""
    summary = work / "summary.json"
    summary.unlink(missing_ok=True)
    command = [str(c) for c in (raddle, "run", "-s", strategy, "-k", "-j", "1", "--no-minimise", "--outcomes", "--points", points,
                                "-n", EXECUTIONS, "--json", summary, "-o", work / "out", "--", binary, *words)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    if done.returncode == 2 and "no execution came to its end within the limit of executions" in done.stderr:
        return None, command
    if not summary.exists() or done.returncode not in (0, 1):
        return f"exit status {done.returncode}: {done.stderr[-500:]}", command
    s = json.loads(summary.read_text())
    if not s["finished"]:
        return None, command
    return shown(s), command


def check(raddle, work, binary, words, strategies, points="auto"):
    """None: no comparison is possible; "": no difference; otherwise the difference."""
    expected, command = search(raddle, work, binary, words, FIRST, "all")
    if isinstance(expected, str):
        return f"{expected}\n    {' '.join(command)}"
    compared = 0
    for strategy in strategies:
        found, command = search(raddle, work, binary, words, strategy, points)
        if isinstance(found, str):
            return f"{strategy}: {found}\n    {' '.join(command)}"
        if found is None or expected is None:
            continue
        compared += 1
        if found != expected:
            return (f"{strategy}: lost {sorted(expected - found)}, more {sorted(found - expected)}\n    {' '.join(command)}")
    return "" if compared else None


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--raddle", default=ROOT / "build" / "raddle", type=Path)
    p.add_argument("--build", default=ROOT / "build" / "sharing", type=Path)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--programs", type=int, default=100)
    p.add_argument("--program")
    p.add_argument("--strategy", action="append")
    p.add_argument("--points", default="auto", choices=("auto", "sync"))
    args = p.parse_args()
    raddle, work = args.raddle.resolve(), args.build.resolve()
    binaries = build(raddle, work)
    if args.program:
        for b in binaries:
            print(b.name, check(raddle, work, b, args.program.split(), args.strategy or [FIRST, *IN_TURN], args.points))
        return
    failed, compared, begin = 0, 0, time.monotonic()
    for n in range(args.programs):
        words = program(random.Random(args.seed + n))
        strategies = args.strategy or [FIRST, IN_TURN[n % len(IN_TURN)]]
        wrong = check(raddle, work, binaries[n % len(binaries)], words, strategies, args.points)
        compared += wrong is not None
        if wrong:
            failed += 1
            print(f"FAIL seed {args.seed + n}: {words}: {wrong}", flush=True)
        if (n + 1) % 500 == 0:
            print(f"{n + 1} programs, {compared} compared, {failed} failed, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{args.programs} programs, {compared} compared, {failed} failed, {time.monotonic() - begin:.0f} s")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
