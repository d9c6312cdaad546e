"""Man pages and completions, which raddle writes itself: they say what `raddle help` says, and real shells use them."""
import os
import re
from common import ROOT, Failure, run

COMMANDS = ("run", "test", "replay", "show", "compare", "cc", "c++", "list", "list variables", "bench")
# what is typed, and words that must be among the completions; None: nothing is completed
LINES = {
    "raddle r": ("run", "replay"),
    "raddle run --isol": ("--isolation",),
    "raddle run --isolation ": ("auto", "snapshot", "fork", "exec"),
    "raddle run -s bp": ("bpor",),
    "raddle run -s icb:": ("icb:c=", "icb:sleep"),
    "raddle run -s icb:c=2,ca": ("icb:c=2,cache",),
    "raddle run --detect races,le": ("races,leaks",),
    "raddle run -t ": None,
    "raddle run -o sub": ("subfolder",),
    "raddle run --rules some": ("some.rules",),
    "raddle run -t 5 --seed 3 some": ("some.rules",),
    "raddle run -- some": ("some.rules",),
    "raddle run ./program some": ("some.rules",),
    "raddle run ./program --se": None,
    "raddle run --se": ("--seed",),
    "raddle show som": ("some.rules",),
    "raddle list ": ("strategies", "detectors", "findings", "operations", "variables"),
    "raddle list variables --cs": ("--csv",),
    "raddle help ti": ("time",),
    "raddle cc -c som": ("some.rules",),
}


def generated(tools, *what):
    return run([tools.raddle, "--generate", *what]).expect(0).out


def text_of_page(roff):
    """The words of a page as a terminal shows them, without what man(7) needs."""
    text = re.sub(r"\\f[BRI]|\\&", "", roff)
    for escape, char in (("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\e", "\\")):
        text = text.replace(escape, char)
    return " ".join(re.sub(r"^\.(TP|PP|nf|fi|SH|TH|BR).*", "", text, flags=re.M).split())


def test_man_pages(tools):
    """Each command has a page with every word of its help; unknown pages are refused."""
    names = generated(tools, "man-pages").split()
    if names != ["raddle-" + c.replace(" ", "-") for c in COMMANDS]:
        raise Failure(f"pages: {names}")
    for command, name in zip(COMMANDS, names):
        page = text_of_page(generated(tools, "man", "2026-01-02", name))
        help_text = run([tools.raddle, "help", *command.split()]).expect(0).out
        for word in help_text.split():
            if word not in page:
                raise Failure(f"'{word}' is in the help of {command}, and not in {name}(1)")
    overview = text_of_page(generated(tools, "man", "2026-01-02", "raddle"))
    for line in run([tools.raddle, "help"]).expect(0).out.split("\n"):
        words = re.match(r"  raddle (\w[\w+]*(?: variables| strategies| time)?)", line)
        if words and f"raddle {words[1]}" not in overview and words[1] != "help":
            raise Failure(f"'{words[1]}' is not in raddle(1)")
    run([tools.raddle, "--generate", "man", "2026-01-02", "raddle-nothing"]).expect_trouble("--generate")


def test_header_page(tools):
    """raddle.h(3) names every function of raddle.h, with its parameters, and nothing else."""
    header = (ROOT / "include" / "raddle.h").read_text()
    project = (ROOT / "CMakeLists.txt").read_text()
    version, date = re.search(r"VERSION ([\d.]+) L", project)[1], re.search(r"RADDLE_DATE ([\d-]+)", project)[1]
    functions = set(re.findall(r"^RADDLE_INLINE_ \w+ (raddle_\w+)\(", header, re.M)) | set(re.findall(r"#define (raddle_\w+)\(", header))
    page = (ROOT / "share" / "man" / "man3" / "raddle.h.3").read_text()
    named = set(re.findall(r"\b(raddle_[a-z_]+)\b", page))
    if functions != named or len(functions) < 10:
        raise Failure(f"only in one of raddle.h and raddle.h(3): {sorted(functions ^ named)}")
    if not page.startswith(f'.TH RADDLE.H 3 "{date}" "Raddle {version}"'):
        raise Failure("raddle.h(3) is of another version than CMakeLists.txt")
    for function in functions:
        if page.count(function) < 2:
            raise Failure(f"{function} is not described")


def test_gdb_page(tools):
    project = (ROOT / "CMakeLists.txt").read_text()
    version, date = re.search(r"VERSION ([\d.]+) L", project)[1], re.search(r"RADDLE_DATE ([\d-]+)", project)[1]
    if not (ROOT / "share/man/man1/raddle-gdb.1").read_text().startswith(f'.TH RADDLE-GDB 1 "{date}" "Raddle {version}"'):
        raise Failure("raddle-gdb(1) is of another version than CMakeLists.txt")


def test_schedule_page(tools):
    """raddle-schedule(5) is what schedule_page.py makes of docs/schedule-format.md."""
    made = run(["python3", ROOT / "cmake" / "schedule_page.py", ROOT / "docs" / "schedule-format.md"]).expect(0).out
    if made != (ROOT / "share" / "man" / "man5" / "raddle-schedule.5").read_text():
        raise Failure("share/man/man5/raddle-schedule.5 is old; 'make man' makes it again")


def files(work):
    (work / "subfolder").mkdir()
    (work / "some.rules").write_text("")
    (work / "program").write_text("#!/bin/sh\n")
    (work / "program").chmod(0o755)


def check(shell, complete):
    for line, wanted in LINES.items():
        found = complete(line)
        if (wanted is None and found) or (wanted and not set(wanted) <= set(found)):
            raise Failure(f"{shell}: '{line}' completes to {found}, and not to {wanted}")
        if wanted and len(wanted) == 1 and set(found) != set(wanted):
            raise Failure(f"{shell}: '{line}' completes to {found}, and not only to {wanted[0]}")


def test_bash(tools):
    work = tools.dir("bash")
    files(work)
    (work / "script").write_text(generated(tools, "bash"))
    # bash replaces what follows the last ':' or '=', so the function returns only that
    (work / "complete").write_text('. ./script\nCOMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=$\' \\t\\n"\\\'><=;|&(:\'\n'
                                   '_raddle\nkept=${1##*[[:space:]]} end=${1##*[[:space:]:=]}\n'
                                   'for w in "${COMPREPLY[@]}"; do echo "${kept%"$end"}$w"; done\n')

    def complete(line):
        done = run(["bash", "--norc", "complete", line], cwd=work).expect(0)
        if done.err:
            done.fail("the completion prints an error")
        return [w.removesuffix(line) for w in done.out.split()]

    check("bash", complete)
    for name in ("with space", "it's"):
        (work / name).mkdir()
        (work / name / "x y.sched").write_text("")
    for typed, wanted in (("with\\ sp", "with space"), ("with\\ space/", "with space/x y.sched"), ('"with space/x', "with space/x y.sched"),
                          ("'with sp", "with space"), ("it\\'s/x\\ ", "it's/x y.sched"), ('"it\'s"/x" "', "it's/x y.sched"),
                          ("-o out 'with space/x y", "with space/x y.sched")):
        done = run(["bash", "--norc", "-c", '. ./script; COMP_LINE=$1 COMP_POINT=${#1}; _raddle; printf "%s\\n" "${COMPREPLY[@]}"', "bash",
                    f"raddle {'run' if typed[0] == '-' else 'show'} {typed}"], cwd=work).expect(0)
        if done.out != wanted + "\n":
            raise Failure(f"bash: '{typed}' completes to '{done.out}', and not to '{wanted}'")
    if complete("raddle run --isolation=s") != ["--isolation=snapshot"] or complete("raddle ./prog") != ["./program"]:
        raise Failure("a value after '=', or a program in the place of a command, is not completed")


def test_zsh(tools):
    work = tools.dir("zsh")
    files(work)
    (work / "functions").mkdir()
    (work / "functions" / "_raddle").write_text(generated(tools, "zsh"))
    script = ROOT / "tests" / "e2e" / "zsh_completion.zsh"
    check("zsh", lambda line: [w.split(":")[0] if w.startswith(("run:", "replay:")) else w for w in
                               run(["zsh", "-f", script, work / "functions", line], cwd=work).expect(0).out.splitlines()])


def test_fish(tools):
    work = tools.dir("fish")
    files(work)
    (work / "raddle.fish").write_text(generated(tools, "fish"))
    env = {"HOME": str(work), "PATH": os.environ["PATH"]}

    def complete(line):
        done = run(["fish", "--no-config", "-c", "source raddle.fish; complete -C $argv[1]", line], cwd=work, env=env).expect(0)
        return [w.split("\t")[0].rstrip("/") for w in done.out.splitlines()]

    check("fish", complete)


def test_pages_are_clean(tools):
    """mandoc and groff have nothing to say about the pages."""
    work = tools.dir("man")
    pages = [ROOT / "share/man/man1/raddle-gdb.1", ROOT / "share/man/man3/raddle.h.3", ROOT / "share/man/man5/raddle-schedule.5"]
    for name in [*generated(tools, "man-pages").split(), "raddle"]:
        pages.append(work / f"{name}.1")
        pages[-1].write_text(generated(tools, "man", "2026-01-02", name))
    for page in pages:
        done = run(["mandoc", "-Tlint", "-W", "warning", page]).expect(0)
        done = run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], env={"LC_ALL": "C.UTF-8"}).expect(0)
        if done.err:
            done.fail("a warning")


for slow in (test_zsh, test_fish, test_pages_are_clean):
    slow.slow = True
del slow
