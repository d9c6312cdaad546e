"""An execution that is run twice is the same execution: what a program can observe of its process does not depend on
the mode that it runs in, and actions before its main work do not change findings (preludes.py)."""
import os
import shutil
from pathlib import Path

import preludes
from common import contracts, run

HERE = Path(__file__).resolve().parent


def records(path):
    """The different records of same.c in the file, and their number."""
    all_of_them = path.read_text().split("----\n")[:-1]
    return sorted(set(all_of_them)), len(all_of_them)


def check(path, done, least):
    different, count = records(path)
    if count < least:
        done.fail(f"{count} executions have written what they saw, not {least} or more")
    if len(different) > 1:
        pairs = zip(different[0].splitlines(), different[1].splitlines())
        first = next((f"'{a}' and '{b}'" for a, b in pairs if a != b), "one has more lines")
        done.fail(f"{len(different)} different records in {count}: {first}")


def everywhere(tools, work, mode, options):
    """Runs searches in every isolation and with two workers, both backends, and gdb; returns the records of all."""
    binary = tools.compile(HERE / "same.c", mode=mode, flags=("-lm",))
    seen = work / "seen"
    for more in (["--isolation", "snapshot"], ["--isolation", "fork"], ["--isolation", "exec"], ["-j", "2"]):
        done, finding, schedule = tools.find(work, [*options, *more], binary, "assertion", args=(seen, "fail"))
        check(seen, done, 2)
    for backend in ("virtual", "kernel"):
        done = tools.replay(work, schedule, backend, 2)
        check(seen, done, 4)
    if shutil.which("gdb"):
        done = run([tools.raddle, "replay", "--gdb", schedule, "--gdb-arg", "-batch", "--gdb-arg", "-nx"], cwd=work)
        check(seen, done.expect(1), 8)
        for line in ("hello", "Assertion `"):
            if line not in done.out:
                done.fail(f"gdb does not show what the program printed ('{line}')")
    return records(seen)


def test_every_mode(tools):
    """The same streams, descriptors, environment, signals, stacks and heaps in every mode."""
    different, count = everywhere(tools, tools.dir("same_plain"), "plain", ["-s", "dfs"])
    return f"{count} records"


def test_every_mode_with_hooks(tools):
    different, count = everywhere(tools, tools.dir("same_hooks"), "hooks", ["-s", "random", "--seed", "1"])
    return f"{count} records"


def test_separate_output(tools):
    """With --expect-output the output is a file of its own, and stays one when another finding is run again."""
    work = tools.dir("same_separate")
    binary = tools.compile(HERE / "same.c", mode="plain", flags=("-lm",))
    seen = work / "seen"
    done, _, schedule = tools.find(work, ["-s", "dfs", "--outcomes"], binary, "assertion", args=(seen, "fail"))
    for backend in ("virtual", "kernel"):
        done = tools.replay(work, schedule, backend, 1)
        check(seen, done, 3)
        if "hello" not in done.out:
            done.fail("what was printed is not in the report")
    if "output and error are one file: 0" not in records(seen)[0][0]:
        done.fail("output and error are one file")


def test_other_environment(tools):
    """The user's environment moves no address: a schedule that was found in one environment replays in another, and the
    program sees the user's variables in the user's order."""
    work = tools.dir("same_environment")
    binary = tools.compile(HERE / "same.c", mode="plain", flags=("-lm",))
    seen = work / "seen"
    _, _, schedule = tools.find(work, ["-s", "dfs"], binary, "assertion", args=(seen, "fail"))
    before, _ = records(seen)
    seen.unlink()
    more = {"LD_BIND_NOW": "", "RADDLE_TEST": "1", "GLIBC_TUNABLES": "glibc.malloc.perturb=0", **preludes.LARGE}
    done = tools.replay(work, schedule, "kernel", 1, env=more)
    after, _ = records(seen)
    own = [line.split(" ", 2)[2] for line in after[0].splitlines() if line.startswith("environment")]
    full = dict(os.environ, **more)
    if sorted(own) != sorted(f"{k}={v}" for k, v in full.items()):
        done.fail(f"the program's environment is not the user's: {set(own) ^ {f'{k}={v}' for k, v in full.items()}}")
    short = [line for line in before[0].splitlines() if line.startswith(("aligned", "counter", "descriptor", "open"))]
    if any(line.split(" at ")[0] not in after[0] for line in short if not line.startswith("aligned")):
        done.fail("another environment changes what the program sees besides it")


def test_every_prelude_is_used(tools):
    """Every prelude comes before some program."""
    programs, _ = contracts(["bug/"])
    used = {p for c in programs if not c.slow and preludes.wanted(c, [1]) for p in preludes.of_program(c.name, False)}
    missing = set(preludes.PRELUDES) - used
    assert not missing, missing
    return f"{len(used)} preludes"
