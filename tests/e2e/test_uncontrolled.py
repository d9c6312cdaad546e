"""What is not controlled is said: listed at the end and in JSON, or refused; a hang names the call it is stuck in."""
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "uncontrolled.c"
REFUSED = {"msgrcv": "msgrcv()", "msgsnd": "msgsnd()", "semop": "semop()", "semtimedop": "semtimedop()",
           "aio_suspend": "aio_suspend()", "FUTEX_LOCK_PI": "priority inheritance",
           "SYS_futex_waitv": "syscall(SYS_futex_waitv)", "clone-thread": "clone()",
           "clone-number": "syscall(SYS_clone)"}
LISTED = {"timer": "a thread that was not made by pthread_create", "early": "a thread that was not made",
          "clone-process": "started another process", "clone-vfork": "started another process",
          "clone3": "started another process", "dlmopen": "loaded with dlmopen()"}
STUCK = {"read": ("system call read(", "a pipe", "was blocked in a system call", "CALL"),
         "futex": ("system call futex() at word", "", "waited at a futex by a system call", "CALL"),
         "spin": ("a spin that nothing visible ends", "", "ran on without an operation", "SPIN")}


def search(tools, name, options=(), where="", **how):
    program = tools.compile(SOURCE, mode="plain", **how)
    return tools.search(tools.dir(f"uncontrolled-{name}{where}"), ["-s", "dfs", "-n", "3", *options], program, [name])


def expect_listed(done, summary, text):
    if summary["complete"] or not any(text in line for line in summary["uncontrolled"]):
        done.fail(f"'{text}' is not in 'uncontrolled', or the search claims to be complete")
    if not any(line.startswith("not controlled: the program ") and text in line for line in done.text.splitlines()):
        done.fail(f"'{text}' is not in the summary")


def test_refused(tools):
    """Exit status 2; the message names the function and says what to do."""
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


def test_stuck(tools):
    """The hang names thread, place and call, in text and JSON, and what was not seen is listed."""
    lines = SOURCE.read_text().splitlines()
    for name, (message, more, listed, mark) in STUCK.items():
        where = [i for i, line in enumerate(lines, 1) if f"/* {mark} */" in line]
        done, summary = search(tools, name, ["--max-seconds", "0.3"])
        done.expect(1)
        finding = summary["findings"][0]
        if finding["kind"] != "hang" or message not in finding["message"] or more not in finding["message"]:
            done.fail(f"no hang with '{message}'")
        threads = {t["id"]: (t["state"], t["operation"]) for t in finding["threads"]}
        if threads != {0: ("blocked", "join T1"), 1: ("stuck", None)}:
            done.fail(f"threads {threads}")
        if finding["line"] not in where or not any(s["thread"] == 1 and s["frames"] for s in finding["stacks"]):
            done.fail(f"at line {finding['line']}, expected one of {where}; or no stack")
        expect_listed(done, summary, listed)
        if message not in done.text or "T1  stuck" not in done.text:
            done.fail("the report does not say where it is stuck")


def test_listed_without_threads(tools):
    work = tools.dir("uncontrolled-alone")
    text = "#include <unistd.h>\nint main(void) { if (fork() == 0) _exit(0); return 0; }\n"
    done, summary = tools.search(work, [], tools.text_program(work, "alone.c", text, mode="plain"))
    done.expect(0)
    expect_listed(done, summary, "started another process")
