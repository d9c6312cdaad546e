"""Options that are not on the command line: RADDLE_OPTIONS, and the file .raddle of a project."""
import json
import os
import shutil

import test_frameworks as frameworks
from common import run
from test_formats import check_json


def project(tools, name, text=None, program="ok/spin_counter.c"):
    """A directory that is the root of a repository, with a program 'counter' and a file .raddle."""
    work = tools.dir(f"options-{name}")
    (work / ".git").mkdir()
    shutil.copy(tools.program(program), work / "counter")
    if text is not None:
        write(work / ".raddle", text)
    return work


def write(path, text, mode=0o644):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)


def raddle(tools, cwd, *words, options=None, env=None):
    env = dict(env or {}, **({"RADDLE_OPTIONS": options} if options is not None else {}))
    return run([tools.raddle, *words], cwd=cwd, env=env)


def document(tools, cwd, *words, program="./counter", **how):
    """What `raddle run --json` says, with this program."""
    done = raddle(tools, cwd, "run", "--json", cwd / "run.json", *words, program, **how)
    summary = json.loads((cwd / "run.json").read_text())
    check_json(done, summary)
    return done, summary


def given(summary):
    return [(o["option"], o["value"], o["from"], o.get("line")) for o in summary["options"]]


def expect_options(done, summary, *wanted):
    if given(summary) != list(wanted):
        done.fail(f"the options are {given(summary)}, expected {list(wanted)}")


def expect_line(done, *lines):
    for line in lines:
        if line not in done.out.splitlines():
            done.fail(f"no line '{line}'")


def test_variable(tools):
    """RADDLE_OPTIONS is read as a shell reads words; the command line wins; the report names what counts."""
    work = project(tools, "variable")
    done, s = document(tools, work, options="-n3 --seed=5 -s 'random' --minimise \"1\"")
    expect_options(done.expect(0), s, ("executions", "3", "RADDLE_OPTIONS", None), ("seed", "5", "RADDLE_OPTIONS", None),
                   ("strategy", "random", "RADDLE_OPTIONS", None), ("minimise", "1", "RADDLE_OPTIONS", None))
    expect_line(done, "options: --executions 3, --seed 5, --strategy random, --minimise 1 from RADDLE_OPTIONS")
    if (s["executions"], s["seed"], s["strategy"]) != (3, 5, "random"):
        done.fail("the options have no effect")
    if s["command"][1:] != ["run", "--json", str(work / "run.json"), "./counter"]:
        done.fail(f"another command: {s['command']}")
    done, s = document(tools, work, "--executions", "2", options="-n3 --seed=5 --no-minimise")
    expect_options(done, s, ("seed", "5", "RADDLE_OPTIONS", None), ("no-minimise", None, "RADDLE_OPTIONS", None))
    if s["executions"] != 2:
        done.fail("the command line does not win")
    done, s = document(tools, work, "--minimise", "1", options="--no-minimise -n 1")
    expect_options(done, s, ("executions", "1", "RADDLE_OPTIONS", None))
    done = raddle(tools, work, "./counter", options="-n 1").expect(0)  # the short form of `raddle run`
    expect_line(done, "options: --executions 1 from RADDLE_OPTIONS")
    done, s = document(tools, work, "-n", "1", options=" \t\n")
    expect_options(done, s)
    if "options:" in done.out:
        done.fail("a line about no options")


def test_quotes(tools):
    """Quotes and backslashes give the word that a shell gives."""
    work = project(tools, "quotes")
    for text in ("a b'c.json", 'a"\\b $HOME.json', "#weiß.json"):
        single, double = "'" + text.replace("'", "'\\''") + "'", '"' + "".join("\\" + c if c in '"\\$`' else c for c in text) + '"'
        bare = "".join("\\" + c if not c.isalnum() else c for c in text)
        for written in (single, double, bare):
            path = work / text
            done = raddle(tools, work, "run", "./counter", options=f"-n 1 --json {written} -q").expect(0)
            if not path.exists():
                done.fail(f"{written} is not the word '{text}'")
            path.unlink()
    raddle(tools, work, "run", "./counter", options='-n 1 --json "a').expect_trouble("RADDLE_OPTIONS: a quote \" is not closed")
    raddle(tools, work, "run", "./counter", options="-n 1 --json 'a").expect_trouble("RADDLE_OPTIONS: a quote ' is not closed")
    raddle(tools, work, "run", "./counter", options="-n 1 \\").expect_trouble("RADDLE_OPTIONS: there is nothing after the last backslash")


def test_mistakes_of_variable(tools):
    work = project(tools, "mistakes")
    for options, words in (("--tiem 3", "RADDLE_OPTIONS: unknown option '--tiem'; did you mean '--time'?"),
                           ("-n 1 ./other", "RADDLE_OPTIONS: './other' is no option"),
                           ("-- x", "RADDLE_OPTIONS: '--' is no option"),
                           ("-", "RADDLE_OPTIONS: '-' is no option"),
                           ("-X", "RADDLE_OPTIONS: unknown option '-X'"),
                           ("-t", "RADDLE_OPTIONS: option '-t' needs a value"),
                           ("--keep-going=yes", "RADDLE_OPTIONS: option '--keep-going=yes' takes no value"),
                           ("-t soon", "RADDLE_OPTIONS: --time needs a number of seconds, not 'soon'"),
                           ("-n 0", "RADDLE_OPTIONS: --executions must be at least 1"),
                           ("--color=red", "RADDLE_OPTIONS: --color is one of"),
                           ("--help", "RADDLE_OPTIONS: '--help' can only be on the command line"),
                           ("--no-config", "RADDLE_OPTIONS: '--no-config' can only be on the command line")):
        raddle(tools, work, "run", "./counter", options=options).expect_trouble(words)
        for command in (["bench"], ["list", "variables"], ["test"]):
            if "-t" not in options and "-n" not in options and "color" not in options:
                raddle(tools, work, *command, "./counter", options=options).expect_trouble(words)
    done = raddle(tools, work, "run", "--tiem", "./counter", options="-t soon").expect(2)
    if "RADDLE_OPTIONS" in done.err:
        done.fail("a mistake of the command line is another one's")
    done = raddle(tools, work, "run", "--help", options="--tiem").expect(0)
    done = raddle(tools, work, "run", options="-n 1").expect(2)
    if done.err != "raddle: no program given (see 'raddle help run')\n":
        done.fail("a message names the wrong place")


def test_file(tools):
    """The options of .raddle, before those of RADDLE_OPTIONS and of the command line; comments; sections."""
    text = ("\ufeff# how we test\r\n\nexecutions 4   # few\n  seed=5\nstrategy random\nno-minimise\n\n[test other*]\nseed 6\nexecutions 9\n"
            "[test cou[mnt]*]\nseed 7\ntimeouts 1\n[test  c* ]\ntimeouts 2\n")
    work = project(tools, "file", text)
    done, s = document(tools, work)
    expect_options(done.expect(0), s, ("executions", "4", ".raddle", 3), ("strategy", "random", ".raddle", 5),
                   ("no-minimise", None, ".raddle", 6), ("seed", "7", ".raddle", 12), ("timeouts", "2", ".raddle", 15))
    expect_line(done, "options: executions 4, strategy random, no-minimise from .raddle; seed 7 from .raddle [test cou[mnt]*]; "
                      "timeouts 2 from .raddle [test c*]")
    if (s["executions"], s["seed"], s["strategy"]) != (4, 7, "random"):
        done.fail("the options have no effect")
    done, s = document(tools, work, "--strategy=dfs", options="--seed 8 --timeouts 3")
    expect_options(done, s, ("executions", "4", ".raddle", 3), ("no-minimise", None, ".raddle", 6),
                   ("seed", "8", "RADDLE_OPTIONS", None), ("timeouts", "3", "RADDLE_OPTIONS", None))
    if (s["executions"], s["seed"], s["strategy"]) != (4, 8, "dfs"):
        done.fail("the order of the sources is another one")
    for words, env in ((["--no-config"], {}), ([], {"RADDLE_CONFIG": "none"})):
        done, s = document(tools, work, "-n", "2", "--seed", "3", *words, options="-n 1 --tiem", env=env)
        expect_options(done, s)
    raddle(tools, work, "run", "./counter", env={"RADDLE_CONFIG": "some"}).expect_trouble("RADDLE_CONFIG can only be 'none'")


def test_place_of_file(tools):
    """The nearest file counts, up to the repository or the home directory; its paths are relative to its directory."""
    work = project(tools, "place", "executions 3\njson out/run.json\nsuppress known.supp\nout found\n")
    (work / "known.supp").write_text("race:nothing\n")
    (work / "out").mkdir()
    deep = work / "a" / "b"
    deep.mkdir(parents=True)
    done = raddle(tools, deep, "run", work / "counter").expect(0)
    summary = json.loads((work / "out" / "run.json").read_text())
    file = str(work / ".raddle")
    expect_options(done, summary, ("executions", "3", file, 1), ("json", f"{work}/out/run.json", file, 2),
                   ("suppress", f"{work}/known.supp", file, 3), ("out", f"{work}/found", file, 4))
    write(work / "a" / ".raddle", "executions 2\njson -\n")
    done = raddle(tools, deep, "run", work / "counter").expect(0)
    expect_options(done, json.loads(done.out), ("executions", "2", f"{work}/a/.raddle", 1), ("json", "-", f"{work}/a/.raddle", 2))
    (work / "a" / ".raddle").unlink()
    (deep / ".git").write_text("gitdir: elsewhere\n")  # of a worktree
    done = raddle(tools, deep, "run", "-n", "1", work / "counter").expect(0)
    if "options:" in done.out:
        done.fail("a file above the repository counts")
    (deep / ".git").unlink()
    done = raddle(tools, deep, "run", "-n", "1", work / "counter", env={"HOME": str(work / "a")}).expect(0)
    if "options:" in done.out:
        done.fail("a file above the home directory counts")
    (deep / ".raddle").mkdir()  # a directory is no file with options
    done = raddle(tools, deep, "run", "-q", work / "counter").expect(0)
    write(work / ".raddle", "tiem 3\n")
    raddle(tools, deep, "run", work / "counter").expect_trouble(f"{work}/.raddle:1: unknown option 'tiem'; did you mean 'time'?")


def test_mistakes_of_file(tools):
    work = project(tools, "file-mistakes")
    for text, words in (("\ntiem 3\n", ".raddle:2: unknown option 'tiem'; did you mean 'time'?"),
                        ("--time 3\n", ".raddle:1: unknown option '--time'; did you mean 'time'?"),
                        ("t 3\n", ".raddle:1: unknown option 't'"), ("= 3\n", ".raddle:1: unknown option ''"),
                        ("time\n", ".raddle:1: option 'time' needs a value"), ("time soon\n", ".raddle:1: --time needs a number of seconds, not 'soon'"),
                        ("keep-going yes\n", ".raddle:1: option 'keep-going' takes no value"),
                        ("help\n", ".raddle:1: 'help' can only be on the command line"),
                        ("no-config\n", ".raddle:1: 'no-config' can only be on the command line"),
                        ("[test x]\ntiem 3\n", ".raddle:2: unknown option 'tiem'"),
                        ("[test c*]\ntime soon\n", ".raddle:2: --time needs a number of seconds"),
                        ("[tests x]\n", ".raddle:1: unknown section '[tests x]'"), ("[test]\n", ".raddle:1: '[test]' needs the name"),
                        ("[test x\n", ".raddle:1: no ']' at the end of '[test x'"), ("[\n", ".raddle:1: no ']'"), ("[]\n", ".raddle:1: unknown section"),
                        (b"time 3\0\n", ".raddle:1: the line has a zero byte"), (b"\x1b[2Jx\n", ".raddle:1: unknown option"),
                        ("#\n" * (1 << 19) + "time 3\n", "'.raddle' is larger than 1 MiB")):
        write(work / ".raddle", text)
        for command in ("run", "test"):
            done = raddle(tools, work, command, "./counter").expect_trouble(words)
            if "\x1b" in done.err:
                done.fail("a message has control characters of the file")
    write(work / ".raddle", "[test x*]\ntime soon\n")
    raddle(tools, work, "run", "-n", "1", "./counter").expect(0)


def test_foreign_file(tools):
    """A file that somebody else has put there, or can write, is refused; also a link of somebody else."""
    work = project(tools, "foreign")
    file = work / ".raddle"
    for mode in (0o664, 0o646):
        write(file, "executions 1\n", mode)
        raddle(tools, work, "run", "./counter").expect_trouble("refused '.raddle': other users may write it", "chmod go-w", "--no-config")
    raddle(tools, work, "run", "--no-config", "-n", "1", "./counter").expect(0)
    file.unlink()
    os.mkfifo(file)
    raddle(tools, work, "run", "./counter").expect_trouble("'.raddle' is no regular file")
    file.unlink()
    file.symlink_to("missing")
    raddle(tools, work, "run", "./counter").expect_trouble("cannot open '.raddle'")
    write(work / "missing", "executions 1\n")
    raddle(tools, work, "run", "./counter").expect(0)
    if os.geteuid() != 0:
        return  # only root can give a file to another user
    os.lchown(file, 4711, 4711)
    raddle(tools, work, "run", "./counter").expect_trouble("refused '.raddle': it belongs to another user (uid 4711)")
    file.unlink()
    write(file, "executions 1\n")
    os.chown(file, 4711, 4711)
    raddle(tools, work, "run", "./counter").expect_trouble("refused '.raddle': it belongs to another user (uid 4711)")
    os.chown(file, 0, 0)
    raddle(tools, work, "run", "./counter").expect(0)


def test_other_commands(tools):
    """`list variables` and `bench` take the options that they have, and pass the others over."""
    work = project(tools, "commands", "strategy random\njson run.json\nrounds 1\ntime 0.01\nseed 4\n[test count*]\nexecutions 2\n")
    done = raddle(tools, work, "list", "variables", "./counter", options="-k").expect(0)
    expect_line(done, "options: seed 4 from .raddle; executions 2 from .raddle [test count*]")
    if "in 2 executions" not in done.out or (work / "run.json").exists():
        done.fail("other options count")
    done = raddle(tools, work, "list", "variables", "--json", "./counter", options="--csv -a").expect(0)
    summary = json.loads(done.out)
    check_json(done, summary, "variables-1")
    expect_options(done, summary, ("seed", "4", ".raddle", 5), ("executions", "2", ".raddle", 7), ("all", None, "RADDLE_OPTIONS", None))
    done = raddle(tools, work, "bench", "./counter", options="--keep-going").expect(0)
    expect_line(done, "options: strategy random, rounds 1, time 0.01 from .raddle; executions 2 from .raddle [test count*]")
    done = raddle(tools, work, "run", "-q", "-t", "30", "./counter").expect(0)
    if given(json.loads((work / "run.json").read_text()))[0][0] != "strategy":
        done.fail("run does not write the document")
    for command in (["list", "strategies"], ["help"], ["--version"], ["show", "--help"]):
        raddle(tools, work, *command, options="--tiem").expect(0)


def test_of_tests(tools):
    """`raddle test`: sections by the names of tests and programs; a test gets each option once, and its time is a limit."""
    work = project(tools, "tests", "no-minimise\ndetect heap\njobs 2\ncoverage all.csv\nstatistics\n[test Bank.Careful]\nseed 7\ntime 20\nout elsewhere\n"
                                   "[test gtest*]\nexecutions 50\n[test Nothing]\nseed 9\n")
    shutil.copy(frameworks.build(tools, "gtest.cc"), work / "gtest")
    words = ["test", "--filter", "Bank.*", "--json", "tests.json", "./gtest"]
    done = raddle(tools, work, *words, options="--strategy random").expect(1)
    s = json.loads((work / "tests.json").read_text())
    expect_options(done, s, ("no-minimise", None, ".raddle", 1), ("detect", "heap", ".raddle", 2), ("jobs", "2", ".raddle", 3),
                   ("seed", "7", ".raddle", 7), ("time", "20", ".raddle", 8), ("executions", "50", ".raddle", 11),
                   ("strategy", "random", "RADDLE_OPTIONS", None))
    expect_line(done, "options: no-minimise, detect heap, jobs 2 from .raddle; seed 7, time 20 from .raddle [test Bank.Careful]; "
                      "executions 50 from .raddle [test gtest*]; --strategy random from RADDLE_OPTIONS")
    tests = {t["name"]: t for t in s["tests"]}
    careful, careless = tests["Bank.Careful"], tests["Bank.Careless"]
    expect_options(done, careful, ("seed", "7", ".raddle", 7), ("time", "20", ".raddle", 8), ("executions", "50", ".raddle", 11))
    expect_options(done, careless, ("executions", "50", ".raddle", 11))
    if (careful["run"]["seed"], careless["run"]["seed"], careful["run"]["executions"], careful["run"]["strategy"]) != (7, 1, 50, "random"):
        done.fail("the options have no effect")
    command = careful["run"]["command"]
    if [command.count(w) for w in ("--no-config", "--seed=7", "--executions=50", "--strategy=random", "--detect=heap")] != [1] * 5:
        done.fail(f"the test's command is {command}")
    limits = [float(w.removeprefix("--time=")) for w in command if w.startswith("--time=")]
    if len(limits) != 1 or limits[0] > 20:
        done.fail(f"the test's limit is {limits}")
    if (work / "elsewhere").exists() or (work / "all.csv").exists():
        done.fail("an option for the whole command or for `raddle run` counts")
    done = raddle(tools, work, "test", "--no-config", "--detect", "heap", "--no-minimise", *words[1:], options="--tiem").expect(1)
    s = json.loads((work / "tests.json").read_text())
    expect_options(done, s)
    done = raddle(tools, work, "test", "--seed", "3", *words[1:]).expect(1)
    tests = {t["name"]: t for t in json.loads((work / "tests.json").read_text())["tests"]}
    expect_options(done, tests["Bank.Careful"], ("time", "20", ".raddle", 8), ("executions", "50", ".raddle", 11))
    if tests["Bank.Careful"]["run"]["seed"] != 3:
        done.fail("the command line does not win over a section")
    write(work / ".raddle", "[test Bank.*]\n\nseed many\n")
    raddle(tools, work, *words).expect_trouble(".raddle:3: --seed needs a whole number")
    raddle(tools, work, *words, options="--coverage a.csv --github --seed few", env={}).expect_trouble("RADDLE_OPTIONS: --seed needs a whole number")


def test_replay(tools):
    """Neither source reaches `replay`, and the program sees the environment that it has without Raddle."""
    work = project(tools, "replay", "seed 3\nmax-steps 1000\n", program="bug/lost_update.c")
    done, s = document(tools, work, "--detect", "heap", options="--no-minimise --strategy random")
    schedule = s["findings"][0]["schedule"]
    if done.status != 1:
        done.fail("no bug")
    for options in (None, "--tiem", "-n 1 --seed 9"):
        tried = raddle(tools, work, "replay", "--record", "again.sched", schedule, options=options).expect(1)
        if (work / "again.sched").read_bytes() != (work / schedule).read_bytes():
            tried.fail("the replay recorded another schedule")
    source = work / "world.c"
    source.write_text('#include <stdio.h>\n#include <stdlib.h>\nint main(void) { const char *v = getenv("RADDLE_OPTIONS"); puts(v ? v : "unset"); }\n')
    program = tools.compile(source)
    for options, shown in (("-n 1", "-n 1"), (None, "unset")):
        done = raddle(tools, work, "run", "--show-output", program, options=options).expect(0)
        if shown not in done.out.splitlines()[0]:
            done.fail(f"the program does not see '{shown}'")
