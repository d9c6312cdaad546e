"""Executions with hooks switched off: accesses that are missed are noticed, the claim says so, and replay is exact."""
from pathlib import Path

from common import run

SOURCE = Path(__file__).with_name("selective.c")
BY_X = ["-s", "random:var=x", "-n", "30"]


def search(tools, name, how, options=(), compiler="gcc", status=0, binary=None):
    work = tools.dir(f"selective-{name}")
    binary = binary or tools.compile(SOURCE, compiler=compiler)
    done, summary = tools.search(work, [*BY_X, *options], binary, [how])
    done.expect(status)
    return work, done, summary


def expect(done, what, got, wanted):
    if got != wanted:
        done.fail(f"{what}: {got}, expected {wanted}")


def test_noticed(tools):
    for compiler, isolation in (("gcc", "fork"), ("clang", "fork"), ("gcc", "exec")):
        _, done, s = search(tools, "noticed", "locked", ["--isolation", isolation], compiler)
        k = s["selective"]
        expect(done, "executions, checked, missed", (k["executions"], k["checked"], k["missed"]), (29, 5, 2))
        if k["off"] < 10 or not s["bounds"]["void"] or "touched a tracked variable" not in s["bounds"]["void"][0]:
            done.fail(f"off {k['off']}, void {s['bounds']['void']}")
        if "2 places in the code touched a tracked variable while switched off" not in done.text:
            done.fail("the text does not say it")


def test_found(tools):
    for compiler in ("gcc", "clang"):
        work = tools.dir(f"selective-found-{compiler}")
        binary = tools.compile(SOURCE, compiler=compiler)
        done, _, schedule = tools.find(work, [*BY_X, "--seed", "7"], binary, "assertion", args=["pointer"])
        if "2 places in the code touched" not in done.text:
            done.fail("the execution with the finding was to show that code was wrongly switched off")
        for backend in ("virtual", "kernel"):
            tools.replay(work, schedule, backend, 2)


def test_drawn(tools):
    """A profile execution first, then one of the shared variables at a time."""
    work = tools.dir("selective-drawn")
    binary = tools.compile(SOURCE)
    done, _, schedule = tools.find(work, ["-s", "random:v=1", "-n", "400"], binary, "assertion", args=["pointer"])
    tools.replay(work, schedule, "kernel", 1)


def test_waiting(tools):
    _, done, s = search(tools, "waiting", "spin", ["--max-seconds", "0.5"])
    expect(done, "findings, unwatched", (s["findings"], s["selective"]["unwatched"]), ([], 1))
    if "could not be watched" not in s["guarantee"]:
        done.fail(f"guarantee '{s['guarantee']}'")


def test_sealed(tools):
    """A program text that cannot be changed stays as it is: the search is slower, with the same results."""
    work = tools.dir("selective-build")
    run([tools.raddle, "cc", "-O1", "-DSEALED", SOURCE, "-o", work / "sealed"]).expect(0)
    _, done, s = search(tools, "sealed", "sealed", binary=work / "sealed")
    k = s["selective"]
    if k["off"] != 0 or k["fixed"] < 10:
        done.fail(f"selective {k}")


def test_calls(tools):
    """Calls without a linkage table, and calls of a library."""
    work = tools.dir("selective-calls")
    for compiler in ("gcc", "clang"):
        env = {"RADDLE_CC": compiler}
        cc = [tools.raddle, "cc", "-O1", "-fPIC"]
        run([*cc, "-fno-plt", SOURCE, "-o", work / "noplt"], env=env).expect(0)
        run([*cc, "-Dmain=library", "-shared", SOURCE, "-o", work / "libwork.so"], env=env).expect(0)
        (work / "main.c").write_text("int library(int, char **);\nint x;\n"
                                     "int main(int n, char **v) { return library(n, v); }\n")
        run([*cc, work / "main.c", f"-L{work}", "-lwork", f"-Wl,-rpath,{work}", "-o", work / "main"], env=env).expect(0)
        for name in ("noplt", "main"):
            _, done, s = search(tools, f"calls-{name}", "quiet", binary=work / name)
            if s["selective"]["off"] < 10:
                done.fail(f"selective {s['selective']}")


BY_RANK = ["-s", "rank:c=1,v=1"]


def test_rank(tools):
    """The access after a tracked one is a point, too, so its hook stays on. A bug, and its schedule."""
    for compiler in ("gcc", "clang"):
        work = tools.dir(f"selective-rank-{compiler}")
        done, _, schedule = tools.find(work, BY_RANK, tools.compile(SOURCE, compiler=compiler), "assertion", args=["pointer"])
        if "watch selective-after" not in schedule.read_text() or " places in the code touched" not in done.text:
            done.fail("not selective, or nothing was noticed")
        for backend in ("virtual", "kernel"):
            tools.replay(work, schedule, backend, 1)


def test_rank_repaired(tools):
    """The claim is about sets that were begun again with that hook on."""
    seen = []
    for isolation in ("fork", "exec"):
        work = tools.dir("selective-rank-repaired")
        done, s = tools.search(work, [*BY_RANK, "-n", "60", "--isolation", isolation], tools.compile(SOURCE), ["locked"])
        done.expect(0)
        k = s["selective"]
        expect(done, "missed, unwatched, void", (k["missed"], k["unwatched"], s["bounds"]["void"]), (1, 0, []))
        if k["off"] < 10 or not (s["bounds"]["proved"] or "").startswith("every order of any 2 threads without"):
            done.fail(f"off {k['off']}, proved '{s['bounds']['proved']}'")
        seen.append((s["executions"], s["distinct_orders"], s["steps"], k))
    expect(done, "exec isolation", seen[1], seen[0])
