#!/usr/bin/env python3
"""Functions have up to 75 lines, files up to 450 (tests 500). Every .c and .h file of src, tests/unit, tests/fuzz
and tests/fuzz_files begins with a comment that says what it is."""
import subprocess
import sys

FUNCTION, FILE, TEST = 75, 450, 500

bad = 0
for path in subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "src", "tests/unit", "tests/fuzz", "tests/fuzz_files"], text=True, capture_output=True, check=True).stdout.split():
    if not path.endswith((".c", ".h")):
        continue
    lines = open(path, encoding="utf-8").read().split("\n")
    if len(lines) > (TEST if path.startswith("tests/") else FILE):
        print(f"{path}: {len(lines)} lines")
        bad += 1
    if not lines[0].startswith("/*"):
        print(f"{path}: does not open with a comment that says what it is")
        bad += 1
    start = None
    for i, line in enumerate(lines):
        if line.endswith("{") and line[:1].isalpha() and "=" not in line and not line.startswith(("enum", "struct", "union", "typedef", "extern")):
            start = i
        if line == "}" and start is not None:
            if i - start + 1 > FUNCTION:
                print(f"{path}:{start + 1}: a function of {i - start + 1} lines")
                bad += 1
            start = None
sys.exit(bad > 0)
