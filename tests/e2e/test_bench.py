"""The measurements of strategies (bench/*.py) run, know every strategy, and write readable tables."""
import sys
import xml.dom.minidom

from common import ROOT, Failure, run


def test_first_bug_has_every_strategy(tools):
    work = tools.dir("bench-first-bug")
    run([sys.executable, ROOT / "bench" / "first_bug.py", tools.raddle, work, "lost_update.c", "--seeds", "1",
         "--executions", "300", "--out", work / "t.md"], cwd=ROOT).expect(0)
    text = (work / "t.md").read_text()
    summary = [line.split("|")[1].strip() for line in text.splitlines() if " of 1 |" in line]
    out = run([tools.raddle, "list", "strategies"]).expect(0).out
    wanted = [line.split()[0] for line in out.splitlines() if line[:1].strip()]
    if summary != wanted:
        raise Failure(f"strategies in the table: {summary}, of raddle: {wanted}")
    for line in text.splitlines():
        if line.startswith("| dfs ") and "1 of 1" not in line:
            raise Failure(f"dfs does not find a lost update: {line}")


def test_frequency_table_and_plot(tools):
    work = tools.dir("bench-frequency")
    run([sys.executable, ROOT / "bench" / "frequency.py", tools.raddle, work, "--seeds", "2", "--limit", "100",
         "--against", "urw", "--out", work / "f"], cwd=ROOT).expect(0)
    if "| 256 |" not in (work / "f.md").read_text():
        raise Failure("no row for m = 256")
    lines = xml.dom.minidom.parse(str(work / "f.svg")).getElementsByTagName("polyline")
    if len(lines) != 2:
        raise Failure(f"{len(lines)} lines in the plot, expected 2")


def test_detectors_are_all_in_the_table(tools):
    work = tools.dir("bench-detectors")
    run([sys.executable, ROOT / "bench" / "detectors.py", tools.raddle, work, "two", "--executions", "20", "--rounds", "1",
         "--out", work / "d.md"], cwd=ROOT).expect(0)
    head = next(line for line in (work / "d.md").read_text().splitlines() if line.startswith("| program"))
    out = run([tools.raddle, "list", "detectors"]).expect(0).out
    wanted = [line.split()[0] for line in out.splitlines() if line[:1].strip()]
    columns = [cell.strip() for cell in head.strip("|").split("|")]
    if columns != ["program", "new", "none", *wanted, "all", "none again"]:
        raise Failure(f"columns of the table: {columns}, detectors of raddle: {wanted}")


def test_detectors_are_all_in_the_documents(tools):
    """docs/detectors.md has a section for each row of the table of detectors, which says the default; the help of run
    does, too."""
    rows = [line for line in run([tools.raddle, "list", "detectors"]).expect(0).out.splitlines() if line[:1].strip()]
    default = [line.split()[0] for line in rows if not line.endswith("(only with --detect)")]
    sections = [line[3:] for line in (ROOT / "docs" / "detectors.md").read_text().splitlines() if line.startswith("## ")]
    for name in (line.split()[0] for line in rows):
        if name + (" (on by default)" if name in default else "") not in sections:
            raise Failure(f"no section for {name}, with its default, in docs/detectors.md: {sections}")
    told = " ".join(run([tools.raddle, "run", "--help"]).expect(0).out.split())
    if f"default {','.join(default)}" not in told:
        raise Failure(f"the help of raddle run does not say that {default} are the default")
