"""Executions and time to the first bug: every strategy on the bug programs of tests/programs.

    bench/first_bug.py RADDLE DIR [--all] [--executions N] [--seconds S] [--seeds N] [NAME...]

Strategies are those of `raddle list strategies`, with their defaults; NAME: only programs whose name contains one.
"""
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from common import PROGRAMS, Tools, contracts  # noqa: E402
from measure import Trouble, publish, search, strategies, table  # noqa: E402

# Bugs that depend on the schedule, of every kind: by threads, preemptions and primitives.
CHOSEN = """aba.c abba.c bank_transfer.c bluetooth.c check_then_act.cc cond_if.c dekker.c double_checked.c double_free.c
    futex_mutex.c io_torn_message.c lost_update.c lost_wakeup.c missed_notify.cc peterson.c philosophers.c rank_fig10.c
    rank_fig12.c rank_fig3.c rank_fig4.c rapos_fig1.c reorder_2.c slot_signal.c time_retry.c twostage.c""".split()
# options of a contract that this measurement sets itself, with their number of words
OWN = {"-s": 2, "--strategy": 2, "--seed": 2, "-n": 2, "--executions": 2, "-t": 2, "--time": 2, "-k": 1,
       "--keep-going": 1}
PROBE_MAX = 500  # executions; an exhaustive search of the probe ends long before
INTRO = """# Executions to the first bug

Each cell: executions to the first finding (including cut ones) / milliseconds of the search. `-`: not
found in {executions} executions or {seconds:g} s. `none`: the search ended by itself without it. `*`: a finding of
another kind than the program's bug. Strategies have their default parameters; where the seed matters,
the cell is the median of {seeds} seeds. The programs are in `tests/programs/bug`, with the options of their headers.
Times are those of one machine; compare them within one run.

"""


class Cell:
    """The median of the runs with one strategy; a run without a finding counts as worse than any with one."""

    def __init__(self, runs, expect, limits):
        found = sorted((r["executions"] + r["cut"], r["elapsed_s"], r["findings"][0]["kind"])
                       for r in runs if r["findings"])
        middle = (len(runs) - 1) // 2
        self.executions, self.seconds, kind = found[middle] if middle < len(found) else (None, None, expect)
        self.other = kind != expect
        self.ended = all(not r["findings"] and r["executions"] + r["cut"] < limits.executions
                         and r["elapsed_s"] < limits.seconds for r in runs)
        self.certain = all(r["findings"] and r["executions"] == 1 for r in runs)

    def __str__(self):
        if self.executions is None:
            return "none" if self.ended else "-"
        return f"{self.executions}{'*' if self.other else ''} / {max(1, round(self.seconds * 1000))}"


class Strategy:
    """Properties of a strategy, determined with a probe: whether the seed matters, and whether it ends by itself."""

    def __init__(self, name, raddle, probe, seeds):
        self.name, self.trouble, self.seeds, self.ends = name, None, range(1, 2), False
        try:
            first = [search(raddle, name, probe, "-k", "-n", "40", seed=seed) for seed in (1, 2, 3)]
            if any(s["preemptions"] != first[0]["preemptions"] for s in first):
                self.seeds = range(1, seeds + 1)
            whole = search(raddle, name, probe, "-k", "-n", str(PROBE_MAX))
            self.ends = whole["executions"] + whole["cut"] < PROBE_MAX
        except Trouble as e:
            self.trouble = str(e)


def own_options(options):
    """The options of a contract without those that this measurement sets itself."""
    left, skip = [], 0
    for word in options:
        skip = skip or OWN.get(word, 0)
        if not skip:
            left.append(word)
        skip = max(0, skip - 1)
    return left


def measure_program(args, tools, program, used):
    """Cells by the name of the strategy; a message where the strategy refuses the program."""
    mode = "hooks" if "hooks" in program.modes else "plain"
    binary = tools.compile(program.source, program.compilers[0], mode, program.flags)
    options = ["-n", str(args.executions), "-t", str(args.seconds), *own_options(program.options)]
    cells = {}
    for strategy in used:
        try:
            runs = [search(args.raddle, strategy.name, binary, *options, args=program.args, seed=seed)
                    for seed in strategy.seeds]
            cells[strategy.name] = Cell(runs, program.expect, args)
        except Trouble as e:
            cells[strategy.name] = str(e)
    return cells


def block(title, used, names, cells):
    head = ["program", *(s.name for s in used)]
    rows = [[name, *(c if isinstance(c := cells[name][s.name], Cell) else "refused" for s in used)] for name in names]
    return f"## {title}\n\n" + table(head, rows) + "\n"


def summary(used, names, cells):
    rows = []
    for s in used:
        found = [c for name in names if isinstance(c := cells[name][s.name], Cell) and c.executions is not None]
        rows.append([s.name, f"{len(found)} of {len(names)}", len(s.seeds),
                     f"{statistics.median(c.executions for c in found):g}" if found else "-",
                     f"{max(c.executions for c in found)}" if found else "-",
                     f"{statistics.median(c.seconds for c in found) * 1000:.0f}" if found else "-"])
    head = ["strategy", "found", "seeds", "median executions", "most", "median ms"]
    return "## All programs\n\nMedian and maximum are over what the strategy found.\n\n" + table(head, rows)


def notes(args, used, all_of_them, names, cells, certain):
    lines = [f"- `{s.name}` is not here: {s.trouble}" for s in all_of_them if s.trouble]
    lines += [f"- `{s.name}` refused {name}: {cells[name][s.name]}" for name in names for s in used
              if isinstance(cells[name][s.name], str)]
    if certain:
        lines.append(f"- Left out, because the first execution of every strategy shows it: {', '.join(certain)}")
    how = " --all" if args.all else ""
    lines.append(f"- Written by `make bench` (`bench/first_bug.py{how}`); `--all` takes every bug program.")
    return "\n" + "\n".join(lines) + "\n"


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("dir", help="for binaries")
    p.add_argument("--all", action="store_true", help="every bug program that is not marked SLOW")
    p.add_argument("--executions", type=int, default=2000, help="limit of a search")
    p.add_argument("--seconds", type=float, default=2.0, help="limit of a search")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--out", default="bench/first-bug.md")
    p.add_argument("name", nargs="*")
    return p.parse_intermixed_args()


def main():
    args = arguments()
    tools = Tools(args.raddle, f"{args.dir}/programs")
    probe = tools.program("bug/lost_update.c")
    everyone = [Strategy(name, args.raddle, probe, args.seeds) for name in strategies(args.raddle)]
    used = [s for s in everyone if not s.trouble]
    programs = [c for c in contracts(["bug/"])[0] if c.expect != "none" and not c.slow]
    known = {c.source.name for c in programs}
    if missing := [name for name in CHOSEN if name not in known]:
        sys.exit(f"first_bug.py: no bug program '{missing[0]}'")
    cells, certain = {}, []
    for program in programs:
        name = program.source.name
        if name not in CHOSEN and not args.all or args.name and not any(n in name for n in args.name):
            continue
        result = measure_program(args, tools, program, used)
        if all(isinstance(c, Cell) and c.certain for c in result.values()):
            certain.append(name)
        else:
            cells[name] = result
    names = sorted(cells)
    publish(args.out, INTRO.format(**vars(args))
            + block("Searches that end by themselves", [s for s in used if s.ends], names, cells)
            + block("Samplers", [s for s in used if not s.ends], names, cells) + summary(used, names, cells)
            + notes(args, used, everyone, names, cells, certain))


if __name__ == "__main__":
    main()
