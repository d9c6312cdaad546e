"""Executions to the first bug, samplers only: programs of the kind that papers on sampling measure.

    bench/samplers.py RADDLE DIR [--against RADDLE] [--seeds N] [--executions N] [--seconds S] [--out FILE] [NAME...]

Each cell is the mean and the median of the seeds. NAME: only rows whose name contains one. With --against the
strategies of --changed are also measured with another build of Raddle: before and after a change.
"""
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from measure import Trouble, build, publish, search, table  # noqa: E402

STRATEGIES = "rff,pos,surw,random,pct"
# the row, the program in bench/samplers, its arguments, and its compiler options
ROWS = [("reorder 10", "reorder", ["10"], "-O0"), ("reorder 100", "reorder", ["100"], "-O0"),
        ("stages 10", "stages", ["10"], "-O0"), ("stages 100", "stages", ["100"], "-O0"),
        ("locks 3", "locks", ["3"], "-O0"), ("ring 5", "ring", ["5"], "-O0"), ("ring 6", "ring", ["6"], "-O0"),
        ("ledger 8", "ledger", ["8"], "-O0"), ("aba", "aba", [], "-O1"), ("stack", "stack", [], "-O1")]
FEW = [row[0] for row in ROWS if row[0] != "stack"]  # `stack` needs about a million executions
INTRO = """# Executions to the first bug, by samplers

Each cell: mean / median of the executions to the first finding, over {seeds} seeds. A search that has not found the bug
in {executions:,} executions or {seconds:g} s counts with the executions that it made; `(k)` says that only k of the seeds
found it, so that the true mean is larger than the number in the cell. The programs are in `bench/samplers`, with every access
instrumented, at -O0 (`aba` and `stack` at -O1). `reorder N`: N threads set two variables, one checks. `stages N`: the
same with locks. `locks N`: two locks for one counter. `ring N`: N threads in one single order. `ledger N`: a lost update
among variables that are used more often. `aba`: a lock-free stack with four threads, one delayed between two others.
`stack`: a lock-free stack whose bug needs several preemptions in three threads, and a million executions; it is measured
only if it is named, with a larger --executions and --seconds.

"""


def cell(args, raddle, strategy, binary, words):
    counts, found = [], 0
    for seed in range(1, args.seeds + 1):
        try:
            run = search(raddle, strategy, binary, "-n", str(args.executions), "-t", str(args.seconds), args=words,
                         seed=seed, timeout=args.seconds + 120)
        except Trouble as e:
            return f"refused: {e}"
        counts.append(run["executions"] + run["cut"])
        found += bool(run["findings"])
    text = f"{statistics.mean(counts):,.1f} / {statistics.median(counts):,.1f}".replace(".0", "")
    return text if found == args.seeds else f"{text} ({found})"


def measure(args, columns):
    rows = []
    for name, program, words, flag in ROWS:
        if not any(word in name for word in args.name) if args.name else name not in FEW:
            continue
        source = Path(__file__).resolve().parent / "samplers" / f"{program}.c"
        binary = build(args.raddle, source, f"{args.dir}/samplers/{program}", flag)
        rows.append([name, *(cell(args, raddle, s, binary, words) for _, raddle, s in columns)])
        print("#", *rows[-1], sep=" | ", file=sys.stderr, flush=True)
    return rows


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("dir", help="for binaries")
    p.add_argument("--against", help="another build, for columns of how it was before")
    p.add_argument("--changed", type=lambda s: s.split(","), default=["rff", "surw"], help="strategies of those columns")
    p.add_argument("--strategies", type=lambda s: s.split(","), default=STRATEGIES.split(","))
    p.add_argument("--executions", type=int, default=2000, help="limit of a search")
    p.add_argument("--seconds", type=float, default=2.0, help="limit of a search")
    p.add_argument("--seeds", type=int, default=20)
    p.add_argument("--out", default="bench/samplers.md")
    p.add_argument("name", nargs="*")
    return p.parse_intermixed_args()


def main():
    args = arguments()
    columns = [(f"{s} before", args.against, s) for s in args.changed if args.against]
    columns += [(s, args.raddle, s) for s in args.strategies]
    text = INTRO.format(seeds=args.seeds, executions=args.executions, seconds=args.seconds)
    text += table(["program", *(name for name, _, _ in columns)], measure(args, columns))
    text += "\nWritten by `python3 bench/samplers.py build/raddle build/bench`; `--against OTHER` adds the columns `before`,\n"
    text += "which another build has made.\n"
    publish(args.out, text)


if __name__ == "__main__":
    main()
