"""The code that is seen, by compile unit, and what a claim says about the other code. Each program is one thread that
calls bump() and get() while main() does, from objects, libraries and archives that were built in every way."""
import shutil

from common import run

MAIN = """
#include <pthread.h>
void bump(void);
int get(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    bump();
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return get() != 2;
}
"""
HELPER = "static int x;\nvoid bump(void) { x++; }\nint get(void) { return x; }\n"
ASM = """
    .data
    .local x
    .comm x, 4, 4
    .text
    .globl bump, get
bump: incl x(%rip)
    ret
get: movl x(%rip), %eax
    ret
    .section .note.GNU-stack, "", @progbits
"""
FUNCTIONS = "memory accesses in bump(), get() (no hooks in its code)"
UNIT = "memory accesses in helper.c (built without raddle cc)"


class Place:
    """A directory with the sources, in which commands build a program."""

    def __init__(self, tools, name):
        self.tools, self.dir = tools, tools.dir(f"seen_{name}")
        for file, text in (("main.c", MAIN), ("helper.c", HELPER), ("helper.S", ASM)):
            self.write(file, text)

    def write(self, file, text):
        (self.dir / file).write_text(text)

    def sh(self, *command, env=None):
        words = [str(w) for part in command for w in (part.split() if isinstance(part, str) else part)]
        if words[0] == "raddle":
            words[0] = self.tools.raddle
        return run(words, cwd=self.dir, env=env).expect(0)

    def check(self, not_seen, program="p", options=("-s", "dpor"), status=0):
        """Runs the program: the claim must name this unseen code (None: there is none), in text and in JSON."""
        done, s = self.tools.search(self.dir, list(options), self.dir / program)
        done.expect(status)
        if s["not_seen"] != not_seen or s["complete"] != (not_seen is None) or s["bounds"]["complete"] != s["complete"]:
            done.fail(f"not seen: {s['not_seen']}, expected {not_seen}; complete {s['complete']}")
        if not s["finished"] or not s["instrumented"]:
            done.fail(f"finished {s['finished']}, instrumented {s['instrumented']}")
        line = next((l for l in done.out.splitlines() if l.startswith("complete")), "")
        start = "complete: " if not_seen is None else "complete for the operations that raddle sees: "
        if not line.startswith(start) or not line.endswith(")" if not_seen is None else f"; not seen: {not_seen}"):
            done.fail(f"the claim is '{line}'")
        return s


def test_plain_object(tools):
    """An object that another compiler command built, with and without debug information and optimisation."""
    place = Place(tools, "object")
    place.sh("raddle cc -c main.c")
    for compiler in ("gcc", "clang"):
        for flags, words in (("-g", UNIT), ("-g -O2", UNIT), ("", FUNCTIONS), ("-O2", FUNCTIONS)):
            place.sh(f"{compiler} {flags} -c helper.c")
            place.sh(f"raddle {compiler} main.o helper.o -o p")
            s = place.check(words)
            if words == UNIT and s["unseen_code"] != [{"module": str(place.dir / "p"), "unit": "helper.c", "function": None,
                                                       "reason": "built without raddle cc"}]:
                raise AssertionError(s["unseen_code"])
    place.sh("gcc -g -c helper.c")
    place.sh("raddle gcc main.o helper.o -o p")
    for options in (("-s", "dfs"), ("-s", "icb"), ("-s", "exitblock"), ()):
        place.check(UNIT, options=options)


def test_object_with_hooks(tools):
    """All code is seen, with any compiler, options, linker and stripped symbols."""
    place = Place(tools, "hooks")
    for compiler in ("gcc", "clang"):
        for flags in ("-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fno-plt", "-O2 -ffunction-sections", "-g0 -O2", "-g0 -O0",
                      "-gdwarf-4", "-O1 -fomit-frame-pointer", "-gz"):
            place.sh(f"raddle {compiler} {flags} main.c helper.c -o p")
            place.check(None)
    for flags in ("-no-pie -fno-pie", "-fuse-ld=gold", "-fuse-ld=lld", "-Wl,-z,now", "-Wl,-z,lazy", "-Wl,-z,ibtplt", "-s"):
        place.sh(f"raddle gcc -O1 {flags} main.c helper.c -o p")
        place.check(None)


def test_stripped(tools):
    """Without symbols and debug information the tables for unwinding remain."""
    place = Place(tools, "stripped")
    place.sh("gcc -O1 -c helper.c")
    place.sh("raddle gcc -s -O1 main.c helper.o -o p")
    done, s = tools.search(place.dir, [], place.dir / "p")
    if s["complete"] or len(s["unseen_code"]) != 2 or not all("code at 0x" in c["function"] for c in s["unseen_code"]):
        done.fail(f"complete {s['complete']}, unseen {s['unseen_code']}")


def test_linkers(tools):
    """A plain object is named, whichever linker linked it."""
    place = Place(tools, "linkers")
    place.sh("gcc -g -O1 -c helper.c")
    for flags in ("-no-pie", "-fuse-ld=gold", "-fuse-ld=lld", "-Wl,-z,now", "-Wl,-z,ibtplt", "-O2 -fno-plt"):
        place.sh(f"raddle gcc {flags} main.c helper.o -o p")
        place.check(UNIT)


def test_code_that_does_not_matter(tools):
    """Units without code, or without accesses and calls, and functions that were left out of the program."""
    place = Place(tools, "harmless")
    place.write("data.c", "int table[4] = {1, 2, 3, 4};\n")
    place.write("arithmetic.c", "int add(int a, int b) { return a * 3 + b; }\ndouble half(double a) { return a / 2; }\n")
    place.write("unused.c", "int unused;\nvoid never_called(void) { unused++; }\n")
    for compiler in ("gcc", "clang"):
        for flags in ("-g -O1", "-O1", "-O0"):
            place.sh(f"{compiler} {flags} -c data.c arithmetic.c")
            place.sh(f"{compiler} {flags} -ffunction-sections -c unused.c")
            place.sh("raddle cc -ffunction-sections -Wl,--gc-sections main.c helper.c data.o arithmetic.o unused.o -o p")
            place.check(None)


def test_libraries(tools):
    """A library as a whole, a part of one, and the program beside a library under test."""
    place = Place(tools, "libraries")
    plain, own, flags = "gcc -g -fPIC -shared helper.c -o libhelp.so", "raddle cc -fPIC -shared helper.c -o libhelp.so", \
        ["-L.", "-lhelp", f"-Wl,-rpath,{place.dir}"]
    place.sh(plain)
    place.sh("raddle cc main.c -o p", flags)
    s = place.check("memory accesses in libhelp.so (built without raddle cc)")
    if s["unseen_code"][0]["unit"] or not s["unseen_code"][0]["module"].endswith("/libhelp.so"):
        raise AssertionError(s["unseen_code"])
    place.sh(own)
    place.check(None)
    place.write("other.c", "int other;\nvoid set_other(int n) { other = n; }\n")
    place.sh("gcc -g -fPIC -c other.c")
    place.sh("raddle cc -fPIC -shared helper.c other.o -o libhelp.so")
    place.check("memory accesses in other.c in libhelp.so (built without raddle cc)")
    place.sh(own)
    place.sh("gcc -g main.c -o p", flags)
    place.check("memory accesses in p (built without raddle cc)")


def test_library_that_is_loaded(tools):
    """dlopen: the libraries are known at the end."""
    place = Place(tools, "loaded")
    place.write("main.c", MAIN.replace("void bump(void);\nint get(void);", """#include <dlfcn.h>
static void (*bump)(void);
static int (*get)(void);""").replace("    pthread_t t;\n", """    pthread_t t;
    void *library = dlopen("./libhelp.so", RTLD_NOW);
    bump = (void (*)(void))dlsym(library, "bump");
    get = (int (*)(void))dlsym(library, "get");
"""))
    place.sh("raddle cc main.c -o p")
    place.sh("gcc -g -fPIC -shared helper.c -o libhelp.so")
    place.check("memory accesses in libhelp.so (built without raddle cc)")
    place.sh("raddle cc -fPIC -shared helper.c -o libhelp.so")
    place.check(None)


def test_static_library(tools):
    """Of an archive only the members count that the linker has taken."""
    place = Place(tools, "archive")
    place.write("other.c", "int other;\nvoid set_other(int n) { other = n; }\n")
    for compiler in ("gcc", "clang"):
        for flags, words in (("-g", UNIT), ("", FUNCTIONS)):
            place.sh(f"{compiler} {flags} -c helper.c other.c")
            (place.dir / "libhelp.a").unlink(missing_ok=True)
            place.sh("ar rcs libhelp.a helper.o other.o")
            place.sh(f"raddle {compiler} main.c libhelp.a -o p")
            place.check(words)
    place.sh("raddle cc -c helper.c")
    place.sh("ar rs libhelp.a helper.o")
    place.sh("raddle cc main.c libhelp.a -o p")
    place.check(None)


def test_assembler(tools):
    """Assembly language has no hooks, also when `raddle cc` assembles it."""
    place = Place(tools, "assembler")
    named = "memory accesses in helper.S (assembler)"
    for compiler in ("gcc", "clang"):
        place.sh(f"raddle {compiler} main.c helper.S -o p")
        place.check(named)
        for flags, words in (("-g", named), ("", FUNCTIONS)):
            place.sh(f"{compiler} {flags} -c helper.S")
            place.sh(f"raddle {compiler} main.c helper.o -o p")
            place.check(words)
    place.write("helper.S", ".globl answer\nanswer: movl $42, %eax\n ret\n .section .note.GNU-stack, \"\", @progbits\n")
    place.sh("raddle cc main.c helper.c helper.S -o p")
    place.check(None)


def test_link_time_optimisation(tools):
    """The machine code counts, not the options that its unit was compiled with."""
    place = Place(tools, "lto")
    place.sh("raddle gcc -O2 -flto main.c helper.c -o p")
    place.check(None)
    place.sh("gcc -g -O2 -c helper.c")
    place.sh("raddle gcc -O2 -flto main.c helper.o -o p")
    place.check(UNIT)
    place.sh("gcc -g -O2 -flto -c helper.c")  # the hooks are inserted when the code is generated
    place.sh("raddle gcc -O2 -flto main.c helper.o -o p")
    place.check(None)
    place.sh("raddle clang -O2 -flto -fuse-ld=lld main.c helper.c -o p")
    place.check(None)
    place.sh("clang -g -O2 -c helper.c")
    place.sh("raddle clang -O2 -flto -fuse-ld=lld main.c helper.o -o p")
    place.check(UNIT)


def test_inline_functions(tools):
    """Of an inline function in two units the linker keeps the first copy: the unit of that copy counts."""
    place = Place(tools, "inline")
    place.write("x.h", "struct X { int n = 0; __attribute__((noinline)) void add() { n++; } };\nextern X x;\n")
    place.write("one.cc", '#include "x.h"\nX x;\nextern "C" void bump(void) { x.add(); }\nextern "C" int get(void) { return x.n; }\n')
    place.write("two.cc", '#include "x.h"\nvoid two() { x.add(); }\n')
    place.sh("raddle cc -c main.c")
    for compiler in ("g++", "clang++"):
        place.sh(f"raddle {compiler} -c one.cc")
        place.sh(f"{compiler} -g -c two.cc")
        place.sh(f"raddle {compiler} two.o main.o one.o -o p")
        place.check("memory accesses in two.cc (built without raddle cc)")
        place.sh(f"raddle {compiler} -c two.cc")
        place.sh(f"raddle {compiler} two.o main.o one.o -o p")
        place.check(None)


def test_cplusplus(tools):
    """The C++ library is known; code that a program takes from its headers has hooks like its own code."""
    place = Place(tools, "cplusplus")
    place.write("p.cc", """
#include <atomic>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::mutex lock;
static std::map<std::string, std::vector<int>> table;
static std::string name = "global";
static std::atomic<int> count;
static void work(int n) {
    auto p = std::make_shared<int>(n);
    std::lock_guard<std::mutex> hold(lock);
    table[name].push_back(*p);
    try { if (n) throw n; } catch (int) { count++; }
}
int main() {
    std::thread t(work, 1);
    work(0);
    t.join();
    std::cout << table.size() << count << "\\n";
    return 0;
}
""")
    for compiler in ("g++", "clang++"):
        for flags in ("-O0", "-O2", "-O2 -g0", "-O0 -s"):
            place.sh(f"raddle {compiler} {flags} p.cc -o p")
            place.check(None)
        place.sh(f"raddle {compiler} -static-libstdc++ p.cc -o p")  # the calls of this library stay within the program
        done, s = tools.search(place.dir, [], place.dir / "p")
        if s["complete"] or s["unseen_code"][0]["unit"] != "libstdc++.a":
            done.fail(f"complete {s['complete']}, not seen: {s['not_seen']}")


def test_not_instrumented(tools):
    """One loud line, and no claim is complete, also with one thread and with a bug."""
    place = Place(tools, "plain")
    for flags in ("-g", "-O2", "-s"):
        place.sh(f"gcc {flags} main.c helper.c -o p -pthread")
        done, s = tools.search(place.dir, ["-s", "dfs", "--outcomes"], place.dir / "p")
        done.expect(0)
        if s["complete"] or s["bounds"]["complete"] or s["instrumented"] or not s["finished"] or s["outcomes_all"]:
            done.fail(f"complete {s['complete']}, instrumented {s['instrumented']}, finished {s['finished']}")
        loud = [l for l in done.out.splitlines() if l.startswith("MEMORY ACCESSES WERE NOT CHECKED: ")]
        if len(loud) != 1 or "raddle cc" not in loud[0] or "complete" in done.out or "\ncovered: " not in done.out:
            done.fail("no loud line, or the word complete")
    place.write("one.c", "int main(void) { return 0; }\n")
    place.sh("gcc one.c -o one")
    done, s = tools.search(place.dir, [], place.dir / "one")
    if s["complete"] or "MEMORY ACCESSES WERE NOT CHECKED" not in done.out or "complete" in done.out:
        done.fail("one thread")


def test_require_complete(tools):
    """--require-complete requires that no schedule was left out, and that no code is unseen."""
    place = Place(tools, "require")
    place.sh("gcc -g -c helper.c")
    place.sh("raddle cc main.c helper.o -o p")
    command = [tools.raddle, "run", "--require-complete", "-o", place.dir / "out"]
    done = run([*command, place.dir / "p"]).expect(2)
    if "finished, but not complete; not seen: memory accesses in helper.c" not in done.err:
        done.fail("no reason")
    place.sh("raddle cc main.c helper.c -o p")
    run([*command, place.dir / "p"]).expect(0)
    run([*command, "--points", "sync", place.dir / "p"]).expect(0)
    done = run([*command, "--points", "sync", "--detect", "none", place.dir / "p"]).expect(2)
    if "--points sync" not in done.err:
        done.fail("no reason")


def test_outcomes(tools):
    """"No other outcome" is a claim, too."""
    place = Place(tools, "outcomes")
    place.sh("raddle cc main.c helper.c -o p")
    done, s = tools.search(place.dir, ["--outcomes", "-s", "dfs"], place.dir / "p")
    if not s["outcomes_all"] or "1 outcome, and there is no other\n" not in done.out:
        done.fail("all is seen")
    place.sh("gcc -g -c helper.c")
    place.sh("raddle cc main.c helper.o -o p")
    done, s = tools.search(place.dir, ["--outcomes", "-s", "dfs"], place.dir / "p")
    if s["outcomes_all"] or "1 outcome; there is no other by the operations that raddle sees\n" not in done.out:
        done.fail("not all is seen")


def test_file_is_gone(tools):
    """The program's file cannot be read any more: its code is unknown."""
    place = Place(tools, "gone")
    place.write("main.c", MAIN.replace("    pthread_t t;\n", '    pthread_t t;\n    unlink("./q");\n').replace(
        "#include <pthread.h>", "#include <pthread.h>\n#include <unistd.h>"))
    place.sh("raddle cc main.c helper.c -o p")
    shutil.copy(place.dir / "p", place.dir / "q")
    place.check("memory accesses in q (its file cannot be read)", program="q")


def test_finding_that_does_not_show_again(tools):
    """An execution fails only once, because of a file: with this doubt no claim is complete."""
    place = Place(tools, "doubt")
    place.write("p.c", """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    int first = x == 0;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    if (!first)
        assert(unlink("once") != 0);
    return 0;
}
""")
    place.sh("raddle cc p.c -o p")
    for options in (("-k", "-s", "dfs"), ("-k",), ("-s", "dfs")):
        place.write("once", "")
        done, s = tools.search(place.dir, list(options), place.dir / "p")
        done.expect(2)
        if "not deterministic" not in done.err:
            done.fail("the finding was confirmed, or was not there")
        if s["complete"] or s["finished"] or s["bounds"]["complete"] or "\ncomplete" in done.out or not s["bounds"]["void"]:
            done.fail(f"complete {s['complete']}, finished {s['finished']}, void {s['bounds']['void']}")
