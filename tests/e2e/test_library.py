"""libraddle.so as a library: what it exports, under which versions, and what it does in a program that is linked with it
and started without raddle."""
import re
from common import ROOT, Failure, run

# what is not defined by a library of the compiler or of libc: interfaces of tools that programs call, and Raddle's own
FAMILIES = r"__tsan_|__sanitizer_|(WTF)?Annotate|raddle_rt_"
ALONE = {"RunningOnValgrind", "ValgrindSlowdown", "ThreadSanitizerQuery", # valgrind's and TSan's annotations
         "rd_debugger", "rd_debugger_place", "rd_debugger_stop"}  # for gdb
LIBRARIES = ("libc.so.6", "libstdc++.so.6", "libm.so.6", "libgomp.so.1", "libgcc_s.so.1")

PROGRAM = """#include <pthread.h>
#include <raddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int count, chosen;
static void *work(void *arg) {
    char *text = malloc(100);
    raddle_name_thread("worker");
    raddle_atomic_begin();
    snprintf(text, 100, "thread %s", (char *)arg);
    count += (int)strlen(text);
    raddle_atomic_end();
    free(text);
    return arg;
}
int main(void) {
    pthread_t t[2];
    raddle_name_variable(&count, sizeof count, "the count");
    raddle_benign_race(&count, sizeof count);
    pthread_create(&t[0], NULL, work, "a");
    pthread_join(t[0], NULL);
    pthread_create(&t[1], NULL, work, "b");
    pthread_join(t[1], NULL);
    chosen = raddle_choose(3);
    raddle_observe("chosen", chosen);
    raddle_assert(0 || !raddle_running() || chosen != 2);
    raddle_assume(chosen == 0);
    printf("%d %d %d\\n", count, chosen, raddle_running());
    return 42;
}
"""


def exported(library):
    """name -> version or "" of every symbol that a library defines; the names of its versions are left out."""
    found = {}
    for line in run(["nm", "-D", "--defined-only", library]).expect(0).out.splitlines():
        kind, name = line.split()[-2:]
        name, _, version = name.partition("@")
        if kind != "A":
            found[name] = version.lstrip("@")
    return found


def library_of_compiler(name, compiler="g++"):
    return run([compiler, f"-print-file-name={name}"]).expect(0).out.strip()


def test_exported_names(tools):
    """The versioned symbols are those of raddle.h; every other one stands in for one that another library has."""
    ours = exported(tools.raddle.parent / "libraddle.so")
    header = set(re.findall(r"^extern .*\b(raddle_rt_\w+)\(", (ROOT / "include/raddle.h").read_text(), re.M))
    versioned = {name for name, version in ours.items() if version}
    if versioned != header or len(header) < 10:
        raise Failure(f"symbols with a version: {sorted(versioned)}; functions of raddle.h: {sorted(header)}")
    if {ours[name] for name in header} != {"RADDLE_0.1"}:
        raise Failure(f"versions: {sorted({ours[name] for name in header})}")
    defined = set(re.findall(r"^RD_API\([^,\n]+,\s*(\w+)", "".join(p.read_text() for p in (ROOT / "src/rt").rglob("*.c")), re.M))
    if not defined <= set(ours) or len(defined) < 100:
        raise Failure(f"defined with RD_API and not exported: {sorted(defined - set(ours))}")
    known = set(ALONE)
    for name in LIBRARIES:
        known |= set(exported(library_of_compiler(name)))
    known |= set(exported(library_of_compiler("libomp.so.5", "clang")))
    extra = {name for name in set(ours) - known if not re.match(FAMILIES, name)}
    if extra:
        raise Failure(f"exported without need: {sorted(extra)}")
    dynamic = run(["readelf", "-d", tools.raddle.parent / "libraddle.so"]).expect(0).out
    if "[libraddle.so.0]" not in dynamic or re.search("RPATH|RUNPATH|TEXTREL", dynamic):
        raise Failure(f"not the right soname, or a path of the build: {dynamic}")


def test_linked_natively(tools):
    """-lraddle has no effect without raddle, under raddle the annotations work; also at a fixed address."""
    work = tools.dir("linked")
    (work / "t.c").write_text(PROGRAM)
    lib = tools.raddle.parent
    for name, flags in (("pie", []), ("no_pie", ["-no-pie", "-fno-pie", "-DRADDLE_LINKED"])):
        run(["gcc", "-g", *flags, "t.c", "-I", ROOT / "include", "-L", lib, f"-Wl,-rpath,{lib}", "-lraddle", "-o", name], cwd=work).expect(0)
        done = run([work / name]).expect(42)
        if done.out != "16 0 0\n" or done.err:
            done.fail("the program does not run as without the library")
        done = run([tools.raddle, "run", "--expect-status", "42", "-o", work / "out", "--", work / name]).expect(1)
        if "raddle_assert(0 || !raddle_running() || chosen != 2) failed" not in done.out or "-> 2 of 0..2" not in done.out:
            done.fail("the annotations have no effect under Raddle")
    run(["gcc", "-g", "-fPIE", "-pie", "t.c", "-I", ROOT / "include", "-o", "without"], cwd=work).expect(0)
    if run([work / "without"]).expect(42).out != "16 0 0\n":
        raise Failure("raddle.h needs its library")


def test_other_versions(tools):
    """The hooks stand in for functions of every version of libc: the program asks for the oldest ones."""
    work = tools.dir("versions")
    (work / "old.c").write_text("""#include <pthread.h>
__asm__(".symver pthread_create,pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join,pthread_join@GLIBC_2.2.5");
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}
""")
    lib = tools.raddle.parent
    for name, flags in (("alone", []), ("linked", ["-L", lib, f"-Wl,-rpath,{lib}", "-Wl,--no-as-needed", "-lraddle"])):
        run(["gcc", "-g", "-fno-lto", "old.c", *flags, "-o", name], cwd=work).expect(0)
        if "pthread_create@GLIBC_2.2.5" not in run(["nm", "-D", work / name]).out and name == "alone":
            raise Failure("the program does not ask for the old function")
        done = run([tools.raddle, "run", "-o", work / "out", "--", work / name]).expect(1)
        if "deadlock" not in done.out:
            done.fail("no deadlock")


def test_out_folder(tools):
    """`-o` makes the folders on the way; a file in the way is trouble."""
    work = tools.dir("out_folder")
    program = tools.program("bug/abba.c")
    run([tools.raddle, "run", "-o", work / "a" / "b" / "c", "--", program]).expect(1)
    if not list((work / "a" / "b" / "c").glob("*.sched")):
        raise Failure("no schedule in the folder")
    (work / "file").write_text("")
    run([tools.raddle, "run", "-o", work / "file" / "b", "--", program]).expect_trouble("cannot write to directory", "file/b")


def test_uninstall_names(tools):
    """Folders with signs of patterns and lists in their names: what is not Raddle's stays, and so does the prefix."""
    work = tools.dir("uninstall")
    for name in ("pre[1]", "a[b", "c;d]", "raddle", "x*?"):
        prefix, manifest = work / "in" / name, work / "manifest.txt"
        ours = [prefix / "bin/raddle", prefix / "share/raddle/deep/a[1;.txt", prefix / "share/raddle/b", prefix / "lib/raddle/c/d/e"]
        foreign = prefix / "lib/raddle/mine/file"
        for file in (*ours, foreign):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        manifest.write_text("\n".join(map(str, ours)))  # as CMake writes it, without a newline at the end
        run(["cmake", f"-DMANIFEST={manifest}", "-P", ROOT / "cmake/uninstall.cmake"]).expect(0)
        left = sorted(str(p.relative_to(prefix)) for p in prefix.rglob("*"))
        if left != ["bin", "lib", "lib/raddle", "lib/raddle/mine", "lib/raddle/mine/file", "share"] or manifest.exists():
            raise Failure(f"'{name}': left: {left}")


def test_install_and_uninstall(tools):
    """Into DESTDIR and out of it again: nothing is left of it, and a file of somebody else's stays."""
    work = tools.dir("install")
    root, manifest, env = work / "root", work / "manifest.txt", {"DESTDIR": str(work / "root")}
    listed = tools.install("/usr", env)
    manifest.write_text("".join(f"{name}\n" for name in listed))
    installed = ["/" + str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir() or p.is_symlink()]
    if sorted(listed) != sorted(installed):
        raise Failure(f"the manifest differs from what is there: {sorted(set(listed) ^ set(installed))}")
    for name in ("/usr/bin/raddle", "/usr/bin/raddle-cc", "/usr/bin/raddle-c++", "/usr/include/raddle.h"):
        if name not in installed:
            raise Failure(f"'{name}' is not installed: {installed}")
    if {n.split("/", 1)[1] for n in listed if n.startswith("usr/")} - {n.split("/", 1)[1] for n in installed}:
        raise Failure("the manifest lists what is not there")
    run([root / "usr/bin/raddle-cc", "-g", ROOT / "examples/bank.c", "-o", work / "bank", "-pthread"]).expect(0)
    run([root / "usr/bin/raddle", "run", "-o", work / "out", "--", work / "bank"]).expect(1)
    other = root / "usr/include/other.h"
    other.write_text("")
    run(["cmake", f"-DMANIFEST={manifest}", "-P", ROOT / "cmake/uninstall.cmake"], env=env).expect(0)
    left = sorted(str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir() or p.is_symlink() or "addle" in p.name)
    if left != ["usr/include/other.h"]:
        raise Failure(f"left: {left}")
    run(["cmake", f"-DMANIFEST={manifest}", "-P", ROOT / "cmake/uninstall.cmake"], env=env).expect(1)
