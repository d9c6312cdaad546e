"""The code at the end of a program runs in every execution, in every isolation, and as it does without Raddle."""
from pathlib import Path

from common import run

SOURCE = Path(__file__).resolve().parent / "exits.c"
# its whole output
CASES = {
    "handlers": "two\nstatus 0, argument 1\none\n",
    "handler adds": "adds\nstatus 0, argument 4\ntwo\none\n",
    "handler leaves": "two\nleaves\none\n",
    "handler starts": "started\none\n",
    "thread": "two\nstatus 0, argument 1\none\n",
    "exit in a thread": "one\n",
    "quick": "two\n",
    "library": "registered\nhandler\ndestructor\n",
    "library in a thread": "registered\nhandler\ndestructor\n",
    "closed in a thread": "registered\ndestructor\nhandler\n",
    "early closed": "registered\ndestructor\nhandler\n",
    "one for another": "registered\nhandler\ndestructor\n",
    "other list": "registered\ndestructor\nhandler\n",
    "other list in a thread": "registered\ndestructor\nhandler\n",
    "other list closed": "registered\ndestructor\nhandler\n",
    "only library": "destructor\n",
    "only library in a thread": "destructor\n",
    "only closed in a thread": "destructor\n",
    "only other list": "destructor\n",
    "only other list in a thread": "destructor\n",
    "buffered": "no end of line",
    "nothing": "",
}
ENDS = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void say(const char *text) { if (write(1, text, strlen(text)) < 0) abort(); }
static void handler(void) { say("handler\n"); }
void begin(void) { if (atexit(handler) == 0) say("registered\n"); }
__attribute__((destructor)) static void destructor(void) { say("destructor\n"); }
"""


# memory from before the first thread is unmapped, or a list of modules is closed: each execution has a process of its
# own
UNDOABLE = ("early closed", "one for another", "other list closed")


def check(tools, work, case, wanted, program, args):
    """Every execution prints the output of the program alone; all kinds of isolation run the same executions."""
    digests = set()
    for way in ("auto", "fork", "exec"):
        done, s = tools.search(work, ["-s", "dfs", "-n", "20", "--isolation", way, "--expect-output", wanted], program, args)
        done.expect(0)
        digests.add((s["digest"], s["executions"]))
        if way == "auto" and s["isolation"] != ("fork" if case in UNDOABLE else "snapshot"):
            done.fail(f"{case}: isolation {s['isolation']}")
        if bool(s["uncontrolled"]) != ("other list" in case):
            done.fail(f"{case}: another libc is there, or not, and {s['uncontrolled']}")
    if len(digests) != 1:
        done.fail(f"{case}: the ways of isolation differ: {digests}")


def test_ends(tools):
    work = tools.dir("exits")
    program = tools.compile(SOURCE, mode="plain")
    ends = tools.text_program(work, "exits_says.c", ENDS, mode="plain", flags=("-shared", "-fPIC"))
    silent = tools.text_program(work, "exits_silent.c", "int nothing;\n", mode="plain", flags=("-shared", "-fPIC"))
    wanted = work / "wanted.txt"
    for case, text in CASES.items():
        wanted.write_text(text)
        alone = run([program, case, ends, silent], cwd=work).expect(0)
        if alone.out != text:
            alone.fail(f"{case}: expected {text!r}")
        check(tools, work, case, wanted, program, [case, ends, silent])


def test_own_end(tools):
    work = tools.dir("exits_own")
    text = SOURCE.read_text() + '__attribute__((destructor)) static void own(void) { say("own\\n"); }\n'
    program = tools.text_program(work, "exits_own.c", text, mode="plain")
    wanted = work / "wanted.txt"
    for case, before in (("nothing", ""), ("thread", CASES["thread"])):
        wanted.write_text(before + "own\n")
        check(tools, work, case, wanted, program, [case, "-", "-"])


def test_an_end_that_is_missing(tools):
    """The output of an execution is compared when all of it has come, including the output of its end."""
    work = tools.dir("exits_missing")
    wanted = work / "wanted.txt"
    wanted.write_text("two\n")
    program = tools.compile(SOURCE, mode="plain")
    done, s = tools.search(work, ["-s", "dfs", "--expect-output", wanted], program, ["handlers", "-", "-"])
    done.expect(1)
    if s["findings"][0]["kind"] != "output":
        done.fail(s["findings"][0]["kind"])
