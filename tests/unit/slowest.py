#!/usr/bin/env python3
"""Prints the unit tests that take longest: tests/unit/slowest.py [UNIT [--slow]]"""
import os
import re
import subprocess
import sys

command = sys.argv[1:] or ["build/unit"]
out = subprocess.run(command, env={**os.environ, "CMOCKA_MESSAGE_OUTPUT": "xml"}, text=True, capture_output=True).stdout
times = sorted(((float(t), n) for n, t in re.findall(r'<testcase name="([^"]+)" time="([\d.]+)"', out)), reverse=True)
print(f"{sum(t for t, _ in times):6.2f} s  {len(times)} tests")
for seconds, name in times[:40]:
    print(f"{seconds:6.3f} s  {name}")
