"""Programs do other things before their main work: they print, open files, load libraries, allocate. None of that may
change a finding. A prelude (preludes.c, preludes.cc) is run before a program of tests/programs/bug; the finding, its
schedule and its replays must be the same as without.

Addresses in the heap may differ, since preludes allocate; the order of threads, operations and places in the code may
not.
"""
import re
import zlib
from pathlib import Path

from common import TIMEOUT_S

HERE = Path(__file__).resolve().parent


def names(suffix):
    table = (HERE / f"preludes{suffix}").read_text().split("prelude all[]")[1]
    return re.findall(r'\{"(\w+)", \w+\}', table)


PRELUDES = {name: suffix for suffix in (".c", ".cc") for name in names(suffix)}
# A child may have left a process behind that knows a queue or a FIFO by its name, or sends a signal. Raddle cannot exclude that,
# so a deadlock without the prelude is a hang with it.
# The malloc of own_malloc.c has too little room.
LEFT_OUT = {("child", "bug/io_mqueue.c"), ("child", "bug/io_fifo_alone.c"), ("child", "bug/io_signalfd.c"), ("blocks", "bug/own_malloc.c")}
LARGE = {f"LARGE_{i}": "x" * 997 for i in range(97)}


def of_program(name, every):
    """The preludes for this program: one, chosen by the program's name, or all of them."""
    possible = [p for p in PRELUDES if (p, name) not in LEFT_OUT]
    return possible if every else [possible[zlib.crc32(name.encode()) % len(possible)]]


def environment(tools, prelude):
    library = tools.compile(HERE / f"preludes{PRELUDES[prelude]}", mode="plain", flags=("-O2", "-shared", "-fPIC", "-ldl"))
    more = LARGE if prelude == "large_environment" else {}
    return {"LD_PRELOAD": str(library), "PRELUDE": prelude, **more}


def shape(schedule, c):
    """The part of a schedule that preludes must not change: the finding, and of each step thread, operation, place,
    code, size, result, candidates, order and flags. Of places in the heap, on stacks and of files only which heap,
    stack and kind of file: preludes allocate, another library may need more of each stack for its thread-local
    variables, and open files are counted. libstdc++ keeps the waiters of an atomic at a place that depends on the
    atomic's address, and a program with a malloc of its own has its heap among its variables."""
    own = "void *malloc(" in c.source.read_text()
    modules, lines = {}, []

    def place(text):
        text = re.sub(r"^m(\d+)\+", lambda m: modules.get(m[1], m[0]) + "+", text)
        return re.sub(r"^(heap\d+|stack\d+|io\d+)[+-].*", r"\1", text)

    for line in Path(schedule).read_text().splitlines():
        words = line.split()
        if words[0] == "module":
            modules[words[1]] = Path(words[2].strip('"')).name
        elif words[0] in ("finding", "file", "function"):
            lines.append(line)
        elif words[0] == "thread":
            lines.append(" ".join(words[:6]))  # without the file's name
        elif words[0] == "finding-at":
            at = dict(zip(words[1::2], words[2::2]))
            lines.append(f"{at['thread']} {at['signal']} {at['status']} {place(at['pc'])} {at['line']}")
        elif words[0] == "step":
            _, number, thread, op, where, code, size, _, result, candidates, _, order, flags, _ = words
            where = "-" if op.startswith("futex") or own else place(where)
            lines.append(f"{number} {thread} {op} {where} {place(code)} {size} {result} {candidates} {order} {flags}")
    return lines


def wanted(c, parts):
    """The one configuration of this program, out of `parts`, that is run after preludes; none for a program without a
    bug."""
    finds = c.name.startswith("bug/") and c.expect != "none" and c.status != 2
    return [parts[zlib.crc32(c.name.encode()) // len(PRELUDES) % len(parts)]] if finds else []


def check(tools, c, binary, prelude, without):
    """Runs the program after the prelude. `without`: (summary, shapes of the schedules) of the program alone."""
    work = tools.dir(f"{c.name}-after-{prelude}")
    env = environment(tools, prelude)
    summary, shapes = without
    done, again = tools.search(work, c.options, binary, c.args, TIMEOUT_S, env=env)
    done.expect(c.status)
    if len(again["findings"]) != len(summary["findings"]):
        done.fail(f"{len(again['findings'])} findings after '{prelude}', {len(summary['findings'])} without")
    for finding, wanted in list(zip(again["findings"], shapes))[:2]:
        schedule = work / finding["schedule"]
        now = shape(schedule, c)
        if now != wanted:
            first = next((i for i, (a, b) in enumerate(zip(now, wanted)) if a != b), min(len(now), len(wanted)))
            done.fail(f"after '{prelude}' the schedule differs: {now[first:first + 1]} in place of "
                      f"{wanted[first:first + 1]}")
        for backend in ("virtual", "kernel"):
            tools.replay(work, schedule, backend, 1, options=c.replay_options(), env=env)


def check_all(tools, c, mode, compiler, every):
    """Runs all preludes of this program."""
    chosen = of_program(c.name, every)
    binary = tools.compile(c.source, compiler, mode, c.flags)
    work = tools.dir(f"{c.name}-alone")
    done, summary = tools.search(work, c.options, binary, c.args)
    done.expect(c.status)
    without = (summary, [shape(work / f["schedule"], c) for f in summary["findings"]])
    for prelude in chosen:
        check(tools, c, binary, prelude, without)
    return f"after {chosen[0] if len(chosen) == 1 else f'{len(chosen)} preludes'}"
