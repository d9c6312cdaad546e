"""Destructors of shared libraries at the end of the program, or when the library is closed, are under the scheduler: a
worker thread that they stop and join runs, and a bug there is found and replayed."""
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "destructors.cc"
MAIN = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
static void (*job)(void);
static void *use(void *arg) { job(); return arg; }
int main(int argc, char **argv) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    pthread_t t;
    if (!library || argc < 3 || !(job = (void (*)(void))dlsym(library, "job")))
        return 3;
    pthread_create(&t, NULL, use, NULL);
    job();
    pthread_join(t, NULL);
    return strcmp(argv[2], "close") == 0 ? dlclose(library) : 0;
}
"""
LINKED = r"""
#include <pthread.h>
void job(void);
static void *use(void *arg) { job(); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    job();
    pthread_join(t, NULL);
    return 0;
}
"""
BUGS = {"none": None, "silent": "deadlock", "early": "assertion"}
WAYS = ("auto", "fork", "exec")


def library(tools, work, bug, by, mode):
    flags = ("-shared", "-fPIC", f'-DBUG="{bug}"', *(("-DBY_OBJECT",) if by == "object" else ()))
    return tools.text_program(work, f"lib_{bug}_{by}_{mode}.cc", SOURCE.read_text(), mode=mode, flags=flags)


def check(tools, name, bug, program, args=()):
    digests = set()
    for way in WAYS:
        work = tools.dir(f"destructors-{name}-{way}")
        done, s = tools.search(work, ["-s", "dpor", "--isolation", way], program, args)
        done.expect(1 if BUGS[bug] else 0)
        digests.add((s["digest"], s["executions"]))
        if not BUGS[bug]:
            if not s["finished"] or s["executions"] < 5:
                done.fail("the ends of the worker were not all tried")
            continue
        finding = s["findings"][0]
        if finding["kind"] != BUGS[bug]:
            done.fail(f"{finding['kind']}, expected {BUGS[bug]}")
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / finding["schedule"], backend, 2)
    if len(digests) != 1:
        done.fail(f"{name}: the ways of isolation differ: {digests}")


def linked(tools, by, mode):
    for bug in BUGS:
        work = tools.dir(f"destructors-linked-{bug}-{by}-{mode}")
        shared = library(tools, work, bug, by, mode)
        program = tools.text_program(work, f"linked_{bug}_{by}_{mode}.c", LINKED, mode=mode,
                                     flags=("-Wl,--no-as-needed", str(shared)))
        check(tools, f"linked-{bug}-{by}-{mode}", bug, program)


def test_linked(tools):
    """By a destructor function and by a static object, with hooks and without."""
    linked(tools, "function", "hooks")
    linked(tools, "function", "plain")
    linked(tools, "object", "plain")


def test_loaded(tools):
    """Loaded while the program runs, and closed before its end or not."""
    work = tools.dir("destructors-loaded")
    program = tools.text_program(work, "loads.c", MAIN, mode="plain")
    for bug in BUGS:
        for by, when in (("function", "close"), ("object", "close"), ("object", "keep")):
            check(tools, f"loaded-{bug}-{by}-{when}", bug, program, [library(tools, work, bug, by, "plain"), when])
