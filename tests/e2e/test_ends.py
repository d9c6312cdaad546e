"""Programs that are ended from outside or replace themselves: the known facts are reported, and no more is claimed."""
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "ends.c"
REFUSED = {"seccomp": "(seccomp)", "seccomp-number": "(seccomp)", "seccomp-early": "(seccomp)",
           "stop": "stops itself with a signal", "parent": "sends a signal to its parent",
           "timer": "perhaps for one that was not made by pthread_create()"}
REPLACED = ("exec", "exec-number", "exec-early")


def search(tools, name, options=("-s", "dfs"), where="", mode="plain", **how):
    program = tools.compile(SOURCE, mode=mode)
    work = tools.dir(f"ends-{name}{where}")
    return work, *tools.search(work, list(options), program, [name], **how)


def test_refused(tools):
    for name, text in REFUSED.items():
        search(tools, name)[1].expect_trouble(text)


def test_replaced(tools):
    """The other program is not controlled: no order of events was seen to its end."""
    for name in REPLACED:
        _, done, s = search(tools, name)
        done.expect(0)
        if s["finished"] or not any("replaced by another one (exec)" in line for line in s["uncontrolled"]):
            done.fail("exec() is not told, or something is claimed")
        if name != "exec-early" and (s["distinct_orders"] < 3 or s["threads_max"] != 2):
            done.fail("executions that end by exec() are not told apart")


def test_killed(tools):
    """The program kills itself, or its process group: the schedule is complete, and shows it again."""
    for name, signal in (("killed", "SIGKILL"), ("group", "SIGTERM")):
        work, done, s = search(tools, name)
        done.expect(1)
        finding = s["findings"][0]
        if finding["kind"] != "crash" or signal not in finding["message"] or s["threads_max"] != 2:
            done.fail(f"no crash by {signal} with two threads")
        if (name == "killed") != any("was killed at once" in line for line in s["uncontrolled"]):
            done.fail("'was killed at once' is told of the wrong one")
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / finding["schedule"], backend, 2)


def test_race_before_a_deadlock(tools):
    """The last step before a deadlock takes part in a race: both are findings, and both are replayed."""
    work, done, s = search(tools, "race", ("-s", "dpor", "-k"), mode="hooks", detect=("--detect", "races"))
    done.expect(1)
    if sorted(f["kind"] for f in s["findings"]) != ["data-race", "deadlock"]:
        done.fail("not a race and a deadlock")
    for finding in s["findings"]:
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / finding["schedule"], backend, 1)


def test_writes_everywhere(tools):
    """All memory that is shared with the program is overwritten; the driver notices that soon, too."""
    for way in ("auto", "fork", "exec"):
        _, done, _ = search(tools, "everywhere", ("-s", "dfs", "-n", "5", "--isolation", way), where=f"-{way}", timeout=20)
        done.expect_trouble("the program has written into the memory")
