"""ExitBlock's parameters that name code, on real programs: trusted libraries and limits of threads."""
import re

from common import run

LIBRARY = """
#include <pthread.h>
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static int lines;
void own_log(void) { pthread_mutex_lock(&own); lines++; pthread_mutex_unlock(&own); }
"""
PROGRAM = """
#include <pthread.h>
void own_log(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg) {
    own_log();
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    own_log();
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x != 2;
}
"""


def test_code_by_name(tools):
    """Lock exits of a trusted library end no block; limits are in the claim; names that match nothing are errors."""
    work = tools.dir("exitblock-code")
    (work / "own.c").write_text(LIBRARY)
    (work / "use.c").write_text(PROGRAM)
    run([tools.raddle, "cc", "-shared", "-fPIC", "-g", "own.c", "-o", "libown.so.1"], cwd=work).expect(0)
    run([tools.raddle, "cc", "-g", "use.c", work / "libown.so.1", f"-Wl,-rpath,{work}", "-o", "use"], cwd=work).expect(0)
    search = [tools.raddle, "run", "-j", "1", "-o", work / "out", "-s"]
    for parameters, paths in (("", 25), (":trust=own_log", 7), (":trust=own_*", 7), (":trust=libown!*", 7),
                              (":trust=libown.so.1!own_log", 7), (":trust=lib*!own_*", 7), (":trust=work", 7),
                              (":blocks=1", 2), (":blocks=2", 6), (":within=libown!*", 6)):
        done = run([*search, "exitblock" + parameters, work / "use"]).expect(0)
        if f"({paths} paths)" not in done.out:
            done.fail(f"not {paths} paths")
        limited = "blocks" in parameters or "within" in parameters
        if limited != ("complete within the bound: no assertion can fail up to the limit of each thread" in done.out):
            done.fail("another claim")
    for parameter, message in (("trust=libown!nope", "no function 'libown!nope'"), ("trust=nope", "no function 'nope'"),
                               ("within=libnone!f", "the program loads no library 'libnone'"),
                               ("blocks=0", "blocks=0 leaves no block"), ("lock-is-write", "lock-is-write needs rw"),
                               ("trust=libc!p*", "stand for too many functions (at most 63)")):
        done = run([*search, "exitblock:" + parameter, work / "use"]).expect(2)
        if message not in done.err:
            done.fail(f"no message '{message}'")


def test_private_data_under_a_common_lock(tools):
    """`rw` needs few paths where sections under one lock touch data of their own, also where this data is in memory that no
    other thread uses, whose accesses are no points."""
    work = tools.dir("exitblock_private")
    source = work / "sections.c"
    source.write_text("""#include <pthread.h>
#ifndef TIMES
#define TIMES 1
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { long count, gap[7]; } own[THREADS];
static void *work(void *arg) {
    for (int i = 0; i < REGIONS; i++) {
        pthread_mutex_lock(&lock);
        for (int k = 0; k < TIMES; k++)
            *(volatile long *)arg = k;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &own[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
""")
    big = work / "sections-big"  # 1,024 silent accesses in each section
    run([tools.raddle, "cc", "-DTHREADS=3", "-DREGIONS=2", "-DTIMES=1024", "-g", "-O1", "-pthread", str(source), "-o", str(big)], work).expect(0)
    done, s = tools.search(work, ["-s", "exitblock:rw"], big)
    if int(re.search(r"\((\d+) paths", s["guarantee"])[1]) > 11:
        done.fail("1,024 silent accesses are taken for none")
    for threads, regions in ((3, 2), (3, 3), (4, 2)):
        binary = work / f"sections-{threads}-{regions}"
        run([tools.raddle, "cc", f"-DTHREADS={threads}", f"-DREGIONS={regions}", "-g", "-O1", "-pthread", str(source), "-o", str(binary)],
            work).expect(0)
        least = (regions + 1) ** (threads - 1)
        for points in ("auto", "all"):
            done, s = tools.search(work, ["-s", "exitblock:rw", "--points", points], binary)
            paths = int(re.search(r"\((\d+) paths", s["guarantee"])[1])
            if not least <= paths <= least + regions:  # each thread's end may add one
                done.fail(f"{threads} x {regions}, --points {points}: {paths} paths, expected {least}")


def test_trust_is_an_assumption(tools):
    """A claim with `trust` holds only if the trusted code has no part in a bug, and says so. Inlined functions count."""
    work = tools.dir("exitblock_assumes")
    source = work / "trusted.c"
    source.write_text("""#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static inline int get(void) {
    pthread_mutex_lock(&lock);
    int now = n;
    pthread_mutex_unlock(&lock);
    return now;
}
static void *work(void *arg) {
    int now = get();
    pthread_mutex_lock(&lock);
    n = now + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(n == 2);
    return 0;
}
""")
    binary = work / "trusted"
    run([tools.raddle, "cc", "-g", "-O1", "-pthread", str(source), "-o", str(binary)], work).expect(0)
    tools.find(work, ["-s", "exitblock"], binary, "assertion")
    done, s = tools.search(work, ["-s", "exitblock:trust=g?t", "--require-complete"], binary)
    done.expect_trouble("complete only if the code of trust= has no part in a bug")
    if s["complete"] or not s["finished"] or len(s["findings"]) != s["before_search"]:
        done.fail(f"complete: {s['complete']}, finished: {s['finished']}, findings: {s['findings']}")


def test_discipline_of_calls(tools):
    """A library call that reads data without its lock breaks the discipline, also where the race is declared harmless; the data
    that an object without hooks uses under a lock is not known, so that the lock counts as data."""
    work = tools.dir("exitblock_calls")
    (work / "call.c").write_text("""#include <assert.h>
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[8] = "2";
static void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    text[0] = '1';
    text[0] = '2';
    pthread_mutex_unlock(&lock);
    return arg;
}
static void *reader(void *arg) {
    assert(atoi(text) != 1);
    return arg;
}
int main(void) {
    pthread_t t[2];
#ifdef BENIGN
    raddle_benign_race(text, sizeof text);
#endif
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
""")
    for name, flags, detect in (("plain", [], "none"), ("benign", ["-DBENIGN"], "races")):
        binary = work / f"call-{name}"
        run([tools.raddle, "cc", *flags, "-g", "-O1", "-pthread", work / "call.c", "-o", binary], work).expect(0)
        done, s = tools.search(work, ["-s", "exitblock", "--points", "all", "-k", "--detect", detect], binary)
        if s["finished"] or not any("without a lock" in v for v in s["bounds"]["void"]):
            done.fail(f"{name}: finished {s['finished']}, void: {s['bounds']['void']}")
    (work / "unseen.c").write_text("static int n; int next(void) { return ++n; }\n")
    (work / "main.c").write_text("""#include <assert.h>
#include <pthread.h>
int next(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int first, gap[15]; } own[2];
static void *work(void *arg) {
    int *mine = arg;
    pthread_mutex_lock(&lock);
    *mine = next();
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(own[0].first == 1);
    return 0;
}
""")
    run(["gcc", "-g", "-O1", "-c", work / "unseen.c", "-o", work / "unseen.o"], work).expect(0)
    run([tools.raddle, "cc", "-g", "-O1", "-pthread", work / "main.c", work / "unseen.o", "-o", work / "unseen"], work).expect(0)
    tools.find(work, ["-s", "exitblock:rw"], work / "unseen", "assertion")
