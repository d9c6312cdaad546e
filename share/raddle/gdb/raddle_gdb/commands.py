"""The commands of `help raddle`."""
import re

import gdb

from . import process
from .session import find_raddle


class Raddle(gdb.Command):
    """Commands for the replay of a schedule: where it is, other steps of it, and why it fails.

raddle-where             the step that comes next, and the next operation of each thread
raddle-why               why the execution fails, and which of the deciding operations are done
raddle-history OBJECT    every step on a lock or a variable: its name in the report, or an expression
raddle-step [N]          run to the next step of the schedule, or N steps on
raddle-next-switch       run to the next step at which another thread goes on
raddle-back [N]          go back N steps: replays from the start to there
raddle-at-step N         replay from the start to step N
raddle-schedule FILE     use this schedule file, with a program that gdbserver runs

'run' replays the schedule from the start again; breakpoints stay. Each command has a page: help raddle-back."""

    def __init__(self):
        super().__init__("raddle", gdb.COMMAND_RUNNING, prefix=True)

    def invoke(self, argument, from_tty):
        gdb.execute("help raddle")


class Command(gdb.Command):
    """A command with two names: raddle-NAME and `raddle NAME`."""

    name = ""
    resumes = False  # the command lets the program run

    def __init__(self, session, full):
        super().__init__(full, gdb.COMMAND_RUNNING)
        self.session = session

    def number(self, argument, otherwise):
        if not argument:
            return otherwise
        value = int(gdb.parse_and_eval(argument))
        if value < 1:
            raise gdb.GdbError("The number must be at least 1.")
        return value

    def invoke(self, argument, from_tty):
        if not self.resumes:
            self.dont_repeat()
        if self.session.console or not self.resumes:
            self.do(argument.strip())
        else:  # an editor waits for the answer to the command before it looks for stops
            gdb.post_event(lambda: self.later(argument.strip()))

    def later(self, argument):
        try:
            self.do(argument)
        except (gdb.error, gdb.GdbError) as e:
            gdb.write(str(e) + "\n", gdb.STDERR)


class Step(Command):
    """Run to the next step of the schedule.
Usage: raddle-step [N]
Stops before the next operation of the schedule, of whatever thread, or before the Nth one from here."""

    name = "step"
    resumes = True

    def do(self, argument):
        steps, wanted = self.session.table(), self.number(argument, 1)
        number, at_step = self.session.next_step(), self.session.position()[1] is not None
        for _ in range(wanted if at_step else wanted - 1):
            number = steps.after(number) if number else None
        self.session.run_to(number, False)


class NextSwitch(Command):
    """Run to the next step at which another thread goes on.
Usage: raddle-next-switch"""

    name = "next-switch"
    resumes = True

    def do(self, argument):
        done, comes = self.session.position()
        self.session.run_to(self.session.table().next_switch(comes or done), False)


class Back(Command):
    """Go back in the schedule.
Usage: raddle-back [N]
Replays from the start to N steps before the present one (1 without N). Breakpoints do not stop it on the way."""

    name = "back"
    resumes = True

    def do(self, argument):
        steps, distance = self.session.table(), self.number(argument, 1)
        done, comes = self.session.position()
        number = steps.before(comes or done + 1, distance)
        if number is None:
            raise gdb.GdbError("There are only %d steps before this point." % done)
        self.session.run_to(number, True)


class AtStep(Command):
    """Replay from the start to a step.
Usage: raddle-at-step N
Stops before step N of the schedule. Breakpoints do not stop it on the way."""

    name = "at-step"
    resumes = True

    def do(self, argument):
        steps, number = self.session.table(), self.number(argument, None)
        if number is None or number > steps.count():
            raise gdb.GdbError("raddle-at-step takes a step: the schedule has %d." % steps.count())
        self.session.run_to(steps.operation(number), True)


class Where(Command):
    """Show the step that comes next, and the next operation of each thread.
Usage: raddle-where"""

    name = "where"

    def do(self, argument):
        steps, (done, _) = self.session.table(), self.session.position()
        gdb.write("%d of %d steps are done\n" % (done, steps.count()))
        if done:
            gdb.write("  last  %6d  %s\n" % (done, steps.line(done)))
        comes = self.session.next_step()
        if comes:
            gdb.write("  next  %6d  %s\n" % (comes, steps.line(comes)))
        else:
            gdb.write("  next          %s\n" % steps.finding_words())
        gdb.write("threads\n")
        for tid, thread in sorted(steps.threads.items()):
            step = steps.next_of(tid, done + 1)
            pending = thread["pending"]
            words = "step %d: %s" % (step.number, step.phrase) if step else \
                ("blocked: " if thread["blocked"] else "waits with: ") + pending if pending else "no more steps"
            gdb.write("  %-16s %s\n" % (thread["name"], words))


class Why(Command):
    """Show why the execution fails, as the report does, and which of the deciding operations are done.
Usage: raddle-why"""

    name = "why"

    def do(self, argument):
        steps = self.session.table()
        try:
            done = self.session.position()[0]
        except gdb.GdbError:
            done = None
        gdb.write(steps.finding_words() + "\n")
        for line in steps.why.strip("\n").split("\n")[1:]:
            at = re.search(r"\(step (\d+)\)$", line)
            if at and done is not None:
                line += "  <- done" if int(at[1]) <= done else \
                    "  <- comes next" if int(at[1]) == done + 1 else "  <- to come"
            gdb.write(line + "\n")
        if not steps.why:
            gdb.write("  the schedule file does not say why\n")


class History(Command):
    """List every step on a lock or a variable.
Usage: raddle-history OBJECT
OBJECT is a name as in the report (queue.lock), or an expression whose value is in memory (q->lock, *p), or a pointer.
An arrow marks where the execution is."""

    name = "history"

    @staticmethod
    def span(argument):
        """The places of an expression: (place of its first byte, its size)."""
        value = gdb.parse_and_eval(argument)
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        if value.address is not None:
            return process.place(int(value.address)), value.type.sizeof
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            return process.place(int(value)), max(value.dereference().type.sizeof, 1)
        raise gdb.GdbError("'%s' is not in memory" % argument)

    @staticmethod
    def overlap(first, size, place, length):
        """Do the bytes from place `first` and those from `place` overlap?"""
        if not place or place >> 48 != first >> 48:
            return False
        length = max(length, 1)
        if 0x8000 <= first >> 48 < 0xa000:  # places in a stack descend with the address
            first, place = first - size + 1, place - length + 1
        return first < place + length and place < first + size

    def uses(self, argument):
        """The places and sizes of the objects with this name, or of the expression."""
        steps = self.session.table()
        named = {(s.place, max(s.size, 1)) for s in steps.all if s.object == argument and s.place}
        named |= {(t["place"], 1) for t in steps.threads.values() if t["object"] == argument and t["place"]}
        if named:
            return named
        try:
            return {self.span(argument)}
        except gdb.error as e:
            names = sorted({s.object for s in steps.all if s.object})
            known = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
            raise gdb.GdbError("No step uses an object with the name '%s', and gdb says: %s\nNames in this schedule: %s"
                               % (argument, e, known))

    def do(self, argument):
        if not argument:
            raise gdb.GdbError("raddle-history takes the name of a lock or a variable, or an expression.")
        try:
            done = self.session.position()[0]
        except gdb.GdbError:
            done = None
        steps, spans = self.session.table(), self.uses(argument)

        def within(place, size):
            return any(self.overlap(*span, place, size) for span in spans)
        found = [s for s in steps.all if within(s.place, s.size) or within(s.place2, 1)]
        waits = [t for t in steps.threads.values() if t["blocked"] and within(t["place"], 1)]
        marked = done is None
        if not found and not waits:
            gdb.write("No step of the schedule uses %s.\n" % argument)
            return
        for step in found:
            if not marked and step.number > done:
                gdb.write("-> here, after %d steps\n" % done)
                marked = True
            gdb.write("%8d  %s\n" % (step.number, steps.line(step.number)))
        if not marked:
            gdb.write("-> here, after %d steps\n" % done)
        for thread in waits:
            gdb.write("%8s  T%d  %s\n" % ("blocked", thread["id"], thread["pending"]))


class Schedule(Command):
    """Use a schedule file, with a program that 'raddle replay --gdbserver' runs.
Usage: raddle-schedule FILE"""

    name = "schedule"
    folder = ""

    def do(self, argument):
        if not argument:
            raise gdb.GdbError("raddle-schedule takes a schedule file.")
        self.session.open_schedule(find_raddle(self.folder), argument, 0)


class SessionFile(gdb.Command):
    """For 'raddle replay --gdb' only."""

    def __init__(self, session):
        super().__init__("raddle-session", gdb.COMMAND_MAINTENANCE)
        self.session = session

    def invoke(self, argument, from_tty):
        self.session.open_file(argument)


class LeaveRuntime(SessionFile):
    """Run the selected thread to the end of what the runtime does. 'next' and 'step' do that first."""

    def __init__(self, session):
        gdb.Command.__init__(self, "raddle-leave-runtime", gdb.COMMAND_MAINTENANCE)
        self.session = session

    def invoke(self, argument, from_tty):
        self.session.leave_runtime()


class Run(gdb.Command):
    """Replay the schedule from its start.
Usage: run
The program's arguments are those of the schedule. Breakpoints stay."""

    def __init__(self, session):
        super().__init__("run", gdb.COMMAND_RUNNING)
        self.session = session

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        if argument.strip():
            raise gdb.GdbError("The arguments of the program are those of the schedule; 'run' takes none.")
        self.session.run()


def begin(session, folder):
    Raddle()
    Schedule.folder = folder
    for kind in (Step, NextSwitch, Back, AtStep, Where, Why, History, Schedule):
        for full in ("raddle-" + kind.name, "raddle " + kind.name):
            kind(session, full)
    SessionFile(session)
    LeaveRuntime(session)
    if session.console:
        Run(session)
