"""What a program, a schedule file or a source file contains: none of it reaches a terminal raw."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from common import run

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

EVIL = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <raddle.h>
static int sum;
static void *adds(void *arg) {
    pthread_setname_np(pthread_self(), "\033[31m\xe2\x80\xaex\x80");
    sum++;
    return arg;
}
int main(void) {
    pthread_t t[2];
    raddle_name_variable(&sum, sizeof sum, "\033]0;sum\007\xff");
    puts("\033[2Jout\x9b\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\b\r\001");
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (sum != 2) {
        fputs("evil \033[2J\033]52;c;x\007 \xe2\x80\xae end\n", stderr);
        abort(); /* EVIL */
    }
    return 0;
}
"""


def terminal(command, cwd, env=None):
    """The bytes that the command writes to a terminal, without its own colours and line ends."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    p = subprocess.Popen([str(c) for c in command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=child, stderr=child,
                         env=dict(os.environ, TERM="xterm", **(env or {})))
    os.close(child)
    data = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        data += piece
    os.close(parent)
    p.wait()
    return COLOUR.sub(b"", data.replace(b"\r\n", b"\n"))


def check(what, data):
    text = data.decode()  # valid UTF-8, or an error
    bad = UNSAFE.search(text)
    if bad:
        raise AssertionError(f"{what} prints {bad[0]!r}: {text[max(0, bad.start() - 60):bad.end() + 40]!r}")
    return text


def evil(tools, work):
    """The program, in a source file with escape sequences in its lines, and the schedules of its findings."""
    source = work / "evil\x1b[5m.c"
    source.write_bytes(EVIL.replace("EVIL", "\x1b[7m \u202e").encode() + b"/* \xff */\n")
    program = work / "e\x1b[31mvil"
    run([tools.raddle, "cc", "-g", "-O1", "-pthread", f"-I{tools.raddle.parent.parent / 'include'}", source, "-o", program]).expect(0)
    _, summary = tools.search(work, ["-k", "-s", "dfs"], program, detect=())
    return program, [work / f["schedule"] for f in summary["findings"]]


def test_terminals(tools):
    work = tools.dir("hostile_text")
    program, schedules = evil(tools, work)
    if len(schedules) < 2:
        raise AssertionError("the program's findings are not found")
    seen = ""
    for command in ([tools.raddle, "run", "--progress", "never", "-k", "-s", "dfs", "-o", work / "o\x1b[2J", program],
                    [tools.raddle, "run", "--progress", "never", "--show-output", "-n", "3", "-o", work / "o2", program],
                    [tools.raddle, "list", "variables", program],
                    [tools.raddle, "run", "--\x1b[31m"], [tools.raddle, "\x1b[31m"], [tools.raddle, "replay", "\x1b[31m\u202e"],
                    [tools.raddle, "run", "./\x1b]0;x\x07"], [tools.raddle, "help", "\x1b[31m"],
                    *([tools.raddle, c, *o, s] for s in schedules for c, *o in (["show"], ["show", "--color", "always"], ["replay"]))):
        seen += check(command[1], terminal(command, work))
        check(command[1], COLOUR.sub(b"", run(command, cwd=work).text.encode()) if "--show-output" not in command else b"")
    for shown in ("\\x1b]52;c;x\\x07 \\u202e end", "\\x1b[2Jout\\x9b\\u009b\\u202e\\U000e0041\\x08", 'T1 "\\x1b[31m\\u202ex\\x80"',
                  "\\x1b]0;sum\\x07", "\\x1b[7m \\u202e", "evil\\x1b[5m.c:11"):
        if shown not in seen:
            raise AssertionError(f"{shown} is not shown: {seen[:3000]}")


def test_documents(tools):
    """The page and the JSON are valid UTF-8 without characters that are not shown."""
    work = tools.dir("hostile_page")
    _, schedules = evil(tools, work)
    for schedule in schedules:
        run([tools.raddle, "show", "--html", work / "page.html", schedule]).expect(0)
        check("the page", (work / "page.html").read_bytes())
    check("the summary", (work / "summary.json").read_bytes())
