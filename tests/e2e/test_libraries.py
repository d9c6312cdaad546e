"""Libraries with threads that are loaded while the program runs. The library is built beside the program."""
import re


LIBRARY = """
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, begun;
static __thread int own;
__attribute__((constructor)) static void begin(void) { begun = 1; }
static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    int n = count;
    UNLOCK_EARLY
    own++;
    pthread_mutex_lock(&lock);
    count = n + own;
    pthread_mutex_unlock(&lock);
    return arg;
}
int library_run(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return count == 2 && begun && own == 0;
}
"""

PROGRAM = """
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
static int ok[2];
static void *user(void *arg) {
    const char *name = arg;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    assert(library);
    int (*run)(void) = (int (*)(void))dlsym(library, "library_run");
    assert(run);
    ok[0] = run();
    assert(dlclose(library) == 0);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, NULL, user, argv[argc - 1]);
    pthread_join(t, NULL);
    assert(ok[0]);
    return 0;
}
"""

UNLOCK_EARLY = "pthread_mutex_unlock(&lock);"


def build(tools, name, early):
    """The program and the path of its library; `early` adds the bug: the lock is released between read and write."""
    work = tools.dir(name)
    text = LIBRARY if early else LIBRARY.replace("    own++;\n    pthread_mutex_lock(&lock);\n", "    own++;\n")
    text = text.replace("UNLOCK_EARLY", UNLOCK_EARLY if early else "")
    how = {"mode": "plain", "compiler": "gcc"}
    library = tools.text_program(work, f"{name}_library.c", text, flags=("-shared", "-fPIC"), **how)
    return work, tools.text_program(work, f"{name}.c", PROGRAM, **how), library


def test_dlopen_correct(tools):
    work, program, library = build(tools, "dlopen_correct", early=False)
    done, summary = tools.search(work, ["-s", "random", "--seed", "1", "-n", "200"], program, [library])
    done.expect(0)
    if summary["findings"]:
        done.fail("a finding in a program without a bug")


def test_dlopen_bug(tools):
    work, program, library = build(tools, "dlopen_bug", early=True)
    options = ["-s", "random", "--seed", "1", "-n", "2000"]
    _, _, schedule = tools.find(work, options, program, "assertion", args=[library])
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, 5)


CHECKED = """
#include <assert.h>
static int set;
void library_set(void) { set = 1; }
void library_check(void) { assert(set == 0); }
"""
CALLS = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static void (*set)(void), (*check)(void);
static void *first(void *a) { set(); return a; }
static void *second(void *a) { check(); return a; }
int main(int argc, char **argv) {
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (!library) abort();
    set = (void (*)(void))dlsym(library, "library_set");
    check = (void (*)(void))dlsym(library, "library_check");
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""


def test_relative_path(tools):
    """A library that is loaded by a path relative to the current directory has lines and names."""
    work = tools.dir("library_relative")
    library = tools.text_program(work, "checked.c", CHECKED, flags=("-shared", "-fPIC"))
    program = tools.text_program(work, "calls.c", CALLS)
    for name in (library, f"./{library.name}", f"../{work.name}/{library.name}"):
        done, finding, schedule = tools.find(work, ["-s", "dfs"], program, "assertion", args=[name])
        if "read set = 1" not in done.out or not re.search(r"in T2, library_check at \S*checked.c:5", done.out):
            done.fail("the library has no names")
