"""Rules for foreign synchronisation (docs/rules.md): the installed ones, on Debian's own libraries, and a user's.

The programs are built with `raddle cc`; the libraries are Debian's, unchanged. A library of the test with a lock made
of atomic operations and a futex represents libraries for which there are no rules yet.
"""
import re
import shlex

from common import ROOT, run

GLIB_ORDER = """
#include <glib.h>
static GMutex a, b;
static int n;
static gpointer one(gpointer p) {
    g_mutex_lock(&a);
    g_mutex_lock(&b); /* BUG */
    n++;
    g_mutex_unlock(&b);
    g_mutex_unlock(&a);
    return p;
}
static gpointer two(gpointer p) {
    g_mutex_lock(&b);
    g_mutex_lock(&a); /* BUG */
    n++;
    g_mutex_unlock(&a);
    g_mutex_unlock(&b);
    return p;
}
int main(void) {
    GThread *x = g_thread_new("one", one, NULL), *y = g_thread_new("two", two, NULL);
    g_thread_join(x);
    g_thread_join(y);
    return n != 2;
}
"""

GLIB_KINDS = """
#include <assert.h>
#include <glib.h>
static GMutex m;
static GRecMutex r;
static GRWLock w;
static GCond c;
static GOnce o = G_ONCE_INIT;
static gsize once;
static int n, deep, wide, ready, made[2], tried;
static gpointer make(gpointer p) {
    made[0]++;
    return p;
}
static gpointer work(gpointer p) {
    g_rec_mutex_lock(&r);
    g_rec_mutex_lock(&r);
    deep++;
    g_rec_mutex_unlock(&r);
    g_rec_mutex_unlock(&r);
    if (p) {
        g_rw_lock_writer_lock(&w);
        wide++;
        g_rw_lock_writer_unlock(&w);
    } else if (g_rw_lock_reader_trylock(&w)) {
        assert(wide >= 0);
        g_rw_lock_reader_unlock(&w);
    }
    g_once(&o, make, &o);
    if (g_once_init_enter(&once)) {
        made[1]++;
        g_once_init_leave(&once, 1);
    }
    assert(made[0] == 1 && made[1] == 1);
    if (g_mutex_trylock(&m)) {
        tried++;
        g_mutex_unlock(&m);
    }
    g_mutex_lock(&m);
    n++;
    ready++;
    g_cond_signal(&c);
    g_mutex_unlock(&m);
    return p;
}
int main(void) {
    g_mutex_lock(&m); /* before there is another thread */
    GThread *x = g_thread_new("one", work, &m);
    gint64 end = g_get_monotonic_time() + 1000;
    gboolean came = ready || g_cond_wait_until(&c, &m, end);
    (void)came; /* it may have timed out, and waited for the mutex until the other thread had signalled */
    while (!ready)
        g_cond_wait(&c, &m);
    assert(n == 1);
    g_mutex_unlock(&m);
    work(NULL);
    g_thread_join(x);
    assert(n == 2 && deep == 2 && wide == 1);
    g_rec_mutex_clear(&r);
    g_rw_lock_clear(&w);
    g_mutex_clear(&m);
    g_cond_clear(&c);
    return 0;
}
"""

GLIB_LOST = """
#include <glib.h>
static GMutex m;
static GCond c;
static int ready;
static gpointer tell(gpointer p) {
    ready = 1; /* BUG: without the lock */
    g_cond_signal(&c);
    return p;
}
int main(void) {
    GThread *x = g_thread_new("one", tell, NULL);
    g_mutex_lock(&m);
    while (!ready) /* BUG */
        g_cond_wait(&c, &m); /* BUG */
    g_mutex_unlock(&m);
    g_thread_join(x);
    return 0;
}
"""

GLIB_QUEUE = """
#include <assert.h>
#include <glib.h>
static int value;
static gpointer take(gpointer q) {
    int *p = g_async_queue_pop(q);
    assert(*p == 5);
    return NULL;
}
int main(void) {
    GAsyncQueue *q = g_async_queue_new();
    GThread *x = g_thread_new("take", take, q);
    value = 5;
    g_async_queue_push(q, &value);
    g_thread_join(x);
    return 0;
}
"""

NSPR = """
#include <assert.h>
#include <prcvar.h>
#include <prinit.h>
#include <prlock.h>
#include <prmon.h>
#include <pratom.h>
#include <prthread.h>
static PRLock *a, *b;
static PRCondVar *c;
static PRMonitor *m;
static PRCallOnceType once;
static PRInt32 atomic;
static int n, ready, made, deep;
static PRStatus make(void) {
    made++;
    return PR_SUCCESS;
}
static void work(void *p) {
    PR_Lock(p ? a : FIRST);
    PR_Lock(p ? b : SECOND); /* BUG */
    n++;
    PR_Unlock(p ? b : SECOND);
    PR_Unlock(p ? a : FIRST);
    PR_EnterMonitor(m);
    deep++;
    PR_ExitMonitor(m);
    PR_CallOnce(&once, make);
    assert(made == 1);
    PR_AtomicIncrement(&atomic);
    PR_Lock(a);
    ready++;
    PR_NotifyCondVar(c);
    PR_Unlock(a);
}
int main(void) {
    a = PR_NewLock();
    b = PR_NewLock();
    c = PR_NewCondVar(a);
    m = PR_NewMonitor();
    PRThread *t = PR_CreateThread(PR_USER_THREAD, work, &n, PR_PRIORITY_NORMAL, PR_GLOBAL_THREAD, PR_JOINABLE_THREAD, 0);
    work(NULL);
    PR_Lock(a);
    while (ready < 2)
        PR_WaitCondVar(c, PR_INTERVAL_NO_TIMEOUT);
    assert(n == 2 && deep == 2);
    PR_Unlock(a);
    PR_JoinThread(t);
    return 0;
}
"""

APR = """
#include <apr_atomic.h>
#include <apr_general.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>
#include <apr_thread_rwlock.h>
#include <assert.h>
static apr_thread_mutex_t *a, *b;
static apr_thread_rwlock_t *w;
static apr_thread_cond_t *c;
static volatile apr_uint32_t atomic;
static int n, ready, wide;
static void work(int first) {
    apr_thread_mutex_lock(first ? a : FIRST);
    apr_thread_mutex_lock(first ? b : SECOND); /* BUG */
    n++;
    apr_thread_mutex_unlock(first ? b : SECOND);
    apr_thread_mutex_unlock(first ? a : FIRST);
    apr_thread_rwlock_wrlock(w);
    wide++;
    apr_thread_rwlock_unlock(w);
    apr_atomic_inc32(&atomic);
    apr_thread_mutex_lock(a);
    ready++;
    apr_thread_cond_signal(c);
    apr_thread_mutex_unlock(a);
}
static void *thread(apr_thread_t *self, void *p) {
    (void)self;
    work(1);
    return p;
}
int main(void) {
    apr_pool_t *pool;
    apr_thread_t *t;
    apr_status_t status;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    apr_thread_mutex_create(&a, APR_THREAD_MUTEX_DEFAULT, pool);
    apr_thread_mutex_create(&b, APR_THREAD_MUTEX_DEFAULT, pool);
    apr_thread_rwlock_create(&w, pool);
    apr_thread_cond_create(&c, pool);
    apr_thread_create(&t, NULL, thread, NULL, pool);
    work(0);
    apr_thread_mutex_lock(a);
    while (ready < 2)
        apr_thread_cond_wait(c, a);
    assert(n == 2 && wide == 2);
    apr_thread_mutex_unlock(a);
    apr_thread_join(&status, t);
    return 0;
}
"""

HOME = """
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
void home_lock(atomic_int *l) {
    for (;;) {
        for (int i = 0; i < 10; i++) {
            int idle = 0;
            if (atomic_compare_exchange_strong(l, &idle, 1))
                return;
        }
        int held = 1;
        atomic_compare_exchange_strong(l, &held, 2);
        syscall(SYS_futex, l, FUTEX_WAIT, 2, NULL, NULL, 0);
    }
}
int home_trylock(atomic_int *l) {
    int idle = 0;
    return atomic_compare_exchange_strong(l, &idle, 1) ? 7 : -3;
}
void home_unlock(atomic_int *l) {
    if (atomic_exchange(l, 0) == 2)
        syscall(SYS_futex, l, FUTEX_WAKE, 1 << 20, NULL, NULL, 0);
}
int home_sum(const int *numbers, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}
"""

HOME_RULES = """# a lock made at home
library libhome.so
mutex.lock    home_lock 0          # the first argument
mutex.trylock home_trylock 0 fail=-3
mutex.unlock  home_unlock 0
touches       home_sum r1:4*#2
"""

HOME_USES = """
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
void home_lock(int *), home_unlock(int *);
int home_trylock(int *), home_sum(const int *, int);
static int a, b, n[2], other;
"""

HOME_COUNTER = HOME_USES + """
static void *work(void *p) {
    home_lock(&a);
    n[0]++;
    home_unlock(&a);
    if (home_trylock(&a) == 7) {
        n[0]++;
        home_unlock(&a);
    }
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(n[0] >= 2);
    return 0;
}
"""

HOME_ORDER = HOME_USES + """
static void *work(void *p) {
    home_lock(p ? &a : &b);
    home_lock(p ? &b : &a); /* BUG */
    n[0]++;
    home_unlock(p ? &b : &a);
    home_unlock(p ? &a : &b);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, &n);
    work(NULL);
    pthread_join(t, NULL);
    return n[0] != 2;
}
"""

HOME_BOTH = HOME_USES + """
static void *work(void *p) {
    other++; /* BUG */
    home_lock(&a);
    n[0]++;
    home_unlock(&a);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
"""

HOME_SUM = HOME_USES + """
static void *work(void *p) {
    n[1] = home_sum(n, 1);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    n[0] = 1; /* BUG */
    pthread_join(t, NULL);
    return 0;
}
"""

DEFAULT = ["--detect", "races,deadlocks,heap"]


def flags(package):
    return shlex.split(run(["pkg-config", "--cflags", "--libs", package]).expect(0).out)


def lines(text):
    return [i for i, line in enumerate(text.splitlines(), 1) if "/* BUG" in line]


def build(tools, work, name, text, with_flags, compiler=("cc",)):
    source = work / f"{name}.c"
    source.write_text(text)
    command = [tools.raddle, *compiler] if compiler == ("cc",) else list(compiler)
    run([*command, "-g", "-O1", "-pthread", source, "-o", work / name, *with_flags], cwd=work).expect(0)
    return work / name


def expect_deadlock(tools, work, program, text, options=()):
    done, finding, schedule = tools.find(work, [*DEFAULT, *options], program, "deadlock")
    if finding["line"] not in lines(text):
        done.fail(f"found at line {finding['line']}, expected one of {lines(text)}")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, tools.times or 3)
    return done


def expect_clean(tools, work, program, options=(), complete=True):
    done, summary = tools.search(work, [*DEFAULT, *options], program)
    done.expect(0)
    if summary["findings"] or summary["warnings"]:
        done.fail("a finding or a warning")
    if complete and ": every schedule" not in done.out:
        done.fail("not complete")
    return summary


def test_glib_deadlock(tools):
    """Locks of Debian's own libglib, in a program that is instrumented and in one that is not."""
    for name, compiler in (("hooks", ("cc",)), ("plain", ("gcc",))):
        work = tools.dir(f"rules_glib_{name}")
        program = build(tools, work, "order", GLIB_ORDER, flags("glib-2.0"), compiler)
        expect_deadlock(tools, work, program, GLIB_ORDER)


def test_glib_kinds(tools):
    """All kinds of GLib's objects, used correctly: no race, no deadlock, and the search ends."""
    work = tools.dir("rules_glib_kinds")
    program = build(tools, work, "kinds", GLIB_KINDS, flags("glib-2.0"))
    run([program]).expect(0)
    summary = expect_clean(tools, work, program, ["-t", "40"], complete=False)
    for isolation in ("fork", "exec"):
        expect_clean(tools, work, program, ["-s", "random", "-n", "50", "--isolation", isolation], complete=False)
    return f"{summary['executions']} executions"


def test_glib_lost_signal(tools):
    work = tools.dir("rules_glib_lost")
    program = build(tools, work, "lost", GLIB_LOST, flags("glib-2.0"))
    done, finding, schedule = tools.find(work, ["--detect", "none"], program, "deadlock")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, tools.times or 3)
    done, finding, _ = tools.find(work, ["--detect", "races"], program, "data-race")
    if finding["line"] not in lines(GLIB_LOST):
        done.fail(f"the race is at line {finding['line']}")


GLIB_POOL = """
#include <glib.h>
static GMutex lock;
static int work;
static void job(gpointer data, gpointer user) {
    (void)data, (void)user;
    LOCK(g_mutex_lock(&lock));
    work++;
    LOCK(g_mutex_unlock(&lock));
}
int main(void) {
    GThreadPool *pool = g_thread_pool_new(job, NULL, 2, TRUE, NULL);
    g_thread_pool_push(pool, GINT_TO_POINTER(1), NULL);
    g_thread_pool_push(pool, GINT_TO_POINTER(2), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    return work == 0;
}
"""


def test_glib_pool(tools):
    """Jobs run in threads of the library, which orders them before main's later operations: no certain race there, but
    one between two jobs that run at the same time."""
    work = tools.dir("rules_glib_pool")
    right = build(tools, work, "right", GLIB_POOL, [*flags("glib-2.0"), "-DLOCK(x)=x"])
    done = run([tools.raddle, "run", "-t", "3", "-o", work / "out", "--", right]).expect(0)
    assert "Code that is not seen may order them" in done.out, done.out
    wrong = build(tools, work, "wrong", GLIB_POOL, [*flags("glib-2.0"), "-DLOCK(x)=(void)0"])
    done = run([tools.raddle, "run", "-t", "10", "-o", work / "out", "--", wrong]).expect(1)
    assert re.search(r"^(#\d+ )?data race: T\d+ (reads|writes) work", done.out, re.M), done.out


def test_glib_queue(tools):
    work = tools.dir("rules_glib_queue")
    expect_clean(tools, work, build(tools, work, "queue", GLIB_QUEUE, flags("glib-2.0")), ["-t", "20"], complete=False)


def other_library(tools, name, text, package):
    work = tools.dir(f"rules_{name}")
    order = text.replace("FIRST", "b").replace("SECOND", "a")
    fine = text.replace("FIRST", "a").replace("SECOND", "b")
    expect_deadlock(tools, work, build(tools, work, "order", order, flags(package)), order)
    return expect_clean(tools, work, build(tools, work, "fine", fine, flags(package)), ["-t", "30"], complete=False)


def test_nspr(tools):
    other_library(tools, "nspr", NSPR, "nspr")


def test_apr(tools):
    other_library(tools, "apr", APR, "apr-1")


def home(tools, name, text, place="home"):
    work = tools.dir(f"rules_{place}_{name}")
    (work / "home.c").write_text(HOME)
    (work / "home.rules").write_text(HOME_RULES)
    run(["gcc", "-g", "-O1", "-shared", "-fPIC", "home.c", "-o", "libhome.so"], cwd=work).expect(0)
    return work, build(tools, work, name, text, [f"-L{work}", "-lhome", f"-Wl,-rpath,{work}"])


def test_own_rules(tools):
    work, program = home(tools, "counter", HOME_COUNTER)
    done, summary = tools.search(work, DEFAULT, program)
    done.expect(0)
    kinds = {w["kind"] for w in summary["warnings"]}
    if kinds != {"data-race"} or summary["findings"]:
        done.fail("no warning about a race that may be none")
    if not all(w["unseen"] and all("of libhome.so" in u for u in w["unseen"]) for w in summary["warnings"]):
        done.fail("the warnings do not name the code that is not seen")
    for text in ("may order them", "home_unlock of libhome.so", "warning: data race", "no bug found"):
        if text not in done.out:
            done.fail(f"'{text}' is not in the report")
    expect_clean(tools, work, program, ["--rules", "home.rules"])
    work, program = home(tools, "order", HOME_ORDER)
    expect_deadlock(tools, work, program, HOME_ORDER, ["--rules", "home.rules"])


def test_own_rules_replay_is_without_files(tools):
    """A schedule file contains the rules that its replay needs."""
    work, program = home(tools, "order", HOME_ORDER, "replay")
    _, _, schedule = tools.find(work, [*DEFAULT, "--rules", "home.rules"], program, "deadlock")
    (work / "home.rules").unlink()
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, tools.times or 3)
    text = schedule.read_text()
    if 'rule "mutex.lock    home_lock 0"' not in text or "g_mutex_lock" in text:
        run(["cat", schedule]).fail("other rules in the file than those that are needed")


def test_certain_race_beside_warnings(tools):
    work, program = home(tools, "both", HOME_BOTH)
    done, finding, _ = tools.find(work, [*DEFAULT], program, "data-race")
    if finding["line"] not in lines(HOME_BOTH):
        done.fail(f"found at line {finding['line']}")


def test_touches(tools):
    """With a rule the reads of an opaque function are checked for races."""
    work, program = home(tools, "sum", HOME_SUM)
    done, finding, schedule = tools.find(work, [*DEFAULT, "--rules", "home.rules"], program, "data-race")
    tools.replay(work, schedule, "virtual", 2)


BAD = [
    ("mutex.lok home_lock 0", "1", "unknown kind of rule 'mutex.lok'"),
    ("# fine\n\nmutex.lock", "3", "no function after 'mutex.lock'"),
    ("mutex.lock home_lock", "1", "no argument is named"),
    ("mutex.lock home_lock x", "1", "'x' is no number of an argument"),
    ("mutex.lock home_lock 10", "1", "'10' is no number of an argument"),
    ("mutex.lock home_lock 0 1", "1", "'1' means nothing here"),
    ("mutex.trylock home_lock 0", "1", "needs fail=VALUE"),
    ("mutex.trylock home_lock 0 fail=maybe", "1", "'maybe' is no number, true or false"),
    ("mutex.timedlock home_lock 0 fail=1", "1", "needs for=ARGUMENT:UNIT or until=ARGUMENT:UNIT"),
    ("mutex.timedlock home_lock 0 fail=1 for=1:weeks", "1", "'weeks' is no unit of time"),
    ("mutex.lock home_lock ret", "1", "'ret' is only for rules that end in .init"),
    ("atomic.rmw home_lock 0 3", "1", "'3' is no number of bytes"),
    ("touches home_sum", "1", "nothing is said to be touched"),
    ("touches home_sum r0:4", "1", "'r0:4' is no memory rule"),
    ("library", "1", "'library' needs one name"),
    ("library a b", "1", "'library' needs one name"),
    ("pure home_sum 1", "1", "'1' means nothing here"),
    ("mutex.lock " + "x" * 200 + " 0", "1", "is too long"),
]


def test_bad_rules(tools):
    work, program = home(tools, "bad", HOME_COUNTER)
    for text, line, message in BAD:
        (work / "bad.rules").write_text(text + "\n")
        run([tools.raddle, "run", "--rules", "bad.rules", program], cwd=work).expect_trouble(f"bad.rules:{line}: ", message)
    run([tools.raddle, "run", "--rules", "none.rules", program], cwd=work).expect_trouble("cannot open 'none.rules'")


def test_installed_rules_name_functions(tools):
    """Debian's library exports each function that an installed rule names, except for functions of other versions."""
    libraries = {"glib.rules": "libglib-2.0.so.0", "nspr.rules": "libnspr4.so", "apr.rules": "libapr-1.so.0"}
    other = {"g_once_init_enter_impl", "g_once_init_enter_pointer", "g_once_init_leave_pointer"}
    paths = {w.split()[0]: w.split()[-1] for w in run(["/sbin/ldconfig", "-p"]).expect(0).out.splitlines()[1:] if "=>" in w}
    count = 0
    for file, library in libraries.items():
        exported = {w.split()[-1].split("@")[0] for w in run(["nm", "-D", paths[library]]).expect(0).out.splitlines()}
        done = run(["cat", ROOT / "share/raddle/rules" / file])
        for line in done.out.splitlines():
            words = line.split("#")[0].split()
            if words and words[0] != "library" and words[1] not in exported | other:
                done.fail(f"{file}: '{words[1]}' is no function of {library}")
            count += bool(words)
    return f"{count} rules"
