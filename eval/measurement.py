"""One measurement is one command on one program of eval/programs. Its result is a file, so that it is made once."""
import csv
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import programs

ALWAYS = ("--no-minimise", "-j", "1", "-q")
KEPT = ("executions", "cut", "distinct_orders", "steps", "threads_max", "search_bytes", "preemptions", "complete", "finished",
        "guarantee", "elapsed_s", "steps_max", "blocking_max", "preemptions_max", "tree_nodes_peak", "tree_bytes_peak",
        "warnings")

TOO_LONG = "it did not end"


@dataclass(frozen=True)
class Measurement:
    program: str
    bug: int
    strategy: str
    options: tuple = ()  # further options of `raddle run`
    macros: tuple = ()  # sizes of the program, "THREADS=3"
    seed: int = 1
    keep: str = ""  # what is kept of the rows of --coverage: "curve", "orders", "tree"
    kind: str = ""  # of the bug that is looked for
    minimise: bool = False  # the first finding is minimised, and its (c, v, t) is kept
    command: str = "run"  # or "list variables", or "native": the program alone

    @property
    def name(self):
        return f"{self.program}#{self.bug} {self.strategy}"


def identity(paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


def thin(rows, columns, most=160):
    """At most `most` rows, evenly spaced on a logarithmic axis of executions, always with the last one."""
    kept, step = [], 1.0
    for i, row in enumerate(rows, 1):
        if i >= step or i == len(rows):
            kept.append([float(row[c]) for c in columns])
            step = max(step + 1, step * len(rows) ** (1 / most))
    return kept


def beside(path, what):
    """The second and third file that --coverage writes."""
    return Path(str(path).removesuffix(".csv") + f".{what}.csv")


def coverage(path, keep):
    """What is kept of the rows of --coverage, and of the sums by preemptions and by order that lie beside it."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    if keep == "orders":
        with open(beside(path, "orders")) as file:
            return {"orders": sorted((int(r["executions"]) for r in csv.DictReader(file)), reverse=True)}
    if keep == "tree":
        return {"curve": thin(rows, ["execution", "tree_nodes"])}
    with open(beside(path, "bounds")) as file:
        by_bound = [[int(r[c]) for c in ("preemptions", "executions_up_to", "orders_up_to", "states_up_to")]
                    for r in csv.DictReader(file)]
    return {"curve": thin(rows, ["execution", "seconds", "orders", "states", "cut"]), "bounds": by_bound}


# the kinds of findings that show a bug of a kind that the heads of the programs state
SHOWS = {"assertion": ("assertion",), "crash": ("crash",), "deadlock": ("deadlock",), "livelock": ("livelock", "hang"),
         "heap": ("use-after-free", "double-free", "heap-overflow", "misuse", "crash"), "race": ("data-race",)}


def digest(summary, kind):
    """What later steps read of a JSON summary. Not found is: a finding of another kind than the bug's, and one of an execution
    before the search, which is none of the strategy's."""
    out = {key: summary[key] for key in KEPT if key in summary}
    finding = summary["findings"][0] if summary["findings"] else None
    if finding and kind and finding["kind"] not in SHOWS[kind]:
        out["other"], finding = finding["kind"], None
    if summary.get("before_search"):
        finding = None
    out["found"] = finding and finding["execution"]
    paths = re.search(r"\((\d+) paths?\)", summary["guarantee"] or "")  # as exitblock counts them
    out["paths"] = int(paths[1]) if paths else None
    if finding:
        out["kind"], out["c"] = finding["kind"], finding.get("preemptions")
        out["v"] = len(finding["preempted_at"]) if "preempted_at" in finding else None
        out["t"] = finding.get("ordered_threads")
    return out


class Bench:
    """Makes measurements, several at a time, and keeps their results in a folder."""

    def __init__(self, raddle, folder, jobs=2):
        self.raddle, self.jobs = str(Path(raddle).resolve()), jobs
        self.folder = Path(folder)
        (self.folder / "results").mkdir(parents=True, exist_ok=True)
        self.builder = programs.Builder(self.raddle, self.folder / "bin")
        beside_it = Path(self.raddle).parent
        parts = [p for d in ("cc", "rules") for p in sorted((beside_it / d).glob("**/*")) if p.is_file()]
        self.tool = identity([self.raddle, *sorted(beside_it.glob("libraddle*.so")), *parts, *(programs.HERE.parent / f for f in
                              ("measurement.py", "programs.py"))])
        self.memory, self.lock = {}, threading.Lock()

    def file(self, m):
        source = (programs.HERE / f"{m.program}.c").read_bytes()
        key = hashlib.sha256(repr((self.tool, m)).encode() + source).hexdigest()[:32]
        return self.folder / "results" / f"{key}.json"

    def result(self, m):
        """The result of a measurement that was made."""
        if m not in self.memory:
            self.memory[m] = json.loads(self.file(m).read_text())
        return self.memory[m]

    def run(self, m):
        path = self.file(m)
        if path.exists():
            return
        binary = self.builder.binary(m.program, m.bug, m.macros)
        result = {"run": self.search, "list variables": self.variables, "native": self.native}[m.command](m, str(binary))
        part = path.with_suffix(f".part{threading.get_ident()}")
        part.write_text(json.dumps({"measurement": f"{m}", **result}))
        part.rename(path)

    def variables(self, _, binary):
        command = [self.raddle, "list", "variables", "--json", "--", binary]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=120)
        kept = ("name", "reads", "writes", "threads", "shared", "written_while_shared", "kind")
        return {"variables": [{k: v[k] for k in kept} for v in json.loads(done.stdout)["variables"]]}

    def native(self, _, binary):
        times = []
        for _ in range(20):
            start = time.monotonic()
            subprocess.run([binary], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True)
            times.append(time.monotonic() - start)
        return {"elapsed_s": min(times)}

    def search(self, m, binary):
        limit = float(dict(zip(m.options, m.options[1:])).get("-t", 60))
        with tempfile.TemporaryDirectory() as work:
            always = [o for o in ALWAYS if not (m.minimise and o == "--no-minimise")]
            command = [self.raddle, "run", *always, "-s", m.strategy, "--seed", str(m.seed), "--json",
                       f"{work}/summary.json", "-o", f"{work}/out", *m.options]
            if m.keep:
                command += ["--coverage", f"{work}/coverage.csv"]
            try:
                done = subprocess.run([*command, "--", binary], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=limit * 2 + 120, errors="replace")
            except subprocess.TimeoutExpired:
                return {"refused": TOO_LONG}
            summary = Path(work, "summary.json")
            # a search whose executions are all cut at its own limits has run, and found nothing
            ran = done.returncode in (0, 1) or "no execution came to its end" in done.stderr
            if not ran or not summary.exists():
                text = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
                return {"refused": text[0].removeprefix("raddle: ")}
            result = digest(json.loads(summary.read_text()), m.kind)
            return result | coverage(f"{work}/coverage.csv", m.keep) if m.keep else result

    def run_all(self, measurements):
        """Makes all that are not there yet; shows how far it is. Results are kept as they come."""
        wanted = list(dict.fromkeys(measurements))
        todo = [m for m in wanted if not self.file(m).exists()]
        progress = Progress(len(wanted), len(wanted) - len(todo))
        with ThreadPoolExecutor(self.jobs) as pool:
            def one(m):
                self.run(m)
                progress.step(m)
            try:
                for _ in pool.map(one, todo):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        progress.end()


class Progress:
    """A bar on a terminal, a line for each twentieth elsewhere."""

    def __init__(self, total, done):
        self.total, self.done, self.before = total, done, done
        self.start, self.said, self.lock = time.monotonic(), -1, threading.Lock()
        self.terminal = sys.stderr.isatty()
        print(f"{total} measurements, {done} of them made before", file=sys.stderr)

    def step(self, m):
        with self.lock:
            self.done += 1
            used = time.monotonic() - self.start
            left = used / (self.done - self.before) * (self.total - self.done)
            text = f"{self.done}/{self.total}  {used / 60:.0f} min, about {left / 60:.0f} min left  {m.name}"
            if self.terminal:
                bar = "#" * (20 * self.done // self.total)
                print(f"\r[{bar:20}] {text[:90]:90}", end="", file=sys.stderr, flush=True)
            elif 20 * self.done // self.total > self.said:
                self.said = 20 * self.done // self.total
                print(text, file=sys.stderr, flush=True)

    def end(self):
        if self.terminal:
            print(file=sys.stderr)
