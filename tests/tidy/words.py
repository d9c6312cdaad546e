#!/usr/bin/env python3
"""One word for one concept: tags of structures are unique in the whole tree, file names are not ambiguous, names that
explain nothing do not come back, and the glossary in docs/architecture.md names only what the code has."""
import collections
import os
import re
import subprocess
import sys

# Two files may have one name only if both are about the same thing: a primitive in the model and its hooks, an
# algorithm
# as a search and as a picker, a subject in general and its hooks.
SAME_SUBJECT = {
    "barrier", "cond", "mutex", "rwlock", "sem", "futex", "signal", "thread", "omp", "io",  # model, rt/hook
    "pct", "pos", "rapos", "rff", "surw", "urw", "rank", "exitblock", "random",                               # search, pick
    "table",                                                                                        # one in each part
    "raddle",                                                                                       # include, rt/hook
}
RETIRED = "grove vigil trail rivals hope odd astray deceived".split()

bad = 0


def complain(text):
    global bad
    bad += 1
    print(text)


files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "src", "include"], text=True,
                       capture_output=True, check=True).stdout.split()
files = [f for f in files if os.path.exists(f)]
tags = collections.defaultdict(list)
stems = collections.defaultdict(set)
for path in files:
    if not path.endswith((".c", ".h", ".S", ".def")):
        continue
    stem, folder = os.path.splitext(os.path.basename(path))[0], os.path.dirname(path)
    stems[stem].add(folder)
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        tag = re.match(r"(?:static |typedef |const )*(?:struct|union|enum) (\w+) \{", line)
        tag = tag or re.match(r"typedef \w+ (rd_\w+);", line)
        if tag:
            tags[tag[1]].append(f"{path}:{number}")
        for word in re.findall(r"[A-Za-z_]\w*", line):
            if any(part in RETIRED for part in word.lower().split("_")):
                complain(f"{path}:{number}: '{word}': a name that explains nothing to a stranger")

for tag, places in sorted(tags.items()):
    if len(places) > 1:
        complain(f"{places[0]}: the tag '{tag}' stands in {', '.join(places[1:])}, too")
for stem, folders in sorted(stems.items()):
    if len(folders) > 1 and stem not in SAME_SUBJECT:
        complain(f"{stem}: the name of files in {', '.join(sorted(folders))}")
for stem in SAME_SUBJECT:
    if len(stems[stem]) < 2:
        complain(f"tests/tidy/words.py: no two files have the name '{stem}' any more")

glossary = open("docs/architecture.md", encoding="utf-8").read().partition("## Glossary")[2]
words = [w for w in re.findall(r"^\| ([^|]+?) \|", glossary, re.M) if w != "word"]
if len(words) < 30:
    complain("docs/architecture.md: the glossary is gone")
seen = collections.Counter()
for row in words:
    for tag in re.findall(r"`(rd_\w+)`", row):
        if tag not in tags:
            complain(f"docs/architecture.md: the glossary names '{tag}', which the code does not have")
    for word in re.sub(r"\(.*?\)", "", row).split(","):
        seen[word.strip()] += 1
for word, times in seen.items():
    if times > 1:
        complain(f"docs/architecture.md: the glossary explains '{word}' {times} times")
sys.exit(bad > 0)
