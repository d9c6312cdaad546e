"""A part of the page: one table or figure of a paper, what was measured, and how the two compare."""
import re
from dataclasses import dataclass

VERDICTS = ("agrees", "agrees in part", "differs", "measured")


@dataclass(frozen=True)
class Part:
    item: str  # as the paper calls it: "Table 1", "Figures 1 and 3"
    title: str
    body: str
    verdict: str  # one of VERDICTS; "measured": the paper has nothing to compare with
    why: str  # one sentence, or two

    def text(self, paper):
        assert self.verdict in VERDICTS, self.verdict
        head = self.verdict[0].upper() + self.verdict[1:]
        end = self.why if self.verdict == "measured" else f"**{head}.** {self.why}"
        return f"### {self.heading(paper)}\n\n{self.body.strip()}\n\n{end.strip()}\n"

    def heading(self, paper):
        return f"{paper}, {self.item}: {self.title}"

    def row(self, paper):
        return [paper, f"[{self.item}](#{slug(self.heading(paper))})", self.title, self.verdict]


def slug(heading):
    """The anchor that Markdown pages get from a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def share(held, of):
    """The verdict if so many of the cases are as in the paper; there must be some."""
    assert of > 0, "nothing to compare"
    return "agrees" if held == of else "agrees in part" if 2 * held > of else "differs"


def agrees(*facts):
    """The verdict if so many of these facts hold."""
    assert facts, "nothing to compare"
    held = sum(map(bool, facts))
    return "agrees" if held == len(facts) else "agrees in part" if held else "differs"
