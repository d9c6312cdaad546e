"""Links and anchors of Markdown files. Code, in blocks and in lines, has none."""
import re

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)")
FENCE = re.compile(r"^\s*(```+|~~~+)")


def without_code(text):
    """The text with code replaced by spaces: every other character stays where it is."""
    lines, fence, blank = [], None, True
    for line in text.split("\n"):
        m = FENCE.match(line)
        in_block = fence is not None
        if m and fence is None:
            fence, in_block = m[1], True
        elif m and m[1].startswith(fence):
            fence = None
        indented = not in_block and line.startswith("    ") and blank
        if in_block or indented:
            lines.append(" " * len(line))
        else:
            lines.append(re.sub(r"(`+)(.+?)\1", lambda m: " " * len(m[0]), line))
        blank = indented or not line.strip()
    return "\n".join(lines)


def links(text):
    """(start, end, target, whether it is an image) of the target of each link, in order."""
    return [(m.start(3), m.end(3), m[3], m[1] == "!") for m in LINK.finditer(without_code(text))]


def slug(heading):
    """The anchor of a heading, as GitHub, GitLab and the site (site/stage.py) make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[^\w\s-]", "", heading.replace("`", "").replace("*", "").strip().lower())
    return re.sub(r"\s", "-", heading)


def headings(text):
    """(level, text) of each heading."""
    plain = without_code(text).split("\n")
    found = []
    for shown, line in zip(text.split("\n"), plain):
        m = re.match(r"^(#{1,6}) +(.*?)\s*#*\s*$", shown)
        if m and line.startswith("#"):
            found.append((len(m[1]), m[2]))
    return found


def anchors(text):
    """The anchors of all headings."""
    found, seen = set(), {}
    for _, heading in headings(text):
        s = slug(heading)
        count = seen.get(s, 0)
        seen[s] = count + 1
        found.add(f"{s}-{count}" if count else s)
    return found


def slug_for_site(heading, _separator):
    """The same for mkdocs, which calls it with the text of the heading as it is shown."""
    return slug(heading)
