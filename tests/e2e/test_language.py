"""Release sequences by the language of the code: C11, C++11 to C++17, C++20 and later, unit by unit."""
from common import COMPILERS, run

HEAD = """
#include <pthread.h>
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<int> word;
#define STORE(x, v, order) (x).store((v), std::memory_order_##order)
#define LOAD(x, order) (x).load(std::memory_order_##order)
extern "C" void again(void);
#else
#include <stdatomic.h>
typedef atomic_int word;
#define STORE(x, v, order) atomic_store_explicit(&(x), (v), memory_order_##order)
#define LOAD(x, order) atomic_load_explicit(&(x), memory_order_##order)
void again(void);
#endif
"""
# the later store, whose language standard decides
STORES = HEAD + """
extern word flag;
void again(void) { STORE(flag, 2, relaxed); }
"""
MAIN = HEAD + """
word flag;
int data;
static void *reads(void *arg) {
    if (LOAD(flag, acquire) == 2)
        data++;
    return arg;
}
int main() {
    pthread_t t;
    pthread_create(&t, NULL, reads, NULL);
    data = 1;
    STORE(flag, 1, release);
    again();
    pthread_join(t, NULL);
    return 0;
}
"""


def build(tools, work, compiler, main_std, store_std):
    """Two units; a standard of C is one without `++` in its name. None: the compiler's default."""
    objects = []
    for name, text, std in (("main", MAIN, main_std), ("stores", STORES, store_std)):
        cxx = std is None or "++" in std
        source = work / f"{name}.{'cc' if cxx else 'c'}"
        objects.append(work / f"{name}-{compiler}-{std}.o")
        if objects[-1].exists():
            continue
        source.write_text(text)
        env = {"RADDLE_CXX" if cxx else "RADDLE_CC": COMPILERS[compiler][cxx]}
        flags = [] if std is None else [f"-std={std}"]
        run([tools.raddle, "c++" if cxx else "cc", "-O1", *flags, "-c", source, "-o", objects[-1]], env=env).expect(0)
    program = work / "program"
    env = {"RADDLE_CXX": COMPILERS[compiler][1]}
    run([tools.raddle, "c++", *objects, "-o", program, "-pthread"], env=env).expect(0)
    return program


def test_release_sequences(tools):
    """The standard of the unit with the later store decides, whatever the others have; without debug information
    nothing is claimed."""
    work = tools.dir("language")
    cases = (("c++17", "c++17", False), ("c++17", "c++20", True), ("c++20", "c++17", False), ("c++20", "gnu++2b", True),
             ("c++20", "c11", False), ("c++17", "c++2a", True), ("c++20", None, False))
    for compiler in COMPILERS:
        for main_std, store_std, races in cases:
            program = build(tools, work, compiler, main_std, store_std)
            done, summary = tools.search(work, ["--detect", "races"], program)
            kinds = {f["kind"] for f in summary["findings"]}
            if kinds != ({"data-race"} if races else set()):
                done.fail(f"{compiler}, {store_std} in a program in {main_std}: {sorted(kinds)}")
            for f in summary["findings"]:
                for backend in ("virtual", "kernel"):
                    tools.replay(work, work / f["schedule"], backend, 2)
    program = build(tools, work, "gcc", "c++20", "c++20")
    run(["strip", "-g", program]).expect(0)
    done, summary = tools.search(work, ["--detect", "races"], program)
    if summary["findings"]:
        done.fail("a race is reported although the language is not known")
