"""The debuggers of editors: GDB/MI and DAP through raddle-gdb, and gdbserver."""
import re
import shutil
import subprocess

from common import Failure, run
from debugger_clients import Dap, Editor, Mi, plain

NO_GDB = None if shutil.which("gdb") else "skipped: no gdb"
FOUND = "the schedule has been followed to its finding: deadlock"


def abba(tools, name):
    work = tools.dir(name)
    program = tools.program("bug/abba.c", mode="plain")
    return program, tools.find(work, ["-s", "dfs", "--minimise", "5"], program, "deadlock")[2]


def raddle_gdb(tools):
    return tools.raddle.parent / "raddle-gdb"


def test_mi(tools):
    """What VS Code's C++ extension does: start, breakpoints before the run, stacks of all threads, run again."""
    if NO_GDB:
        return NO_GDB
    program, schedule = abba(tools, "editor_mi")
    with Mi([raddle_gdb(tools), "--interpreter=mi", "-nx", schedule]) as mi:
        mi.wait("(gdb)")
        for command in ("-gdb-set mi-async off", "-enable-pretty-printing", f"-file-exec-and-symbols {program}",
                        "-break-insert second"):
            mi.ask(command)
        mi.go("-exec-run", 'reason="breakpoint-hit"', 'bkptno="1"', 'func="second"')
        names = re.findall(r'name="(T\d)"', mi.ask("-thread-info"))
        if names != ["T0", "T1", "T2"]:
            mi.fail(f"the threads have the names {names}")
        for thread, frames in ((1, ["main"]), (2, ["first"]), (3, ["second"])):
            if mi.frames(thread) != frames:
                mi.fail(f"thread {thread} has not the frames {frames}")
        mi.go("-exec-next", 'reason="end-stepping-range"', 'line="26"')
        mi.go("-exec-next", 'line="27"')
        mi.ask('-interpreter-exec console "raddle-where"')
        mi.go("-exec-next", 'reason="breakpoint-hit"', 'func="rd_debugger_stop"')
        if mi.frames(3) != ["second"]:
            mi.fail("at the finding the runtime's frames are shown")
        if FOUND not in "".join(mi.log):
            mi.fail("the finding is not told")
        mi.ask('-interpreter-exec console "raddle-back 2"')
        while "step 5 of 6 comes next" not in mi.line():
            pass
        mi.ask('-interpreter-exec console "raddle-where"')
        mi.go("-exec-run", 'bkptno="1"')
        mi.go("-exec-continue", 'func="rd_debugger_stop"')
        mi.go("-exec-continue", 'reason="exited-normally"')
        mi.go("-exec-run", 'bkptno="1"')
        mi.ask("-gdb-exit", "^exit")
        mi.ended()


def test_dap(tools):
    """gdb's own DAP: launch, a breakpoint, stacks, the finding."""
    if NO_GDB:
        return NO_GDB
    if run(["gdb", "-nx", "-batch", "-i=dap"]).text.find("Interpreter `dap' unrecognized") >= 0:
        return "skipped: this gdb has no DAP"
    program, schedule = abba(tools, "editor_dap")
    with Dap([raddle_gdb(tools), "-i=dap", "-nx", schedule]) as dap:
        dap.ask("initialize", adapterID="raddle", linesStartAt1=True, columnsStartAt1=True)
        launch = dap.request("launch", program=str(program))
        dap.event("initialized")
        dap.ask("setFunctionBreakpoints", breakpoints=[{"name": "second"}])
        dap.ask("configurationDone")
        dap.answer(launch)
        dap.event("stopped")
        for _ in range(2):
            threads = dap.ask("threads")["threads"]
            tops = {dap.ask("stackTrace", threadId=t["id"])["stackFrames"][0]["name"] for t in threads}
            if tops != {"main", "first", "second"}:
                dap.fail(f"the innermost frames are {tops}")
            dap.ask("continue", threadId=threads[0]["id"])
            dap.event("stopped")
        dap.ask("disconnect", terminateDebuggee=True)


def test_gdbserver(tools):
    """The command that raddle prints connects; `run`, breakpoints and raddle-back work over the connection."""
    if NO_GDB or not shutil.which("gdbserver"):
        return NO_GDB or "skipped: no gdbserver"
    program, schedule = abba(tools, "editor_server")
    with Editor([tools.raddle, "replay", "--gdbserver", "0", schedule]) as server:
        while b"Listening on port" not in server.unread or not server.unread.endswith(b"\n"):
            server.more()
        text = server.unread.decode()
        port = re.search(r"Listening on port (\d+)", text)[1]
        command = re.search(r"^  (gdb .*)$", text, re.M)[1].replace("localhost:0", f"localhost:{port}")
        words = ["break second", "continue", "info threads", "continue", "raddle-why", "raddle-back 2", "raddle-where", "run",
                 "continue", "kill", "monitor exit"]
        command = command.replace("gdb -q", "gdb -q -nx -batch", 1).rsplit(" ", 1)
        script = command[0] + "".join(f" -ex '{w}'" for w in words) + " " + command[1]
        done = subprocess.run(script, shell=True, capture_output=True, text=True, timeout=60)
        seen, at = plain(done.stdout), 0
        for frame in ("T0 main ()", "T1 first (", "T2 second ("):
            if frame not in seen:
                raise Failure(f"'{frame}' does not appear\n{done.stdout}\n{done.stderr}", script)
        for word in ("hit Breakpoint 1, second", FOUND,
                     "(step 6) <- done", "step 5 of 6 comes next", "4 of 6 steps are done", "hit Breakpoint 1, second", FOUND):
            at = seen.find(word, at)
            if at < 0:
                raise Failure(f"'{word}' does not appear\n{done.stdout}\n{done.stderr}", script)
        status = server.ended()
        if status != 1:
            server.fail(f"exit status {status}, not 1")


def test_the_command_for_editors(tools):
    """Without a schedule raddle-gdb is gdb; the schedule may be in the environment; others are refused."""
    if NO_GDB:
        return NO_GDB
    _, schedule = abba(tools, "editor_command")
    if run([raddle_gdb(tools), "--version"]).expect(0).out != run(["gdb", "--version"]).out:
        raise Failure("raddle-gdb --version is not that of gdb")
    batch = [raddle_gdb(tools), "-nx", "-batch", "-ex", "run", "-ex", "bt"]
    done = run(batch, env={"RADDLE_SCHEDULE": str(schedule)}).expect(1)
    if FOUND not in done.out or "second (arg" not in done.out:
        done.fail("the schedule of RADDLE_SCHEDULE is not used")
    run([*batch, schedule, "--args", "program", "argument"]).expect(1)
    run([*batch, "nothing.sched"]).expect_trouble("nothing.sched", "no such file")
