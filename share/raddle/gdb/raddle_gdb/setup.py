"""Puts the parts together: called once, when gdb reads raddle.py.

process.py   reads what the runtime in the tested process shows
steps.py     the recorded execution in the words of the report
session.py   starts, stops, and where the execution is
frames.py    leaves the runtime's frames out
threads.py   info threads, thread N
output.py    the program's output
calls.py     functions of the program that gdb calls
commands.py  raddle-step and the others
"""
import gdb

from . import calls, commands, frames, threads
from .session import Session

session = None


def begin(folder):
    global session
    if session is not None:
        return
    session = Session()
    for setting in ("breakpoint pending on", "confirm off", "print thread-events off", "print inferior-events off"):
        gdb.execute("set " + setting)
    frames.begin()
    session.connect()
    calls.begin()
    commands.begin(session, folder)
    for word in ("next", "step"):
        gdb.execute("define hook-%s\nraddle-leave-runtime\nend" % word, to_string=True)
    if session.console:
        threads.begin()
        return
    try:  # for MI; DAP uses filters anyway, and knows no MI command
        gdb.execute('interpreter-exec mi "-enable-frame-filters"', to_string=True)
    except gdb.error:
        pass
