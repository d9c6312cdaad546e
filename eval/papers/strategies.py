"""What the papers could not compare: all strategies on all bugs."""
import math
import statistics

from context import executions, hunt, listed, number, table
from parts import Part

NAME = "All strategies"
HEAD = "What the papers could not compare: their strategies, those of later work and `auto`, on all the programs."
ELSEWHERE = []

DETERMINISTIC = ["dfs", "idfs", "icb", "delay", "dpor", "dpor:optimal", "bpor", "best", "best:mdpor,pb,reduce",
                 "exitblock", "rank"]
RANDOM = ["auto", "random", "rapos", "pct:d=3", "pctvb:d=3", "rank:random", "pos", "urw", "surw", "rff"]
ALL = DETERMINISTIC + RANDOM


def cells(ctx, bug, strategy):
    seeds = range(1, ctx.limits.seeds + 1) if strategy in RANDOM else [1]
    return [hunt(bug, strategy, ctx.limits.matrix, seed=s) for s in seeds]


def measurements(ctx):
    return [m for b in ctx.bugs() for s in ALL for m in cells(ctx, b, s)]


def share(results):
    return sum(r.get("found") is not None for r in results) / len(results)


def matrix(ctx):
    """bug -> strategy -> (mean executions, share of the searches that found it)."""
    out = {}
    for b in ctx.bugs():
        row = {}
        for s in ALL:
            results = [ctx.result(m) for m in cells(ctx, b, s)]
            counts = [executions(r, ctx.limits.matrix)[0] for r in results]
            row[s] = (statistics.mean(counts), share(results)) if not all("refused" in r for r in results) else None
        out[b.name] = row
    return out


def curves(ctx, of):
    """For each strategy the expected number of bugs found within x; `of` takes x from a result."""
    lines = {}
    for s in ALL:
        times = sorted((of(ctx.result(m)), 1 / len(cells(ctx, b, s))) for b in ctx.bugs() for m in cells(ctx, b, s)
                       if ctx.result(m).get("found") is not None)
        points, total = [], 0.0
        for x, weight in times:
            total += weight
            points.append((max(x, 1e-3), total))
        lines[s] = points
    return lines


def ranking(ctx, found):
    rows = []
    for s in ALL:
        values = [row[s] for row in found.values() if row[s]]
        sure = sum(1 for _, part in values if part == 1)
        expected = sum(part for _, part in values)
        middle = statistics.median([n for n, part in values if part > 0] or [math.nan])
        refused = len(found) - len(values)
        rows.append([s, number(expected, 1), sure, number(middle, 1), refused or ""])
    rows.sort(key=lambda r: -float(r[1].replace(",", "")))
    return rows


def parts(ctx):
    found = matrix(ctx)
    values = [[row[s][0] if row[s] and row[s][1] > 0 else None for s in ALL] for row in found.values()]
    heat = ctx.plots.heat("strategies", "executions to each bug, by strategy", list(found), ALL, values, "executions (mean)")
    by_executions = ctx.plots.lines("cumulative-executions", "bugs found by executions", {"by executions": curves(ctx, lambda r: r["found"])},
                                    "executions", "bugs found (expected)", logx=True, steps=True, wide=True)
    by_time = ctx.plots.lines("cumulative-time", "bugs found by time", {"by time": curves(ctx, lambda r: r["elapsed_s"])},
                              "seconds", "bugs found (expected)", logx=True, steps=True, wide=True)
    rows = ranking(ctx, found)
    none = [b for b, row in found.items() if not any(v and v[1] for v in row.values())]
    body = f"""Each search has at most {ctx.limits.matrix[1]} executions and {ctx.limits.matrix[3]} s; {ctx.limits.seeds} seeds where the strategy is random. Expected: the
sum over bugs of the share of seeds that found it. Executions: the median, over the bugs that were found, of the mean executions to it,
where a search that did not find it counts with all the executions that it was allowed. Compare it only between strategies that found
as many.
"""
    best = [r[0] for r in rows if r[1] == rows[0][1]]
    head = ["strategy", "bugs, expected", "always found", "executions, median", "refused"]
    head = head if any(r[4] for r in rows) else head[:4]  # none was refused
    body += "\n" + table(head, [r[:len(head)] for r in rows])
    why = f"""Of {len(found)} bugs the most are found by {listed(best)}. """
    why += f"No strategy found within these limits: {listed(none)}." if none else "Every bug was found by some strategy."
    return [Part("table", "bugs found", body, "measured", why),
            Part("heat map", "executions to each bug", heat, "measured", "Darker: more executions; light grey: not found."),
            Part("curves", "bugs found over executions, and over time", f"{by_executions}\n{by_time}", "measured",
                 "The time is that of the search, without the start of the process; what was found within a millisecond stands at one millisecond. A line ends where its strategy found its last bug.")]
