"""`info threads` and `thread N` with the frames and the thread numbers of the program.

They take the place of gdb's own commands where a person types them; editors ask in other ways.
"""
import gdb

from . import frames, process


def name_threads():
    """Gives each thread the name that reports use: T1, or T1 "worker"."""
    try:
        known = process.Shown().threads()
    except gdb.GdbError:
        return
    for thread in gdb.selected_inferior().threads():
        if thread.is_valid() and thread.ptid[1] in known:
            tid, _, name = known[thread.ptid[1]]
            thread.name = "T%d" % tid + (' "%s"' % name if name else "")


def target_id(thread):
    """As gdb prints it: Thread 0x7ffff7d8a740 (LWP 123)."""
    try:
        handle = int.from_bytes(thread.handle(), "little")
        return "Thread 0x%x (LWP %d)" % (handle, thread.ptid[1])
    except gdb.error:
        return "Thread %d.%d" % (thread.ptid[0], thread.ptid[1] or thread.ptid[2])


def frame_words():
    """The selected thread's frame in one line, as in gdb's own list."""
    try:
        frame = frames.program_frame()
    except gdb.error:
        return "(running)"
    if frame is None:
        return "(not begun, or ended)"
    frame.select()
    return gdb.execute("frame", to_string=True).split("\n")[0].split(maxsplit=1)[-1].split(" in ", 1)[-1]


def wanted(words):
    """The threads that a list such as "1 3-4" names; without a list all of them."""
    every = sorted(gdb.selected_inferior().threads(), key=lambda t: t.num)
    if not words:
        return every
    numbers = set()
    for word in words:
        first, _, last = word.split(".")[-1].partition("-")
        try:
            numbers.update(range(int(first), int(last or first) + 1))
        except ValueError:
            raise gdb.GdbError("Invalid thread ID: " + word)
    return [t for t in every if t.num in numbers]


class InfoThreads(gdb.Command):
    """Display currently known threads.
Usage: info threads [ID]...
ID is a thread number or a range such as 2-3. The frame is the innermost one of the program; raddle leaves out the
frames in which a thread waits for its turn."""

    def __init__(self):
        super().__init__("info threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        words = argument.split()
        ids = "-gid" in words
        shown = wanted([w for w in words if w != "-gid"])
        if not shown:
            gdb.write("No threads.\n")
            return
        name_threads()
        before = gdb.selected_thread()
        frame = gdb.selected_frame() if before and before.is_valid() else None
        rows = []
        try:
            for t in shown:
                t.switch()
                number = "%d" % t.num + (" %d" % t.global_num if ids else "")
                rows.append(("*" if t == before else " ", number, "%s %s" % (target_id(t), t.name), frame_words()))
        finally:
            if before and before.is_valid():
                before.switch()
                if frame is not None and frame.is_valid():
                    frame.select()
        wide = max(len(r[1]) for r in rows), max(len(r[2]) for r in rows)
        gdb.write("  %-*s %-*s Frame\n" % (wide[0] + 2, "Id", wide[1], "Target Id"))
        for mark, number, target, words in rows:
            gdb.write("%s %-*s %-*s %s\n" % (mark, wide[0] + 2, number, wide[1], target, words))


def switch(argument):
    """`thread` and `thread N`."""
    before = gdb.selected_thread()
    if not argument:
        if before is None:
            gdb.write("No thread selected\n")
            return
        gdb.write("[Current thread is %d (%s)]\n" % (before.num, target_id(before)))
        return
    try:
        number = int(argument.split(".")[-1])
    except ValueError:
        number = int(gdb.parse_and_eval(argument))
    thread = next((t for t in gdb.selected_inferior().threads() if t.num == number), None)
    if thread is None:
        raise gdb.GdbError("Unknown thread %s." % argument)
    name_threads()
    thread.switch()
    gdb.write('[Switching to thread %d (%s), %s]\n' % (number, target_id(thread), thread.name))
    frame = frames.program_frame()
    if frame is None:
        gdb.write("It has no frame of the program: it has not begun, or has ended.\n")
        return
    frame.select()
    frames.show_selected()


class Thread(gdb.Command):
    """What 'thread' and 'thread N' do."""

    def __init__(self):
        super().__init__("raddle-thread", gdb.COMMAND_MAINTENANCE)

    def invoke(self, argument, from_tty):
        switch(argument.strip())


def begin():
    InfoThreads()
    Thread()
    # a command in Python would lose the subcommands `thread apply`, `thread name`, `thread find`
    gdb.execute("define thread\nif $argc\nraddle-thread $arg0\nelse\nraddle-thread\nend\nend", to_string=True)
