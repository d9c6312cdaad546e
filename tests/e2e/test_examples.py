"""The examples do what their texts say, built and run exactly with the commands in the texts."""
from common import ROOT, run


def example(tools, name, compiler, kind):
    work = tools.dir(f"example-{name}")
    stem = name.split(".")[0]
    run([*compiler, "-g", ROOT / "examples" / name, "-o", work / stem], cwd=work).expect(0)
    done, finding, _ = tools.find(work, [], f"./{stem}", kind)
    if not finding["file"].endswith(name):
        done.fail(f"found in {finding['file']}")


def test_bank(tools):
    example(tools, "bank.c", [tools.raddle, "cc"], "assertion")


def test_wakeup(tools):
    example(tools, "wakeup.c", ["gcc", "-pthread"], "deadlock")


def test_deadlock(tools):
    example(tools, "deadlock.cc", ["g++", "-pthread"], "deadlock")


def test_queue(tools):
    example(tools, "queue.cc", ["g++", "-pthread"], "assertion")
