"""Programs from Debian that were not written for Raddle, not recompiled: 50 random executions each, with the right
result every time.

Each execution is a run of its own with another seed, so that every result can be checked. A program that is not
installed is skipped with a line that says so.
"""
import bz2
import http.server
import random
import shutil
import socket
import subprocess
import threading

from common import run

EXECUTIONS = 50


def text(size):
    """Text that compresses a little, the same every time."""
    r = random.Random(1)
    words = ["warp", "weft", "shed", "reed", "heddle", "shuttle", "selvage", "raddle"]
    out = []
    while size > 0:
        line = " ".join(r.choices(words, k=6)) + f" {r.random()}\n"
        out.append(line)
        size -= len(line)
    return "".join(out).encode()


def compress(tools, command, suffix, undo, size):
    name = command[0]
    path = shutil.which(name)
    if not path or not shutil.which(undo[0]):
        print(f"skipped: {name} is not installed")
        return
    work = tools.dir(f"debian-{name}")
    data = text(size)
    (work / "input").write_bytes(data)
    packed = work / ("input" + suffix)
    for seed in range(1, EXECUTIONS + 1):
        packed.unlink(missing_ok=True)
        line = [tools.raddle, "run", "-q", "-s", "random", "-n", "1", "--seed", str(seed), "-o", work / "out", "--", path]
        done = run([*line, *command[1:], "input"], cwd=work).expect(0)
        again = subprocess.run([*undo, packed], capture_output=True, check=False)
        if again.returncode != 0 or again.stdout != data:
            done.fail(f"what {name} wrote is not its input any more")


def test_pigz(tools):
    compress(tools, ["pigz", "-p", "4", "-b", "32", "-k", "-f"], ".gz", ["gzip", "-dc"], 200000)


def test_xz(tools):
    compress(tools, ["xz", "-T4", "-0", "--block-size=50KiB", "-k", "-f"], ".xz", ["xz", "-dc"], 200000)


def test_zstd(tools):
    compress(tools, ["zstd", "-T4", "-B524288", "-q", "-k", "-f"], ".zst", ["zstd", "-dcq"], 1500000)


def test_lbzip2(tools):
    compress(tools, ["lbzip2", "-n", "4", "-1", "-k", "-f"], ".bz2", ["bzip2", "-dc"], 300000)


def unpack(out):
    """Decompresses the bzip2 streams at the start of the output; the summary follows them."""
    data = b""
    while out.startswith(b"BZh"):
        stream = bz2.BZ2Decompressor()
        data += stream.decompress(out)
        out = stream.unused_data
    return data


def test_pbzip2(tools):
    """To standard output: pbzip2 checks its output file before it writes it, so a second execution would differ."""
    path = shutil.which("pbzip2")
    if not path:
        print("skipped: pbzip2 is not installed")
        return
    work = tools.dir("debian-pbzip2")
    data = text(300000)
    (work / "input").write_bytes(data)
    for seed in range(1, EXECUTIONS + 1):
        line = [tools.raddle, "run", "-s", "random", "-n", "1", "--seed", str(seed), "--show-output", "-o", work / "out", "--",
                path, "-p4", "-b1", "-1", "-k", "-c", "input"]
        done = subprocess.run(line, cwd=work, capture_output=True, check=False)
        if done.returncode != 0 or unpack(done.stdout) != data:
            raise AssertionError(f"status {done.returncode}, or not its input any more: {line}")


def test_sort(tools):
    work = tools.dir("debian-sort")
    numbers = list(range(140000))
    random.Random(2).shuffle(numbers)
    (work / "input").write_text("".join(f"{n}\n" for n in numbers))
    right = "".join(f"{n}\n" for n in range(140000))
    for seed in range(1, EXECUTIONS + 1):
        (work / "sorted").unlink(missing_ok=True)
        done = run([tools.raddle, "run", "-q", "-s", "random", "-n", "1", "--seed", str(seed), "-o", work / "out", "--",
                    shutil.which("sort"), "-n", "--parallel=4", "-o", "sorted", "input"], cwd=work).expect(0)
        if (work / "sorted").read_text() != right:
            done.fail("sort did not sort")


SCRIPT = """
import threading, queue
q = queue.Queue(); total = 0; lock = threading.Lock()
def work():
    global total
    while True:
        n = q.get()
        if n is None:
            return
        with lock:
            total += n
ts = [threading.Thread(target=work) for _ in range(3)]
for t in ts: t.start()
for i in range(20): q.put(i)
for t in ts: q.put(None)
for t in ts: t.join()
assert total == 190, total
"""


def test_python(tools):
    """The script checks its own result."""
    path = "/usr/bin/python3"
    if not shutil.which(path):
        print("skipped: Debian's python3 is not installed")
        return
    work = tools.dir("debian-python")
    (work / "script.py").write_text(SCRIPT)
    run([tools.raddle, "run", "-s", "random", "-n", str(EXECUTIONS), "-o", work / "out", "--", path, "-I", "script.py"],
        cwd=work).expect(0)


def test_sqlite(tools):
    """The shell has one thread, so there is one execution; the test is that Raddle takes it over and the result is
    right."""
    path = shutil.which("sqlite3")
    if not path:
        print("skipped: sqlite3 is not installed")
        return
    work = tools.dir("debian-sqlite")
    line = "create table t(n); insert into t values (1), (2), (3); select sum(n) from t;"
    done = run([tools.raddle, "run", "-s", "random", "-n", str(EXECUTIONS), "--show-output", "-o", work / "out", "--", path,
                ":memory:", line], cwd=work).expect(0)
    if "\n6\n" not in "\n" + done.out:
        done.fail("the sum is not 6")


class Page(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same text."""
    data = text(100000)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.data)))
        self.end_headers()
        self.wfile.write(self.data)

    def log_message(self, *_):
        pass


def own_name():
    """A name of this machine that requires a lookup, or None; curl looks names up in a thread."""
    try:
        name = socket.gethostname()
        return name if socket.gethostbyname(name) else None
    except OSError:
        return None


def test_curl(tools):
    """From a server of the test: by number and as localhost, for which curl has one thread, and by the machine's own
    name."""
    path = shutil.which("curl")
    if not path:
        print("skipped: curl is not installed")
        return
    hosts = [("127.0.0.1", 1), ("localhost", 1)]
    if own_name():
        hosts.append((own_name(), EXECUTIONS))
    else:
        print("skipped: curl's own thread, this machine's name cannot be looked up")
    work = tools.dir("debian-curl")
    server = http.server.ThreadingHTTPServer(("", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for host, executions in hosts:
            for seed in range(1, executions + 1):
                (work / "page").unlink(missing_ok=True)
                done = run([tools.raddle, "run", "-s", "random", "-n", "1", "--seed", str(seed), "-o", work / "out", "--", path,
                            "-sS", "--noproxy", "*", "-o", "page", f"http://{host}:{server.server_port}/"], cwd=work).expect(0)
                if (work / "page").read_bytes() != Page.data:
                    done.fail("what curl got is not what was sent")
                if executions > 1 and "up to 2 threads" not in done.out:
                    done.fail("curl did not look up the name in a thread")
    finally:
        server.shutdown()
        server.server_close()
