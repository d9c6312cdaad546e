"""What every chapter of the evaluation needs: the programs, the limits, the results, and ways to write them down."""
import statistics
from dataclasses import dataclass

from measurement import Measurement


@dataclass(frozen=True)
class Limits:
    """How much is measured. `short` is for the test of the shapes, `full` for docs/evaluation.md."""
    seeds: int
    samples: int  # executions of a sampler, where orders are counted
    matrix: tuple  # options of a search for a bug, where all strategies are compared
    search: tuple  # options of a search for a bug, where a paper's table needs a longer one
    whole: tuple  # options of a search that shall end
    curve: tuple  # options of a search whose coverage is drawn


FULL = Limits(seeds=20, samples=1000, matrix=("-n", "2000", "-t", "1"), search=("-n", "300000", "-t", "10"),
              whole=("-n", "2000000", "-t", "15"), curve=("-n", "20000", "-t", "15"))
SHORT = Limits(seeds=3, samples=200, matrix=("-n", "500", "-t", "1"), search=("-n", "20000", "-t", "3"),
               whole=("-n", "50000", "-t", "3"), curve=("-n", "1000", "-t", "2"))


@dataclass
class Context:
    programs: dict
    limits: Limits
    bench: object = None
    plots: object = None

    def suite(self, name):
        return [p for p in self.programs.values() if name in p.suites]

    def bugs(self, suite=None):
        return [b for p in self.programs.values() if suite is None or suite in p.suites for b in p.bugs]

    def result(self, m):
        return self.bench.result(m)


def detect(bug):
    """The detectors that a search for this bug needs: none for what the program itself shows."""
    needed = {"heap": "heap", "race": "races"}.get(bug.kind, "none")
    return ("--detect", needed)


def hunt(bug, strategy, limits, seed=1, **more):
    """The search for the first finding of a bug."""
    return Measurement(bug.program, bug.number, strategy, (*detect(bug), *limits), seed=seed, kind=bug.kind, **more)


def whole(program, strategy, limits, macros=(), **more):
    """A search of the correct program that goes on to its end, or to the limits."""
    return Measurement(program, 0, strategy, ("-k", "--detect", "none", *limits), macros, **more)


def table(head, rows, left=False):
    """Markdown; the first column is aligned to the left, the others to the right unless `left`."""
    rows = [[str(cell) for cell in row] for row in rows]
    width = [max(3, *(len(row[i]) for row in [head, *rows])) for i in range(len(head))]
    lines = [[c.rjust(w) if i and not left else c.ljust(w) for i, (c, w) in enumerate(zip(row, width))] for row in [head, *rows]]
    rule = ["-" * w if i == 0 or left else "-" * (w - 1) + ":" for i, w in enumerate(width)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [lines[0], rule, *lines[1:]]) + "\n"


def number(x, places=0):
    """A number for people; '–' for none."""
    if x is None:
        return "–"
    if isinstance(x, float) and places == 0 and abs(x) < 10 and x != int(x):
        places = 1
    return f"{x:,.{places}f}"


def found_cell(result, seconds=False):
    """Executions (and time) to the bug, or how many executions did not show it."""
    if "refused" in result:
        return "refused"
    tries = result["executions"] + result["cut"]
    if result["found"] is None:
        return f"not in {tries:,}" + (" (end)" if result.get("complete") else "") + (f", but {result['other']}" if "other" in result else "")
    return f"{result['found']:,}" + (f" / {result['elapsed_s']:.2f} s" if seconds else "")


def executions(result, limits):
    """Executions until the first finding, or as many as the search was allowed; and whether it found the bug."""
    allowed = int(dict(zip(limits, limits[1:]))["-n"])
    found = result.get("found")
    return (found, True) if found is not None else (allowed, False)


def mean_cell(results, limits):
    """The mean of executions to the bug over seeds; a search that did not find it counts with all that it was allowed."""
    if all("refused" in r for r in results):
        return "refused"
    pairs = [executions(r, limits) for r in results]
    found = sum(f for _, f in pairs)
    if not found:
        return f"0 of {len(pairs)}"
    mean = statistics.mean(n for n, _ in pairs)
    return number(mean) if found == len(pairs) else f"> {number(mean)} ({found} of {len(pairs)})"


def listed(names, most=8):
    """Names for a sentence."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{n}`" for n in names[:most]) + more


def plural(n, noun):
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def tuple_text(c, v, t):
    return "(" + ", ".join("?" if x is None else str(x) for x in (c, v, t)) + ")"
