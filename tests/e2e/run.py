#!/usr/bin/env python3
"""Runs the end-to-end tests: every program of tests/programs against its header, and the functions of test_*.py.

    tests/e2e/run.py [--raddle FILE] [--build DIR] [--times N] [--jobs N] [--slow] [--durations N] [NAME...]

NAME selects programs and tests whose name contains it ("bug/abba", "test_schedule"). One line each; failures with
the command that repeats them; "N passed, N failed" at the end.
"""
import argparse
import importlib
import os
import signal
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import preludes  # noqa: E402
from common import ROOT, Failure, Tools, check_program, configurations, contracts, running  # noqa: E402


class Report:
    """Counts results, and prints one line for each program or test when its last part is done."""

    def __init__(self):
        self.lock, self.passed, self.failed, self.parts = threading.Lock(), 0, 0, {}

    def expect(self, name, count):
        self.parts[name] = {"left": count, "notes": [], "failures": [], "seconds": 0.0}

    def done(self, name, label, note, failure, seconds):
        with self.lock:
            p = self.parts[name]
            p["left"] -= 1
            p["seconds"] += seconds
            if failure:
                p["failures"].append((label, failure))
            else:
                p["notes"].append(f"{label} {note}".strip())
            if p["left"] == 0:
                self.line(name, p)

    def line(self, name, p):
        self.failed += bool(p["failures"])
        self.passed += not p["failures"]
        print(f"{'FAIL' if p['failures'] else 'ok  '} {name:34} {p['seconds']:6.2f} s  {', '.join(sorted(p['notes']))}")
        for label, failure in p["failures"]:
            print("    " + f"{label}: {failure}".strip(": ").replace("\n", "\n    "))
            if getattr(failure, "command", None):
                print(f"    repeat: {failure.command}")
        sys.stdout.flush()


    def slowest(self, count):
        longest = sorted(self.parts.items(), key=lambda item: -item[1]["seconds"])[:count]
        print(f"the {len(longest)} that took longest (all parts together):")
        for name, p in longest:
            print(f"{p['seconds']:8.2f} s  {name}")


def one(report, name, label, work):
    """Runs one part; an exception is that part's failure."""
    begin, note, failure = time.monotonic(), "", None
    running.name = name
    try:
        note = work() or ""
    except Failure as e:
        failure = e
    except Exception:  # a broken test is a failure like any other, with its own traceback
        failure = Failure(traceback.format_exc().strip())
    report.done(name, label, note, failure, time.monotonic() - begin)


def python_tests(patterns):
    """(name, function) for every function test_* in a file test_*.py. Functions with the attribute `alone` measure
    time."""
    found = []
    for path in sorted(Path(__file__).resolve().parent.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for key, value in vars(module).items():
            name = f"{path.stem}.{key}"
            if key.startswith("test_") and callable(value) and (not patterns or any(p in name for p in patterns)):
                found.append((name, value))
    return found


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--raddle", default=ROOT / "build" / "raddle", help="the driver to test")
    p.add_argument("--build", default=ROOT / "build" / "e2e", help="directory for binaries and results")
    p.add_argument("--times", type=int, help="how often each finding is replayed on each backend; else TIMES, or 3")
    p.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1, help="programs at a time")
    p.add_argument("--slow", action="store_true", help="the programs marked SLOW too, and every configuration")
    p.add_argument("--durations", type=int, default=0, metavar="N", help="list the N that took longest at the end")
    p.add_argument("name", nargs="*", help="only what contains one of these")
    return p.parse_args()


def main():
    args = arguments()
    # a shell starts background jobs with SIGINT ignored, and nohup with SIGHUP; every program under test would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ["XDG_STATE_HOME"] = str(Path(args.build).resolve() / "state")  # the key that signs schedules, not the user's
    if not os.access(args.raddle, os.X_OK):
        sys.exit(f"run.py: cannot run '{args.raddle}'; build it first")
    tools, report = Tools(args.raddle, args.build, args.times), Report()
    programs, broken = contracts(args.name)
    programs = [c for c in programs if args.slow or not c.slow]
    tests = [(name, f) for name, f in python_tests(args.name) if args.slow or not getattr(f, "slow", False)]
    for name, failure in broken:
        report.expect(name, 1)
        report.done(name, "", "", failure, 0)
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        for name, f in tests:
            report.expect(name, 1)
            if not getattr(f, "alone", False):
                pool.submit(one, report, name, "", lambda f=f: f(tools))
        for c in sorted(programs, key=lambda c: -c.cost()):
            parts = configurations(c, args.slow)
            after = preludes.wanted(c, parts)
            report.expect(c.name, len(parts) + len(after))
            for mode, compiler in after:
                work = lambda c=c, m=mode, k=compiler: preludes.check_all(tools, c, m, k, args.slow)  # noqa: E731
                pool.submit(one, report, c.name, f"{mode}/{compiler}", work)
            for mode, compiler in parts:
                simple = (mode, compiler) == parts[-1]  # once is enough: the other configurations are about the search
                work = lambda c=c, m=mode, k=compiler, s=simple: check_program(tools, c, m, k, s)  # noqa: E731
                pool.submit(one, report, c.name, f"{mode}/{compiler}", work)
    for name, f in tests:
        if getattr(f, "alone", False):
            one(report, name, "", lambda f=f: f(tools))
    if args.durations:
        report.slowest(args.durations)
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(1 if report.failed or not report.passed else 0)


if __name__ == "__main__":
    main()
