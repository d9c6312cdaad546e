"""RAPOS: Sen, ASE 2007."""
import statistics

from context import executions, hunt, mean_cell, number, table
from measurement import Measurement

STRATEGIES = ("random", "rapos")
DISTRIBUTION = ["sync_array_list", "two_stage"]  # figure 6


def sample(ctx, program, strategy, seed, keep=""):
    options = ("-k", "--detect", "none", "--points", "sync", "-n", str(ctx.limits.samples), "-t", "20")
    return Measurement(program, 0, strategy, options, seed=seed, keep=keep)


def seeds(ctx):
    return range(1, min(5, ctx.limits.seeds) + 1)


def to_bug(ctx, bug, strategy):
    count = 25 if ctx.limits.seeds >= 20 else ctx.limits.seeds
    return [hunt(bug, strategy, ctx.limits.matrix, seed=s) for s in range(1, count + 1)]


def drawn(ctx):
    return [n for n in DISTRIBUTION if n in ctx.programs]


def measurements(ctx):
    out = [sample(ctx, p.name, s, seed) for p in ctx.suite("rapos") for s in STRATEGIES for seed in seeds(ctx)]
    out += [sample(ctx, n, s, 1, "orders") for n in drawn(ctx) for s in STRATEGIES]
    out += [m for b in ctx.bugs("rapos") for s in STRATEGIES for m in to_bug(ctx, b, s)]
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
    return f"""### Table 1: distinct partial orders

Happens-before classes among {ctx.limits.samples:,} executions, the mean of {len(seeds(ctx))} seeds, with switches before synchronisation only
(`--points sync`), as in the paper.

{table(["program", "random", "rapos", "ratio"], rows)}
The paper: ratios of 1.38 to 18.75, with 100, 300 or 2,000 executions. Ours: {min(values):.2f} to {max(values):.2f}; `rapos` shows more orders on
{len(more)} of {len(found)} programs and fewer on {len(less)}. Differs in size: the ratio grows with the number of threads that can go on at
the same time, and the published drivers had many threads and long methods. Where nearly every operation takes the same lock, a set
of independent operations has one element, and `rapos` is a random walk; where all orders were seen by both, the
ratio is 1.

"""


def figure_6(ctx):
    panels, text = {}, []
    for name in drawn(ctx):
        groups = {}
        for s in STRATEGIES:
            counts = ctx.result(sample(ctx, name, s, 1, "orders"))["orders"]
            groups[s] = [(i + 1, c / sum(counts)) for i, c in enumerate(counts)]
        panels[name] = groups
        text.append(f"{name}: the most frequent order has {groups['random'][0][1]:.1%} of the executions of `random` and "
                    f"{groups['rapos'][0][1]:.1%} of `rapos`")
    plot = ctx.plots.lines("rapos-distribution", "relative frequency of each partial order", panels, "order, by frequency",
                           "share of executions", logx=True, logy=True)
    return f"""### Figure 6: how often each order comes

{plot}
{'; '.join(text)}. In the paper the bars of `rapos` are flatter than those of the random walk.

"""


def figure_7(ctx):
    names, heights, rows = [], {s: [] for s in STRATEGIES}, []
    better = 0
    for b in ctx.bugs("rapos"):
        results = {s: [ctx.result(m) for m in to_bug(ctx, b, s)] for s in STRATEGIES}
        if any("refused" in r for rs in results.values() for r in rs):
            continue
        means = {s: statistics.mean(executions(r)[0] for r in rs) for s, rs in results.items()}
        names.append(b.name)
        for s in STRATEGIES:
            heights[s].append(means[s])
        rows.append([b.name, *(mean_cell(results[s]) for s in STRATEGIES)])
        better += means["rapos"] < means["random"]
    plot = ctx.plots.named_bars("rapos-defects", "executions to each bug", names, heights, "executions", logy=True)
    return f"""### Figure 7: executions to a bug

The mean of 25 searches (a search that did not find the bug counts with all its executions).

{plot}
{table(["bug", *STRATEGIES], rows)}
`rapos` needs fewer executions for {better} of {len(names)} bugs. The paper has 129 instead of 615 executions for its Vector. Differs: with a
point at every shared access, as here, `rapos` often has few dependent operations to choose between; see the first text of
docs/strategies.md on it, and the comparison of all strategies below.

"""


def section(ctx):
    return f"""## RAPOS

Sen, "Effective random testing of concurrent programs", ASE 2007. Figures 1 to 5 of the paper are programs and the
algorithm.

{table_1(ctx)}{figure_6(ctx)}{figure_7(ctx)}"""
