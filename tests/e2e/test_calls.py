"""Calls out of instrumented code: each is an operation on what it touches (calls.c), and over random programs of such
calls no outcome is lost (tests/calls)."""
import re
import sys
from pathlib import Path

from common import ROOT, run

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests" / "calls"))
import generate  # noqa: E402

STRATEGIES = ("dfs", "dpor", "dpor:optimal", "auto")


def test_every_call_is_an_operation(tools):
    """Call and use are tried in both orders: the assertion that holds after the call only fails."""
    binary = tools.compile(HERE / "calls.c", flags=("-lm", "-w"))
    names = run([binary]).expect(0).out.split()
    for name in names:
        for strategy in STRATEGIES:
            work = tools.dir(f"calls-{name}-{strategy.replace(':', '-')}")
            tools.find(work, ["-s", strategy, "-n", "200"], binary, "assertion", args=(name,))
    return f"{len(names)} calls"


def test_vectors(tools):
    """Arguments in long vector registers survive what other threads do before the call."""
    can = Path("/proc/cpuinfo").read_text().split()
    flag = "-mavx512f" if "avx512f" in can else "-mavx"
    if "avx" not in can:
        return "the processor has no AVX"
    work = tools.dir("calls-vectors")
    library = work / "libvectors.so"
    run(["gcc", "-O1", flag, "-DLIBRARY", "-shared", "-fPIC", HERE / "vectors.c", "-o", library]).expect(0)
    for compiler in ("cc", "clang"):
        binary = work / compiler
        run([tools.raddle, compiler, "-O1", "-g", flag, HERE / "vectors.c", library, f"-Wl,-rpath,{work}", "-pthread", "-o", binary]).expect(0)
        run([tools.raddle, "run", "-s", "dfs", "-n", "2000", "--detect", "heap", "-o", work / "out", "--", binary]).expect(0)


def test_every_hook_has_a_row(tools):
    """A function that libraddle.so defines itself is in the table: without a row its arguments would touch nothing."""
    symbols = run(["nm", "-D", "--defined-only", tools.raddle.parent / "libraddle.so"]).expect(0).out
    names = {line.split()[2].split("@")[0] for line in symbols.splitlines()}
    rows = set(re.findall(r'^RD_FUNCTION\("([^"]+)"', (ROOT / "src/trace/functions.def").read_text(), re.M))
    ours = re.compile(r"__tsan_|raddle_|rd_|Annotate|WTFAnnotate|__sanitizer_|RunningOnValgrind|ValgrindSlowdown|ThreadSanitizerQuery")
    missing = sorted(n for n in names - rows if not ours.match(n))
    assert not missing, f"hooks without a row in functions.def: {missing}"
    return f"{len(names & rows)} hooks"


def random_programs(tools, batches, each):
    report, build = {}, tools.dir("calls-random")
    failures = sum(generate.run_batch(tools.raddle, build, seed, each, report) for seed in batches)
    assert failures == 0, f"{failures} of {report['programs']} programs failed: what was printed says which"
    return f"{report['programs']} programs, {len(report['functions'])} functions"


def test_random_calls(tools):
    """Random programs of calls: every strategy shows every outcome that there is by turns."""
    return random_programs(tools, range(1, 9), 6)


def test_random_calls_many(tools):
    return random_programs(tools, range(101, 201), 50)


test_random_calls_many.slow = True
