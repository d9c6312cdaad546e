"""ExitBlock: Bruening and Chapin, 2000."""
from math import factorial

from context import found_cell, hunt, listed, number, table, whole
from parts import Part, agrees, share

NAME = "ExitBlock"
HEAD = 'Bruening and Chapin, "Systematic testing of multithreaded programs", 2000 (with the thesis of the first author, 1999).'
ELSEWHERE = [("Figures 1 to 7", "examples and algorithms; their exact paths are in `tests/unit/test_exitblock.c`"),
             ("Figures 8 to 11", "deadlocks and the algorithms that find them: `eval/programs/eb_deadlock.c`, `tests/unit/test_exitblock.c`")]

ALGORITHMS = {"dfs": "dfs", "dpor": "dpor", "ExitBlock": "exitblock", "-RW": "exitblock:rw", "-DD": "exitblock:dd", "-RWDD": "exitblock:rw,dd"}
GROWTH = [(2, n) for n in (1, 2, 4, 6, 8)] + [(3, n) for n in (1, 2, 3, 4)] + [(4, n) for n in (1, 2, 3)]
LARGE = [(4, 20, s) for s in (0, 1, 2, 4)]


def paths(ctx, program, strategy, macros=()):
    return whole(program, strategy, ctx.limits.whole, macros)


def sizes(threads, regions, shared):
    return (f"THREADS={threads}", f"REGIONS={regions}", f"SHARED={shared}")


def grown(ctx, strategy, size, shared):
    return paths(ctx, "eb_performance", strategy, sizes(*size, shared))


def large(strategy, size):
    return whole("eb_performance", strategy, ("-t", "60"), sizes(*size))


def growth(ctx):
    """The grid of threads and regions, by what is shared: all the data or none."""
    return {(s, shared, size): grown(ctx, s, size, shared(size)) for s in ("exitblock", "exitblock:rw")
            for shared in (none_shared, all_shared) for size in GROWTH}


def none_shared(_):
    return 0


def all_shared(size):
    return size[1]


def measurements(ctx):
    out = [paths(ctx, p.name, s) for p in ctx.suite("exitblock") for s in ALGORITHMS.values()]
    out += [hunt(b, s, ctx.limits.search) for b in ctx.bugs("exitblock") for s in ALGORITHMS.values()]
    out += growth(ctx).values()
    if ctx.limits.seeds >= 20:
        out += [large(s, size) for size in LARGE for s in ("exitblock:rw", "dpor")]
    return out


def count(r):
    return r["executions"] + r["cut"]


def path_cell(r):
    if "refused" in r:
        return "refused"
    text = f"{r['executions']:,}" + (f" + {r['cut']:,}" if r["cut"] else "")
    return text if r["complete"] else f"> {text}"


def size(r, algorithm):
    """The orders of sections that were shown; of -RW, the paths: it cuts those that show no new order."""
    return r["paths"] if "rw" in algorithm else r["distinct_orders"]


def growth_cell(r, algorithm):
    if "refused" in r:
        return "refused"
    return f"{size(r, algorithm):,} ({count(r):,})" if r["complete"] else f"> {count(r):,} executions"


def of_programs(ctx):
    return {p.name: {a: ctx.result(paths(ctx, p.name, s)) for a, s in ALGORITHMS.items()} for p in ctx.suite("exitblock")}


def fewer_in(rs, a, b):
    """The search with algorithm `a` ended with fewer executions than the one with `b`, or than that had when it was stopped."""
    return rs[a]["complete"] and count(rs[a]) < count(rs[b])


def path_table(ctx):
    results = of_programs(ctx)
    rows = [[n, *(path_cell(r) for r in rs.values())] for n, rs in results.items()]
    fewer = [n for n, rs in results.items() if fewer_in(rs, "-RW", "ExitBlock") or count(rs["-RW"]) == count(rs["ExitBlock"])]
    less = [n for n, rs in results.items() if fewer_in(rs, "-RW", "ExitBlock")]
    below = [n for n, rs in results.items() if fewer_in(rs, "ExitBlock", "dfs")]
    dpor = [n for n, rs in results.items() if rs["dpor"]["complete"] and rs["-RW"]["complete"] and count(rs["dpor"]) <= count(rs["-RW"])]
    body = f"""ExitBlock is `exitblock`, -RW `exitblock:rw`, -DD `exitblock:dd` and -RWDD `exitblock:rw,dd`. Executions of the correct programs to the end of the search ("+": those that were cut short; ">": stopped by the limit of
{ctx.limits.whole[3]} s or {int(ctx.limits.whole[1]):,} executions).

{table(["program", *ALGORITHMS], rows)}"""
    why = f"""In the paper every order of blocks is far below every order of operations, and -RW needs no more paths than ExitBlock. Here the
first holds for {len(below)} and the second for {len(fewer)} of {len(results)} programs ({len(less)} with fewer, the others with as many). `dpor`, which needs no locking discipline, needs no more
executions than -RW on {len(dpor)} of them."""
    return Part("paths", "paths of each program, by algorithm", body, agrees(len(below) == len(results), len(fewer) == len(results)), why)


def cost_table(ctx):
    rows, costs = [], []
    for n, rs in of_programs(ctx).items():
        each = {a: 1e6 * r["elapsed_s"] / max(1, count(r)) for a, r in rs.items()}
        costs += [each[a] for a in ALGORITHMS if count(rs[a]) >= 100]
        rows.append([n, *(f"{each[a]:.0f}" if count(rs[a]) >= 100 else "–" for a in ALGORITHMS)])
    body = f"""Microseconds for each execution, everything included; "–": fewer than 100 executions, too few to say.

{table(["program", *ALGORITHMS], rows)}"""
    why = f"""The paper's figures are those of checkpoints in a Java virtual machine of its time, in milliseconds, with which ours cannot be
compared. An execution takes {min(costs):.0f} to {max(costs):.0f} microseconds here."""
    return Part("cost", "the cost of a path", body, "measured", why)


def bug_table(ctx):
    results = {b: {a: ctx.result(hunt(b, s, ctx.limits.search)) for a, s in ALGORITHMS.items()} for b in ctx.bugs("exitblock")}
    rows = [[b.name, b.kind, *(found_cell(r) for r in rs.values())] for b, rs in results.items()]
    dead = [b.name for b, rs in results.items() if b.kind == "deadlock" and rs["-DD"].get("found") is not None]
    all_dead = [b for b in results if b.kind == "deadlock"]
    other = [b.name for b, rs in results.items() if b.kind != "deadlock" and all(rs[a].get("found") is not None for a in ("ExitBlock", "-RW"))]
    rest = [b for b in results if b.kind != "deadlock"]
    split = [rs["-RW"].get("found") for b, rs in results.items() if b.name == "split_sync#1"]
    assert split and all_dead and rest
    body = f"""The execution that shows each bug.

{table(["bug", "kind", *ALGORITHMS], rows)}"""
    why = f"""In the paper SplitSync fails on the third path (an execution of ours is a path or the beginning of one), and -DD finds a deadlock whenever there is one. Here -RW finds the bug of
SplitSync in execution {listed(split).replace('`', '') or '–'}; -DD finds {len(dead)} of {len(all_dead)} deadlocks, and ExitBlock and -RW find
{len(other)} of {len(rest)} other bugs."""
    return Part("deadlocks", "bugs and deadlocks", body, agrees(len(dead) == len(all_dead), len(other) == len(rest), all(n is not None and n <= 3 for n in split)), why)


COLUMNS = [("exitblock", none_shared, "no data shared"), ("exitblock", all_shared, "all shared"),
           ("exitblock:rw", none_shared, "-RW, no data shared"), ("exitblock:rw", all_shared, "-RW, all shared")]


def growth_part(ctx):
    cells = growth(ctx)
    rows, panels, exact, best_case, same, whole_rows = [], {}, 0, 0, 0, 0
    for of in GROWTH:
        k, n = of
        formula, best = factorial(k * n) // factorial(n) ** k, (n + 1) ** (k - 1)
        results = [ctx.result(cells[s, shared, of]) for s, shared, _ in COLUMNS]
        rows.append([f"{k} x {n}", f"{formula:,}", f"{best:,}", *(growth_cell(r, s) for r, (s, _, _) in zip(results, COLUMNS))])
        whole_rows += results[0]["complete"] + results[1]["complete"] + results[2]["complete"]
        exact += sum(r["complete"] and r["distinct_orders"] == formula for r in results[:2])
        same += results[2]["complete"] and results[2]["paths"] == best
        best_case += results[2]["complete"] and best <= results[2]["paths"] <= best + n
        for r, (s, _, label) in zip(results, COLUMNS):
            if r["complete"]:
                panels.setdefault(f"{k} threads", {}).setdefault(label, []).append((n, size(r, s)))
    plot = ctx.plots.lines("exitblock-growth", "paths by regions of each thread", panels, "regions of each thread", "paths", logy=True)
    body = f"""`eb_performance`: k threads with n critical sections each. The formulas of the paper: (kn)! / (n!)^k paths for ExitBlock, and
(n+1)^(k-1) for -RW where no section shares data with another thread (its best case). A cell has the different orders of sections, for
-RW the paths, and in parentheses the executions: also those that were cut, where a thread met the end of another one that it waits for
in the middle of its block, or (-RW) where only threads were left that need not be tried again.

{table(["k x n", "(kn)!/(n!)^k", "(n+1)^(k-1)", *(label for _, _, label in COLUMNS)], rows)}
{plot}"""
    why = f"""Of the {whole_rows} searches of these three kinds that ended, {exact} of ExitBlock have exactly the number of the formula, and {best_case}
of -RW without shared data that of the best case, or at most n more, for the end of the last thread ({same} exactly). Where all data is
shared -RW runs the same executions and has no advantage; it counts more of them as whole paths. (The paper approximates the first by
Stirling's formula, with (1/k)^N for N sections in all, N = kn; that factor must be k^N.)"""
    return Part("growth", "growth with threads and regions", body, share(exact + best_case, whole_rows), why)


def large_part(ctx):
    rows, ended = [], []
    for size in LARGE:
        results = [ctx.result(large(s, size)) for s in ("exitblock:rw", "dpor")]
        rows.append([size[2], *(x for r in results for x in (f"{count(r):,}", f"{r['elapsed_s']:.1f}", "yes" if r["complete"] else "no"))])
        ended += [size[2]] if results[0]["complete"] else []
    body = table(["shared sections of each thread", "-RW: executions", "seconds", "to the end", "dpor: executions", "seconds", "to the end"], rows)
    why = f"""The paper says that 4 threads with 20 regions are explored "in minutes", and does not say how many of the regions share data. Within 60 s
-RW ends with {', '.join(map(str, ended)) or 'no'} shared sections in each thread. With more, the orders of the shared sections alone are as
many as the first formula says for them, {factorial(8) // factorial(2) ** 4:,} for 2 and {factorial(16) // factorial(4) ** 4:,} for 4, and each has paths of its own: 17,284,680 and
309,828,519,000 by count ([strategies.md](strategies.md#exitblock)), a quarter of an hour and half a year at this rate. `dpor` keeps every order of the one
lock that all sections take, (80)! / (20!)^4, whatever they share."""
    return Part("4 x 20", "four threads with twenty regions", body, agrees(0 in ended, len(ended) == len(LARGE)), why)


def parts(ctx):
    full = ctx.limits.seeds >= 20
    return [path_table(ctx), cost_table(ctx), bug_table(ctx), growth_part(ctx), *([large_part(ctx)] if full else [])]
