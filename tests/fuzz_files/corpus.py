#!/usr/bin/env python3
"""Makes the files that the fuzzer of files begins with: for each kind of finding a program, and the schedule that the
built driver has recorded of it. `corpus.py BUILD` writes them into BUILD/fuzz-corpus, again when the driver is newer."""
import concurrent.futures
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {
    "assertion": "e2e/reports/account.c", "deadlock": "e2e/reports/forks.c", "data-race": "e2e/reports/jobs.cc",
    "livelock": "programs/bug/livelock_flags.c", "use-after-free": "programs/bug/heap_freed_sent.c",
    "leak": "programs/bug/leak.c", "crash": "programs/bug/crash_without_threads.c",
    "misuse": "programs/bug/free_static.c", "exit-status": "programs/bug/exit_status.c",
    "double-free": "programs/bug/double_free.c", "heap-overflow": "programs/bug/heap_past_end.c",
    "lock-discipline": "programs/bug/exitblock_discipline.c",
}


def make(raddle, folder, kind):
    source = ROOT / PROGRAMS[kind]
    header = re.search(r"^// RADDLE: (.*)$", source.read_text(), re.M)
    options = header[1].split() if header else []
    compiler = "c++" if source.suffix == ".cc" else "cc"
    program = folder / f"{kind}.elf"
    subprocess.run([raddle, compiler, "-g", "-O1", "-pthread", "-w", "-o", program, source], check=True)
    done = subprocess.run([raddle, "run", *options, "--out", folder / "found", "--json", "-", "--jobs", "1", program],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    findings = json.loads(done.stdout)["findings"]
    if not any(f["kind"] == kind for f in findings):
        sys.exit(f"corpus.py: {source} shows no {kind}")
    found = next(f for f in findings if f["kind"] == kind)
    (folder / f"{kind}.sched").write_bytes((folder / found["schedule"]).read_bytes())


def main():
    build = Path(sys.argv[1]).resolve()
    raddle, folder = build / "raddle", build / "fuzz-corpus"
    stamp = folder / "complete"
    inputs = [raddle, Path(__file__), *(ROOT / p for p in PROGRAMS.values())]
    if stamp.exists() and all(f.stat().st_mtime < stamp.stat().st_mtime for f in inputs):
        return
    folder.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda kind: make(raddle, folder, kind), PROGRAMS))
    stamp.touch()


main()
