"""A thread that ends with a mutex locked is reported, and hides none of the later findings."""
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "locked.c"


def lines(mark):
    return {i for i, l in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in l}


def shown(tools, work, program, how, *options):
    done, summary = tools.search(work, ["--detect", "heap", *options], program, [how])
    found = summary["findings"]
    for f in found:
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / f["schedule"], backend, 2)
    done.expect(1 if found else 0)
    return done, summary, {(f["kind"], f["line"]) for f in found}


def test_locked_at_the_end(tools):
    """Each lock is a finding of its own; its consequences, in the same execution or in another one, are findings, too.
    """
    work = tools.dir("locked")
    global_line, second_line = sorted(lines("LOCKED"))
    (deadlock,), (assertion,) = lines("DEADLOCK"), lines("ASSERTION")
    locked = ("misuse", global_line)
    cases = {"plain": {locked}, "two": {locked, ("misuse", second_line)},
             "deadlock": {locked, ("deadlock", deadlock)}, "assertion": {locked, ("assertion", assertion)}}
    for mode in ("hooks", "plain"):
        program = tools.compile(SOURCE, mode=mode)
        for how, expected in cases.items():
            dfs = (("-s", "dfs"), ("-s", "dfs", "--isolation", "fork"), ("-s", "dfs", "--isolation", "exec"))
            for options in dfs if mode == "plain" else (("-s", "dpor", "--minimise", "0.2"), ()):
                done, summary, found = shown(tools, work, program, how, *options)
                if found != expected:
                    done.fail(f"{how} {options}: {sorted(found)}, expected {sorted(expected)}")
                if how in ("plain", "two") and summary["finished"] is not True:
                    done.fail("the search did not go on to its end")


def test_locked_no_longer(tools):
    """A lock whose memory is gone is not locked, nor is a new object at its place."""
    work = tools.dir("locked-gone")
    for mode in ("hooks", "plain"):
        program = tools.compile(SOURCE, mode=mode)
        for how in ("stack", "freed", "reused", "unmapped"):
            done, _, found = shown(tools, work, program, how, "-s", "dpor")
            if found:
                done.fail(f"{how}: {sorted(found)}, expected nothing")
