"""The cost of calls of functions without hooks: executions of a proof, and time, by how much is known of the function.

Writes bench/calls.md. Everything is the best of several rounds, on one core; compare ratios.
"""
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import publish, table

raddle, out = sys.argv[1], Path(sys.argv[2])
HERE = Path(__file__).parent / "calls"
ROUNDS = 3
KINDS = (("none", "no call"), ("pure", "pure: sqrt"), ("known", "known: snprintf into a buffer of its own"),
         ("memcpy", "memcpy between buffers of its own"), ("opaque", "opaque: a function of a plain library"))


def build():
    library, program = out / "libplain.so", out / "calls"
    subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", HERE / "plain.c", "-o", library], check=True)
    subprocess.run([raddle, "cc", "-g", "-O1", HERE / "loop.c", "-o", program, f"-L{out}", "-lplain", "-lm",
                    f"-Wl,-rpath,{out.resolve()}"], check=True)
    return program


def run(program, kind, rounds, *options):
    best = None
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as work:
            command = [raddle, "run", "-j", "1", "--json", f"{work}/s.json", "-q", "-o", f"{work}/out", *options, "--",
                       str(program), kind, str(rounds)]
            start = time.monotonic()
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            took = time.monotonic() - start
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
            s = json.loads(Path(work, "s.json").read_text())
        if best is None or took < best[0]:
            best = took, s
    return best


program = build()
proofs = []
for kind, words in KINDS:
    row = [words]
    for rounds in (1, 2, 3):
        _, s = run(program, kind, rounds, "-s", "dpor:optimal", "-n", "200000")
        row.append(f"{s['executions']:,}")
    proofs.append(row)
rates = []
for kind, words in KINDS:
    _, s = run(program, kind, 100, "-s", "random", "-n", "2000", "--detect", "none")
    steps = s["steps"] / s["executions"]
    rates.append([words, f"{steps:,.0f}", f"{s['executions_per_s']:,.0f}",
                  f"{1e9 / s['executions_per_s'] / steps:,.0f}"])
publish(HERE.parent / "calls.md",
        "# The cost of calls of functions without hooks\n\nWritten by `make bench` (bench/calls.py); the best of several "
        "rounds.\n\nTwo threads, each with this number of calls and then one section under a common lock. Executions of a "
        "proof with `dpor:optimal`:\n\n" + table(["each thread calls", "1 time", "2 times", "3 times"], proofs) +
        "\nRandom schedules with 100 calls a thread, without detectors:\n\n" +
        table(["each thread calls", "steps an execution", "executions a second", "ns a step"], rates))
