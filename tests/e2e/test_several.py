"""Several findings of one run: races of the same lines are one bug, so is one deadlock of symmetric threads, and the
table at the end has a line for each bug."""
import re

from common import Failure, run

INCREMENT = """#include <assert.h>
#include <pthread.h>
static int counter, other, table[4];
static void put(int *p) { *p = 1; }
static void *work(void *a) {
    counter++;
    put(&other);
    put(&table[1]);
    return a;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(counter == 2);
    return 0;
}
"""

TEMPLATE = """#include <pthread.h>
#include <vector>
static std::vector<int> ints(2);
static std::vector<long> longs(2);
template <class T> void add(std::vector<T> &v) {
    v[0] = v[0] + 1; // the race
}
static void *work(void *a) {
    add(ints);
    add(longs);
    return a;
}
int main() {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
}
"""

# %d threads, each with a lock of its own that it takes before that of the next one: every rotation is the same bug
PHILOSOPHERS = """#include <pthread.h>
enum { N = 4 };
static pthread_mutex_t fork_[N];
static void *eat(void *a) {
    long i = (long)a;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[i]);
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, eat, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""

# a null pointer in memcpy: several instructions of libc, one line of the program
COPY = """#include <pthread.h>
#include <string.h>
static char *volatile target, buffer[64];
static void *clear(void *a) {
    target = 0;
    return a;
}
int main(int argc, char **argv) {
    pthread_t t;
    (void)argv;
    target = buffer;
    pthread_create(&t, 0, clear, 0);
    for (int i = 0; i < 2; i++)
        memcpy(target, "0123456789abcdefghijklmnopqrstuvwxyz", (size_t)(i ? 2 : argc + 20));
    pthread_join(t, 0);
    return 0;
}
"""


def keep_going(tools, work, program, *options):
    detect = () if "--detect" in options else ("--detect", "races,deadlocks,heap")
    done, summary = tools.search(work, ["-k", "-s", "dpor", "--minimise", "5", *detect, *options], program)
    return done, summary["findings"]


def check_replays(tools, work, findings):
    for finding in findings:
        for one in [finding, *finding["also"]]:
            run([tools.raddle, "replay", "--times", "2", one["schedule"]], cwd=work).expect(1)


def test_races_of_the_same_lines(tools):
    """counter++ races with itself in several ways, and put() at two variables: two races, and an assertion."""
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-O2"):
            work = tools.dir(f"several/increment-{compiler}{level}")
            program = tools.text_program(work, f"increment{level}.c", INCREMENT, compiler=compiler, flags=[level])
            done, findings = keep_going(tools, work, program)
            races = [f for f in findings if f["kind"] == "data-race"]
            lines = [f["line"] for f in races]
            wanted = [6, 4] if level == "-O0" else [6]
            if lines[: len(wanted)] != wanted or len(set(lines)) != len(lines):
                done.fail(f"{compiler} {level}: races at lines {lines}")
            if races[0]["count"] != 2 or len(races[0]["also"]) != 1:
                done.fail(f"{compiler} {level}: {races[0]['count']} kinds of pairs of counter++ with itself, not 2")
            if "found 1 more time at other accesses of these lines" not in done.out:
                done.fail("the report does not say what it stands for")
            if level == "-O0" and races[1]["other_memory"] != ["table[1]"]:
                done.fail(f"other memory of put(): {races[1]['other_memory']}")
            failed = [f for f in findings if f["kind"] == "assertion"]
            if len(failed) != 1 or failed[0]["same_memory_as"] != 1 or failed[0]["counted"] != "executions":
                done.fail("the assertion is not one finding about the memory of the race")
            if failed[0]["executions"] < 2 or races[0]["executions"] < failed[0]["executions"]:
                done.fail("too few executions are said to show a finding")
            check_replays(tools, work, findings)


def test_race_in_a_template(tools):
    """Two copies of a template, and operator[] of the library: the user has one racing line."""
    for level in ("-O0", "-O2"):
        work = tools.dir(f"several/template{level}")
        program = tools.text_program(work, f"template{level}.cc", TEMPLATE, flags=[level])
        done, findings = keep_going(tools, work, program)
        if [f["line"] for f in findings] != [6]:
            done.fail(f"{level}: findings at {[(f['kind'], f['file'], f['line']) for f in findings]}")


def test_symmetric_deadlock(tools):
    work = tools.dir("several/philosophers")
    program = tools.text_program(work, "philosophers.c", PHILOSOPHERS)
    for strategy in ("dpor", "random"):
        done, summary = tools.search(work, ["-k", "-s", strategy, "-n", "300", "--seed", "3", "--detect", "deadlocks"], program)
        if [f["kind"] for f in summary["findings"]] != ["deadlock"] or summary["warnings"]:
            done.fail("not one deadlock")
        if "#1" in done.out or "number, kind, place" in done.out:
            done.fail("a number and a table for a single finding")
        if summary["findings"][0]["executions"] < 1:
            done.fail("no execution counted")


def test_crash_in_a_library_function(tools):
    work = tools.dir("several/copy")
    program = tools.text_program(work, "copy.c", COPY)
    done, findings = keep_going(tools, work, program, "--detect", "none")
    if [(f["kind"], f["line"]) for f in findings] != [("crash", 14)]:
        done.fail(f"findings: {[(f['kind'], f['line']) for f in findings]}")


def test_table(tools):
    work = tools.dir("several/table")
    program = tools.text_program(work, "table.c", INCREMENT, flags=["-O0"])
    done, findings = keep_going(tools, work, program)
    table = done.out.split("\nfindings (")[1].splitlines()[1:]
    for i, f in enumerate(findings):
        line = table[i]
        if not line.startswith(f"  #{i + 1} ") or f"table.c:{f['line']}" not in line or f["schedule"] not in line:
            done.fail(f"line {i + 1} of the table is not about finding {i + 1}: {line}")
        count = f"{f['executions']} {'orders' if f['counted'] == 'orders' else 'executions'}"
        if count not in line:
            done.fail(f"line {i + 1} of the table has not '{count}'")
        if f["number"] != i + 1 or not re.search(rf"^#{i + 1} ", done.out, re.M):
            done.fail(f"report {i + 1} does not begin with its number")
    if "same memory as #1" not in table[2]:
        done.fail("the table does not say that the assertion is about the memory of the race")
    narrow = run(["script", "-qec", f"stty cols 80; {tools.raddle} run -k -s dpor -o out {program}", "/dev/null"], cwd=work)
    rows = narrow.out.replace("\r", "").split("findings")[1].splitlines()[1:]
    rows = rows[: rows.index("")]
    for row in rows:
        if len(re.sub(r"\033\[[0-9;]*m", "", row)) > 80 and ".sched" not in row:
            raise Failure(f"wider than the terminal: {row}")
