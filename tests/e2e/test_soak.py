"""Very many executions in one process: the results are those counted by hand, and the process does not grow."""
import functools
import json
import subprocess
from collections import Counter
from pathlib import Path

from common import Done

SOURCE = Path(__file__).resolve().parent / "soak.c"
CALM = 1.02  # allows for pages that are touched for the first time


def by_preemptions(operations):
    """The numbers of schedules of soak.c with 0, 1, 2... preemptions: main creates, creates, joins, joins, exits."""
    length = operations + 1  # its start is one operation

    @functools.lru_cache(None)
    def rest(main, first, second, last):
        if main == 5:
            return {0: 1}
        ready = (main not in (2, 3) or (first if main == 2 else second) == length, main > 0 and first < length,
                 main > 1 and second < length)
        found = Counter()
        for t in range(3):
            if ready[t]:
                then = rest(main + (t == 0), first + (t == 1), second + (t == 2), t)
                found.update({n + (ready[last] and t != last): count for n, count in then.items()})
        return found

    counts = rest(0, 0, 0, 0)
    return [counts[n] for n in range(max(counts) + 1)]


def workers(raddle, program):
    """The worker processes of the run."""
    found, todo = [], [raddle]
    while todo:
        pid = todo.pop()
        try:
            todo += Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if Path(f"/proc/{pid}/exe").resolve() == Path(program).resolve():
                found.append(pid)
        except OSError:
            continue  # the process has ended
    return found


def measure(pid):
    """Kilobytes of memory, and the number of descriptors."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def watched(tools, work, options, program, args=()):
    """Runs a search and measures the worker at each status line. Returns the summary and the measurements."""
    summary = work / "summary.json"
    command = [tools.raddle, "run", "-j", "1", "-t", "7200", "--isolation", "snapshot", "--progress", "always", *options,
               "--json", summary, "-o", work / "out", "--", program, *args]
    p = subprocess.Popen([str(w) for w in command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    seen, err = [], []
    for line in p.stderr:
        err.append(line)
        try:
            seen += [measure(pid) for pid in workers(p.pid, program)]
        except OSError:
            pass  # the process has just ended
    out = p.stdout.read()
    done = Done(command, None, work, p.wait(), out.encode(), "".join(err).encode()).expect(0)
    return done, json.loads(summary.read_text()), seen


def soak(tools, operations):
    work = tools.dir(f"soak-{operations}")
    done, s, seen = watched(tools, work, ["-s", "dfs"], tools.compile(SOURCE, mode="plain"), [operations])
    wanted = by_preemptions(operations)
    if s["executions"] != sum(wanted) or s["preemptions"] != wanted or s["distinct_orders"] != 1 or not s["finished"]:
        done.fail(f"{s['executions']} executions, by preemptions {s['preemptions']}; expected {wanted}")
    return done, seen


def calm(done, seen, samples):
    """The second half of the search needs no more memory and descriptors than the first."""
    if len(seen) < samples:
        done.fail(f"the worker was looked at {len(seen)} times")
    half = len(seen) // 2
    before, after = max(kb for kb, _ in seen[:half]), max(kb for kb, _ in seen[half:])
    if after > CALM * before or len({fds for _, fds in seen}) > 1:
        done.fail(f"kilobytes and descriptors, from the start to the end: {seen}")


def test_a_thousand_executions(tools):
    soak(tools, 4)


def test_soak(tools):
    """Ten million executions."""
    calm(*soak(tools, 11), 6)


test_soak.slow = True


def test_soak_detectors(tools):
    """Samplers with every detector: memory is kept only for new classes."""
    work = tools.dir("soak-detectors")
    program = tools.program("ok/slot_1p1c.c", mode="hooks")
    for strategy in ("random", "pct", "rapos"):
        done, s, seen = watched(tools, work, ["-s", strategy, "--detect", "all", "-n", "1600000"], program)
        if s["executions"] != 1600000 or s["findings"]:
            done.fail(f"{s['executions']} executions, {len(s['findings'])} findings")
        calm(done, seen, 6)


test_soak_detectors.slow = True
