"""Reports call variables by the names that the programmer knows."""
import json
from pathlib import Path

from common import run

SOURCE = Path(__file__).resolve().parent / "names.c"
LOCALS = {"scalar": "scalar() count", "array": "array() table[3]", "member": "member() job.slots[2].range.high",
          "block": "block() first", "else": "block() other[1]", "parameter": "parameter() given", "inlined": "put_in() mine",
          "thread": "worker() own of T1"}


def race(tools, work, program, case):
    """The report of the race of a case, by `run` and by `show`; they name the same things."""
    done, finding, schedule = tools.find(work, ["-s", "dfs", "--detect", "races"], program, "data-race", args=[case])
    shown = run([tools.raddle, "show", schedule], cwd=work)
    return done, shown, finding


def locals_of(tools, compiler, flags):
    program = tools.compile(SOURCE, compiler, "hooks", flags)
    for case, name in LOCALS.items():
        if (case, compiler) == ("parameter", "gcc") and flags != ["-O0"]:
            continue  # gcc does not say where a parameter is once its address was passed on
        work = tools.dir(f"names-{compiler}-{flags[0]}-{case}")
        done, shown, finding = race(tools, work, program, case)
        for out in (done, shown):
            first = out.out.splitlines()[0]
            if f" {name}," not in first or "stack(T" in out.out:
                out.fail(f"{case}: the report does not speak of '{name}', or of a stack: {first}")
        if finding["variables"][-1] != name:
            done.fail(f"{case}: JSON has {finding['variables']}")


def test_locals_gcc(tools):
    for flags in (["-O0"], ["-O1"], ["-O2"]):
        locals_of(tools, "gcc", flags)


def test_locals_clang(tools):
    for flags in (["-O0"], ["-O1"], ["-O2"]):
        locals_of(tools, "clang", flags)


def test_no_wrong_name(tools):
    """Where two calls have had variables in the same place, the report has the right name or none."""
    program = tools.text_program(tools.dir("names-turns-build"), "names_turns.c", SOURCE.read_text(), flags=["-O0"])
    work = tools.dir("names-turns")
    done, shown, _ = race(tools, work, program, "turns")
    for out in (done, shown):
        first = out.out.splitlines()[0]
        if "earlier" in first or not ("after() later" in first or "stack(T0)" in first):
            out.fail(f"a wrong name: {first}")
