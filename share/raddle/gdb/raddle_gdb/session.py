"""The replay that this gdb runs: starts of the program, stops that the runtime makes, and where the execution is."""
import json
import os
import shutil
import subprocess

import gdb

from . import frames, process
from .output import Output
from .quiet import Quiet
from .threads import name_threads
from .steps import Steps


def interpreter_is_console():
    """Is a person at the prompt, and not an editor that speaks MI or DAP?"""
    try:
        with open("/proc/self/cmdline", "rb") as f:
            words = f.read().decode(errors="replace").split("\0")
    except OSError:
        return True
    values = [w.split("=", 1)[-1] for w in words if w.startswith(("-i=", "--interpreter=", "-interpreter="))]
    values += [b for a, b in zip(words, words[1:]) if a in ("-i", "--interpreter", "-interpreter")]
    return not any(v.startswith(("mi", "dap")) for v in values)


def users_breakpoints():
    return [b for b in gdb.breakpoints() if b.number > 0]


class Stop(gdb.Breakpoint):
    """The breakpoint at the function that the runtime calls when it has something to tell."""

    def __init__(self, session):
        super().__init__("rd_debugger_stop", internal=True)
        self.silent = session.console  # an editor needs gdb's words about the stop
        self.session = session

    def stop(self):
        shown = process.Shown()
        if shown.why != process.BEGIN:
            return True
        self.session.begin()
        wanted = self.session.wanted or self.session.at_step
        if wanted:
            shown.want(wanted)
        return self.session.starting


class Return(gdb.Breakpoint):
    """A breakpoint where the selected thread returns to this frame."""

    def __init__(self, frame, console):
        super().__init__("*%d" % frame.pc(), internal=True)
        self.silent = console
        self.thread = gdb.selected_thread().num
        self.stack, self.reached = int(frame.read_register("sp")), False

    def stop(self):
        self.reached = int(gdb.newest_frame().read_register("sp")) == self.stack
        return self.reached


class Session:
    def __init__(self):
        self.console = interpreter_is_console()
        self.steps = None
        self.steps_from = None  # a function that gives the text of the steps, until they are read
        self.at_step = 0        # where each start stops; 0: at the finding
        self.output = Output([])
        self.starting = False   # the program runs to the moment at which it is under control
        self.begun = False      # … which it has reached
        self.at = None          # the runtime's reason for the present stop; None: it has not made this stop
        self.found = False      # the finding was shown
        self.wanted = 0         # the step to which the coming start replays; 0: as at_step says
        self.off = []           # breakpoints that are disabled until the next stop
        self.breakpoint = None
        self.held = None        # what gdb says about the start or the stop (quiet.py)

    # ---- where the schedule comes from ----

    def use(self, text_of_steps, at_step):
        self.steps, self.steps_from, self.at_step = None, text_of_steps, at_step

    def open_file(self, path):
        """The session of `raddle replay --gdb`."""
        with open(path) as f:
            data = json.load(f)
        gdb.execute("set exec-wrapper " + data["launch"])
        for signal in ("SIG%d" % data["watchdog_signal"], "SIGSYS"):  # SIGSYS: system calls in inline assembly
            gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
        self.output = Output(data["outputs"])

        def text():
            with open(data["steps"]) as f:
                return f.read()
        self.use(text, data["at_step"])

    def open_schedule(self, raddle, path, at_step):
        """A schedule file, for a program that gdbserver runs."""
        def steps(*words):
            return subprocess.run([raddle, "--steps", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        done, program = steps(path), gdb.current_progspace().filename
        if done.returncode and program and os.path.isfile(program):
            done = steps(path, program)  # the file is from elsewhere: 'raddle replay --gdbserver PORT --program …'
        if done.returncode:
            raise gdb.GdbError(done.stderr.strip() or "raddle cannot read the schedule")
        for signal in ("SIG61", "SIGSYS"):
            gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
        self.use(lambda: done.stdout, at_step)

    def table(self):
        if self.steps is None:
            if self.steps_from is None:
                raise gdb.GdbError("There is no schedule: use 'raddle replay --gdb', or 'raddle-schedule FILE'.")
            self.steps = Steps(self.steps_from())
        return self.steps

    # ---- where the execution is ----

    def position(self):
        """(the steps that are done, the step that comes next and before which the program has stopped, or None)"""
        number = process.Shown().steps()
        return (number - 1, number) if self.at == process.STEP else (number, None)

    def next_step(self):
        """The number of the next operation; None: there is none."""
        done, comes = self.position()
        return comes or self.table().after(done)

    # ---- running ----

    def begin(self):
        """The process has come under control."""
        self.begun, self.found, self.at = True, False, None
        self.output.restart()

    def resume(self):
        """Lets the program run on, and shows what gdb says without its words about that."""
        if not self.console or any(b.enabled for b in users_breakpoints()):
            self.words(gdb.execute("continue", to_string=True))
        else:
            with Quiet() as self.held:
                gdb.execute("continue")

    @staticmethod
    def words(text):
        gdb.write(text.replace("Continuing.\n", "", 1))

    def start(self):
        """Starts the program anew, up to the moment at which the runtime controls it. False: it stopped before."""
        self.starting, self.begun = True, False
        try:
            with Quiet() as quiet:
                gdb.execute("starti")
                quiet.drop()
            text = gdb.execute("continue", to_string=True)
        finally:
            self.starting = False
        if not self.begun:
            self.words(text)
        return self.begun

    def run(self):
        if self.start():
            self.resume()

    def run_to(self, step, from_start):
        """Runs to a step. From the start the user's breakpoints do not stop it: it goes back over them."""
        if not from_start:
            process.Shown().want(step or 0)
            self.resume()
            return
        self.off = [b for b in users_breakpoints() if b.enabled]
        for b in self.off:
            b.enabled = False
        self.wanted, self.begun = step, False
        if not self.console:
            gdb.execute("run")  # an editor is not to see more than one stop
            return
        try:
            if self.start():
                self.resume()
        finally:
            self.arrived()

    def arrived(self):
        """The program has stopped, or ended: what run_to has changed for the way there is put back."""
        for b in self.off:
            if b.is_valid():
                b.enabled = True
        self.off, self.wanted = [], 0
        if self.at != process.STEP and self.begun:
            process.Shown().want(0)  # something else stopped it, and the user decides anew

    @staticmethod
    def alive():
        return any(t.is_valid() for t in gdb.selected_inferior().threads())

    def leave_runtime(self):
        """Before `next` and its like, in a thread that is in the runtime: runs it to the end of what the runtime does.

        It stops in the function that the program has called, and not in the program: there the line with the call may be
        over, and `next` would run the following line, too. From that function `next` steps out by itself, to the next line.
        """
        try:
            if not frames.in_runtime():
                return
        except gdb.error:
            return
        wanted = frames.program_frame()
        if wanted is None or wanted.newer() is None:
            raise gdb.GdbError("The thread has no frame of the program; 'raddle-step' goes on.")
        if self.at not in (None, process.STEP):
            raise gdb.GdbError("The execution ends here; 'run' replays it, 'raddle-back N' goes back N steps.")
        outermost = wanted.newer()
        if outermost.level() == 0:
            return
        back = Return(outermost, self.console)
        try:
            with Quiet() as self.held:
                gdb.execute("continue")
                if back.reached:
                    self.held.drop()
        finally:
            back.delete()
        if not back.reached:
            raise gdb.GdbError("The program has stopped before that was done.")

    # ---- events ----

    def announce(self):
        """Says why the runtime has stopped the program, and shows the program's frame."""
        if self.at is not None:
            gdb.write("raddle: " + self.reason() + "\n")
        if not frames.select(self.console) and self.at == process.STEP:
            gdb.write("The thread begins here: it has no frame of the program yet.\n")
        if self.at == process.FINDING and not self.found and self.console:
            self.hint()
        self.found |= self.at == process.FINDING

    def hint(self):
        gdb.write("raddle: try 'info threads', 'bt', 'raddle-why', 'help raddle'\n")

    def reason(self):
        shown, steps = process.Shown(), self.table()
        if self.at == process.STEP:
            number = shown.steps()
            return "step %d of %d comes next: %s" % (number, steps.count(), steps.line(number))
        if self.at == process.FINDING:
            return "the schedule has been followed to its finding: " + steps.finding_words()
        if self.at == process.DIVERGED:
            return ("the execution does not follow the schedule after step %d: the program, or what is around it, has "
                    "changed, or the debugger has changed it" % shown.steps())
        return "this program cannot be controlled: " + shown.message()

    def on_stop(self, event):
        if self.starting:
            return
        ours = isinstance(event, gdb.BreakpointEvent) and self.breakpoint in event.breakpoints
        self.at = process.Shown().why if ours else None
        self.arrived()
        if ours and self.held:
            self.held.drop()
        self.output.show(True)
        fault = isinstance(event, gdb.SignalEvent) and self.steps_from and event.stop_signal != "SIGINT"
        crash = fault and self.is_finding()
        name_threads()
        self.announce()
        if crash and not self.found:
            self.found = True
            gdb.write("raddle: the schedule has been followed to its finding: %s\n" % self.table().finding_words())
            if self.console:
                self.hint()
        elif fault and not self.found and self.fails_later():
            gdb.write("raddle: this thread crashes here, and other threads go on before it ends the execution: 'continue'\n")

    def is_finding(self):
        """Has the program stopped at the crash that the schedule leads to?"""
        try:
            done = process.Shown().steps()
        except gdb.GdbError:
            return False
        return self.table().finding["kind"] == "crash" and done >= self.table().count_to_fault()

    def fails_later(self):
        """Does the thread that has stopped at a fault make its last operation only after others?"""
        try:
            done = process.Shown().steps()
        except gdb.GdbError:
            return False
        return done < self.table().count()

    def on_exit(self, event):
        self.output.show(False)
        ended_itself = hasattr(event, "exit_code")
        if ended_itself and self.begun and not self.found and self.steps_from:
            words = self.table().finding_words()
            gdb.write("raddle: the program has ended; the finding of its schedule: %s\n" % words)
            if "a check of the test failed" in words:
                gdb.write("raddle: to stop at the check of a GoogleTest: GTEST_BREAK_ON_FAILURE=1 raddle replay --gdb FILE\n")
        self.at = None
        if self.begun:  # it is not the end of a process in whose place run_to starts another one
            self.begun = False
            self.arrived()

    def on_cont(self, _event):
        self.at = None

    def on_library(self, event):
        if self.breakpoint is None and "/libraddle.so" in (event.new_objfile.filename or ""):
            self.breakpoint = Stop(self)

    def connect(self):
        gdb.events.stop.connect(self.on_stop)
        gdb.events.exited.connect(self.on_exit)
        gdb.events.cont.connect(self.on_cont)
        gdb.events.new_objfile.connect(self.on_library)


def find_raddle(folder):
    """The driver of these commands: beside them in a build tree, else where it is installed, else in PATH."""
    for relative in ("../raddle", "../../../bin/raddle"):
        path = os.path.normpath(os.path.join(folder, relative))
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    path = shutil.which("raddle")
    if not path:
        raise gdb.GdbError("cannot find 'raddle': put it into PATH")
    return path
