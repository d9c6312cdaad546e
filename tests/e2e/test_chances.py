"""Samplers on real programs find each bug with its probability. The probabilities were computed by enumerating all that
a sampler may draw, with every access a step, and with the steps of creation, start, join and end. 2000 executions of a
fixed seed are accepted within four standard deviations; without --slow 500 executions of one program."""
import csv

from common import ROOT, run

# one probability for each program; None: not computed
PROGRAMS = ("rank2", "rapos1", "rank3", "rank4")
CHANCES = {
    "random": (1 / 8, 3 / 16, 3 / 16, 1 / 32),
    "rapos": (1 / 8, 3 / 8, 3 / 16, 1 / 32),
    "pos": (1 / 6, 1 / 3, None, None),
    "urw": (3 / 20, 9 / 14, 1 / 5, 1 / 63),
    "surw": (1 / 3, 1 / 2, 1 / 3, None),
    "pct:d=2,published": (1 / 14, 1 / 3, 0, 0),
    "pct:d=3,published": (11 / 98, 7 / 27, 1 / 64, 1 / 200),
    "pctvb:d=2": (1 / 6, 1 / 2, 0, 0),
    "pctvb:d=3,v=2": (None, None, None, 1 / 72),
}


def check(tools, name, executions, programs):
    work = tools.dir(f"chances-{name}")
    program = tools.compile(ROOT / "tests" / "e2e" / "chances.c")
    for strategy, chances in CHANCES.items():
        for which, chance in zip(PROGRAMS, chances):
            if chance is None or which not in programs:
                continue
            curve = work / "curve.csv"
            done = run([tools.raddle, "run", "-k", "-q", "--points", "all", "-s", strategy, "-n", executions, "--seed", 1,
                        "--coverage", curve, "-o", work / "out", program, which], cwd=work)
            hits = sum(row["verdict"] == "finding" for row in csv.DictReader(curve.open()))
            if (hits - executions * chance) ** 2 > 16 * executions * chance * (1 - chance):
                done.fail(f"{which}, {strategy}: {hits} of {executions}, expected {executions * chance:.1f}")


def test_chances(tools):
    check(tools, "few", 500, ("rank2",))


def test_chances_of_all(tools):
    check(tools, "all", 2000, PROGRAMS)


test_chances_of_all.slow = True
