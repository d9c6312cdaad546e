"""Budgets hold: --time ends a run within a second after the time is over, whatever the program does, and so does a
signal; no finding is lost, and no process is left. A run in which no execution reached its end is trouble. System
limits that do not allow a test are refused in one line."""
import os
import select
import signal
import subprocess
import time
from pathlib import Path

from common import TIMEOUT_S, Done, Failure, run

SOURCE = Path(__file__).resolve().parent / "budget.c"
SLACK_S = 1.0
BLINK_S = 0.1  # reading a process's state took longer than this: the machine was busy
WAYS = {"snapshot": ("-j", "1", "--isolation", "snapshot"), "fork": ("-j", "1", "--isolation", "fork"),
        "exec": ("-j", "1", "--isolation", "exec"), "two": ("-j", "2")}
NOT_IN_SNAPSHOTS = ("stop", "exec", "sessions")  # these actions require a process for each execution


def processes_with(pipe):
    """The numbers of the processes that have the pipe open: not this one, nor a child of it that has not yet become
    another program, which a thread of the test runner can have at any time."""
    name, me = os.readlink(f"/proc/self/fd/{pipe}"), os.readlink("/proc/self/exe")
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") != me and any(os.readlink(fd) == name for fd in (process / "fd").iterdir()):
                found.append(int(process.name))
        except OSError:
            pass  # it has ended, or is not ours
    return found


class Timed:
    """raddle run of budget.c. Its time does not include the time in which this process itself was not scheduled. Every
    process of the run holds a pipe open."""

    def __init__(self, tools, name, options, what, limits="", **how):
        self.work = tools.dir(f"budget-{name}")
        self.alive, alive = os.pipe()
        program = tools.compile(SOURCE, mode="hooks", flags=["-O1"])
        command = [tools.raddle, "run", "-o", "out", *options, "--", program, what]
        self.command = ["sh", "-c", f'{limits}; exec "$@"', "sh", *map(str, command)] if limits else [*map(str, command)]
        self.begin, self.lost = time.monotonic(), 0.0
        self.process = subprocess.Popen(self.command, cwd=self.work, pass_fds=(alive,), stdin=subprocess.DEVNULL,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells ignore it for `&`
                                        **{"stdout": (self.work / "stdout").open("wb"), "stderr": (self.work / "stderr").open("wb"), **how})
        os.close(alive)

    def look(self):
        begin = time.monotonic()
        try:
            self.process.wait(0.02)
        except subprocess.TimeoutExpired:
            pass
        self.lost += max(0.0, time.monotonic() - begin - BLINK_S)
        return self.process.returncode

    def end(self, most_s):
        """Returns the finished command, which took no longer than this and has left no process behind."""
        while self.look() is None:
            if time.monotonic() - self.begin > TIMEOUT_S:
                self.process.kill()
                raise Failure(f"no end after {TIMEOUT_S} s", " ".join(self.command))
        took = time.monotonic() - self.begin
        done = Done(self.command, None, self.work, self.process.returncode, *((self.work / n).read_bytes() for n in ("stdout", "stderr")))
        if took - self.lost > most_s:
            done.fail(f"it took {took:.2f} s (of which {self.lost:.2f} s were the machine's), {most_s} were allowed")
        if left := processes_with(self.alive):
            done.fail(f"a process is left: {left}")
        os.close(self.alive)
        return done, took


def in_vain(tools, what, way, seconds=1, before=()):
    """No execution reaches its end: trouble, in time."""
    done, took = Timed(tools, f"{what}-{way}", ["-t", seconds, *WAYS[way], *before], what).end(seconds + SLACK_S)
    if "stop" in what and "stops itself with a signal" in done.err:  # noticed at once if the call is seen
        done.expect_trouble()
        return took
    done.expect_trouble("no execution came to its end within", "--time")
    if "no bug" in done.text:
        done.fail("nothing is known of the program, and it says that there is no bug")
    return took


def test_spins(tools):
    return f"{in_vain(tools, 'spin', 'snapshot'):.2f} s"


def test_spins_before_the_first_thread(tools):
    return f"{in_vain(tools, 'first-spin', 'two'):.2f} s"


def test_a_handler_that_returns(tools):
    return f"{in_vain(tools, 'fault', 'fork'):.2f} s"


def test_stops_itself(tools):
    return f"{in_vain(tools, 'stop', 'exec'):.2f} s"


def test_another_program(tools):
    return f"{in_vain(tools, 'exec', 'fork'):.2f} s"


def test_all_ways_to_hang(tools):
    longest = 0.0
    for what in ("spin", "steps", "fault", "stop", "exec"):
        for way in WAYS:
            for when in ("", "first-"):
                if way != "snapshot" or when or what not in NOT_IN_SNAPSHOTS:
                    longest = max(longest, in_vain(tools, when + what, way))
    return f"{longest:.2f} s at most"


def test_a_gigabyte(tools):
    """A gigabyte is written to a file, and printed, in each execution. How many executions reach their end depends on
    the machine."""
    longest = 0.0
    for what in ("file", "output"):
        for way in WAYS:
            timed = Timed(tools, f"{what}-{way}", ["-t", "3", *WAYS[way]], what)
            done, took = timed.end(3 + SLACK_S)
            longest = max(longest, took)
            if done.status not in (0, 2) or (done.status == 2 and "no execution came to its end" not in done.err):
                done.fail("neither a search that was stopped nor one in vain")
            (timed.work / "big").unlink(missing_ok=True)
    return f"{longest:.2f} s at most"


def test_ten_thousand_threads(tools):
    for way in WAYS:
        done, _ = Timed(tools, f"threads-{way}", ["-t", "3", *WAYS[way]], "threads").end(3 + SLACK_S)
        done.expect_trouble("more than 1024 threads")


def keeps(tools, way, options, what, kinds, seconds):
    """The finding comes in time, and is reported although the time is over; each schedule shows it again."""
    timed = Timed(tools, f"{what}-{way}", ["-t", seconds, *WAYS[way], *options], what)
    done, took = timed.end(seconds + SLACK_S)
    done.expect(1)
    schedules = sorted((timed.work / "out").glob("*.sched"))
    if not {part for s in schedules for part in s.name.split(".")} >= kinds:
        done.fail(f"not all of {kinds} are stored: {schedules}")
    for s in schedules:
        run([tools.raddle, "replay", s, "-q", "--max-seconds", "10"], cwd=timed.work).expect(1)
    return took


def test_a_finding_is_not_lost(tools):
    """One order is a bug, and the next execution does not end."""
    return f"{keeps(tools, 'fork', ('-k', '-s', 'dfs'), 'found', {'assertion'}, 1):.2f} s"


def test_findings_in_every_way(tools):
    """The same while schedules are minimised, with an unlimited budget for that, and with schedules of thousands of
    steps."""
    longest = 0.0
    for way in WAYS:
        longest = max(longest, keeps(tools, way, ("-k", "-s", "dfs"), "found", {"assertion"}, 1),
                      keeps(tools, way, ("--minimise", "100", "-s", "dfs"), "found", {"assertion"}, 1),
                      keeps(tools, way, ("--minimise", "100", "-s", "random"), "long", {"data-race", "assertion"}, 2),
                      keeps(tools, way, ("-k",), "long", {"data-race"}, 2))
    return f"{longest:.2f} s at most"


def test_sessions_end_with_the_rest(tools):
    """Processes with a session of their own, whose parents have ended, are ended, too: the pipe that they hold is
    closed."""
    for way in ("fork", "exec"):
        done, _ = Timed(tools, f"sessions-{way}", ["-n", "5", *WAYS[way]], "sessions").end(TIMEOUT_S)
        done.expect(0)


def signalled(tools, what, way, sig, status, most_s=SLACK_S, name="signal"):
    timed = Timed(tools, f"{name}-{what}-{way}", ["-t", "600", "--max-seconds", "600", "--progress", "always", *WAYS[way]], what,
                  stderr=subprocess.PIPE)
    while not select.select([timed.process.stderr], [], [], TIMEOUT_S)[0]:
        raise Failure("no sign of life")
    timed.process.send_signal(sig)
    timed.begin = time.monotonic()
    (timed.work / "stderr").write_bytes(b"")
    done, took = timed.end(most_s)
    done.expect(status)
    timed.process.stderr.close()
    return took


def test_a_signal(tools):
    """A signal is sent to the driver alone. Stopped processes and processes with a session of their own end with it."""
    return f"{max(signalled(tools, 'stop', 'exec', signal.SIGTERM, 2), signalled(tools, 'sessions', 'fork', signal.SIGINT, 0)):.2f} s"


def test_signals_in_every_way(tools):
    longest = 0.0
    for way in WAYS:
        for what in ("spin", "stop", "exec", "first-fault"):
            for sig in (signal.SIGTERM, signal.SIGINT):
                if way != "snapshot" or what not in NOT_IN_SNAPSHOTS:
                    longest = max(longest, signalled(tools, what, way, sig, 2, name="each-signal"))
    return f"{longest:.2f} s at most"


def test_a_report_that_nobody_reads(tools):
    """The driver is blocked by its own output; a signal ends it all the same."""
    read, write = os.pipe()
    timed = Timed(tools, "unread", ["-n", "1", "--show-output", "-j", "1"], "print", stdout=write)
    os.close(write)
    select.select([read], [], [], TIMEOUT_S)
    timed.process.send_signal(signal.SIGTERM)
    timed.begin = time.monotonic()
    (timed.work / "stdout").write_bytes(b"")
    timed.end(2 * SLACK_S)[0].expect(-signal.SIGTERM)
    os.close(read)


def test_low_limits(tools):
    """Low limits either suffice, or are refused in one line that names the limit."""
    for limit, words in {"-f 1000": "ulimit -f", "-n 64": "ulimit -n", "-s 256": "ulimit -s", "-s unlimited": "ulimit -s",
                         "-v 1000000": "ulimit -v", "-d 1000000": "ulimit -d"}.items():
        for way in ("fork", "exec"):
            done, _ = Timed(tools, f"limit{limit.replace(' ', '')}-{way}", ["-n", "5", *WAYS[way]], "count", f"ulimit {limit}").end(TIMEOUT_S)
            done.expect_trouble(words)
            if len(done.err.splitlines()) != 1 or done.out:
                done.fail("more than one line")
    for limit in ("-n 1024", "-s 1024", "-f $((553 << 11))", "-c 0", "-t 60"):  # the size of files is in blocks of 512 bytes
        for way in ("fork", "exec"):
            Timed(tools, f"limit{limit.split()[0]}-{way}", ["-n", "5", *WAYS[way]], "count", f"ulimit {limit}").end(TIMEOUT_S)[0].expect(0)
    for limit in 553, 2000:  # MiB: enough for one worker, but not for the memory that several workers share
        done, _ = Timed(tools, f"limit-{limit}-two", ["-n", "5", *WAYS["two"]], "count", f"ulimit -f $(({limit} << 11))").end(TIMEOUT_S)
        done.expect_trouble("ulimit -f; ", "-j 1")


def test_a_program_that_limits_its_memory(tools):
    for way in ("fork", "exec"):
        done, _ = Timed(tools, f"limited-{way}", ["-n", "5", *WAYS[way]], "limited").end(TIMEOUT_S)
        done.expect_trouble("limit")


for slow in (test_all_ways_to_hang, test_a_gigabyte, test_ten_thousand_threads, test_findings_in_every_way, test_signals_in_every_way):
    slow.slow = True
for timed in (test_all_ways_to_hang, test_a_gigabyte, test_findings_in_every_way):
    timed.alone = True
