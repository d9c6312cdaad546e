"""RAPOS: Sen, ASE 2007."""
import statistics

from context import executions, hunt, listed, mean_cell, number, table
from measurement import Measurement
from parts import Part, agrees, share

NAME = "RAPOS"
HEAD = 'Sen, "Effective random testing of concurrent programs", ASE 2007.'
ELSEWHERE = [("Figures 1 and 2", "an example program and its interleavings: `eval/programs/rapos_fig1.c`; their exact probabilities are in "
              "`tests/unit/test_random.c`"), ("Figures 3 to 5", "the algorithms")]

STRATEGIES = ("random", "rapos")
DISTRIBUTION = ["sync_array_list", "two_stage"]  # figure 6

PACE = """`rapos` performs the independent operations of all threads in the same round, so threads advance at the same pace, and an
order in which one thread is far ahead of another is rarer than in a random walk."""


def sample(ctx, program, strategy, seed, keep=""):
    options = ("-k", "--detect", "none", "--points", "sync", "-n", str(ctx.limits.samples), "-t", "20")
    return Measurement(program, 0, strategy, options, seed=seed, keep=keep)


def seeds(ctx):
    return range(1, min(5, ctx.limits.seeds) + 1)


def to_bug(ctx, bug, strategy, points):
    count = 25 if ctx.limits.seeds >= 20 else ctx.limits.seeds
    limits = (*ctx.limits.matrix, "--points", points)
    return [hunt(bug, strategy, limits, seed=s) for s in range(1, count + 1)]


def drawn(ctx):
    return [n for n in DISTRIBUTION if n in ctx.programs]


def measurements(ctx):
    out = [sample(ctx, p.name, s, seed) for p in ctx.suite("rapos") for s in STRATEGIES for seed in seeds(ctx)]
    out += [sample(ctx, n, s, 1, "orders") for n in drawn(ctx) for s in STRATEGIES]
    out += [m for b in ctx.bugs("rapos") for s in STRATEGIES for p in ("sync", "auto") for m in to_bug(ctx, b, s, p)]
    return out


def orders(ctx, program, strategy):
    results = [ctx.result(sample(ctx, program, strategy, seed)) for seed in seeds(ctx)]
    return None if any("refused" in r for r in results) else statistics.mean(r["distinct_orders"] for r in results)


def ratios(ctx):
    out = {}
    for p in ctx.suite("rapos"):
        random, rapos = (orders(ctx, p.name, s) for s in STRATEGIES)
        if random and rapos:
            out[p.name] = (random, rapos, rapos / random)
    return out


def table_1(ctx):
    found = ratios(ctx)
    rows = [[n, number(a, 1), number(b, 1), f"{r:.2f}"] for n, (a, b, r) in found.items()]
    more = [n for n, (_, _, r) in found.items() if r > 1.02]
    less = [n for n, (_, _, r) in found.items() if r < 0.98]
    values = [r for _, _, r in found.values()]
    body = f"""Happens-before classes among {ctx.limits.samples:,} executions, the mean of {len(seeds(ctx))} seeds, with switches before
synchronisation only (`--points sync`), as in the paper.

{table(["program", "random", "rapos", "ratio"], rows)}"""
    why = f"""The paper has ratios of 1.38 to 18.75, with 100, 300 or 2,000 executions. Here `rapos` shows more orders on {len(more)} of
{len(found)} programs, fewer on {len(less)} ({listed(less) or 'none'}; 2 % are taken for equal); the ratios are {min(values):.2f} to {max(values):.2f}. Where both
show every order, or all operations take the same lock, so that a set of independent operations has one element, the ratio is 1.
{PACE} Where most orders are of that kind, it shows fewer of them. The published drivers have more threads and longer methods."""
    return Part("Table 1", "distinct partial orders", body, share(len(more), len(found)), why)


def gini(counts):
    """0: all counts are equal; near 1: one has nearly everything."""
    ordered = sorted(counts)
    n, total = len(ordered), sum(ordered)
    return sum((2 * i - n - 1) * c for i, c in enumerate(ordered, 1)) / (n * total)


def figure_6(ctx):
    panels, rows, flatter = {}, [], []
    for name in drawn(ctx):
        groups, uneven = {}, {}
        all_counts = {s: ctx.result(sample(ctx, name, s, 1, "orders"))["orders"] for s in STRATEGIES}
        most = max(len(counts) for counts in all_counts.values())
        for s, counts in all_counts.items():
            groups[s] = [(i + 1, c / sum(counts)) for i, c in enumerate(counts)]
            uneven[s] = gini(counts + [0] * (most - len(counts)))
            rows.append([name, s, len(counts), f"{groups[s][0][1]:.1%}", f"{uneven[s]:.2f}"])
        panels[name] = groups
        flatter += [name] if uneven["rapos"] < uneven["random"] else []
    plot = ctx.plots.lines("rapos-distribution", "relative frequency of each partial order", panels, "order, by frequency",
                           "share of executions", logy=True)
    body = f"""{plot}
{table(["program", "strategy", "orders", "the most frequent", "Gini coefficient"], rows)}
The Gini coefficient is 0 if all orders are equally frequent; an order that only the other strategy has shown counts as one that
came 0 times."""
    why = f"""In the paper the bars of `rapos` are flatter than those of the random walk. Here that holds for {len(flatter)} of {len(panels)}
programs ({listed(flatter) or 'none'}). {PACE}"""
    return Part("Figure 6", "how often each order comes", body, share(len(flatter), len(panels)), why)


def figure_7(ctx):
    names, heights, rows, better = [], {s: [] for s in STRATEGIES}, [], {"sync": [], "auto": []}
    compared = {"sync": 0, "auto": 0}
    sums = {points: dict.fromkeys(STRATEGIES, 0.0) for points in compared}
    for b in ctx.bugs("rapos"):
        row = [b.name]
        for points in ("sync", "auto"):
            results = {s: [ctx.result(m) for m in to_bug(ctx, b, s, points)] for s in STRATEGIES}
            row += [mean_cell(results[s], ctx.limits.matrix) for s in STRATEGIES]
            if any("refused" in r for rs in results.values() for r in rs) or not any(r["found"] for rs in results.values() for r in rs):
                continue
            means = {s: statistics.mean(executions(r, ctx.limits.matrix)[0] for r in rs) for s, rs in results.items()}
            compared[points] += 1
            for s in STRATEGIES:
                sums[points][s] += means[s]
            better[points] += [b.name] if means["rapos"] < means["random"] else []
            if points == "sync":
                names.append(b.name)
                for s in STRATEGIES:
                    heights[s].append(means[s])
        rows.append(row)
    plot = ctx.plots.named_bars("rapos-defects", "executions to each bug, points at synchronisation", names, heights, "executions", logy=True)
    body = f"""The mean of 25 searches (one that did not find the bug counts with all the executions that it was allowed); with switches at synchronisation
only, as published, and with a point at every access to shared memory, the default. A bug that is only in the order of accesses does not
show with switches at synchronisation ("0 of 25"); these searches do not check for races, as the paper's do not. At most {ctx.limits.matrix[1]}
executions and {ctx.limits.matrix[3]} s each; executions before the search, which learn what is shared, do not count, nor a failure in one of them.

{plot}
{table(["bug", "random, sync", "rapos, sync", "random", "rapos"], rows)}"""
    why = f"""The paper has 129 instead of 615 executions for its Vector. Here `rapos` needs fewer executions for {len(better['sync'])} of
{compared['sync']} bugs that show with switches at synchronisation, and for {len(better['auto'])} of {compared['auto']} with the default points. All
bugs together it is ahead: {number(sums['sync']['rapos'])} instead of {number(sums['sync']['random'])} executions at synchronisation, {number(sums['auto']['rapos'])} instead
of {number(sums['auto']['random'])} with the default points, since it is far ahead where the random walk is slow. {PACE}"""
    facts = [len(better[p]) > compared[p] / 2 for p in compared] + [sums[p]["rapos"] < sums[p]["random"] for p in compared]
    return Part("Figure 7", "executions to a bug", body, agrees(*facts), why)


def parts(ctx):
    return [table_1(ctx), figure_6(ctx), figure_7(ctx)]
