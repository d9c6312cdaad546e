"""Reports call variables by the names that the programmer knows."""
import json
from pathlib import Path

from common import run

SOURCE = Path(__file__).resolve().parent / "names.c"
LOCALS = {"scalar": "scalar() count", "array": "array() table[3]", "member": "member() job.slots[2].range.high",
          "block": "block() first", "else": "block() other[1]", "parameter": "parameter() given", "inlined": "put_in() mine",
          "thread": "worker() own of T1"}


HEAP = Path(__file__).resolve().parent / "heap_names.c"
HEAP_C = {"variable": "node#1.count", "sizeof": "node#1.count", "deref": "node#1.count", "member": "node#1.count",
          "global": "node#1.count", "cast": "node#1.count", "array": "node#1[2].count", "wrapper": "node#1.count",
          "typedef": "small#1.count", "open": "open#1.count", "ints": "int#1[7]", "inner": "long#1[2]",
          # no name may be chosen here
          "unknown": "block#1+8", "twice": "block#1+16"}
HEAP_CXX = {"new": "Session#1.id_", "base": "Session#1.count", "nothrow": "Session#1.id_", "member": "Session#1.id_",
            "unique": "Session#1.id_", "shared": "Session#1.id_", "list": "Session#1.id_", "array": "int#1[4]",
            "template": "Box#1.count", "vector": "Box#1[3].count"}


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


def blocks_of(tools, source, compiler, flags, cases):
    program = tools.compile(source, compiler, "hooks", flags)
    for case, name in cases.items():
        work = tools.dir(f"names-heap-{source.suffix[1:]}-{compiler}-{flags[0]}-{case}")
        done, shown, finding = race(tools, work, program, case)
        for out in (done, shown):
            if f" {name}," not in out.out.splitlines()[0]:
                out.fail(f"{case}: the report does not speak of '{name}'")
        if name not in finding["variables"]:
            done.fail(f"{case}: JSON has {finding['variables']}")


def test_blocks_gcc(tools):
    for flags in (["-O0"], ["-O2"]):
        blocks_of(tools, HEAP, "gcc", flags, HEAP_C)
    blocks_of(tools, HEAP.with_suffix(".cc"), "gcc", ["-O1"], HEAP_CXX)


def test_blocks_clang(tools):
    blocks_of(tools, HEAP, "clang", ["-O1"], HEAP_C)
    blocks_of(tools, HEAP.with_suffix(".cc"), "clang", ["-O1"], HEAP_CXX)


def test_blocks_without_source(tools):
    """Without its source, the statement of the allocation tells nothing: the block has a number and an offset."""
    work = tools.dir("names-heap-gone")
    program = tools.text_program(work, "gone.c", HEAP.read_text(), flags=["-O1"])
    (work / "gone.c").unlink()
    done, _, _ = race(tools, work, program, "sizeof")
    if " block#1+16," not in done.out.splitlines()[0]:
        done.fail("the block has another name")


VALUES = r"""
#include <pthread.h>
#include <stdbool.h>
#include <stdatomic.h>
enum colour { RED, GREEN = 7 };
static enum colour colour;
static bool ready;
static double level;
static signed char small;
static unsigned char letter;
static unsigned long mask;
static int number, *pointer = &number;
static void (*call)(void);
static _Atomic int swapped;
static int *none = &number;
static void hello(void) {}
static void *change(void *unused) {
    colour = GREEN, ready = true, level = 2.5, small = -3, letter = 'x', mask = ~0ul, number = -7;
    pointer = &number, call = hello, none = 0;
    int wrong = 5;
    atomic_compare_exchange_strong(&swapped, &wrong, 6);
    return unused;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, change, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 3;
}
"""


def test_values(tools):
    """Values are written in the terms of their types."""
    for compiler in ("gcc", "clang"):
        work = tools.dir(f"names-values-{compiler}")
        program = tools.text_program(work, "values.c", VALUES, compiler=compiler, flags=["-O0"])
        done, _, schedule = tools.find(work, ["-s", "dfs", "--detect", "none"], program, "exit-status")
        shown = run([tools.raddle, "show", schedule], cwd=work)
        for text in ("write colour = GREEN ", "write ready = true ", "write level = 2.5 ", "write small = -3 ",
                     "write letter = 120 'x' ", "write mask = 0xffffffffffffffff ", "write number = -7 ",
                     "write pointer = &number ", "write call = hello ", "write none = NULL ",
                     "atomic cas swapped = 0 -> failed "):
            if text not in shown.out:
                shown.fail(f"the report does not have '{text}'")
