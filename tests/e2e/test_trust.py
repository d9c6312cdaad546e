"""Whom a schedule file comes from, what may be run and read because of it, and that printed commands work as printed."""
import os
import re
import shutil
import stat
import subprocess

from common import run
from test_schedule_names import BANK


def recorded(tools, work, name="bank"):
    """A program and the schedule of its assertion, recorded with a state directory of their own."""
    binary = tools.text_program(work, "bank.c", BANK)
    program = work / name
    if program != binary:
        shutil.move(binary, program)
    env = {"XDG_STATE_HOME": str(work / "state")}
    _, summary = tools.search(work, ["-k", "-s", "dfs"], program, args=("a b", "$x"), detect=(), env=env)
    [finding] = [f for f in summary["findings"] if f["kind"] == "assertion"]
    return program, finding, work / finding["schedule"], env


def test_key(tools):
    """The key is made once, for the user alone; several processes at once get the same."""
    work = tools.dir("trust_key")
    program, _, schedule, env = recorded(tools, work)
    key = work / "state/raddle/key"
    if stat.S_IMODE(key.stat().st_mode) != 0o600 or key.stat().st_size != 32 or len(os.listdir(key.parent)) != 1:
        raise AssertionError(f"the key is wrong: {key.stat()} {os.listdir(key.parent)}")
    first = schedule.read_bytes()
    run([tools.raddle, "replay", "-q", schedule], env=env).expect(1)
    shutil.rmtree(work / "state")
    several = [subprocess.Popen([tools.raddle, "run", "-q", "-k", "-s", "dfs", "-o", work / f"o{i}", program], cwd=work,
                                env=dict(os.environ, **env), stdout=subprocess.DEVNULL) for i in range(6)]
    for p in several:
        p.wait()
    for i in range(6):
        for s in (work / f"o{i}").iterdir():
            run([tools.raddle, "replay", "-q", s], env=env).expect(1)
    run([tools.raddle, "replay", "-q", schedule], env=env).expect_trouble("was not recorded by you")
    for broken in ({"HOME": "", "XDG_STATE_HOME": "relative"}, {"XDG_STATE_HOME": "/proc/none"}):
        done = run([tools.raddle, "run", "-k", "-s", "dfs", "-o", work / "unsigned", program, "a b", "$x"], cwd=work, env=broken).expect(1)
        if done.err.count("schedule files are not signed") != 1:
            done.fail("no message that files are not signed")
    if b"\nsigned " not in first or any(b"\nsigned " in s.read_bytes() for s in (work / "unsigned").iterdir()):
        raise AssertionError("signed without a key, or not signed with one")
    key.chmod(0o644)
    run([tools.raddle, "replay", schedule], env=env).expect_trouble("was not recorded by you")


def test_files_of_others(tools):
    """A file that this user did not record runs nothing until the user names the program."""
    work = tools.dir("trust_others")
    program, _, schedule, env = recorded(tools, work)
    other = {"XDG_STATE_HOME": str(work / "other")}
    data = schedule.read_bytes()
    changed = work / "changed.sched"
    for who, text in ((other, data), (env, data.replace(b'arg "a b"', b'arg "a c"')), (env, re.sub(rb"\nsigned .*", b"", data))):
        changed.write_bytes(checksummed(text))
        for options in ([], ["--gdb"], ["--gdbserver", "1"], ["--record", work / "again"], ["--times", "2"]):
            done = run([tools.raddle, "replay", *options, changed], env=who)
            done.expect_trouble("was not recorded by you", f"it would run  {program} 'a ", "'$x'", f"--program {program} {changed}",
                                f"in            {work}")
        run([tools.raddle, "show", changed], env=who).expect(0)
        run([tools.raddle, "replay", "--program", program, changed], env=who).expect(1)
        run([tools.raddle, "replay", "--program", "/bin/true", changed], env=who).expect_trouble("another build")
        run([tools.raddle, "replay", "--program", "./none", changed], env=who).expect_trouble("cannot open './none'")
    moved = work / "sub/moved"
    moved.parent.mkdir()
    program.rename(moved)  # another machine: the program is elsewhere
    run([tools.raddle, "replay", "--program", "moved", changed], cwd=moved.parent, env=env).expect(1)
    if not shutil.which("gdb"):
        return
    gdb = [tools.raddle.parent / "raddle-gdb", "-nx", "-batch", "-ex", "run", "-ex", "raddle-history total", changed]
    run(gdb, env=env).expect_trouble("was not recorded by you", f"raddle-gdb --program {program} {changed}")
    run([*gdb, "--program"], env=env).expect_trouble("--program needs a value")
    done = run([*gdb, "--program", "moved"], cwd=moved.parent, env=env).expect(1)
    if "write total" not in done.out:
        done.fail("the names are not those of the program that took the place of the recorded one")


def checksummed(data):
    """The file with the checksum that fits."""
    body, end = data[:data.rindex(b"end ")], data[data.rindex(b"end "):]
    total = 0xcbf29ce484222325
    for byte in body:
        total = (total ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return body + end.split()[0] + b" " + end.split()[1] + b" %016x\n" % total


def test_sources(tools):
    """Lines of a source file are shown only as long as it is what was recorded."""
    work = tools.dir("trust_sources")
    _, _, schedule, env = recorded(tools, work)
    source = work / "bank.c"
    text = source.read_text()
    shown = "assert(total == 2);"

    def excerpt(expected, *words):
        page = work / "page.html"
        for command in ([tools.raddle, "show", schedule], [tools.raddle, "replay", schedule]):
            done = run(command, env=env)
            if (shown in done.out.replace("&quot;", '"')) != expected or any(w not in done.out for w in words):
                done.fail(f"the source is {'not ' if expected else ''}shown, or the report lacks {words}")
        run([tools.raddle, "show", "--html", page, schedule], env=env).expect(0)
        if (shown in page.read_text()) != expected:
            raise AssertionError(f"the page has {'no ' if expected else ''}line of the source")

    excerpt(True)
    source.write_text(text + "\n")
    excerpt(False, "has changed since this was recorded")
    source.unlink()
    excerpt(False, "cannot be read")
    os.mkfifo(source)
    excerpt(False, "cannot be read")
    source.unlink()
    source.symlink_to("/dev/zero")
    excerpt(False, "cannot be read")
    source.unlink()
    secret = work / "secret"
    secret.write_text("first\nSECRET\n" * 40)
    source.symlink_to(secret)
    excerpt(False)
    hostile = work / "hostile.sched"  # a file that names another source, with the hash that it has for this one
    data = schedule.read_bytes()
    for name in (str(secret), "/etc/passwd", "/dev/zero"):
        hostile.write_bytes(checksummed(re.sub(rb'\n(source|file) "[^"]*bank.c"', lambda m: b"\n" + m[1] + b' "' + name.encode() + b'"', data)))
        done = run([tools.raddle, "show", hostile], env=env).expect(0)
        if "SECRET" in done.text or "root:" in done.text:
            done.fail(f"'{name}' is shown")


def test_printed_commands(tools):
    """The command of a report works when it is pasted into a shell."""
    compiled = tools.text_program(tools.dir("trust_commands"), "bank.c", BANK)
    for n, odd in enumerate(("plain", "a b", "it's $(touch x)`touch y`", "-q", "\u00e4\"\\", "new\nline", "esc\x1b[31m\\%d")):
        work = tools.dir(f"trust_commands_{n}")
        program = work / "bank"
        shutil.copy(compiled, program)
        (work / "tools").mkdir()
        os.symlink(tools.raddle, work / "tools/raddle")
        for called, path in ((tools.raddle, ""), (work / "tools/raddle", ""), ("raddle", f"{tools.raddle.parent}:"))[:3 if n == 0 else 1]:
            env = {"PATH": path + os.environ["PATH"], "OMP_DISPLAY_ENV": "fal'se $x"}
            done = run(["env", called, "run", "-k", "-s", "dfs", "-o", odd, program], cwd=work, env=env).expect(1)
            [line] = [x for x in done.out.splitlines() if x.startswith("replay:") and ".assertion." in x]
            for shell in ("sh", "bash") if n else ("sh",):
                again = run([shell, "-c", line.split(None, 1)[1]], cwd=work, env=env).expect(1)
                if "assertion failed" not in again.out:
                    again.fail("the printed command shows something else")
            if called == "raddle" and " raddle replay " not in line:
                done.fail(f"not the name that is in PATH: {line}")
        if sorted(p.name for p in work.iterdir() if p.name in "xy"):
            raise AssertionError("a shell has run a part of a name")
