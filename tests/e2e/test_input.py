"""Bad input: a clear message that begins with a small letter, exit status 2, never a crash of Raddle itself."""
import os
import subprocess

from common import run

HELLO = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n"


def refuse(tools, args, *words, cwd=None):
    return run([tools.raddle, *args], cwd=cwd).expect_trouble(*words)


def test_missing_program(tools):
    work = tools.dir("missing_program")
    refuse(tools, ["run", "./no-such-program"], "no-such-program", cwd=work)
    refuse(tools, ["./no-such-program"], "no-such-program", cwd=work)
    refuse(tools, ["no-such-command-anywhere"], "no-such-command-anywhere", cwd=work)


def test_no_program(tools):
    refuse(tools, ["run"])
    refuse(tools, ["run", "-s", "dfs", "--"])
    run([tools.raddle]).expect(2)


def test_directory(tools):
    work = tools.dir("directory")
    refuse(tools, ["run", str(work)], str(work))


def test_not_an_elf(tools):
    work = tools.dir("not_an_elf")
    for name, content in (("empty", b""), ("text", b"just some text\n"), ("noise", bytes(range(256)) * 8),
                          ("stump", b"\x7fELF"), ("header", b"\x7fELF\x02\x01\x01" + bytes(57))):
        f = work / name
        f.write_bytes(content)
        f.chmod(0o755)
        refuse(tools, ["run", f"./{name}"], name, cwd=work)


def test_shebang_script(tools):
    work = tools.dir("script")
    script = work / "script.sh"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    refuse(tools, ["run", "./script.sh"], "script", cwd=work)


def test_not_executable(tools):
    work = tools.dir("not_executable")
    program = tools.text_program(work, "hello.c", HELLO, mode="plain")
    program.chmod(0o644)
    refuse(tools, ["run", program], program.name)


def test_unreadable(tools):
    if os.geteuid() == 0:
        return "skipped: root can read everything"
    work = tools.dir("unreadable")
    program = tools.text_program(work, "hello2.c", HELLO, mode="plain")
    program.chmod(0o111)
    refuse(tools, ["run", program], program.name)


def test_other_kinds_of_programs(tools):
    """Programs that cannot be controlled are refused in one line, which says what they are and what to do."""
    work = tools.dir("kinds")
    hello = tools.text_program(work, "hello.c", HELLO, mode="plain")
    good = hello.read_bytes()

    def patched(name, *changes):
        data = bytearray(good)
        for at, new in changes:
            data[at:at + len(new)] = new
        path = work / name
        path.write_bytes(data)
        path.chmod(0o755)
        return path

    interpreter = good.index(b"/lib64/ld-linux-x86-64.so.2\0") if b"/lib64/ld-linux-x86-64" in good else None
    if interpreter is None:
        return "skipped: not x86-64"
    musl = b"/lib/ld-musl-x86_64.so.1\0"
    build_id = good.index(b"\x03\0\0\0GNU\0") + 4
    for program, words in [
            (patched("m32", (4, b"\x01"), (18, b"\x03\0")), "it is a 32-bit program; build it for 64 bits (without -m32"),
            (patched("arm", (18, b"\xb7\0")), "it is a program for aarch64, and this raddle is for x86-64"),
            (patched("big", (5, b"\x02")), "it is a program for another machine"),
            (patched("musl", (interpreter, musl)), "linked with the C library musl"),
            (patched("go", (build_id, b"Go\0\0"), (build_id - 4, b"\x04\0\0\0")), "it is a Go program"),
            (patched("object", (16, b"\x01\0")), "it is not a program"),
            (patched("far", (32, b"\xf6" + b"\xff" * 7)), "it is damaged"),
            (patched("many", (56, b"\xff\xff")), "it is damaged")]:
        done = run([tools.raddle, "run", program]).expect(2)
        if words not in done.err or len(done.err.splitlines()) != 1:
            done.fail(f"no line with '{words}'")
    for sanitizer, words in [("address", "AddressSanitizer"), ("thread", "'raddle cc' or 'raddle c++'"),
                             ("leak", "LeakSanitizer")]:
        program = tools.text_program(work, f"{sanitizer}.c", HELLO, mode="plain", flags=[f"-fsanitize={sanitizer}"])
        done = run([tools.raddle, "run", program]).expect(2)
        if words not in done.err or len(done.err.splitlines()) != 1:
            done.fail(f"no line with '{words}'")
    program = tools.text_program(work, "undefined.c", HELLO, mode="plain", flags=["-fsanitize=undefined"])
    run([tools.raddle, "run", "-n", "10", program]).expect(0)


def test_static_program(tools):
    work = tools.dir("static")
    program = tools.text_program(work, "static.c", HELLO, mode="plain", flags=["-static"])
    refuse(tools, ["run", program], "static")
    refuse(tools, ["cc", "-static", work / "static.c", "-o", work / "x"], "static")


def test_options(tools):
    program = tools.program("ok/trylock.c", mode="plain")
    refuse(tools, ["run", "--no-such-option", program], "--no-such-option")
    refuse(tools, ["run", "-s", "no-such-strategy", program], "no-such-strategy")
    refuse(tools, ["run", "-s", "dfs:nokey=1", program], "nokey")
    refuse(tools, ["run", "-n", "many", program], "many")
    refuse(tools, ["run", "-n", "-5", program], "-5")
    refuse(tools, ["run", "-t", "soon", program], "soon")
    refuse(tools, ["run", "--isolation", "prayer", program], "prayer")
    refuse(tools, ["run", "--points", "some", program], "some")
    refuse(tools, ["run", "-s"], "-s")
    refuse(tools, ["run", "--json", "/no/such/dir/file", program], "/no/such/dir/file")
    refuse(tools, ["run", "-o", "/dev/null/x", tools.program("bug/lost_update.c")], "/dev/null/x")
    refuse(tools, ["list", "no-such-list"], "no-such-list")
    refuse(tools, ["help", "no-such-command"], "no-such-command")
    refuse(tools, ["replay"])
    refuse(tools, ["show"])
    refuse(tools, ["replay", "--no-such-option", "x"], "--no-such-option")


def test_require_complete(tools):
    """An unfinished search is trouble if completeness was required, and only then."""
    work = tools.dir("require_complete")
    program = tools.program("ok/gambit_2x2.c")
    done, summary = tools.search(work, ["-s", "dfs", "-n", "3"], program)
    done.expect(0)
    if summary["finished"] or summary["executions"] != 3:
        done.fail(f"{summary['executions']} executions, complete {summary['finished']}")
    command = [tools.raddle, "run", "-s", "dfs", "--require-complete", "-o", work / "out"]
    run([*command, "-n", "3", program]).expect_trouble()
    run([*command, program]).expect(0)


def test_program_arguments(tools):
    """Words after the program belong to the program, whatever they look like."""
    work = tools.dir("arguments")
    text = ("#include <string.h>\nint main(int argc, char **argv) {\n"
            "    return argc == 4 && !strcmp(argv[1], \"-s\") && !strcmp(argv[2], \"--\") && !argv[3][0] ? 0 : 9;\n}\n")
    program = tools.text_program(work, "args.c", text, mode="plain")
    run([tools.raddle, "run", "-o", work / "out", program, "-s", "--", ""], cwd=work).expect(0)
    run([tools.raddle, "run", "-o", work / "out", "--", program, "-s", "--", ""], cwd=work).expect(0)
    run([tools.raddle, program, "-s", "--", ""], cwd=work).expect(0)
    run([tools.raddle, "run", "-o", work / "out", program, "-s"], cwd=work).expect(1)


def test_single_threaded(tools):
    """A program without threads: one execution, complete."""
    work = tools.dir("single")
    program = tools.text_program(work, "hello3.c", HELLO, mode="plain")
    done, summary = tools.search(work, [], program)
    done.expect(0)
    if summary["executions"] != 1 or not summary["finished"] or summary["threads_max"] != 1:
        done.fail(f"{summary['executions']} executions, complete {summary['finished']}")


READER = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[2][64];
static int lines;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    if (!fgets(line[lines], sizeof line[0], stdin))
        strcpy(line[lines], "nothing");
    lines++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(argc == 3 && strcmp(line[0], argv[1]) == 0 && strcmp(line[1], argv[2]) == 0);
    return 0;
}
"""


def test_standard_input(tools):
    """Every execution reads the same input: from a file, and from an empty one."""
    work = tools.dir("stdin")
    program = tools.text_program(work, "reader.c", READER, mode="plain")
    (work / "input").write_text("first\nsecond\n")
    with open(work / "input") as f:
        done, summary = tools.search(work, ["-s", "dfs"], program, ["first\n", "second\n"], stdin=f)
    done.expect(0)
    if summary["executions"] < 2 or not summary["finished"]:
        done.fail(f"{summary['executions']} executions, complete {summary['finished']}")
    done, summary = tools.search(work, ["-s", "dfs"], program, ["nothing", "nothing"], stdin=subprocess.DEVNULL)
    done.expect(0)
