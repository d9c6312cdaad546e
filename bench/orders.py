"""Different partial orders that samplers show on seven-thread drivers of collections (bench/collections).

    bench/orders.py RADDLE DIR [--executions N] [--seeds N]
"""
import argparse
import sys

sys.dont_write_bytecode = True
from measure import build, publish, search, strategies, table  # noqa: E402

COLLECTIONS = "list", "vector", "hashset", "treeset"
SAMPLERS = "random", "rapos", "pos", "urw", "surw", "pct"
POINTS = {
    "sync": ("locks only", (), ("--points", "sync")),
    "shared": ("locks, and what is accessed inside the critical sections", (), ("--points", "all")),
    "private too": ("the same, and what only one thread ever accesses", ("-DPRIVATE_TOO",), ("--points", "all")),
}

INTRO = """# Partial orders that samplers show

How many different partial orders (happens-before classes) {executions} executions of each sampler show: the mean of
{seeds} seeds. `steps` is the length of an execution of `random`; `all` is the number of all orders (from
`dpor:optimal`, which runs each once). The programs are drivers of synchronised collections: two collections with a
lock each, and seven threads that call one method each (`bench/collections`). The last column is the ratio that the paper on
`rapos` reports (Sen, ASE 2007, table 1: 1.38 to 18.75, with drivers for Java's collections).

"""
OUTRO = """
| points      | a thread may be switched at |
|-------------|-----------------------------|
{points}
`shared` has the points of the paper: locks, and accesses to shared memory. `sync` must give the same number for every
collection, because the seven threads take the same locks in each. `private too` adds accesses to a thread's own memory:
these depend on no other thread, and `rapos` lets a thread that performs them continue. Here nearly all of them are inside
critical sections, where that makes hardly a difference.

{left}Written by `make bench` (`bench/orders.py`).
"""


def everything(raddle, binary, options):
    """The number of all orders, if a search that runs each of them once ends in time."""
    whole = search(raddle, "dpor:optimal", binary, "-t", "10", *options)
    return whole["distinct_orders"] if whole["complete"] else "?"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("dir", help="for binaries")
    p.add_argument("--executions", type=int, default=300)
    p.add_argument("--seeds", type=int, default=3)
    args = p.parse_args()
    there = strategies(args.raddle)
    samplers = [s for s in SAMPLERS if s in there]
    rows = []
    for points, (_, flags, options) in POINTS.items():
        for name in COLLECTIONS:
            binary = build(args.raddle, f"bench/collections/{name}.c", f"{args.dir}/{name}{len(flags)}", *flags)
            mean, steps = {}, 0
            for sampler in samplers:
                runs = [search(args.raddle, sampler, binary, "-n", str(args.executions), *options, seed=seed)
                        for seed in range(1, args.seeds + 1)]
                if any(r["findings"] for r in runs):
                    sys.exit(f"orders.py: '{name}' has no bug, but {sampler} reports one")
                mean[sampler] = sum(r["distinct_orders"] for r in runs) / len(runs)
                if sampler == "random":
                    steps = sum(r["steps"] for r in runs) / sum(r["executions"] for r in runs)
            rows.append([points, name, f"{steps:.0f}", everything(args.raddle, binary, options),
                         *(f"{mean[s]:.0f}" for s in samplers),
                         f"{mean['rapos'] / mean['random']:.2f}"])
    left = [s for s in SAMPLERS if s not in there]
    publish("bench/partial-orders.md", INTRO.format(executions=args.executions, seeds=args.seeds)
            + table(["points", "collection", "steps", "all", *samplers, "rapos / random"], rows)
            + OUTRO.format(points="".join(f"| {k:11} | {v[0]} |\n" for k, v in POINTS.items()),
                           left=f"Not available: {', '.join(left)}.\n\n" if left else ""))


if __name__ == "__main__":
    main()
