"""`raddle` before the name of a compiler wraps it, whatever the compiler's name and whichever program starts it."""
import os
import shutil

from common import run

SOURCE = "int x;\nint main(void) { x++; return 0; }\n"


def has_hooks(tools, work, words, env=None, cxx=False):
    """Compiles and links in one command, and returns whether the program is instrumented."""
    source = work / ("p.cc" if cxx else "p.c")
    source.write_text(SOURCE)
    binary = work / "p"
    binary.unlink(missing_ok=True)
    done = run([*words, "-O1", source, "-o", binary], cwd=work, env=env).expect(0)
    if not binary.exists():
        done.fail("nothing was compiled")
    names = run(["nm", "-D", binary]).expect(0).out
    if "__tsan_init" not in names or "__tsan_func_entry" not in names:
        done.fail("the program has no hooks")
    result, summary = tools.search(work, [], binary)
    result.expect(0)
    if not summary["complete"]:
        result.fail(f"not complete: {summary['not_seen']}")


def test_names(tools):
    work = tools.dir("compilers_names")
    (work / "bin").mkdir()
    os.symlink(shutil.which("clang"), work / "bin" / "cc")  # a name that does not reveal the compiler
    names = ["cc", "gcc", "gcc-12", "clang", "clang-14", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-gcc-12", "c99", "c89",
             "/usr/bin/cc", "/usr/bin/gcc-12", "/usr/bin/../bin/clang-14", "/usr/bin/c99", work / "bin" / "cc"]
    for name in names:
        has_hooks(tools, work, [tools.raddle, name])
    for name in ("c++", "g++", "g++-12", "clang++", "clang++-14", "x86_64-linux-gnu-g++-12", "/usr/bin/c++"):
        has_hooks(tools, work, [tools.raddle, name], cxx=True)


def test_launchers(tools):
    work = tools.dir("compilers_launchers")
    cache = {"CCACHE_DIR": str(work / "cache")}
    (work / "bin").mkdir()
    distcc = work / "bin" / "distcc"
    distcc.write_text('#!/bin/sh\nexec "$@"\n')
    distcc.chmod(0o755)
    for words in (["ccache", "gcc"], ["ccache", "clang-14"], ["/usr/bin/ccache", "/usr/bin/gcc-12"], [distcc, "cc"],
                  ["ccache", distcc, "gcc"], ["/usr/lib/ccache/gcc"]):
        has_hooks(tools, work, [tools.raddle, *words], cache)
    for words in (["ccache", tools.raddle, "cc"], ["ccache", tools.raddle, "clang"]):
        has_hooks(tools, work, words, cache)
    done = run([tools.raddle, "ccache", "--version"], env=cache).expect(0)
    if "ccache version" not in done.out:
        done.fail("a launcher that starts no compiler is run as it is")


def test_objects_from_the_cache(tools):
    """A compiler cache before and after `raddle`, and objects with and without hooks of the same source."""
    work = tools.dir("compilers_cache")
    cache = {"CCACHE_DIR": str(work / "cache")}
    (work / "p.c").write_text(SOURCE)
    hooked = ([tools.raddle, "ccache", "gcc"], ["ccache", tools.raddle, "cc"])
    for _ in range(2):
        for words, hooks in (*((w, True) for w in hooked), (["ccache", "gcc"], False)):
            (work / "p.o").unlink(missing_ok=True)
            done = run([*words, "-g", "-c", "p.c", "-o", "p.o"], cwd=work, env=cache).expect(0)
            if ("__tsan_init" in run(["nm", work / "p.o"]).expect(0).out) != hooks:
                done.fail(f"hooks: not {hooks}")
    hits = run(["ccache", "--print-stats"], env=cache).expect(0).out
    counts = dict(line.split() for line in hits.splitlines())
    if int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]) < 3:
        raise AssertionError(counts)


def test_cmake(tools):
    """As the launcher of the compiler and of the linker in a build."""
    work = tools.dir("compilers_cmake")
    (work / "p.c").write_text(SOURCE)
    (work / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.21)\nproject(p C)\nadd_executable(p p.c)\n")
    launchers = [f"-DCMAKE_C_{what}_LAUNCHER={tools.raddle}" for what in ("COMPILER", "LINKER")]
    clean = {"CMAKE_C_COMPILER_LAUNCHER": ""}
    run(["cmake", "-S", ".", "-B", "b", *launchers], cwd=work, env=clean).expect(0)
    run(["cmake", "--build", "b"], cwd=work).expect(0)
    result, summary = tools.search(work, [], work / "b" / "p")
    if not summary["instrumented"] or not summary["complete"]:
        result.fail(f"instrumented {summary['instrumented']}, not seen: {summary['not_seen']}")


def test_a_program_with_such_a_name(tools):
    """`raddle run` runs a program even if it has the name of a compiler."""
    work = tools.dir("compilers_run")
    (work / "p.c").write_text(SOURCE)
    run([tools.raddle, "cc", "p.c", "-o", "gcc"], cwd=work).expect(0)
    done = run([tools.raddle, "run", "./gcc"], cwd=work).expect(0)
    if "no bug found" not in done.out:
        done.fail("it was not run")


CALLS = ['snprintf(b, 8, "5")', 'sprintf(b, "5")', 'sprintf(b, "%s", "5")', "bzero(b, 8)", "memset(b, '5', 8)", 'memcpy(b, "5555555", 8)',
         'strcpy(b, "555")', 'stpncpy(b, "555", 8)', "bcopy(c, b, 8)", "memmove(b, c, 8)", 'strncpy(b, "55", 4)', 'strcat(b + 1, "5"), b[0]++']


def test_no_access_is_folded(tools):
    """gcc replaces no call by stores of its own that have no hooks, with _FORTIFY_SOURCE neither: another thread can see the
    memory change between two reads."""
    work = tools.dir("compilers_folded")
    for number, call in enumerate(CALLS):
        source = work / f"call{number}.c"
        source.write_text(f"""#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
char b[16] = "a", c[8] = "c";
static void *writer(void *arg) {{
    {call};
    return arg;
}}
static void *reader(void *arg) {{
    char first = *(volatile char *)b, second = *(volatile char *)b;
    assert(first == second);
    return arg;
}}
int main(void) {{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}}
""")
        for flags in (["-O2"], ["-O2", "-D_FORTIFY_SOURCE=2"], ["-O1", "-Wp,-D_FORTIFY_SOURCE=2"]):
            binary = work / f"call{number}{flags[-1].replace('=', '')}"
            run([tools.raddle, "gcc", *flags, "-g", "-pthread", source, "-o", binary], cwd=work).expect(0)
            done, s = tools.search(work, ["-s", "dpor", "--detect", "none"], binary)
            if [f["kind"] for f in s["findings"]] != ["assertion"]:
                done.fail(f"{call} with {' '.join(flags)}: no change was seen")
