"""Shared by the measurements: running `raddle run`, the list of strategies, tables that are also Markdown."""
import json
import subprocess
import tempfile
from pathlib import Path


class Trouble(Exception):
    """raddle has refused the request; the text is its message."""


def strategies(raddle):
    """The names of `raddle list strategies`, in its order."""
    out = subprocess.run([raddle, "list", "strategies"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in out.splitlines() if line[:1].strip()]


def search(raddle, strategy, program, *options, args=(), seed=1, timeout=120):
    """The JSON summary of one `raddle run`; its schedule files are not kept."""
    with tempfile.TemporaryDirectory() as work:
        command = [raddle, "run", "--detect", "none", "--no-minimise", "-j", "1", "-s", strategy, "--seed", str(seed), "--json", f"{work}/summary.json", "-q",
                   "-o", f"{work}/out", *options, "--", str(program), *args]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                              errors="replace")
        summary = Path(work, "summary.json")
        if done.returncode not in (0, 1) or not summary.exists():
            text = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise Trouble(text[0].removeprefix("raddle: "))
        return json.loads(summary.read_text())


def build(raddle, source, binary, *flags):
    """Compiles a C program with every access instrumented."""
    Path(binary).parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([raddle, "cc", "-g", "-O1", "-pthread", *flags, str(source), "-o", str(binary)], check=True)
    return binary


def table(head, rows):
    """The first column is aligned to the left, the others to the right; every column is as wide as its widest cell."""
    rows = [[str(cell) for cell in row] for row in rows]
    width = [max(3, *(len(row[i]) for row in [head, *rows])) for i in range(len(head))]
    lines = [[c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, width))] for row in [head, *rows]]
    rule = ["-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(width)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [lines[0], rule, *lines[1:]]) + "\n"


def publish(path, text):
    """Writes the text to the file and to the terminal."""
    Path(path).write_text(text)
    print(text)
