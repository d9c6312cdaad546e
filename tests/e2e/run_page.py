#!/usr/bin/env python3
"""Executes the commands of pages of the documentation, and compares what they print with what the pages show.

    tests/e2e/run_page.py [--path DIR]... [--source DIR] [--update] [--verbose] PAGE...

Each page is executed in an empty directory of its own, from top to bottom, in one shell: what `cd` and `export` do lasts.
--path puts DIR (which has `raddle`) before PATH; --source is the repository (default: the one of this file); --update
writes what was printed into the page. Needs nothing but python3, bash, and what the page itself uses.

What counts in a page:

    ```console            Lines `$ command` are executed (`> ` continues a command that ends in a backslash). The lines after
    $ raddle run ./x      it are its output: all of it, in order. A line `...` stands for any lines, `…` for anything within a
    (gdb) bt              line. Times, rates, hashes, addresses and the numbers of a search's statistics may differ. A command
    ```                   without output below, or with `...` only, must succeed. Lines `(gdb) command` are typed into the
                          command before; their output is compared in the same way.
    Save this as `name`:  The block after that line is the file.
    ```diff               A change to a file, as `diff -u` prints it.
    <!-- files: a/* b -->  Copies these files of the repository, with their folders.
    <!-- setup: command -->  Executes a command that readers do not need, for example to be another user.
    <!-- needs: words -->  The rest of the page is not executed where one of these commands is missing.
    <!-- exact: why -->    In the block after it also the numbers of a search's statistics are compared.
    <!-- numbers vary: why -->  In the block after it no number is compared.
    <!-- not run: why -->  The block after it is not executed.
"""
import argparse
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TIMEOUT_S = 120
FENCE = re.compile(r"^(\s*)```+\s*([\w+-]*)\s*$")
SAVE = re.compile(r"Save this as `([^`]+)`[^`]*:\s*$")
COMMENT = re.compile(r"^\s*<!--\s*(files|needs|setup|exact|numbers vary|not run):\s*(.*?)\s*-->\s*$")
PROMPT = "(gdb) "
VARIES = [  # what may differ between two runs of a command, and what stands for it
    (r"\b0x[0-9a-f]+\b", "0xN"),
    (r"(?<=\.)[0-9a-f]{8}(?=(-\d+)?\.sched\b)", "HASH"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", "HASH"),
    (r"\d[\d.,]* (s|ms|µs|seconds|minutes)\b", "N s"),
    (r"\d[\d,]* a second\b", "N a second"),
    (r"^#\d+ ", "#N "),  # a frame, which functions of Raddle's may be below
    (r" with \d+ workers\b", ""),  # a search that takes long enough, on a busy machine
    (r"\bisolation (snapshot|fork)\b", "isolation"),  # the kernel decides
    (r"\b(LWP|pid|process) \d+", r"\1 N"),
    (r"\b(gcc|clang) \d+\.\d+\.\d+", r"\1 N"),
    (r"\b\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?", "DATE"),
]


UNASKED = re.compile(r"isolation fork was used: the kernel ")  # lines that depend on the kernel only
COUNTS = [(r"\d[\d,]* (execution|different order|order|step)s?\b", r"N \1s"), (r"(executions by preemptions:) .*", r"\1 N")]

NUMBERS = {"exact": VARIES, "numbers vary": VARIES + [(r"\d[\d.,]*", "N")]}


class PageError(Exception):
    """A page whose commands do not do what it shows."""


class Step:
    """A part of a page that does something: kind is `run`, `save`, `patch`, `files`, `setup` or `needs`."""

    def __init__(self, kind, line, text="", name=""):
        self.kind, self.line, self.text, self.name = kind, line, text, name
        self.typed = []     # of a command: (gdb command, line, shown output) in order
        self.shown = None   # of a command: the lines below it, from line `first` of the page on
        self.first = line
        self.varies = VARIES + COUNTS  # what need not be the same


def blocks(lines):
    """(line number from 0, language, lines) of every fenced block; comments and paragraphs between them with language None."""
    i = 0
    while i < len(lines):
        m = FENCE.match(lines[i])
        if not m:
            yield i, None, [lines[i]]
            i += 1
            continue
        end, indent = i + 1, len(m[1])
        while end < len(lines) and not re.match(r"^\s*```+\s*$", lines[end]):
            end += 1
        if end == len(lines):
            raise PageError(f"line {i + 1}: the block has no end")
        yield i + 1, m[2], [l[indent:] if l[:indent].strip() == "" else l for l in lines[i + 1:end]]
        i = end + 1


def parse(text):
    """The steps of a page."""
    steps, name, skip, varies = [], None, False, VARIES + COUNTS
    for at, language, body in blocks(text.splitlines()):
        if language is None:
            comment, saved = COMMENT.match(body[0]), SAVE.search(body[0])
            if comment and comment[1] == "not run":
                skip = True
            elif comment and comment[1] in NUMBERS:
                varies = NUMBERS[comment[1]]
            elif comment:
                steps.append(Step(comment[1], at + 1, comment[2]))
            elif body[0].strip():
                name, skip, varies = saved[1] if saved else None, False, VARIES + COUNTS
            continue
        if skip:
            pass
        elif name:
            steps.append(Step("save", at + 1, "\n".join(body) + "\n", name))
        elif language == "diff":
            steps.append(Step("patch", at + 1, "\n".join(body) + "\n"))
        elif language == "console":
            commands = console(at, body)
            for command in commands:
                command.varies = varies
            steps += commands
        name, skip, varies = None, False, VARIES + COUNTS
    return steps


def console(at, body):
    """The commands of one block."""
    steps, current = [], None
    for i, line in enumerate(body, at + 1):
        if line.startswith("$ "):
            current = Step("run", i, line[2:])
            current.shown, current.first = [], i + 1
            steps.append(current)
        elif not steps:
            raise PageError(f"line {i}: output before the first command ('$ command')")
        elif line.startswith("> ") and current.text.endswith("\\") and not current.shown:
            current.text += "\n" + line[2:]
            current.first = i + 1
        elif line.startswith(PROMPT):
            current.typed.append((line[len(PROMPT):], i, []))
        elif current.typed:
            current.typed[-1][2].append(line)
        else:
            current.shown.append(line)
    return steps


def apply_diff(directory, text):
    """Applies a unified diff of one file. Each hunk must be found exactly, at its line."""
    lines = text.splitlines()
    target = Path(directory) / re.match(r"\+\+\+ (\S+)", lines[1])[1]
    old, new, at = target.read_text().splitlines(), [], 0
    hunks = [i for i, line in enumerate(lines) if line.startswith("@@ ")]
    for begin, end in zip(hunks, hunks[1:] + [len(lines)]):
        first, count = (int(n) for n in re.match(r"@@ -(\d+),(\d+) \+\d+,\d+ @@", lines[begin]).groups())
        body = [line or " " for line in lines[begin + 1:end]]
        before = [line[1:] for line in body if line[0] in " -"]
        if old[first - 1:first - 1 + count] != before or len(before) != count:
            raise PageError(f"lines {first} to {first + count - 1} of {target.name} are not those of the change")
        new += old[at:first - 1] + [line[1:] for line in body if line[0] in " +"]
        at = first - 1 + count
    if not hunks:
        raise PageError("it has no hunk (@@)")
    target.write_text("\n".join(new + old[at:]) + "\n")


def alike(shown, line, varies):
    """Whether a line of the page is a line of output, apart from what may differ."""
    for pattern, stands in varies:
        shown, line = re.sub(pattern, stands, shown), re.sub(pattern, stands, line)
    shown, line = (re.sub(r" +", " ", s.rstrip()) for s in (shown, line))
    parts = [re.escape(p) for p in shown.split("…")]
    return re.fullmatch(".*".join(parts), line) is not None


def match(shown, printed, varies):
    """The first line that is shown but not printed as such (or "…" for more output than is shown), or None."""
    groups, g = [[]], 0
    for line in shown:
        if line.strip() == "...":
            groups.append([])
        else:
            groups[-1].append(line)
    at = 0
    for g, group in enumerate(groups):
        last, anchored = g == len(groups) - 1, g == 0
        starts = [at] if anchored else range(at, len(printed) - len(group) + 1)
        if last and not anchored:
            starts = [len(printed) - len(group)] if len(printed) - len(group) >= at else []
        best = 0
        for s in starts:
            same = 0
            while same < len(group) and s + same < len(printed) and alike(group[same], printed[s + same], varies):
                same += 1
            best = max(best, same)
            if same == len(group):
                at = s + same
                break
        else:
            return group[best]
    if len(groups) == 1 and at != len(printed):
        return "… (more output than is shown: '%s')" % printed[at]
    return None


class Shell:
    """One bash that executes the commands of a page."""

    MARK = "\x1eEND-OF-COMMAND"

    def __init__(self, directory, env):
        self.directory, self.env = directory, env
        self.bash = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=directory, env=env, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command):
        """Executes a command; its output and exit status."""
        text = f"{{ {command}\n}} </dev/null\nrc=$?; printf '{self.MARK} %d\\n' $rc; (exit $rc)\n"
        self.bash.stdin.write(text.encode())
        self.bash.stdin.flush()
        out, until = b"", time.monotonic() + TIMEOUT_S
        while True:
            ready, _, _ = select.select([self.bash.stdout], [], [], max(0, until - time.monotonic()))
            got = os.read(self.bash.stdout.fileno(), 65536) if ready else b""
            out += got
            m = re.search(self.MARK.encode() + rb" (\d+)\n", out)
            if m:
                return out[:m.start()].decode(errors="replace"), int(m[1])
            if not ready:
                raise PageError(f"'{command}' has not ended after {TIMEOUT_S} s:\n{out.decode(errors='replace')[-1000:]}")
            if not got:
                raise PageError(f"'{command}' ended the shell:\n{out.decode(errors='replace')[-1000:]}")

    def type(self, command, typed):
        """Executes a command on a terminal of its own and types each line when the prompt has come. What was printed before
        the first line, and after each."""
        cwd = self.run("pwd")[0].rstrip("\n")
        env = dict(pair.split("=", 1) for pair in self.run("env -0")[0].split("\0") if "=" in pair)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(cwd)
            os.execvpe("bash", ["bash", "--noprofile", "--norc", "-c", "stty -echo rows 0 cols 0; " + command], env)
        try:
            printed = [self.until_prompt(terminal, command)]
            for line in typed:
                os.write(terminal, line.encode() + b"\n")
                printed.append(self.until_prompt(terminal, command))
        finally:
            os.close(terminal)
            os.killpg(pid, signal.SIGKILL)  # it leads a session of its own
            os.waitpid(pid, 0)
        return printed

    def until_prompt(self, terminal, command):
        """What a terminal shows until gdb's prompt, or until the command has ended."""
        out, until = "", time.monotonic() + TIMEOUT_S
        while not out.endswith(PROMPT):
            ready, _, _ = select.select([terminal], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise PageError(f"'{command}' shows no prompt after {TIMEOUT_S} s:\n{out[-1000:]}")
            try:
                got = os.read(terminal, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                got = ""
            if not got:
                return out
            out = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", (out + got).replace("\r", ""))
        return out[:-len(PROMPT)]

    def end(self):
        for kill in (lambda: os.killpg(self.bash.pid, signal.SIGKILL), self.bash.wait, self.bash.stdout.close):
            try:
                kill()
            except (ProcessLookupError, BrokenPipeError):
                pass
        try:
            self.bash.stdin.close()
        except BrokenPipeError:
            pass


def environment(home, path):
    """The commands' environment: nothing of the caller's that changes what Raddle or a compiler does. raddle.h is found as it
    is after an installation in /usr, also for an installation elsewhere and a build tree."""
    env = {k: os.environ[k] for k in ("PATH", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH", "MANPATH") if k in os.environ}
    env["PATH"] = os.pathsep.join([str(Path(p).resolve()) for p in path] + [env.get("PATH", "/usr/bin:/bin")])
    env.update(HOME=str(home), XDG_STATE_HOME=f"{home}/state", XDG_CONFIG_HOME=f"{home}/config", TERM="dumb",
               XDG_CACHE_HOME=f"{home}/cache", LC_ALL="C.UTF-8")
    headers = [str(p.parent) for p in (Path(d).resolve().parent / "include/raddle.h" for d in path) if p.is_file()]
    if headers:
        env["CPATH"] = os.pathsep.join(headers)
    return env


class Page:
    """A page that is being executed."""

    def __init__(self, path, directory, search_path=(), source=ROOT, verbose=False):
        self.path, self.source, self.verbose = Path(path), Path(source).resolve(), verbose
        self.text = self.path.read_text()
        self.work, home = Path(directory) / "work", Path(directory) / "home"
        for d in (self.work, home):
            d.mkdir(parents=True)
        self.env = environment(home, search_path)
        self.differences, self.commands, self.skipped = [], 0, ""
        self.replacements = []  # (first line from 1, number of lines, new lines)

    def execute(self):
        steps = parse(self.text)
        shell = Shell(self.work, self.env)
        try:
            for i, step in enumerate(steps):
                if step.kind == "needs":
                    missing = [w for w in step.text.split() if not shutil.which(w, path=self.env["PATH"])]
                    if missing:
                        self.skipped = "no " + ", ".join(missing)
                        return self
                else:
                    following = steps[i + 1] if i + 1 < len(steps) else None
                    getattr(self, step.kind)(shell, step, following)
        finally:
            shell.end()
        return self

    def here(self, shell):
        return Path(shell.run("pwd")[0].rstrip("\n"))

    def files(self, shell, step, _):
        for pattern in step.text.split():
            found = list(self.source.glob(pattern))
            if not found:
                raise PageError(f"{self.path}:{step.line}: no file '{pattern}' in the repository")
            for f in found:
                target = self.work / f.relative_to(self.source)
                if f.is_file():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(f, target)

    def setup(self, shell, step, _):
        out, status = shell.run(step.text)
        if status:
            raise PageError(f"{self.path}:{step.line}: '{step.text}' failed: {out}")

    def save(self, shell, step, _):
        target = self.here(shell) / step.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(step.text)

    def patch(self, shell, step, _):
        try:
            apply_diff(self.here(shell), step.text)
        except (PageError, OSError) as e:
            raise PageError(f"{self.path}:{step.line}: the change cannot be applied: {e}") from None

    def run(self, shell, step, following):
        self.commands += 1
        if step.typed:
            printed = shell.type(step.text, [typed for typed, _, _ in step.typed])
            self.compare(step, step.text, step.first, step.shown, printed[0])
            for (typed, line, shown), out in zip(step.typed, printed[1:]):
                self.compare(step, f"{step.text}: (gdb) {typed}", line + 1, shown, out)
            return
        out, status = shell.run(step.text)
        if self.verbose:
            print(f"{self.path}:{step.line}: $ {step.text}\n{out}[exit status {status}]")
        asked = following is not None and following.kind == "run" and "$?" in following.text
        if status and not asked and all(line.strip() in ("", "...") for line in step.shown):
            self.differences.append(f"{self.path}:{step.line}: '{step.text}' failed with exit status {status}:\n{out[-3000:]}")
        self.compare(step, step.text, step.first, step.shown, out)

    def compare(self, step, command, first, shown, out):
        """Compares output that the page shows. What a terminal shows need not be shown in the page."""
        body = list(shown)
        while body and not body[-1].strip():
            body.pop()
        printed = [l for l in out.rstrip("\n").split("\n") if not UNASKED.match(l)] if out.strip() else []
        if not body:
            return
        wrong = match(body, printed, step.varies)
        if wrong is None:
            return
        head = body[:-1] if body[-1].strip() == "..." else body  # what --update can write: all, or the beginning
        plain = not any(l.strip() == "..." or "…" in l for l in head)
        if plain:
            self.replacements.append((first, len(head), printed if head is body else printed[:len(head)]))
        shows = "" if plain else " (with wildcards: change it by hand)"
        left = f"... and {len(printed) - 60:,} more lines" if len(printed) > 60 else ""
        self.differences.append(f"{self.path}:{first}: '{command}' does not print the line{shows}\n  {wrong}\n"
                                "but:\n" + "\n".join("  " + l for l in [*printed[:60], left]).rstrip())

    def update(self):
        lines = self.text.splitlines()
        for first, count, new in sorted(self.replacements, reverse=True):
            indent = re.match(r"\s*", lines[first - 2])[0] if first > 1 else ""
            lines[first - 1:first - 1 + count] = [(indent + l).rstrip() for l in new]
        self.path.write_text("\n".join(lines) + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--path", action="append", default=[], metavar="DIR", help="a directory to put before PATH")
    p.add_argument("--source", default=ROOT, metavar="DIR", help="the repository, for pages that use its files")
    p.add_argument("--update", action="store_true", help="write what was printed into the page")
    p.add_argument("--verbose", action="store_true", help="print every command with its output")
    p.add_argument("pages", nargs="+", metavar="PAGE")
    args = p.parse_args()
    failed = False
    for path in args.pages:
        with tempfile.TemporaryDirectory(prefix="raddle-page-") as directory:
            try:
                page = Page(path, directory, args.path, args.source, args.verbose).execute()
                problems = page.differences
            except PageError as e:
                problems, page = [f"{path}: {e}"], None
            if args.update and page and page.replacements:
                page.update()
        for problem in problems:
            print(problem)
        note = f"skipped in part: {page.skipped}" if page and page.skipped else ""
        print(f"{path}: {'FAILED' if problems else 'ok'}, {page.commands if page else 0} commands {note}".rstrip())
        failed = failed or bool(problems)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
