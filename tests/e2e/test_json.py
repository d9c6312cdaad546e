"""The JSON summary and the other parts of the command line's contract."""
import json
import re
import shutil

from common import KINDS, run

NUMBER = (int, float)
SUMMARY = {"raddle": str, "program": str, "strategy": str, "isolation": str, "points": str, "executions": int,
           "cut": int, "distinct_orders": int, "steps": int, "preemptions": list, "steps_max": int, "blocking_max": int,
           "preemptions_max": int, "complete": bool, "finished": bool, "guarantee": str,
           "instrumented": bool, "unseen_code": list, "bounds": dict, "uncontrolled": list, "search_bytes": int, "elapsed_s": NUMBER, "executions_per_s": NUMBER,
           "threads_max": int, "findings": list}
FINDING = {"kind": str, "message": str, "file": str, "line": int, "function": str, "execution": int,
           "preemptions": int, "preempted_at": list, "threads": list, "variables": list, "schedule": str, "stacks": list}


def check_types(done, what, thing, types):
    for key, kind in types.items():
        if key not in thing:
            done.fail(f"{what} has no '{key}'")
        if not isinstance(thing[key], kind) or (kind is int and isinstance(thing[key], bool)):
            done.fail(f"'{key}' of {what} is {thing[key]!r}")


def test_summary_of_a_bug(tools):
    work = tools.dir("json_bug")
    done, summary = tools.search(work, ["-s", "dfs"], tools.program("bug/lost_update.c"))
    done.expect(1)
    check_types(done, "the summary", summary, SUMMARY)
    finding = summary["findings"][0]
    check_types(done, "the finding", finding, FINDING)
    if finding["kind"] not in KINDS or not finding["message"] or finding["function"] != "main":
        done.fail(f"kind '{finding['kind']}', message '{finding['message']}', function '{finding['function']}'")
    if not 1 <= finding["execution"] <= summary["executions"] or finding["preemptions"] < 1:
        done.fail(f"execution {finding['execution']} of {summary['executions']}, {finding['preemptions']} preemptions")
    if summary["strategy"] != "dfs" or summary["threads_max"] != 3 or summary["steps"] < summary["executions"]:
        done.fail(f"strategy {summary['strategy']}, {summary['threads_max']} threads, {summary['steps']} steps")
    if not finding["stacks"] or "main" not in json.dumps(finding["stacks"]):
        done.fail("no stack with main")


def test_summary_without_a_bug(tools):
    work = tools.dir("json_ok")
    done, summary = tools.search(work, ["-s", "dfs"], tools.program("ok/gambit_2x2.c"))
    done.expect(0)
    check_types(done, "the summary", summary, SUMMARY)
    if summary["findings"] or not summary["complete"] or not summary["guarantee"]:
        done.fail("findings, or not complete, or no guarantee")


def test_json_on_standard_output(tools):
    """`--json -` prints one JSON object to standard output, and nothing else."""
    work = tools.dir("json_stdout")
    for name, status in (("ok/gambit_2x2.c", 0), ("bug/lost_update.c", 1)):
        command = [tools.raddle, "run", "-s", "dfs", "--json", "-", "-o", work / "out", tools.program(name)]
        done = run(command).expect(status)
        try:
            summary = json.loads(done.out)
        except ValueError as e:
            done.fail(f"standard output is not one JSON object: {e}")
        check_types(done, "the summary", summary, SUMMARY)


def test_strange_names_in_json(tools):
    """Names with quotes, blanks and bytes that are no UTF-8 are escaped."""
    work = tools.dir("json_names")
    strange = work / 'a "b"\\ \n c'
    shutil.copy(tools.program("bug/lost_update.c"), strange)
    done, summary = tools.search(work, ["-s", "dfs"], strange)
    done.expect(1)
    if summary["program"] != str(strange):
        done.fail(f"program {summary['program']!r}")


def test_keep_going(tools):
    """Without --keep-going the search stops at the first finding; with it, it goes to its end."""
    work = tools.dir("keep_going")
    program = tools.program("bug/abba.c", mode="plain")
    done, first = tools.search(work, ["-s", "dfs"], program)
    done.expect(1)
    done, all_ = tools.search(work, ["-s", "dfs", "--keep-going"], program)
    done.expect(1)
    if first["finished"] or first["executions"] != first["findings"][0]["execution"]:
        done.fail(f"{first['executions']} executions without --keep-going")
    if not all_["finished"] or all_["executions"] != 194 or len(all_["findings"]) != 1:
        done.fail(f"{all_['executions']} executions, {len(all_['findings'])} findings with --keep-going")


def test_budget(tools):
    """-n and -t end the search."""
    work = tools.dir("budget")
    program = tools.program("ok/slot_broadcast.c")
    done, summary = tools.search(work, ["-s", "random", "-n", "17"], program)
    done.expect(0)
    if summary["executions"] != 17 or summary["complete"]:
        done.fail(f"{summary['executions']} executions, complete {summary['complete']}")
    done, summary = tools.search(work, ["-s", "dfs", "-t", "1"], program)
    done.expect(0)
    if summary["complete"] or not 0.25 <= summary["elapsed_s"] <= 5:
        done.fail(f"{summary['elapsed_s']} s, complete {summary['complete']}")


def test_same_seed_same_search(tools):
    """The same seed: the same executions, findings and schedule bytes; another seed: another search."""
    work, seen = tools.dir("seed"), []
    for seed in ("42", "42", "43"):
        options = ["-s", "random", "--seed", seed, "-n", "2000"]
        done, finding, schedule = tools.find(work, options, tools.program("bug/check_then_act.cc"), "assertion")
        _, s = tools.search(work, [*options, "-n", "100"], tools.program("ok/slot_broadcast.c"))
        seen.append((finding["execution"], schedule.read_bytes(), s["executions"], s["steps"], s["distinct_orders"]))
    if seen[0] != seen[1]:
        done.fail("the same seed did not do the same")
    if seen[0][1:] == seen[2][1:]:
        done.fail("another seed did exactly the same")


def test_list(tools):
    done = run([tools.raddle, "list", "strategies"]).expect(0)
    for name in ("dfs", "random"):
        if not re.search(rf"^{name}\s+\S", done.out, re.M):
            done.fail(f"strategy '{name}' is not listed with a summary")
    run([tools.raddle, "list"]).expect(0)


def test_help_and_version(tools):
    for words in (["--help"], ["help"], ["help", "run"], ["help", "replay"], ["help", "show"], ["--version"]):
        done = run([tools.raddle, *words]).expect(0)
        if not done.out.strip() or done.err:
            done.fail("no text on standard output, or some on standard error")


def test_quiet(tools):
    work = tools.dir("quiet")
    program = tools.program("ok/gambit_2x2.c")
    done = run([tools.raddle, "run", "--quiet", "-s", "dfs", "-o", work / "out", program]).expect(0)
    if done.text.strip():
        done.fail("--quiet and no finding, but there is output")


def test_output_that_cannot_be_written(tools):
    """A full disk is trouble; so is a closed stream if there is output for it."""
    work = tools.dir("unwritable")
    command = f"'{tools.raddle}' run -s dfs -o '{work / 'out'}' %s '{tools.program('ok/gambit_2x2.c')}' %s"
    for options, stream, status in (("", ">/dev/full", 2), ("", ">&-", 2), ("-q", ">&-", 0), ("", "<&-", 0)):
        done = run(["sh", "-c", command % (options, stream)]).expect(status)
        if status and "cannot write to the standard output" not in done.err:
            done.fail("it does not say what it cannot write to")


TALK = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *talk(void *arg) {
    puts("a line from the thread");
    fputs("and an error line\n", stderr);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, NULL, talk, argv);
    pthread_join(t, NULL);
    puts("the last line");
    fflush(stdout);
    assert(argc == 1);
    return 0;
}
"""


def test_output_is_captured(tools):
    """The program's output is shown on request and with a finding, not otherwise."""
    work = tools.dir("captured")
    program = tools.text_program(work, "talk.c", TALK, mode="plain")
    base = [tools.raddle, "run", "-s", "dfs", "-o", work / "out"]
    done = run([*base, program]).expect(0)
    if "a line" in done.text or "error line" in done.text:
        done.fail("the program's output is shown")
    done = run([*base, "--show-output", program]).expect(0)
    for line in ("a line from the thread", "and an error line", "the last line"):
        if line not in done.text:
            done.fail(f"'{line}' is not shown")
    done = run([*base, program, "x"]).expect(1)
    for line in ("a line from the thread", "and an error line", "the last line"):
        if line not in done.text:
            done.fail(f"'{line}' is not shown with the finding")


def test_report(tools):
    """The parts of a report: the failure, its place, the holders of locks, the columns, and the command that replays
    it."""
    work = tools.dir("report")
    done, finding, _ = tools.find(work, ["-s", "dfs"], tools.program("bug/abba.c", mode="plain"), "deadlock")
    for word in ("deadlock", "abba.c:", "first", "second", "raddle replay", finding["schedule"]):
        if word not in done.text:
            done.fail(f"'{word}' is not in the report")
    if not re.search(rf"raddle replay \S*{re.escape(finding['schedule'])}$", done.out, re.M):
        done.fail("no line ends with the command that replays the finding")


def test_contract_options(tools):
    """Options that scripts may rely on are accepted, long and short."""
    work = tools.dir("contract_options")
    program = tools.program("ok/gambit_2x2.c")
    for words in (["--strategy", "dfs"], ["-s", "random", "--executions", "5"], ["-n", "5"], ["--time", "5"],
                  ["-j", "1"], ["--jobs", "1"], ["--seed", "3", "-n", "5"], ["--points", "sync"], ["--points", "auto"],
                  ["--keep-going"], ["--isolation", "auto"], ["--progress", "never"], ["--quiet"],
                  ["--out", work / "out2"]):
        run([tools.raddle, "run", *words, "-o", work / "out", program]).expect(0)
