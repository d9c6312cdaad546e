"""Other build systems use an installation of Raddle, with the files that docs/build-systems.md shows."""
import os
import re
import shutil
from common import ROOT, Failure, run

PAGE = ROOT / "docs" / "build-systems.md"
CORRECT_TEST = """#include <gtest/gtest.h>
#include <mutex>
#include <thread>
template <class F> static void twice(F f) { std::thread a(f), b(f); a.join(); b.join(); }
TEST(Counter, Locked) { int n = 0; std::mutex m; twice([&] { std::lock_guard<std::mutex> l(m); n++; }); EXPECT_EQ(n, 2); }
TEST(Counter, Racy) { int n = 0; twice([&] { n++; }); EXPECT_EQ(n, 2); }
"""


def recipe(section, name):
    """The first file with this name in a section of the page: the indented lines after the words `name`."""
    text = PAGE.read_text().split(f"\n{section}\n", 1)[1]
    block = re.search(rf"`{re.escape(name)}`[^\n]*:\n\n((?:    [^\n]*\n|\n)+)", text)
    return re.sub(r"^    ", "", block[1], flags=re.M)


def install(tools, work):
    """Installs the build tree in a folder whose name has a space, moves the folder, and returns its new name."""
    tools.install(work / "first place")
    return (work / "first place").rename(work / "second place")


def project(work, section, *names):
    """A folder with the bank, which has a bug, and files from the page."""
    folder = work / "project"
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "bank.c", folder)
    for name in names:
        (folder / name).write_text(recipe(section, name))
    return folder


def mended(folder):
    """Removes the bug from the bank."""
    bank = folder / "bank.c"
    text = bank.read_text()
    bank.write_text(text.replace("    transfers++;\n}", "    __atomic_fetch_add(&transfers, 1, __ATOMIC_SEQ_CST);\n}"))
    assert bank.read_text() != text


def environment(prefix):
    return {"PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}


def schedules(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*.sched"))


def cmake(folder, where, *options):
    build = folder / "build"
    run(["cmake", "-S", folder, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", where, *options]).expect(0)
    run(["cmake", "--build", build, "--", "-s"]).expect(0)
    return build


def test_cmake(tools):
    """raddle_add_test fails for a program with a bug, and passes when it is mended; a bad call is refused."""
    work = tools.dir("build_cmake")
    prefix = install(tools, work)
    folder = project(work, "## CMake", "CMakeLists.txt")
    with (folder / "CMakeLists.txt").open("a") as out:
        out.write('raddle_add_test(NAME "two/words x" TARGET bank ARGS "a b" OPTIONS -n 3 TIMEOUT 50)\n'
                  "add_executable(linked bank.c)\n"
                  "target_link_libraries(linked PRIVATE Threads::Threads Raddle::runtime)\n"
                  "target_link_options(linked PRIVATE -no-pie)\nadd_test(NAME native COMMAND linked)\n")
    build = cmake(folder, f"-DCMAKE_PREFIX_PATH={prefix}")
    done = run(["ctest", "-j2", "-V"], cwd=build)
    for text in ("assertion failed: transfers == 2", "bank.c:37", "native ...........................   Passed",
                 "2 tests failed out of 3"):
        if text not in done.out:
            done.fail(f"'{text}' is not in the output of ctest")
    if not [s for s in schedules(build) if s.startswith("raddle-out/raddle.bank/")]:
        raise Failure(f"no schedule of the test: {schedules(build)}")
    if len({s.split("/")[1] for s in schedules(build)}) != 2:
        raise Failure(f"two tests use one folder: {schedules(build)}")
    mended(folder)
    run(["cmake", "--build", build, "--", "-s"]).expect(0)
    done = run(["ctest", "-V", "-L", "raddle"], cwd=build).expect(0)
    if "complete: every schedule" not in done.out:
        done.fail("the program is not built with hooks")
    for call, message in (("TARGET none", "there is no target 'none'"), ("TARGET bank OPTIONEN -x", "unexpected: OPTIONEN"),
                          ("NAME bank", "TARGET is missing")):
        (folder / "CMakeLists.txt").write_text(recipe("## CMake", "CMakeLists.txt") + f"raddle_add_test({call})\n")
        done = run(["cmake", build]).expect(1)
        if message not in done.err:
            done.fail(f"the message does not say '{message}'")


def test_gtest_discover(tools):
    """Each test case that gtest_discover_tests finds runs under Raddle; here with the build tree of Raddle."""
    work = tools.dir("build_gtest")
    folder = work / "project"
    folder.mkdir()
    (folder / "counter.cc").write_text(CORRECT_TEST)
    (folder / "CMakeLists.txt").write_text(recipe("### GoogleTest, test case by test case", "CMakeLists.txt"))
    build = cmake(folder, f"-DRaddle_DIR={tools.raddle.parent}")
    done = run(["ctest", "-j2", "-V"], cwd=build)
    for text in (r"Counter.Locked \.+ +Passed", r"Counter.Racy \.+\*+Failed", "data race: .* n, .* writes it", r"counter.cc:6"):
        if not re.search(text, done.out):
            done.fail(f"'{text}' is not in the output of ctest")
    if "out of 2" not in done.out or not [s for s in schedules(build) if "/Counter.Racy" in s]:
        done.fail(f"there are not two test cases with a folder each: {schedules(build)}")
    run([build / "counter", "--gtest_filter=*.Locked"]).expect(0)


def test_discover_others(tools):
    """Catch2 and doctest list their test cases through the same launcher."""
    work = tools.dir("build_catch")
    folder = work / "project"
    folder.mkdir()
    case = '#include <thread>\nTEST_CASE("%s, racy") { int n = 0; std::thread a([&] { n++; }); n++; a.join(); CHECK(n == 2); }\n' \
           'TEST_CASE("%s fine") { CHECK(1 == 1); }\n'
    page = recipe("### GoogleTest, test case by test case", "CMakeLists.txt")
    page = page.replace("include(GoogleTest)\n", "").replace("find_package(GTest REQUIRED)\n", "")
    text = page[:page.index("add_executable")]
    for name, package, module, macro, header in (("catch", "Catch2", "Catch", "CATCH_CONFIG_MAIN", "catch2/catch.hpp"),
                                                 ("doctest", "doctest", "doctest", "DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN", "doctest/doctest.h")):
        (folder / f"{name}.cc").write_text(f"#define {macro}\n#include <{header}>\n" + case % (name, name))
        text += f"find_package({package} REQUIRED)\ninclude({module})\nadd_executable({name}_x {name}.cc)\n" \
                f"target_link_libraries({name}_x {package}::{package})\nraddle_instrument({name}_x)\n" \
                f"raddle_launch_tests(TARGET {name}_x OPTIONS -t 10)\n{name}_discover_tests({name}_x)\n"
    (folder / "CMakeLists.txt").write_text(text)
    build = cmake(folder, f"-DCMAKE_PREFIX_PATH={install(tools, work)}")
    done = run(["ctest"], cwd=build)
    if len(re.findall(r"(?:catch|doctest), racy \.+\*+Failed", done.out)) != 2 or "out of 4" not in done.out or \
            len(re.findall(r"fine \.+ +Passed", done.out)) != 2:
        done.fail("not the two racy test cases of four have failed")


test_discover_others.slow = True


def test_make(tools):
    """The Makefile with raddle-cc, and the one for pkg-config, whose program also runs alone."""
    work = tools.dir("build_make")
    prefix = install(tools, work)
    moved = prefix.rename(work / "third")  # make and the shell would split a name with a space
    for section, claim in (("## make", "complete: every schedule"), ("## pkg-config", "MEMORY ACCESSES WERE NOT CHECKED")):
        folder = project(work, section, "Makefile")
        mended(folder)
        done = run(["make", "check"], cwd=folder, env=environment(moved)).expect(0)
        if claim not in done.out:
            done.fail(f"'{claim}' is not in the output")
        if section == "## make":
            shutil.copy(ROOT / "examples" / "bank.c", folder)
            (folder / "bank").unlink()
            done = run(["make", "check"], cwd=folder, env=environment(moved)).expect(2)
            if "data race: " not in done.out:
                done.fail("no finding in the output of make")
        elif "ada has 230000 cents after 2 transfers\n" not in done.out:
            done.fail("the program did not run alone")
        shutil.rmtree(folder)


def test_meson(tools):
    """The native file and the build file of the page: built with hooks, run as a test and under Raddle."""
    work = tools.dir("build_meson")
    prefix = install(tools, work)
    folder = project(work, "## meson", "meson.build", "raddle.ini")
    env = environment(prefix)
    run(["meson", "setup", "--native-file", folder / "raddle.ini", folder / "build", folder], env=env).expect(0)
    done = run(["meson", "test", "-C", folder / "build", "--no-suite", "raddle"], env=env).expect(0)
    done = run(["meson", "test", "-C", folder / "build", "--print-errorlogs", "--suite", "raddle"], env=env).expect(1)
    if "assertion failed: transfers == 2" not in done.out or not schedules(folder / "build"):
        done.fail("meson's test does not show the bug")
    mended(folder)
    run(["meson", "test", "-C", folder / "build", "--suite", "raddle"], env=env).expect(0)


test_meson.slow = True
