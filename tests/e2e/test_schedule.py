"""Schedule files: their contents, and the messages when they are damaged or belong to another program."""
import random
import shutil

from common import run


def found(tools, work, name="bug/abba.c", kind="deadlock", mode="plain"):
    program = work / "program"
    shutil.copy(tools.program(name, mode=mode), program)
    _, _, schedule = tools.find(work, ["-s", "dfs"], program, kind)
    return program, schedule


def refused(tools, schedule, *words):
    """Both readers of schedule files report the error."""
    for command in ("replay", "show"):
        run([tools.raddle, command, schedule]).expect_trouble(*words)


def test_text_and_versioned(tools):
    work = tools.dir("schedule_text")
    _, schedule = found(tools, work)
    data = schedule.read_bytes()
    text = data.decode("ascii")
    if not text.endswith("\n") or "raddle" not in text.splitlines()[0]:
        raise AssertionError(f"'{schedule}' does not begin with what it is")


def test_missing_and_strange(tools):
    work = tools.dir("schedule_missing")
    refused(tools, work / "no-such-file", "no-such-file")
    refused(tools, work)
    (work / "empty").write_bytes(b"")
    refused(tools, work / "empty")
    (work / "noise").write_bytes(random.Random(1).randbytes(5000))
    refused(tools, work / "noise")
    (work / "text").write_text("this is no schedule\n")
    refused(tools, work / "text")


def test_truncated(tools):
    """A file that is cut anywhere is never replayed as if it were whole."""
    work = tools.dir("schedule_truncated")
    _, schedule = found(tools, work)
    data = schedule.read_bytes()
    cut = work / "cut.schedule"
    for size in sorted({1, 2, len(data) - 1, *range(0, len(data), max(1, len(data) // 25))}):
        cut.write_bytes(data[:size])
        refused(tools, cut)
    cut.write_bytes(data + b"x")
    refused(tools, cut)


def test_damaged(tools):
    """One changed byte, anywhere, is noticed."""
    work = tools.dir("schedule_damaged")
    _, schedule = found(tools, work)
    data = schedule.read_bytes()
    rng = random.Random(7)
    bad = work / "bad.schedule"
    for _ in range(60):
        at = rng.randrange(len(data))
        byte = rng.choice(b"\x00\xff 09azAZ-\n\t\"")
        if data[at] == byte:
            continue
        bad.write_bytes(data[:at] + bytes([byte]) + data[at + 1:])
        refused(tools, bad)


def test_lines_removed(tools):
    """A schedule with a missing or doubled line is refused or diverges; it is not another execution."""
    work = tools.dir("schedule_lines")
    _, schedule = found(tools, work)
    lines = schedule.read_bytes().splitlines(keepends=True)
    bad = work / "bad.schedule"
    for i in range(len(lines)):
        for changed in (lines[:i] + lines[i + 1:], lines[:i + 1] + lines[i:]):
            bad.write_bytes(b"".join(changed))
            done = run([tools.raddle, "replay", bad])
            if done.status not in (1, 2):
                done.fail(f"line {i + 1} removed or doubled: exit status {done.status}")


def test_other_build(tools):
    """The program was compiled again: the schedule belongs to another build."""
    work = tools.dir("schedule_build")
    program, schedule = found(tools, work)
    shutil.copy(tools.program("bug/abba.c", mode="plain", compiler="clang"), program)
    run([tools.raddle, "replay", schedule]).expect_trouble("build")
    shutil.copy(tools.program("bug/lost_wakeup.c", mode="plain"), program)
    run([tools.raddle, "replay", schedule]).expect_trouble("build")
    program.unlink()
    run([tools.raddle, "replay", schedule]).expect_trouble("program")


def test_show(tools):
    """raddle show prints the execution with threads, operations and source lines, and needs no run."""
    work = tools.dir("show")
    _, schedule = found(tools, work)
    done = run([tools.raddle, "show", schedule]).expect(0)
    for word in ("lock", "create", "abba.c:", "main"):
        if word not in done.out:
            done.fail(f"'{word}' is not shown")
    _, schedule = found(tools, tools.dir("show2"), "bug/lost_update.c", "assertion", "hooks")
    done = run([tools.raddle, "show", schedule]).expect(0)
    for word in ("read", "write", "lost_update.c:", "x"):
        if word not in done.out:
            done.fail(f"'{word}' is not shown")


def test_replay_keeps_arguments(tools):
    """The schedule carries the program's arguments."""
    work = tools.dir("schedule_arguments")
    text = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;
static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    if (!first)
        first = *(int *)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(int argc, char **argv) {
    int id[2] = {1, 2};
    pthread_t t[2];
    if (argc != 3 || strcmp(argv[1], "two words") != 0)
        return 7;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(first == atoi(argv[2]));
    return 0;
}
"""
    program = tools.text_program(work, "order.c", text, mode="plain")
    _, _, schedule = tools.find(work, ["-s", "dfs"], program, "assertion", args=["two words", "1"])
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, 3)


def test_default_backend_is_the_kernel(tools):
    work = tools.dir("replay_default")
    _, schedule = found(tools, work)
    run([tools.raddle, "replay", schedule]).expect(1)
    run([tools.raddle, "replay", schedule, "--times", "5"]).expect(1)
    run([tools.raddle, "replay", schedule, "--backend", "moon"]).expect_trouble("moon")


def test_default_directory(tools):
    """Without -o, schedules go below the current directory; the printed command works there, and elsewhere with the path."""
    work = tools.dir("default_directory")
    shutil.copy(tools.program("bug/abba.c", mode="plain"), work / "abba")
    done = run([tools.raddle, "./abba"], cwd=work).expect(1)
    words = next(line.split() for line in done.out.splitlines() if "raddle replay" in line)
    name = words[-1]
    run([tools.raddle, "replay", name], cwd=work).expect(1)
    run([tools.raddle, "replay", work / name], cwd="/").expect(1)
    run([tools.raddle, "show", work / name], cwd="/").expect(0)
