"""Iterative context bounding (CHESS): Musuvathi and Qadeer, PLDI 2007."""
from collections import Counter

from context import hunt, listed, number, plural, table, whole
from measurement import Measurement
from parts import Part, agrees, share

NAME = "ICB"
HEAD = 'Musuvathi and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007.'
ELSEWHERE = [("Figure 4", "source code of a use after free in Dryad: bug 1 of `eval/programs/channels.c`")]

# as published: threads, K, B, c
TABLE_1 = {"bluetooth": (3, 15, 2, 8), "filesystem": (4, 20, 8, 13), "wsq": (3, 99, 2, 35), "ape": (4, 247, 2, 75),
           "channels": (5, 273, 4, 167)}
# as published: the number of bugs by the least number of preemptions, 0 to 3
TABLE_2 = {"bluetooth": (0, 1, 0, 0), "wsq": (0, 1, 2, 0), "transactions": (0, 0, 2, 1)}
TABLE_2_SUM = (3, 5, 5, 1)
SIZES = {"bluetooth": ("THREADS=2",)}  # with main, as many threads as in the paper
COVERED = {"bluetooth": ("THREADS=2",), "filesystem": (), "wsq": ("THREADS=2",), "transactions": ()}  # figures 1 and 3
GROWTH = ["wsq", "ape", "channels"]  # figures 2, 5 and 6
CURVES = {"icb": "icb", "dfs": "dfs", "db:20": "dfs:depth=20", "db:40": "dfs:depth=40", "idfs": "idfs:step=10",
          "random": "random"}


def sizes():
    """The sentence that says which sizes the programs of figures 1 and 3 have."""
    given = ", ".join(f"`{n}` with {' '.join('-D' + m for m in macros)}" for n, macros in COVERED.items() if macros)
    return f"These programs are smaller than those of Table 1 ({given}), and every access to shared memory is a point, not synchronisation alone."


def profiles(ctx, name):
    """The searches whose longest execution is the row of Table 1."""
    return [whole(name, s, ctx.limits.curve + ("--points", "sync"), SIZES.get(name, ())) for s in ("dfs", "random")]


def bounds(ctx, name, strategy):
    return whole(name, strategy, ctx.limits.whole, COVERED[name], keep="curve")


def walk(ctx, name):
    """A random walk shows how many preemptions can occur."""
    return whole(name, "random", ctx.limits.curve, COVERED[name])


def curve(ctx, name, strategy):
    return Measurement(name, 0, strategy, ("-k", "--detect", "none", *ctx.limits.curve), keep="curve")


def bug(ctx, b):
    return hunt(b, "icb", ctx.limits.search)


def measurements(ctx):
    names = [p.name for p in ctx.suite("icb")]
    out = [m for n in names for m in profiles(ctx, n)]
    out += [bug(ctx, b) for b in ctx.bugs("icb")]
    out += [bounds(ctx, n, s) for n in COVERED for s in ("icb:cache", "icb")]
    out += [walk(ctx, n) for n in COVERED]
    out += [curve(ctx, n, s) for n in GROWTH for s in CURVES.values()]
    return out


def table_1(ctx):
    rows, ours = [], {}
    for p in ctx.suite("icb"):
        runs = [ctx.result(m) for m in profiles(ctx, p.name)]
        ours[p.name] = tuple(max(r[key] for r in runs) for key in ("threads_max", "steps_max", "blocking_max", "preemptions_max"))
        paper = TABLE_1.get(p.name)
        rows.append([p.name, *(number(x) for x in ours[p.name]), *(number(x) for x in paper or [None] * 4)])
    head = ["program", "threads", "K", "B", "c", "paper: threads", "K", "B", "c"]
    known = [n for n in ours if n in TABLE_1]
    pairs = [(a, b) for a in known for b in known if TABLE_1[a][1] < TABLE_1[b][1]]
    same = [(a, b) for a, b in pairs if ours[a][1] < ours[b][1]]
    body = f"""K: the most operations in one execution; B: the most of them that can block; c: the most preemptions; over
{ctx.limits.curve[1]} executions of `dfs` and of `random` with `--points sync`, as in the paper.

{table(head, rows)}"""
    why = f"""The published programs are larger (APE has 18,947 lines and Dryad, the kind of `channels`, 16,036), ours have the same kinds of threads and
operations in a page, so the numbers differ in size. Of the {len(pairs)} pairs of programs {len(same)} have K in the same order as in the
paper. Our count of threads has main; our B is that of the whole execution, the joins of main included, the paper's that of one thread."""
    return Part("Table 1", "the programs", body, share(len(same), len(pairs)), why)


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
    exact = [n for n, row in TABLE_2.items() if n in counts and [counts[n][i] for i in range(4)] == list(row)]
    small, found = sum(sums[:3]), sum(sums)
    body = f"""The first bug that `icb` finds has the fewest preemptions. A column has the number of seeded bugs that need exactly so
many. The sum of the paper includes APE and Dryad, whose rows are not given here.

{table(head, rows)}"""
    why = f"""{small} of the {found} bugs that were found need at most 2 preemptions (in the paper 13 of 14); the rows of
{listed(exact) or 'no program'} are those of the paper, whose bugs ours re-create."""
    if missed:
        why += f" Not found within {int(ctx.limits.search[1]):,} executions or {ctx.limits.search[3]} s: {listed(missed)}."
    return Part("Table 2", "bugs by the number of preemptions", body, agrees(small >= 0.9 * found, not missed), why)


def figure_1_and_3(ctx):
    lines, executions, notes, early, growing = {}, {}, [], [], []
    for name in COVERED:
        result = ctx.result(bounds(ctx, name, "icb:cache"))
        rows = result["bounds"]
        total = rows[-1][3]
        most = max(ctx.result(walk(ctx, name))["preemptions_max"], rows[-1][0])
        lines[name] = [(row[0], 100 * row[3] / total) for row in rows]
        enough = next(c for c, percent in lines[name] if percent >= 90)
        full = next(c for c, percent in lines[name] if percent >= 100)
        early += [name] if result["complete"] and enough <= most / 2 else []
        plain = ctx.result(bounds(ctx, name, "icb"))
        ended = plain["bounds"] if plain["complete"] else plain["bounds"][:-1]  # the last bound may not be finished
        executions[name] = [(row[0], row[1]) for row in ended]
        states = {row[0]: row[3] for row in rows}
        last = ended[-1] if ended else rows[0]
        growing += [name] if ended and last[1] / ended[0][1] > states[min(last[0], rows[-1][0])] / states[0] else []
        ends = "" if result["complete"] else " The search was stopped by its limit, so 100 % is what it has seen."
        notes.append(f"- {name}: 90 % of {total:,} states with at most {plural(enough, 'preemption')}, all with {full}, of at least {most} that can occur.{ends}")
    plot = ctx.plots.lines("icb-states-by-bound", "states by preemption bound", {"states": lines}, "preemptions at most", "% of states")
    second = ctx.plots.lines("icb-executions-by-bound", "executions by preemption bound", {"executions": executions},
                             "preemptions at most", "executions", logy=True)
    body = f"""A state is a happens-before class of a prefix, as in the paper (there it stands in for the program's memory). The states are those of
`icb:cache`, which remembers them, as the paper's search does; the executions those of `icb`, for every bound that it has finished within
{int(ctx.limits.whole[1]):,} executions or {ctx.limits.whole[3]} s. {sizes()}

{plot}
{second}
""" + "\n".join(notes)
    why = f"""In the paper the work-stealing queue has all its states at 11 preemptions of at least 35, 90 % of them at 8; Bluetooth and
the file system model are complete at 4. Here {len(early)} of {len(COVERED)} programs have 90 % of their states within half of the
preemptions that can occur ({listed(early) or 'none'}), and the executions grow faster with the bound than the states on {len(growing)} of {len(COVERED)}."""
    return Part("Figures 1 and 3", "states and executions by bound", body,
                agrees(len(early) == len(COVERED), len(growing) == len(COVERED)), why)


def at(points, executions):
    """The states after so many executions."""
    return max((y for x, y in points if x <= executions), default=0)


def figures_2_5_6(ctx):
    panels = {}
    for name in GROWTH:
        panels[name] = {label: [(row[0] + row[4], row[3]) for row in ctx.result(curve(ctx, name, s))["curve"]]
                        for label, s in CURVES.items()}
    plot = ctx.plots.lines("icb-coverage", "states by executions", panels, "executions", "states", logy=True)
    enough = {name: min(points[-1][0] for points in lines.values()) for name, lines in panels.items()}
    last = {name: {label: at(points, enough[name]) for label, points in lines.items()} for name, lines in panels.items()}
    ahead = [n for n, ends in last.items() if all(ends["icb"] >= ends[o] for o in ("dfs", "db:20", "db:40", "idfs"))]
    random = [n for n, ends in last.items() if ends["random"] > ends["icb"]]
    rows = [[n, number(enough[n]), *(number(ends[label]) for label in CURVES)] for n, ends in last.items()]
    body = f"""{plot}
States after as many executions as each of the searches has run (db: executions are cut at that depth, and count):

{table(["program", "executions", *CURVES], rows)}"""
    why = f"""In the paper `icb` covers the most states on each program. Here it is ahead of every depth-first search on {len(ahead)} of
{len(panels)} programs ({listed(ahead) or 'none'}); the random walk covers more than `icb` on {len(random)} ({listed(random) or 'none'}), because each
of its executions has many preemptions, so that nearly every prefix is a new state, while `icb` runs the few simple schedules first."""
    return Part("Figures 2, 5 and 6", "states by executions", body, agrees(len(ahead) == len(panels), not random), why)


def parts(ctx):
    return [table_1(ctx), table_2(ctx), figure_1_and_3(ctx), figures_2_5_6(ctx)]
