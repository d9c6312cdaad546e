"""Schedules of findings are minimised and explained: they have as few preemptions as an exhaustive search proves
necessary, and the stored file shows the same finding."""
import html
import re
from pathlib import Path

from common import run

# Found by a sampler, which preempts at random.
PROGRAMS = """abba.c aba.c affinity_is_no_lock.c bank_transfer.c best_method.c bluetooth.c c11_lost_update.c c11_timed.c
    cancel_keeps_unit.c cond_if.c double_checked.c double_free.c exit_in_use.c exitblock_split.c flag_before_data.c
    futex_mutex.c futex_wake_one.c lost_update.c rank_fig3.c rank_fig4.c rank_fig12.c rapos_fig1.c reorder_2.c splitsync.c
    twostage.c""".split()
SAMPLE = ["-s", "random", "--seed", "1", "-n", "5000"]


def key(schedule):
    return re.search(r" key ([0-9a-f]{16})", schedule.read_text())[1]


def test_as_few_preemptions_as_are_necessary(tools):
    """icb runs schedules in the order of preemptions: with one preemption fewer than the minimised schedule has, it
    does not find the same finding."""
    simpler, proved = 0, 0
    for name in PROGRAMS:
        work = tools.dir(f"minimise-{name}")
        program = tools.program(f"bug/{name}")
        done, summary = tools.search(work, [*SAMPLE, "--minimise", "4"], program)
        done.expect(1)
        finding = summary["findings"][0]
        before, now = finding["minimised"]["preemptions_before"], finding["preemptions"]
        if before < now or not 0 < finding["minimised"]["executions"] <= summary["minimising"]:
            done.fail(f"{before} -> {now} preemptions in {finding['minimised']['executions']} executions")
        if f"minimised: {before} -> {now} preemption" not in done.out:
            done.fail("the summary does not say so")
        simpler += now < before
        proved += finding["minimised"]["proved"]
        if now == 0:
            continue
        apart = tools.dir(f"minimise-{name}-less")
        less, below = tools.search(apart, ["-s", f"icb:c={now - 1}", "--keep-going"], program)
        for other in below["findings"]:
            if key(apart / other["schedule"]) == key(work / finding["schedule"]):
                less.fail(f"{name}: {now} preemptions, but icb needs {other['preemptions']}")
        if not below["finished"]:
            less.fail(f"{name}: icb was not finished")
    if simpler < 20 or proved < 20:
        done.fail(f"of {len(PROGRAMS)} schedules {simpler} were made simpler, {proved} are proved to be the simplest")


def test_lines_whose_order_matters(tools):
    """The three operations of a lost update, in the report, in the output of 'show', and on the HTML page."""
    work = tools.dir("minimise_order")
    done, finding, schedule = tools.find(work, [*SAMPLE, "--minimise", "2"], tools.program("bug/lost_update.c"), "assertion")
    why = finding["explanation"]
    lines = [(o["thread"], o["operation"].split()[0], o["line"]) for o in why["order"]]
    if lines not in ([(1, "read", 17), (2, "read", 17), (1, "write", 18)], [(2, "read", 17), (1, "read", 17), (2, "write", 18)]):
        done.fail(f"the order that matters: {lines}")
    if why["established"] != "all" or finding["critical_step"] != why["order"][1]["step"]:
        done.fail(f"step {finding['critical_step']} decides it, by {why['established']}")
    show = run([tools.raddle, "show", schedule], cwd=work).expect(0)
    page = work / "page.html"
    run([tools.raddle, "show", schedule, "--html", page], cwd=work).expect(0)
    for text in ("these operations, in this order:", why["text"], why["order"][2]["operation"]):
        if text not in done.out or text not in show.out:
            done.fail(f"the report does not say '{text}'")
    if why["text"] not in html.unescape(re.sub("<[^>]*>", "", page.read_text())):  # its steps are links there
        done.fail("the page does not say what decides it")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, 2)


EXAMPLES = Path(__file__).resolve().parents[2] / "eval" / "programs"
# of the paper on rank: the variables of the preemptions, and the threads that must be ordered
MORE = r"T\d (between steps \d+ and \d+|after step \d+)"
CUT = r"T\d is interrupted (between steps \d+ and \d+|after step \d+)"
SIZES = {"rank_fig2": (["a"], [1, 2], f"{CUT}, at a; the order of T1 and T2 matters"),
         "rank_fig3": (["a", "a"], [1, 2], f"{CUT}, {MORE}, at a; the order of T1 and T2 matters"),
         "rank_fig4": (["a", "b"], [1, 2], f"{CUT}, {MORE}, at [ab], [ab]; "),
         "rank_fig9": (["a"], [1, 2, 3], f"{CUT}, at a; the order of T1, T2 and T3 matters"),
         "rank_fig10": (["a", "b"], [1, 2, 3], f"{CUT}, {MORE}, at [ab], [ab]; "),
         "rapos_fig1": ([], [1, 2], "the order of T1 and T2 matters")}


def test_size_of_a_bug(tools):
    """Preemptions, their variables and the threads that must be ordered, also in the stored schedule."""
    for name, (preempted, threads, words) in SIZES.items():
        work = tools.dir(f"minimise-size-{name}")
        program = tools.text_program(work, f"{name}.c", "#define BUG 1\n" + (EXAMPLES / f"{name}.c").read_text())
        done, finding, schedule = tools.find(work, ["-s", "icb", "--minimise", "2"], program, "assertion")
        found = (finding["preemptions"], sorted(finding["preempted_at"]), finding["ordered_threads"], finding["ordered"])
        if found != (len(preempted), sorted(set(preempted)), len(threads), threads):
            done.fail(f"{name}: {found}")
        show = run([tools.raddle, "show", schedule], cwd=work).expect(0)
        for text in (done.out, show.out):
            if not re.search(f"^  {words}", text, re.M):
                done.fail(f"{name}: the report does not say '{words}'")


def test_as_it_was_found(tools):
    work = tools.dir("minimise_not")
    done, summary = tools.search(work, [*SAMPLE], tools.program("bug/abba.c"))  # with --no-minimise
    finding = summary["findings"][0]
    if finding["ordered_threads"] is not None or not finding["preempted_at"]:
        done.fail(f"ordered threads {finding['ordered_threads']}, preempted at {finding['preempted_at']}")
    if finding["minimised"] or finding["critical_step"] or finding["explanation"] or summary["minimising"]:
        done.fail("something was made simpler, or explained")
    if "minimised" in done.out or "why" in done.out.split():
        done.fail("the report speaks of it")
    run([tools.raddle, "run", "--minimise", "0", tools.program("bug/abba.c")]).expect_trouble("--minimise needs a number of seconds")


def test_every_kind(tools):
    """Inputs that executions read, every kind of finding, and several findings of one search."""
    work = tools.dir("minimise_kinds")
    expected = work / "expected.txt"
    expected.write_text("never\n")
    kinds = set()
    for name, options in (("bug/race_counter.c", ["--detect", "races"]), ("bug/leak.c", ["--detect", "leaks"]),
                          ("bug/exitblock_cycle.c", ["--detect", "deadlocks", "--fail-on-predicted", "-k"]),
                          ("bug/exitblock_discipline.c", ["--detect", "lock-discipline"]),
                          ("bug/lf_mcs.c", []), ("bug/two_bugs.c", ["-k"]), ("bug/raddle_choose.c", []),
                          ("ok/conflict_2x2.c", ["--expect-output", expected])):
        done, summary = tools.search(work, ["-s", "random", "--seed", "3", "-n", "300", *options, "--minimise", "2"],
                                     tools.program(name))
        done.expect(1)
        for finding in summary["findings"]:
            kinds.add(finding["kind"])
            if not finding["minimised"] or finding["minimised"]["preemptions_before"] < finding["preemptions"]:
                done.fail(f"{name}: a {finding['kind']} was not made simpler")
            tools.replay(work, work / finding["schedule"], "virtual", 1)
    wanted = {"data-race", "leak", "deadlock", "lock-discipline", "livelock", "assertion", "output"}
    if wanted - kinds:
        done.fail(f"none of {sorted(wanted - kinds)}; found {sorted(kinds)}")
