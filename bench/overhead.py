#!/usr/bin/env python3
"""overhead.py - the cost of tracking 0, 1, 2 or all variables of the computing programs, compared with the program
without Raddle: CPU seconds of one execution, and their ratio. Writes bench/overhead.md.

The programs are compiled with -O2, natively and with `raddle cc -O2 -g`. Measured are CPU seconds, because they hardly
depend on other load of the machine, of a process for each execution, so that the kernel counts them; the fastest of
several executions (the first ones examine the code, and are slow). With all variables the full size would be too many
steps: both sides run with a smaller one there, and the ratio is printed.
"""
import os
import re
import statistics
import subprocess
import sys
import time

PROGRAMS = {  # two shared variables, the size for few variables, and for all of them
    "montecarlo": ("sum", "paths", "1", "0.1"),
    "molecules": ("potential", "kinetic", "0.5", "0.05"),
    "salesman": ("next_leg", "improved", "0.5", "0.05"),
    "cache": ("digest", "requests", "0.5", "0.05"),
    "heat": ("change", "rounds_done", "0.8", "0.008"),
}
ROUNDS = 9
EXECUTIONS = 6  # half of them are fast: the first execution, its repetition and the checks watch all accesses


INTRODUCTION = """# The cost of tracking few variables

Written by `make bench` (bench/overhead.py, which describes the measurement). The first two columns are seconds of one
execution without Raddle: CPU time on one core, and real time on all cores. The others are the CPU time of an execution
of `raddle run` with a process for each (`--isolation fork`), divided by the time on one core. The points are
synchronisation, atomics and the accesses to 0, 1 or 2 shared numbers (named in the script), with the hooks in other code
switched off; or all accesses, with a smaller size. Where hooks are switched off, the remaining cost is that the compiler
keeps no values in registers across their calls, which slows down loops over floating-point numbers in memory
(molecules, heat).

| program | native, one core | native, all cores | v=0 | v=1 | v=2 | all |
|---|---|---|---|---|---|---|
"""


def cpu(command, core=None):
    """CPU and wall seconds of a command and all its child processes."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        if core is not None:
            os.sched_setaffinity(0, {core})
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"overhead.py: {' '.join(command)}: status {status}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def native(binary, size, core):
    times = [cpu([binary, size], core) for _ in range(ROUNDS)]
    return min(t[0] for t in times), min(t[1] for t in times)


def fastest(raddle, strategy, binary, size, executions=EXECUTIONS):
    out = subprocess.run([raddle, "bench", "-s", strategy, "-n", str(executions), "--rounds", "1", "--max-seconds", "600",
                          "--isolation", "fork", binary, size], check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(re.search(r"fastest execution +([0-9.]+) s", out)[1])


def measure(raddle, out, name):
    first, second, size, small = PROGRAMS[name]
    source = f"bench/compute/{name}.c"
    plain, hooks = f"{out}/{name}.native", f"{out}/{name}.hooks"
    subprocess.run(["gcc", "-O2", "-pthread", source, "-o", plain, "-lm"], check=True)
    subprocess.run([raddle, "cc", "-O2", "-g", "-pthread", source, "-o", hooks, "-lm"], check=True)
    one, _ = native(plain, size, 0)
    _, all_cores = native(plain, size, None)
    few = [fastest(raddle, f"random:{s}", hooks, size) / one
           for s in ("v=0", f"var={first}", f"var={first},{second}")]
    return one, all_cores, *few, fastest(raddle, "random", hooks, small, 1) / native(plain, small, 0)[0]


def main():
    raddle, out = sys.argv[1:3]
    rows = []
    for name in sys.argv[3:] or PROGRAMS:
        row = measure(raddle, out, name)
        rows.append((name, row))
        print(f"{name:12} native {row[0]:.3f} s (all cores {row[1]:.3f} s)   v=0 {row[2]:.2f}x   v=1 {row[3]:.2f}x   "
              f"v=2 {row[4]:.2f}x   all {row[5]:.0f}x", flush=True)
    middle = [statistics.median(r[i] for _, r in rows) for i in range(2, 6)]
    print(f"{'median':12} v=0 {middle[0]:.2f}x   v=1 {middle[1]:.2f}x   v=2 {middle[2]:.2f}x   all {middle[3]:.0f}x")
    if sys.argv[3:]:
        return
    with open("bench/overhead.md", "w") as f:
        f.write(INTRODUCTION)
        for name, r in rows:
            f.write(f"| {name} | {r[0]:.3f} s | {r[1]:.3f} s | {r[2]:.2f}x | {r[3]:.2f}x | {r[4]:.2f}x | {r[5]:.0f}x |\n")
        f.write(f"| median | | | {middle[0]:.2f}x | {middle[1]:.2f}x | {middle[2]:.2f}x | {middle[3]:.0f}x |\n")


main()
