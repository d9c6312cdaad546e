#!/usr/bin/env python3
"""Makes the man page raddle-schedule(5) from docs/schedule-format.md: schedule_page.py SOURCE. The result is in the
repository, so that a build needs no Python; a test compares the two."""
import re
import sys
from pathlib import Path


def text(t):
    """Text with the marks of Markdown as text of man: `code` bold, *emphasis* italic, links without their targets."""
    t = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", t)
    out = ""
    for i, part in enumerate(t.split("`")):
        part = part.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
        if i % 2:
            out += f"\\fB{part}\\fR"
        else:
            out += re.sub(r"\*([^*]+)\*", r"\\fI\1\\fR", part.replace("**", ""))
    return re.sub(r"^([.'])", r"\\&\1", out)


def page(lines, date, version):
    yield f'.TH RADDLE-SCHEDULE 5 "{date}" "Raddle {version}" "Raddle"'
    yield ".SH NAME\nraddle-schedule \\- the schedule file of Raddle\n.SH DESCRIPTION"
    literal = begun = False  # begun: the section has a paragraph
    paragraph = False
    for line in lines[1:]:
        code = line.startswith("    ")
        if literal and line.strip() and not code:
            yield ".fi"
            literal, paragraph = False, False
        if not line.strip():
            paragraph = False
            if literal:
                yield ""
        elif line.startswith("## "):
            yield f".SH {line[3:].upper()}"
            begun = paragraph = False
        elif code:
            if not literal:
                yield ".PP\n.nf" if begun else ".nf"
            literal = begun = True
            yield re.sub(r"^(\\?[.'])", r"\\&\1", line[4:].replace("\\", "\\e").replace("-", "\\-"))
        elif line.startswith("|"):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if set("".join(cells)) <= set("-") or header(lines, line):
                continue
            yield f".TP\n{text(cells[0])}\n{text('|'.join(cells[1:]))}"
            begun, paragraph = True, False
        elif line.startswith("- "):
            yield f".IP \\(bu 2\n{text(line[2:])}"
            paragraph = begun = True
        else:
            if not paragraph and begun:
                yield ".PP"
            paragraph = begun = True
            yield text(line.strip())
    if literal:
        yield ".fi"
    yield ".SH SEE ALSO\n.BR raddle (1),\n.BR raddle\\-run (1),\n.BR raddle\\-replay (1),\n.BR raddle\\-show (1)"


def header(lines, line):
    """Is this row the head of its table?"""
    after = lines[lines.index(line) + 1] if line in lines[:-1] else ""
    return re.fullmatch(r"\|[-|]+\|", after) is not None


if __name__ == "__main__":
    project = (Path(__file__).parent.parent / "CMakeLists.txt").read_text()
    version = re.search(r"project\(raddle VERSION ([\d.]+)", project)[1]
    date = re.search(r"RADDLE_DATE ([\d-]+)", project)[1]
    made = "\n".join(page(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines(), date, version))
    print(re.sub(r"\n\n+(\.fi)", r"\n\1", made))
