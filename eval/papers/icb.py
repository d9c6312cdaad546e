"""Iterative context bounding (CHESS): Musuvathi and Qadeer, PLDI 2007."""
from collections import Counter

from context import hunt, number, table, whole
from measurement import Measurement

# as published: threads, K, B, c
TABLE_1 = {"bluetooth": (3, 15, 2, 8), "filesystem": (4, 20, 8, 13), "wsq": (3, 99, 2, 35), "ape": (4, 247, 2, 75),
           "channels": (5, 273, 4, 167)}
# as published: the number of bugs by the least number of preemptions, 0 to 3
TABLE_2 = {"bluetooth": (0, 1, 0, 0), "wsq": (0, 1, 2, 0), "transactions": (0, 0, 2, 1)}
TABLE_2_SUM = (3, 5, 5, 1)
COVERED = ["bluetooth", "filesystem", "wsq", "transactions"]  # figures 1 and 3
GROWTH = ["wsq", "ape", "channels"]  # figures 2, 5 and 6
CURVES = {"icb": "icb", "dfs": "dfs", "db:20": "dfs:depth=20", "db:40": "dfs:depth=40", "idfs": "idfs:step=10",
          "random": "random"}


def there(ctx, names):
    return [n for n in names if n in ctx.programs]


def profiles(ctx, name):
    """The searches whose longest execution is the row of Table 1."""
    return [whole(name, s, ctx.limits.curve + ("--points", "sync")) for s in ("dfs", "random")]


def bounds(ctx, name):
    return whole(name, "icb", ctx.limits.whole, keep="curve")


def curve(ctx, name, strategy):
    return Measurement(name, 0, strategy, ("-k", "--detect", "none", *ctx.limits.curve), keep="curve")


def bug(ctx, b):
    return hunt(b, "icb", ctx.limits.search)


def measurements(ctx):
    names = [p.name for p in ctx.suite("icb")]
    out = [m for n in names for m in profiles(ctx, n)]
    out += [bug(ctx, b) for b in ctx.bugs("icb")]
    out += [bounds(ctx, n) for n in there(ctx, COVERED)]
    out += [curve(ctx, n, s) for n in there(ctx, GROWTH) for s in CURVES.values()]
    return out


def profile_row(ctx, program):
    runs = [ctx.result(m) for m in profiles(ctx, program.name)]
    ours = [max(r[key] for r in runs) for key in ("threads_max", "steps_max", "blocking_max", "preemptions_max")]
    paper = TABLE_1.get(program.name)
    return [program.name, *(number(x) for x in ours), *(number(x) for x in paper or [None] * 4)]


def table_1(ctx):
    head = ["program", "threads", "K", "B", "c", "paper: threads", "K", "B", "c"]
    return f"""### Table 1: the programs

K: the most operations in one execution, B: the most operations in one execution that may block, c: the most preemptions, over
{ctx.limits.curve[1]} executions of `dfs` and of `random` with `--points sync`, as in the paper.

{table(head, [profile_row(ctx, p) for p in ctx.suite("icb")])}
The published programs were larger (16,036 to 18,947 lines for the last two). Ours have the same kind of threads and
operations in a page, so K and c are smaller; the order of the programs is the same.

"""


def bug_bounds(ctx):
    """For each program the bugs by the number of preemptions of the first finding of icb."""
    counts, missed = {}, []
    for b in ctx.bugs("icb"):
        result = ctx.result(bug(ctx, b))
        counts.setdefault(b.program, Counter())
        if result.get("found") is None:
            missed.append(b.name)
        else:
            counts[b.program][result["c"]] += 1
    return counts, missed


def table_2(ctx):
    counts, missed = bug_bounds(ctx)
    width = max([3, *(c for counter in counts.values() for c in counter)]) + 1
    rows = []
    for name, counter in counts.items():
        paper = TABLE_2.get(name)
        rows.append([name, *(counter[i] for i in range(width)), " ".join(map(str, paper)) if paper else "–"])
    sums = [sum(counter[i] for counter in counts.values()) for i in range(width)]
    rows.append(["all", *sums, " ".join(map(str, TABLE_2_SUM))])
    head = ["program", *(f"c = {i}" for i in range(width)), "paper: 0 1 2 3"]
    not_found = f"Not found within the limits: {', '.join(missed)}.\n" if missed else ""
    share = sum(sums[:3]) / max(1, sum(sums))
    return f"""### Table 2: bugs by the number of preemptions

The first bug that `icb` finds has the fewest preemptions. A column has the number of seeded bugs that need exactly so many.

{table(head, rows)}
{not_found}Agrees: {share:.0%} of the bugs need at most 2 preemptions (in the paper 13 of 14). The sum of the paper includes two
programs whose rows our copy does not give one by one.

"""


def figure_1_and_3(ctx):
    lines, notes = {}, []
    for name in there(ctx, COVERED):
        result = ctx.result(bounds(ctx, name))
        total = result["bounds"][-1][3]
        lines[name] = [(row[0], 100 * row[3] / total) for row in result["bounds"]]
        most = next(c for c, percent in lines[name] if percent >= 90)
        ends = "the search ended" if result["complete"] else "the search was stopped by its limit, so 100 % is what it saw"
        notes.append(f"- {name}: 90 % of {total:,} states with at most {most} preemptions, of {result['bounds'][-1][0]} "
                     f"that occur ({ends}).")
    plot = ctx.plots.lines("icb-states-by-bound", "states by preemption bound", {"": lines}, "preemptions at most",
                           "% of states", steps=False)
    executions = {n: [(row[0], row[1]) for row in ctx.result(bounds(ctx, n))["bounds"]] for n in there(ctx, COVERED)}
    second = ctx.plots.lines("icb-executions-by-bound", "executions by preemption bound", {"": executions},
                             "preemptions at most", "executions", logy=True)
    notes = "\n".join(notes)
    return f"""### Figures 1 and 3: states and executions by bound

A state is a happens-before class of a prefix, as in the paper (where it stands in for the state of a program whose memory
nobody can compare).

{plot}
{second}
{notes}

The paper: the work-stealing queue has all its states at 11 preemptions of at least 35, and 90 % at 8; Bluetooth and the
file system model are complete at 4. Agrees: most states need few preemptions, and the number of executions grows
exponentially with the bound while the states do not.

"""


def figures_2_5_6(ctx):
    panels = {}
    for name in there(ctx, GROWTH):
        panels[name] = {label: [(row[0], row[3]) for row in ctx.result(curve(ctx, name, s))["curve"]]
                        for label, s in CURVES.items()}
    plot = ctx.plots.lines("icb-coverage", "states by executions", panels, "executions", "states")
    best = {name: max(lines, key=lambda label: lines[label][-1][1] if lines[label] else 0) for name, lines in panels.items()}
    systematic = [name for name, lines in panels.items()
                  if all(lines["icb"][-1][1] >= lines[o][-1][1] for o in ("dfs", "db:20", "db:40", "idfs"))]
    who = ", ".join(f"{label} on {name}" for name, label in best.items())
    return f"""### Figures 2, 5 and 6: states by executions

{plot}
Most states at the end: {who}. In the paper `icb` covers most. {'Agrees' if len(systematic) == len(panels) else 'Agrees in part'}:
`icb` is ahead of every depth-first search on {len(systematic)} of {len(panels)} programs ({', '.join(systematic) or 'none'}). The random
walk is strong on small programs: each of its executions has many preemptions, so that nearly all of its prefixes are new.

"""


def section(ctx):
    return f"""## Iterative context bounding (CHESS)

Musuvathi and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007. Figure 4 of
the paper is the source of a bug, which is `channels`.

{table_1(ctx)}{table_2(ctx)}{figure_1_and_3(ctx)}{figures_2_5_6(ctx)}"""
