"""Condition waits against a naive model of POSIX: every outcome of random small programs, no more, no less.

The model below is written from the text of POSIX and shares no code with Raddle: it runs all interleavings of threads
that are strings of one-letter instructions (waits.c). A thread in a wait may be signalled, may time out, may be
cancelled and may wake spuriously at any time, also while another thread holds the mutex; then it waits for the mutex.
"""
import json
import random
from pathlib import Path

from common import run

HERE = Path(__file__).resolve().parent
READY, WAITS, SIGNALLED, RELOCKS = range(4)


class World:
    """One state of a program: per thread (position, state, pending result, log), mutex, x, and the remaining
    allowances."""

    def __init__(self, codes, spurious):
        self.codes, self.first = codes, (tuple((0, READY, "", "") for _ in codes), None, 0, spurious, False)

    def moves(self, state):
        threads, owner, x, spurious, cancel = state
        for i, (at, now, result, log) in enumerate(threads):

            def become(place, what, told="", text=log, who=i, base=threads):
                return base[:who] + ((place, what, told, text),) + base[who + 1:]

            code = self.codes[i][at] if at < len(self.codes[i]) else None
            asked = cancel and i == 0 and "C" not in result
            if now == READY and code is not None:
                yield from self.execute(state, i, code, become, asked)
            elif now == WAITS:
                if code == "t":
                    yield become(at, RELOCKS, "T"), owner, x, spurious, cancel
                if spurious:
                    yield become(at, RELOCKS, "0"), owner, x, spurious - 1, cancel
                if asked:
                    yield become(at, RELOCKS, "C"), owner, x, spurious, cancel
            elif now == SIGNALLED:
                yield become(at, RELOCKS, "0"), owner, x, spurious, cancel
                if asked:  # the signal is not lost for the other waiters
                    for after in self.signal(become(at, RELOCKS, "C")):
                        yield after, owner, x, spurious, cancel
            elif now == RELOCKS and owner is None:
                if result == "C":
                    yield become(len(self.codes[i]), READY, "", log + "C"), None, x, spurious, cancel
                else:
                    yield become(at + 1, READY, "", log + result), i, x, spurious, cancel

    def execute(self, state, i, code, become, asked):
        threads, owner, x, spurious, cancel = state
        at, log = threads[i][0], threads[i][3]
        on = become(at + 1, READY)
        if code == "L" and owner is None:
            yield on, i, x, spurious, cancel
        elif code == "U":
            yield on, None, x, spurious, cancel
        elif code == "+":
            yield on, owner, x + 1, spurious, cancel
        elif code == "?":
            yield become(at + 1, READY, "", log + chr(ord("a") + x)), owner, x, spurious, cancel
        elif code == "k":
            yield on, owner, x, spurious, True
        elif code == "b":
            yield tuple((a, SIGNALLED if s == WAITS else s, r, l) for a, s, r, l in on), owner, x, spurious, cancel
        elif code == "s":
            for after in self.signal(on):
                yield after, owner, x, spurious, cancel
        elif code in "wt" and asked:  # a cancellation point: the handler runs with the mutex held
            yield become(len(self.codes[i]), READY, "", log + "C"), None, x, spurious, cancel
        elif code in "wt":
            yield become(at, WAITS), None, x, spurious, cancel

    @staticmethod
    def signal(threads):
        waiting = [i for i, t in enumerate(threads) if t[1] == WAITS]
        for i in waiting:
            at, _, result, log = threads[i]
            yield threads[:i] + ((at, SIGNALLED, result, log),) + threads[i + 1:]
        if not waiting:
            yield threads

    def outcomes(self, most):
        """All outcomes, or None if there are too many states."""
        seen, todo, found = {self.first}, [self.first], set()
        while todo:
            state = todo.pop()
            threads, _, x, _, _ = state
            after = list(self.moves(state))
            if all(s[3] < state[3] for s in after):  # a wake-up without a signal need not come
                over = all(t[0] >= len(c) for t, c in zip(threads, self.codes))
                found.add(f"{x}" + "".join(" " + t[3] for t in threads) if over else "deadlock")
            for s in after:
                if s not in seen:
                    seen.add(s)
                    todo.append(s)
            if len(seen) > most:
                return None
        return found


def generate(rng, cancels):
    codes = []
    for t in range(rng.choice((2, 2, 3))):
        code, waits = "", 0
        for _ in range(rng.choice((1, 1, 2))):
            inside = "".join(rng.choice("wttsb+?" if waits + k < 2 else "sb+?") for k in range(rng.choice((1, 2))))
            waits += sum(inside.count(c) for c in "wt")
            code += rng.choice(("", "", "s", "k" if cancels and t else "b")) + "L" + inside + "U"
        codes.append(code)
    return codes


def shown(tools, work, program, codes, api, options):
    name = work / "o.json"
    command = [tools.raddle, "run", "-k", "--outcomes", "--no-minimise", "--json", name, "-o", work / "out", *options]
    done = run([*command, program, api, *codes])
    s = json.loads(name.read_text())
    if not s["finished"] or "there is no other" not in done.out and "there are no others" not in done.out:
        done.fail("the search does not know whether these are all outcomes")
    return done, {o["finding"] or o["output"].rstrip("\n") for o in s["outcomes"]}


def compare(tools, work, program, codes, api, spurious, strategies):
    """Returns False if the program is too large."""
    expected = World(codes, spurious).outcomes(1500)
    if expected is None:
        return False
    for strategy in strategies:
        done, found = shown(tools, work, program, codes, api, ["-s", strategy, "--spurious", str(spurious)])
        if found != expected:
            done.fail(f"{strategy}: missing {sorted(expected - found)}, too many {sorted(found - expected)}")
    return True


def test_waits_are_what_posix_allows(tools):
    """Random programs of waits, timed waits, signals, cancellations and wake-ups without a signal."""
    work = tools.dir("waits")
    program = tools.compile(HERE / "waits.c", mode="plain")
    rng = random.Random(1)
    count = 0
    while count < 30:
        cancels = count % 3 == 2
        codes = generate(rng, cancels)
        api = "c11" if count % 3 == 1 else "posix"
        count += compare(tools, work, program, codes, api, count % 4 // 2, ("dpor" if count % 2 else "auto",))


def test_waits_one_by_one(tools):
    """The cases for which the random programs are made, by every search that covers everything."""
    work = tools.dir("waits-known")
    program = tools.compile(HERE / "waits.c", mode="plain")
    strategies = ("dfs", "dpor", "auto")
    for codes, spurious in ((["Lt?U", "L+sU"], 0),  # the wait times out, and finds that the condition holds
                            (["LwU", "LtU", "LsU"], 0),  # the signal is for the other one
                            (["LwU"], 0), (["LwU"], 3),  # a wake-up that need not come
                            (["LwU", "LwU"], 1), (["LtU", "LwU"], 1),
                            (["LwU", "LwU", "ks"], 0), (["LwU", "sk"], 0)):
        for api in ("posix", "c11") if "k" not in "".join(codes) else ("posix",):
            if not compare(tools, work, program, codes, api, spurious, strategies):
                raise AssertionError("too large")


def test_more_wake_ups_show_no_less(tools):
    """Every outcome with --spurious N is also shown with N + 1, deadlocks included."""
    work = tools.dir("waits-more")
    program = tools.compile(HERE / "waits.c", mode="plain")
    for codes in (["LwU", "LwsU"], ["Lw?wU", "L+U"], ["Lw+U", "Lt?U", "b"]):
        for strategy in ("dfs", "dpor") if len(codes) < 3 else ("dpor",):
            before = set()
            for n in range(4):
                options = ["-s", strategy, "--spurious", str(n)]
                done, found = shown(tools, work, program, codes, "posix", options)
                if not before <= found:
                    done.fail(f"{sorted(before - found)} is shown with --spurious {n - 1} only")
                before = found
            if len(before) < 2 or "deadlock" not in before:
                raise AssertionError(f"{codes} shows too little: {sorted(before)}")
