"""raddle test: the tests of real frameworks, each listed, run by itself, and reported; filters, shards, trouble."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from xml.etree import ElementTree

import test_frameworks as frameworks
from common import Done, Failure, run

PASSED, BUG, ALONE, SKIPPED, DISABLED, TROUBLE = "passed", "bug", "no_threads", "skipped", "disabled", "trouble"

GTEST = {
    "Bank.Careful": PASSED, "Bank.Careless": BUG, "Bank.CarelessAsserted": BUG, "Typed/0.HasNoThreads": ALONE,
    "Odd.DISABLED_Broken": DISABLED, "Odd.Skips": SKIPPED, 'AtRunTime.a:b-c "q", [d] weiß': ALONE, "AtRunTime.twin:": TROUBLE,
    "AtRunTime.twin-": TROUBLE, "Amounts/Careful.Amount/0": PASSED, "Amounts/Careful.Amount/1": PASSED,
}
CATCH2 = {
    "careful": PASSED, "careless": BUG, "careless checked": BUG, 'no threads: with, commas [b] "q" \\ back, weiß': ALONE,
    "[first] bracket": ALONE, "~tilde": ALONE, "#hash": ALONE, "twin": TROUBLE, "TWIN": TROUBLE, "typed - int": ALONE,
    "typed - std::pair<int, long>": ALONE, "hidden": DISABLED,
}
DOCTEST = {
    "careful": PASSED, "careless": BUG, "careless checked": BUG, 'no threads: with, commas [b] "q" \\ * <x> & weiß': ALONE,
    "skipped": DISABLED, "one/the same name": ALONE, "two/the same name": BUG, "two/twice here": TROUBLE, "typed<int>": ALONE,
    "typed<long int>": ALONE, "parses <br/>": BUG, "a='/>' name=\"x\" skipped=\"true\">": ALONE,
}
BOOST = {
    "no_threads": ALONE, "outer/careful": PASSED, "outer/inner/careless": BUG, "outer/inner/off": DISABLED,
    "outer/inner/typed<int>": ALONE, "outer/inner/typed<std__pair<int_ long>>": ALONE, "outer/inner/data/_0": ALONE,
    "outer/inner/data/_1": ALONE, "disabled_suite/within": DISABLED,
}


def results_of(tools, work, options, *programs, env=None):
    """Runs raddle test and returns the finished command and its JSON document (None if there is none)."""
    path = work / "tests.json"
    path.unlink(missing_ok=True)
    command = [tools.raddle, "test", "--detect", "heap", "--no-minimise", *options, "--json", path, *programs]
    done = run(command, cwd=work, env=env)
    return done, json.loads(path.read_text()) if path.exists() and path.read_text() else None


def names(tools, work, *words):
    done = run([tools.raddle, "test", "--list", *words], cwd=work).expect(0)
    return [line.removesuffix("  (disabled)") for line in done.out.splitlines()]


def check(tools, work, program, wanted, place):
    """Each test has the wanted result; a bug names the place of the framework's message and replays."""
    done, summary = results_of(tools, work, ["-j", "2"], program)
    done.expect(1)
    results = {t["name"]: t["result"] for t in summary["tests"]}
    if results != wanted:
        done.fail(f"the results are {results}, expected {wanted}")
    if names(tools, work, program) != [t["name"] for t in summary["tests"]]:
        done.fail("--list prints other tests")
    for kind in set(wanted.values()):
        if summary["totals"][kind] != sum(t["result"] == kind for t in summary["tests"]):
            done.fail(f"the total of '{kind}' is {summary['totals'][kind]}")
    bug = next(t for t in summary["tests"] if t["result"] == BUG)
    if bug["text"] != f"check at {place}":
        done.fail(f"'{bug['text']}' is not the place of the failed check, {place}")
    for t in summary["tests"]:
        if t["result"] == ALONE and (t["executions"] != 1 or t["run"]["threads_max"] != 1 or t["text"] != "run once"):
            done.fail(f"'{t['name']}' was not run once")
        if t["result"] == PASSED and (not t["run"]["finished"] or t["run"]["threads_max"] < 3):
            done.fail(f"the search of '{t['name']}' is not finished")
        if t["result"] == BUG and t["run"]["threads_max"] > 1:
            schedule = work / t["run"]["findings"][0]["schedule"]
            if f"raddle replay {t['run']['findings'][0]['schedule']}" not in done.out:
                done.fail("no command that replays the bug")
            tools.replay(work, schedule, "virtual", 1)
    return done, summary


def test_gtest(tools):
    work = tools.dir("test-gtest")
    program = frameworks.build(tools, "gtest.cc")
    done, summary = check(tools, work, program, GTEST, "gtest.cc:20")
    for words in ("Expected equality of these values", "a deposit is lost", "no threads: run once", "skipped: by itself",
                  "11 tests: 2 with a bug, 2 with trouble, 3 passed, 2 without threads, 1 skipped, 1 disabled"):
        if words not in done.out:
            done.fail(f"'{words}' is not in the output")
    misleading = {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "1", "GTEST_FILTER": "Bank.Careful", "GTEST_COLOR": "yes",
                  "TESTBRIDGE_TEST_ONLY": "Odd.*", "GTEST_REPEAT": "3", "XML_OUTPUT_FILE": str(work / "odd.xml")}
    done, summary = results_of(tools, work, ["--filter", "Bank.Careless"], program, env=misleading)
    done.expect(1)
    if [t["text"] for t in summary["tests"]] != ["check at gtest.cc:20"] or (work / "odd.xml").exists():
        done.fail("variables of the environment reach the program")


def test_junit(tools):
    """A test case for each test, with the counts that CI systems show; odd characters leave it well-formed."""
    work = tools.dir("test-junit")
    program = frameworks.build(tools, "gtest.cc")
    run([tools.raddle, "test", "--no-minimise", "--junit", work / "junit.xml", program], cwd=work).expect(1)
    suite = ElementTree.parse(work / "junit.xml").getroot()
    suite = suite if suite.tag == "testsuite" else suite.find("testsuite")
    tags = {PASSED: set(), ALONE: set(), BUG: {"failure"}, TROUBLE: {"error"}, SKIPPED: {"skipped"}, DISABLED: {"skipped"}}
    found = {c.get("name"): {e.tag for e in c} - {"system-out"} for c in suite.iter("testcase")}
    if found != {name: tags[result] for name, result in GTEST.items()}:
        run(["cat", work / "junit.xml"]).fail("other test cases")
    if [suite.get(k) for k in ("tests", "failures", "errors", "skipped")] != ["11", "2", "2", "2"]:
        run(["cat", work / "junit.xml"]).fail("other counts")
    text = next(c for c in suite.iter("testcase") if c.get("name") == "Bank.Careless").find("failure")
    if text.get("message") != "check at gtest.cc:20" or "a deposit is lost" not in text.text or "raddle replay" not in text.text:
        run(["cat", work / "junit.xml"]).fail("no report in the failure")


def test_hint(tools):
    """`raddle run` of several tests at once says how to search each of them; with one test, without a bug, or quietly it does not."""
    work = tools.dir("test-hint")
    for name in ("gtest.cc", "catch2.cc", "doctest.cc"):
        program = frameworks.build(tools, name)
        done = run([tools.raddle, "run", "-j", "1", "-n", "500", "--no-minimise", program], cwd=work).expect(1)
        *_, last = done.out.splitlines()
        hint = re.fullmatch(r"hint: each execution ran (\d+) tests; a search for each of them comes further: (.*) test (.*)", last)
        if not hint or not 9 < int(hint[1]) < 13 or shlex.split(hint[2] + hint[3])[-1] != f"{tools.raddle}{program}" or done.out.count("hint:") != 1:
            done.fail(f"the last line is '{last}'")
    program = frameworks.build(tools, "gtest.cc")
    one = ["-j", "1", "-n", "500", "--no-minimise"]
    done = run([tools.raddle, "run", "-j", "1", "-n", "2", program, "--gtest_filter=Bank.Careful:*.Amount/0"], cwd=work).expect(0)
    if "hint: each execution ran 2 tests" not in done.out:
        done.fail("no hint at the end of a search that was not finished")
    for options, args in ((one, ["--gtest_filter=Bank.Careless"]), (one, ["--gtest_filter=*Careful.*"]), ([*one, "-q"], []), ([*one, "--json", "-"], [])):
        done = run([tools.raddle, "run", *options, program, *args], cwd=work)
        if "hint:" in done.text:
            done.fail("a hint that does not help")

LARGE = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
"""


def test_large_estimate(tools):
    """A number of schedules that no integer holds is no reason to lose the result."""
    work = tools.dir("test-large")
    done, summary = results_of(tools, work, ["-s", "dfs", "-n", "300"], tools.text_program(work, "large.c", LARGE))
    done.expect(0)
    test, = summary["tests"]
    if test["result"] != PASSED or test["run"]["bounds"]["estimate"] < 1e20:
        done.fail(f"the result is {test['result']}, the estimate {test['run'] and test['run']['bounds']['estimate']}")


def test_catch2(tools):
    check(tools, tools.dir("test-catch2"), frameworks.build(tools, "catch2.cc"), CATCH2, "catch2.cc:18")


def test_doctest(tools):
    check(tools, tools.dir("test-doctest"), frameworks.build(tools, "doctest.cc"), DOCTEST, "doctest.cc:19")


def test_boost(tools):
    check(tools, tools.dir("test-boost"), frameworks.build(tools, "boost.cc"), BOOST, "boost.cc:23")


test_boost.slow = True  # its header takes long to compile


def test_criterion(tools):
    """Criterion runs tests in other processes: that is trouble, with the reason, and not a test that passed."""
    done, summary = results_of(tools, tools.dir("test-criterion"), [], frameworks.build(tools, "criterion.c"))
    done.expect(2)
    if [(t["name"], t["result"]) for t in summary["tests"]] != [("bank/careful", TROUBLE), ("bank/off", DISABLED)]:
        done.fail("other results")
    if "another process" not in summary["tests"][0]["text"]:
        done.fail("no reason")


def test_one_test(tools):
    """A program that cannot list its tests is one test; the words after -- are its arguments."""
    work = tools.dir("test-one")
    program = frameworks.build(tools, "cmocka.c")
    done, summary = results_of(tools, work, [], program)
    done.expect(1)
    if [t["text"] for t in summary["tests"]] != ["check at cmocka.c:66"]:
        done.fail("no place of the failed check")
    done = run([tools.raddle, "test", program, "--", "careful"], cwd=work).expect(0)
    if "1 test: 1 passed" not in done.out:
        done.fail("the argument did not select the test")


def test_filter(tools):
    """Wildcards choose, '!' leaves out; no match is trouble; shards are disjoint, equal, and together everything."""
    work = tools.dir("test-filter")
    program = frameworks.build(tools, "gtest.cc")
    every = names(tools, work, program)
    for patterns, wanted in ((["Bank.*"], [n for n in every if n.startswith("Bank.")]),
                             (["*Careful*", "!Bank.*"], ["Amounts/Careful.Amount/0", "Amounts/Careful.Amount/1"]),
                             (["!*Care*", "!AtRunTime*"], ["Typed/0.HasNoThreads", "Odd.DISABLED_Broken", "Odd.Skips"]),
                             (["gtest.cc: Odd.S*"], ["Odd.Skips"])):
        options = [w for p in patterns for w in ("--filter", p)]
        if names(tools, work, *options, program) != wanted:
            run([tools.raddle, "test", "--list", *options, program]).fail(f"not {wanted}")
    run([tools.raddle, "test", "--filter", "Nothing*", program], cwd=work).expect_trouble("none of the 11 tests matches")
    for parts in (1, 2, 3, 5):
        shards = [names(tools, work, "--shard", f"{k}/{parts}", program) for k in range(1, parts + 1)]
        if sorted(sum(shards, [])) != sorted(every) or max(map(len, shards)) - min(map(len, shards)) > 2:
            run([tools.raddle, "test", "--list", program]).fail(f"the shards {shards} are not the tests")
    done = run([tools.raddle, "test", "--shard", "20/20", "--filter", "Bank.Careful", program], cwd=work).expect(0)
    if "0 tests" not in done.out:
        done.fail("an empty shard is not said to be empty")


LISTS = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char mark[] = "gtest_list_tests";
int main(int argc, char **argv) {
    int mode = atoi(argv[argc - 1]);
    if (mode == 6 && argc > 3 && strstr(argv[1], mark))
        return fprintf(stderr, "bad filter\n"), 7;
    if (argc < 2 || !strstr(argv[1], mark))
        return mode == 6 && puts("[==========] 0 tests from 0 test suites ran. (0 ms total)"), 0;
    if (mode == 1) abort();
    if (mode == 2) for (;;) printf("garbage\x80\xff without end\n");
    if (mode == 3) return puts("no list at all"), 0;
    if (mode == 4) return fprintf(stderr, "bad option\n"), 7;
    if (mode == 6) return puts("S.\n  first\n  sec?nd"), 0;
    if (mode == 5) { if (fork() == 0) { setsid(); for (;;) pause(); } puts("S.\n  bad\x80\xff\x1b[31m\n  good"); return 0; }
    for (;;) pause();
}
"""


WORDS = r"""
#include <stdio.h>
#include <string.h>
static const char mark[] = "gtest_list_tests";
int main(int argc, char **argv) {
    if (strcmp(argv[argc - 1], "last") != 0)
        return 3;
    if (strstr(argv[1], mark))
        puts("S.\n  test");
    return 0;
}
"""


def test_bad_lists(tools):
    """Programs that crash, print garbage, or leave processes behind when they are asked for their tests."""
    work = tools.dir("test-bad-lists")
    program = tools.text_program(work, "lists.c", LISTS)
    for mode, words in ((1, "signal 6"), (2, "more than 16 MiB"), (3, "it lists no tests"), (4, "exit status 7: bad option")):
        run([tools.raddle, "test", program, "--", mode], cwd=work).expect_trouble("cannot list the tests", words)
    done, summary = results_of(tools, work, [], program, "--", "5")
    if done.status != 2 or [t["name"] for t in summary["tests"]] != ["S.bad\ufffd\ufffd\x1b[31m", "S.good"]:
        done.fail("not the two tests")
    if "\x1b" in done.out:
        done.fail("a control character of the program reaches the terminal")
    done, summary = results_of(tools, work, [], program, "--", "6")
    done.expect(2)
    texts = {t["name"]: (t["result"], t["text"]) for t in summary["tests"]}
    if texts["S.first"] != (TROUBLE, "the framework's filter does not find it by its name"):
        done.fail("a run without any test is no trouble")
    if texts["S.sec?nd"][0] != TROUBLE or "exit status 7: bad filter" not in texts["S.sec?nd"][1]:
        done.fail("the reason why the program did not answer is not told")
    left = run(["pgrep", "-f", str(program)])
    if left.out.strip():
        left.fail("a process is left")


def test_hanging_list(tools):
    """A program that does not answer is asked for ten seconds, or until the time of the command is over."""
    work = tools.dir("test-hanging-list")
    program = tools.text_program(work, "hangs.c", LISTS)
    run([tools.raddle, "test", "-t", "0.5", program, "--", "0"], cwd=work).expect_trouble("the time of the command was over")
    run([tools.raddle, "test", program, "--", "0"], cwd=work).expect_trouble("it did not end within 10 s")


test_hanging_list.slow = True


def test_bad_programs(tools):
    work = tools.dir("test-bad-programs")
    (work / "script").write_text("#!/bin/sh\n")
    (work / "script").chmod(0o755)
    (work / "text").write_text("text\n")
    run([tools.raddle, "test"], cwd=work).expect_trouble("no program given")
    run([tools.raddle, "test", "./nothing"], cwd=work).expect_trouble("cannot find './nothing'")
    run([tools.raddle, "test", "./script"], cwd=work).expect_trouble("it is a script")
    run([tools.raddle, "test", "./text"], cwd=work).expect_trouble("it is not an ELF program")
    program = frameworks.build(tools, "cmocka.c")
    for options, words in ((["--coverage", "x.csv"], "--coverage is not possible for several tests"),
                           (["--show-output"], "use 'raddle run --show-output'"), (["--shard", "3/2"], "--shard needs K/N"),
                           (["--shard", "1/2x"], "--shard needs K/N"),
                           (["--shard", "1/4294967298"], "--shard needs K/N"), (["--shard", "1/+2"], "--shard needs K/N"),
                           (["--out", work / "text"], "Not a directory"), (["-j", "0"], "--jobs must be"), (["--framework", "x"], "is one of"),
                           (["--no-such"], "unknown option"), (["-s", "nothing"], "nothing")):
        run([tools.raddle, "test", *options, program], cwd=work).expect_trouble(words)


def test_names_of_folders(tools):
    """A test has the same folder whichever tests run with it; a name that is no part of a path gets a hash."""
    work = tools.dir("test-folders")
    program = frameworks.build(tools, "doctest.cc")
    folders = set()
    for options in ([], ["--shard", "2/2"], ["--shard", "1/2"]):
        done, summary = results_of(tools, work, ["--filter", "careless checked", "--filter", "parses*", *options], program)
        found = {t["name"]: t["run"]["findings"][0]["schedule"] for t in summary["tests"]}
        folders |= {(name, schedule.split("/")[1]) for name, schedule in found.items()}
    if len(folders) != 2 or len({folder for _, folder in folders}) != 2:
        done.fail(f"the folders are {folders}")


def test_many_words(tools):
    """Every argument reaches the tests and the question for them, and every program of a long line is run."""
    work = tools.dir("test-many-words")
    program = tools.text_program(work, "words.c", WORDS)
    done, summary = results_of(tools, work, [], program, "--", *["x"] * 999, "last")
    done.expect(0)
    if [t["name"] for t in summary["tests"]] != ["S.test"]:
        done.fail("other tests")
    listed = names(tools, work, "--framework", "plain", *[program] * 1100)
    if len(listed) != 1100:
        run(["echo"]).fail(f"{len(listed)} of 1100 programs are listed")


def test_marks(tools):
    """A plain program that has a function list_contents is no test of Boost."""
    work = tools.dir("test-marks")
    program = tools.text_program(work, "tar.c", "int list_contents(void) { return 0; }\nint main(void) { return list_contents(); }\n")
    done, summary = results_of(tools, work, [], program)
    done.expect(0)
    if [t["framework"] for t in summary["tests"]] != ["plain program"]:
        done.fail("another framework")


REMOVES = """
#include <assert.h>
#include <unistd.h>
int main(void) {
    rmdir("raddle-out");
    assert(0);
}
"""


def test_folder_is_removed(tools):
    """Another command may remove the folder for the schedules, if it is empty, while this one searches."""
    work = tools.dir("test-folder-removed")
    program = tools.text_program(work, "removes.c", REMOVES)
    done = run([tools.raddle, "run", "--json", "run.json", program], cwd=work).expect(1)
    schedule = json.loads((work / "run.json").read_text())["findings"][0]["schedule"]
    if not (work / schedule).exists():
        done.fail("no schedule")


def stat_of(pid):
    try:
        return open(f"/proc/{pid}/stat").read()
    except OSError:
        return ""


def start(tools, work, *words):
    """raddle test of a program with many schedules; waits until it is running."""
    program = tools.compile(frameworks.HERE.parent / "stop.c", mode="plain")
    command = [str(w) for w in (tools.raddle, "test", "-s", "dfs", "-t", "1000", "--progress", "never", *words, program, "--", "many")]
    p = subprocess.Popen(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not tested(p.pid):
        os.sched_yield()
    return p, command


def tested(pid):
    """The tested processes below this one."""
    below = run(["ps", "--ppid", pid, "-o", "pid="]).out.split()
    return [q for b in below for q in run(["ps", "--ppid", b, "-o", "pid=,comm="]).out.splitlines() if "stop" in q]


def test_interrupt(tools):
    """A Ctrl-C ends the search with the table; nothing is left behind, also not after a second one or a SIGKILL."""
    work = tools.dir("test-interrupt")
    for signals, status in (([signal.SIGINT], 0), ([signal.SIGINT] * 2, -signal.SIGINT), ([signal.SIGKILL], -signal.SIGKILL)):
        p, command = start(tools, work)
        children = [q.split()[0] for q in tested(p.pid)]
        if len(signals) > 1:  # a search that cannot end
            os.kill(int(run(["ps", "--ppid", p.pid, "-o", "pid=,comm="]).out.split(" raddle")[0].split()[-1]), signal.SIGSTOP)
        while p.poll() is None:
            p.send_signal(signals[0])
            if len(signals) == 1:
                break
        out, err = p.communicate(timeout=60)
        done = Done(command, None, work, p.returncode, out, err)
        if not children:
            done.fail("the test was not running")
        done.expect(status)
        if len(signals) == 1 and status == 0 and "stopped by a signal" not in done.out:
            done.fail("no table")
        deadline = time.monotonic() + 10
        while any(stat_of(c).split(")")[-1].strip()[:1] not in ("", "Z") for c in children):
            if time.monotonic() > deadline:
                done.fail("a tested process is left")
            os.sched_yield()


def test_budget(tools):
    """The whole command keeps to -t, and two tests that never end get about the same time; -n holds for each test."""
    work = tools.dir("test-budget")
    program = tools.compile(frameworks.HERE.parent / "stop.c", mode="plain")
    began = time.monotonic()
    done, summary = results_of(tools, work, ["-s", "dfs", "-t", "8", "-j", "1"], program, program, program, program, "--", "many")
    took = time.monotonic() - began
    done.expect(0)
    times = [t["elapsed_s"] for t in summary["tests"]]
    if not 6 < took < 11 or min(times) < 1 or max(times) > 3:
        done.fail(f"{took} s in all, for the tests {times}")
    done, summary = results_of(tools, work, ["-s", "dfs", "-n", "50"], program, program, "--", "many")
    if [t["executions"] for t in summary["tests"]] != [50, 50]:
        done.expect(0).fail("not 50 executions each")


test_budget.slow = True


def test_two_programs_of_one_name(tools):
    """They are told apart by their paths, and their results do not share a folder."""
    work = tools.dir("test_same_name")
    program = tools.text_program(work, "same.c", "int main(void) { return 0; }\n")
    for folder in ("a", "b"):
        (work / folder).mkdir()
        shutil.copy(program, work / folder / "same")
    listed = run([tools.raddle, "test", "--list", "a/same", "b/same"], cwd=work).expect(0).out.splitlines()
    if len(listed) != 2 or not listed[0].startswith("a/same: ") or not listed[1].startswith("b/same: "):
        raise Failure(f"the tests are called {listed}")


TWINS = """
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
TEST_CASE("twin") { CHECK(true); }
TEST_SUITE("suite") { TEST_CASE("twin") { CHECK(1 == 2); } }
"""


def test_doctest_twins(tools):
    """A test outside suites does not get the failure of a test with its name in a suite."""
    work = tools.dir("test-twins")
    program = tools.text_program(work, "twins.cc", TWINS, flags=("-O0",))
    _, summary = results_of(tools, work, ["-n", "5"], program)
    if {t["name"]: t["result"] for t in summary["tests"]} != {"twin": ALONE, "suite/twin": BUG}:
        raise Failure(f"results: {[(t['name'], t['result']) for t in summary['tests']]}")
