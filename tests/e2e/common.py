"""Shared by the end-to-end tests: running commands, building programs, the contracts in the programs' headers.

A check that fails raises Failure with the expected and the actual result, and the command that repeats it. Tests do not
retry and do not sleep; a command that takes longer than its timeout has failed.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import threading
import zlib
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
PROGRAMS = TESTS / "programs"
TIMEOUT_S = 60
SLOW_TIMEOUT_S = 1800
KINDS = [kind for kind in re.findall(r'^RD_FINDING\(\w+, "([^"]+)"', (ROOT / "src/trace/findings.def").read_text(), re.M)
         if kind != "none"]
SOURCES, CXX_SOURCES = (".c", ".cc", ".cpp"), (".cc", ".cpp")
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}


class Failure(Exception):
    """A check that failed. `command` repeats it in a shell."""

    def __init__(self, message, command=None):
        super().__init__(message)
        self.command = command


class Done:
    """A finished command."""

    def __init__(self, command, env, cwd, status, out, err):
        self.status = status
        self.out, self.err = ((b or b"").decode(errors="replace") for b in (out, err))
        words = [f"{k}={shlex.quote(v)}" for k, v in (env or {}).items()] + [shlex.quote(str(w)) for w in command]
        self.command = (f"cd {shlex.quote(str(cwd))} && " if cwd else "") + " ".join(words)

    @property
    def text(self):
        return self.out + self.err

    def fail(self, message):
        tail = self.text.strip()[-1500:]
        raise Failure(message + ("\n" + tail if tail else ""), self.command)

    def expect(self, status):
        if self.status != status:
            self.fail(f"exit status {self.status}, expected {status}")
        return self

    def expect_trouble(self, *words):
        """Exit status 2, one clear lower-case message on standard error, no sign of a crash."""
        self.expect(2)
        first = self.err.splitlines()[0] if self.err else ""
        if not re.match(r"(raddle: )?[^A-Z\s]", first):
            self.fail("no message that begins with a small letter")
        for word in words:
            if word.lower() not in self.err.lower():
                self.fail(f"the message does not mention '{word}'")
        for bad in ("BUG", "core dumped", "Segmentation", "backtrace"):
            if bad in self.err:
                self.fail(f"trouble of the user's is shown as one of ours ('{bad}')")
        return self


def run(command, cwd=None, env=None, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL):
    """Runs the command to its end. `env` is added to the environment."""
    command = [str(w) for w in command]
    full = dict(os.environ, **env) if env else None
    try:
        p = subprocess.run(command, cwd=cwd, env=full, stdin=stdin, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired as e:
        Done(command, env, cwd, None, e.stdout, e.stderr).fail(f"no end after {timeout} s")
    return Done(command, env, cwd, p.returncode, p.stdout, p.stderr)


running = threading.local()  # .name: the test that runs in this thread


class Tools:
    """The paths of a test run, and commands that use them."""

    def __init__(self, raddle, build, times=None):
        self.raddle, self.build, self.times = Path(raddle).resolve(), Path(build).resolve(), times
        self.guard, self.building = threading.Lock(), {}
        self.owners = {}  # name of a directory -> the test whose it is

    def dir(self, name):
        """A new empty directory for one test's files. Tests run at the same time, so each has directories of its own."""
        d, test = self.build / "work" / name, getattr(running, "name", None)
        with self.guard:
            owner = self.owners.setdefault(str(name), test)
        assert owner == test, f"two tests have the directory '{name}': {owner} and {test}"
        shutil.rmtree(d, ignore_errors=True)
        d.mkdir(parents=True)
        return d

    def compile(self, source, compiler="gcc", mode="hooks", flags=()):
        """Builds a program unless it is up to date; returns the binary's path."""
        source = Path(source)
        rel = source.relative_to(PROGRAMS) if source.is_relative_to(PROGRAMS) else Path(source.name)
        binary = self.build / f"{mode}-{compiler}" / rel
        with self.guard:
            lock = self.building.setdefault(binary, threading.Lock())
        with lock:  # several tests may build the same program
            return self.build_one(source, binary, compiler, mode, flags)

    def build_one(self, source, binary, compiler, mode, flags):
        cxx = source.suffix in CXX_SOURCES
        env = None
        if mode == "hooks":
            env = {"RADDLE_CXX" if cxx else "RADDLE_CC": COMPILERS[compiler][cxx]}
            command = [self.raddle, "c++" if cxx else "cc"]
        else:
            command = [COMPILERS[compiler][cxx]]
        header = ROOT / "include" / "raddle.h"
        says = "<raddle.h>" in source.read_text()
        if says:
            command += [f"-I{header.parent}"]
        libraries = [f for f in flags if f.startswith("-l")]
        flags = [f for f in flags if f not in libraries]
        command += ["-g", "-O1", "-pthread", *flags, source, "-o", binary, *libraries]
        stamp = binary.with_name(binary.name + ".command")
        text = " ".join(str(w) for w in command) + f" {env}\n"
        inputs = [source, *source.parent.glob("*.h")]
        included = [source.parent / n for n in re.findall(r'^#include "([^"]+)"', source.read_text(), re.M)]
        for path in included:
            inputs += [path, *path.parent.glob("*.h")]
        if says:
            inputs += [header]
        if mode == "hooks":
            inputs += [self.raddle]
        newest = max(p.stat().st_mtime for p in inputs if p.exists())
        if binary.exists() and stamp.exists() and stamp.read_text() == text and binary.stat().st_mtime > newest:
            return binary
        binary.parent.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        run(command, env=env).expect(0)
        stamp.write_text(text)
        return binary

    def install(self, prefix, env=None):
        """Installs the build tree; returns the paths of its manifest, of which a build tree has only one."""
        with self.guard:
            lock = self.building.setdefault("install", threading.Lock())
        with lock:
            run(["cmake", "--install", self.raddle.parent, "--prefix", prefix], env=env).expect(0)
            return (self.raddle.parent / "install_manifest.txt").read_text().splitlines()

    def program(self, name, **how):
        """The binary of tests/programs/NAME, built with the flags of its header."""
        source = PROGRAMS / name
        return self.compile(source, flags=Contract(source).flags, **how)

    def text_program(self, work, name, text, **how):
        source = work / name
        source.write_text(text)
        binary = self.compile(source, **how)
        moved = work / (Path(name).stem + ".bin")
        shutil.copy(binary, moved)
        return moved

    def search(self, work, options, program, args=(), timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, detect=("--detect", "heap"), env=None):
        """Runs `raddle run` and returns the finished command and its JSON summary (None if there is none). Most
        programs show the consequences of a race, so the race detector is off unless the options say otherwise;
        schedules are not minimised. One worker, so that the first finding is always the same."""
        summary = work / "summary.json"
        summary.unlink(missing_ok=True)
        detect = () if "--detect" in options else detect
        simple = () if "--minimise" in options else ("--no-minimise",)
        jobs = () if "-j" in options else ("-j", "1")
        command = [self.raddle, "run", "--statistics", *detect, *simple, *jobs, *options, "--json", summary, "-o", work / "out", "--", program, *args]
        done = run(command, cwd=work, env=env, timeout=timeout, stdin=stdin)
        if not summary.exists():
            return done, None
        try:
            return done, json.loads(summary.read_text())
        except ValueError as e:
            done.fail(f"the JSON summary cannot be read: {e}")

    def find(self, work, options, program, kind, **how):
        """Runs `raddle run`, which must find this kind first; returns command, finding, and the schedule's path."""
        done, summary = self.search(work, options, program, **how)
        done.expect(1)
        if not summary or not summary["findings"] or summary["findings"][0]["kind"] != kind:
            done.fail(f"no finding '{kind}'")
        finding = summary["findings"][0]
        schedule = work / finding["schedule"]
        if not schedule.is_file():
            done.fail(f"no schedule file '{schedule}'")
        return done, finding, schedule

    def replay(self, work, schedule, backend, times, timeout=TIMEOUT_S, options=(), env=None):
        """Replays the schedule: the same finding every time, and the recorded bytes are the same."""
        again = work / f"again-{backend}.schedule"
        again.unlink(missing_ok=True)
        command = [self.raddle, "replay", schedule, "--backend", backend, "--times", times, "--record", again, *options]
        done = run(command, cwd=work, env=env, timeout=timeout).expect(1)
        if not again.is_file():
            done.fail("nothing was recorded")
        if again.read_bytes() != Path(schedule).read_bytes():
            done.fail(f"the recorded schedule '{again}' differs from '{schedule}'")
        return done


class Contract:
    """The header of a program: what the tests do with it and what must come of it.

    // RADDLE: -s dfs              options for `raddle run`
    // EXPECT: deadlock            `none`, or the kind that every finding must have; of several, each must be found
    // LINE: 17                    where it must be found; or the comment /* BUG */ on that line (any of several)
    // EXECUTIONS: 69              exact number of executions, and the search must be finished
    // EXECUTIONS-PLAIN: 19        the same for the build without hooks, where it differs
    // ORDERS: 4                   exact number of happens-before classes
    // FINDINGS: 2                 exact number of different findings
    // COMPILE: gcc clang          compilers to build with
    // MODE: plain hooks           not instrumented, instrumented; in tests/programs/hooks only the latter
    // FLAGS: -O0                  further compiler flags, after -g -O1 -pthread
    // ARGS: 1 2                   arguments of the program
    // STATUS: 1                   exit status of raddle; by default 0 for `none`, else 1
    // OUTPUT: text                must appear in the report (may be repeated)
    // TIMES: 20                   how often each finding is replayed on each backend; by default 3
    // ALONE: no                   not run without Raddle (it would really sleep); else ok programs are
    // UNSEEN: memory accesses in x  what the build with hooks must say is not seen; by default nothing
    // SLOW: yes                   only with run.py --slow
    """

    KEYS = ("RADDLE EXPECT LINE EXECUTIONS EXECUTIONS-PLAIN ORDERS FINDINGS COMPILE MODE FLAGS ARGS STATUS OUTPUT "
            "TIMES ALONE UNSEEN SLOW").split()

    def __init__(self, source):
        self.source = Path(source)
        self.name = str(self.source.relative_to(PROGRAMS))
        lines = self.source.read_text().splitlines()
        keys = {}
        for line in lines:
            m = re.match(r"// ([A-Z][A-Z-]*):\s*(.*?)\s*$", line)
            if m and m[1] in self.KEYS:
                keys.setdefault(m[1], []).append(m[2])
            elif m:
                raise Failure(f"{self.name}: unknown key '{m[1]}' in the header")
        if "EXPECT" not in keys:
            raise Failure(f"{self.name}: no EXPECT in the header")
        one = {k: v[0] for k, v in keys.items()}
        self.options = shlex.split(one.get("RADDLE", ""))
        self.kinds = one["EXPECT"].split()
        self.expect = self.kinds[0]
        for kind in self.kinds:
            if one["EXPECT"] != "none" and kind not in KINDS:
                raise Failure(f"{self.name}: unknown kind '{kind}'")
        self.marked = self.source  # the file with the marks: a program that includes its correct sibling has none
        for name in re.findall(r'^#include "(.*\.(?:c|cc|cpp))"', "\n".join(lines), re.M):
            self.marked = self.source.parent / name
            lines = self.marked.read_text().splitlines()
        self.lines = [int(one["LINE"])] if "LINE" in one else [i for i, l in enumerate(lines, 1) if "/* BUG */" in l]
        self.executions = {"hooks": one.get("EXECUTIONS"), "plain": one.get("EXECUTIONS-PLAIN", one.get("EXECUTIONS"))}
        self.orders, self.findings = one.get("ORDERS"), one.get("FINDINGS")
        self.compilers = one["COMPILE"].split() if "COMPILE" in one else list(COMPILERS)
        self.by_turns = "COMPILE" not in one
        self.modes = one.get("MODE", "hooks" if self.name.startswith("hooks/") else "plain hooks").split()
        self.flags = shlex.split(one.get("FLAGS", ""))
        self.status = int(one.get("STATUS", 0 if self.expect == "none" else 1))
        self.outputs = keys.get("OUTPUT", [])
        self.args = shlex.split(one.get("ARGS", ""))
        self.times = int(one.get("TIMES", 3))
        self.alone = self.name.startswith("ok/") and one.get("ALONE") != "no"
        self.unseen = one.get("UNSEEN")
        self.slow = "SLOW" in one

    def replay_options(self):
        """The options of a replay: the limit on an execution's time is not part of the schedule."""
        at = self.options.index("--max-seconds") if "--max-seconds" in self.options else None
        return [] if at is None else self.options[at:at + 2]

    def cost(self):
        """A rough measure of the running time, to start the longest programs first."""
        return max(int(x or 300) for x in self.executions.values())


def check_program(tools, c, mode, compiler, simple=False):
    """Builds, runs and replays one program in one configuration. Returns a few words for the report. `simple`: findings
    are minimised."""
    binary = tools.compile(c.source, compiler, mode, c.flags)
    work = tools.dir(f"{c.name}-{mode}-{compiler}")
    limit = SLOW_TIMEOUT_S if c.slow else TIMEOUT_S
    detect = ((),) if c.expect == "none" else ()  # for a program without a bug all default detectors are on
    wanted = [o for o in c.options if mode != "plain" or o != "--require-complete"]  # a plain build is never complete
    options = ["--minimise", "0.2", *wanted] if simple else wanted
    done, summary = tools.search(work, options, binary, c.args, limit, subprocess.DEVNULL, *detect)
    done.expect(c.status)
    if summary is None:
        if c.status == 2:
            return "trouble"
        done.fail("no JSON summary")
    check_findings(c, done, summary)
    if "--require-complete" in c.options and not summary["finished"]:
        done.fail("the search was not finished")
    wanted = c.executions[mode]
    if wanted and (summary["executions"] != int(wanted) or summary["finished"] is not True):
        done.fail(f"{summary['executions']} executions, finished {summary['finished']}; expected {wanted} and finished")
    check_seen(c, done, summary, mode)
    if wanted and c.orders and summary["distinct_orders"] != int(c.orders):
        done.fail(f"{summary['distinct_orders']} distinct orders, expected {c.orders}")
    for text in c.outputs:
        if text not in done.text:
            done.fail(f"'{text}' is not in the report")
    for finding in summary["findings"][:4]:
        if finding["schedule"] not in done.text or "replay" not in done.text:
            done.fail("the report does not say how to replay the finding")
        for backend in ("virtual", "kernel"):
            tools.replay(work, work / finding["schedule"], backend, tools.times or c.times,
                         options=c.replay_options())
    if c.alone and mode == "hooks":
        run([binary, *c.args], timeout=limit).expect(0)  # an ordinary program if it is started without Raddle
    return f"{summary['executions']}"


def check_seen(c, done, summary, mode):
    """Checks the claim: it is never complete for a plain build, and a build with hooks has no unseen code."""
    if mode == "plain":
        if summary["complete"] or summary["bounds"]["complete"] or summary["instrumented"] or not summary["not_seen"]:
            done.fail(f"complete {summary['complete']} although nothing is instrumented; not seen: {summary['not_seen']}")
        if re.search("^complete", done.out, re.M) or (done.out and "MEMORY ACCESSES WERE NOT CHECKED" not in done.out):
            done.fail("the report does not say that memory accesses were not checked, or calls the search complete")
        return
    sync = "--points" in c.options and c.options[c.options.index("--points") + 1] == "sync"
    if c.expect == "none" or ("--detect" in c.options and "races" in c.options[c.options.index("--detect") + 1]):
        sync = False  # accesses are checked for races
    unseen = "every memory access that is not atomic (--points sync)" if sync else c.unseen
    if summary["not_seen"] != unseen:
        done.fail(f"not seen: {summary['not_seen']}; expected {unseen}")
    if summary["complete"] != (summary["finished"] and not unseen and not summary.get("assumes")):
        done.fail(f"complete {summary['complete']}, finished {summary['finished']}, not seen: {summary['not_seen']}")


def check_findings(c, done, summary):
    findings = summary["findings"]
    if c.expect == "none":
        if findings:
            done.fail(f"finding '{findings[0]['kind']}' in a program without a bug")
        return
    if not findings:
        done.fail(f"no finding, expected '{c.expect}'")
    if c.findings and len(findings) != int(c.findings):
        done.fail(f"{len(findings)} different findings, expected {c.findings}")
    for kind in c.kinds:
        if all(f["kind"] != kind for f in findings):
            done.fail(f"no finding of kind '{kind}'")
    for f in findings:
        where = f"{f['file']}:{f['line']}"
        if f["kind"] not in c.kinds:
            done.fail(f"finding '{f['kind']}' at {where}, expected '{' and '.join(c.kinds)}'")
        if c.lines and (os.path.basename(f["file"] or "") != c.marked.name or f["line"] not in c.lines):
            done.fail(f"finding at {where}, expected {c.marked.name}:{' or '.join(map(str, c.lines))}")


def configurations(c, all_of_them):
    """Modes and compilers. Plain builds hardly depend on the compiler, so each program is built by one of them, chosen
    by its name; a C++ program, which takes long to compile, uses only one other compiler for the build with hooks."""
    found = [(mode, compiler) for mode in c.modes for compiler in c.compilers]
    if all_of_them or not c.by_turns or len(c.modes) == 1:
        return found
    turn = zlib.crc32(c.name.encode()) % len(c.compilers)
    only = {"plain": c.compilers[turn - 1]}
    if c.source.suffix in CXX_SOURCES:
        only["hooks"] = c.compilers[turn]
    return [(mode, compiler) for mode, compiler in found if only.get(mode, compiler) == compiler]


def contracts(patterns=()):
    """The contracts of all programs, and the failures of headers that cannot be parsed."""
    good, bad = [], []
    for source in sorted(p for p in PROGRAMS.glob("*/*") if p.suffix in SOURCES):
        name = str(source.relative_to(PROGRAMS))
        if patterns and not any(p in name for p in patterns):
            continue
        try:
            good.append(Contract(source))
        except Failure as e:
            bad.append((name, e))
    return good, bad
