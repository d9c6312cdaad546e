"""An end by a system call in inline assembly is an operation like exit(): others run before it, in every isolation, and
in a replay on either backend."""
import platform
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "inline.c"
EXECUTIONS = {"process": 6, "thread": 1, "exec": 21}
WAYS = ("auto", "fork", "exec")


def search(tools, name, way, *more):
    program = tools.compile(SOURCE, mode="plain")
    work = tools.dir(f"inline-{name}-{way}-{'-'.join(more)}")
    return work, *tools.search(work, ["-s", "dfs", "--isolation", way], program, [name, *more])


def test_every_order(tools):
    if platform.machine() != "x86_64":
        return "x86-64 only"
    for name, wanted in EXECUTIONS.items():
        for way in WAYS:
            _, done, s = search(tools, name, way)
            done.expect(0)
            if s["executions"] != wanted or s["distinct_orders"] != wanted or s["finished"] != (name != "exec"):
                done.fail(f"{name}, {way}: {s['executions']} executions, {wanted} expected")


def test_what_races_with_it(tools):
    """What the other thread does wrong, before the end or beside it, is found and shown again."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    for name in EXECUTIONS:
        for way in WAYS:
            work, done, s = search(tools, name, way, "bug")
            done.expect(1)
            finding = s["findings"][0]
            if finding["kind"] != "assertion":
                done.fail(f"{finding['kind']}, expected an assertion")
            for backend in ("virtual", "kernel"):
                tools.replay(work, work / finding["schedule"], backend, 2)


def test_status(tools):
    """The status is that of the call, and is shown again, too."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    for way in WAYS:
        work, done, s = search(tools, "status", way)
        done.expect(1)
        finding = s["findings"][0]
        if finding["kind"] != "exit-status" or "status 5" not in finding["message"]:
            done.fail(f"{finding['kind']}: {finding['message']}")
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / finding["schedule"], backend, 2)
