"""The documentation: its commands are executed (run_page.py), its links lead somewhere."""
import re
import subprocess
import sys

import run_page
from common import ROOT, Failure

sys.path.insert(0, str(ROOT / "site"))
import markdown_links  # noqa: E402

def pages():
    """All Markdown files that belong to the project."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split() if listed.returncode == 0 else []
    return [ROOT / n for n in names] or [p for d in ("", "docs", "examples", "bench") for p in (ROOT / d).glob("*.md")]


def execute(tools, page):
    """Executes a page; what it prints must be what it shows."""
    path = ROOT / page
    try:
        done = run_page.Page(path, tools.dir(f"docs_{page.replace('/', '_')}"), [tools.raddle.parent]).execute()
    except run_page.PageError as e:
        raise Failure(str(e), f"tests/e2e/run_page.py --path {tools.raddle.parent} {page}") from None
    if done.differences:
        raise Failure("\n".join(done.differences), f"tests/e2e/run_page.py --path {tools.raddle.parent} {page}")
    if not done.commands and not done.skipped:
        raise Failure(f"no command of {page} was executed")
    return f"{done.commands} commands" + (f", {done.skipped}" if done.skipped else "")


def test_tutorial(tools):
    """The tutorial, from the flaky test to the proof."""
    return execute(tools, "docs/tutorial.md")


def dead_links(path, text, text_of):
    """The relative links of a file that lead nowhere. text_of(path): the text of another file, None if there is none."""
    for start, _, target, _ in markdown_links.links(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        where = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, start) + 1}: '{target}'"
        found = text if other == path else text_of(other)
        if found is None:
            yield f"{where}: no such file"
        elif anchor and anchor not in markdown_links.anchors(found):
            yield f"{where}: no such heading"


def read(path):
    """The text of a file, "" for a folder, None if there is none."""
    return path.read_text(errors="replace") if path.is_file() else "" if path.is_dir() else None


def test_links(_):
    """Every relative link of every Markdown file leads to a file, and to a heading in it."""
    found, count = [], 0
    for path in pages():
        text = path.read_text()
        count += len(markdown_links.links(text))
        found += dead_links(path, text, read)
    if found:
        raise Failure("\n".join(found))
    return f"{count} links"


def test_links_checked(_):
    """The check of links sees a dead one, and takes no code for a link."""
    text = ("# A `b` c\n[x](y.md) [y](z.md#two-words) [z](#a-b-c) [w](z.md#three)\n```text\n[code](no.md)\n```\n\n    [code](no.md)\n\n"
            "`[code](no.md)` ![image](i.png)\n[web](https://example.org/no)\n")
    others = {ROOT / "docs/z.md": "## Two words\n"}
    found = [w.split(": ", 1)[1] for w in dead_links(ROOT / "docs/t.md", text, others.get)]
    wanted = ["'y.md': no such file", "'z.md#three': no such heading", "'i.png': no such file"]
    if found != wanted:
        raise Failure(f"dead links {found}, expected {wanted}")


def differences(tools, name, text):
    """What is wrong with a page of this text."""
    work = tools.dir(f"docs_{name}")
    (work / "page.md").write_text(text)
    return run_page.Page(work / "page.md", work / "run", [tools.raddle.parent]).execute().differences


def test_run_page(tools):
    """The runner of pages notices what is wrong with a page, and only that."""
    right = ("Save this as `a.txt`:\n\n```text\none\ntwo\nthree\n```\n\n```console\n$ cat a.txt\none\n...\nthree\n$ export X=5; cd /\n"
             "$ echo \\\n> $X in 0.5 s\n5 in 12.25 s\n$ false; pwd; (exit 3)\n/\n$ echo $?\n3\n$ seq 9\n1\n...\n4\n5\n...\n```\n\n"
             "<!-- not run: it is not there -->\n```console\n$ no-such-command\n```\n")
    found = differences(tools, "right", right)
    if found:
        raise Failure("\n".join(found))
    for name, block in {"value": "$ echo 6\n5", "missing": "$ echo a\na\nb", "more": "$ printf 'a\\nb\\n'\na", "failed": "$ false",
                        "order": "$ seq 3\n...\n3\n...\n2", "last": "$ seq 3\n...\n2"}.items():
        if len(differences(tools, name, f"```console\n{block}\n```\n")) != 1:
            raise Failure(f"a page whose command fails or prints something else passes: {block}")
