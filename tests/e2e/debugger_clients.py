"""Clients for the tests of `raddle replay --gdb`: a session that a person types, and an editor that speaks MI or DAP."""
import json
import os
import re
import select
import subprocess
import time

from common import Failure, run

SECONDS = 60


def typed(tools, schedule, commands, options=(), stdin=None):
    """A session with these commands after the first stop."""
    words = ["--gdb-arg", "-batch", "--gdb-arg", "-nx"]
    for c in commands:
        words += ["--gdb-arg", "-ex", "--gdb-arg", c]
    return run([tools.raddle, "replay", "--gdb", *options, schedule, *words])


def plain(text):
    """A transcript without what differs between machines and runs: addresses, process numbers, folders."""
    text = re.sub(r"0x[0-9a-f]{5,}", "0x…", text)
    text = re.sub(r"\(LWP \d+\)|Thread \d+\.\d+|process \d+", lambda m: m[0].rstrip("0123456789.)") + "…" +
                  (")" if m[0].endswith(")") else ""), text)
    text = re.sub(r"#\d+ ", "#N ", text)
    text = re.sub(r" at (?:/[^ :]*/)?([^ /:]+:\d+)", r" at \1", text)
    return re.sub(r" +", " ", text)


class Editor:
    """An editor's side of a debugger that speaks over its standard streams."""

    def __init__(self, command, cwd=None, env=None):
        self.command = [str(w) for w in command]
        full = dict(os.environ, **env) if env else None
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, cwd=cwd, env=full)
        self.unread, self.log, self.until = b"", [], time.monotonic() + SECONDS

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def fail(self, message):
        raise Failure(message + "\n" + "\n".join(self.log[-40:]), " ".join(self.command))

    def more(self):
        """Reads what the debugger has written next."""
        left = self.until - time.monotonic()
        if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
            self.fail(f"no answer after {SECONDS} s")
        got = os.read(self.process.stdout.fileno(), 65536)
        if not got:
            self.fail("the debugger has ended")
        self.unread += got

    def send(self, text):
        self.log.append(">>> " + text)
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def ended(self):
        self.process.stdin.close()
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.fail("the debugger does not end")


class Mi(Editor):
    """GDB/MI, as VS Code's C++ extension, CLion and Emacs speak it."""

    def line(self):
        while b"\n" not in self.unread:
            self.more()
        line, self.unread = self.unread.split(b"\n", 1)
        self.log.append(line.decode(errors="replace"))
        return self.log[-1]

    def wait(self, *prefixes):
        while True:
            line = self.line()
            if line.startswith(prefixes):
                return line

    def ask(self, command, answer="^done"):
        self.send(command + "\n")
        line = self.wait("^")
        if not line.startswith(answer):
            self.fail(f"'{command}' is answered with '{line}', not '{answer}'")
        return line

    def go(self, command, *words):
        """A command that lets the program run; returns the record of its stop."""
        self.ask(command, "^running")
        line = self.wait("*stopped")
        for word in words:
            if word not in line:
                self.fail(f"'{word}' does not appear in '{line}'")
        return line

    def frames(self, thread):
        return re.findall(r'func="([^"]*)"', self.ask(f"-stack-list-frames --thread {thread}"))


class Dap(Editor):
    """The debug adapter protocol of gdb 14 and later."""

    def __init__(self, *args, **how):
        super().__init__(*args, **how)
        self.number, self.events = 0, []

    def message(self):
        while b"\r\n\r\n" not in self.unread:
            self.more()
        head, rest = self.unread.split(b"\r\n\r\n", 1)
        size = int(re.search(rb"Content-Length: (\d+)", head)[1])
        while len(rest) < size:
            self.unread = head + b"\r\n\r\n" + rest
            self.more()
            rest = self.unread.split(b"\r\n\r\n", 1)[1]
        self.unread = rest[size:]
        self.log.append(rest[:size].decode(errors="replace"))
        return json.loads(rest[:size])

    def request(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments})
        self.send(f"Content-Length: {len(body)}\r\n\r\n{body}")
        return self.number

    def answer(self, number):
        while True:
            m = self.message()
            if m["type"] == "response" and m["request_seq"] == number:
                if not m["success"]:
                    self.fail(f"request {number} fails: {m.get('message')}")
                return m.get("body", {})
            self.events.append(m)

    def ask(self, command, **arguments):
        return self.answer(self.request(command, **arguments))

    def event(self, name):
        while True:
            for m in self.events:
                if m["type"] == "event" and m["event"] == name:
                    self.events.remove(m)
                    return m["body"]
            self.events.append(self.message())
