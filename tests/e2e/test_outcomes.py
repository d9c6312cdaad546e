"""Outcomes of executions (--outcomes, --expect-output), suppressions, and the uses of raddle.h that are refused."""
import json

from common import ROOT, run

TWO = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[2], count;
static void *turn(void *arg) {
    pthread_mutex_lock(&lock);
    order[count++] = *(char *)arg;
    pthread_mutex_unlock(&lock);
    WRITE
    return NULL;
}
int main(void) {
    pthread_t a, b;
    fprintf(stderr, "beside\\n");
    pthread_create(&a, NULL, turn, "a");
    pthread_create(&b, NULL, turn, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("first\\n%c%c\\n", order[0], order[1]);
    return STATUS;
}
"""
RACE = """
#include <pthread.h>
static int hits;
static inline __attribute__((always_inline)) void bump(int *x) { ++*x; }
static void *count(void *arg) { bump(&hits); return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""


def two(tools, work, write="", status="0"):
    return tools.text_program(work, "two.c", TWO.replace("WRITE", write).replace("STATUS", status), mode="hooks")


def outcomes(tools, work, program, *options):
    done = run([tools.raddle, "run", "--outcomes", "--json", work / "o.json", "-o", work / "out", *options, program])
    return done, json.loads((work / "o.json").read_text())


def test_outcomes_of_all_strategies(tools):
    """The same two outcomes with every strategy; only complete searches say that there are no others."""
    work = tools.dir("outcomes")
    program = two(tools, work)
    for strategy, knows in (("dfs", True), ("icb", True), ("dpor", True), ("bpor", False), ("random", False)):
        for isolation in ("fork", "exec") if strategy == "dpor" else ("auto",):
            done, found = outcomes(tools, work, program, "-s", strategy, "-n", "10000" if knows else "300", "--isolation", isolation)
            done.expect(0)
            rows = sorted((o["output"], o["status"], o["finding"]) for o in found["outcomes"])
            if rows != [("first\nab\n", 0, None), ("first\nba\n", 0, None)]:
                done.fail(f"{strategy}, {isolation}: {rows}")
            if sum(o["count"] for o in found["outcomes"]) != found["executions"]:
                done.fail("not every execution is counted")
            if found["outcomes_all"] != (knows and found["complete"]) or knows != found["outcomes_all"]:
                done.fail(f"{strategy}: outcomes_all is {found['outcomes_all']}")
    for o in found["outcomes"]:
        replayed = run([tools.raddle, "replay", o["schedule"]]).expect(0)
        if "  | " + o["output"].splitlines()[1] not in replayed.out:
            replayed.fail("another output")


def test_outcomes_with_findings(tools):
    """A wrong exit status is an outcome like others, and remains a bug."""
    work = tools.dir("outcomes-findings")
    done, found = outcomes(tools, work, two(tools, work, status="order[0] == 'b'"), "-s", "dpor")
    done.expect(1)
    rows = sorted((o["status"], o["finding"]) for o in found["outcomes"])
    if rows != [(0, None), (1, "exit-status")] or not found["outcomes_all"]:
        done.fail(f"{rows}")


def test_outcomes_with_deadlocks(tools):
    """A deadlock is an outcome with every strategy, also where it was only predicted and then made to happen."""
    work = tools.dir("outcomes-deadlocks")
    program = tools.program("bug/exitblock_cycle.c", mode="hooks")
    for strategy, extra in (("dpor", False), ("exitblock", True), ("exitblock:dd", True), ("exitblock:rw,dd", True)):
        done, found = outcomes(tools, work, program, "-s", strategy, "-j", "1")
        rows = [(o["finding"], o["extra"], o["count"]) for o in found["outcomes"]]
        if rows[0][:2] != (None, False) or rows[1:] != [("deadlock", extra, 1)]:
            done.fail(f"{strategy}: {rows}")
        if sum(o["count"] for o in found["outcomes"] if not o["extra"]) != found["executions"]:
            done.fail(f"{strategy}: counts that do not add up")
        if extra != ("predicted, then run" in done.out):
            done.fail(f"{strategy}: the table does not say how the deadlock came about")
        deadlock = next(o for o in found["outcomes"] if o["finding"])
        again = run([tools.raddle, "replay", deadlock["schedule"]]).expect(1)
        if "deadlock: 2 threads wait for each other" not in again.out:
            again.fail("the schedule does not show the deadlock")


def test_output_beside_the_stream(tools):
    """Output that threads write() there is ordered like output that they print."""
    work = tools.dir("outcomes-write")
    program = two(tools, work, write="(void)!write(1, arg, 1);")
    done, found = outcomes(tools, work, program, "-s", "dpor")
    if not found["outcomes_all"] or len(found["outcomes"]) != 4:
        done.fail("not every order of what the threads write was seen")
    all_of_them = {o["output"] for o in found["outcomes"]}
    done, found = outcomes(tools, work, program, "-s", "dfs")
    if {o["output"] for o in found["outcomes"]} != all_of_them:
        done.fail("dfs and dpor see different outputs")


def test_expected_output(tools):
    work = tools.dir("expect-output")
    program = two(tools, work)
    (work / "ab").write_text("first\nab\n")
    (work / "short").write_text("first\n")
    command = [tools.raddle, "run", "-s", "dpor", "-o", work / "out", "--expect-output"]
    done = run([*command, work / "ab", program]).expect(1)
    if 'line 2 of the output: expected "ab", printed "ba"' not in done.out:
        done.fail("no first difference")
    [schedule] = (work / "out").glob("two.bin.output.*.sched")
    for backend in ("kernel", "virtual"):
        run([tools.raddle, "replay", "--times", "3", "--backend", backend, "--record", work / backend, schedule]).expect(1)
    if (work / "kernel").read_bytes() != (work / "virtual").read_bytes():
        done.fail("the backends recorded different schedules")
    done = run([*command, work / "short", program]).expect(1)
    if 'line 2 of the output: expected nothing more, printed "ab"' not in done.out:
        done.fail("no first difference")
    run([*command, work / "missing", program]).expect_trouble("cannot open", "missing")


def test_suppressions(tools):
    work = tools.dir("suppress")
    program = tools.text_program(work, "race.c", RACE)
    command = [tools.raddle, "run", "-s", "dpor", "-o", work / "out", "--suppress", work / "list"]
    for text in ("race:bump", "race:co?nt", "# known\n\n race : race.c \n", "race:*.c", "deadlock:f\nrace:bump"):
        (work / "list").write_text(text)
        done = run([*command, program]).expect(0)
        if "2 findings were suppressed" not in done.out:
            done.fail(f"'{text}' does not count what it suppresses")
    (work / "list").write_text("race:main\ndeadlock:bump\nrace:other.c\n")
    run([*command, program]).expect(1)
    for text, words in (("rcae:bump", "unknown kind 'rcae'"), ("\nbump", "list:2"), ("race:", "no function or file")):
        (work / "list").write_text(text)
        run([*command, program]).expect_trouble(words)
    run([*command[:-1], work / "none", program]).expect_trouble("cannot open")


def say(tools, work, body, mode="plain"):
    text = "#include <pthread.h>\n#include <raddle.h>\nstatic void *f(void *a) {" + body + "return a; }\n"
    text += "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }\n"
    return tools.text_program(work, "say.c", text, mode=mode)


def test_refusals(tools):
    """Impossible requests are refused, and wrong uses are bugs."""
    work = tools.dir("raddle-h")
    command = [tools.raddle, "run", "-o", work / "out", "-s"]
    run([*command, "dpor", say(tools, work, "raddle_atomic_begin();")]).expect_trouble("raddle_atomic_begin")
    run([*command, "dfs", say(tools, work, "raddle_choose(2000);")]).expect_trouble("more than 1024 values")
    for body, words in (("raddle_choose(0);", "at least 1"), ("raddle_atomic_end();", "without a raddle_atomic_begin")):
        done = run([*command, "dfs", say(tools, work, body)]).expect(1)
        if words not in done.out:
            done.fail("another bug")
    done = run([*command, "dfs", say(tools, work, "raddle_assume(0);")]).expect(0)
    if "no execution in which every assumption holds" not in done.out:
        done.fail("something is proved although nothing was tested")


def test_header_alone(tools):
    """The header compiles everywhere, links with nothing, and does nothing without Raddle; where it could not work it
    says so."""
    work = tools.dir("raddle-h-alone")
    body = ("raddle_assert(0); raddle_observe(\"x\", 1); raddle_assume(0); raddle_atomic_begin(); raddle_atomic_end();"
            "raddle_name_thread(\"t\"); raddle_name_variable(&a, 1, \"a\"); raddle_benign_race(&a, 1);"
            "if (raddle_choose(5) || raddle_running()) __builtin_trap();")
    say(tools, work, body)
    flags = [f"-I{ROOT / 'include'}", "-Wall", "-Wextra", "-Werror", "-pedantic", "-pthread"]
    (work / "say.cpp").write_text((work / "say.c").read_text())
    for compiler in ("gcc", "clang", "g++", "clang++"):
        source = work / ("say.cpp" if compiler.endswith("++") else "say.c")
        run([compiler, *flags, source, "-o", work / compiler]).expect(0)
        run([work / compiler]).expect(0)
    done = run(["gcc", *flags, "-fno-pie", "-no-pie", work / "say.c", "-o", work / "fixed"])
    if done.status == 0 or "raddle cc" not in done.err:
        done.fail("a program that could not find Raddle was compiled")
    run([tools.raddle, "cc", *flags, "-fno-pie", "-no-pie", work / "say.c", "-o", work / "fixed"]).expect(0)
    run([work / "fixed"]).expect(0)
    run([tools.raddle, "run", "-s", "dfs", "-o", work / "out", work / "fixed"]).expect(1)
