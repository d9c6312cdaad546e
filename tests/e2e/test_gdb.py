"""raddle replay --gdb: a scripted session."""
import re
import shutil

from common import run


def gdb(tools, schedule, *commands):
    words = ["--gdb-arg", "-batch", "--gdb-arg", "-nx"]
    for c in commands:
        words += ["--gdb-arg", "-ex", "--gdb-arg", c]
    return run([tools.raddle, "replay", "--gdb", schedule, *words])


def need(done, *words):
    for word in words:
        if word not in done.text:
            done.fail(f"'{word}' does not appear in the session")


def threads(done):
    return len(re.findall(r"^\*? +\d+ +Thread ", done.out, re.M))


def test_stops_at_the_assertion(tools):
    """It stops where the program fails, with every thread at its place."""
    if not shutil.which("gdb"):
        return "skipped: no gdb"
    work = tools.dir("gdb_assertion")
    _, finding, schedule = tools.find(work, ["-s", "dfs"], tools.program("bug/splitsync.c"), "assertion")
    done = gdb(tools, schedule, "info threads", "thread apply all bt", "bt")
    need(done, "splitsync.c:%d" % finding["line"], "Assertion", "main", "add")
    need(done, "main ()")
    if threads(done) != 2:  # main, and the thread that fails; the other one has finished
        done.fail(f"'info threads' shows {threads(done)} threads, not 2")


def test_deadlock(tools):
    """All three threads of a deadlock: main in its join, the others in the program's own functions."""
    if not shutil.which("gdb"):
        return "skipped: no gdb"
    work = tools.dir("gdb_deadlock")
    _, _, schedule = tools.find(work, ["-s", "dfs"], tools.program("bug/abba.c", mode="plain"), "deadlock")
    done = gdb(tools, schedule, "info threads", "thread apply all bt")
    need(done, "first (arg=", "second (arg=", "main ()", "abba.c:")
    if threads(done) != 3:
        done.fail(f"'info threads' shows {threads(done)} threads, not 3")


def test_crash(tools):
    """A crash stops at the faulting instruction."""
    if not shutil.which("gdb"):
        return "skipped: no gdb"
    work = tools.dir("gdb_crash")
    program = tools.program("bug/null_dereference.c", mode="plain")
    _, finding, schedule = tools.find(work, ["-s", "dfs"], program, "crash")
    done = gdb(tools, schedule, "bt", "p current")
    need(done, "SIGSEGV", "null_dereference.c:%d" % finding["line"], "sender (arg=", "= (struct connection *) 0x0")


def test_data(tools):
    """Variables can be printed."""
    if not shutil.which("gdb"):
        return "skipped: no gdb"
    work = tools.dir("gdb_data")
    _, _, schedule = tools.find(work, ["-s", "dfs"], tools.program("bug/lost_update.c"), "assertion")
    done = gdb(tools, schedule, "p x", "info threads")
    need(done, "$1 = 1", "Assertion")
