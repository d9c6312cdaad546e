"""Deadlocks of locks with other objects: the report names which thread waits for which; similar programs without a
deadlock are proved correct."""

from pathlib import Path

SOURCE = Path(__file__).parent / "mixtures.c"

# the case, how many threads wait for each other, and the line that says it
CIRCLES = [
    ("three", 3, "T1 -> b -> T2 -> c -> T3 -> a -> T1"),
    ("join-lock", 2, "T1 -> a -> T2 -> T1"),
    ("join-ring", 3, "T1 -> T2 -> T3 -> T1"),
    ("upgrade", 2, "T1 -> shared -> T2 -> shared -> T1"),
    ("writer-first", 2, "T1 -> writers_first -> T2 -> writers_first -> T1"),
    ("semaphores", 2, "T1 -> t -> T2 -> s -> T1"),
    ("semaphore-lock", 2, "T1 -> a -> T2 -> s -> T1"),
    ("once-lock", 2, "T1 -> a -> T2 -> once -> T1"),
    ("spin-lock", 2, "T1 -> a -> T2 -> spin -> T1"),
]
# an object without an owner ends a chain
CHAINS = [
    ("barrier-lock", "T2 -> a -> T1 -> both", "for others to arrive at both"),
    ("condition-lock", "T2 -> a -> T1 -> ready", "for a signal of ready that nobody is left to send"),
    ("pipe-lock", "T2 -> a -> T1 -> pipe 1", "for pipe 1"),
]
OPTIONS = ["--detect", "none", "-s", "dpor"]


def check(tools, mode, lines):
    work = tools.dir(f"mixtures_{mode}")
    program = tools.compile(SOURCE, mode="plain")
    done, _, schedule = tools.find(work, OPTIONS, program, "deadlock", args=[mode])
    for line in lines:
        if line not in done.out:
            done.fail(f"{mode}: the report does not say '{line}'")
    tools.replay(work, schedule, "virtual", 1)


def test_circles(tools):
    for mode, threads, circle in CIRCLES:
        check(tools, mode, [f"deadlock: {threads} threads wait for each other", f"the circle: {circle}"])


def test_chains(tools):
    """For an object without an owner the report names no thread: the chain ends there."""
    for mode, chain, wait in CHAINS:
        check(tools, mode, ["wait for ever", f"the chain: {chain}", wait])


def test_joins_of_each_other(tools):
    """The second join fails with EDEADLK: a misuse, before it is a deadlock."""
    program = tools.compile(SOURCE, mode="plain")
    done, _, _ = tools.find(tools.dir("mixtures_join"), OPTIONS, program, "misuse", args=["join-join"])
    if "two threads join each other" not in done.out:
        done.fail("the report does not say why")


def test_twins(tools):
    """A gate around the cycle, or no lock held: every schedule was run."""
    program = tools.compile(SOURCE, mode="plain")
    for mode in ("three-gated", "semaphores-gated", "barrier-free", "once-free"):
        work = tools.dir(f"mixtures_{mode}")
        done, summary = tools.search(work, ["-s", "dpor"], program, [mode])
        done.expect(0)
        if summary["findings"] or summary["warnings"] or not summary["finished"]:
            done.fail(f"{mode}: reported, or not explored to its end")
