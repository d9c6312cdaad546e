"""GAMBIT: Coons, Burckhardt and Musuvathi, PPoPP 2010."""
import math
import statistics

from context import executions, found_cell, hunt, listed, number, table, whole
from parts import Part, agrees, share

NAME = "GAMBIT"
HEAD = 'Coons, Burckhardt and Musuvathi, "GAMBIT: effective unit testing for concurrency libraries", PPoPP 2010.'
ELSEWHERE = [("Table 1", "describes closed-source programs (CCR, TPL, PLINQ); ours of the same kinds are those with suite `gambit` in `eval/programs`"),
             ("Figures 1 to 4", "an example, the unsoundness of reduction under a bound (`tests/unit/test_best.c`), and the algorithm")]

# the columns of Table 2: the name, our strategy, and what the paper found of 23 bugs in one hour each: bugs, hours in all
COLUMNS = [("DF", "dfs", None), ("BF(pb)", "best:pb", None), ("DPOR-DF", "dpor", (13, 11.5)),
           ("DPOR-BF(pb)", "best:pb,reduce", (23, 0.4)), ("DPOR-BF(mdpor,pb)", "best:mdpor,pb,reduce", (23, 0.3)),
           ("DPOR-BF(rand)", "best:rand,reduce", (22, 1.2)), ("PB(2)-DF", "icb:c=2,csb=2", (14, 11.8)),
           ("PB(2)-BF(ss,dpor)", "best:ss,dpor,c=2", (21, 2.4)), ("PB(2)-BF(ss,mdpor)", "best:ss,mdpor,c=2", (22, 1.2)),
           ("PB(2)-BF(rand)", "best:rand,c=2", (22, 1.4))]
TREES = [("BF(pb)", "best:pb"), ("DPOR-BF(pb)", "best:pb,reduce"), ("DPOR-BF(mdpor,pb)", "best:mdpor,pb,reduce"),
         ("DPOR-BF(ss)", "best:ss,reduce"), ("DPOR-BF(rand)", "best:rand,reduce")]
GROWN = ["conc_queue", "wsq"]  # figure 5
# the two functions that each bug is about
METHODS = {"ccr#1": ("post", "try_join"), "ccr#2": ("answer", "post"), "conc_bag#1": ("take_own", "steal"),
           "conc_bag#2": ("take_own", "steal"), "conc_dictionary#1": ("add", "grow"), "conc_queue#1": ("dequeue", "enqueue"),
           "conc_queue#2": ("dequeue", "enqueue"), "task_scheduler#1": ("claim", "run"),
           "task_scheduler#2": ("run", "sleep_until_work"), "wsq#1": ("pop", "steal"), "wsq#2": ("push", "steal"),
           "wsq#3": ("pop", "steal")}
# the orders from which the default is chosen; `best` alone is the default
ORDERS = ["", "pb", "rand", "pb,ss", "pb,dpor", "pb,mdpor", "pb,ss,dpor", "pb,ss,mdpor", "ss,pb", "ss,pb,dpor", "ss,pb,mdpor",
          "ss,mdpor", "ss,dpor,pb", "ss,mdpor,pb", "dpor,pb", "mdpor,pb", "dpor,ss,pb", "mdpor,ss,pb"]
REDUCED = ["pb", "mdpor,pb", "pb,mdpor", "ss,pb,dpor", "rand"]


def orders():
    return [f"best:{o}".rstrip(":") for o in ORDERS] + [f"best:{o},reduce" for o in REDUCED]


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
    return {by_name[n]: [f"best:method={x},{y},pb", f"best:method={x},pb", f"best:method={y},pb", "best:pb",
                         f"best:method={x},{y}", "best"] for n, (x, y) in METHODS.items() if n in by_name}


def measurements(ctx):
    out = [cell(ctx, b, s) for b in bugs(ctx) for _, s, _ in COLUMNS]
    out += [tree(ctx, p.name, s) for p in ctx.suite("gambit") for _, s in TREES]
    out += [memory(ctx, n, s) for n in GROWN if n in ctx.programs for _, s in TREES]
    out += [hunt(b, s, ctx.limits.matrix) for b in ctx.bugs() for s in orders()]
    out += [cell(ctx, b, s) for b, strategies in methods(ctx).items() for s in strategies]
    return out


def table_2(ctx):
    rows = [[b.name, *(found_cell(ctx.result(cell(ctx, b, s)), seconds=True) for _, s, _ in COLUMNS)] for b in bugs(ctx)]
    ours, theirs = ["found; executions; time, in all"], ["paper: found; hours"]
    found, tries = {}, {}
    for name, s, paper in COLUMNS:
        results = [ctx.result(cell(ctx, b, s)) for b in bugs(ctx)]
        found[name] = sum(r.get("found") is not None for r in results)
        tries[name] = sum(executions(r, ctx.limits.search)[0] for r in results)
        seconds = sum(r.get("elapsed_s", 0) for r in results)
        ours.append(f"{found[name]} of {len(results)}; {tries[name]:,}; {seconds:.1f} s")
        theirs.append(f"{paper[0]} of 23; {paper[1]}" if paper else "–")

    def beats(a, b):
        return (found[a], -tries[a]) >= (found[b], -tries[b])

    reduced = [n for n in found if n.startswith("DPOR-BF(") and beats(n, "DPOR-DF")]
    bounded = [n for n in found if n.startswith("PB(2)-BF(") and beats(n, "PB(2)-DF")]
    first = max(found, key=lambda n: (found[n], -tries[n]))
    each = {b.name: {n: executions(ctx.result(cell(ctx, b, s)), ctx.limits.search)[0] for n, s, _ in COLUMNS} for b in bugs(ctx)}
    hard = max(each, key=lambda b: sum(n for name, n in each[b].items() if name != "DF"))
    second = max(found, key=lambda n: (found[n], each[hard][n] - tries[n]))
    body = f"""A cell has the executions and the time to the bug; each search has at most {int(ctx.limits.search[1]):,} executions and {ctx.limits.search[3]} s. DF: depth
first; BF: best first by the priorities in parentheses ([strategies.md](strategies.md) says what each is); DPOR: over partial-order
reduction; PB(2): within two preemptions, without a reduction, which would be wrong under a bound: `dpor` and `ss` are priorities there.
`rand` has one seed. In the sums a search that did not find
the bug counts with all the executions that it was allowed.

{table(["bug", *(n for n, _, _ in COLUMNS)], rows + [ours, theirs])}"""
    why = f"""In the paper every best-first search finds more bugs, and sooner, than the depth-first search over the same schedules. Here that
holds (more bugs, or as many with fewer executions) for {len(reduced)} of 3 priorities over reduction ({listed(reduced) or 'none'}) and for {len(bounded)} of 3 within two preemptions
({listed(bounded) or 'none'}); the fewest executions for the most bugs has {first}. All but
DF find every bug, so executions decide; without `{hard}`, which is most of the sums, the fewest has {second}. Our reduction uses source sets, because the published
rule loses orders together with sleep sets."""
    return Part("Table 2", "executions and time to each bug", body, agrees(len(reduced) == 3, len(bounded) == 3), why)


def trees(ctx):
    rows, small, ended = [], [], 0
    for p in ctx.suite("gambit"):
        for name, s in TREES:
            r = ctx.result(tree(ctx, p.name, s))
            if "refused" in r:
                rows.append([p.name, name, "refused", "", "", "", ""])
                continue
            count = r["executions"] + r["cut"]
            peak = r.get("tree_nodes_peak") or 0
            ended += r["complete"]
            small += [peak / count] if count > 1000 and name != "DPOR-BF(rand)" else []
            rows.append([p.name, name, f"{count:,}", "yes" if r["complete"] else "no", number(peak), number(r.get("tree_bytes_peak")),
                         f"{peak / count:.3f}"])
    body = f"""The search of the correct programs, at most {ctx.limits.whole[3]} s or {int(ctx.limits.whole[1]):,} executions each. "Peak": the most nodes that were in memory at the same time.

{table(["program", "search", "executions", "to the end", "peak nodes", "bytes", "peak / executions"], rows)}"""
    low = sum(x < 1 for x in small)
    why = f"""The paper: 326,743 executions with at most 90,159 nodes, 0.28 nodes for each. Here {low} of {len(small)} searches of more than 1,000
executions have fewer nodes than executions (`rand` not counted)."""
    return Part("the text on memory", "sizes of the tree", body, share(low, len(small)), why)


def figure_5(ctx):
    panels = {n: {label: ctx.result(memory(ctx, n, s))["curve"] for label, s in TREES
                  if "refused" not in ctx.result(memory(ctx, n, s))} for n in GROWN if n in ctx.programs}
    plot = ctx.plots.lines("gambit-tree", "nodes of the tree in memory, by executions", panels, "executions", "nodes", logy=True)
    peaks = {n: {label: max(y for _, y in points) for label, points in lines.items()} for n, lines in panels.items()}
    larger = [n for n, p in peaks.items() if p["DPOR-BF(rand)"] > p["DPOR-BF(ss)"]]
    less = [n for n, p in peaks.items() if p["DPOR-BF(rand)"] < p["DPOR-BF(pb)"]]
    times = listed(f"{n}: {p['DPOR-BF(rand)'] / p['DPOR-BF(ss)']:.0f}" for n, p in peaks.items())
    why = f"""The paper: the newest of equal alternatives first keeps the tree small, and random priorities lose that. With reduction
all alternatives are equal by `ss` (one that is asleep never enters the tree), so it runs the newest first. The random priority has
the larger tree on {len(larger)} of {len(panels)} programs (so many times as large within the executions of the plot: {times}). `pb` keeps the alternatives with more
preemptions until the end, and on {len(less)} of them ({listed(less) or 'none'}) that takes more nodes than chance does."""
    return Part("Figure 5", "the memory of the tree over time", plot, share(len(larger), len(panels)), why)


def method_table(ctx):
    rows, sooner, lost, behind = [], [], [], []
    for b, strategies in methods(ctx).items():
        results = [ctx.result(cell(ctx, b, s)) for s in strategies]
        rows.append([b.name, ", ".join(f"`{n}`" for n in METHODS[b.name]), *(found_cell(r) for r in results)])
        front, one, other, without, names, default = (executions(r, ctx.limits.search)[0] for r in results)
        if front <= min(one, other, without):
            sooner.append(b.name)
        elif front >= 100 * without:
            lost.append(b.name)
        if names <= default:
            behind.append(b.name)
    body = f"""Executions to the bug. The functions as the first priority, before `pb`: both, or one of them (`best:method=f,g,pb`), beside `best:pb`;
and as the last one: `best:method=f,g` is `best:ss,pb,dpor,method=f,g`, beside `best`.

{table(["bug", "functions f, g", "f,g first", "f first", "g first", "best:pb", "f,g last", "best"], rows)}"""
    return Part("the text on methods", "the priority by methods", body, share(len(sooner), len(rows)),
                f"""The paper: one bug of its ConcurrentBag in 7 s with both methods, in 13 and 68 s with one of them, not in three days without.
Here both as the first priority are the soonest of the first four columns for {len(sooner)} of {len(rows)} bugs ({listed(sooner)}), and need a hundred
times the executions of `pb` alone, or more, for {len(lost)} ({listed(lost)}). Where threads call the functions all the time, the switches between them are
most of the tree, and a bug that needs one switch to another place, be it to the start of a thread, waits for all of it. As the last
priority the functions cost as much or less than none for {len(behind)} of {len(rows)} bugs, so that is where `best:method=` has them.""")


def order_table(ctx):
    rows = []
    for s in orders():
        results = [ctx.result(hunt(b, s, ctx.limits.matrix)) for b in ctx.bugs()]
        pairs = [executions(r, ctx.limits.matrix) for r in results]
        rows.append((s, sum(f for _, f in pairs), sum(n for n, _ in pairs), math.exp(statistics.mean(math.log(n) for n, _ in pairs))))
    plain = sorted((r for r in rows if "reduce" not in r[0]), key=lambda r: r[2])
    reduced = sorted((r for r in rows if "reduce" in r[0]), key=lambda r: r[2])
    cells = [[f"`{s}`", found, number(total), number(middle, 1)] for s, found, total, middle in plain + reduced]
    body = f"""All {len(ctx.bugs())} bugs of `eval/programs`, at most {int(ctx.limits.matrix[1]):,} executions for each; a search that did not find
the bug counts with all of them.

{table(["strategy", "bugs found", "executions in all", "geometric mean"], cells)}
First the orders without `reduce`, then those with it."""
    why = f"""The paper gives no default. Ours, `ss,pb,dpor`, is the order with the fewest executions in all of those without reduction; `best` is
that. It was chosen on these bugs, so its place in the table of all strategies says little. `{reduced[0][0]}` needs the fewest of all;
`reduce` is no default because it takes one worker, no bound on preemptions and no `--focus`."""
    return Part("the default", "which priorities", body, "measured", why)


def parts(ctx):
    return [table_2(ctx), trees(ctx), figure_5(ctx), method_table(ctx), order_table(ctx)]
