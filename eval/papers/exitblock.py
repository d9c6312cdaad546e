"""ExitBlock: Bruening and Chapin, 2000."""
from math import factorial

from context import found_cell, hunt, number, table, whole

ALGORITHMS = {"dfs": "dfs", "dpor": "dpor", "exitblock": "exitblock", "rw": "exitblock:rw", "dd": "exitblock:dd", "rw,dd": "exitblock:rw,dd"}
DEADLOCKS = ["eb_deadlock", "eb_cond_deadlock", "deadlock_order"]
GROWTH = [(2, n) for n in (1, 2, 4, 6, 8)] + [(3, n) for n in (1, 2, 3, 4)] + [(4, n) for n in (1, 2, 3)]
LARGE = [(4, 20, s) for s in (0, 1, 2, 4)]


def paths(ctx, program, strategy, macros=()):
    return whole(program, strategy, ctx.limits.whole, macros)


def sizes(threads, regions, shared):
    return (f"THREADS={threads}", f"REGIONS={regions}", f"SHARED={shared}")


def grown(ctx, strategy, size, shared):
    return paths(ctx, "eb_performance", strategy, sizes(*size, shared))


def large(ctx, size):
    limits = ("-t", "60") if ctx.limits.seeds >= 20 else ctx.limits.whole
    return whole("eb_performance", "exitblock:rw", limits, sizes(*size))


def growth(ctx):
    """The grid of threads and regions, by what is shared: all the data or none."""
    if "eb_performance" not in ctx.programs:
        return {}
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
    if "eb_performance" in ctx.programs and ctx.limits.seeds >= 20:
        out += [large(ctx, size) for size in LARGE]
    return out


def path_cell(r):
    if "refused" in r:
        return "refused"
    count = f"{r['executions']:,}" + (f" + {r['cut']:,}" if r["cut"] else "")
    return count if r["complete"] else f"> {count}"


def path_table(ctx):
    rows, costs = [], []
    for p in ctx.suite("exitblock"):
        results = {a: ctx.result(paths(ctx, p.name, s)) for a, s in ALGORITHMS.items()}
        rows.append([p.name, *(path_cell(r) for r in results.values())])
        costs.append([p.name, *(f"{1e6 * r['elapsed_s'] / max(1, r['executions'] + r['cut']):.0f}" if "refused" not in r else "–"
                                for r in results.values())])
    return f"""### Paths of each program

Executions of the correct programs to the end of the search ("+": those that were cut short; ">": stopped after
{ctx.limits.whole[3]} s).

{table(["program", *ALGORITHMS], rows)}
Microseconds for each path, all included (the paper: the cost of a checkpoint of a Java machine, in milliseconds):

{table(["program", *ALGORITHMS], costs)}
Agrees: `rw` needs no more paths than plain ExitBlock, and both are far below `dfs`. `dpor` needs as few as `rw` or fewer, and
needs no discipline of locks.

"""


def bug_table(ctx):
    rows = [[b.name, b.kind, *(found_cell(ctx.result(hunt(b, s, ctx.limits.search))) for s in ALGORITHMS.values())]
            for b in ctx.bugs("exitblock")]
    return f"""### Bugs and deadlocks

The execution that shows each bug.

{table(["bug", "kind", *ALGORITHMS], rows)}
The paper: SplitSync on the third path, and each of its deadlocks by the algorithms with deadlock detection.

"""


def growth_part(ctx):
    cells = growth(ctx)
    if not cells:
        return ""
    rows, panels, exact = [], {}, 0
    for size in GROWTH:
        k, n = size
        formula = factorial(k * n) // factorial(n) ** k
        best = (n + 1) ** (k - 1)
        results = [ctx.result(cells[s, shared, size]) for s in ("exitblock", "exitblock:rw") for shared in (none_shared, all_shared)]
        rows.append([f"{k} x {n}", f"{formula:,}", f"{best:,}", *(path_cell(r) for r in results)])
        for r, label in zip(results, ("no data shared", "all shared", "rw, no data shared", "rw, all shared")):
            if "refused" not in r and r["complete"]:
                panels.setdefault(f"{k} threads", {}).setdefault(label, []).append((n, r["executions"]))
    plot = ctx.plots.lines("exitblock-growth", "paths by regions of each thread", panels, "regions of each thread", "paths", logy=True)
    big = ""
    if ctx.limits.seeds >= 20:
        big = table(["shared regions of each thread", "paths", "seconds", "to the end"],
                    [[s, *large_cells(ctx.result(large(ctx, (k, n, s))))] for k, n, s in LARGE])
        big = f"\n4 threads x 20 regions with `rw` (the paper: minutes):\n\n{big}"
    return f"""### Growth with threads and regions

`eb_performance`: k threads with n critical sections each. The formulas of the paper: (kn)! / (n!)^k paths for ExitBlock, and
(n+1)^(k-1) for ExitBlock-RW where no section shares data with another thread. (The paper's approximation of the first by Stirling's
formula has a factor (1/k)^n, which must be k^n.)

{table(["k x n", "(kn)!/(n!)^k", "(n+1)^(k-1)", "no data shared", "all shared", "rw, no data shared", "rw, all shared"], rows)}
{plot}{big}

"""


def large_cells(r):
    if "refused" in r:
        return ["refused", "", ""]
    return [f"{r['executions']:,}", f"{r['elapsed_s']:.1f}", "yes" if r["complete"] else "no"]


def section(ctx):
    return f"""## ExitBlock

Bruening and Chapin, "Systematic testing of multithreaded programs", 2000.

{path_table(ctx)}{bug_table(ctx)}{growth_part(ctx)}"""
