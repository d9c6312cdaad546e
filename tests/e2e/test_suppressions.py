"""Suppressions: ThreadSanitizer's files, comments in the source, what is listed, and that the search goes on."""
import os

from common import run
from test_formats import check_json

# bump() races at `hits` (line 5), and is called by serve(); put() races at `sum` (line 7)
RACES = """#include <pthread.h>
static int hits, sum;
__attribute__((noinline)) static void bump(void) {
    /* one more */
    hits++;
}
static void put(int n) { sum += n; }
__attribute__((noinline)) static void outer(void) { bump(); }
static void *serve(void *a) {
    outer();
    if (*(int *)a)
        put(1);
    return a;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    int both = argc > 1;
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, serve, &both);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""

CROSSED = """#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void take(pthread_mutex_t *x, pthread_mutex_t *y) {
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *forth(void *p) {
    take(&a, &b);
    return p;
}
static void *back(void *p) {
    take(&b, &a);
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, forth, 0);
    pthread_create(&t[1], 0, back, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""

MISUSE = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void release(void) { pthread_mutex_unlock(&m); }
static void *f(void *p) {
    release();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
"""

USES = """#include <pthread.h>
#include <stdlib.h>
static int *block;
static void use(void) { *block = 1; }
static void *f(void *p) {
    use();
    return p;
}
int main(void) {
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, 0, f, 0);
    free(block);
    pthread_join(t, 0);
    return 0;
}
"""

ASSERTS = """#include <assert.h>
#include <pthread.h>
static int ready;
static void check(void) { assert(ready == 0); }
static void verify(void) { assert(ready == 1); }
static void *f(void *p) {
    if (__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
        check();
    else if (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
        verify();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    pthread_join(t, 0);
    return 0;
}
"""

LIBRARY = """extern int shared;
void library_write(void);
void library_write(void) { shared++; }
"""

CALLS_LIBRARY = """#include <pthread.h>
extern int shared;
void library_write(void);
int shared;
static void *f(void *p) {
    library_write();
    return p;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""


CPLUSPLUS = """#include <thread>
namespace shop {
struct Counter {
    int total = 0;
    __attribute__((noinline)) void add() { total++; }
};
}
static shop::Counter counter;
int main() {
    std::thread a([] { counter.add(); }), b([] { counter.add(); });
    a.join();
    b.join();
}
"""


def search(tools, work, text, program, *options, args=(), detect="races", status=0):
    (work / "list").write_text(text)
    options = ["-s", "dpor", "--detect", detect, "--suppress", work / "list", *options]
    done, summary = tools.search(work, options, program, args=args)
    done.expect(status)
    check_json(done, summary)
    return done, summary


def check(tools, work, text, program, suppressed, **how):
    """The only line of the file suppresses everything, or nothing."""
    done, summary = search(tools, work, text, program, status=0 if suppressed else 1, **how)
    entry = summary["suppressions"][0]
    if entry["text"] != text.strip() or entry["where"] != "list:1" or not entry["applies"]:
        done.fail(f"'{text}' is listed as {entry}")
    if bool(entry["findings"]) != suppressed or len(entry["matches"]) != entry["findings"]:
        done.fail(f"'{text}' suppressed {entry}")
    listed = f"suppressions never used: list:1 {text.strip()}" in done.out
    if listed == suppressed or summary["suppressed"] != entry["findings"]:
        done.fail(f"'{text}' is reported wrong")
    if suppressed and any(m not in done.out for m in entry["matches"]):
        done.fail(f"the report lacks {entry['matches']}")
    return done, entry


def test_suppressions_of_races(tools):
    """What a pattern matches: functions of the stack, files, modules, variables; anywhere, unless it is tied to the ends."""
    work = tools.dir("suppressions/races")
    program = tools.text_program(work, "races.c", RACES)
    for text in ("race:bump", "race:um", "race:^bump$", "race:^b*p$", "race:b?mp", "race:[ab]ump", "race:races.c",
                 "race:*/races.c", "race:hits", "race:^hits$", "data-race:bump", "race_top:bump", "variable:hits",
                 "var:^h*s$", "race:outer", "race:serve", "race:races.bin", "race:suppressions/"):
        check(tools, work, text, program, True)
    for text in ("race:^ump", "race:bum$", "race:^out$", "race_top:outer", "race_top:serve", "race:main", "race:suppressions", "variable:sum",
                 "variable:bump", "deadlock:bump", "heap:bump", "mutex:bump", "called_from_lib:races", "race:[xy]ump"):
        check(tools, work, text, program, False)
    done, entry = check(tools, work, "race:^outer$", program, True)
    if any(m != "data race of hits: races.c:5 in bump, from every caller" for m in entry["matches"]):
        done.fail(f"an outer call is listed as {entry['matches']}")
    done, entry = check(tools, work, "race:bump", program, True)
    if any(m != "data race of hits: races.c:5 in bump" for m in entry["matches"]):
        done.fail(f"a race is listed as {entry['matches']}")
    if "data race" in "".join(line for line in done.out.splitlines() if line.startswith("#")):
        done.fail("a suppressed race is reported")


def test_suppressions_in_cplusplus(tools):
    """Functions have their names of the source, with and without what is around them; mangled names only as a whole."""
    work = tools.dir("suppressions/cplusplus")
    program = tools.text_program(work, "shop.cc", CPLUSPLUS)
    for text in ("race:shop::Counter::add", "race:^add$", "race_top:Counter::add", "race:_ZN4shop7Counter3addEv", "race:counter"):
        check(tools, work, text, program, True)
    for text in ("race:Ev", "race:N4shop", "race:^Counter", "race:add(long"):
        check(tools, work, text, program, False)


def test_suppressions_of_libraries(tools):
    """called_from_lib: is about a library whose own code does the access, and never about the program."""
    work = tools.dir("suppressions/library")
    (work / "lib.c").write_text(LIBRARY)
    library = work / "libwriter.so"
    run([tools.raddle, "cc", "-g", "-shared", "-fPIC", "-o", library, work / "lib.c"]).expect(0)
    (work / "calls.c").write_text(CALLS_LIBRARY)
    program = work / "calls.bin"
    run([tools.raddle, "cc", "-g", "-rdynamic", "-pthread", "-o", program, work / "calls.c", library, f"-Wl,-rpath,{work}"]).expect(0)
    for text in ("called_from_lib:libwriter", "called_from_lib:^libwriter.so$", "race:library_write", "race:libwriter.so",
                 "race_top:library_write", "race:^f$"):
        check(tools, work, text, program, True)
    for text in ("called_from_lib:calls", "called_from_lib:*", "called_from_lib:libother"):
        check(tools, work, text, program, text.endswith("*"))


def test_suppressions_of_other_kinds(tools):
    """deadlock: (met and predicted), mutex:, heap:, and the name of every kind of finding."""
    work = tools.dir("suppressions/kinds")
    program = tools.text_program(work, "crossed.c", CROSSED)
    for text in ("deadlock:take", "deadlock:back", "deadlock:crossed.c"):
        (work / "list").write_text(text)
        done, summary = search(tools, work, text, program, detect="deadlocks")
        if not summary["suppressed"] or summary["findings"] or not summary["suppressions"][0]["matches"]:
            done.fail(f"'{text}' suppressed {summary['suppressions']}")
        if "ended with a suppressed finding" not in summary["guarantee"] or summary["complete"]:
            done.fail("the claim does not say that suppressed findings ended executions")
    done, summary = search(tools, work, "mutex:take", program, detect="deadlocks", status=1)
    if summary["suppressed"]:
        done.fail("mutex: suppresses a deadlock")
    program = tools.text_program(work, "misuse.c", MISUSE)
    for text in ("mutex:release", "misuse:^f$", "mutex:misuse.c"):
        check(tools, work, text, program, True, detect="none")
    for text in ("heap:release", "race:release", "deadlock:release"):
        check(tools, work, text, program, False, detect="none")
    program = tools.text_program(work, "uses.c", USES)
    for text in ("heap:use", "use-after-free:use"):
        done, entry = check(tools, work, text, program, True, detect="heap")
        if entry["matches"] != ["use-after-free: uses.c:4 in use"]:
            done.fail(f"an error of the heap is listed as {entry['matches']}")
    check(tools, work, "double-free:use", program, False, detect="heap")


def test_suppressions_are_listed(tools):
    """Used lines, unused ones and those of kinds that Raddle does not have are named."""
    work = tools.dir("suppressions/listed")
    program = tools.text_program(work, "races.c", RACES)
    text = "# known\n\nrace:bump # not a comment\n race : put\nthread:main\nsignal:*\nrace:nobody\n"
    done, summary = search(tools, work, text.replace(" # not a comment", ""), program)
    for words in ("  list:3: race:bump: ", "suppressions never used: list:4 race:put, list:7 race:nobody",
                  "suppressions of kinds that raddle does not report: list:5 thread:main, list:6 signal:*"):
        if words not in done.out:
            done.fail(f"no '{words}'")
    if [s["applies"] for s in summary["suppressions"]] != [True, True, False, False, True]:
        done.fail("the lines that do not apply")
    for text, words in (("rcae:x", "unknown kind 'rcae'"), ("race", "no kind of finding"), ("none:x", "unknown kind 'none'"),
                        ("race_top:", "after 'race_top:'")):
        (work / "list").write_text(text)
        run([tools.raddle, "run", "--suppress", work / "list", program], cwd=work).expect_trouble(words)


def test_search_goes_on_after_a_suppression(tools):
    """The second bug is found behind a suppressed one, with and without -k, whether the search or the driver suppresses."""
    work = tools.dir("suppressions/second")
    program = tools.text_program(work, "races.c", RACES)
    for text in ("race:bump", "race:^outer$", "race:hits"):
        for options in ((), ("-k",), ("-j", "2")):
            done, summary = search(tools, work, text, program, *options, args=("both",), status=1)
            if any(f["line"] != 7 for f in summary["findings"]) or not summary["suppressions"][0]["findings"]:
                done.fail(f"'{text}' {options}: {[f['line'] for f in summary['findings']]}")
            stored = sorted(p.name for p in (work / "out").glob("*.sched"))
            wanted = sum(1 + len(f["also"]) for f in summary["findings"])
            if len(stored) != wanted:
                done.fail(f"{len(stored)} schedules of {wanted} findings")
            for p in (work / "out").glob("*.sched"):
                p.unlink()
    program = tools.text_program(work, "asserts.c", ASSERTS)
    for options in ((), ("-k",)):
        done, summary = search(tools, work, "assertion:check", program, *options, detect="none", status=1)
        if [f["function"] for f in summary["findings"]] != ["verify"]:
            done.fail("not the second assertion")
    done, summary = search(tools, work, "assertion:check\nassertion:^verify$\n", program, detect="none")
    if [s["findings"] for s in summary["suppressions"]] != [1, 1] or summary["suppressed_executions"] < 2:
        done.fail(f"two assertions: {summary['suppressions']}")
    if "was not run" not in summary["guarantee"] or summary["findings"] or summary["finished"]:
        done.fail("the claim does not say that suppressed findings ended executions")


def test_comments_suppress(tools):
    """// raddle:ignore(kind) - reason at the line, or alone in the line above it."""
    work = tools.dir("suppressions/comments")
    for number, (old, new, suppressed) in enumerate((
            ("hits++;", "hits++; // raddle:ignore(race) - a counter", True),
            ("hits++;", "hits++; /* raddle:ignore(data-race) */", True),
            ("hits++;", "hits++; // raddle:ignore", True),
            ("/* one more */", "// raddle:ignore(deadlock, race) - a counter", True),
            ("hits++;", "hits++; // raddle:ignore(deadlock)", False),
            ("hits++;", 'hits++, (void)"raddle:ignore(race)";', False),
            ("hits++;", 'hits++, (void)"// raddle:ignore(race)";', False),
            ("hits++;", "hits++; // docs: raddle:ignore is for known findings", False),
            ("hits++;", "hits++; // raddle:ignored", False),
            ("hits++;", 'hits++, (void)"/*", (void)\'"\'; /* one */ // raddle:ignore', True),
            ("/* one more */", "(void)0; // raddle:ignore(race)", False),
            ("/* one more */", "/* raddle:ignore(race) */ (void)0;", False),
            ("__attribute__((noinline)) static void bump", "// raddle:ignore(race)\nstatic void bump", False))):
        program = tools.text_program(work, f"comment{number}.c", RACES.replace(old, new, 1))
        done, summary = tools.search(work, ["-s", "dpor", "--detect", "races"], program)
        done.expect(0 if suppressed else 1)
        check_json(done, summary)
        if bool(summary["suppressions"]) != suppressed or bool(summary["suppressed"]) != suppressed:
            done.fail(f"'{new}': {summary['suppressions']}")
        if not suppressed:
            continue
        entry = summary["suppressions"][0]
        line = 4 if old != "hits++;" else 5
        if entry["where"] != f"comment{number}.c:{line}" or not entry["text"].startswith("raddle:ignore"):
            done.fail(f"'{new}' is listed as {entry}")
        if f"comment{number}.c:{line}: raddle:ignore" not in done.out or "hits" not in "".join(entry["matches"]):
            done.fail(f"'{new}' is not in the report")
    source = work / "comment0.c"
    os.utime(source, (2000000000, 2000000000))
    done, summary = tools.search(work, ["-s", "dpor", "--detect", "races"], work / "comment0.bin")
    if "newer than the program" not in done.expect(1).err or summary["suppressed"]:
        done.fail("a comment counts in a source that is newer than the program")
