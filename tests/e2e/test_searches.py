"""Searches in the order of a bound, and best first, on real programs: the number of executions, and the first bug."""
import csv


def executions(tools, work, strategy, program, status=0):
    done, summary = tools.search(work, ["-s", strategy, "--points", "all", "--keep-going"], program)
    done.expect(status)
    return done, summary["executions"]


def check(tools, work, program, status, expected):
    for strategy, count in expected.items():
        done, got = executions(tools, work, strategy, program, status)
        if got != count:
            done.fail(f"{strategy}: {got} executions, expected {count}")


def test_every_schedule_once(tools):
    """Two threads with two writes each, creation, start and join included: 69 schedules."""
    work = tools.dir("searches_all")
    program = tools.program("ok/conflict_2x2.c")
    check(tools, work, program, 0, dict.fromkeys(["icb", "icb:csb=1", "delay", "best", "best:pb", "best:rand,ss",
                                                  "best:dpor,mdpor", "idfs:step=100"], 69))


def test_bounds(tools):
    """The numbers were computed beforehand on a model."""
    work = tools.dir("searches_bounds")
    check(tools, work, tools.program("ok/conflict_2x2.c"), 0,
          {"icb:c=0": 3, "icb:c=1": 12, "best:c=2": 32, "delay:d=0": 1, "delay:d=1": 8, "delay:d=2": 17})
    check(tools, work, tools.program("bug/abba.c"), 1, {"icb:c=1": 19, "best:pb,c=1": 19, "delay:d=1": 12})


def test_each_class_once_best_first(tools):
    """`reduce` runs as many executions as there are orders of events, as many as `dpor` does, in every isolation, and finds
    the same failures; within a bound it is refused."""
    work = tools.dir("searches_reduced")
    for name, status in (("ok/conflict_2x2.c", 0), ("bug/abba.c", 1), ("bug/rank_fig3.c", 1), ("ok/gambit_2x2.c", 0)):
        kinds = set()
        for strategy, way in (("dpor", "auto"), ("best:pb,reduce", "auto"), ("best:mdpor,pb,reduce", "fork"), ("best:rand,reduce", "exec")):
            done, s = tools.search(work, ["-s", strategy, "--keep-going", "--points", "all", "--isolation", way], tools.program(name))
            done.expect(status)
            kinds.add((s["executions"], s["distinct_orders"], s["complete"], tuple(sorted(f["kind"] for f in s["findings"]))))
        if len(kinds) != 1 or not all(executions == orders for executions, orders, *_ in kinds):
            done.fail(f"{name}: {kinds}")
    tools.search(work, ["-s", "best:pb,c=2,reduce"], tools.program("bug/abba.c"))[0].expect_trouble("'reduce' and 'c' of best")
    tools.search(work, ["-s", "best:pb,reduce", "--focus", "var=a"], tools.program("bug/abba.c"))[0].expect_trouble("--focus cannot be combined")


def test_the_first_bug_has_the_fewest_preemptions(tools):
    work = tools.dir("searches_first")
    for name, fewest in (("bug/rank_fig3.c", 2), ("bug/abba.c", 1), ("bug/rapos_fig1.c", 0)):
        for strategy in ("icb", "icb:cache", "best:pb"):
            done, summary = tools.search(work, ["-s", strategy, "--points", "all"], tools.program(name))
            done.expect(1)
            if summary["findings"][0]["preemptions"] != fewest:
                done.fail(f"{name}, {strategy}: {summary['findings'][0]['preemptions']} preemptions, not {fewest}")


def test_names_that_are_not_there(tools):
    work = tools.dir("searches_names")
    program = tools.program("bug/best_method.c")
    for strategy, words in (("best:method=withdraw,deposit", "no function 'deposit' in the program"),
                            ("best:var=visit", "no variable 'visit' in the program"),
                            ("best:method=balance", "no function 'balance' in the program")):
        tools.search(work, ["-s", strategy], program)[0].expect_trouble(words)


def test_blocks_by_allocation(tools):
    """`var=` names memory of the heap by the line that allocates it: best first, and as the points of `random`."""
    work = tools.dir("searches_blocks")
    program = tools.program("bug/best_block.c")
    orders = {}
    for line in (30, 29):
        done, s = tools.search(work, ["-s", f"random:var=malloc at best_block.c:{line}", "-n", "300", "-k", "--detect", "none"], program)
        orders[line] = s["distinct_orders"]
    if orders[30] != 4 or orders[29] < 100: # one read and one write by each thread; ten
        done.fail(f"orders by the line of the block: {orders}")
    for strategy in ("best:var=malloc at best_block.c:31", "random:var=malloc at best_block.c:31"):
        tools.search(work, ["-s", strategy], program)[0].expect_trouble("no memory 'malloc at best_block.c:31' was allocated")


def test_size_of_the_tree(tools):
    """The nodes of the tree in memory: their peak in JSON, and their number after each execution."""
    work = tools.dir("searches_tree")
    program = tools.program("ok/conflict_2x2.c")
    for strategy in ("best", "best:pb", "best:pb,reduce", "icb", "delay"):
        done, s = tools.search(work, ["-s", strategy, "--points", "all", "--coverage", str(work / "c.csv")], program)
        nodes = [int(row["tree_nodes"]) for row in csv.DictReader((work / "c.csv").open())]
        if not 0 < max(nodes) <= s["tree_nodes_peak"] or nodes[-1] or s["tree_bytes_peak"] < 32 * s["tree_nodes_peak"]:
            done.fail(f"{strategy}: nodes {nodes}, peak {s['tree_nodes_peak']}, {s['tree_bytes_peak']} bytes")
    done, s = tools.search(work, ["-s", "dfs", "--coverage", str(work / "c.csv")], program)
    if "tree_nodes_peak" in s or any(row["tree_nodes"] for row in csv.DictReader((work / "c.csv").open())):
        done.fail("dfs has no tree of executions")


def test_samplers(tools):
    """Samplers find a bug, its schedule replays, and for a correct program they claim no more than they sampled."""
    work = tools.dir("searches_samplers")
    share = "an execution of this strategy fails with a probability below 0.0"
    missed = "a bug of depth 2 or less was missed with a probability of at most 0.0"
    for strategy, proved in (("random", share), ("urw", share), ("surw", share), ("pos", share), ("rapos", share), ("pct:d=2", missed)):
        options = ["-s", strategy, "--seed", "1", "-n", "200"]
        _, _, schedule = tools.find(work, options, tools.program("bug/abba.c"), "deadlock")
        tools.replay(work, schedule, "virtual", 2)
        done, summary = tools.search(work, options, tools.program("ok/gambit_2x2.c"))
        bounds = summary["bounds"]
        if summary["finished"] or summary["executions"] != 200 or not (bounds["likely"] or "").startswith(proved):
            done.fail(f"{strategy}: {summary['executions']} executions, proved '{bounds['likely']}'")
        if (bounds["orders"], bounds["new_order"]) != (1, 0):
            done.fail(f"{strategy}: {bounds['orders']} orders, new with {bounds['new_order']}")
        missed_by = bounds["missed"] or {"1": None, "2": None, "3": None}
        if [missed_by[d] is not None for d in "123"] != ([True, True, False] if "pct" in strategy else [False] * 3):
            done.fail(f"{strategy}: missed {bounds['missed']}")
    options = ["-s", "rff", "--seed", "1", "-n", "200"]
    _, _, schedule = tools.find(work, options, tools.program("bug/abba.c"), "deadlock")
    tools.replay(work, schedule, "virtual", 2)
    done, summary = tools.search(work, options, tools.program("ok/gambit_2x2.c"))
    if summary["guarantee"] != "schedules were sampled; nothing is proved" or summary["bounds"]["orders"] is not None:
        done.fail(f"rff: {summary['guarantee']}")
    tools.search(work, ["-s", "pct:d=33"], tools.program("bug/abba.c"))[0].expect_trouble("'d' of pct must be from 1")


def test_preemptions_at_few_variables(tools):
    """The bug of figure 4 is at two variables, and at neither of them alone."""
    work = tools.dir("searches_variables")
    program = tools.program("bug/rank_fig4.c")
    for strategy, status in (("icb:c=2,v=1", 0), ("icb:c=2,v=2", 1), ("pctvb:d=3,v=1", 0), ("pctvb:d=3,v=2", 1)):
        done, summary = tools.search(work, ["-s", strategy, "--seed", "1", "-n", "400"], program)
        done.expect(status)
        likely = summary["bounds"]["likely"] or ""
        if strategy == "pctvb:d=3,v=1" and not likely.startswith("a bug of depth 3 at 1 of 2 variables was missed"):
            done.fail(f"{strategy}: likely '{likely}'")
    _, _, schedule = tools.find(work, ["-s", "pctvb:d=3,v=2", "--seed", "1", "-n", "400"], program, "assertion")
    tools.replay(work, schedule, "virtual", 2)
    for strategy, words in (("icb:v=1,cache", "'v' cannot be used together"), ("pctvb:v=3", "'v' of pctvb must be from 1")):
        tools.search(work, ["-s", strategy], program)[0].expect_trouble(words)


FOCUS_AND_SPIN = """
#include <condition_variable>
#include <mutex>
#include <thread>
#include <atomic>
static std::mutex m;
static std::condition_variable changed;
static int state;
static std::atomic<bool> quit{false};
static std::atomic<int> data[8];
static void change(int to) { std::lock_guard<std::mutex> l(m); state = to; changed.notify_one(); }
static void wait_for(int wanted) { std::unique_lock<std::mutex> l(m); while (state != wanted) changed.wait(l); }
static void insert(int i) { data[i] = i; data[(i + 1) % 8] = i; }
int main() {
    std::thread t([] {
        unsigned r = 1;
        change(1);
        while (!quit.load()) { r = r * 1103515245 + 12345; for (int k = 0; k < 4; k++) data[r >> (8 + k) & 7].load(); }
        change(2);
    });
    wait_for(1);
    for (int i = 0; i < 8; i++) insert(i);
    quit = true;
    wait_for(2);
    t.join();
}
"""


def test_focus_leaves_the_tail_fair(tools):
    """A thread polls while the one that it waits for is outside the focus: no hang, and the prefix repeats the tail."""
    work = tools.dir("focus-spin")
    program = tools.text_program(work, "spin.cc", FOCUS_AND_SPIN)
    for strategy in ("random", "icb:c=1", "dfs"):
        done, s = tools.search(work, ["-s", strategy, "-n", "20", "--max-steps", "20000", "--focus", "function=insert"], program)
        done.expect(0)
        if s["executions"] < 1 or "nothing is proved" not in done.out:
            done.fail("a claim, or no execution")


def test_a_shorter_schedule_of_a_race(tools):
    """The first execution shows the race only in its fair end, after thousands of steps; later ones show it sooner."""
    work = tools.dir("shorter-race")
    text = FOCUS_AND_SPIN.replace("static int state;", "static int state, plain;").replace("n = 0", "n = 0")
    text = text.replace("data[r >> (8 + k) & 7].load(); }", "data[r >> (8 + k) & 7].load(); r += plain; }").replace("quit = true;", "plain = 1; quit = true;")
    program = tools.text_program(work, "spin.cc", text)
    for jobs in ("1", "2"):
        options = ["-s", "auto", "-n", "4000", "--max-steps", "20000", "--detect", "races", "-j", jobs]
        done, s = tools.search(work, options, program, detect=())
        races = [f for f in s["findings"] if f["kind"] == "data-race"]
        steps = [int((work / f["schedule"]).read_text().splitlines()[-1].split()[1]) for f in races]
        if len(races) != 1 or races[0]["execution"] == 1 or steps[0] > 1000:
            done.fail("the schedule of the first execution was kept")
