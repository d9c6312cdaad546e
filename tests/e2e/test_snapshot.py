"""Executions that share a process: their effects are undone, or each execution gets a process of its own."""
import json
import os
import shutil
import tempfile
from pathlib import Path

from common import ROOT, run

HEAD = r"""
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first = -1, count;
static void act(int who);

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    if (first < 0)
        first = (int)(intptr_t)arg;
    count++;
    act((int)(intptr_t)arg);
    pthread_mutex_unlock(&lock);
    return arg;
}

static char *early;

__attribute__((constructor)) static void map_early(void) {
    early = mmap(NULL, 32768, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    early[0] = 1;
    early[9000] = 2;
    early[20000] = 3;
    mprotect(early + 28672, 4096, PROT_NONE); /* a guard */
}

int main(void) {
    pthread_t t[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2);
    return 0;
}
"""

# The actions of one thread, and assertions that hold in every execution because the last one's effects were undone.
UNDONE = {
    "descriptors": r"""
        int a[2], fd = open("/dev/null", O_RDONLY), copy = dup(fd);
        assert(fd == 3 + 4 * (who != first) && copy == fd + 1 && pipe(a) == 0 && a[0] == fd + 2 && a[1] == fd + 3);
    """,
    "mappings": r"""
        static char *mine;
        if (who != first)
            return;
        char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert(!mine && p != MAP_FAILED && p[0] == 0 && p[4096] == 0);
        mine = p;
        p[0] = p[4096] = 1;
    """,
    "what was mapped before": r"""
        if (who != first)
            return;
        assert(early[0] == 1 && early[9000] == 2 && early[20000] == 3);
        early[9000] = 7;
        assert(mprotect(early + 8192, 8192, PROT_READ) == 0 && mprotect(early + 8192, 8192, PROT_NONE) == 0);
        assert(mprotect(early + 20480, 4096, PROT_READ) == 0);
        assert(munmap(early + 24576, 8192) == 0 && munmap(early, 8192) == 0);
    """,
    "signals": r"""
        struct sigaction now, mine = {.sa_handler = SIG_IGN};
        sigset_t set, before;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        if (who == first) {
            assert(sigaction(SIGUSR1, &mine, &now) == 0 && now.sa_handler == SIG_DFL);
            assert(pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && !sigismember(&before, SIGUSR2));
        }
    """,
    "memory": r"""
        static char data[40000];
        static __thread char own[20000];
        char *heap = malloc(3 << 20);
        volatile char stack[60000];
        for (unsigned i = 0; i < sizeof data; i += 4000)
            assert(data[i]++ == (who != first));
        for (unsigned i = 0; i < sizeof own; i += 4000)
            assert(own[i]++ == 0);
        for (unsigned i = 0; i < 3 << 20; i += 4000)
            assert(heap[i]++ == 0);
        for (unsigned i = 0; i < sizeof stack; i += 4000)
            stack[i] = 1;
    """,
    "a large heap": r"""
        char *heap = malloc(100 << 20);
        for (unsigned i = 0; i < 100 << 20; i += 1 << 20)
            assert(heap[i]++ == 0);
    """,
    "output": r"""
        printf("%d\n", who);
        fflush(stdout);
        assert(lseek(1, 0, SEEK_CUR) == 2 + 2 * (who != first));
    """,
    "the end of the data": r"""
        if (who == first) {
            static char *expected;
            char *p = sbrk(100000);
            assert(!expected && p != (char *)-1 && p[50000] == 0);
            p[50000] = 1;
        }
    """,
    "names": r"""
        char name[16];
        prctl(PR_GET_NAME, name);
        if (who == first) {
            assert(strcmp(name, "changed") != 0);
            prctl(PR_SET_NAME, "changed");
        }
    """,
}

# Actions that only the end of a process undoes, and the call that the report names.
LEFT = {
    "starts another process": r'if (who == first && fork() == 0) _exit(0);',
    "calls fcntl": 'struct flock l = {.l_type = F_RDLCK}; fcntl(0, F_SETLK, &l);',
    "calls chdir": 'assert(chdir("/") == 0);',
    "calls umask": 'umask(0);',
    "calls prlimit64": 'struct rlimit r = {0, 0}; setrlimit(RLIMIT_CORE, &r);',
    "calls personality": 'personality(0);',
    "calls munmap": 'munmap((void *)((uintptr_t)"a text" & ~4095ul), 4096);',
    "calls madvise": 'static char keep[1 << 16]; madvise((void *)(((uintptr_t)keep + 8192) & ~4095ul), 4096, 4);',
}


# A child process had the pipe, and may have handed it on.
SHARED = r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *arg) { return arg; }
int main(void) {
    pthread_t t;
    int fds[2];
    if (pipe(fds) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    return 0;
}
"""


def searched(tools, name, act, options=(), way="auto"):
    work = tools.dir(f"snapshot-{name}")
    program = tools.text_program(work, "program.c", HEAD + "static void act(int who) {(void)who;\n" + act + "}\n",
                                 mode="plain")
    return tools.search(work, ["-s", "dfs", "--isolation", way, *options], program)


def test_undone(tools):
    for name, act in UNDONE.items():
        done, s = searched(tools, name.replace(" ", "-"), act)
        done.expect(0)
        if s["isolation"] != "snapshot" or not s["finished"] or s["executions"] < 6:
            done.fail(f"{name}: {s['isolation']}, {s['executions']} executions")


def test_left(tools):
    for words, act in LEFT.items():
        name = words.replace(" ", "-")
        done, s = searched(tools, name, act)
        done.expect(0)
        forked, t = searched(tools, name, act, way="fork")
        if s["isolation"] != "fork" or words not in done.out or s["digest"] != t["digest"]:
            done.fail(f"isolation {s['isolation']}; '{words}' is not in the report")
        done, _ = searched(tools, name, act, way="snapshot")
        done.expect_trouble("snapshot isolation is not possible", words)


def test_shared_from_the_start(tools):
    """Objects that executions would share even in processes of their own."""
    work = tools.dir("snapshot-shared")
    program = tools.text_program(work, "program.c", SHARED, mode="plain")
    done, _ = tools.search(work, ["-s", "dfs", "--isolation", "snapshot"], program)
    done.expect_trouble("snapshot isolation is not possible", "a pipe (descriptor 3)", "another process has it, too")


def test_late(tools):
    """Only some executions are unfit: the search continues where it was, and runs the same executions."""
    act = "if (who == 0 && first == 1) umask(0);"
    done, s = searched(tools, "late", act)
    done.expect(0)
    forked, t = searched(tools, "late", act, way="fork")
    if s["isolation"] != "fork" or s["digest"] != t["digest"] or s["executions"] != t["executions"]:
        done.fail(f"{s['isolation']}: {s['digest']}, with fork {t['digest']}")


def test_damage(tools):
    """A program that writes to the stack of the search: no bug is lost, none is invented."""
    act = r"""
        enum { KEPT = 96 << 10, GUARD = 64 << 10, STACK = 4 << 20, MUCH = 64 << 10 };
        char *at = (char *)0x0f8000000000 + KEPT + GUARD + STACK - MUCH;
        if (first == 1 && *at == 0) /* the memory is there: this is the process of the search */
            memset(at, 0x5a, MUCH);
    """
    done, s = searched(tools, "damage", act)
    done.expect(0)
    if s["isolation"] != "fork" or "damages the memory" not in done.out or not s["finished"]:
        done.fail(f"isolation {s['isolation']}")


def test_unresolved(tools):
    """A call that cannot be bound and is never made."""
    work = tools.dir("snapshot-unresolved")
    library = work / "libgone.so"
    (work / "gone.c").write_text("void gone(void) {}\n")
    run(["gcc", "-shared", "-fPIC", work / "gone.c", "-o", library]).expect(0)
    text = "void gone(void);\n" + HEAD + "static void act(int who) { if (who > 7) gone(); }\n"
    program = tools.text_program(work, "program.c", text, mode="plain",
                                 flags=("-Wl,-z,lazy,--no-as-needed", str(library), f"-Wl,-rpath,{work}"))
    (work / "gone.c").write_text("int nothing;\n")
    run(["gcc", "-shared", "-fPIC", work / "gone.c", "-o", library]).expect(0)
    done, s = tools.search(work, ["-s", "dfs"], program)
    done.expect(0)
    if not s["finished"]:
        done.fail("not complete")


def test_many(tools):
    """So many executions that the written pages are determined anew several times, with checkpoints within executions:
    a known number."""
    source = ROOT / "bench" / "speed" / "counters.c"
    program = tools.compile(source, mode="hooks", flags=("-DTHREADS=2", "-DROUNDS=8"))
    done, s = tools.search(tools.dir("snapshot-many"), ["-s", "dpor:optimal"], program)
    done.expect(0)
    if (s["isolation"], s["executions"], s["distinct_orders"], s["finished"]) != ("snapshot", 12870, 12870, True):
        done.fail(f"{s['isolation']}: {s['executions']} executions, {s['distinct_orders']} orders, not 12870 (16 over 8)")


def test_unprivileged(tools):
    """A user whom the kernel does not let handle page faults: written pages are found in another way, with the same
    results."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return "not root, or no setpriv: all other tests are that"
    program = tools.compile(ROOT / "bench" / "two.c", mode="hooks")
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o777)
        for f in (tools.raddle, program, *tools.raddle.parent.glob("libraddle.so*")):
            shutil.copy(f, place)
        digests = set()
        for who in ((), ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")):
            summary = Path(place, f"{len(who)}.json")
            done = run([*who, f"{place}/raddle", "run", "-j", "1", "-s", "dfs", "-n", "9000", "--isolation", "snapshot", "--json",
                        summary, "-o", f"{place}/out{len(who)}", f"{place}/{program.name}"], cwd=place).expect(0)
            digests.add(json.loads(summary.read_text())["digest"])
    if len(digests) != 1:
        done.fail(f"other executions: {digests}")


def test_parked(tools):
    """A carrier that lends its stack to a thread of the program writes nothing to it once it is ready: its page fault
    would not be counted, and the program's writes to that page would not be undone."""
    machine = os.uname().machine
    source, program = Path(__file__).resolve().parent / "park.c", tools.dir("snapshot-parked") / "park"
    run(["gcc", "-O2", "-pthread", f"-I{ROOT}/src", source, f"{ROOT}/src/rt/arch/ctx_{machine}.S", ROOT / "src/rt/thread/ctx.c",
         ROOT / "src/base/bug.c", "-o", program]).expect(0)
    run([program]).expect(0)
