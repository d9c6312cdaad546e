#!/usr/bin/env python3
"""Enforces the table of docs/architecture.md: which part may include which, and that pure parts stay pure."""
import re
import subprocess
import sys

ALLOWED = {
    "base": "base",
    "trace": "base trace",
    "foreign": "base trace foreign",
    "model": "base trace model",
    "pick": "base trace pick",
    "engine": "base trace model pick engine",
    "detect": "base trace detect",
    "search": "base trace pick detect search",
    "result": "base trace result",
    "channel": "base trace result channel",
    "explore": "base trace pick detect search result channel explore",
    "rt": "base trace foreign model pick engine search detect result channel explore rt",
    "file": "base trace foreign file",
    "drive": "base trace foreign pick detect search result channel explore file drive",
    "symbols": "base trace symbols",
    "report": "base trace foreign result file symbols report",
    "cli": "base trace foreign pick detect search result file drive symbols report cli",
}
PURE = ("trace", "foreign", "model", "pick", "engine", "search", "detect", "result", "explore")
PURE_HEADERS = {"assert.h", "errno.h", "stdbool.h", "stddef.h", "stdint.h", "string.h", "limits.h", "math.h"}

bad = 0
for path in subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"], text=True, capture_output=True, check=True).stdout.split():
    if not path.endswith((".c", ".h", ".S")):
        continue
    part = path.split("/")[1]
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        own = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        system = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
        if own and own[1].split("/")[0] not in ALLOWED[part].split():
            print(f"{path}:{number}: {part} may not include {own[1]}")
            bad += 1
        if system and part in PURE and system[1] not in PURE_HEADERS:
            print(f"{path}:{number}: {part} is pure and may not include <{system[1]}>")
            bad += 1
sys.exit(bad > 0)
