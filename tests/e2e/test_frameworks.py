"""The test frameworks of Debian: GoogleTest, Catch2, doctest, cmocka. A test that fails under some schedule is found,
reported with the framework's message, confirmed, and replayed on both backends; a correct one is not reported."""
from pathlib import Path

from common import run

HERE = Path(__file__).resolve().parent / "frameworks"
FLAGS = {"gtest.cc": ["-lgtest_main", "-lgtest"], "hostile_gtest.cc": ["-lgtest_main", "-lgtest"], "catch2.cc": ["-lCatch2WithMain"], "doctest.cc": [], "cmocka.c": ["-lcmocka"],
         "boost.cc": ["-lboost_unit_test_framework"], "criterion.c": ["-lcriterion"]}


def build(tools, name):
    return tools.compile(HERE / name, flags=["-O0", *FLAGS[name]])


def fails(tools, name, args, *words):
    """The finding with these arguments, the words that the report must contain, and the replays."""
    work = tools.dir("framework_" + name + "_" + "_".join(a.strip("-").replace("*", "") for a in args))
    done, finding, schedule = tools.find(work, [], build(tools, name), "exit-status", args=args)
    for word in words:
        if word not in done.out:
            done.fail(f"'{word}' is not in the report")
    if not finding["file"].endswith((".c", ".cc")) or not finding["line"] or "a check of the test failed: " not in done.out:
        done.fail(f"the failed check is not named, but {finding['file']}:{finding['line']}")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, 3)


def passes(tools, name, args):
    """No finding, and the search is complete; the test also passes without Raddle."""
    work = tools.dir("framework_passes_" + name)
    binary = build(tools, name)
    done, summary = tools.search(work, [], binary, args)
    done.expect(0)
    if summary["findings"] or not summary["finished"] or summary["threads_max"] < 3:
        done.fail("the search is not complete, or found something, or there were no threads")
    run([binary, *args]).expect(0)


def test_gtest(tools):
    """A fixture, EXPECT and ASSERT, a test with parameters, and filters; then all tests together."""
    name = "gtest.cc"
    says = ("Expected equality of these values", "account->balance()", "a deposit is lost", "[  FAILED  ] Bank.Careless")
    fails(tools, name, ["--gtest_filter=Bank.Careless"], *says)
    fails(tools, name, ["--gtest_filter=Bank.CarelessAsserted"], *says)
    fails(tools, name, [], "[  FAILED  ] Bank.Careless")
    passes(tools, name, ["--gtest_filter=*Careful*"])


def test_catch2(tools):
    """A fixture, REQUIRE, a section with CHECK, and filters by name and by tag."""
    name = "catch2.cc"
    fails(tools, name, ["careless"], "catch2.cc:18: FAILED", "REQUIRE( account->balance() == 2 )", "a deposit is lost")
    fails(tools, name, ["[bad]"], "a deposit is lost", "FAILED")
    passes(tools, name, ["[good]"])


def test_doctest(tools):
    """A fixture, REQUIRE, a subcase with CHECK, and filters."""
    name = "doctest.cc"
    fails(tools, name, ["-tc=careless"], "REQUIRE( account->balance() == 2 ) is NOT correct", "a deposit is lost")
    fails(tools, name, ["-tc=careless checked"], "CHECK( account.balance() == 2 ) is NOT correct")
    passes(tools, name, ["-tc=careful"])


def test_cmocka(tools):
    """Setup and teardown with the framework's own allocator, and a filter."""
    name = "cmocka.c"
    fails(tools, name, ["careless"], "0x1 != 0x2", "cmocka.c:66: error: Failure!", "[  FAILED  ] careless")
    fails(tools, name, [], "[  FAILED  ] careless")
    passes(tools, name, ["careful"])
