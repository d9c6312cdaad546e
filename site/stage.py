#!/usr/bin/env python3
"""Prepares the pages of the documentation site: site/stage.py --raddle DRIVER OUT

Writes OUT/mkdocs.yml and OUT/pages. The pages are those of docs/, two that the driver itself writes (its commands, its lists),
and the files of the repository to which a page links, below pages/repository, so that every link leads somewhere on the site,
too. Pages that site/mkdocs.yml does not name are at the end of the menu.
"""
import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import markdown_links  # noqa: E402
import mkdocs_hooks  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SITE = ROOT / "site"
JQUERY = Path("/usr/share/javascript/jquery/jquery.min.js")  # missing in Debian's package of the theme
LANGUAGES = {".c": "c", ".h": "c", ".cc": "cpp", ".py": "python", ".sh": "sh", ".yml": "yaml"}


class Pages:
    """The pages that are being written. A file of the repository becomes a page when a page links to it."""

    def __init__(self, out):
        self.out, self.done = out, {}

    def place(self, source):
        """Where a file of the repository is on the site."""
        if source.is_relative_to(DOCS):
            return source.relative_to(DOCS)
        place = Path("repository") / source.relative_to(ROOT)
        if source.is_dir():
            return place / "index.md"
        return place if source.suffix in (".md", ".svg", ".png") else place.with_name(place.name + ".md")

    def add(self, source):
        """Writes the file, unless it is there; its place."""
        if source not in self.done:
            place = self.done[source] = self.place(source)
            target = self.out / place
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                target.write_text(self.folder(source))
            elif source.suffix == ".md":
                target.write_text(self.page(source))
            elif source.suffix in (".svg", ".png"):
                shutil.copy(source, target)
            else:
                target.write_text(code(source))
        return self.done[source]

    def page(self, source):
        """A Markdown file with its links turned to the site."""
        text = source.read_text()
        for start, end, target, _ in reversed(markdown_links.links(text)):
            if re.match(r"[a-z]+:|#", target):
                continue
            name, hash_, anchor = target.partition("#")
            other = (source.parent / name).resolve()
            if other.is_relative_to(DOCS) and other.suffix == ".md":
                place = self.place(other)  # every page of docs is written anyway
            elif other.exists():
                place = self.add(other)
            else:
                sys.exit(f"stage.py: {source.relative_to(ROOT)} links to '{target}', which does not exist")
            relative = os.path.relpath(place, self.place(source).parent)
            text = text[:start] + relative + hash_ + anchor + text[end:]
        return for_python_markdown(text)

    def folder(self, source):
        """A list of what a folder has, with the first line of the comment at the head of each file."""
        name = source.relative_to(ROOT)
        rows = [f"# {name}", "", "| file | |", "|---|---|"]
        for path in sorted(p for p in source.iterdir() if p.is_file() and p.suffix in LANGUAGES):
            first = path.read_text(errors="replace").split("\n", 1)[0]
            about = re.sub(r"^(/\*+|//|#!?\S*)\s*|\s*\*/$", "", first).removeprefix(f"{path.name} - ")
            rows.append(f"| `{path.name}` | {html.escape(about).replace('|', '&#124;')} |")
        return "\n".join(rows) + "\n"


def code(source):
    """A page that shows a file."""
    body = source.read_text(errors="replace")
    return f"# {source.relative_to(ROOT)}\n\n" + "".join(f"    {line}\n" for line in body.replace("\t", mkdocs_hooks.TAB).split("\n"))


def for_python_markdown(text):
    """Comments for the tests go; a list that follows a paragraph without an empty line gets one, which mkdocs' Markdown needs."""
    text = re.sub(r"^[ \t]*<!--.*?-->[ \t]*\n", "", text, flags=re.M | re.S).replace("\t", mkdocs_hooks.TAB)
    plain = markdown_links.without_code(text).split("\n")
    lines, out = text.split("\n"), []
    for i, line in enumerate(lines):
        starts = re.match(r"([-*]|\d+\.) ", plain[i])
        before = plain[i - 1] if i else ""
        if starts and before.strip() and not re.match(r"([-*]|\d+\.) |\s", before):
            out.append("")
        out.append(re.sub(r"^(   ?)(?=[^ ])", "    ", line) if in_list(plain, i) else line)
    return "\n".join(out)


def in_list(plain, i):
    """Whether line i continues an item of a list (three spaces are enough elsewhere, mkdocs' Markdown wants four)."""
    while i > 0 and plain[i].startswith(("  ", "   ")) and not plain[i].startswith("    "):
        i -= 1
        if re.match(r"([-*]|\d+\.) ", plain[i]):
            return True
    return False


def title(source):
    """The heading of a page, as a string of YAML."""
    return json.dumps(markdown_links.headings(source.read_text())[0][1], ensure_ascii=False)


def output(raddle, *words):
    done = subprocess.run([raddle, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"stage.py: 'raddle {' '.join(words)}' failed: {done.stderr.strip()}")
    return done.stdout


def block(text):
    return "```text\n" + text.strip("\n") + "\n```\n"


def commands(raddle):
    """The help of the driver: what it lists under `raddle help`, then a page for each."""
    overview = output(raddle, "help")
    topics = dict.fromkeys(re.findall(r"^  raddle (?:help )?([a-z+]+(?: variables)?)(?= |$)", overview, re.M))
    parts = ["# Commands", "", "What `raddle help` prints, and `raddle help COMMAND` for each command.", "", block(overview)]
    for topic in topics:
        if topic != "help":
            parts += [f"## raddle {topic}" if f"raddle {topic} " in overview else f"## {topic}", "", block(output(raddle, "help", *topic.split()))]
    return "\n".join(parts)


def lists(raddle):
    """What `raddle list` prints."""
    parts = ["# Strategies, detectors, findings, operations", "", "What `raddle list` prints.", ""]
    for name in ("strategies", "detectors", "findings", "operations"):
        parts += [f"## {name.capitalize()}", "", block(output(raddle, "list", name))]
    return "\n".join(parts)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--raddle", default=ROOT / "build" / "raddle", help="the driver whose help becomes pages")
    p.add_argument("out", type=Path)
    args = p.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    args.out.mkdir(parents=True)
    shutil.copytree(SITE / "theme", args.out / "theme")
    if not JQUERY.is_file():
        sys.exit(f"stage.py: cannot open '{JQUERY}': install libjs-jquery")
    shutil.copy(JQUERY, args.out / "theme/js/jquery-3.6.0.min.js")  # the name that the theme's template has
    pages = Pages(args.out / "pages")
    pages.out.mkdir()
    (pages.out / "commands.md").write_text(commands(args.raddle))
    (pages.out / "lists.md").write_text(lists(args.raddle))
    for source in sorted(DOCS.rglob("*")):
        if source.suffix in (".md", ".svg", ".png"):
            pages.add(source)
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"):
        pages.add(ROOT / name)
    shutil.copy(SITE / "raddle.css", pages.out)
    shutil.copy(SITE / "mkdocs_hooks.py", args.out)
    menu = (SITE / "mkdocs.yml").read_text()
    others = [s for s in sorted(DOCS.glob("*.md")) if f": {s.name}\n" not in menu]
    if others:
        menu += "  - More:\n" + "".join(f"      - {title(s)}: {s.name}\n" for s in others)
    (args.out / "mkdocs.yml").write_text(menu)


if __name__ == "__main__":
    main()
