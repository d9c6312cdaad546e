"""OpenMP: every order that the entry points of either runtime allow is run, compared with enumeration by hand and brute
force; findings are replayed everywhere; uncontrolled constructs are refused. Correct and broken programs are in
tests/programs."""
import platform

from common import run

COMPILERS = ("gcc", "clang")

# program, possible outputs, which were computed by hand
CRITICAL = ("""
    int v = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 2; i++) {
#pragma omp critical
        v = v * 4 + omp_get_thread_num() + 1;
    }
    printf("%d", v);
""", {"90", "102", "105", "150", "153", "165"})  # 1122 1212 1221 2112 2121 2211, to the base of 4
DYNAMIC = ("""
    int w[3];
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 3; i++)
        w[i] = omp_get_thread_num();
    printf("%d%d%d", w[0], w[1], w[2]);
""", {f"{a}{b}{c}" for a in "01" for b in "01" for c in "01"})
GUIDED = ("""
    int w[3];
#pragma omp parallel for num_threads(2) schedule(guided)
    for (int i = 0; i < 3; i++)
        w[i] = omp_get_thread_num();
    printf("%d%d%d", w[0], w[1], w[2]);
""", {"gcc": {f"{a}{a}{c}" for a in "01" for c in "01"},  # the first two iterations come together
      "clang": DYNAMIC[1]})  # there are so few that each comes alone
SINGLE = ("""
    int w[2];
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        w[0] = omp_get_thread_num();
#pragma omp single nowait
        w[1] = omp_get_thread_num();
    }
    printf("%d%d", w[0], w[1]);
""", {"00", "01", "10", "11"})
SECTIONS = ("""
    int w[2];
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        w[0] = omp_get_thread_num();
#pragma omp section
        w[1] = omp_get_thread_num();
    }
    printf("%d%d", w[0], w[1]);
""", {"gcc": {"00", "01", "10", "11"}, "clang": {"01"}})  # clang makes a static loop of them
# one thread may do the later iterations first (clang's schedule is nonmonotonic), or may not (gcc's runtime)
BACKWARDS = ("""
    int last[2] = {-1, -1}, back = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 3; i++) {
#pragma omp critical
        {
            back |= i < last[omp_get_thread_num()];
            last[omp_get_thread_num()] = i;
        }
    }
    printf("%d", back);
""", {"gcc": {"0"}, "clang": {"0", "1"}})
ORDERED = ("""
    int w[2], n = 0;
#pragma omp parallel for ordered num_threads(2) schedule(dynamic)
    for (int i = 0; i < 2; i++) {
#pragma omp ordered
        w[n++] = i * 2 + omp_get_thread_num();
    }
    printf("%d%d", w[0], w[1]);
""", {"02", "03", "12", "13"})
TASKS = ("""
    int w[2] = {9, 9};
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i) shared(w)
        w[i] = omp_get_thread_num();
    }
    printf("%d%d", w[0], w[1]);
""", {"00", "01", "10", "11"})
LOCKS = ("""
    int v = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock);
        v = v * 4 + omp_get_thread_num() + 1;
        omp_unset_lock(&lock);
    }
    printf("%d", v);
""", {"27", "30", "39", "45", "54", "57"})  # 123 132 213 231 312 321
ENUMERATED = {"critical": CRITICAL, "dynamic": DYNAMIC, "guided": GUIDED, "single": SINGLE, "sections": SECTIONS, "backwards": BACKWARDS,
              "ordered": ORDERED, "tasks": TASKS, "locks": LOCKS}

LARGE = ("tasks", "backwards")  # too many executions for brute force; test_brute_force_tasks has some

# each task may be the first, with two threads; too many executions for brute force
TASK_ORDER = ("""
    int v = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 1; i < 4; i++) {
#pragma omp task firstprivate(i) shared(v)
        {
#pragma omp critical
            v = v * 4 + i;
        }
    }
    printf("%d", v);
""", LOCKS[1])


def expected(wanted, compiler):
    return wanted[compiler] if isinstance(wanted, dict) else wanted


def source(body):
    return f"#include <assert.h>\n#include <omp.h>\n#include <stdio.h>\nint main(void) {{\n{body}\n    return 0;\n}}\n"


def build(tools, work, name, body, compiler, mode, *flags):
    (work / f"{name}.c").write_text(source(body))
    binary = work / f"{name}-{compiler}-{mode}"
    command = [compiler] if mode == "plain" else [tools.raddle, "cc"]
    run([*command, "-g", "-O1", "-fopenmp", *flags, work / f"{name}.c", "-o", binary], env={"RADDLE_CC": compiler}).expect(0)
    return binary


def printed(tools, work, binary, strategy):
    done, s = tools.search(work, ["-s", strategy, "--outcomes", "--detect", "races"], binary, [])
    done.expect(0)
    if "no other" not in done.out:
        done.fail("the outcomes are not said to be all there are")
    return done, s, {o["output"] for o in s["outcomes"]}


def test_all_orders(tools):
    """The outputs are those of the enumeration, by brute force, reduced and by default; brute force and the reduction
    have the same orders."""
    work = tools.dir("openmp-orders")
    for name, (body, wanted) in ENUMERATED.items():
        for compiler in COMPILERS:
            binary = build(tools, work, name, body, compiler, "plain")
            orders = {}
            for strategy in ("dfs", "dpor", "auto") if name not in LARGE else ("dpor", "auto"):
                done, s, found = printed(tools, work, binary, strategy)
                orders[strategy] = s["distinct_orders"]
                if found != expected(wanted, compiler):
                    done.fail(f"{name}, {compiler}, {strategy}: printed {sorted(found)}")
            if orders.get("dfs", orders["dpor"]) != orders["dpor"]:
                done.fail(f"{name}, {compiler}: dfs has {orders['dfs']} orders, dpor {orders['dpor']}")


def test_all_orders_with_accesses(tools):
    """The same with every access a point, and without a false race."""
    work = tools.dir("openmp-accesses")
    for name, (body, wanted) in {**ENUMERATED, "task-order": TASK_ORDER}.items():
        for compiler in COMPILERS:
            binary = build(tools, work, name, body, compiler, "hooks")
            done, _, found = printed(tools, work, binary, "dpor")
            if found != expected(wanted, compiler):
                done.fail(f"{name}, {compiler}: printed {sorted(found)}")


def test_brute_force_tasks(tools):
    """Which thread runs a task, and when: the reduction has the orders of brute force."""
    work = tools.dir("openmp-brute")
    for compiler in COMPILERS:
        for name, (body, wanted) in {n: ENUMERATED[n] for n in LARGE}.items():
            binary = build(tools, work, name, body, compiler, "plain")
            dfs, dpor = (printed(tools, work, binary, strategy)[1:] for strategy in ("dfs", "dpor"))
            if dfs[0]["distinct_orders"] != dpor[0]["distinct_orders"] or dfs[1] != dpor[1]:
                raise AssertionError(f"{name}, {compiler}: dfs has {dfs[0]['distinct_orders']} orders, dpor {dpor[0]['distinct_orders']}")


test_brute_force_tasks.slow = True


LOST = """
    int n = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 2; i++)
        n++;
    assert(n == 2);
"""


def test_isolation(tools):
    """A lost update is found in every isolation with the same number of executions, and replayed on both backends."""
    work = tools.dir("openmp-isolation")
    for compiler in COMPILERS:
        binary = build(tools, work, "lost", LOST, compiler, "hooks")
        counts = set()
        for way in ("auto", "fork", "exec"):
            done, s = tools.search(work, ["-s", "dpor", "--keep-going", "--isolation", way], binary, [])
            done.expect(1)
            counts.add((s["executions"], s["distinct_orders"], s["findings"][0]["kind"]))
            for backend in ("virtual", "kernel"):
                tools.replay(work, work / s["findings"][0]["schedule"], backend, 2)
        if len(counts) != 1 or next(iter(counts))[2] != "assertion":
            done.fail(f"{compiler}: {counts}")


ENVIRONMENT = """
    int n = 0, threads = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for schedule(runtime)
        for (int i = 0; i < 4; i++) {
#pragma omp atomic
            n++;
        }
    }
    assert(n == 4);
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    printf("%d %d %d", threads, (int)kind & 7, chunk);
"""


def test_environment(tools):
    """The variables of OpenMP determine the number of threads and the runtime schedule, as without Raddle."""
    work = tools.dir("openmp-environment")
    settings = {"OMP_NUM_THREADS": "3", "OMP_SCHEDULE": "guided,2"}
    for compiler in COMPILERS:
        binary = build(tools, work, "environment", ENVIRONMENT, compiler, "plain")
        alone = run([binary], env=settings).expect(0)
        done = run([tools.raddle, "run", "-s", "random", "-n", "20", "--outcomes", "-o", work / "out", "--", binary], env=settings)
        done.expect(0)
        if alone.out.strip() != "3 3 2" or 'printed "3 3 2"' not in done.out or "1 outcome" not in done.out:
            done.fail(f"printed otherwise; alone: {alone.out}")


LIMITED = """
    int sizes[2] = {0, 0};
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            sizes[outer] = omp_get_num_threads();
    }
#pragma omp parallel num_threads(5)
    if (omp_get_thread_num() == 0)
        printf("%d %d%d %d", omp_get_thread_limit(), sizes[0], sizes[1], omp_get_num_threads());
"""
LIMITS = {"1": {"1 10 1"}, "2": {"2 11 2"}, "3": {"3 12 3", "3 21 3", "3 22 3"}, "4": {"4 22 4"}, "5": {"5 22 5"}}


def test_thread_limit(tools):
    """Regions get no more threads than OMP_THREAD_LIMIT allows; of two nested ones the later one gets the rest."""
    work = tools.dir("openmp-limit")
    for compiler in COMPILERS:
        binary = build(tools, work, "limited", LIMITED, compiler, "plain")
        for limit, wanted in LIMITS.items():
            env = {"OMP_THREAD_LIMIT": limit}
            alone = run([binary], env=env).expect(0)
            if alone.out not in wanted:
                alone.fail("alone it printed otherwise")
            done, s = tools.search(work, ["-s", "dpor", "--outcomes"], binary, [], env=env)
            if {o["output"] for o in s["outcomes"]} != wanted or not s["finished"]:
                done.fail(f"{compiler}, {limit}: {s['outcomes']}")


DEEP = """
    int n = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        volatile char *large = __builtin_alloca(30 << 20);
        for (int i = (30 << 20) - 1; i >= 0; i -= 1024)
            large[i] = 1;
        n = large[1023];
    }
    printf("%d", n);
"""
STACKS = {"gcc": [({"OMP_STACKSIZE": "64M"}, True), ({"OMP_STACKSIZE": " 65536 "}, True), ({"OMP_STACKSIZE": "1 g"}, True),
                  ({"OMP_STACKSIZE": "64MB"}, False), ({"OMP_STACKSIZE": "9000"}, False), ({"GOMP_STACKSIZE": "64M"}, True),
                  ({"GOMP_STACKSIZE": "64M", "OMP_STACKSIZE": "4M"}, False), ({"KMP_STACKSIZE": "64M"}, False)],
          "clang": [({"OMP_STACKSIZE": "64M"}, True), ({"OMP_STACKSIZE": "65536"}, True), ({"OMP_STACKSIZE": "1"}, False),
                    ({"KMP_STACKSIZE": "65536"}, False), ({"KMP_STACKSIZE": "67108864"}, True),
                    ({"GOMP_STACKSIZE": "64M", "OMP_STACKSIZE": "4M"}, True), ({"KMP_STACKSIZE": "8M", "OMP_STACKSIZE": "64M"}, False)]}


def test_stack_size(tools):
    """The stacks of workers have the size that the environment says to the runtime, as without Raddle."""
    work = tools.dir("openmp-stack")
    for compiler in COMPILERS:
        binary = build(tools, work, "deep", DEEP, compiler, "plain")
        for env, fits in STACKS[compiler]:
            alone = run([binary], env=env)
            if (alone.status == 0) != fits:
                alone.fail(f"alone: status {alone.status}")
            done, s = tools.search(work, ["-s", "random", "-n", "3"], binary, [], env=env)
            done.expect(0 if fits else 1)
            if not fits and s["findings"][0]["kind"] != "crash":
                done.fail(f"{compiler}, {env}: {s['findings'][0]['kind']}")


TASK_REDUCTION = """
    int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : n)
#pragma omp task in_reduction(+ : n)
    n++;
    assert(n == 1);
"""
DETACH = """
    int n = 0;
    omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task detach(event)
    omp_fulfill_event(event);
    assert(n == 0);
"""


def test_refused(tools):
    """An uncontrolled construct is trouble that names it, before anything is claimed."""
    work = tools.dir("openmp-refused")
    binary = build(tools, work, "detach", DETACH, "gcc", "plain")
    done, _ = tools.search(work, ["-s", "dpor"], binary, [])
    done.expect_trouble("omp_fulfill_event", "raddle cannot control")
    for compiler, name in (("gcc", "GOMP_task"), ("clang", "__kmpc_task")):
        binary = build(tools, work, "reduction", TASK_REDUCTION, compiler, "hooks")
        done, _ = tools.search(work, ["-s", "dpor"], binary, [])
        done.expect_trouble(name, "OpenMP", "raddle cannot control")
    binary = build(tools, work, "critical", CRITICAL[0], "gcc", "plain")
    done = run([tools.raddle, "run", "-o", work / "out", "--", binary], env={"OMP_CANCELLATION": "true"})
    done.expect_trouble("cancellation", "raddle cannot control")
    archive = run(["gcc", "-print-file-name=libgomp.a"]).out.strip()
    if archive != "libgomp.a":
        binary = work / "static"
        run(["gcc", "-g", "-c", "-fopenmp", work / "critical.c", "-o", work / "critical.o"]).expect(0)
        run(["gcc", work / "critical.o", archive, "-o", binary, "-pthread", "-ldl"]).expect(0)
        done, _ = tools.search(work, ["-s", "dpor"], binary, [])
        done.expect_trouble("the OpenMP runtime linked in", "dynamically")


FLOAT_TASK = """
    double d = 0;
    int n = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp task shared(d, n)
        {
#pragma omp atomic
            d += 1.5;
            n++;
        }
    }
    printf("%g %d", d, n);
"""
TRY_REGION = """
    int n = 0;
    unsigned held = 0;
#pragma omp parallel num_threads(2)
    {
        unsigned v = 1, zero = 0;
        __asm__ __volatile__(SWAP : "+r"(v), "+m"(held), "+a"(zero)::"memory");
        if (!(OLD)) {
            n++;
            __asm__ __volatile__("movl $0, %0" : "=m"(held)::"memory");
        }
    }
    printf("%d", n);
"""
CALLED = """
    double d = 0;
    int n = 0;
#pragma omp parallel num_threads(2)
    {
        add(&d);
        n++;
    }
    printf("%g %d", d, n);
"""
ADD = "static HOW void add(double *p) {\n#pragma omp atomic\n*p += 1.5;\n}\n"


def test_unseen_atomics(tools):
    """An atomic of a region or a task without a hook orders no accesses: races are races. In a function that the region
    calls it looks like inline assembly, and inline assembly in a region may order everything."""
    if platform.machine() != "x86_64":
        return "x86-64 only"
    work = tools.dir("openmp-atomics")
    binary = build(tools, work, "task", FLOAT_TASK, "gcc", "hooks")
    done, s = tools.search(work, ["-s", "dpor", "--detect", "races"], binary, [])
    done.expect(1)
    if "(the compiler's code for an OpenMP atomic or reduction, without hooks)" not in s["not_seen"] or s["complete"]:
        done.fail(f"not seen: {s['not_seen']}")
    exchange = TRY_REGION.replace("SWAP", '"xchgl %0, %1"').replace("OLD", "v")
    doubts = {"exchange": (exchange, "inline assembly with atomic instructions", "gcc clang")}
    for how in ("noinline", "always_inline"):
        doubts[how] = (CALLED, "inline assembly, or the compiler's code for an OpenMP atomic", "gcc")
    for name, (body, words, compilers) in doubts.items():
        for compiler in compilers.split():
            how = f"__attribute__(({name}))" if body is CALLED else ""
            (work / "add.h").write_text(ADD.replace("HOW", how) if how else "")
            binary = build(tools, work, name, body, compiler, "hooks", "-include", work / "add.h")
            done, s = tools.search(work, ["-s", "dpor", "--detect", "races"], binary, [])
            done.expect(0)
            if words not in s["not_seen"] or s["warnings"][0]["kind"] != "data-race" or "may order them" not in done.out:
                done.fail(f"{name}, {compiler}: not seen: {s['not_seen']}")
