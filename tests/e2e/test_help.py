"""The help pages, and what a mistyped word leads to."""
import re

from common import run

COMMANDS = "run replay show compare cc c++ list bench".split()
PAGES = COMMANDS + ["strategies", "time", "list variables"]


def test_pages(tools):
    """Every command has a line in the list and a page; no line of a page is wider than 80 columns, except examples."""
    listed = run([tools.raddle, "help"]).expect(0)
    for word in ("--help", "-h"):
        if run([tools.raddle, word]).expect(0).out != listed.out:
            listed.fail(f"'{word}' prints another list")
    for page in PAGES:
        if not re.search(rf"^  raddle (help )?{re.escape(page)}\b", listed.out, re.M) and page != "c++":
            listed.fail(f"no line about '{page}'")
        done = run([tools.raddle, "help", *page.split()]).expect(0)
        for line in done.out.splitlines():
            if len(line) > 80 and not line.startswith(("  ", "'")):
                done.fail(f"a wide line: {line}")
            if line != line.rstrip():
                done.fail(f"a blank at the end of '{line}'")
        if page in ("run", "replay", "show", "compare", "bench", "list variables"):
            if run([tools.raddle, *page.split(), "--help"]).expect(0).out != done.out:
                done.fail(f"'{page} --help' prints another page")
            if "--help" not in done.out:
                done.fail("no options")
    for strategy in run([tools.raddle, "list", "strategies"]).expect(0).out.splitlines():
        name = strategy.split(" ", 1)[0]
        if name and not re.search(rf"^  {name} ", run([tools.raddle, "help", "strategies"]).out, re.M):
            raise AssertionError(f"'help strategies' lacks {name}")


def test_guesses(tools):
    """A mistyped word is answered with the word that was meant, where one is near; exit status 2."""
    program = tools.compile(tools_program(), "gcc", "plain", [])
    for words, text in [
            (["rnu", "./x"], "no command 'rnu', and no such program in PATH; did you mean 'raddle run'?"),
            (["hlep"], "did you mean 'raddle help'?"),
            (["help", "strategeis"], "no help for 'strategeis'; did you mean 'raddle help strategies'?"),
            (["run", "--kep-going", program], "unknown option '--kep-going'; did you mean '--keep-going'?"),
            (["run", "--jsn=x", program], "unknown option '--jsn=x'; did you mean '--json'?"),
            (["run", "-s", "dporr", program], "unknown strategy 'dporr'; did you mean 'dpor'?"),
            (["run", "-s", "ibc:c=2", program], "unknown strategy 'ibc'; did you mean 'icb'?"),
            (["run", "--detect", "racse", program], "no detector 'racse'; did you mean 'races'?"),
            (["run", "--isolation", "frok", program], "not 'frok'; did you mean 'fork'?"),
            (["list", "stategies"], "did you mean 'strategies'?"),
            (["show", "--htm", "x", "y.sched"], "did you mean '--html'?")]:
        done = run([tools.raddle, *words]).expect(2)
        if text not in done.err:
            done.fail(f"no '{text}'")
    for words in (["frobnicate-all", "x"], ["run", "--frobnicate", program], ["run", "-s", "wxyz", program]):
        done = run([tools.raddle, *words]).expect(2)
        if "did you mean" in done.err:
            done.fail("a guess that is far away")


def test_program_in_this_directory(tools):
    """A program without './' is named with it."""
    program = tools.compile(tools_program(), "gcc", "plain", [])
    done = run([tools.raddle, program.name], cwd=program.parent).expect(2)
    if f"raddle run ./{program.name}" not in done.err:
        done.fail("the path of the program is not named")


def tools_program():
    from common import PROGRAMS
    return PROGRAMS / "ok" / "readers_3.c"
