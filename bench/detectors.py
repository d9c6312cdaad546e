"""The cost of each detector: executions per second of CPU time with it, compared with no detector, in one run.

    bench/detectors.py RADDLE DIR [--executions N] [--rounds N] [--out FILE] [NAME...]
"""
import argparse
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
from measure import build, publish, search, table  # noqa: E402

PROGRAMS = {  # source and arguments
    "two": ("bench/two.c", ()),
    "blocks": ("bench/blocks.c", ()),
    **{name: (f"bench/collections/{name}.c", ()) for name in ("list", "vector", "hashset", "treeset")},
    "lf_mcs": ("tests/programs/ok/lf_mcs.c", ()),
    "montecarlo": ("bench/compute/montecarlo.c", ("0.001",)),
    "cache": ("bench/compute/cache.c", ("0.0005",)),
}
INTRO = """# The cost of detectors

Executions per second of CPU time, all processes of `raddle run -s random` together, every access a point: the best of
{rounds} rounds of {executions} executions each (at most {seconds} s), the settings one after the other in each round. A
detector reads an execution if its happens-before class is new; `new` is the share of such executions. In brackets: how
much longer an execution takes than with no detector. The last column is `none` again: differences up to its value are
noise.

"""
OUTRO = """
Written by `make bench` (`bench/detectors.py`).
"""
SECONDS = 1


def detectors(raddle):
    """The names of `raddle list detectors`, in its order."""
    out = subprocess.run([raddle, "list", "detectors"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in out.splitlines() if line[:1].strip()]


def used():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def measure(raddle, binary, args, detect, executions):
    """Executions per second of CPU time, and the share of executions whose class was new."""
    before = used()
    s = search(raddle, "random", binary, "--detect", detect, "--keep-going", "--points", "all", "-n", str(executions),
               "-t", str(SECONDS), args=args)
    return s["executions"] / (used() - before), s["distinct_orders"] / s["executions"]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("dir", help="for binaries")
    p.add_argument("--executions", type=int, default=20000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--out", default="bench/detectors.md")
    p.add_argument("names", nargs="*", help="only these programs")
    args = p.parse_args()
    settings = ["none", *detectors(args.raddle), "all", "none again"]
    rows = []
    for name in args.names or PROGRAMS:
        source, arguments = PROGRAMS[name]
        binary = build(args.raddle, source, f"{args.dir}/{name}.detect", "-lm")
        best, new = dict.fromkeys(settings, 0), 0
        for _ in range(args.rounds):
            for detect in settings:
                rate, new = measure(args.raddle, binary, arguments, detect.split()[0], args.executions)
                best[detect] = max(best[detect], rate)
        rows.append([name, f"{100 * new:.0f} %", f"{best['none']:.0f}"] +
                    [f"{best[d]:.0f} ({100 * (best['none'] / best[d] - 1):+.0f} %)" for d in settings[1:]])
    publish(args.out, INTRO.format(rounds=args.rounds, executions=args.executions, seconds=SECONDS)
            + table(["program", "new", *settings], rows) + OUTRO)


if __name__ == "__main__":
    main()
