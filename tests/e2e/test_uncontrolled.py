"""Uncontrolled actions are reported: listed at the end and in JSON, or refused; an unknown state is trouble, and no
finding."""
import platform
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "uncontrolled.c"
REFUSED = {"msgrcv": "msgrcv()", "msgsnd": "msgsnd()", "semop": "semop()", "semtimedop": "semtimedop()",
           "aio_suspend": "aio_suspend()", "FUTEX_LOCK_PI": "priority inheritance",
           "SYS_futex_waitv": "syscall(SYS_futex_waitv)", "clone-thread": "clone()",
           "clone-number": "syscall(SYS_clone)"}
LISTED = {"timer": "a thread that was not made by pthread_create", "early": "a thread that was not made",
          "clone-process": "started another process", "clone-vfork": "started another process",
          "clone3": "started another process", "dlmopen": "loaded with dlmopen()"}
STUCK = {"read": ("T1 is blocked for real in the system call read(", "a pipe", "CALL"),
         "futex": ("T1 is blocked for real in the system call futex()", "let libc make the call", "CALL"),
         "flock": ("T1 is blocked for real in the system call flock(", "raise --max-seconds", "FLOCK"),
         "spin": ("T1 runs without any operation in code that raddle does not see", "'raddle cc'", "SPIN")}

INLINE = ("read", "futex")  # caught system calls in inline assembly are waits like others


def search(tools, name, options=(), where="", **how):
    program = tools.compile(SOURCE, mode="plain", **how)
    return tools.search(tools.dir(f"uncontrolled-{name}{where}"), ["-s", "dfs", "-n", "3", *options], program, [name])


def expect_listed(done, summary, text):
    if summary["finished"] or not any(text in line for line in summary["uncontrolled"]):
        done.fail(f"'{text}' is not in 'uncontrolled', or the search claims to be complete")
    if not any(line.startswith("not controlled: the program ") and text in line for line in done.text.splitlines()):
        done.fail(f"'{text}' is not in the summary")


def test_refused(tools):
    """Exit status 2; the message names the function and gives advice."""
    for name, call in REFUSED.items():
        done, _ = search(tools, name)
        done.expect_trouble(call, "raddle cannot control; ")


def test_listed(tools):
    for name, text in LISTED.items():
        done, summary = search(tools, name)
        done.expect(0)
        expect_listed(done, summary, text)


def test_a_fork_does_not_lose_a_thread(tools):
    done, summary = search(tools, "early", where="-fork")
    if summary["isolation"] != "exec":
        done.fail("a thread that a fork leaves behind, and fork isolation all the same")


def expect_stuck(done, name):
    """No finding: exit status 2, with the thread, its activity, its place, and advice."""
    message, more, mark = STUCK[name]
    lines = SOURCE.read_text().splitlines()
    where = [f"uncontrolled.c:{i}, in '" for i, line in enumerate(lines, 1) if f"/* {mark} */" in line]
    done.expect_trouble(message, more)
    if not any(place in done.err for place in where):
        done.fail(f"the message names none of {where}")


def test_stuck(tools):
    for name in STUCK:
        for way in ("auto", "fork", "exec"):
            done, summary = search(tools, name, ["--max-seconds", "0.3", "--isolation", way], where=f"-{way}")
            if name in INLINE and platform.machine() == "x86_64":
                done.expect(1)
                if summary["findings"][0]["kind"] != "deadlock":
                    done.fail("nobody is left who could end the wait, and it is no deadlock")
                continue
            expect_stuck(done, name)
            if summary and summary["findings"]:
                done.fail("what cannot be known is a finding")


def test_stuck_in_a_library(tools):
    """The program has hooks, and the library in which a thread loops has none: the message names the library."""
    work = tools.dir("uncontrolled-library")
    spins = "volatile int never;\nvoid spin_in_library(void) { while (!never) ; }\n"
    library = tools.text_program(work, "spins.c", spins, mode="plain", flags=("-shared", "-fPIC"))
    text = """
#include <pthread.h>
void spin_in_library(void);
static void *work(void *arg) { spin_in_library(); return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
"""
    program = tools.text_program(work, "calls.c", text, mode="hooks", flags=("-Wl,--no-as-needed", str(library)))
    done, _ = tools.search(work, ["--max-seconds", "0.3"], program)
    done.expect_trouble("T1 runs without any operation", "spin_in_library", "spins.bin", "'raddle cc'")


def test_replaced_by_a_program_that_stays(tools):
    """No signal of Raddle's reaches the new program: it has its time, and is then trouble."""
    work = tools.dir("uncontrolled-exec")
    text = """
#include <pthread.h>
#include <unistd.h>
static void *work(void *arg) { return arg; }
int main(int argc, char **argv) {
    pthread_t t;
    if (argc > 2)
        pthread_create(&t, 0, work, 0);
    execlp("sleep", "sleep", argv[1], (char *)0);
    return 3;
}
"""
    program = tools.text_program(work, "stays.c", text, mode="plain")
    for more in ([], ["thread"]):
        for way in ("auto", "exec"):
            options = ["--max-seconds", "1", "--isolation", way, "-s", "dfs"]
            done, _ = tools.search(work, options, program, ["60", *more])
            done.expect_trouble("replaced by another program (exec)", "--max-seconds")
            done, summary = tools.search(work, options, program, ["0.05", *more])
            done.expect(0)
            expect_listed(done, summary, "replaced by another one (exec)")


def test_listed_without_threads(tools):
    work = tools.dir("uncontrolled-alone")
    text = "#include <unistd.h>\nint main(void) { if (fork() == 0) _exit(0); return 0; }\n"
    done, summary = tools.search(work, [], tools.text_program(work, "alone.c", text, mode="plain"))
    done.expect(0)
    expect_listed(done, summary, "started another process")
