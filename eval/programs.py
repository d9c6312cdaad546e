"""The programs of the evaluation: what the comments at the head of eval/programs/*.c say, and how they are built."""
import re
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
FIELD = re.compile(r"(?:^| )(Suite|Published|Size|Bug|Paper)(?: (\d+))?: ")
BUG = re.compile(r"(.*) \((\w+)\) \(([\d?]+), ?([\d?]+), ?([\d?]+)\)$")
PAPER = re.compile(r"bug (\d+) (\(.*)$")


@dataclass(frozen=True)
class Bug:
    """A bug that is seeded with -DBUG=number; c, v and t as the head of the program states them (None: unknown)."""
    program: str
    number: int
    text: str
    kind: str
    c: int | None
    v: int | None
    t: int | None

    @property
    def name(self):
        return f"{self.program}#{self.number}"


@dataclass
class Program:
    name: str
    source: Path
    title: str = ""
    suites: tuple = ()
    published: str = ""
    size: str = ""
    bugs: list = field(default_factory=list)
    paper: dict = field(default_factory=dict)  # the tuple (c, v, t) that a paper states, as text, by the number of the bug


def fields(source):
    """The title of the comment at the head, and (name, number, text) of each field below it."""
    head = source.read_text().split("*/")[0].removeprefix("/*")
    lines = " ".join(line.strip().removeprefix("*").strip() for line in head.splitlines())
    parts = FIELD.split(lines)
    texts = [(name, number, " ".join(text.split())) for name, number, text in zip(parts[1::3], parts[2::3], parts[3::3])]
    return " ".join(parts[0].split()), texts


def read(source):
    """The head of one program; ValueError names the file and what is missing."""
    title, texts = fields(source)
    program = Program(source.stem, source, title)
    for name, number, text in texts:
        if name == "Bug":
            found = BUG.match(text)
            if not found:
                raise ValueError(f"{source.name}: bug {number} does not end in (kind) (c,v,t): '{text}'")
            what, kind, *tuple_ = found.groups()
            c, v, t = (None if x == "?" else int(x) for x in tuple_)
            program.bugs.append(Bug(program.name, int(number), what, kind, c, v, t))
        elif name == "Paper":
            found = PAPER.match(text)
            if not found:
                raise ValueError(f"{source.name}: cannot read what the paper states: '{text}'")
            program.paper[int(found[1])] = found[2]
        elif name == "Suite":
            program.suites = tuple(re.split(r"[ ,]+", text))
        elif name == "Published":
            program.published = text
        else:
            program.size = text
    if not program.suites or not program.title:
        raise ValueError(f"{source.name}: its head has no 'Suite:' or no title")
    return program


def all_programs():
    return {p.stem: read(p) for p in sorted(HERE.glob("*.c"))}


class Builder:
    """Compiles each combination of program, bug and size once."""

    def __init__(self, raddle, folder):
        self.raddle, self.folder = raddle, Path(folder)
        self.locks, self.lock, self.built = {}, threading.Lock(), set()
        self.folder.mkdir(parents=True, exist_ok=True)

    def binary(self, program, bug, macros=()):
        name = "-".join([program, str(bug), *(re.sub(r"\W", "_", m) for m in macros)])
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            target = self.folder / name
            if target in self.built:
                return target
            command = [self.raddle, "cc", "-g", "-O1", "-std=gnu11", "-pthread", f"-DBUG={bug}",
                       *(f"-D{m}" for m in macros), str(HERE / f"{program}.c"), "-lm", "-o", str(target)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"cannot compile {name}: {done.stderr.strip()}")
            self.built.add(target)
            return target
