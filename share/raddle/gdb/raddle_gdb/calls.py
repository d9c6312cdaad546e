"""Functions of the program that gdb calls (`call f()`, `print f()`).

Such a call is no part of the schedule. While it runs, no other thread of the program does, and the hooks of the
calling thread pass straight through to libc: a mutex that the function locks is then libc's own, which is free.
"""
import gdb

from . import process

# What to put back after each call that has begun: the address of the thread's `inside`, or None, and the setting of the
# scheduler. A call whose argument is a string begins a call of malloc before its own.
held = []


def before(event):
    try:
        thread = process.Shown().threads().get(event.ptid[1])
    except gdb.GdbError:
        thread = None
    held.append((thread[1] if thread else None, gdb.parameter("scheduler-locking")))
    if thread:
        change(thread[1], 1)
        gdb.execute("set scheduler-locking on")


def change(address, by):
    value = int.from_bytes(process.memory(address, 4), "little") + by
    gdb.selected_inferior().write_memory(address, value.to_bytes(4, "little"))


def after(_event):
    inside, locking = held.pop() if held else (None, None)
    if inside is None:
        return
    gdb.execute("set scheduler-locking " + locking)
    try:
        change(inside, -1)
    except (gdb.MemoryError, OverflowError):
        pass  # the process is gone


def on_inferior_call(event):
    if isinstance(event, gdb.InferiorCallPreEvent):
        before(event)
    else:
        after(event)


def begin():
    gdb.events.inferior_call.connect(on_inferior_call)
