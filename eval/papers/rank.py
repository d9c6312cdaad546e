"""Variable and thread bounding (RankChecker): Bindal, Bansal and Lal, ISSTA 2013."""
import math
import statistics

from context import executions, hunt, mean_cell, number, table, tuple_text
from measurement import Measurement

COMPUTE = ["montecarlo", "raytracer", "moldyn", "sor", "series", "crypt"]
STRATEGIES = ["rank", "rank:random", "icb", "pct:d=3", "pctvb:d=3", "random"]
SEEDED = {"rank:random", "pct:d=3", "pctvb:d=3", "random"}
NOISE = [1, 4, 16, 64, 256]
FREQUENCY = {"pct": "pct:d=2", "pctvb": "pctvb:d=2,v=1"}


def compute(ctx):
    return [n for n in COMPUTE if n in ctx.programs]


def minimal(ctx, bug):
    return hunt(bug, "icb", ctx.limits.search, minimise=True)


def listing(program):
    return Measurement(program, 0, "", command="list variables")


def native(program):
    return Measurement(program, 0, "", command="native")


def overhead(program, *options):
    return Measurement(program, 0, "random", ("-k", "--detect", "none", "-n", "30", "-t", "20", *options))


def to_bug(ctx, bug, strategy):
    seeds = range(1, ctx.limits.seeds + 1) if strategy in SEEDED else [1]
    return [hunt(bug, strategy, ctx.limits.matrix, seed=s) for s in seeds]


def noise(ctx, strategy, size):
    options = ("--detect", "none", "-n", "20000", "-t", "5")
    return [Measurement("noise", 1, strategy, options, (f"NOISE={size}",), seed=s) for s in range(1, ctx.limits.seeds + 1)]


def shared(ctx, program):
    """The variables that threads share and write, the most used first."""
    found = [v for v in ctx.result(listing(program))["variables"] if v["written_while_shared"]]
    return sorted(found, key=lambda v: -(v["reads"] + v["writes"]))


def tracked(ctx, program):
    """The options for no variable, one (that of middle frequency) and all accesses."""
    plain = [v["name"] for v in shared(ctx, program) if v["kind"] != "object"] or [v["name"] for v in shared(ctx, program)]
    one = ("--focus", f"var={plain[len(plain) // 2]}") if plain else ("--points", "sync")
    return {"none": ("--points", "sync"), "one": one, "shared": ("--points", "auto"), "all": ("--points", "all")}


def first(ctx):
    """What the other measurements need to know before they can be listed."""
    return [listing(n) for n in compute(ctx)]


def measurements(ctx):
    out = [minimal(ctx, b) for b in ctx.bugs()]
    out += [native(n) for n in compute(ctx)]
    out += [overhead(n, *o) for n in compute(ctx) for o in tracked(ctx, n).values()]
    out += [m for b in ctx.bugs("rank") for s in STRATEGIES for m in to_bug(ctx, b, s)]
    if "noise" in ctx.programs:
        out += [m for s in FREQUENCY.values() for size in NOISE for m in noise(ctx, s, size)]
    return out


def tuples(ctx):
    """The measured (c, v, t) of each bug that was found."""
    out = {}
    for b in ctx.bugs():
        r = ctx.result(minimal(ctx, b))
        if r.get("found") is not None:
            out[b.name] = (r.get("c"), r.get("v"), r.get("t"))
    return out


def table_1(ctx):
    measured, rows = tuples(ctx), []
    for b in ctx.bugs():
        paper = ctx.programs[b.program].paper.get(b.number, "–")
        ours = tuple_text(*measured[b.name]) if b.name in measured else "not found"
        rows.append([b.name, b.text, b.kind, tuple_text(b.c, b.v, b.t), ours, paper])
    small = sum(1 for c, v, _ in measured.values() if c is not None and c <= 2 and (v is None or v <= 2))
    two = sum(1 for _, _, t in measured.values() if t == 2)
    return f"""### Tables 1 and 4 (left part): the bugs and their (c, v, t)

c: the fewest preemptions; v: the different variables after whose use these preemptions come; t: the threads whose order matters.
"Expected" stands at the head of the program, "measured" is what the report of `raddle run -s icb` says.

{table(["bug", "what", "kind", "expected", "measured", "paper"], rows)}
{small} of {len(measured)} bugs that were found have c and v of at most 2, and {two} have t = 2. The paper: all bugs of its table have c, v at most 2
and t = 2 (its text says 3 preemptions for RegionOwnership, its table 2). Agrees, but t = 2 is no law: orders of more threads
can be needed (`reorder` of bench/samplers.md needs all of them).

"""


def table_2(ctx):
    rows, factors = [], []
    for name in compute(ctx):
        alone = ctx.result(native(name))["elapsed_s"]
        cells, times = [], {}
        for label, options in tracked(ctx, name).items():
            r = ctx.result(overhead(name, *options))
            if "refused" in r or not r["executions"]:
                cells.append("refused" if "refused" in r else "–")
                continue
            times[label] = r["elapsed_s"] / (r["executions"] + r["cut"])
            cells.append(f"{1000 * times[label]:.2f}")
        ratio = times["all"] / times["one"] if {"all", "one"} <= times.keys() else None
        factors += [ratio] if ratio else []
        rows.append([name, f"{1000 * alone:.2f}", *cells, number(ratio, 1)])
    return f"""### Table 2: time of an execution by the variables that are tracked

Milliseconds for an execution of `random`. "Native": the program alone, with the start of its process. None: switches at
synchronisation only; one: at one variable (the one of middle frequency among those that threads share), `--focus`; shared: the
default; all: every access is a scheduling point.

{table(["program", "native", "none", "one", "shared", "all", "all / one"], rows)}
The paper: tracking all variables takes up to 106 times as long as tracking one. Ours: {number(min(factors), 1) if factors else '–'} to {number(max(factors), 1) if factors else '–'} times. Agrees in
direction; one variable costs little, because the hooks at other accesses are patched out.

"""


def table_3(ctx):
    rows, fewest = [], dict.fromkeys(STRATEGIES, 0)
    groups = {}
    for b in ctx.bugs("rank"):
        results = {s: [ctx.result(m) for m in to_bug(ctx, b, s)] for s in STRATEGIES}
        rows.append([b.name, *(mean_cell(results[s]) for s in STRATEGIES)])
        means = {s: statistics.mean(executions(r)[0] or math.inf for r in rs) for s, rs in results.items()}
        found = {s: sum(executions(r)[1] for r in rs) / len(rs) for s, rs in results.items()}
        best = min(STRATEGIES, key=lambda s: (-found[s], means[s]))
        fewest[best] += 1
        groups.setdefault(tuple_text(b.c, b.v, b.t), []).append(means)
    by_tuple = [[key, len(group), *(number(statistics.mean(m[s] for m in group)) for s in STRATEGIES)]
                for key, group in sorted(groups.items())]
    first = ", ".join(f"{s} {n}" for s, n in sorted(fewest.items(), key=lambda x: -x[1]))
    return f"""### Tables 3 and 4: executions to the bug

The mean over {ctx.limits.seeds} seeds where the strategy is random; at most {ctx.limits.matrix[1]} executions and {ctx.limits.matrix[3]} s each.

{table(["bug", *STRATEGIES], rows)}
By the expected (c, v, t); a search that did not find the bug counts with the executions that it made:

{table(["(c, v, t)", "bugs", *STRATEGIES], by_tuple)}
The fewest executions (and the most seeds): {first}. The paper: 132,507, 47,248 and 30,437 executions in all for its three settings,
the fewest with variable bounding. On programs as small as ours a random walk is strong; bounding is for programs
with many accesses that do not matter (the computing programs, and `noise` below).

"""


def figure_6(ctx):
    if "noise" not in ctx.programs:
        return ""
    lines = {label: [] for label in FREQUENCY}
    for label, s in FREQUENCY.items():
        for size in NOISE:
            lines[label].append((size, statistics.mean(executions(ctx.result(m))[0] for m in noise(ctx, s, size))))
    plot = ctx.plots.lines("rank-frequency", "executions to the bug by the accesses that do not matter", {"noise": lines},
                           "other accesses of each thread", "executions", logx=True, logy=True)
    growth = {label: points[-1][1] / points[0][1] for label, points in lines.items()}
    return f"""### Figure 6: executions by how rarely the variable is used

{plot}
From {NOISE[0]} to {NOISE[-1]} other accesses `pct` needs {growth['pct']:.1f} times as many executions, `pctvb` {growth['pctvb']:.1f} times. Agrees.

"""


def figure_7(ctx):
    panels = {}
    for name in compute(ctx):
        counts = sorted((v["reads"] + v["writes"] for v in ctx.result(listing(name))["variables"]), reverse=True)
        panels[name] = [(i + 1, c) for i, c in enumerate(counts)]
    plot = ctx.plots.lines("rank-histogram", "accesses of each variable", {"": panels}, "variable, by frequency", "accesses",
                           logx=True, logy=True)
    few = {n: sum(c for _, c in points[:max(1, len(points) // 10)]) / sum(c for _, c in points) for n, points in panels.items()}
    text = ", ".join(f"{n} {share:.0%}" for n, share in few.items())
    return f"""### Figure 7: accesses of each variable

{plot}
The most used tenth of the variables has this share of the accesses: {text}. Agrees with the paper: few variables have most of
the accesses, so most of the places where an unbounded search would preempt are at these.

"""


def section(ctx):
    return f"""## Variable and thread bounding (RankChecker)

Bindal, Bansal and Lal, "Variable and thread bounding for systematic testing of multithreaded programs", ISSTA 2013.
Figures 1 to 5 and 8 to 12 are examples and algorithms.

{table_1(ctx)}{table_2(ctx)}{table_3(ctx)}{figure_6(ctx)}{figure_7(ctx)}"""
