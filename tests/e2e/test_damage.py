"""Programs that write into Raddle's own memory, or kill its processes: no bug is lost, and none is invented."""
import subprocess

from common import ROOT

CHANNEL, HUB, SEARCH, KEPT = 0x0e0000000000, 0x0e4000000000, 0x0f0000000000, 0x0f8000000000
FAR = 128 << 30
DAMAGES = "the program damages the memory of the search"


def search(tools, name, strategy, jobs, args, *options, status=1):
    program = tools.compile(ROOT / "tests" / "e2e" / "scribble.c", mode="plain")
    done, summary = tools.search(tools.dir(f"damage-{name}"), ["-s", strategy, "-j", str(jobs), *options], program, args=args)
    done.expect(status)
    return done, summary


def crashes(tools, name, strategy, jobs, at, much, when, isolation, *options):
    done, summary = search(tools, name, strategy, jobs, [hex(at), str(much), str(when)], *options)
    if [f["kind"] for f in summary["findings"]] != ["crash"] or summary["isolation"] != isolation:
        done.fail(f"isolation {summary['isolation']}: {summary['findings']}")
    return done, summary


def test_what_is_not_in_use_is_not_there(tools):
    """A write to memory that Raddle has only reserved is a crash, as without Raddle, in the execution that writes."""
    for name, at in (("search", SEARCH + FAR), ("kept", KEPT + FAR)):
        crashes(tools, f"far-{name}", "dfs", 1, at, 8, 21, "snapshot")


def test_the_memory_of_the_search(tools):
    """Every execution writes there: the first write is noticed, and then each execution has a process of its own."""
    for name, at, jobs in (("search", SEARCH, 1), ("team", SEARCH, 2), ("unused", SEARCH + (32 << 20), 1), ("copies", KEPT + (5 << 20), 1)):
        done, summary = crashes(tools, name, "dfs", jobs, at, 64, 0, "fork")
        if f"{DAMAGES}\n" not in done.out:
            done.fail("nobody was told")


def test_a_search_that_is_destroyed(tools):
    """One order of twenty overwrites all memory of the search: the process dies, or never ends by itself."""
    for strategy, jobs in (("dfs", 1), ("dpor", 2)):
        crashes(tools, f"destroyed-{strategy}", strategy, jobs, SEARCH, 8192, 21, "fork", "--max-seconds", "0.2")


def test_what_workers_share(tools):
    crashes(tools, "hub", "dfs", 2, HUB, 64, 21, "fork")


def test_the_head_of_the_channel(tools):
    """The program cannot write to the configuration: it crashes, as it would without Raddle."""
    for jobs in (1, 2):
        crashes(tools, f"head-{jobs}", "dfs", jobs, CHANNEL, 64, 21, "snapshot")


def test_a_finding_outlives_its_search(tools):
    """The search dies every time; findings from before show again, and are reported."""
    for jobs in (1, 2):
        done, summary = search(tools, "outlives", "dfs", jobs, ["0", "0", "0", "-"], "-k", "--isolation", "fork", status=2)
        if "the explorer ended unexpectedly (signal 9)" not in done.err or summary["finished"]:
            done.fail("nobody was told")
        if [f["kind"] for f in summary["findings"]] != ["assertion"]:
            done.fail("the bug is lost")


def test_the_counts_in_the_channel(tools):
    """One order of twenty overwrites one count: the search ends in trouble, and no process of Raddle's dies of it."""
    parts = tools.dir("damage-parts") / "parts"
    subprocess.run(["gcc", "-I", str(ROOT / "src"), "-D_GNU_SOURCE", str(ROOT / "tests" / "e2e" / "channel_parts.c"), "-o", str(parts)], check=True)
    lines = subprocess.run([str(parts)], text=True, capture_output=True, check=True).stdout.splitlines()
    for line in lines:
        name, offset = line.split()
        for way in (("auto", 1), ("auto", 2), ("exec", 1)):
            isolation, jobs = way
            done, summary = search(tools, f"count-{name}-{isolation}-{jobs}", "dfs", jobs, [hex(CHANNEL + int(offset)), "4", "21"],
                                   "--isolation", isolation, status=2)
            done.expect_trouble("the program has written into the memory")
            if summary["complete"]:
                done.fail(f"complete although {name} was overwritten")
