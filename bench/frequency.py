"""Executions to a bug as the variable of the bug is used ever more rarely: priorities that change anywhere (pct)
against priorities that change at accesses of a few variables (pctvb).

    bench/frequency.py RADDLE DIR [--seeds N] [--against STRATEGY]
"""
import argparse
import math
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from measure import Trouble, build, publish, search, strategies, table  # noqa: E402
from plot import plot  # noqa: E402

SIZES = [2**i for i in range(9)]
BASE = "pct:d=2"
INTRO = """# A bug at a variable that is rarely used

Two threads read one variable m times each; then one of them reads another variable twice, and the other one writes it
(`bench/frequency.c`). The bug needs the write between these two reads: one preemption at one variable, 3 accesses of
2m + 3. Executions to the bug: the mean of {seeds} seeds and its standard error. After figure 6 of the paper on variable
bounding (Bindal, Bansal and Lal, ISSTA 2013).

"""
MODEL = """
`accesses`: the share of accesses to the variable of the bug. `model`: the exact expectation for two threads with only
these accesses, 2 (2m + 3) executions with `pct`; with `pctvb` it is 12 for every m. A real program also has a main thread,
and a start of each thread.
"""


def executions(raddle, strategy, binary, m, seeds, limit):
    """The mean, its standard error, and the number of seeds that did not find the bug."""
    counts, missed = [], 0
    for seed in range(1, seeds + 1):
        summary = search(raddle, strategy, binary, "-n", str(limit), args=[str(m)], seed=seed)
        counts.append(summary["executions"] + summary["cut"])
        missed += not summary["findings"]
    return statistics.mean(counts), statistics.stdev(counts) / math.sqrt(seeds), missed


def cell(result):
    if isinstance(result, str):
        return "not available"
    mean, error, missed = result
    return f"{'> ' if missed else ''}{mean:.1f} ± {error:.1f}"


def measure(args, binary, strategy, there):
    """The results by m, or the reason why there are none."""
    if strategy.split(":")[0] not in there:
        return f"`{strategy}` is not available: this version has no such strategy."
    try:
        return {m: executions(args.raddle, strategy, binary, m, args.seeds, args.limit) for m in SIZES}
    except Trouble as e:
        return f"`{strategy}` is not available: {e}."


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("dir", help="for the binary")
    p.add_argument("--seeds", type=int, default=40)
    p.add_argument("--limit", type=int, default=20000, help="executions of a search")
    p.add_argument("--against", default="pctvb:d=2,v=1", metavar="STRATEGY")
    p.add_argument("--out", default="bench/frequency", help="the files, without .md and .svg")
    args = p.parse_args()
    binary = build(args.raddle, "bench/frequency.c", f"{args.dir}/frequency")
    there = strategies(args.raddle)
    results = {s: measure(args, binary, s, there) for s in (BASE, args.against)}
    rows = [[m, f"{100 * 3 / (2 * m + 3):.1f} %", *(cell(r if isinstance(r, str) else r[m]) for r in results.values()),
             2 * (2 * m + 3)] for m in SIZES]
    reasons = [r for r in results.values() if isinstance(r, str)]
    lines = {s: [(m, *r[m][:2]) for m in SIZES] for s, r in results.items() if not isinstance(r, str)}
    name = Path(args.out).name
    publish(f"{args.out}.md", INTRO.format(seeds=args.seeds)
            + table(["m", "accesses", *results, "model, pct"], rows) + MODEL
            + f"\n![executions to the bug over m]({name}.svg)\n\n" + "".join(f"{r}\n\n" for r in reasons)
            + "Written by `make bench` (`bench/frequency.py`).\n")
    Path(f"{args.out}.svg").write_text(plot(lines, "m: accesses of each thread to the other variable",
                                            "executions to the bug (mean)"))


if __name__ == "__main__":
    main()
