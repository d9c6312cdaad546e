"""What a report shows: ten bugs, each of which a reader must understand from the report alone."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from common import run

PROGRAMS = Path(__file__).resolve().parent / "reports"

# program -> (kind, texts of its report in their order, lines of the report at most)
TEN = {
    "account.c": ("assertion", ["assertion failed: account.balance == 200", "  in T0 (main), main at ",
                                "read main() account.balance = 0", "write main() account.balance = 100",
                                "it takes 1 preemption", "T1 is interrupted between steps 4 and 8, at main() account.balance; the order of T1 and T2 matters"], 50),
    "forks.c": ("deadlock", ["deadlock: 3 threads wait for each other", "for table#1.seats[1].fork, which T2 holds since step",
                             "the circle: T1 -> table#1.seats[1].fork -> T2 -> table#1.seats[2].fork -> T3 -> table#1.seats[0].fork -> T1",
                             "table#1 is struct table, 152 bytes, allocated by T0 (main) at "], 60),
    "session.cc": ("use-after-free", ["use-after-free: read of 8 bytes in a block of 16 bytes that was freed", "in T1, Session::send at ",
                                      "it is Session#1.sent_, at byte 8 of Session#1, 16 bytes", "allocated by T0 (main) in Server::Server at ",
                                      "freed by T2 in Server::close at ", "T2  free Session#1 at ", "T1  read Session#1.sent_ at ",
                                      "read main() server.session_ = &Session#1", "write Session#1.state_ = Draining",
                                      "write main() server.session_ = NULL"], 65),
    "mailbox.c": ("deadlock", ["deadlock: ", "a signal of main() box.filled that nobody is left to send",
                               "signal main() box.filled (nobody waits)"], 50),
    "aba.c": ("assertion", ["assertion failed: n->value > 0", "atomic load stack.top = &node#", "write node#", "atomic cas stack.top = &node#"], 55),
    "jobs.cc": ("data-race", ["data race: T2 reads main() queue.count_, T1 writes it, and nothing orders the two",
                              "in Queue::pop at ", ", without a lock", ", holding main() queue.lock_",
                              "write main() job.done = true"], 50),
    "lazy.c": ("data-race", ["data race: T2 reads current, T1 writes it", "write config#1.level = NORMAL", "write current = &config#1"], 50),
    "ring.c": ("assertion", ["assertion failed: sum == ", "the execution", " 16,002 steps, 3 threads", "steps of T1",
                             "all 16,002 steps: ", "raddle show --all-steps "], 70),
    "polite.c": ("livelock", ["livelock: the same 10 operations again and again", "T1 in each round:", "trylock spoon -> busy",
                              "the same again, "], 72),
    "cache.cc": ("use-after-free", ["use-after-free: write of 4 bytes", "it is Entry#1.hits, at byte 32 of Entry#1, 40 bytes",
                                    "T2  free Entry#1 at ", "T1  write Entry#1.hits at ", "read pair#1.second = &Entry#1"], 65),
}


def report_of(tools, name, test):
    """Runs the program's search; returns its directory, and the schedule file of the finding of the expected kind."""
    kind = TEN[name][0]
    detect = "races" if kind == "data-race" else "heap"
    work = tools.dir(f"report-{test}-{name}")
    done, summary = tools.search(work, ["--detect", detect, "--minimise", "4"], tools.compile(PROGRAMS / name))
    found = [f for f in summary["findings"] if f["kind"] == kind]
    if not found:
        done.fail(f"no {kind} among {[f['kind'] for f in summary['findings']]}")
    return work, work / found[0]["schedule"]


def expect_in_order(done, texts):
    at = 0
    for text in texts:
        found = done.out.find(text, at)
        if found < 0:
            done.fail(f"'{text}' is missing, or not after the texts before it")
        at = found + 1


def ten(tools, names):
    for name in names:
        _, schedule = report_of(tools, name, "ten")
        shown = run([tools.raddle, "show", schedule], cwd=schedule.parent)
        shown.expect(0)
        expect_in_order(shown, TEN[name][1])
        for ugly in ("heap(T", "stack(T", "= 0x", "EPERM"):
            if ugly in shown.out:
                shown.fail(f"{name}: the report speaks of '{ugly}'")
        lines = shown.out.count("\n")
        if lines > TEN[name][2]:
            shown.fail(f"{name}: the report has {lines} lines, not {TEN[name][2]}")
        everything = run([tools.raddle, "show", "--all-steps", schedule], cwd=schedule.parent)
        steps = int(re.search(r" ([\d,]+) steps?, \d+ threads", shown.out).group(1).replace(",", ""))
        numbered = len(re.findall(r"^ *\d+ [ >!]  ", everything.out, re.M))
        if numbered != steps or "raddle show --all-steps" in everything.out:
            everything.fail(f"{name}: --all-steps prints {numbered} of {steps} steps")


def test_ten_in_c(tools):
    ten(tools, [n for n in TEN if n.endswith(".c")])


def test_ten_in_cxx(tools):
    ten(tools, [n for n in TEN if n.endswith(".cc")])


def test_long_without_explanation(tools):
    """The accesses around the preemption, and to the variable that the assertion names, are on the screen."""
    work = tools.dir("report-long")
    program = tools.compile(PROGRAMS / "long.c", flags=["-O1"])
    options = ["-j", "1", "-s", "random", "--detect", "none", "-n", "60", "--minimise", "20"]
    done, summary = tools.search(work, options, program)
    if not summary["findings"]:
        done.fail("the bug was not found")
    shown = run([tools.raddle, "show", work / summary["findings"][0]["schedule"]], cwd=work)
    if not re.search(r"2[0-9],\d{3} steps, 4 threads, \d preemption", shown.out):
        shown.fail("the execution is not the long one")
    if shown.out.count("\n") > 70:
        shown.fail("the report does not fit on a screen")
    if len(re.findall(r"\d +(\S +)*(read|write) total = ", shown.out)) < 10:
        shown.fail("accesses to total are missing")


def test_one_line_of_statistics(tools):
    """After a bug the search is one line; --statistics prints the rest."""
    work = tools.dir("report-short")
    program = tools.compile(PROGRAMS / "account.c")
    command = [tools.raddle, "run", "-j", "1", "-o", work / "out", program]
    short = run(command, cwd=work)
    short.expect(1)
    tail = short.out[short.out.rindex("debug: "):].splitlines()[2:]
    if tail[0].startswith("findings (") and "" in tail:  # the table, because there are several
        tail = tail[tail.index("") + 1:]
    if not re.fullmatch(r"\d bugs found in \d+ executions, [\d.]+ s, by strategy auto; stopped because a bug was found \(-k goes on\)", tail[0]):
        short.fail(f"the line about the search is '{tail[0]}'")
    if len(tail) != 2 or not tail[1].startswith("compiled by "):
        short.fail(f"more than that follows the reports: {tail[1:]}")
    full = run([*command[:2], "--statistics", *command[2:]], cwd=work)
    for text in ("strategy auto, isolation snapshot", "executions by preemptions: ", "nothing is proved: "):
        if text not in full.out:
            full.fail(f"--statistics does not print '{text}'")


def on_terminal(command, columns, cwd, env=None):
    """What the command prints on a terminal of this width, as lines."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=cwd, env={**os.environ, **(env or {})})
    os.close(slave)
    got = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the end of a terminal
            break
        if not piece:
            break
        got += piece
    os.close(master)
    child.wait()
    return got.decode().replace("\r\n", "\n").splitlines()


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_width(tools):
    """Lines wrap at words at any width; commands stay whole, so that they can be copied. In a pipe nothing is cut."""
    work, schedule = report_of(tools, "session.cc", "width")
    env = {"LC_ALL": "C.UTF-8", "TERM": "xterm"}
    piped = run([tools.raddle, "show", schedule], cwd=work, env={**os.environ, **env})
    if "…" in piped.out or "\x1b" in piped.out:
        piped.fail("a text was cut in a pipe, or coloured")
    words = [w for w in re.split(r"\s+", piped.out.split("the execution")[0]) if w]
    for columns in (40, 61, 80, 132, 300):
        lines = [COLOUR.sub("", x) for x in on_terminal([tools.raddle, "show", schedule], columns, work, env)]
        for line in lines:
            kept = line.startswith(("schedule: ", "replay: ", "debug: "))
            if len(line) > columns and not kept and " " in line.strip():
                piped.fail(f"at {columns} columns a line has {len(line)}: {line}")
        again = [w for w in re.split(r"\s+", "\n".join(lines).split("the execution")[0]) if w]
        if [w for w in again if "|" not in w and ">" not in w][:20] != [w for w in words if "|" not in w and ">" not in w][:20]:
            piped.fail(f"at {columns} columns words differ: {again[:20]}")
        if not any(line.startswith("replay: ") and line.endswith(".sched") for line in lines):
            piped.fail(f"at {columns} columns the command to replay is broken")


def test_colours(tools):
    """Colours on a terminal only, and not with TERM=dumb, NO_COLOR or --color never."""
    work, schedule = report_of(tools, "account.c", "colours")
    show = [tools.raddle, "show", schedule]
    for options, env, coloured in (([], {"TERM": "xterm"}, True), ([], {"TERM": "dumb"}, False), ([], {"TERM": "xterm", "NO_COLOR": "1"}, False),
                                   ([], {"TERM": "xterm", "NO_COLOR": ""}, True), (["--color", "never"], {"TERM": "xterm"}, False),
                                   (["--color", "always"], {"TERM": "dumb"}, True)):
        lines = on_terminal([show[0], show[1], *options, show[2]], 100, work, env)
        if any("\x1b" in line for line in lines) != coloured:
            run(show, cwd=work).fail(f"{options} {env}: colours are {'missing' if coloured else 'there'}")


LIBRARY = """
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
static std::mutex m;
static std::map<std::string, int> words;
static int total;
int main() {
    auto work = [] {
        for (const char *s : {"alpha", "beta", "gamma"}) {
            std::lock_guard<std::mutex> hold(m);
            words[s]++;
        }
        total++;
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(total == 2);
}
"""


def test_accesses_in_a_library(tools):
    """Accesses in templates of the C++ library are folded under the line of the program that calls them."""
    work = tools.dir("report-library")
    program = tools.text_program(work, "words.cc", LIBRARY)
    done, _, schedule = tools.find(work, ["--detect", "none"], program, "assertion")
    shown = run([tools.raddle, "show", schedule], cwd=work)
    line = 1 + LIBRARY.splitlines().index("            words[s]++;")
    if not re.search(rf"\.\.\. \d+ accesses in std::map::operator\[\] +\S? *words.cc:{line}\n", shown.out):
        shown.fail("the accesses inside of std::map are not folded under the line that calls it")
    if "_Rb_tree_node" in shown.out:
        shown.fail("the report shows the insides of std::map")
    expect_in_order(shown, ["read total = 0", "write total = 1"])
