#!/usr/bin/env python3
"""No folder of src has more than 31 source files, and docs/architecture.md names every folder: a part in the table of
parts, a folder below a part as PART/FOLDER in the list of folders. Deeper folders belong to the one above."""
import collections
import os
import re
import subprocess
import sys

MOST = 31

files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"], text=True,
                       capture_output=True, check=True).stdout.split()
count = collections.Counter(os.path.dirname(f) for f in files
                            if f.endswith((".c", ".h", ".S", ".def")) and os.path.exists(f))
page = open("docs/architecture.md", encoding="utf-8").read()
parts = page.partition("## The parts")[2].partition("\n## ")[0]
table = set(re.findall(r"^\| (\w+) \|", parts, re.M))
below = set(re.findall(r"`(\w+(?:/\w+)+)`", parts.partition("Folders below a part:")[2]))
bad = 0
for folder, files_in_it in sorted(count.items()):
    name = folder.removeprefix("src/")
    if files_in_it > MOST:
        print(f"{folder}: {files_in_it} source files, more than {MOST}")
        bad += 1
    if "/".join(name.split("/")[:2]) not in (below if "/" in name else table):
        print(f"docs/architecture.md does not name the folder {folder}")
        bad += 1
for name in sorted((table - {"part"}) | below):
    if not any(folder == "src/" + name or folder.startswith(f"src/{name}/") for folder in count):
        print(f"docs/architecture.md names src/{name}, which does not exist")
        bad += 1
sys.exit(bad > 0)
