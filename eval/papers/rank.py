"""Variable and thread bounding (RankChecker): Bindal, Bansal and Lal, ISSTA 2013."""
import statistics

from context import executions, hunt, listed, mean_cell, number, table, tuple_text
from measurement import Measurement
from parts import Part, agrees, share

NAME = "RankChecker"
HEAD = 'Bindal, Bansal and Lal, "Variable and thread bounding for systematic testing of multithreaded programs", ISSTA 2013.'
ELSEWHERE = [("Figures 1 to 4, 8 to 10 and 12", "example programs: `eval/programs/rank_fig2.c` and the like, and `tests/unit/test_rank.c`"),
             ("Figures 5 and 11", "the algorithm, and its emulation of wait and notify")]

COMPUTE = ["montecarlo", "raytracer", "moldyn", "sor", "series", "crypt"]
STRATEGIES = ["rank", "rank:random", "icb", "pct:d=3", "pctvb:d=3", "random"]
SEEDED = {"rank:random", "pct:d=3", "pctvb:d=3", "random"}
BOUNDED = ("rank", "rank:random", "pctvb:d=3")
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
    return Measurement(program, 0, "random", ("-k", "--detect", "none", "-n", "200", "-t", "20", *options))


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
    one = f"random:var={plain[len(plain) // 2]}" if plain else "random:v=1"
    return {"none": ("--points", "sync"), "one": ("-s", one), "shared": ("--points", "auto"), "all": ("--points", "all")}


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
    measured, rows, same = tuples(ctx), [], []
    for b in ctx.bugs():
        paper = ctx.programs[b.program].paper.get(b.number, "–")
        ours = tuple_text(*measured[b.name]) if b.name in measured else "not found"
        same += [b.name] if measured.get(b.name) == (b.c, b.v, b.t) else []
        rows.append([b.name, b.text, b.kind, tuple_text(b.c, b.v, b.t), ours, paper])
    few = [n for n, (c, v, _) in measured.items() if c <= 2 and v is not None and v <= 2]
    exact = [b.name for b in ctx.bugs() if measured.get(b.name, (None,))[0] == b.c]
    meant = [b.name for b in ctx.bugs() if b.t is not None and b.t <= 2]
    two = [n for n, (_, _, t) in measured.items() if t is not None and t <= 2]
    missed = [b.name for b in ctx.bugs() if b.name not in measured]
    body = f"""c: the fewest preemptions; v: the different variables after whose use these preemptions come; t: the threads whose order
matters. "Expected" stands at the head of the program, "measured" is what the report of `raddle run -s icb` says, after at most
{int(ctx.limits.search[1]):,} executions or {ctx.limits.search[3]} s.

{table(["bug", "what", "kind", "expected", "measured", "paper"], rows)}"""
    why = f"""The paper: all bugs of its table have c ≤ 2, v ≤ 2 and t = 2 (its text says 3 preemptions for RegionOwnership, its table 2). Here
{len(few)} of {len(measured)} bugs have c ≤ 2 and v ≤ 2, and {len(two)} have t ≤ 2 as measured, {len(meant)} as expected: several of ours need an order of three
threads or more, as in `rank_fig9` and `rank_fig10` of the paper's own examples. {len(same)} of {len(rows)} measured tuples are as expected. {len(exact)} have the
expected c, which is exact: no schedule with fewer preemptions shows the bug. v is that of the first schedule found, where another one with as many preemptions may need fewer variables; t counts every thread of that schedule whose
place matters, also one that only must have ended or must wait; "?" stands where the report does not know t.{f" Not found: {listed(missed)}." if missed else ""}"""
    return Part("Tables 1 and 4, the bugs", "programs, and the (c, v, t) of their bugs", body,
                agrees(len(few) >= 0.9 * len(measured), len(two) >= 0.9 * len(measured)), why)


def table_2(ctx):
    rows, factors, all_over_none = [], [], []
    for name in compute(ctx):
        alone = ctx.result(native(name))["elapsed_s"]
        cells, times = [], {}
        for label, options in tracked(ctx, name).items():
            r = ctx.result(overhead(name, *options))
            if "refused" in r or not r["executions"]:
                cells.append("refused" if "refused" in r else "–")
                continue
            times[label] = r["elapsed_s"] / (r["executions"] + r["cut"])
            cells.append(f"{1000 * times[label]:.3f}")
        ratio = times["all"] / times["one"] if {"all", "one"} <= times.keys() else None
        factors += [ratio] if ratio else []
        rows.append([name, f"{1000 * alone:.2f}", *cells, number(ratio, 1)])
    body = f"""Milliseconds for an execution of `random`, the mean of 200, with the executions before the search that learn what is shared. "Native": the program alone, with the start of its process. None:
switches at synchronisation only; one: at one variable as well (`random:var=`, that of middle frequency among those that threads share);
shared: the default; all: every access is a scheduling point.

{table(["program", "native", "none", "one", "shared", "all", "all / one"], rows)}"""
    low, high = (f"{f(factors):.1f}" if factors else "–" for f in (min, max))
    why = f"""In the paper an execution takes up to 106 times as long with all variables as with one. Here {low} to {high} times: a switch between
threads is cheap here, and every execution is short. (One variable can cost more than the default where the default has learned that
nearly all memory is private, and looks at no address.) "Native" is longer than an execution because that begins from a snapshot, not
with a new process."""
    return Part("Table 2", "time of an execution by the variables that are tracked", body, agrees(all(f > 1 for f in factors), max(factors, default=0) > 50), why)


def table_3(ctx):
    rows, fewest, groups, totals = [], dict.fromkeys(STRATEGIES, 0), {}, dict.fromkeys(STRATEGIES, 0.0)
    missed, missing = [], 0.0
    for b in ctx.bugs("rank"):
        results = {s: [ctx.result(m) for m in to_bug(ctx, b, s)] for s in STRATEGIES}
        rows.append([b.name, *(mean_cell(results[s], ctx.limits.matrix) for s in STRATEGIES)])
        means = {s: statistics.mean(executions(r, ctx.limits.matrix)[0] for r in rs) for s, rs in results.items()}
        found = {s: sum(executions(r, ctx.limits.matrix)[1] for r in rs) / len(rs) for s, rs in results.items()}
        if not found["rank"]:
            missed.append(b.name)
            missing += means["rank"]
        best = min((-found[s], means[s]) for s in STRATEGIES)
        for s in STRATEGIES:
            fewest[s] += found[s] > 0 and (-found[s], means[s]) == best
        for s in STRATEGIES:
            totals[s] += means[s]
        groups.setdefault(tuple_text(b.c, b.v, b.t), []).append(means)
    rows.append(["all", *(number(totals[s]) for s in STRATEGIES)])
    by_tuple = [[key, len(group), *(number(statistics.mean(m[s] for m in group)) for s in STRATEGIES)]
                for key, group in sorted(groups.items())]
    order = ", ".join(f"`{s}` {n}" for s, n in sorted(fewest.items(), key=lambda x: -x[1]))
    body = f"""The mean over {ctx.limits.seeds} seeds where the strategy is random; at most {ctx.limits.matrix[1]} executions and {ctx.limits.matrix[3]} s each.
("> 12 (3 of 20)": three of twenty searches found it; the others count with all the executions that they were allowed.) The programs
are those of the kinds that the paper has (suite `rank`). Executions before the search, which learn what is shared, do not count, nor
does a failure in one of them: `raddle run` reports it, and so can find a bug that counts as missed here.

{table(["bug", *STRATEGIES], rows)}
By the expected (c, v, t):

{table(["(c, v, t)", "bugs", *STRATEGIES], by_tuple)}"""
    ahead = totals["rank"] < totals["icb"]
    random_ahead = totals["pctvb:d=3"] < totals["pct:d=3"]
    why = f"""The paper: 132,507, 47,248 and 30,437 executions in all for its three settings, the fewest with variable bounding. Here `rank` needs
{'fewer' if ahead else 'more'} executions in all than `icb`, and `pctvb` {'fewer' if random_ahead else 'more'} than `pct`. Bugs found with the fewest executions (several strategies can be equal): {order}.
{number(100 * missing / totals['rank'])} % of the executions of `rank` are those of the {len(missed)} bugs that it did not find within the limit ({listed(missed)}): it takes one
variable after the other, at each of its uses and with each order of threads, so a bug at a variable that comes late waits for all before.
On programs as small as these a random walk is strong; bounding is for programs with many accesses that do not matter (Figure 6)."""
    return Part("Tables 3 and 4", "executions to the bug, by strategy and by (c, v, t)", body, agrees(ahead, random_ahead), why)


def figure_6(ctx):
    lines = {label: [] for label in FREQUENCY}
    for label, s in FREQUENCY.items():
        for size in NOISE:
            lines[label].append((size, statistics.mean(executions(ctx.result(m), m.options[2:])[0] for m in noise(ctx, s, size))))
    plot = ctx.plots.lines("rank-frequency", "executions to the bug by the accesses that do not matter", {"noise": lines},
                           "other accesses of each thread", "executions", logx=True, logy=True)
    growth = {label: points[-1][1] / points[0][1] for label, points in lines.items()}
    why = f"""From {NOISE[0]} to {NOISE[-1]} other accesses `pct` needs {growth['pct']:.1f} times as many executions, `pctvb` {growth['pctvb']:.1f} times. In the
paper the executions of `pctvb` do not depend on how rarely the variable is used, and those of `pct` do; here those of `pctvb` grow at first,
and no more from {NOISE[2]} on."""
    return Part("Figure 6", "executions by how rarely the variable is used", plot, agrees(growth["pct"] > 4 * growth["pctvb"], growth["pctvb"] < 3), why)


def figure_7(ctx):
    panels, few = {}, {}
    for name in compute(ctx):
        counts = sorted((v["reads"] + v["writes"] for v in ctx.result(listing(name))["variables"]), reverse=True)
        panels[name] = [(i + 1, c) for i, c in enumerate(counts) if c]
        few[name] = sum(counts[:max(1, len(counts) // 10)]) / sum(counts)
    plot = ctx.plots.lines("rank-histogram", "accesses of each variable", {"variables": panels}, "variable, by frequency", "accesses",
                           logx=True, logy=True)
    text = ", ".join(f"{n} {share:.0%}" for n, share in few.items())
    most = [n for n, share in few.items() if share >= 0.4]
    why = f"""In the paper few variables have most of the accesses. Here the most used tenth of the variables (at least one) has this share: {text}."""
    return Part("Figure 7", "accesses of each variable", plot, share(len(most), len(few)), why)


def parts(ctx):
    return [table_1(ctx), table_2(ctx), table_3(ctx), figure_6(ctx), figure_7(ctx)]
