"""Without --max-seconds a hang is noticed within ten seconds where no event can come any more, and a slow program is no
hang. Where only another process could end it, it is trouble."""
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "hangs.c"


def search(tools, name, *options, mode="plain"):
    program = tools.compile(SOURCE, mode=mode, flags=["-O1"])
    begin = time.monotonic()
    done, summary = tools.search(tools.dir(f"hangs-{name}"), options, program, [name])
    return done, summary, time.monotonic() - begin


def expect_hang(tools, name):
    done, summary, took = search(tools, name, mode="hooks")
    if [f["kind"] for f in summary["findings"]] != ["hang"] or took >= 10:
        done.fail(f"no hang within 10 s, but {took:.1f} s")
    return f"{took:.1f} s"


def expect_none(tools, name):
    done, summary, took = search(tools, name, "-n", "1")
    done.expect(0)
    if summary["findings"] or summary["executions"] != 1:
        done.fail("a finding, or no execution")
    return f"{took:.1f} s"


def test_blocked_for_good(tools):
    """The only process that has the other end of the pipe is paused."""
    done, _, took = search(tools, "silent")
    done.expect_trouble("T1 waits for input", "nothing has come from outside the program", "--max-seconds")
    if took >= 10:
        done.fail(f"not within 10 s, but {took:.1f} s")
    return f"{took:.1f} s"


def test_a_slow_child_is_no_hang(tools):
    """The child sleeps, and then writes."""
    return expect_none(tools, "slow")


def test_an_alarm_is_no_hang(tools):
    """The program is paused, and has a handler for an alarm, which writes."""
    return expect_none(tools, "alarm")


def test_a_loop(tools):
    """Only one of two orders reaches the loop."""
    return expect_hang(tools, "loops")


def test_a_computation_is_no_hang(tools):
    """Some seconds without an operation, in the first execution: there is no earlier execution to compare with."""
    return expect_none(tools, "computes")


for slow in (test_an_alarm_is_no_hang, test_a_loop, test_a_computation_is_no_hang):
    slow.slow = slow.alone = True
