"""Only accesses to memory that threads share are points: nothing is lost by it (tests/sharing)."""
import importlib.util
import random
from pathlib import Path

spec = importlib.util.spec_from_file_location("sharing_generate", Path(__file__).resolve().parent.parent / "sharing" / "generate.py")
sharing = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sharing)


def compare(tools, seeds):
    work = tools.dir("sharing")
    binaries = sharing.build(tools.raddle, work)
    compared = 0
    for n in seeds:
        words = sharing.program(random.Random(n))
        strategies = [sharing.FIRST, sharing.IN_TURN[n % len(sharing.IN_TURN)]]
        wrong = sharing.check(tools.raddle, work, binaries[n % len(binaries)], words, strategies)
        assert not wrong, f"seed {n}, {words}: {wrong}"
        compared += wrong == ""
    assert compared > len(seeds) / 2, f"only {compared} of {len(seeds)} could be compared"
    return f"{compared} programs"


def test_same_as_with_every_access(tools):
    return compare(tools, range(1, 61))


def test_many(tools):
    return compare(tools, range(1000, 3000))


test_many.slow = True
