"""Variables with names: the output of 'raddle list variables', and preemptions only at some variables (--focus)."""
import csv
import io
import json
import re
from pathlib import Path

from common import run

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "variables.c"


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in line)


def variables(tools, *words):
    return run([tools.raddle, "list", "variables", *words])


def rows(done):
    done.expect(0)
    return {r["variable"]: r for r in csv.DictReader(io.StringIO(done.out))}


def check_row(done, table, name, **expected):
    if name not in table:
        done.fail(f"no variable '{name}'")
    got = {k: table[name][k] for k in expected}
    if got != {k: str(v) for k, v in expected.items()}:
        done.fail(f"{name}: {got}, expected {expected}")


def test_list_of_variables(tools):
    """Globals, members, elements, static variables of functions, heap blocks of every allocating function, whole
    arrays."""
    program = tools.compile(SOURCE)
    done = variables(tools, "--csv", program, "any")
    table = rows(done)
    for name in ("counter", "calls", "table[2].y", f"malloc at variables.c:{line_of('CALLOC')} +8",
                 f"malloc at variables.c:{line_of('REALLOC')} #1 +40", f"malloc at variables.c:{line_of('ALIGNED')}"):
        check_row(done, table, name, reads=2, writes=2, threads=2, shared=1, kind="plain", lock="")
    for name in ("queue.head", "queue.length"):
        check_row(done, table, name, accesses=12, threads=2, shared=1, lock="queue.lock")
    check_row(done, table, "many[*]", reads=200, writes=200, shared=1)
    check_row(done, table, "hits", threads=2, shared=1, kind="atomic")
    check_row(done, table, "zeroed", reads=2, writes=0, shared=1)
    check_row(done, table, "queue.lock", accesses=12, shared=1, kind="object")
    check_row(done, table, "table[1].x", threads=1, shared=0)
    node = f"malloc at variables.c:{line_of('NODE')}"
    for i in range(1, 7):  # main's own is the first, and is not used again
        check_row(done, table, f"{node} #{i} +8", writes=1, threads=1, shared=0)


def test_names_of_stacks_and_blocks(tools):
    """Memory of stacks has the name of the local variable, memory of the heap the part of its type, as in reports."""
    reports = HERE / "reports"
    account = variables(tools, "--csv", tools.compile(reports / "account.c"))
    check_row(account, rows(account), "main() account.balance", reads=2, writes=2, shared=1)
    queue = tools.compile(reports / "jobs.cc")
    table = rows(variables(tools, "--csv", queue))
    if any(name.startswith("stack of T0") and row["shared"] == "1" for name, row in table.items()):
        raise AssertionError(f"a local variable of main has no name: {list(table)}")
    if not any("main() queue.lock_" in row["lock"] for row in table.values()):
        raise AssertionError(f"the lock in main's frame has no name: {[r['lock'] for r in table.values()]}")
    forks = tools.compile(reports / "forks.c")
    listed = json.loads(variables(tools, "--json", forks).expect(0).out)["variables"]
    parts = {v["part"]: v["name"] for v in listed if v["part"]}
    for i in range(3):
        if f"table.seats[{i}].fork" not in parts or "malloc at forks.c:" not in parts[f"table.seats[{i}].fork"]:
            raise AssertionError(f"no part for seat {i}: {parts}")
    done = variables(tools, forks).expect(0)
    if not re.search(r"^malloc at forks\.c:\d+ \+56 \(table\.seats\[1\]\.fork\) ", done.out, re.M):
        done.fail("the table does not say which part it is")
    bare = tools.compile(reports / "forks.c", flags=["-g0"])
    done = variables(tools, bare).expect(0)
    if "seats" in done.out or " +56 " not in done.out:
        done.fail("without debug information the type cannot be known")


def test_list_is_the_same(tools):
    """The list is the same in both kinds of isolation and in every run; counts are sums over the executions."""
    program = tools.compile(SOURCE)
    once = variables(tools, "--csv", program, "any")
    for isolation in ("fork", "exec"):
        done = variables(tools, "--csv", "--isolation", isolation, program, "any")
        if done.out != once.out:
            done.fail(f"another list with isolation {isolation}")
        done = variables(tools, "--csv", "-n", "3", "--isolation", isolation, program, "any")
        check_row(done, rows(done), "counter", reads=6, writes=6)
        check_row(done, rows(done), "many[*]", accesses=1200)


def test_list_for_people(tools):
    program = tools.compile(SOURCE)
    done = variables(tools, program, "any").expect(0)
    lines = [line for line in done.out.splitlines() if line]
    words = [line.split("  ")[0] for line in lines]
    if not lines[1].startswith("variable ") or words.index("counter") > words.index("queue.head"):
        done.fail("what is not protected does not come first")
    for line in ("no common lock", "lock queue.lock protects it", "atomic", "only read since it is shared",
                 "synchronisation, 12 operations", "are used by one thread only (--all shows them)"):
        if line not in done.out:
            done.fail(f"'{line}' is not in the list")
    if "table[1].x" in done.out or "table[1].x" not in variables(tools, "--all", program, "any").out:
        done.fail("private variables only with --all")
    found = json.loads(variables(tools, "--json", program, "any").out)
    head = next(v for v in found["variables"] if v["name"] == "queue.head")
    if found["executions"] != 1 or head["locks"] != ["queue.lock"] or not head["shared"]:
        done.fail(f"JSON: {head}")


def test_list_without_hooks(tools):
    done = variables(tools, tools.compile(SOURCE, mode="plain"), "any").expect(0)
    if "queue.lock" not in done.out or "counter" in done.out or "is not instrumented" not in done.out:
        done.fail("a program without hooks has only its mutex, and is told so")


def test_list_of_cxx(tools):
    """Blocks that the library's templates allocate are named after the user's own statement."""
    work = tools.dir("variables_cxx")
    program = tools.text_program(work, "vector.cpp", """#include <mutex>
#include <thread>
#include <vector>
struct account {
    std::mutex m;
    long balance = 0;
};
static std::vector<int> values;
int main() {
    values.resize(3);
    account *a = new account;
    auto work = [a] {
        std::lock_guard<std::mutex> g(a->m);
        a->balance++;
        values[2]++;
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    delete a;
}
""", flags=["-O0"])
    done = variables(tools, "--csv", program)
    check_row(done, rows(done), "new at vector.cpp:10 +8", writes=2, shared=1, lock="new at vector.cpp:11")
    check_row(done, rows(done), "new at vector.cpp:11 +40", writes=2, shared=1, lock="new at vector.cpp:11")


def test_list_trouble(tools):
    program = tools.compile(SOURCE)
    variables(tools).expect_trouble("no program given")
    variables(tools, "no-such-program").expect_trouble("cannot find 'no-such-program'")
    variables(tools, "--csv", "--json", program).expect_trouble("--csv and --json cannot be used together")
    variables(tools, "-n", "0", program).expect_trouble("--executions must be at least 1")
    variables(tools, "--focus", "var=x", program).expect_trouble("unknown option '--focus'")
    run([tools.raddle, "run", "-s", "profile", program]).expect_trouble("'profile' is no strategy")
    done = variables(tools, "/bin/true").expect(0)
    if "created no second thread" not in done.out:
        done.fail("nothing is said of a program without threads")
    done = variables(tools, "-n", "4", tools.program("hooks/plain.c")).expect(0)
    if "ended with a finding" in done.err:
        done.fail("a finding of a program without one")
    done = variables(tools, tools.program("bug/self_deadlock.c")).expect(0)
    if "1 of 1 executions ended with a finding (deadlock)" not in done.err:
        done.fail("the deadlock is not mentioned")


def test_focus_finds_sooner(tools):
    """The lost update is found by preemptions at the counter only; then its schedule is replayed without --focus."""
    work = tools.dir("focus_sooner")
    program = tools.compile(SOURCE)
    _, all_over = tools.search(work, ["-s", "icb:c=1"], program)
    for focus, most in ((["var=counter"], 20), (["function=worker"], all_over["executions"] - 1),
                        (["function=push", "var=counter"], 120)):
        options = ["-s", "icb:c=1"] + [w for f in focus for w in ("--focus", f)]
        done, finding, schedule = tools.find(work, options, program, "assertion")
        summary = json.loads((work / "summary.json").read_text())
        if summary["executions"] > most or finding["preemptions"] != 1:
            done.fail(f"{focus}: {summary['executions']} executions, without {all_over['executions']}")
        for backend in ("virtual", "kernel"):
            tools.replay(work, schedule, backend, 2)


def test_focus_claims(tools):
    """The claim is only about schedules with the focus, and never says that everything was covered."""
    work = tools.dir("focus_claims")
    program = tools.compile(SOURCE)
    node = f"malloc at variables.c:{line_of('NODE')} #2"
    for focus, words in (("var=queue.length", "at 'queue.length'"), ("var=table[1]", "at 'table[1]'"),
                         (f"var={node}", f"at '{node}' (memory as one execution had it)"),
                         ("var=queue.head,hits", "at 'queue.head', 'hits'")):
        done, summary = tools.search(work, ["-s", "icb:c=1", "--focus", focus], program)
        done.expect(0)
        start = f"of the schedules with preemptions only {words}: every execution "
        if summary["complete"] is not True or not summary["guarantee"].startswith(start):
            done.fail(f"{focus}: '{summary['guarantee']}'")
        bounds = summary["bounds"]
        if bounds["complete"] or bounds["preemptions"] is not None or not bounds["proved"].startswith(start):
            done.fail(f"{focus}: {bounds}")
        if summary["focus"] != words or "complete within the bound" not in done.out:
            done.fail(f"{focus}: more is claimed than was looked at")
    done, summary = tools.search(work, ["-s", "dfs", "--focus", "var=counter"], tools.compile(SOURCE, mode="plain"))
    if summary["complete"] or "nothing is proved: no operation was ever at 'counter'" not in summary["guarantee"]:
        done.fail(f"a focus that nothing met: '{summary['guarantee']}'")


def test_focus_trouble(tools):
    work = tools.dir("focus_trouble")
    program = tools.compile(SOURCE)
    for options, words in ((["--focus", "var=nothing"], "no variable 'nothing' in the program"),
                           (["--focus", "var=queue.tail"], "no variable 'queue.tail' in the program"),
                           (["--focus", "var=table[4]"], "no variable 'table[4]' in the program"),
                           (["--focus", "function=counter"], "no function 'counter' in the program"),
                           (["--focus", "var=malloc at variables.c:1"], "no memory 'malloc at variables.c:1'"),
                           (["--focus", "counter"], "--focus needs var=NAME,... or function=NAME,..."),
                           (["--focus", "var=counter,"], "--focus needs a name after 'var='"),
                           (["--focus", "var=counter", "-s", "dpor"], "--focus cannot be combined with 'dpor'"),
                           (["--focus", "var=counter", "-s", "icb:c=2,sleep"], "cannot be combined with 'icb:c=2,sleep'"),
                           (["--focus", "var=counter", "-s", "pct"], "--focus cannot be combined with 'pct'")):
        tools.search(work, options, program)[0].expect_trouble(words)
