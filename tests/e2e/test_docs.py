"""The documentation: its commands are executed (run_page.py), its links lead somewhere."""
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import run_page
from common import ROOT, Failure, run

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


SLOW_PAGES = ("docs/servers.md", "docs/evaluation.md")


def add_test(page):
    """A test of its own for a page, so that pages are executed at the same time: test_page_docs_tutorial."""
    def test(tools):
        return execute(tools, page)
    test.slow = page in SLOW_PAGES
    test.__doc__ = f"The commands of {page}."
    globals()["test_page_" + re.sub(r"\W", "_", page.removesuffix(".md"))] = test


for path in pages():
    if any(step.kind == "run" for step in run_page.parse(path.read_text())):
        add_test(str(path.relative_to(ROOT)))
assert "test_page_docs_tutorial" in globals()  # the pages were found


LANGUAGES = "console text sh c cpp make yaml json diff groovy cmake csv xml".split()
FILE = re.compile(r"`[^` ]+`(, executable)?:\s*$")  # the block below is a file: it is no command, and is tested where it is used
COMMAND = re.compile(r"\s*(\$ |(raddle|raddle-cc|raddle-c\+\+|make|cmake|ctest|gcc|g\+\+|clang|cc|meson|python3|apt-get|sudo|export|build/\w+) [^|]*$)")


def unexecuted(text):
    """(line, what) of what looks like commands and is neither executed nor marked with the reason."""
    skip = saved = False
    for at, language, body in run_page.blocks(text.splitlines()):
        if language is None:
            line = body[0]
            if line.startswith("    ") and not (skip or saved) and COMMAND.match(line):
                yield at + 1, "commands that are not executed: " + line.strip()
            if line.strip() and not line.startswith("    "):
                skip, saved = bool(re.match(r"<!-- not run: .", line)), bool(FILE.search(line))
            continue
        if language not in LANGUAGES:
            yield at, f"a block of the language '{language}', which is none of: {' '.join(LANGUAGES)}"
        if language != "console" and not skip and not saved and any(COMMAND.match(line) for line in body):
            yield at, "commands that are not executed: " + body[0]
        skip = saved = False


def test_commands_are_executed(_):
    """Every block of commands in a page is executed, or says why not."""
    found = []
    for path in pages():
        name = str(path.relative_to(ROOT))
        if re.match(r"docs/|README|examples/", name):
            found += [f"{name}:{line}: {what}" for line, what in unexecuted(path.read_text())]
    if found:
        raise Failure("\n".join(found))
    seen = [what for _, what in unexecuted("```sh\nmake x\n```\n\n    raddle run ./x\n\n<!-- not run: y -->\n```sh\nmake\n```\n```foo\n```\n")]
    if len(seen) != 3:
        raise Failure(f"the check sees {seen}, expected 3")


def test_options_exist(tools):
    """The commands and options of Raddle that a page names are those that the driver has."""
    known = {"": run([tools.raddle, "help"]).expect(0).out}
    commands = re.findall(r"^  raddle (\S+)", known[""], re.M)
    everything = "\n".join(run([tools.raddle, "help", c]).out for c in dict.fromkeys(commands))
    known_options = set(re.findall(r"--[a-z][a-z-]*", everything)) | {"--help", "--version"}
    found, count = [], 0
    for path in pages():
        name = str(path.relative_to(ROOT))
        if not re.match(r"docs/|README|examples/", name):
            continue
        text = path.read_text()
        words = re.findall(r"`raddle ([^`]+)`", text) + re.findall(r"^\$ (?:\w+=\S+ )*raddle (.*)$", text, re.M)
        for used in words:
            first = used.split()[0]
            count += 1
            if re.fullmatch(r"[a-z+]+", first) and first not in commands and first not in ("help", "gcc", "clang", "clang++"):
                found.append(f"{name}: there is no command 'raddle {first}'")
            if first in ("run", "replay", "show", "list", "bench", "compare", "test"):
                for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]*)", used.split(" -- ")[0]):
                    if option not in known_options:
                        found.append(f"{name}: 'raddle {first}' has no option {option}")
    if found:
        raise Failure("\n".join(found))
    return f"{count} uses"


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


class Html(HTMLParser):
    """The anchors of a page, its links, and what the browser loads with it."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.ids |= {a[k] for k in ("id", "name") if a.get(k)}
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        self.loads += [a[k] for k in ("src", "data", "srcset") if a.get(k)]
        if tag == "link" and a.get("rel") != "canonical":
            self.loads.append(a.get("href", ""))


def test_site(tools):
    """mkdocs builds the site without a warning; every link on it leads somewhere on it, and no page loads anything from elsewhere."""
    if not shutil.which("/usr/bin/mkdocs"):
        return "skipped: no mkdocs"
    work = tools.dir("docs_site")
    run([sys.executable, ROOT / "site/stage.py", "--raddle", tools.raddle, work / "source"]).expect(0)
    done = run(["/usr/bin/mkdocs", "build", "--strict", "--quiet", "-f", work / "source/mkdocs.yml", "-d", work / "site"],
               env={"PYTHONPATH": str(ROOT / "site"), "PYTHONDONTWRITEBYTECODE": "1"}).expect(0)
    if done.text.strip():
        done.fail("mkdocs complains")
    html = {p: Html(p.read_text()) for p in (work / "site").rglob("*.html") if p.name != "404.html"}
    wrong = []
    for path, page in html.items():
        name = path.relative_to(work / "site")
        for link in page.links:
            target, _, anchor = unquote(link).partition("#")
            other = (path.parent / target).resolve() if target else path
            if re.match(r"[a-z]+:|//", link):
                wrong += [f"{name}: a link to another host: {link}"] if re.match("https?:|//", link) else []
            elif not other.exists():
                wrong.append(f"{name}: no such page: {link}")
            elif anchor and other in html and anchor not in html[other].ids:
                wrong.append(f"{name}: no such heading: {link}")
        for load in page.loads:
            if not load.startswith("data:") and (re.match(r"[a-z]+:|//", load) or not (path.parent / load.partition("?")[0]).exists()):
                wrong.append(f"{name}: loads {load}, which is not on the site")
    for sheet in (work / "site").rglob("*.css"):
        wrong += [f"{sheet.name}: loads {u}" for u in re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^)\"']+)", sheet.read_text())]
    if "\n\t./queue_test\n" not in (work / "site/tutorial.html").read_text():
        wrong.append("tutorial.html: the Makefile has lost its tabs")
    if wrong:
        raise Failure("\n".join(wrong[:20]))
    return f"{len(html)} pages"


test_site.slow = True


def loaded(path):
    """A YAML file as Python's objects. Debian's interpreter has the reader, another one in PATH may not."""
    code = "import json, sys, yaml; json.dump(yaml.load(open(sys.argv[1]), yaml.BaseLoader), sys.stdout)"
    return json.loads(run(["/usr/bin/python3", "-c", code, path]).expect(0).out)


def ci_project(tools, name):
    """The project of docs/ci.md after the commands of the page, with an empty cache; the environment of its jobs."""
    page = run_page.Page(ROOT / "docs/ci.md", tools.dir(name), [tools.raddle.parent]).execute()
    if page.differences:
        raise Failure("\n".join(page.differences))
    for made in ("build-raddle", "raddle-out", "raddle-reports"):
        shutil.rmtree(page.work / made)
    return page.work, page.env


def job(work, env, commands, status, made):
    """Runs the shell commands of a job; only the last one may fail. What the job keeps must be there afterwards."""
    for i, command in enumerate(commands):
        done = run(["env", "-i", *(f"{k}={v}" for k, v in env.items()), "sh", "-c", command], cwd=work)
        done.expect(status if i == len(commands) - 1 else 0)
    for path in made:
        if not list(work.glob(path)):
            raise Failure(f"the job keeps '{path}', which is not there after its commands")
    return done.out


def check_junit(work):
    suites = [ElementTree.parse(f).getroot() for f in sorted((work / "raddle-reports").glob("*.xml"))]
    failures = [len(list(s.iter("failure"))) for s in suites]
    if failures != [0, 1]:
        raise Failure(f"{failures} failures in the reports of counter_test and stack_test, expected 0 and 1")


def test_ci_github(tools):
    """The workflow of docs/ci.md for GitHub: its commands are executed, and make what the other steps upload."""
    if not shutil.which("ccache"):
        return "skipped: no ccache"
    work, env = ci_project(tools, "docs_ci_github")
    flow = loaded(work / ".github/workflows/raddle.yml")
    (schedules,) = flow["jobs"].values()
    steps = schedules["steps"]
    if any(("run" in s) == ("uses" in s) for s in steps) or not flow["on"] or "runs-on" not in schedules:
        raise Failure("a step has not exactly one of 'run' and 'uses', or the job has no machine or event")
    upload, keep = (next(s["with"] for s in steps if word in s.get("uses", "")) for word in ("upload-sarif", "upload-artifact"))
    commands = [s["run"] for s in steps if "run" in s and s["name"] != "Install"]
    summary = work / "summary.md"
    env = dict(env, GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(work), GITHUB_STEP_SUMMARY=str(summary))
    out = job(work, env, commands, 1, [*keep["path"].split(), upload["sarif_file"] + "/*.sarif", ".ccache"])
    if not re.search(r"^::error .*file=stack_test\.c,line=", out, re.M):
        raise Failure("no annotation for stack_test.c:\n" + out)
    if "top == 2" not in summary.read_text():
        raise Failure("the summary does not tell the finding:\n" + summary.read_text())
    rules = [r["ruleId"] for r in json.loads((work / "raddle-reports/stack_test.sarif").read_text())["runs"][0]["results"]]
    if "assertion" not in rules:
        raise Failure(f"the SARIF of stack_test has {rules}, no assertion")


def test_ci_gitlab(tools):
    """The same for GitLab."""
    if not shutil.which("ccache"):
        return "skipped: no ccache"
    work, env = ci_project(tools, "docs_ci_gitlab")
    flow = loaded(work / ".gitlab-ci.yml")
    schedules = flow["schedules"]
    if schedules["stage"] not in flow["stages"]:
        raise Failure("the job's stage is not among the stages")
    env = dict(env, CI_PROJECT_DIR=str(work), CCACHE_DIR=schedules["variables"]["CCACHE_DIR"].replace("$CI_PROJECT_DIR", str(work)))
    kept = schedules["artifacts"]
    job(work, env, schedules["script"], 1, [*kept["paths"], kept["reports"]["junit"], *schedules["cache"]["paths"]])
    check_junit(work)


def test_ci_jenkins(tools):
    """The same for Jenkins, as far as it can be known without one."""
    if not shutil.which("ccache"):
        return "skipped: no ccache"
    work, env = ci_project(tools, "docs_ci_jenkins")
    text = (work / "Jenkinsfile").read_text()
    code = re.sub(r"'[^']*'|\"[^\"]*\"", "''", text)
    if code.count("{") != code.count("}") or not text.startswith("pipeline {"):
        raise Failure("the blocks of the pipeline do not close")
    archived = re.search(r"archiveArtifacts artifacts: '([^']*)'", text)[1].split(", ")
    job(work, env, re.findall(r"^ *sh '([^']*)'$", text, re.M), 1, [*archived, re.search(r"junit testResults: '([^']*)'", text)[1]])
    check_junit(work)


for one in (test_ci_gitlab, test_ci_jenkins):
    one.slow = True
