#!/usr/bin/env python3
"""clang_tidy.py BUILD - the analyser over every source file.

What was found clean before is not looked at again: a stamp in the user's cache directory is named after the contents of
the file, of the headers that it includes (from the dependencies that the compiler has written) and of the options. All
build trees share the stamps.

A function that the analyser cannot get through is given up after so many states. The tool's own limit is 225000, and
then most of the time goes into functions that are given up all the same. With a third of it the same code is reached
(clang --analyze -Xclang -analyzer-checker=debug.Stats counts the blocks of each function that are not), but for the
files in DEEP. NODES=225000 takes the tool's limit for all.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEEP = set("""src/detect/lockchain.c src/detect/lockset.c src/report/text/race_text.c src/rt/hook/memory/instrumented.c
              src/search/exitblock/atomic_blocks.c src/explore/loop.c""".split())
UNKNOWN_TO_CLANG = "-fno-tree-loop-distribute-patterns -ffat-lto-objects -Wno-builtin-declaration-mismatch -Wno-tsan".split()
DEEPEST = 225000


def listed(*patterns):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    return [f for f in subprocess.check_output(command, cwd=ROOT, text=True).splitlines() if (ROOT / f).exists()]


def dependencies(build):
    """By source file: the files of this tree that it includes."""
    found = {}
    for path in (build / "CMakeFiles").rglob("*.c.o.d"):
        words = path.read_text().replace("\\\n", " ").split()[1:]
        inside = [os.path.relpath(w, ROOT) for w in words if Path(w).resolve().is_relative_to(ROOT / "src")]
        if inside:
            found.setdefault(inside[0], set()).update(inside)
    return found


def stamps(build, nodes):
    """Yields each source file, its limit and its stamp."""
    hashes = {}

    def hash_of(name):
        if name not in hashes:
            path = ROOT / name
            hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "gone"
        return hashes[name]

    known, headers = dependencies(build), listed("src/*.h", "src/*.def")
    for name in listed("src/*.c"):
        limit = DEEPEST if name in DEEP else nodes
        parts = sorted({name, *known.get(name, headers)})
        text = "\n".join([str(limit), name, hash_of(".clang-tidy"), *(p + hash_of(p) for p in parts)])
        yield name, limit, hashlib.sha256(text.encode()).hexdigest()


def check(work, limit, names):
    arguments = ["clang-tidy", "-p", str(work), "--quiet"]
    for word in ("-analyzer-config", f"max-nodes={limit}"):
        arguments += ["--extra-arg=-Xclang", f"--extra-arg={word}"]
    done = subprocess.run(arguments + names, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.splitlines() if re.search(r"(warning|error):", line)]
    return names, lines or ([] if done.returncode == 0 else [done.stdout.strip() or f"clang-tidy: {done.returncode}"])


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    nodes = int(os.environ.get("NODES", "75000"))
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or str(build), ".cache")
    cache, work = Path(home) / "raddle" / "tidy", build / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    # the fuzzer of files compiles the same files again, with sanitizers
    commands = json.loads((build / "compile_commands.json").read_text())
    commands = json.dumps([c for c in commands if "/fuzz_files.dir/" not in c.get("output", c.get("command", ""))], indent=0)
    for option in UNKNOWN_TO_CLANG:
        commands = commands.replace(option, "")
    (work / "compile_commands.json").write_text(commands)
    left = [(name, limit, stamp) for name, limit, stamp in stamps(build, nodes) if not (cache / stamp).exists()]
    stamp_of = {name: stamp for name, _, stamp in left}
    batches = []
    for limit in sorted({limit for _, limit, _ in left}):
        names = [name for name, one, _ in left if one == limit]
        batches += [(limit, names[i:i + 4]) for i in range(0, len(names), 4)]
    failed = False
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for names, lines in pool.map(lambda b: check(work, *b), batches):
            failed |= bool(lines)
            for line in lines:
                print(line)
            for name in names if not lines else ():
                (cache / stamp_of[name]).touch()
    sys.exit(failed)


if __name__ == "__main__":
    main()
