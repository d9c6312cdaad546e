"""The documents of raddle test: JSON by its published schema, one run of SARIF, annotations and summary of GitHub, pages."""
import json
import re
import urllib.parse
import warnings
from html.parser import HTMLParser
from pathlib import Path

import jsonschema

import test_formats as formats
import test_frameworks as frameworks
import test_page as page
from browser import Browser
from common import KINDS, run

HOSTILE = "Odd.::error::x ##[error]y </script><b>'\"&amp; | @octocat `a`"
RESULTS = {"Bugs.Two": "bug", "Bugs.SameRace": "bug", "Bugs.SameCheck": "bug", "Good.Careful": "passed", "Good.DISABLED_Off": "disabled",
           "Run.twin:": "trouble", "Run.twin-": "trouble", HOSTILE: "bug"}


def check_json(done, document):
    """Valid by the published schemas: that of raddle test, and that of raddle run for each run in it."""
    schema = json.loads((formats.PUBLISHED / "test-1.schema.json").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of jsonschema have another class for this
        resolver = jsonschema.RefResolver(formats.PUBLISHED.as_uri() + "/", schema)
        for error in jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors(document):
            done.fail(f"JSON: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    for test in document["tests"]:
        if test["run"]:
            formats.check_json(done, test["run"])
    if document["exit_status"] != done.status:
        done.fail(f"JSON: exit status {document['exit_status']}")


def run_tests(tools, work, options, program, env=None):
    """Runs raddle test; returns the command and its JSON document."""
    path = work / "tests.json"
    command = [tools.raddle, "test", "-j", "1", *options, "--json", path, program]
    done = run(command, cwd=work, env={**formats.NOT_ON_GITHUB, **(env or {})})
    document = json.loads(path.read_text())
    check_json(done, document)
    return done, document


def check_sarif(done, document, path):
    """Valid; the results are those of the JSON document, each with its test, its invocation and the right rule."""
    log = json.loads(Path(path).read_text())
    schema = json.loads((formats.SCHEMAS / "sarif.schema.json").read_text())
    for error in jsonschema.Draft7Validator(schema).iter_errors(log):
        done.fail(f"SARIF: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    found, = log["runs"]
    rules = [r["id"] for r in found["tool"]["driver"]["rules"]]
    own, *invocations = found["invocations"]
    ran = [t for t in document["tests"] if t["run"]]
    if rules != KINDS or own["exitCode"] != done.status or own["arguments"][0] != "test":
        done.fail(f"SARIF: rules {rules}, the command's own invocation {own}")
    if [i["properties"]["test"] for i in invocations] != [t["name"] for t in ran]:
        done.fail("SARIF: other invocations")
    for invocation, test in zip(invocations, ran):
        words = invocation["arguments"]
        if words[words.index("--") + 1:] != [test["program"], *test["arguments"]] or "/proc/" in invocation["commandLine"]:
            done.fail(f"SARIF: {words} are not the arguments of {test['name']}")
        if invocation["exitCode"] != test["run"]["exit_status"]:
            done.fail(f"SARIF: exit code {invocation['exitCode']} of {test['name']}")
    lost = [t for t in document["tests"] if t["result"] in ("trouble", "not_run") and not t["run"]]
    if [n["message"]["text"] for n in own.get("toolExecutionNotifications", [])] != [f"test {t['name']}: {t['result']}: {t['text']}" for t in lost]:
        done.fail("SARIF: other notifications")
    wanted = sorted((t["name"], f["schedule"], f["kind"], f["line"]) for t in ran for f in t["run"]["findings"] + t["run"]["warnings"])
    results = sorted((r["properties"]["test"], r["properties"]["schedule"], rules[r["ruleIndex"]],
                      r["locations"][0]["physicalLocation"].get("region", {}).get("startLine", 0)) for r in found["results"])
    if results != wanted:
        done.fail(f"SARIF: results {results}, expected {wanted}")
    for r in found["results"]:
        test = invocations[r["provenance"]["invocationIndex"] - 1]["properties"]["test"]
        if r["ruleId"] != rules[r["ruleIndex"]] or test != r["properties"]["test"] or not r["message"]["text"].endswith(f"\nTest: {test}"):
            done.fail(f"SARIF: a result of {r['properties']['test']} says it is of {test}: {r['message']}")
        formats.check_flow(done, r)
    return found


def fingerprints(found, kind):
    return {(r["properties"]["test"]): r["partialFingerprints"]["raddleFinding/v1"] for r in found["results"] if r["ruleId"] == kind}


def test_documents_of_tests(tools):
    """JSON and SARIF of tests with two bugs, the same bug, trouble, and a name that logs could obey."""
    work = tools.dir("test-documents")
    program = frameworks.build(tools, "hostile_gtest.cc")
    done, document = run_tests(tools, work, ["-k", "--sarif", "tests.sarif"], program)
    done.expect(1)
    results = {t["name"]: t["result"] for t in document["tests"]}
    if results != RESULTS:
        done.fail(f"the results are {results}")
    found = check_sarif(done, document, work / "tests.sarif")
    races, checks = fingerprints(found, "data-race"), fingerprints(found, "exit-status")
    if set(races) != {"Bugs.Two", "Bugs.SameRace", HOSTILE} or len(set(races.values())) != 1:
        done.fail(f"the same race has the fingerprints {races}")
    if set(checks) != {"Bugs.Two", "Bugs.SameCheck"} or len(set(checks.values())) != 2:
        done.fail(f"failed checks of two tests have the fingerprints {checks}")
    if found["automationDetails"]["id"] != f"raddle/test/{program.name}/":
        done.fail(f"the category is {found['automationDetails']['id']}")
    one = [tools.raddle, "test", "-j", "1", "--sarif", "-"]
    done = run([*one, "--shard", "2/4", "--filter", "Bugs.*", program], cwd=work, env=formats.NOT_ON_GITHUB).expect(1)
    part = json.loads(done.out)["runs"][0]
    if {r["properties"]["test"] for r in part["results"]} != {"Bugs.SameRace"}:
        done.fail("the shard has other results")
    category = part["automationDetails"]["id"]
    if not category.startswith(f"raddle/test/{program.name}/shard-2-of-4/filter-"):
        done.fail(f"the category of a part is {category}")


def test_options_after_programs(tools):
    """Options of raddle test stand before the programs; another place is a mistake, and the message says so."""
    program = frameworks.build(tools, "gtest.cc")
    for words in (["--filter", "Bank.*"], ["-j", "2"], [program, "--gtest_filter=Bank.*"]):
        option = next(w for w in words if str(w).startswith("-"))
        done = run([tools.raddle, "test", program, *words]).expect_trouble(f"'{option}' follows a program", "before the programs", "after '--'")
    run([tools.raddle, "test", "--html", "-", program]).expect_trouble("--html", "folder")


def test_annotations_of_tests(tools):
    """An annotation for each finding and for trouble, one summary; no text of a program is obeyed, links or names anyone."""
    work = tools.dir("test-github")
    program = frameworks.build(tools, "hostile_gtest.cc")
    summary = work / "summary.md"
    env = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "me/it", "GITHUB_SHA": "0123abcd",
           "GITHUB_WORKSPACE": "/"}
    done, document = run_tests(tools, work, ["-k", "--github", "--progress", "always"], program, env=env)
    done.expect(1)
    lines = formats.obeyed(done.out)
    if formats.obeyed(done.err) != [l for l in done.err.splitlines() if "##[" in l] or "::error::x ##[error]y" not in done.out:
        done.fail("the table, which has the name of the test, is not in the log")
    findings = [(t["name"], f) for t in document["tests"] if t["run"] for f in t["run"]["findings"]]
    titles = [re.match(r"::error title=Raddle%3A (.*?)(?:,file=([^:,]*),line=(\d+),endLine=\3)?::(.*)$", l) for l in lines]
    if any(m is None or re.search(r"[\x00-\x1f\x7f]", m[0]) for m in titles):
        done.fail(f"the log has the commands {lines}")
    found = [(urllib.parse.unquote(m[1]), int(m[3])) for m in titles if m[2]]
    words = {"data-race": "data race", "exit-status": "wrong exit status"}
    again = [f["kind"] == "data-race" and name != "Bugs.Two" for name, f in findings]  # the same race in other tests comes last
    wanted = [(f"{words[f['kind']]} in {name}", f["line"]) for name, f in findings]
    if sum(again) != 2 or found != [w for w, a in zip(wanted, again) if not a] + [w for w, a in zip(wanted, again) if a]:
        done.fail(f"annotations {found}")
    if [urllib.parse.unquote(m[1]) for m in titles if not m[2]] != ["trouble with Run.twin:", "trouble with Run.twin-"]:
        done.fail(f"other troubles in {lines}")
    text = summary.read_text()
    rows = [l for l in text.splitlines() if l.startswith("| <code>")]
    bugs = [l for l in text.splitlines() if l.startswith("| bug |")]
    if text.count("### Raddle") != 1 or len(rows) != len(RESULTS) or len(bugs) != len(findings):
        done.fail(f"the summary is {text}")
    if any(l.count("|") != 5 for l in rows) or any(l.count("|") != 6 or "https://git.example/me/it/blob/0123abcd/" not in l for l in bugs):
        done.fail(f"the rows are {rows + bugs}")
    if re.search(r"</script>|<b>|##\[|`a`|[^>]&#64;octocat|@octocat", text):
        done.fail("the summary has the name of the test as it is")


def test_annotations_without_bugs(tools):
    """A notice where nothing is wrong; the log goes to standard error if a document has standard output; summaries that are full."""
    work = tools.dir("test-github-clean")
    program = frameworks.build(tools, "hostile_gtest.cc")
    command = [tools.raddle, "test", "-j", "1", "--github", "--filter", "Good.*"]
    done = run([*command, program], cwd=work, env=formats.NOT_ON_GITHUB).expect(0)
    notice, = formats.obeyed(done.out)
    if not re.match(r"::notice title=Raddle%3A no bug found::2 tests: 1 passed, 1 disabled; ", notice) or not done.out.endswith(notice + "\n"):
        done.fail(f"the log has the command {notice}")
    summary = work / "summary.md"
    summary.write_bytes(b"x" * ((1 << 20) - 200))
    done = run([*command, "--json", "-", program], cwd=work, env={**formats.NOT_ON_GITHUB, "GITHUB_STEP_SUMMARY": str(summary)}).expect(0)
    check_json(done, json.loads(done.out))
    if [l.split(" title=")[0] for l in formats.obeyed(done.err)] != ["::notice"] or "2 of the tests are not shown" not in summary.read_text():
        done.fail("the summary is not cut to its room")
    done = run([*command, program], cwd=work, env={**formats.NOT_ON_GITHUB, "GITHUB_STEP_SUMMARY": str(work / "none" / "x")}).expect(0)
    if "::warning title=Raddle%3A no summary of raddle test::" not in done.out:
        done.fail("nothing is said about a summary that cannot be written")
    done = run([tools.raddle, "test", "--github", "./##[error]none"], cwd=work, env=formats.NOT_ON_GITHUB)
    done.expect(2)
    if "##[error]none" not in done.err or not re.fullmatch(r"::stop-commands::(\w{32})\n::\1::\n", done.out):
        done.fail("the log is obeyed while tests are listed")


class Links(HTMLParser):
    """The links and the elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.tags, self.text, self.rows = [], [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [v for k, v in attributes if k in ("href", "src")]
        if tag == "tr":
            self.rows.append((dict(attributes).get("class"), []))

    def handle_data(self, data):
        self.text += data
        if self.rows and self.tags[-1] in ("th", "td", "a"):
            self.rows[-1][1].append(data.strip())


def test_pages_of_tests(tools):
    """An index with every test; its links lead to pages; the names of tests are text; it needs no network."""
    work = tools.dir("test-pages")
    program = frameworks.build(tools, "hostile_gtest.cc")
    for _ in range(2):  # the folder may have pages already
        done, document = run_tests(tools, work, ["-k", "--html", "pages/all"], program)
        done.expect(1)
    folder = work / "pages/all"
    text = (folder / "index.html").read_text()
    links = Links(text)
    local = [l for l in links.links if not l.startswith("data:")]
    if any(not (folder / urllib.parse.unquote(l)).is_file() or not l.startswith("./") for l in local):
        done.fail(f"the index has the links {local}")
    findings = sum(len(t["run"]["findings"]) for t in document["tests"] if t["run"])
    if len([l for l in local if not l.endswith("/index.html")]) != findings or len(local) != findings + sum(bool(t["run"]) for t in document["tests"]):
        done.fail(f"{findings} findings, and the links {local}")
    classes = {"bug": "bug", "passed": "passed", "disabled": "off", "trouble": "warning"}
    rows = [(c, cells[0]) for c, cells in links.rows if c]
    if rows != [(classes[result], name) for name, result in RESULTS.items()]:
        done.fail(f"the rows are {rows}")
    if "b" in links.tags or links.tags.count("script") != 1 or re.search(r"https?://(?!www\.w3\.org/)", text):
        done.fail("the page has markup of a test's name, or addresses")
    hidden = [p for p in folder.iterdir() if p.name.startswith(".")]
    if hidden:
        done.fail(f"folders are left: {hidden}")
    for test in document["tests"]:
        if test["run"]:
            index = (folder / next(f["schedule"].split("/")[-2] for f in test["run"]["findings"]) / "index.html") if test["run"]["findings"] else None
            if index and not Links(index.read_text()).links:
                done.fail("the index of a test is empty")


def test_published_sarif_schema_of_tests(tools):
    """The log of all tests by the published schema of SARIF 2.1.0."""
    work = tools.dir("test-sarif-published")
    schema = formats.published_sarif_schema(work)
    done, _ = run_tests(tools, work, ["-k", "--sarif", "tests.sarif"], frameworks.build(tools, "hostile_gtest.cc"))
    for error in jsonschema.Draft7Validator(schema).iter_errors(json.loads((work / "tests.sarif").read_text())):
        done.fail(f"SARIF: {'/'.join(map(str, error.path))}: {error.message[:300]}")


test_published_sarif_schema_of_tests.slow = True


def test_pages_of_two_rounds(tools):
    """A test that runs twice has the pages of the run that counts, and nothing of the other one is left."""
    work = tools.dir("test-pages-rounds")
    program = tools.compile(frameworks.HERE.parent / "stop.c", mode="plain")
    folder = work / "pages"
    done = run([tools.raddle, "test", "-s", "dfs", "-t", "4", "-j", "1", "--html", folder, "--json", "tests.json", "--sarif", "tests.sarif",
                program, "--", "many"], cwd=work, env=formats.NOT_ON_GITHUB).expect(0)
    test, = json.loads((work / "tests.json").read_text())["tests"]
    if sorted(p.name for p in folder.iterdir()) != sorted(["index.html", program.name]) or not test["run"] or test["elapsed_s"] < 1:
        done.fail(f"the folder has {list(folder.iterdir())}, and the test took {test['elapsed_s']} s")
    number = f"{test['executions']:,} executions, "
    if number not in (folder / program.name / "index.html").read_text():
        done.fail(f"the page of the test is not of its result, {number}")
    check_sarif(done, json.loads((work / "tests.json").read_text()), work / "tests.sarif")


test_pages_of_two_rounds.slow = True


def test_pages_of_tests_look(tools):
    """The index in a browser, light and dark, wide and narrow: it fits, its texts have contrast, its links lead to pages."""
    work = tools.dir("test-pages-look")
    run_tests(tools, work, ["-k", "--html", "pages"], frameworks.build(tools, "hostile_gtest.cc"))
    with Browser(work) as browser:
        browser.open(work / "pages/index.html")
        for width in (1280, 800, 500):
            browser.size(width, 900)
            browser.settle()
            wide = browser.run("return document.documentElement.scrollWidth")
            page.check(wide <= width, f"the page is {wide} wide at {width}")
        for scheme in ("light", "dark"):
            browser.media(prefers_color_scheme=scheme)
            low = browser.run(page.CONTRAST)
            page.check(not low, f"{scheme}: too little contrast: {low}")
        page.check(browser.run("return document.querySelectorAll('.tests tbody tr').length") == len(RESULTS), "other rows")
        browser.size(1280, 900)  # a link on one line has its middle in its text
        for selector, words in ((".tests a", "bugs found"), (".found a", "data race")):
            browser.open(work / "pages/index.html")
            browser.click(selector)
            browser.settle()
            title = browser.run("return document.title")
            page.check(words in title, f"{selector} leads to '{title}'")
        page.calm(browser)


test_pages_of_tests_look.slow = True
