"""Objects that are used after their destruction, or never initialised: reported with both places, for each kind."""
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "misuse.c"


def marks():
    """For every case, the number of the wrong line and of the line that makes it wrong."""
    wrong, before = {}, {}
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        m = re.search(r"; /\* (BEFORE )?([a-z -]+) \*/$", line)
        for name in m[2].split() if m else ():
            (before if m[1] else wrong)[name] = number
    return {name: (line, before.get(name)) for name, line in wrong.items()}


def check(tools, compiler):
    program = tools.compile(SOURCE, compiler, "plain")
    for name, (line, before) in marks().items():
        work = tools.dir(f"misuse-{compiler}-{name}")
        done, finding, _ = tools.find(work, ["-s", "dfs", "-n", "1"], program, "misuse", args=[name])
        other = finding.get("because_of", {"line": None})
        if (finding["line"], other["line"]) != (line, before):
            done.fail(f"{name}: at line {finding['line']} because of {other['line']}, expected {line} and {before}")
        words = "not initialised" if name.endswith("-none") else "deleted" if "key" in name else "destroyed"
        if words not in finding["message"]:
            done.fail(f"{name}: '{finding['message']}'")


def test_gcc(tools):
    check(tools, "gcc")


def test_clang(tools):
    check(tools, "clang")
