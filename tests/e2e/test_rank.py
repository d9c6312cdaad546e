"""Variable and thread bounding on real programs: each bug of the figures is found with its numbers of preemptions,
variables and threads, and not with fewer."""

# figure: preemptions, variables, threads
FIGURES = {"1": (0, 0, 2), "2": (1, 1, 2), "3": (2, 1, 2), "4": (2, 2, 2), "8": (0, 0, 3), "9": (1, 1, 3),
           "10": (2, 2, 3), "12": (2, 1, 2)}


def options(c, v, t):
    return ["-s", f"rank:c={c},v={v},t={t}", "--points", "all"]


def expect_none(tools, work, how, program, words):
    done, summary = tools.search(work, how, program)
    done.expect(0)
    proved = summary["bounds"]["proved"] or summary["bounds"]["likely"] or ""
    if not summary["finished"] or words not in proved:
        done.fail(f"not complete, or no '{words}' in what is proved: '{proved}'")


def test_figures(tools):
    work = tools.dir("rank_figures")
    for figure, (c, v, t) in FIGURES.items():
        program = tools.program(f"bug/rank_fig{figure}.c")
        _, _, schedule = tools.find(work, options(c, v, t), program, "assertion")
        for backend in ("virtual", "kernel"):
            tools.replay(work, schedule, backend, 1)
        if c > 0:
            less = f"{c - 1} preemption" if c > 1 else "without a preemption"
            expect_none(tools, work, options(c - 1, v, t), program, less)
            expect_none(tools, work, options(c, v - 1, t), program, f"every order of any {t} threads")


def test_claims(tools):
    """The claim is certain if all orders were run, otherwise it has the requested probability."""
    work = tools.dir("rank_claims")
    threads = tools.program("ok/critical_sections.c")
    expect_none(tools, work, ["-s", "rank:c=0"], threads, "every order of any 2 threads without a preemption was run (")
    many = tools.program("ok/many_threads.c")
    expect_none(tools, work, ["-s", "rank:c=0,t=3,e=10"], many,
                "every order of any 3 threads without a preemption was run, with a probability of at least 90 %")


def test_later_blocks(tools):
    """The bug is in the second block that a statement allocates: with l=0 only the first one is tried."""
    work = tools.dir("rank_blocks")
    program = tools.program("bug/rank_blocks.c")
    expect_none(tools, work, ["-s", "rank:c=2,v=1,l=0", "--points", "all"], program,
                "3 shared variables (of each allocation the first 1 block)")
    tools.find(work, ["-s", "rank:c=2,v=1,l=1", "--points", "all"], program, "assertion")


def test_samples(tools):
    """A bug is found, and its schedule repeats it; without a bug, the claim of the sample."""
    work = tools.dir("rank_samples")
    how = ["-s", "rank:random,c=1", "--seed", "1", "-n", "300", "--points", "all"]
    _, _, schedule = tools.find(work, how, tools.program("bug/rank_fig2.c"), "assertion")
    tools.replay(work, schedule, "virtual", 2)
    done, summary = tools.search(work, how, tools.program("ok/conflict_2x2.c"))
    if summary["finished"] or "fails with a probability below 0.0" not in (summary["bounds"]["likely"] or ""):
        done.fail(f"likely: '{summary['bounds']['likely']}'")
    tools.search(work, ["-s", "rank:c=9"], tools.program("bug/abba.c"))[0].expect_trouble("'c' of rank must be at most")
