"""The status of a running search: a block on a terminal, lines elsewhere. The terminal is a pty; a small model of a
terminal computes what is visible on it."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
from pathlib import Path

from common import TIMEOUT_S, Done

SOURCE = Path(__file__).resolve().parent / "stop.c"
BLOCK = (r"raddle: dfs: every execution, depth first, [\d.]+ s",
         r"  [\d,]+ executions?, [\d,]+ a second, [\d,]+ orders?, 0 findings",
         r"  less than 0.01 % of about [\d,]+ executions, about \d+ min until the limit of time, nothing new for [\d.]+ s, "
         r"the first schedule repeats exactly")


class Screen:
    """Rows and a cursor, for the control sequences that the block uses. The last column must stay empty: terminals
    differ in what happens there."""

    def __init__(self, width):
        self.width, self.rows, self.y, self.x, self.bad = width, [""], 0, 0, ""

    def put(self, char):
        row = self.rows[self.y].ljust(self.x)
        self.rows[self.y] = row[:self.x] + char + row[self.x + 1:]
        self.x += 1
        if self.x >= self.width:
            self.bad = f"a line is as wide as the terminal ({self.width}): {self.rows[self.y]}"

    def feed(self, text):
        for part in re.findall(r"\x1b\[\d*[A-Za-z]|[^\x1b]", text):
            if part == "\r":
                self.x = 0
            elif part == "\n":
                self.y += 1
                self.rows += [""] * (self.y + 1 - len(self.rows))
            elif part == "\x1b[J":
                self.rows = self.rows[:self.y] + [self.rows[self.y][:self.x]]
            elif part.startswith("\x1b[") and part.endswith("A"):
                self.y -= int(part[2:-1])
            elif part.startswith("\x1b"):
                self.bad = f"an unknown sequence {part!r}"
            else:
                self.put(part)


class Terminal:
    """raddle run of stop.c with a terminal of its own."""

    def __init__(self, tools, name, width, *options):
        self.work = tools.dir(name)
        program = tools.compile(SOURCE, mode="plain")
        self.command = ["setsid", "-c", str(tools.raddle), "run", "-s", "dfs", "-t", "1000", "--color", "never", *options, "--", str(program), "many"]
        self.fd, theirs = pty.openpty()
        self.resize(width)
        self.process = subprocess.Popen(self.command, cwd=self.work, stdin=theirs, stdout=theirs, stderr=theirs, env=dict(os.environ, TERM="xterm"))
        os.close(theirs)
        self.text = ""

    def resize(self, width):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))

    def fail(self, message):
        self.process.kill()
        Done(self.command, None, self.work, None, self.text.encode(), b"").fail(message)

    def read(self):
        """Reads more of the output; False at its end."""
        if not select.select([self.fd], [], [], TIMEOUT_S)[0]:
            self.fail(f"nothing for {TIMEOUT_S} s")
        try:
            more = os.read(self.fd, 65536).decode()
        except OSError:  # a pty whose other side is closed
            return False
        self.text += more
        return bool(more)

    def drawings(self, count):
        """Reads until this many more blocks were drawn; returns all output until then."""
        count += len(re.findall(r"\x1b\[2A\r", self.text))
        while len(re.findall(r"\x1b\[2A\r", self.text)) < count:
            if not self.read():
                self.fail("it has ended")
        return self.text[:[m.end() for m in re.finditer(r"\x1b\[2A\r", self.text)][count - 1]]


def seen(terminal, text, width):
    screen = Screen(width)
    screen.feed(text)
    if screen.bad:
        terminal.fail(screen.bad)
    return screen


def test_block(tools):
    """Three lines that stay in place, follow the width of the terminal, and are erased before the report."""
    t = Terminal(tools, "status-block", 200)
    screen = seen(t, t.drawings(3), 200)
    for row, wanted in zip(screen.rows, BLOCK):
        if not re.fullmatch(wanted, row):
            t.fail(f"'{row}' is not '{wanted}'")
    if len(screen.rows) != 3 or (screen.x, screen.y) != (0, 0):
        t.fail("the block is not drawn over itself")
    wide = len(t.text)
    t.resize(40)
    narrow = t.drawings(2)  # the first one may have been begun before the resize
    last = narrow[narrow.rindex("\x1b[J"):]
    if any(len(row) != 39 for row in seen(t, last, 40).rows):
        t.fail("the lines are not as wide as the terminal lets them")
    os.write(t.fd, b"\x03")
    while t.read():
        pass
    screen = seen(t, t.text[:wide], 200)
    screen.width = 1000  # the report is not part of the block
    screen.feed(t.text[wide:])
    if t.process.wait(TIMEOUT_S) != 0 or not screen.rows[0].startswith("no bug found in ") or "stopped by a signal" not in "".join(screen.rows):
        t.fail("no report where the block was")
    if any("nothing new" in row or "raddle:" in row for row in screen.rows):
        t.fail("the block is still there")


def test_hangup(tools):
    """A terminal that is closed ends the search; it is trouble that the report could not be printed."""
    t = Terminal(tools, "status-hangup", 120)
    t.drawings(1)
    os.close(t.fd)
    if t.process.wait(TIMEOUT_S) != 2:
        Done(t.command, None, t.work, t.process.returncode, t.text.encode(), b"").fail("no exit status 2 after a hangup")


def test_never(tools):
    t = Terminal(tools, "status-never", 80, "--progress", "never", "-n", "1000")
    while t.read():
        pass
    if "\x1b" in t.text or not t.text.startswith("no bug found in 1,000 executions"):
        t.fail("there is more than the report")


def test_line(tools):
    """Not a terminal: no status, or with --progress always one line at intervals."""
    work = tools.dir("status-line")
    program = tools.compile(SOURCE, mode="plain")
    command = [str(w) for w in (tools.raddle, "run", "-s", "icb", "--progress", "always", "--", program, "many")]
    p = subprocess.Popen(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = p.stderr.readline() if select.select([p.stderr], [], [], TIMEOUT_S)[0] else ""
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=TIMEOUT_S)
    done = Done(command, None, work, p.returncode, out.encode(), (line + err).encode()).expect(0)
    wanted = (r"raddle: icb: executions with(out a| \d+) preemptions?, 1\.\d s; [\d,]+ executions.*, [\d,]+ a second, [\d,]+ orders?, 0 findings; "
              r"about \d+ s until the limit of time, nothing new for [\d.]+ s, the first schedule repeats exactly\n")
    if not re.fullmatch(wanted, line):
        done.fail(f"'{line}' is not '{wanted}'")
    if "stopped by a signal" not in out:
        done.fail("no report")
