#!/usr/bin/env python3
"""`raddle run` without options on every program of tests/programs: which bugs it finds and how soon, and which correct
programs it proves.

    bench/default.py RADDLE DIR [--bugs SECONDS] [--proofs SECONDS] [--out FILE] [NAME...]

Runs builds of both modes, with the first compiler of a program's header. NAME: only programs whose name contains one.
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from common import Tools, contracts  # noqa: E402
from measure import publish, table  # noqa: E402

OTHER = {"leak", "lock-discipline"}  # found by detectors that are off by default
INTRO = """# `raddle run` without options

Every program of `tests/programs`, not instrumented (`plain`) and with `raddle cc` (`hooks`), with the default strategy,
detectors, points and isolation. Seconds are those of the whole command, including the report; compare them within
one run. Limits: {bugs:g} s for a bug, {proofs:g} s for a proof. Written by
`bench/default.py`.

"""


def run(tools, contract, mode, seconds):
    """The JSON summary (None if there is none), the first line of trouble, and the seconds it took."""
    compiler = contract.compilers[0]
    binary = tools.compile(contract.source, compiler, mode, contract.flags)
    with tempfile.TemporaryDirectory() as work:
        command = [str(tools.raddle), "run", "-t", str(seconds), "--json", f"{work}/summary.json", "-o", f"{work}/out",
                   "--", str(binary), *contract.args]
        begin = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, cwd=work, errors="replace",
                              timeout=seconds + 60)
        took = time.monotonic() - begin
        summary = Path(work, "summary.json")
        text = summary.read_text() if summary.exists() else ""
        trouble = "".join(done.stderr.strip().splitlines()[:1]) if done.returncode not in (0, 1) else ""
        trouble = trouble.replace(str(binary), contract.source.name)  # without paths of this machine
        return json.loads(text) if text else None, trouble, took


class Bugs:
    """Programs with a bug: whether it is found, whether it has the expected kind, in how many executions and seconds.
    """

    def __init__(self):
        self.rows, self.count, self.found, self.slow = [], 0, 0, []

    def add(self, c, mode, summary, trouble, took):
        kinds = [f["kind"] for f in summary["findings"]] if summary else []
        self.count += 1
        self.found += bool(kinds)
        cut = summary["executions"] + summary["cut"] if summary else 0
        what = ", ".join(kinds) or trouble or "not found"
        if not kinds or took > 5:
            self.slow.append([c.name, mode, c.expect, what, cut, f"{took:.2f}"])
        self.rows.append([c.name, mode, c.expect, what, cut, f"{took:.2f}"])

    def text(self):
        head = ["program", "mode", "the bug", "found", "executions", "s"]
        times = sorted(float(r[5]) for r in self.rows)
        lines = [f"## Bugs\n\n{self.found} of {self.count} found; median {times[len(times) // 2]:.2f} s, "
                 f"90 % within {times[len(times) * 9 // 10]:.2f} s, all within {times[-1]:.2f} s.\n"]
        lines.append("Not found, or not within 5 s:\n\n" + table(head, self.slow) if self.slow else "")
        return "\n".join(lines) + "\n### All\n\n" + table(head, self.rows)


class Proofs:
    """Programs without a bug: complete, or the reason why not and the bound that is proved instead."""

    def __init__(self):
        self.rows, self.open, self.found, self.count, self.proved = [], [], [], 0, 0

    def add(self, c, mode, summary, trouble, took):
        self.count += 1
        if not summary:
            self.open.append([c.name, mode, 0, f"{took:.2f}", trouble or "no summary"])
            return
        runs = summary["executions"] + summary["cut"]
        bounds = summary["bounds"]
        kinds = [f["kind"] for f in summary["findings"]]
        if summary["complete"] and not kinds:
            self.proved += 1
            self.rows.append([c.name, mode, runs, summary["distinct_orders"], f"{took:.2f}"])
            return
        if kinds:
            self.found.append([c.name, mode, runs, f"{took:.2f}", ", ".join(kinds)])
            return
        why = trouble or "; ".join(bounds["void"])
        if not why:
            bound = [f"at most {bounds[k]} {k}" for k in ("preemptions", "delays") if bounds[k] is not None]
            why = "not finished; proved: " + (" and ".join(bound) or "nothing")
        then = "; next: " + summary["next"] if summary.get("next") else ""
        self.open.append([c.name, mode, runs, f"{took:.2f}", why + then])

    def text(self):
        return (f"## Correct programs\n\n{self.proved} of {self.count} proved completely.\n\n"
                + "### Not proved\n\n" + table(["program", "mode", "executions", "s", "why"], self.open)
                + "\n### With a finding\n\nTheir own options leave out what the default looks for.\n\n"
                + table(["program", "mode", "executions", "s", "found"], self.found)
                + "\n### Proved\n\n" + table(["program", "mode", "executions", "orders", "s"], self.rows))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("dir")
    p.add_argument("--bugs", type=float, default=60, metavar="SECONDS", help="limit for programs with a bug")
    p.add_argument("--proofs", type=float, default=60, metavar="SECONDS", help="limit for programs without one")
    p.add_argument("--out", default=Path(__file__).with_suffix(".md"), help="where the tables go")
    p.add_argument("name", nargs="*")
    args = p.parse_intermixed_args()
    tools, bugs, proofs = Tools(args.raddle, args.dir), Bugs(), Proofs()
    for c in contracts(args.name)[0]:
        if c.expect in OTHER or c.slow:
            continue
        for mode in c.modes:
            good = c.expect == "none"
            result = run(tools, c, mode, args.proofs if good else args.bugs)
            (proofs if good else bugs).add(c, mode, *result)
    parts = [x.text() for x in (bugs, proofs) if x.count]
    publish(args.out, INTRO.format(bugs=args.bugs, proofs=args.proofs) + "\n".join(parts))


if __name__ == "__main__":
    main()
