#!/usr/bin/env python3
"""The differential test of calls of functions without hooks.

    tests/calls/generate.py [--raddle FILE] [--build DIR] [--seed N] [--programs N] [--each N] [--keep-going]
    tests/calls/generate.py --batch 7 --program '3,17,4 9,9' [--strategy dpor]

Random programs: 2 or 3 threads, each with a few statements that call functions of libc, libstdc++ and of a plain
library around shared memory and hidden state (statements.py). A *batch* is one source with some of the statements; it
is compiled once with Raddle's hooks and once without, and a program of it is a list of statements on the command line.
The plain build tries every order of the statements itself, by turns; every strategy that claims to have shown all
outcomes must show the same ones. If some statements are more than one operation ("~"), there may be more outcomes than
by turns, but the strategies must agree.
"""
import argparse
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from statements import CXX, GROUPS, LIBRARY, LOCKS, MEMORY, PLAIN  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STATEMENTS_MAX, ORDERS_MAX = 8, 260
# Every program runs with the first strategies, and with one of the others in turn, in a limited number of executions.
ALWAYS, IN_TURN, EXECUTIONS = ["dpor"], ["dpor:optimal", "auto", "dpor:classic", "icb", "dfs", "bpor", "idfs", "delay", "icb:sleep"], 400


class Statement:
    def __init__(self, group, name, memory, code, variant):
        self.loose = name.startswith("~")
        self.group, self.variant = group.name, variant
        self.name = f"{group.name}.{name.lstrip('~')}{variant}"
        self.code = code.replace("$", str(variant))
        self.memory = [w.replace("$", str(variant)) for w in memory.split()]


class Batch:
    """One source with some of the statements; the first four are the locks."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        r = self.random
        groups = [MEMORY] + r.sample(GROUPS[1:], r.choice((0, 1, 1, 1, 2)))
        if seed % 4 == 0 and CXX not in groups:
            groups.append(CXX)
        self.groups, self.cxx = groups, CXX in groups
        self.statements = [Statement(LOCKS, *s, v) for s in LOCKS.statements for v in (0, 1)]
        for g in groups:
            few = r.sample(g.statements, min(len(g.statements), 12 if g is MEMORY and len(groups) > 1 else 26))
            self.statements += [Statement(g, *s, v) for s in few for v in ((0, 1) if "$" in s[1] + s[2] else (0,))]

    def source(self):
        out = ['#include "harness.h"']
        out += [g.extra for g in self.groups]
        for i, s in enumerate(self.statements):
            out.append(f"static uint64_t statement_{i}(struct local *L, unsigned x) {{ /* {s.name} */\n    (void)L, (void)x;\n    {s.code}\n}}")
        names = ", ".join(f"statement_{i}" for i in range(len(self.statements)))
        out.append(f"statement *const statements[] = {{{names}}};")
        for what in ("set_up", "tear_down"):
            out.append(f"void {what}(void) {{\n" + "".join("{" + getattr(g, what) + "}\n" for g in self.groups) + "}")
        return "\n".join(out) + "\n"

    def build(self, raddle, work):
        """Builds the two binaries."""
        work.mkdir(parents=True, exist_ok=True)
        source = work / ("batch.cc" if self.cxx else "batch.c")
        source.write_text(self.source())
        plain, driver = ("g++", "c++") if self.cxx else ("gcc", "cc")
        flags = ["-g", "-O1", "-w", f"-I{HERE}", "-pthread", *(["-std=c++17"] if self.cxx else []), source]
        libraries = ["-lm"]
        if PLAIN in self.groups:
            (work / "plain.c").write_text(LIBRARY)
            must(["gcc", "-O1", "-shared", "-fPIC", work / "plain.c", "-o", work / "libplain.so"])
            libraries += [f"-L{work}", "-lplain", f"-Wl,-rpath,{work}"]
        must([plain, "-DTURNS", *flags, "-o", work / "turns", *libraries])
        must([raddle, driver, *flags, "-o", work / "program", *libraries])

    def program(self):
        """A random program: for each thread a list of statements."""
        r = self.random
        while True:
            topic = r.sample(range(4, len(self.statements)), min(r.choice((3, 4, 5, 8)), len(self.statements) - 4))
            count = r.choice((2, 2, 2, 3))
            threads = [[r.choice(topic) for _ in range(r.randint(1, 4 if count == 2 else 3))] for _ in range(count)]
            if r.random() < 0.25:
                v = r.randrange(2)
                for t in r.sample(threads, 2):
                    first = r.randrange(len(t))
                    last = r.randrange(first, len(t))
                    t[first:last + 1] = [v, *t[first:last + 1], 2 + v]
            sizes = [len(t) for t in threads]
            orders = math.factorial(sum(sizes))
            for n in sizes:
                orders //= math.factorial(n)
            if orders <= ORDERS_MAX and max(sizes) <= STATEMENTS_MAX:
                return threads

    def loose(self, threads):
        return any(self.statements[i].loose for t in threads for i in t)

    def races(self, threads):
        """(whether there must be a race, whether there may be one)"""
        accesses = []
        for t, program in enumerate(threads):
            held = set()
            for i in program:
                if i < 4:
                    held = held | {i} if i < 2 else held - {i - 2}
                for m in self.statements[i].memory:
                    accesses.append((t, frozenset(held), m.startswith("?"), m.lstrip("?")[0], m.lstrip("?")[1:]))
        must = may = False
        for a in accesses:
            for b in accesses:
                if a[0] < b[0] and a[4] == b[4] and "w" in (a[3], b[3]) and not a[1] & b[1]:
                    may = True
                    must |= not a[2] and not b[2]
        return must, may


def must(command):
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit("generate.py: " + " ".join(str(w) for w in command) + "\n" + done.stderr[-3000:])


def by_turns(work, words):
    """The outcomes of all orders of whole statements."""
    # as long as the path of a search's directory: programs can observe it
    place = work / "turns.d" / Path(*["up"] * 8) / "here"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    done = subprocess.run([work / "turns", *words], cwd=place, capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
    out, at, found = done.stdout, 0, set()
    while at < len(out):
        end = out.index(b"\n", at)
        if out[at:at + 1] == b"!":
            return None, "an order ended with status " + out[at + 1:end].decode()
        size = int(out[at:end])
        found.add(out[end + 1:end + 1 + size].decode("latin-1"))
        at = end + 1 + size
    return (None, f"status {done.returncode}") if done.returncode else (found, None)


def searched(raddle, work, words, strategy, options):
    """The summary of a search, and its output."""
    place = work / "search.d" / Path(*["up"] * 8) / "here"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    summary = work / "summary.json"
    summary.unlink(missing_ok=True)
    command = [raddle, "run", "-s", strategy, "-j", "1", "--no-minimise", "--json", summary, "-o", work / "out", *options, "--",
               work / "program", *words]
    command = [str(c) for c in command]
    done = subprocess.run(command, cwd=place, capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
    shown = " ".join(f"'{c}'" if re.search(r"[^\w./:=-]", c) else c for c in command)
    text = summary.read_text() if summary.exists() else ""
    return done, json.loads(text) if text else None, f"cd {place} && {shown}"


class Check:
    """The comparisons for one program."""

    def __init__(self, raddle, work, batch, threads):
        self.raddle, self.work, self.batch, self.threads = raddle, work, batch, threads
        self.words = [",".join(str(i) for i in t) for t in threads]
        self.failures, self.complete, self.executions = [], [], EXECUTIONS

    def fail(self, what, command=""):
        self.failures.append(what + (f"\n    {command}" if command else ""))

    def outcomes(self, strategy):
        """The set of outcomes of the strategy if it claims that they are all; otherwise None."""
        options = ["--outcomes", "--detect", "heap", "-n", str(self.executions)]
        done, s, command = searched(self.raddle, self.work, self.words, strategy, options)
        if done.returncode == 2 and b"no execution came to its end within the limit of executions" in done.stderr:
            return None  # all executions were cut at a bound
        if done.returncode or not s:
            text = (done.stdout + done.stderr).decode(errors="replace")
            self.fail(f"{strategy}: exit status {done.returncode}: {text[-600:]}", command)
            return None
        found = {o["output"] for o in s["outcomes"]}
        if self.truth is not None and not self.batch.loose(self.threads) and found - self.truth:
            self.fail(f"{strategy}: an outcome that there is not by turns:\n{sorted(found - self.truth)[0]}", command)
        if not s["finished"]:  # the plain library's inside is unseen, which alone does not make the search unfinished
            return None
        self.complete.append(strategy)
        lost = (self.truth or set()) - found
        if lost:
            self.fail(f"{strategy}: {len(lost)} of {len(self.truth)} outcomes lost, for example\n{sorted(lost)[0]}", command)
        return found

    def race(self):
        must_be, may_be = self.batch.races(self.threads)
        done, s, command = searched(self.raddle, self.work, self.words, "dpor", ["--detect", "races", "-n", str(self.executions)])
        kinds = {f["kind"] for f in s["findings"]} if s else set()
        if kinds - {"data-race"} or done.returncode not in (0, 1) or not s:
            self.fail(f"races: {kinds}, exit status {done.returncode}: {done.stderr[-300:]}", command)
        elif must_be and not kinds and s["finished"]:
            self.fail("races: none found", command)
        elif kinds and not may_be and not self.batch.cxx:
            self.fail("races: a race where there is none", command)

    def run(self, strategies, races):
        self.truth, trouble = by_turns(self.work, self.words)
        if trouble:
            self.fail(f"by turns: {trouble}")
            return
        sets = {}
        for strategy in strategies:
            sets[strategy] = self.outcomes(strategy)
        known = {k: v for k, v in sets.items() if v is not None}
        first = next(iter(known), None)
        for k, v in known.items():
            if v != known[first]:
                self.fail(f"{k} and {first} differ: {len(v)} and {len(known[first])} outcomes, for example\n{sorted(v ^ known[first])[0]}")
        if races:
            self.race()

    def names(self):
        return [[self.batch.statements[i].name for i in t] for t in self.threads]


def shrink(check, strategies, races):
    """Looks for a smaller program that fails, too, by leaving statements out one after the other."""
    best, again = check, True
    while again:
        again = False
        for t in range(len(best.threads)):
            for i in range(len(best.threads[t])):
                threads = [list(p) for p in best.threads]
                del threads[t][i]
                threads = [p for p in threads if p]
                locks = [sum(1 for s in p if s == v) - sum(1 for s in p if s == v + 2) for p in threads for v in (0, 1)]
                if not threads or any(locks):
                    continue
                c = Check(check.raddle, check.work, check.batch, threads)
                c.run(strategies, races)
                if c.failures:
                    best, again = c, True
                    break
            if again:
                break
    return best


def functions_of(batch):
    words = set()
    for s in batch.statements:
        words |= set(re.findall(r"\b([a-z_]\w*)\(", s.code))
    return words


def run_batch(raddle, build, seed, each, report, quick=False):
    """The number of failures of `each` programs of a batch."""
    batch = Batch(seed)
    work = build / f"batch-{seed}"
    batch.build(raddle, work)
    failures = 0
    for n in range(each):
        check = Check(raddle, work, batch, batch.program())
        strategies = ALWAYS + [IN_TURN[(seed * each + n) % len(IN_TURN)]]
        races = n % 3 == 0
        check.run(strategies, races)
        report["programs"] = report.get("programs", 0) + 1
        report["functions"] = report.get("functions", set()) | functions_of(batch)
        for s in check.complete:
            report.setdefault("finished", {})[s] = report.setdefault("finished", {}).get(s, 0) + 1
        if check.failures:
            failures += 1
            small = check if quick else shrink(check, strategies, races)
            print(f"FAIL batch {seed}, program {' '.join(small.words)}: {small.names()}")
            print("\n".join("  " + f for f in small.failures), flush=True)
    if not failures:
        shutil.rmtree(work, ignore_errors=True)
    return failures


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--raddle", default=ROOT / "build" / "raddle", type=Path)
    p.add_argument("--build", default=ROOT / "build" / "calls", type=Path)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--programs", type=int, default=200)
    p.add_argument("--each", type=int, default=50, help="programs of a batch")
    p.add_argument("--batch", type=int)
    p.add_argument("--program")
    p.add_argument("--strategy", action="append")
    args = p.parse_args()
    args.raddle, args.build = args.raddle.resolve(), args.build.resolve()
    if args.program:
        batch = Batch(args.batch)
        batch.build(args.raddle, args.build / "one")
        check = Check(args.raddle, args.build / "one", batch, [[int(i) for i in w.split(",")] for w in args.program.split()])
        check.run(args.strategy or ALWAYS + IN_TURN, True)
        print(check.names(), check.complete, *check.failures, sep="\n")
        sys.exit(bool(check.failures))
    report, failures, begin = {}, 0, time.monotonic()
    for seed in range(args.seed, args.seed + args.programs // args.each):
        failures += run_batch(args.raddle, args.build, seed, args.each, report)
        print(f"batch {seed}: {report['programs']} programs, {failures} failed, {len(report['functions'])} functions, "
              f"{time.monotonic() - begin:.0f} s, finished: {report.get('finished')}", flush=True)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
