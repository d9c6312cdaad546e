"""Measures what the five founding papers measured, on programs like theirs, and writes docs/evaluation.md.

    eval/evaluation.py RADDLE FOLDER                 all of it; goes on where it was interrupted
    eval/evaluation.py RADDLE FOLDER --short         a small part, and checks its shapes; writes no page
    eval/evaluation.py RADDLE FOLDER --only icb,rank these chapters only

FOLDER keeps binaries and results. A result is used again unless the program or Raddle has changed.
"""
import argparse
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import programs  # noqa: E402
import shapes  # noqa: E402
from context import FULL, SHORT, Context, table  # noqa: E402
from measurement import TOO_LONG, Bench  # noqa: E402
from papers import exitblock, gambit, icb, rank, rapos, strategies  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = {"icb": icb, "gambit": gambit, "rapos": rapos, "rank": rank, "exitblock": exitblock, "strategies": strategies}
HEAD = """# Evaluation

What the five papers that Raddle is built on have measured, measured again with Raddle on programs like theirs, and then
all their strategies, with later ones, on all the programs. `make eval` writes this page; it takes less than an hour on two
cores and goes on where it was interrupted. This one was measured with {version} on {cores} cores of {machine}; executions
do not depend on the machine where no limit of time was reached, times do.

The programs are in [eval/programs](../eval/programs): {programs} programs with {bugs} seeded bugs. Each has a comment
that names the paper, the table, the bugs and their numbers; bug 2 of `wsq` is `wsq.c` compiled with `-DBUG=2`, written
`wsq#2` here, and `wsq#0` is the correct program. To try one:

<!-- files: eval/programs/* -->

```console
$ raddle cc -g -pthread -DBUG=2 -o wsq eval/programs/wsq.c
$ raddle run ./wsq
assertion failed: …
...
```

They are our own; the published ones are larger, or closed-source. So numbers can be compared in shape, not in size. Each
table and figure that a paper has ends with a verdict on its shape, which the script works out from the numbers. Where cases
are compared one by one, the result agrees if all are as in the paper, in part if more than half are, and differs otherwise;
where several statements are checked, it agrees if all hold, in part if one does. A bug was written with the preemptions
that the published one needs, so that its own row agrees is a check of the tool and of the program, no news. (c, v, t) are
the preemptions, variables and threads that a bug needs.

## Every table and figure

{index}
"""


def version(raddle):
    return subprocess.run([raddle, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]


def machine():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "an unknown processor"


def page(ctx, chapters):
    cores = len([x for x in Path("/proc/cpuinfo").read_text().splitlines() if x.startswith("processor")])
    sections = [(CHAPTERS[c], CHAPTERS[c].parts(ctx)) for c in chapters]
    text = HEAD.format(version=version(ctx.bench.raddle), cores=cores, machine=machine(), programs=len(ctx.programs),
                       bugs=len(ctx.bugs()), index=index(sections))
    return text + "\n".join(chapter(c, parts) for c, parts in sections)


def index(sections):
    """A row for every table and figure of the papers: where it is, or why it is not here."""
    rows = [part.row(c.NAME) for c, parts in sections for part in parts]
    rows += [[c.NAME, item, text, "–"] for c, _ in sections for item, text in c.ELSEWHERE]
    order = [c.NAME for c, _ in sections]
    rows.sort(key=lambda r: order.index(r[0]))
    return table(["paper", "table or figure", "what it shows", "verdict"], rows, left=True)


def chapter(module, parts):
    return f"## {module.NAME}\n\n{module.HEAD}\n\n" + "\n".join(part.text(module.NAME) for part in parts)


def measure(ctx, chapters):
    """All measurements; a refusal is a mistake of a chapter (a name that is not in the program, …), unless time was over."""
    modules = [CHAPTERS[c] for c in chapters]
    ctx.bench.run_all([m for module in modules if hasattr(module, "first") for m in module.first(ctx)])
    every = [m for module in modules for m in module.measurements(ctx)]
    ctx.bench.run_all(every)
    if wrong := refusals(ctx, every):
        sys.exit("\n".join(f"evaluation: {text}" for text in wrong))


def refusals(ctx, measurements):
    refused = {m.name: ctx.result(m)["refused"] for m in measurements if "refused" in ctx.result(m)}
    return [f"{name}: refused: {why}" for name, why in refused.items() if why != TOO_LONG]


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("raddle")
    p.add_argument("folder")
    p.add_argument("--short", action="store_true", help="a small part: check the shapes, write nothing")
    p.add_argument("--only", type=lambda s: s.split(","), default=list(CHAPTERS), help="these chapters")
    p.add_argument("--jobs", type=int, default=2, help="measurements at the same time")
    p.add_argument("--out", default=str(ROOT / "docs" / "evaluation.md"))
    return p.parse_args()


def main():
    args = arguments()
    if not args.short:
        from plots import Plots  # before hours of measurements: it may be missing
    ctx = Context(programs.all_programs(), SHORT if args.short else FULL, Bench(args.raddle, args.folder, args.jobs))
    if args.short:
        sys.exit(shapes.check(ctx))
    measure(ctx, args.only)
    ctx.plots = Plots(Path(args.out).with_suffix(""))
    Path(args.out).write_text(page(ctx, args.only))
    print(f"written: {args.out}")


main()
