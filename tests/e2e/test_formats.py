"""The documents for CI systems: JUnit, SARIF, annotations of GitHub.

tests/e2e/schemas/junit.xsd and sarif.schema.json say, strictly, what Raddle writes; `test_published_sarif_schema` (slow)
checks the same documents against the published schema of SARIF, which it downloads.
"""
import json
import re
import subprocess
import urllib.parse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
from common import KINDS, ROOT, Failure, contracts, run
from test_isolation import UNSTEADY

SCHEMAS = Path(__file__).resolve().parent / "schemas"
PUBLISHED = ROOT / "share/raddle/schema"
NOT_ON_GITHUB = {"GITHUB_WORKSPACE": "", "GITHUB_STEP_SUMMARY": "", "GITHUB_SERVER_URL": "", "GITHUB_REPOSITORY": "", "GITHUB_SHA": ""}

# Names and texts that no format can hold as they are: the program has them in its messages and its output.
HOSTILE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *nothing(void *arg) { return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    fputs("\x1b[31m]]> <b>&amp;</b> \xff\xfe \xed\xa0\x80 \xef\xbf\xbf \x01 \r\n::error::injected\n"
          "a##[error]x | ::warning::y :tada: @octocat www.example.com https://example.com `a` %0A 100% \x1b[31m]]> <b>&amp;</b> \xff\xfe \xed\xa0\x80 \xef\xbf\xbf \x01\n", stderr);
    abort();
}
"""
HOSTILE_NAME = "a b,c:d%]]>&<x>.c"


def documents(tools, work, options, program, args=(), **how):
    """Runs `raddle run` with every format; returns the command, the JSON summary, and the paths of JUnit and SARIF."""
    junit, sarif = work / "junit.xml", work / "run.sarif"
    how.setdefault("env", NOT_ON_GITHUB)
    done, summary = tools.search(work, [*options, "--junit", junit, "--sarif", sarif], program, args, **how)
    check_json(done, summary)
    return done, summary, junit, sarif


def check_json(done, document, schema="run-1"):
    """Valid by the published schema, which allows no other key."""
    schema = json.loads((PUBLISHED / f"{schema}.schema.json").read_text())
    for error in jsonschema.Draft7Validator(schema).iter_errors(document):
        done.fail(f"JSON: {'/'.join(map(str, error.path))}: {error.message[:300]}")


def check_junit(done, summary, path):
    """Valid by the schema; the case says what the exit status says. Returns the test case."""
    check = subprocess.run(["xmllint", "--noout", "--schema", SCHEMAS / "junit.xsd", path], capture_output=True, text=True)
    if check.returncode != 0:
        done.fail(f"JUnit: {check.stderr}")
    suite = ElementTree.parse(path).getroot().find("testsuite")
    case, = suite.findall("testcase")
    bug = bool(summary["findings"])
    expected = (1, int(bug), int(done.status == 2 and not bug))
    if tuple(int(suite.get(k)) for k in ("tests", "failures", "errors")) != expected:
        done.fail(f"JUnit: {suite.attrib}, expected {expected}")
    if (case.find("failure") is not None, case.find("error") is not None) != (bug, expected[2] == 1):
        done.fail("JUnit: the case has not the result of the run")
    properties = {p.get("name"): p.get("value") for p in suite.find("properties")}
    if properties["raddle.executions"] != str(summary["executions"]) or properties["raddle.claim"] != summary["guarantee"]:
        done.fail(f"JUnit: properties {properties}")
    return case


def check_sarif(done, summary, path):
    """Valid by our schema; results, steps and rules agree with the JSON summary. Returns the run."""
    document = json.loads(Path(path).read_text())
    schema = json.loads((SCHEMAS / "sarif.schema.json").read_text())
    for error in jsonschema.Draft7Validator(schema).iter_errors(document):
        done.fail(f"SARIF: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    found, = document["runs"]
    rules = [r["id"] for r in found["tool"]["driver"]["rules"]]
    if rules != KINDS:
        done.fail(f"SARIF: rules {rules}")
    invocation, = found["invocations"]
    if invocation["exitCode"] != done.status or invocation["executionSuccessful"] != (done.status != 2):
        done.fail(f"SARIF: exit code {invocation['exitCode']}, successful {invocation['executionSuccessful']}")
    levels = sorted([("error", f["kind"]) for f in summary["findings"]] + [("warning", f["kind"]) for f in summary["warnings"]])
    if sorted((r["level"], r["ruleId"]) for r in found["results"]) != levels:
        done.fail(f"SARIF: results {[r['ruleId'] for r in found['results']]}, findings {levels}")
    by_schedule = {f["schedule"]: f for f in summary["findings"] + summary["warnings"]}
    for result in found["results"]:
        finding = by_schedule[result["properties"]["schedule"]]
        region = result["locations"][0]["physicalLocation"].get("region", {})
        if rules[result["ruleIndex"]] != result["ruleId"] or region.get("startLine", 0) != finding["line"]:
            done.fail(f"SARIF: rule {result['ruleIndex']}, region {region} of {finding['kind']}:{finding['line']}")
        check_flow(done, result)
    return found


def check_flow(done, result):
    """Every thread has one flow, in the order of its steps; no step is there twice but the end, which several may have."""
    flows = result["codeFlows"][0]["threadFlows"] if "codeFlows" in result else []
    if len({f["id"] for f in flows}) != len(flows):
        done.fail("SARIF: a thread has two flows")
    orders = []
    for flow in flows:
        steps = [l["executionOrder"] for l in flow["locations"]]
        if steps != sorted(set(steps)):
            done.fail(f"SARIF: steps of {flow['id']} are not in order: {steps}")
        for at, location in zip(steps, flow["locations"]):
            text = location["location"]["message"]["text"]
            if text.startswith("step ") and not text.startswith(f"step {at}: "):
                done.fail(f"SARIF: step {at} is called '{text}'")
            orders += [at] if text.startswith("step ") else []
    if len(orders) != len(set(orders)):
        done.fail("SARIF: a step belongs to two threads")
    shown = re.match(r"The execution, (\d+) of its (\d+) steps\.$", result["codeFlows"][0]["message"]["text"]) if flows else None
    if flows and (int(shown[1]) != len(orders) or max(orders) > int(shown[2])):
        done.fail(f"SARIF: {len(orders)} steps, '{shown[0]}'")


def one_of_each_kind(tools, work):
    """For each kind of findings the options, the binary and the arguments of a run that has it: from the contracts of
    tests/programs, or, for kinds that need more than a program, from here."""
    good, _ = contracts(["bug/", "hooks/"])
    found = {}
    for c in sorted(good, key=lambda c: (c.slow, c.source.suffix != ".c", c.cost(), c.name)):
        if "gcc" in c.compilers and "hooks" in c.modes and c.status == 1 and len(c.kinds) == 1 and c.expect not in found:
            found[c.expect] = (c.options, tools.compile(c.source, flags=c.flags), c.args)
    expected = work / "expected"
    expected.write_text("something else\n")
    found["output"] = (["--expect-output", expected], tools.program("ok/gambit_2x2.c"), [])
    deadlocks = tools.compile(Path(__file__).parent / "deadlocks.c")
    found["predicted-deadlock"] = (["-s", "random", "-n", "20", "--detect", "all", "--fail-on-predicted"], deadlocks, ["data"])
    missing = sorted(set(KINDS) - set(found))
    if missing:
        raise Failure(f"no program for the kinds {missing}")
    return found


def test_every_kind_in_every_format(tools):
    """JUnit and SARIF of one program for each kind of findings."""
    for kind, (options, program, args) in one_of_each_kind(tools, tools.dir("formats-kinds")).items():
        work = tools.dir(f"formats-{kind}")
        done, summary, junit, sarif = documents(tools, work, [*options, "--github"], program, args)
        done.expect(1)
        failure = check_junit(done, summary, junit).find("failure")
        first = summary["findings"][0]
        if failure.get("type") != first["kind"] or "replay:" not in failure.text or first["schedule"] not in failure.text:
            done.fail(f"JUnit: a failure of type {failure.get('type')} without the report")
        check_sarif(done, summary, sarif)
        annotations = re.findall("^::(error|warning) title=Raddle%3A ", done.out, re.M)
        if annotations.count("error") != len(summary["findings"]) or annotations.count("warning") != len(summary["warnings"]):
            done.fail(f"annotations: {annotations}")


def test_json_schema(tools):
    """The JSON of every strategy, with outcomes, and of the variables agrees with its published schema, and says what was run."""
    work = tools.dir("formats-schema")
    for name in ("run-1", "variables-1"):
        jsonschema.Draft7Validator.check_schema(json.loads((PUBLISHED / f"{name}.schema.json").read_text()))
    program = tools.program("ok/gambit_2x2.c")
    listed = run([tools.raddle, "list", "strategies"]).expect(0).out
    strategies = [w for w in re.findall(r"^([a-z]+)\s+\S", listed, re.M) if w != "strategies"]
    if len(strategies) < 15:
        raise Failure(f"only the strategies {strategies} are listed")
    for strategy in strategies:
        done, summary = tools.search(work, ["-s", strategy, "-n", "15", "--seed", "7", "--outcomes"], program, ["a b", "\udcff"],
                                     env={"OMP_NUM_THREADS": "2"})
        check_json(done.expect(0), summary)
        said = summary["arguments"], summary["seed"], summary["exit_status"], summary["environment"]["OMP_NUM_THREADS"]
        if said != (["a b", "\ufffd"], 7, 0, "2") or summary["command"][:2] != ["raddle", "run"]:
            done.fail(f"the document says that {said} was run")
    done = run([tools.raddle, "list", "variables", "--json", program]).expect(0)
    check_json(done, json.loads(done.out), "variables-1")
    ids = [tools.find(work, ["-s", s], tools.program("bug/lost_update.c"), "assertion")[1]["id"] for s in ("dfs", "random")]
    if ids[0] != ids[1]:
        raise Failure(f"the same bug has two identities: {ids}")


def test_no_bug_and_warnings_in_formats(tools):
    """A run without a bug passes, with its claim; warnings are results, but no failure."""
    work = tools.dir("formats/ok")
    done, summary, junit, sarif = documents(tools, work, ["-s", "dfs"], tools.program("ok/gambit_2x2.c"))
    done.expect(0)
    case = check_junit(done, summary, junit)
    if summary["guarantee"] not in " ".join(case.find("system-out").text.split()):
        done.fail("JUnit: no claim in the output of the case")
    if check_sarif(done, summary, sarif)["results"]:
        done.fail("SARIF: results without a finding")


def test_trouble_in_formats(tools):
    """Trouble is an error of the test case and a notification of the run, with the text of standard error."""
    work = tools.dir("formats/trouble")
    program = tools.text_program(work, "unsteady.c", UNSTEADY, mode="plain")
    options = ["-s", "dfs", "-n", "200", "--isolation", "fork"]
    done, summary, junit, sarif = documents(tools, work, options, program)
    done.expect(2)
    error = check_junit(done, summary, junit).find("error")
    if "not deterministic" not in error.text or "not deterministic" not in error.get("message"):
        done.fail(f"JUnit: {error.get('message')}: {error.text}")
    notification, = check_sarif(done, summary, sarif)["invocations"][0]["toolExecutionNotifications"]
    if "not deterministic" not in notification["message"]["text"] or "not deterministic" not in summary["error"]:
        done.fail("SARIF or JSON does not name the trouble")
    done = run([tools.raddle, "run", "-q", *options, "--github", "-o", work / "out", program], cwd=work, env=NOT_ON_GITHUB).expect(2)
    if not re.match("::error title=Raddle%3A trouble with unsteady.bin::raddle: the program is not deterministic[^\n]*\n$", done.out):
        done.fail("no annotation of the trouble")


def obeyed(log):
    """The lines of a log that the runner of GitHub Actions takes as commands: ::command at the beginning, ##[command] anywhere."""
    found, token = [], None
    for line in log.splitlines():
        stop = re.match(r"\s*::stop-commands::(.+)$", line)
        if token:
            token = None if line.strip() == f"::{token}::" else token
        elif stop:
            token = stop[1]
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line)
    if token:
        raise Failure("commands stay stopped after the end of the log")
    return found


def test_hostile_names_and_output(tools):
    """Bytes that XML, JSON or a log could not hold, or would obey, are escaped and can be seen."""
    work = tools.dir("formats/hostile")
    program = tools.text_program(work, HOSTILE_NAME, HOSTILE)
    summary_md = work / "summary.md"
    env = {**NOT_ON_GITHUB, "GITHUB_WORKSPACE": str(work), "GITHUB_STEP_SUMMARY": str(summary_md), "GITHUB_SERVER_URL": "https://git.example",
           "GITHUB_REPOSITORY": "me/it", "GITHUB_SHA": "0123abcd"}
    done, summary, junit, sarif = documents(tools, work, ["--github", "--show-output"], program, env=env)
    done.expect(1)
    case = check_junit(done, summary, junit)
    if "\\xff" not in case.find("failure").get("message") or "]]>" not in case.find("failure").text:
        done.fail("JUnit: the bytes of the program are not shown")
    found = check_sarif(done, summary, sarif)
    uri = found["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    if urllib.parse.unquote(uri["uri"]) != HOSTILE_NAME or "uriBaseId" not in uri:
        done.fail(f"SARIF: the file is {uri}")
    lines = obeyed(done.out)
    if "a##[error]x" not in done.out:
        done.fail("the log does not have the output of the program")
    m = re.match(r"::error title=Raddle%3A assertion failed in [^:,]*,file=([^:,]*),line=(\d+),endLine=\2::(.*)$", lines[0])
    if len(lines) != 1 or not m or urllib.parse.unquote(m[1]) != HOSTILE_NAME or re.search(r"[\x00-\x1f\x7f]", lines[0]):
        done.fail(f"the log has the commands {lines}")
    table = [l for l in summary_md.read_text().splitlines() if l.startswith("| bug ")]
    link = re.search(r"\]\(https://git\.example/me/it/blob/0123abcd/([^)]*)#L12\)", table[0]) if len(table) == 1 else None
    if not link or urllib.parse.unquote(link[1]) != HOSTILE_NAME or table[0].count("|") != 5 or re.search("<b>|:tada|@oct|www|https://ex", table[0]) or "<code>assertion&#58; a" not in table[0]:
        done.fail(f"the summary has the rows {table}")


def test_paths_in_the_repository(tools):
    """Paths are relative to the root of the repository: GITHUB_WORKSPACE, else the directory with .git."""
    work = tools.dir("formats/paths")
    inner = work / "src" / "lib"
    inner.mkdir(parents=True)
    (work / ".git").mkdir()
    source = inner / "lost.c"
    source.write_text(HOSTILE)
    program = inner / "lost"
    run([tools.raddle, "cc", "-g", "-O1", "-pthread", "../lib/lost.c", "-o", program], cwd=inner).expect(0)
    for workspace, file in (("", "src/lib/lost.c"), (work, "src/lib/lost.c"), (work / "src", "lib/lost.c"), ("/nowhere", "src/lib/lost.c")):
        env = {**NOT_ON_GITHUB, "GITHUB_WORKSPACE": str(workspace)}
        done = run([tools.raddle, "run", "-q", "-s", "dfs", "--github", "--sarif", work / "s.sarif", program], cwd=inner, env=env).expect(1)
        found = json.loads((work / "s.sarif").read_text())["runs"][0]
        where = found["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        root = found["originalUriBaseIds"]["%SRCROOT%"]["uri"]
        if f",file={file}," not in done.out or where != file or not (Path(urllib.parse.unquote(root[len("file://"):])) / file).is_file():
            done.fail(f"with GITHUB_WORKSPACE={workspace}: {where} below {root}, expected {file}")
    away = tools.dir("formats/paths_away")
    (away / ".git").mkdir()
    done = run([tools.raddle, "run", "-q", "-s", "dfs", "--github", "--sarif", away / "s.sarif", program], cwd=away, env=NOT_ON_GITHUB).expect(1)
    where = json.loads((away / "s.sarif").read_text())["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    if where != {"uri": f"file://{source}"} or ",file=" in done.out:
        done.fail(f"a file outside of the repository is {where}")


def test_annotations_and_standard_output(tools):
    """--github takes no file; its lines follow the report, and go to standard error where a document has standard output."""
    work = tools.dir("formats/github")
    program = tools.program("ok/gambit_2x2.c")
    command = [tools.raddle, "run", "-s", "dfs", "--github", "-o", work / "out"]
    done = run([*command, program], env=NOT_ON_GITHUB).expect(0)
    notice = done.out.strip().splitlines()[-1]
    if not re.match(r"::notice title=Raddle%3A no bug found in gambit_2x2\.c::every execution was covered", notice) or obeyed(done.out) != [notice]:
        done.fail(f"the last line is '{notice}'")
    done = run([*command, "--json", "-", program], env=NOT_ON_GITHUB).expect(0)
    if not json.loads(done.out)["finished"] or done.err.strip() != notice:
        done.fail("the annotation is not alone on standard error")
    run([*command[:2], "--github=x", program], env=NOT_ON_GITHUB).expect_trouble("--github", "takes no value")
    env = {**NOT_ON_GITHUB, "GITHUB_STEP_SUMMARY": str(work / "none" / "summary")}
    done = run([*command, "-q", program], env=env).expect(0)
    if "::warning title=Raddle%3A no summary of " not in done.out:
        done.fail("nothing is said about the summary that cannot be written")


def published_sarif_schema(work):
    """The schema, from the package @microsoft/jest-sarif."""
    run(["npm", "pack", "--silent", "@microsoft/jest-sarif@1.0.0-beta.0"], cwd=work, timeout=300).expect(0)
    run(["tar", "xzf", next(work.glob("*.tgz"))], cwd=work).expect(0)
    return json.loads(next(work.glob("package/lib/schemas/sarif-2.1.0*.json")).read_text())


def test_published_sarif_schema(tools):
    """Every kind of findings by the published schema of SARIF 2.1.0."""
    schema = published_sarif_schema(tools.dir("formats/published"))
    for kind, (options, program, args) in one_of_each_kind(tools, tools.dir("formats/published-kinds")).items():
        done, summary, _, sarif = documents(tools, tools.dir(f"formats/published-{kind}"), [*options, "--all-steps"], program, args)
        for error in jsonschema.Draft7Validator(schema).iter_errors(json.loads(sarif.read_text())):
            done.fail(f"SARIF: {'/'.join(map(str, error.path))}: {error.message[:300]}")


test_published_sarif_schema.slow = True
