"""The names of schedule files: what they say, that nothing is overwritten, and the identity of findings behind them."""
import re
import shutil

from pathlib import Path

from common import COMPILERS, PROGRAMS, ROOT, run

NAME = re.compile(r"[A-Za-z0-9_+][A-Za-z0-9_+.-]*\.[a-z-]+(\.[A-Za-z0-9_+][A-Za-z0-9_+.-]*)?\.[0-9a-f]{8}(-[2-9])?\.sched")

BANK = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int total, other;
static void *one(void *arg) { total++; return arg; }
static void *two(void *arg) {
    (void)arg;
    total++;
    other++;
    return 0;
}
int main(int argc, char **argv) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, argc > 1 ? one : two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == 2);
    assert(argc < 3 || atoi(argv[2]) != 7);
    return 0;
}
"""


def names(tools, work, program, *args, options=("-k",)):
    """The names of the schedules of a new run."""
    shutil.rmtree(work / "out", ignore_errors=True)
    tools.search(work, list(options), program, args=args, detect=())
    found = sorted(p.name for p in (work / "out").glob("*"))
    for name in found:
        if not NAME.fullmatch(name) or len(name) > 180:
            raise AssertionError(f"a schedule has the name '{name}'")
    return found


def test_nothing_is_overwritten(tools):
    """Another argument and another finding get files of their own; the same run writes the same files again."""
    work = tools.dir("names_kept")
    program = tools.text_program(work, "bank.c", BANK)
    every = []
    for args in ((), ("1",), ("1", "7"), ("17",)):
        once = names(tools, work, program, *args)
        every += once
        if names(tools, work, program, *args) != once:
            raise AssertionError("the same run wrote other files")
    if len(set(every)) != len(every) or not any(n.startswith("bank.bin.data-race.total.") for n in every) \
            or not any(n.startswith("bank.bin.assertion.main.") for n in every):
        raise AssertionError(f"files are overwritten or lack the name: {every}")


def test_odd_program_names(tools):
    work = tools.dir("names_odd")
    program = tools.text_program(work, "bank.c", BANK)
    for name in ("-rf", "a b", "a\nb", "$(x)'\"", "ü\x1b[31m", ".hidden", "x" * 200):
        shutil.copy(program, work / name)
        if not names(tools, work, work / name):
            raise AssertionError(f"no finding in a program named {name!r}")


def source_of(name):
    """The text of a program in tests/programs, with its includes by absolute paths; `bug` files include those in `ok`."""
    path = PROGRAMS / name
    text = path.read_text()
    inner = re.search(r'#include "\.\./ok/([^"]+)"', text)
    if inner:
        path = PROGRAMS / "ok" / inner[1]
        text = "#define BROKEN\n" + path.read_text()
    return re.sub(r'#include "([^"]+)"', lambda m: f'#include "{(path.parent / m[1]).resolve()}"', text)


def test_identities(tools):
    """The same bug has the same identity in another build of changed source, by another compiler, in another directory."""
    for name in ("bug/abba.c", "bug/lost_update.c", "bug/free_read.c", "bug/null_dereference.c", "bug/livelock_polite.c"):
        text, seen = source_of(name), {}
        moved = "/* a comment\n * of\n * four lines\n */\n#include <stddef.h>\n" + text.replace("    ", "\t")
        for way, body, compiler in (("first", text, "gcc"), ("moved", moved, "gcc"), ("clang", moved, "clang")):
            work = tools.dir(f"identity_{Path(name).name}_{way}")
            source, cxx = work / Path(name).name, name.endswith(".cc")
            source.write_text(body)
            env = {"RADDLE_CXX" if cxx else "RADDLE_CC": COMPILERS[compiler][cxx]}
            run([tools.raddle, "c++" if cxx else "cc", "-g", "-O1", "-pthread", f"-I{ROOT / 'include'}", source, "-o", work / "program"],
                env=env).expect(0)
            seen[way] = set(names(tools, work, work / "program", options=["-k", "-s", "random", "-n", "60"]))
        if not seen["first"] or seen["first"] != seen["moved"]:
            raise AssertionError(f"{name}: the identity changes with the lines: {seen}")
        if not seen["first"] & seen["clang"]:
            raise AssertionError(f"{name}: no identity is the same with clang: {seen}")
