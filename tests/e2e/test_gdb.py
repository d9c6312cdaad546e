"""raddle replay --gdb: what a person types, and the commands of share/raddle/gdb. The editors are in test_editors.py."""
import json
import re
import shutil

from common import ROOT, run
from debugger_clients import plain, typed

NO_GDB = None if shutil.which("gdb") else "skipped: no gdb"
FOUND = "raddle: the schedule has been followed to its finding: "


def need(done, *words):
    """The words appear in this order."""
    text, at = plain(done.text), 0
    for word in words:
        found = text.find(plain(word), at)
        if found < 0:
            done.fail(f"'{word}' does not appear in the session" + (" at its place" if word in text else ""))
        at = found + len(plain(word))
    return done


def never(done, *words):
    for word in words:
        if word in done.text:
            done.fail(f"'{word}' appears in the session")
    return done


def threads(done):
    return len(re.findall(r"^\*? +\d+ +Thread ", done.out, re.M))


def abba(tools, name):
    work = tools.dir(name)
    return tools.find(work, ["-s", "dfs", "--minimise", "5"], tools.program("bug/abba.c", mode="plain"), "deadlock")[2]


def test_stops_at_the_assertion(tools):
    """It stops where the program fails, with every thread at its place."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_assertion")
    _, finding, schedule = tools.find(work, ["-s", "dfs"], tools.program("bug/splitsync.c"), "assertion")
    done = typed(tools, schedule, ["info threads", "thread apply all bt", "bt"])
    need(done, "Assertion", FOUND + "assertion failed", "splitsync.c:%d" % finding["line"])
    need(done, "main ()", "add").expect(1)
    if threads(done) != 2:  # main, and the thread that fails; the other one has finished
        done.fail(f"'info threads' shows {threads(done)} threads, not 2")


TRANSCRIPT = """\
raddle: the schedule has been followed to its finding: deadlock: 2 threads wait for each other
#N 0x… in second (arg=0x0) at abba.c:27
27	    pthread_mutex_lock(&a);
raddle: try 'info threads', 'bt', 'raddle-why', 'help raddle'
 Id Target Id Frame
 1 Thread 0x… (LWP …) T0 main () at abba.c:37
 2 Thread 0x… (LWP …) T1 first (arg=0x0) at abba.c:19
* 3 Thread 0x… (LWP …) T2 second (arg=0x0) at abba.c:27
#N 0x… in second (arg=0x0) at abba.c:27
[Switching to thread 2 (Thread 0x… (LWP …)), T1]
#N 0x… in first (arg=0x0) at abba.c:19
19	    pthread_mutex_lock(&b); /* BUG */
 4 T1 lock a at abba.c:18
-> here, after 6 steps
blocked T2 lock a
"""


def test_the_whole_text_of_a_session(tools):
    """No word at the start but the finding, where it is, and a hint; the program's frames and nothing else."""
    if NO_GDB:
        return NO_GDB
    done = typed(tools, abba(tools, "gdb_text"), ["info threads", "bt", "thread 2", "raddle-history a"]).expect(1)
    text = "\n".join(line.strip(" ") if line.startswith((" ", "#")) else line for line in plain(done.text).split("\n"))
    want = "\n".join(line.strip(" ") if line.startswith((" ", "#")) else line for line in plain(TRANSCRIPT).split("\n"))
    if text.replace("27 ", "27\t") != want.replace("27 ", "27\t"):
        done.fail("the text differs from\n" + want)


def test_run_again(tools):
    """`run` replays any number of times: in the middle, at the finding, after the end, after `kill`; breakpoints stay."""
    if NO_GDB:
        return NO_GDB
    schedule = abba(tools, "gdb_run")
    stop = ["second (arg=0x0) at abba.c:", FOUND + "deadlock"]
    done = typed(tools, schedule, ["break second", "run", "run", "continue", "run", "kill", "run", "continue", "continue",
                                   "run", "delete", "run"])
    need(done, FOUND, "Breakpoint 1 at", "hit Breakpoint 1", "hit Breakpoint 1", *stop, "hit Breakpoint 1",
         "hit Breakpoint 1", *stop, "exited normally", "hit Breakpoint 1", *stop).expect(1)
    never(done, "libthread_db", "not defined", "Function \"", "Program stopped", "diverge", "does not follow")
    before = typed(tools, schedule, ["break first", "run", "continue"], ["--no-run"])
    need(before, "Breakpoint 1 at", "hit Breakpoint 1", "first (arg=0x0) at abba.c:", FOUND + "deadlock").expect(1)
    if before.text.count(FOUND) != 1:
        before.fail("it ran before 'run'")
    typed(tools, schedule, ["info breakpoints"], ["--no-run"]).expect(0)
    left = typed(tools, schedule, ["break first", "run"])
    left.expect(0)  # the last run has not come to the finding


def test_steps(tools):
    """The commands that move in the schedule, forwards and backwards."""
    if NO_GDB:
        return NO_GDB
    schedule = abba(tools, "gdb_steps")
    done = typed(tools, schedule, ["raddle-step", "raddle-next-switch", "raddle-back 2", "raddle-where", "raddle-step 3",
                                   "raddle-back", "next", "next", "next"], ["--at-step", "4"])
    need(done, "raddle: step 4 of 6 comes next: T1 lock a at abba.c:18", "first (arg=0x0) at abba.c:18",
         "raddle: step 5 of 6 comes next: T2 start", "no frame of the program yet", FOUND + "deadlock",
         "raddle: step 5 of 6 comes next", "4 of 6 steps are done", "last 4 T1 lock a", "next 5 T2 start", "T2 step 5: start",
         FOUND + "deadlock", "raddle: step 6 of 6 comes next: T2 lock b at abba.c:26", "second (arg=0x0) at abba.c:26",
         "second (arg=0x0) at abba.c:27", FOUND + "deadlock").expect(1)
    need(done, "The execution ends here")
    done = typed(tools, schedule, ["break first", "raddle-back 5", "raddle-back 3", "raddle-at-step 4", "raddle-at-step 7",
                                   "raddle why", "continue", "raddle-where"])
    need(done, "step 2 of 6", "step 4 of 6", "deadlock: 2 threads wait", "T2 lock b at abba.c:26 (step 6) <- to come",
         FOUND)
    need(done, "There are only 1 steps before this point")
    need(done, "raddle-at-step takes a step: the schedule has 6")
    never(done, "hit Breakpoint 1, first")


def test_options(tools):
    """Options that make no sense are refused."""
    if NO_GDB:
        return NO_GDB
    schedule = abba(tools, "gdb_options")
    for options, words in ([["--gdb", "--at-step", "7"], ["no step 7", "6 steps"]],
                           [["--gdb", "--at-step", "0"], ["numbered from 1"]],
                           [["--at-step", "2"], ["--at-step needs --gdb"]],
                           [["--no-run"], ["--no-run needs --gdb"]],
                           [["--gdb-arg", "-nx"], ["--gdb-arg needs --gdb"]],
                           [["--gdb", "--gdbserver", "1"], ["exclude"]],
                           [["--gdbserver", "port"], ["takes a port"]],
                           [["--gdbserver", "localhost:70000"], ["takes a port"]]):
        run([tools.raddle, "replay", *options, schedule]).expect_trouble(*words)
    run([tools.raddle, "replay", "--gdb", schedule], env={"PATH": "/nowhere"}).expect_trouble("cannot run gdb")


def test_crash(tools):
    """A crash stops at the faulting instruction, also the second time."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_crash")
    program = tools.program("bug/null_dereference.c", mode="plain")
    _, finding, schedule = tools.find(work, ["-s", "dfs"], program, "crash")
    done = typed(tools, schedule, ["bt", "p current", "raddle-back", "continue"])
    need(done, "SIGSEGV", "sender (arg=", "null_dereference.c:%d" % finding["line"], FOUND + "crash", "sender (arg=",
         "= (struct connection *) 0x0", "comes next: T1 lock lock", "SIGSEGV", FOUND + "crash").expect(1)


CRASH_FIRST = """
#include <assert.h>
#include <pthread.h>
static int wrote;
static void *crashes(void *a) { wrote = 1; __builtin_trap(); return a; }
static void *looks(void *a) { assert(!wrote); return a; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, crashes, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""


def test_others_go_on_after_a_crash(tools):
    """A thread has crashed, and another one fails before it ends the execution: 'continue' leads there."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_crash_first")
    program = tools.text_program(work, "first.c", CRASH_FIRST)
    _, s = tools.search(work, ["-s", "dpor", "-k"], program)
    schedules = {f["kind"]: work / f["schedule"] for f in s["findings"]}
    done = typed(tools, schedules["assertion"], ["continue", "bt", "thread apply all bt"])
    need(done, "received signal SIGILL", "other threads go on before it ends the execution", FOUND + "assertion failed", "looks (", "crashes (", "main ()")
    done.expect(1)
    done = typed(tools, schedules["crash"], ["bt", "continue", "bt"])
    need(done, "received signal SIGILL", FOUND + "crash: SIGILL", "crashes (")
    done.expect(1)


def test_race(tools):
    """The replay of a race stops at the second access."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_race")
    _, finding, schedule = tools.find(work, ["-s", "dfs"], tools.program("bug/race_counter.c"), "data-race",
                                      detect=("--detect", "races"))
    done = typed(tools, schedule, ["bt", "raddle-history counter", "run"])
    need(done, FOUND + "data race", "race_counter.c:", "counter", FOUND + "data race").expect(1)


def test_cpp(tools):
    """C++: the library's frames between the program's and the runtime's are passed over, too."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_cpp")
    _, _, schedule = tools.find(work, ["-s", "dfs"], tools.program("bug/abba.cc", mode="plain"), "deadlock")
    done = typed(tools, schedule, ["info threads", "thread 1", "raddle-back 2"])
    need(done, FOUND + "deadlock", " at abba.cc:", "raddle: try", "T0 main () at abba.cc:")
    if len(re.findall(r"Thread .* at \S*abba\.cc:", done.out)) != 3:
        done.fail("'info threads' does not show three frames of the program")


def test_breakpoints_of_the_programs_own(tools):
    """A function of the program that has the name of one of the runtime's; single steps do not enter the runtime."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_own")
    program = tools.text_program(work, "own.c", OWN)
    _, _, schedule = tools.find(work, ["-s", "dfs"], program, "assertion")
    done = typed(tools, schedule, ["break once", "info breakpoints", "run", "step", "step", "step", "step", "finish"])
    need(done, "Breakpoint 1 at", "own.c, line 6.", "hit Breakpoint 1, once (", "int v = get();", "own.c:8")
    never(done, "locations", "scheduling_point", "tsan.c", "hook")


OWN = """\
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
__attribute__((noinline)) static int get(void) { pthread_mutex_lock(&m); int v = counter; pthread_mutex_unlock(&m); return v; }
static void *once(void *arg) {
    int v = get();
    pthread_mutex_lock(&m);
    counter = v + 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, once, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(get() == 2);
    return 0;
}
"""


def test_calls_and_watchpoints(tools):
    """A function that gdb calls takes no part in the schedule, whatever thread is selected; a watchpoint is harmless."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_calls")
    _, _, schedule = tools.find(work, ["-s", "dfs"], tools.text_program(work, "own.c", OWN), "assertion")
    done = typed(tools, schedule, ["call get()", "break once", "run", "call get()", "thread 1", "call get()",
                                   'call (int)printf("%d\\n", 41)', "show scheduler-locking", "delete", "watch counter",
                                   "continue", "continue"])
    need(done, FOUND, "$1 = 1", "hit Breakpoint 1", "$2 = 0", "$3 = 0", "$4 = 3", '"replay"', "Hardware watchpoint 2",
         "Old value = 0", "New value = 1", FOUND + "assertion failed").expect(1)
    done = typed(tools, schedule, ["set counter = 5", "raddle-history 3 + 4", "raddle-history nothing", "raddle-step 0",
                                   "run surplus", "info threads 9-"])
    need(done, "'3 + 4' is not in memory")
    need(done, "Names in this schedule: counter")
    need(done, "must be at least 1")
    need(done, "'run' takes none")


def test_the_page(tools):
    """Every session of docs/debugger.md goes as it says, and the page names every command."""
    if NO_GDB:
        return NO_GDB
    page = (ROOT / "docs" / "debugger.md").read_text()
    work = tools.dir("gdb_page")
    run([tools.raddle, "cc", "-g", ROOT / "examples" / "bank.c", "-o", work / "bank"]).expect(0)
    run([tools.raddle, "run", "--json", "summary.json", "./bank"], cwd=work).expect(1)
    findings = json.loads((work / "summary.json").read_text())["findings"]
    finding = next(f for f in findings if f["kind"] == "assertion")
    blocks = re.findall(r"```text\n(.*?)```", page, re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    commands = [line[6:] for line in lines if line.startswith("(gdb) ")]
    session = typed(tools, work / finding["schedule"], commands)
    need(session, *["" if line.startswith("(gdb) ") else line for line in lines])
    known = set(re.findall(r"^(raddle-[a-z-]+) ", typed(tools, work / finding["schedule"], ["help raddle"]).text, re.M))
    used = {c.split()[0] for c in commands if c.startswith("raddle-")}
    missing = {c for c in known if f"`{c}" not in page} | known - used - {"raddle-schedule"}
    if len(known) != 8 or missing:
        session.fail(f"commands that the page does not show: {missing or known}")


def test_input_and_output(tools):
    """The program reads the file that is the standard input; what it prints is shown once."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_input")
    program = tools.text_program(work, "reads.c", READS)
    (work / "input").write_text("seven\n")
    with open(work / "input") as f:
        _, _, schedule = tools.find(work, ["-s", "dfs"], program, "assertion", stdin=f)
    words = [w for c in ["run", "break work", "run", "continue"] for w in ("--gdb-arg", "-ex", "--gdb-arg", c)]
    with open(work / "input") as f:
        done = run([tools.raddle, "replay", "--gdb", "--gdb-arg", "-batch", "--gdb-arg", "-nx", *words, schedule], stdin=f)
    need(done, "got seven", FOUND, "got seven", FOUND, "hit Breakpoint 1", "got seven", FOUND)
    if done.out.count("got seven") != 3:
        done.fail("the output is not shown once in each run")


READS = """\
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int x;
static void *work(void *arg) { x = 1; return arg; }
int main(void) {
    pthread_t t;
    char word[16] = "";
    if (scanf("%15s", word) != 1) return 3;
    printf("got %s\\n", word);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(strcmp(word, "seven") != 0);
    return 0;
}
"""


def test_a_long_schedule(tools):
    """Stopping at a late step of many thousands takes no longer than the replay."""
    if NO_GDB:
        return NO_GDB
    work = tools.dir("gdb_long")
    _, _, schedule = tools.find(work, ["-s", "random", "--seed", "1", "--no-minimise"],
                                tools.text_program(work, "long.c", LONG), "assertion")
    done = typed(tools, schedule, ["raddle-at-step 20000", "raddle-back 10", "raddle-step 5", "raddle-where"])
    need(done, "raddle: step 20000 of", "raddle: step 19990 of", "raddle: step 19995 of", "19994 of").expect(0)


test_a_long_schedule.slow = True

LONG = """\
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *work(void *arg) {
    for (int i = 0; i < 6000; i++) {
        pthread_mutex_lock(&m);
        counter++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(counter == 0);
    return 0;
}
"""
