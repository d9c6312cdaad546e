"""A run that is ended early: in good order, with a report of the coverage, and with no process left behind."""
import json
import os
import re
import select
import signal
import subprocess
from pathlib import Path

from common import TIMEOUT_S, Done, Failure

SOURCE = Path(__file__).resolve().parent / "stop.c"
# by isolation; a snapshot allows neither the child nor the pipe
SPINS = {"snapshot": "loop", "fork": "spin", "exec": "spin"}


class Run:
    """raddle run of stop.c that can be signalled. Every process of the run holds the pipe `alive` open."""

    def __init__(self, tools, name, what, isolation, options=(), **how):
        self.work = tools.dir(name)
        program = tools.compile(SOURCE, mode="plain")
        self.said, said = os.pipe()
        self.alive, alive = os.pipe()
        self.silent = isolation == "snapshot"
        options = ["--isolation", isolation, "--max-seconds", "600", "-t", "600", *(["--progress", "always"] if self.silent else []), *options]
        self.command = [str(w) for w in (tools.raddle, "run", "-s", "dfs", "--json", self.work / "summary.json", *options, "--", program, what,
                                         *([] if self.silent else [said]))]
        self.process = subprocess.Popen(self.command, cwd=self.work, pass_fds=(said, alive), process_group=0,
                                        stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how})
        os.close(said)
        os.close(alive)

    def fail(self, message, out=b"", err=b""):
        self.process.kill()
        Done(self.command, None, self.work, None, out, err).fail(message)

    def wait_for(self, fd, what):
        """The next byte of a pipe; empty at its end."""
        if not select.select([fd], [], [], TIMEOUT_S)[0]:
            self.fail(f"no {what} after {TIMEOUT_S} s")
        return os.read(fd, 1)

    def running(self, count=1):
        """Returns when this many executions, or the driver, have written."""
        if self.silent:
            self.wait_for(self.process.stderr.fileno(), "status")
        else:
            for _ in range(count):
                self.wait_for(self.said, "execution")

    def group(self, sig):
        """Sends the signal to the whole process group, as terminals and timeout do."""
        os.killpg(self.process.pid, sig)

    def handled(self, sig):
        """Returns when the driver has handled the signal."""
        bit = 1 << (sig - 1)
        while int(re.search(r"^ShdPnd:\s*(\w+)", Path(f"/proc/{self.process.pid}/status").read_text(), re.M)[1], 16) & bit:
            pass

    def end(self, status):
        """Returns the output, after checks that the run has ended with that status and has left no process."""
        try:
            out, err = self.process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.fail(f"no end after {TIMEOUT_S} s")
        done = Done(self.command, None, self.work, self.process.returncode, out, err).expect(status)
        if self.wait_for(self.alive, "end of all processes"):
            done.fail("somebody wrote to a pipe that is only held")
        os.close(self.said)
        os.close(self.alive)
        return done

    def summary(self):
        return json.loads((self.work / "summary.json").read_text())


def check_stopped(run, least):
    done = run.end(0)
    summary = run.summary()
    if "stopped by a signal" not in done.out or summary["finished"] or summary["findings"]:
        done.fail("no report of a search that was stopped")
    if summary["executions"] < least:
        done.fail(f"{summary['executions']} executions, and {least} said that they ended")


def test_a_signal_ends_the_search(tools):
    """Ctrl-C, SIGTERM and a hangup, to the whole process group: the coverage is reported, and the signal is no finding.
    """
    for isolation in SPINS:
        for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[:1 if isolation == "snapshot" else 3]:
            run = Run(tools, f"stop-{isolation}-{sig.name}", "many", isolation)
            run.running(5)
            run.group(sig)
            check_stopped(run, 4)  # the first execution is run twice


def test_an_execution_that_does_not_end_is_given_up(tools):
    """It does not count; and if no other execution has reached its end, nothing is known of the program: that is
    trouble."""
    for isolation, what in SPINS.items():
        run = Run(tools, f"stop-spin-{isolation}", what, isolation)
        run.running()
        run.group(signal.SIGTERM)
        done = run.end(2)
        if "no execution came to its end before the signal to stop" not in done.err or "no bug" in done.out:
            done.fail("a run in which no execution ended does not say so")
        if run.summary()["executions"]:
            done.fail("an execution that was given up is counted")


def test_a_second_ctrl_c_kills(tools):
    for isolation, what in SPINS.items():
        run = Run(tools, f"stop-twice-{isolation}", what, isolation)
        run.running()
        for _ in range(2):
            run.group(signal.SIGINT)
            if run.process.poll() is None:
                run.handled(signal.SIGINT)
        run.end(-signal.SIGINT)


def test_a_killed_driver_takes_all_along(tools):
    run = Run(tools, "stop-killed", "spin", "fork")
    run.running()
    run.group(signal.SIGKILL)
    run.end(-signal.SIGKILL)


def test_suspended_together(tools):
    """Ctrl-Z stops the tested processes, too; they continue with the driver."""
    run = Run(tools, "stop-suspended", "many", "fork")
    run.running()
    run.group(signal.SIGTSTP)
    _, status = os.waitpid(run.process.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        run.fail("the driver was not stopped")
    tasks = Path(f"/proc/{run.process.pid}/task/{run.process.pid}/children").read_text().split()
    states = {"R"}
    while tasks and states != {"T"}:  # the signal was sent to them before
        states = {Path(f"/proc/{t}/stat").read_text().rsplit(")", 1)[1].split()[0] for t in tasks}
    while select.select([run.said], [], [], 0)[0]:  # output from before
        os.read(run.said, 65536)
    run.group(signal.SIGCONT)
    run.wait_for(run.said, "execution after it was continued")
    run.group(signal.SIGINT)
    check_stopped(run, 1)


def test_a_closed_output(tools):
    """The report cannot be printed: the finding is stored all the same, and the write error is reported."""
    work = tools.dir("stop-closed")
    read, write = os.pipe()
    os.close(read)
    command = [tools.raddle, "run", "-s", "dfs", "--", tools.program("bug/abba.c", mode="plain")]
    p = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, stdout=write, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    done = Done(command, None, work, p.returncode, b"", p.stderr)
    done.expect_trouble("cannot write to the standard output")
    if not list((work / "raddle-out").glob("*.sched")):
        done.fail("the finding is not stored")
    run = Run(tools, "stop-closed-errors", "many", "fork", ["--progress", "always", "-t", "1.3"], stderr=write)
    os.close(write)
    done = run.end(0)
    if "no bug found" not in done.out:
        done.fail("no report")


def test_a_tested_program_keeps_its_signals(tools):
    """The tested program does not inherit the driver's handling of signals."""
    work = tools.dir("stop-inherited")
    program = tools.text_program(work, "inherited.c", """
#include <assert.h>
#include <signal.h>
#include <stddef.h>
int main(void) {
    int all[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGPIPE};
    for (int i = 0; i < 5; i++) {
        struct sigaction a;
        sigaction(all[i], NULL, &a);
        assert(a.sa_handler == SIG_DFL);
    }
    return 0;
}
""", mode="plain")
    tools.search(work, ["-s", "dfs"], program)[0].expect(0)
