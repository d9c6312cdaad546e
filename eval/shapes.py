"""The shapes of the papers' results, on a few programs: what `make eval-short` checks in less than a minute."""
import sys
from math import factorial

from context import hunt, whole
from papers import exitblock, rapos

SURE = {"bluetooth#1", "wsq#1", "split_sync#1", "two_stage#1", "account#1", "rank_fig3#1", "conc_bag#1", "conc_queue#1"}
SMALL = ("THREADS=2",)
SIZES = [(2, 2), (2, 4), (3, 2)]


def bugs(ctx):
    return [b for b in ctx.bugs() if b.name in SURE]


def by_icb(ctx, b):
    return hunt(b, "icb", ctx.limits.search)


def states(ctx):
    return whole("bluetooth", "icb", ctx.limits.whole, SMALL, keep="curve")


def reductions(ctx):
    return [whole("bluetooth", s, ctx.limits.whole, SMALL) for s in ("dfs", "dpor:optimal", "best:pb,reduce")]


def orders(ctx):
    return [rapos.sample(ctx, "two_stage", s, seed) for s in rapos.STRATEGIES for seed in rapos.seeds(ctx)]


def check_bounds(ctx):
    """ICB: each bug needs the number of preemptions that its program states, and icb finds it with so many."""
    for b in bugs(ctx):
        r = ctx.result(by_icb(ctx, b))
        if r.get("found") is None:
            yield f"{b.name}: icb does not find it"
        elif r["c"] != b.c:
            yield f"{b.name}: icb finds it with {r['c']} preemptions, expected {b.c}"


def check_states(ctx):
    """ICB, figure 1: all states need fewer preemptions than occur, and most need few."""
    r = ctx.result(states(ctx))
    if not r["complete"]:
        yield "bluetooth: icb does not end"
    total, most = r["bounds"][-1][3], r["bounds"][-1][0]
    enough = next(c for c, _, _, n in r["bounds"] if n >= 0.9 * total)
    if enough > (most + 1) // 2:
        yield f"bluetooth: 90 % of the states need {enough} of {most} preemptions"


def check_reductions(ctx):
    """GAMBIT: best-first search over the reduction sees every order, with as many executions as there are orders."""
    plain, optimal, best = (ctx.result(m) for m in reductions(ctx))
    if not (plain["complete"] and optimal["complete"] and best["complete"]):
        yield "bluetooth: a search did not end"
    if not plain["distinct_orders"] == optimal["distinct_orders"] == best["distinct_orders"] == best["executions"]:
        yield (f"bluetooth: orders: dfs {plain['distinct_orders']}, dpor:optimal {optimal['distinct_orders']}, "
               f"best {best['distinct_orders']} in {best['executions']} executions")


def check_paths(ctx):
    """ExitBlock: the formulas for the number of paths hold: without rw exactly, with it up to n more for the last thread's end."""
    for k, n in SIZES:
        plain = ctx.result(exitblock.grown(ctx, "exitblock", (k, n), 0))
        rw = ctx.result(exitblock.grown(ctx, "exitblock:rw", (k, n), 0))
        if plain["distinct_orders"] != factorial(k * n) // factorial(n) ** k:
            yield f"{k} x {n}: {plain['distinct_orders']} orders of sections"
        if not (n + 1) ** (k - 1) <= rw["paths"] <= (n + 1) ** (k - 1) + n:
            yield f"{k} x {n}: {rw['paths']} paths with rw"


def check_orders(ctx):
    """RAPOS, table 1: it shows at least as many orders as a random walk."""
    results = [ctx.result(m)["distinct_orders"] for m in orders(ctx)]
    half = len(results) // 2
    if sum(results[half:]) < 0.95 * sum(results[:half]):
        yield f"two_stage: {sum(results[half:])} orders by rapos, {sum(results[:half])} by random"


CHECKS = [check_bounds, check_states, check_reductions, check_paths, check_orders]


def measurements(ctx):
    grown = [exitblock.grown(ctx, s, size, 0) for s in ("exitblock", "exitblock:rw") for size in SIZES]
    return [*(by_icb(ctx, b) for b in bugs(ctx)), states(ctx), *reductions(ctx), *orders(ctx), *grown]


def check(ctx):
    """The exit status: 0 when every shape is as it should be."""
    missing = SURE - {b.name for b in bugs(ctx)}
    wrong = [f"no such bug: {name}" for name in sorted(missing)]
    ctx.bench.run_all(measurements(ctx))
    wrong += [f"{m.name}: refused: {ctx.result(m)['refused']}" for m in measurements(ctx) if "refused" in ctx.result(m)]
    for one in CHECKS if not wrong else []:
        problems = list(one(ctx))
        print(f"{'FAILED' if problems else 'ok':7}{one.__doc__}")
        wrong += problems
    for text in wrong:
        print(f"eval-short: {text}", file=sys.stderr)
    return 1 if wrong else 0
