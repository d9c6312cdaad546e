"""Only accesses to memory that threads share are points: no schedule is lost by that (tests/sharing)."""
import importlib.util
import random
from pathlib import Path

from common import contracts

spec = importlib.util.spec_from_file_location("sharing_generate", Path(__file__).resolve().parent.parent / "sharing" / "generate.py")
sharing = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sharing)


def compare(tools, seeds, points="auto"):
    work = tools.dir(f"sharing-{points}")
    binaries = sharing.build(tools.raddle, work)
    compared = 0
    for n in seeds:
        words = sharing.program(random.Random(n))
        strategies = [sharing.FIRST, sharing.IN_TURN[n % len(sharing.IN_TURN)]]
        wrong = sharing.check(tools.raddle, work, binaries[n % len(binaries)], words, strategies, points)
        assert not wrong, f"seed {n}, {words}: {wrong}"
        compared += wrong == ""
    assert compared > len(seeds) / 2, f"only {compared} of {len(seeds)} could be compared"
    return f"{compared} programs"


# the options that this test sets itself, with their number of values
OWN = {"-s": 1, "-n": 1, "-t": 1, "--seed": 1, "-k": 0, "--keep-going": 0, "--require-complete": 0}


def others(options):
    """The options of a contract that do not choose the executions."""
    kept, at = [], 0
    while at < len(options):
        if options[at] in OWN:
            at += OWN[options[at]]
        else:
            kept.append(options[at])
        at += 1
    return kept


def differs(tools, c, binary):
    """The difference between searches with all points and with points at shared memory; "": none; None where they
    cannot be compared."""
    seen = []
    for points in ("all", "auto"):
        options = ["-s", "dpor", "-k", "-n", "1000", "-t", "6", "--outcomes", "--points", points, *others(c.options)]
        done, s = tools.search(tools.dir(f"points-{c.name}"), options, binary, c.args, detect=())
        if s is None:
            return None
        seen.append((sharing.shown(s), s["finished"], done))
    (every, all_finished, _), (found, finished, done) = seen
    if not finished or not found:
        return None
    lost, more = every - found, found - every if all_finished else set()
    return f"{c.name}: lost {sorted(lost)}, more {sorted(more)}\n    {done.command}" if lost or more else ""


def test_all_programs(tools):
    """Every program of tests/programs, with all points and with points at shared memory only."""
    good, broken = contracts()
    assert not broken
    compared, wrong = 0, []
    for c in good:
        if "hooks" in c.modes and "--points" not in c.options and "-t" not in c.options:
            binary = tools.compile(c.source, c.compilers[0], "hooks", c.flags)
            difference = differs(tools, c, binary)
            compared += difference is not None
            wrong += [difference] if difference else []
    assert not wrong, "\n".join(wrong)
    assert compared > len(good) / 3
    return f"{compared} programs"


test_all_programs.slow = True


def test_same_as_with_every_access(tools):
    return compare(tools, range(1, 61))


def test_many(tools):
    return compare(tools, range(1000, 3000))


test_many.slow = True


def test_same_with_synchronisation_and_races(tools):
    """--points sync: accesses are checked for races, and are points only where they race."""
    return compare(tools, range(201, 241), "sync")


def test_many_with_synchronisation_and_races(tools):
    return compare(tools, range(5000, 6000), "sync")


test_many_with_synchronisation_and_races.slow = True
