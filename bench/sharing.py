"""The gain of points at shared memory only (trace/sharing.h): `--points auto` against `--points all`, at -O0 and -O1.

Writes bench/sharing.md. Executions per second of uniform random sampling, whose executions are of the same kind in both
columns; the best of several rounds, which alternate. With a second raddle as third argument that is measured in the
same run, with its default points.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import publish, table

raddle, out, others = sys.argv[1], Path(sys.argv[2]), sys.argv[3:4]
HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "programs"
ROUNDS, BUDGET = 3, 0.5
PROGRAMS = [
    (HERE / "two.c", (), ()),
    (HERE / "blocks.c", (), ()),
    (HERE / "reads.c", (), ()),
    (HERE / "frequency.c", (), ("20",)),
    (HERE / "steps.c", (), ("4", "20")),
    (HERE / "speed" / "counters.c", ("-DTHREADS=4", "-DROUNDS=3"), ()),
    (HERE / "speed" / "lastzero.c", ("-DN=8",), ()),
    (HERE / "speed" / "storeload.c", ("-DTHREADS=6",), ()),
    (HERE / "speed" / "long.c", (), ("10",)),
    *((p, ("-DPRIVATE_TOO",), ()) for p in sorted((HERE / "collections").glob("*.c"))),
    *((p, (), ("0.001",)) for p in sorted((HERE / "compute").glob("*.c")) if p.stem != "molecules"),  # 10^7 steps and more
    *((p, (), ()) for p in sorted((HERE / "samplers").glob("*.c"))),
    (TESTS / "bug" / "double_checked_vector.cc", (), ()),
    (TESTS / "ok" / "queue.cc", (), ()),
    (TESTS / "ok" / "cxx_future.cc", (), ()),
    (TESTS / "ok" / "lf_stack.cc", (), ()),
]


def build(tool, source, level, flags, name):
    binary = out / "sharing" / f"{source.stem}{level}.{name}"
    binary.parent.mkdir(parents=True, exist_ok=True)
    wrapper = "c++" if source.suffix == ".cc" else "cc"
    subprocess.run([tool, wrapper, "-g", level, "-pthread", *flags, str(source), "-o", str(binary), "-lm"], check=True)
    return binary


def rate(tool, binary, args, *options):
    """Executions per second and steps of one execution; None if the program is too long for the budget, or refused."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([tool, "run", "-j", "1", "-s", "random", "-t", str(BUDGET), "--detect", "none", "--no-minimise",
                        "--keep-going", "-q", "--json", f"{work}/s.json", "-o", f"{work}/out", *options, "--",
                        str(binary), *args], stdin=subprocess.DEVNULL, capture_output=True)
        try:
            s = json.loads(Path(work, "s.json").read_text())
        except (OSError, json.JSONDecodeError):
            return None
    return (s["executions_per_s"], s["steps"] / s["executions"]) if s.get("executions") else None


def best(runs):
    runs = [r for r in runs if r]
    return max(runs) if runs else None


def main():
    rows, gains = [], {}
    for source, flags, args in PROGRAMS:
        for level in ("-O0", "-O1"):
            ways = [(raddle, build(raddle, source, level, flags, "own"), option) for option in ("auto", "all")]
            ways += [(other, build(other, source, level, flags, "other"), None) for other in others]
            runs = [[] for _ in ways]
            for _ in range(ROUNDS):
                for i, (tool, binary, points) in enumerate(ways):
                    runs[i].append(rate(tool, binary, args, *(("--points", points) if points else ())))
            found = [best(r) for r in runs]
            if not found[0] or not found[-1]:
                rows.append([source.stem, level] + ["-"] * (5 + 2 * len(others)))
                continue
            ratios = [found[0][0] / f[0] if f else 0 for f in found[1:]]
            gains.setdefault(level, []).append(ratios[-1])
            rows.append([source.stem, level, *(f"{f[1]:,.0f}" if f else "-" for f in found[:2]),
                         *(f"{f[0]:,.0f}" if f else "-" for f in found), *(f"{r:.2f}" for r in ratios)])
    head = ["program", "", "steps", "all", "a second", "all", *(["other"] * len(others)), "to all",
            *(["to other"] * len(others))]
    text = "# Points at shared memory only\n\nWritten by `bench/sharing.py`: executions a second of `-s random` with " \
           "`--points auto` and with `--points all`, steps of an execution, and the ratio; the best of several rounds.\n\n"
    text += table(head, rows) + "\n"
    for level, values in gains.items():
        values.sort()
        text += f"{level}: the ratio is {values[len(values) // 2]:.2f} at the median, {values[0]:.2f} at least.\n"
    publish(HERE / "sharing.md", text)


main()
