"""What the runtime in the tested process shows to a debugger: struct rd_debugger (src/rt/debugger.h).

An installed libraddle has no debug information, so everything is read by the address of one symbol.
"""
import struct

import gdb

VERSION = 1
BEGIN, STEP, FINDING, DIVERGED, REFUSED = range(5)  # enum rd_debugger_why
HEAD, THREAD, THREADS_MAX = struct.Struct("<4I2Q"), struct.Struct("<2QiI"), 1024


def memory(at, size):
    return gdb.selected_inferior().read_memory(at, size).tobytes()


def symbol(name):
    """The address of a symbol of libraddle; None: the library is not loaded."""
    try:
        return int(gdb.parse_and_eval("(unsigned long)&" + name))
    except (gdb.error, gdb.MemoryError):
        return None


class Shown:
    """A copy of the head of struct rd_debugger. Raises GdbError if there is no process under control."""

    def __init__(self):
        self.at = symbol("rd_debugger")
        try:
            words = HEAD.unpack(memory(self.at, HEAD.size)) if self.at else None
        except gdb.MemoryError:
            words = None
        if not words or not words[4]:
            raise gdb.GdbError("The program is not running under raddle's control.")
        self.version, self.wanted, self.why, _, self.steps_at, self.message_at = words
        if self.version != VERSION:
            raise gdb.GdbError("This gdb has commands of another version of Raddle than the program's libraddle.")

    def steps(self):
        return int.from_bytes(memory(self.steps_at, 4), "little")

    def want(self, step):
        gdb.selected_inferior().write_memory(self.at + 4, int(step).to_bytes(4, "little"))

    def message(self):
        return memory(self.message_at, 256).split(b"\0")[0].decode(errors="replace")

    def threads(self):
        """{task: (number of the thread, address of its member `inside`, its name)}"""
        table = memory(self.at + HEAD.size, THREAD.size * THREADS_MAX)
        found = {}
        for tid, (inside, name, task, _) in enumerate(THREAD.iter_unpack(table)):
            if task:
                found[task] = (tid, inside, memory(name, 16).split(b"\0")[0].decode(errors="replace"))
        return found


def place(address):
    """The place of an address (src/trace/place.h): a number that names it in every execution."""
    call = "((unsigned long (*)(unsigned long))rd_debugger_place)(%dUL)"
    return int(gdb.parse_and_eval(call % address)) & (1 << 64) - 1
