"""GAMBIT: Coons, Burckhardt and Musuvathi, PPoPP 2010."""
from context import executions, found_cell, hunt, number, table, whole

REDUCE = "reduce"
# the columns of Table 2: the name, our strategy, and what the paper found of 23 bugs in one hour each: bugs, hours in all
COLUMNS = [("DF", "dfs", None), ("DPOR-DF", "dpor", (13, 11.5)),
           ("BF(pb)", f"best:pb,{REDUCE}", (23, 0.4)), ("BF(mdpor,pb)", f"best:mdpor,pb,{REDUCE}", (23, 0.3)),
           ("BF(rand)", f"best:rand,{REDUCE}", (22, 1.2)), ("PB(2)-DF", "best:c=2", (14, 11.8)),
           ("PB(2)-BF(ss,dpor)", "best:ss,dpor,c=2", (21, 2.4)), ("PB(2)-BF(ss,mdpor)", "best:ss,mdpor,c=2", (22, 1.2)),
           ("PB(2)-BF(rand)", "best:rand,c=2", (22, 1.4))]
TREES = [("BF(pb)", f"best:pb,{REDUCE}"), ("BF(mdpor,pb)", f"best:mdpor,pb,{REDUCE}"), ("BF(rand)", f"best:rand,{REDUCE}"),
         ("BF(pb), no reduction", "best:pb")]
GROWN = ["conc_queue", "wsq"]  # figure 5
# the functions whose preemption shows the bug: both, one of them, two others
METHODS = {"conc_bag#1": ("bag_add,bag_take", "bag_take", "bag_create,bag_free")}


def bugs(ctx):
    return ctx.bugs("gambit")


def cell(ctx, bug, strategy):
    return hunt(bug, strategy, ctx.limits.search)


def tree(ctx, program, strategy):
    return whole(program, strategy, ctx.limits.whole)


def memory(ctx, program, strategy):
    return whole(program, strategy, ctx.limits.curve, keep="tree")


def methods(ctx):
    by_name = {b.name: b for b in bugs(ctx)}
    return {by_name[n]: [f"best:method={f.replace(',', ',')}" for f in lists] for n, lists in METHODS.items() if n in by_name}


def measurements(ctx):
    out = [cell(ctx, b, s) for b in bugs(ctx) for _, s, _ in COLUMNS]
    out += [tree(ctx, p.name, s) for p in ctx.suite("gambit") for _, s in TREES]
    out += [memory(ctx, n, s) for n in GROWN if n in ctx.programs for _, s in TREES]
    out += [cell(ctx, b, s) for b, strategies in methods(ctx).items() for s in strategies]
    return out


def table_2(ctx):
    rows = [[b.name, *(found_cell(ctx.result(cell(ctx, b, s)), seconds=True) for _, s, _ in COLUMNS)] for b in bugs(ctx)]
    ours, theirs = ["found, in all"], ["paper: found, hours"]
    totals = {}
    for name, s, paper in COLUMNS:
        results = [ctx.result(cell(ctx, b, s)) for b in bugs(ctx)]
        good = [r for r in results if r.get("found") is not None]
        seconds = sum(r.get("elapsed_s", 0) for r in results)
        tries = sum(executions(r)[0] or 0 for r in results)
        totals[name] = (len(good), tries)
        ours.append(f"{len(good)} of {len(results)}, {tries:,}, {seconds:.0f} s")
        theirs.append(f"{paper[0]} of 23, {paper[1]}" if paper else "–")
    first = max(totals, key=lambda n: (totals[n][0], -totals[n][1]))
    best, depth = totals["BF(mdpor,pb)"], totals["PB(2)-DF"]
    agrees = "Agrees" if best[0] >= depth[0] and best[1] <= depth[1] else "Differs"
    return f"""### Table 2: executions and time to each bug

Each search has at most {ctx.limits.search[1]} executions and {ctx.limits.search[3]} s. DF is a depth-first search, BF the best-first search by the priority in
parentheses, over partial-order reduction; PB(2): within two preemptions, where reductions are priorities only. "(end)": the search
covered everything within its bound and there is no such bug.

{table(["bug", *(n for n, _, _ in COLUMNS)], rows + [ours, theirs])}
The fewest executions for the most bugs: {first}. {agrees} with the paper that best-first search finds more, sooner, than the
depth-first one with the same bound. Our reduction uses source sets, since the published rule loses orders together with sleep
sets (three threads, four orders, three found).

"""


def trees(ctx):
    rows = []
    for p in ctx.suite("gambit"):
        for name, s in TREES:
            r = ctx.result(tree(ctx, p.name, s))
            if "refused" in r:
                rows.append([p.name, name, "refused", "", "", "", ""])
                continue
            count = r["executions"] + r["cut"]
            rows.append([p.name, name, f"{count:,}", "yes" if r["complete"] else "no", number(r.get("tree_nodes_peak")),
                         number(r.get("tree_bytes_peak")), f"{(r.get('tree_nodes_peak') or 0) / count:.3f}"])
    return f"""### Sizes of the tree

The search of the correct programs, at most {ctx.limits.whole[3]} s each. "Peak": the most nodes that were in memory at the same time.

{table(["program", "search", "executions", "to the end", "peak nodes", "bytes", "peak per execution"], rows)}
The paper: 326,743 executions with at most 90,159 nodes.

"""


def figure_5(ctx):
    panels = {n: {label: ctx.result(memory(ctx, n, s))["curve"] for label, s in TREES
                  if "refused" not in ctx.result(memory(ctx, n, s))} for n in GROWN if n in ctx.programs}
    plot = ctx.plots.lines("gambit-tree", "nodes of the tree in memory, by executions", panels, "executions", "nodes")
    return f"""### Figure 5: the tree over time

{plot}
As in the paper, a priority that prefers what was inserted last among equals keeps the tree small, and random priorities lose
that.

"""


def method_table(ctx):
    rows = [[b.name, *(found_cell(ctx.result(cell(ctx, b, s)), seconds=True) for s in strategies)]
            for b, strategies in methods(ctx).items()]
    if not rows:
        return ""
    return f"""### The priority by methods

{table(["bug", "both functions", "one", "two others"], rows)}
The paper: 7 s with both methods, 13 to 68 s with one, more than three days without.

"""


def section(ctx):
    return f"""## GAMBIT

Coons, Burckhardt and Musuvathi, "GAMBIT: effective unit testing for concurrency libraries", PPoPP 2010. Table 1 of the paper describes
its closed-source programs; ours of the same kinds are in eval/programs. Figures 1 to 4 are examples and algorithms.

{table_2(ctx)}{trees(ctx)}{figure_5(ctx)}{method_table(ctx)}"""
