#!/usr/bin/env python3
"""Every header is included, every function that is visible across files is used in another file, and every group of
unit tests is run."""
import re
import subprocess
import sys

files = [f for f in subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "src", "tests/unit", "tests/fuzz", "tests/fuzz_files"], text=True, capture_output=True, check=True).stdout.split()
         if f.endswith((".c", ".h", ".S", ".def"))]
text = {f: open(f, encoding="utf-8").read() for f in files}
bad = 0
for f in files:
    name = f.removeprefix("src/").removeprefix("tests/unit/").removeprefix("tests/fuzz/").removeprefix("tests/fuzz_files/")
    if f.endswith((".h", ".def")) and not any(f'"{name}"' in t for t in text.values()):
        print(f"{f}: not included by any file")
        bad += 1
pasted = tuple(set(re.findall(r"\b(rd_\w+_)##", "".join(text.values()))))
words = {f: set(re.findall(r"\b\w+\b", t)) for f, t in text.items()}
for f in files:
    if not f.endswith(".h") or f.startswith("tests/"):
        continue
    for function in set(re.findall(r"^[a-zA-Z_][\w \*]*?\b(rd_\w+)\(", text[f], re.M)):
        if text[f].count(function) > 1 or (pasted and function.startswith(pasted)):
            continue  # used in a macro
        users = [g for g in files if g != f and function in words[g]]
        inline = re.search(rf"^static inline .*\b{function}\(", text[f], re.M)
        if len(users) < 1 or (len(users) == 1 and not inline and text[users[0]].count(function) < 2):
            print(f"{f}: {function} is not used in another file")
            bad += 1
groups = words["tests/unit/groups.def"]
for f in files:
    for group in re.findall(r"^int (test_\w+)\(void\) \{", text[f], re.M) if f.startswith("tests/unit/test_") else []:
        if group not in groups:
            print(f"{f}: {group} is not in tests/unit/groups.def, so it is never run")
            bad += 1
sys.exit(bad > 0)
