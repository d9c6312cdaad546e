"""A program built with `raddle cc` is an ordinary program when it is started without Raddle."""
from common import run


def test_compile_in_two_steps(tools):
    """-c, then a link of several objects, as build systems do; with both compilers, C and C++ together."""
    work = tools.dir("two_steps")
    (work / "a.c").write_text("int twice(int x) { return 2 * x; }\n")
    (work / "b.cc").write_text('extern "C" int twice(int);\nint main() { return twice(21) == 42 ? 0 : 1; }\n')
    for cc, cxx in (("gcc", "g++"), ("clang", "clang++")):
        env = {"RADDLE_CC": cc, "RADDLE_CXX": cxx}
        run([tools.raddle, "cc", "-c", "a.c", "-o", "a.o"], cwd=work, env=env).expect(0)
        run([tools.raddle, "c++", "-c", "b.cc", "-o", "b.o"], cwd=work, env=env).expect(0)
        run([tools.raddle, "c++", "a.o", "b.o", "-o", "both", "-pthread"], cwd=work, env=env).expect(0)
        run(["./both"], cwd=work).expect(0)


def test_compiler_errors_pass_through(tools):
    work = tools.dir("compile_error")
    (work / "bad.c").write_text("int main(void) { return missing; }\n")
    done = run([tools.raddle, "cc", "bad.c", "-o", "bad"], cwd=work).expect(1)
    if "missing" not in done.err:
        done.fail("the compiler's message is not shown")
    run([tools.raddle, "cc", "--version"]).expect(0)
    run([tools.raddle, "cc", "-shared", "-fPIC", "-xc", "/dev/null", "-o", work / "lib.so"]).expect(0)
