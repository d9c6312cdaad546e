"""The packages: what is in them, installed in a clean system and run there, and the same bytes whoever builds them. They are
built as `make package` builds them; all of it is slow."""
import hashlib
import os
import re
import shutil
import threading
from common import ROOT, SLOW_TIMEOUT_S, Failure, run

guard = threading.Lock()
CACHE = "cache"  # in the folder of the test run: the packages, and the system that debootstrap makes
SYSTEM = "gcc g++ gdb libc6-dev make man-db python3 patch"


def build(source, folder, env=None):
    """Builds the packages of a source tree in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = (["cmake", "-S", source, "-B", folder, "-DCMAKE_INSTALL_PREFIX=/usr"], ["cmake", "--build", folder, "-j", str(2 * os.cpu_count()), "--", "-s"])
    for step in steps:
        run(step, timeout=SLOW_TIMEOUT_S).expect(0)
    run(["cpack"], cwd=folder, env=env, timeout=SLOW_TIMEOUT_S).expect(0)
    return folder


def packages(tools):
    """The packages of this source, built once for all tests."""
    with guard:
        return build(ROOT, tools.build / CACHE / "package")


def one(folder, pattern):
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise Failure(f"not one '{pattern}' in {folder}: {found}")
    return found[0]


def test_lintian(tools):
    """lintian has nothing to say about the package, and the few overrides are all needed."""
    package = one(packages(tools), "raddle_*.deb")
    done = run(["lintian", "--fail-on", "error,warning", "--allow-root", package], timeout=SLOW_TIMEOUT_S).expect(0)
    if done.out.strip():
        done.fail("a message")
    overrides = (ROOT / "share/debian/lintian-overrides").read_text()
    if len(re.findall(r"^raddle: ", overrides, re.M)) > 2:
        raise Failure("more overrides than there were")


def test_contents(tools):
    """Stripped, without a path of the build; the debug symbols are in packages of their own and have names and lines."""
    folder, work = packages(tools), tools.dir("package_contents")
    run(["dpkg-deb", "-x", one(folder, "raddle_*.deb"), work / "root"]).expect(0)
    copy = one(work / "root", "usr/lib/*/raddle/debugger/libraddle.so.0")
    if ".gnu_debugdata" not in run(["readelf", "-SW", copy]).out:
        raise Failure(f"{copy} has no names for gdb")
    library = one(work / "root", "usr/lib/*/raddle/libraddle.so.*.*.*")
    for binary in (work / "root/usr/bin/raddle", library):
        sections = run(["readelf", "-SW", binary]).expect(0).out
        if ".debug_info" in sections or ".symtab" in sections:
            raise Failure(f"{binary} is not stripped")
        if re.search("R(UN)?PATH", run(["readelf", "-d", binary]).out):
            raise Failure(f"{binary} has a path of the build")
        for path in (str(ROOT).encode(), str(folder).encode()):
            if path in binary.read_bytes():
                raise Failure(f"{binary} names the folder in which it was built")
    run(["dpkg-deb", "-x", one(folder, "raddle-dbgsym_*.ddeb"), work / "debug"]).expect(0)
    run(["tar", "-xf", one(folder, "*-symbols.tar.gz"), "-C", work]).expect(0)
    for where in (work / "debug", work):
        files = list((where / "usr/lib/debug/.build-id").rglob("*.debug"))
        build_id, other_id = (re.search(r"Build ID: (\w+)", run(["readelf", "-n", f]).out)[1] for f in (library, copy))
        if build_id == other_id:
            raise Failure(f"{copy} has the build-id of the library")
        own = where / "usr/lib/debug/.build-id" / build_id[:2] / f"{build_id[2:]}.debug"
        if len(files) != 2 or own not in files:
            raise Failure(f"debug symbols in {where}: {files}; {own} is missing")
        if ".debug_info" not in run(["readelf", "-SW", own]).out:
            raise Failure(f"{own} has no debug information")


def test_tarball(tools):
    """Unpacked anywhere, the tarball works: compiles, finds, replays, and other build systems find it."""
    folder, work = packages(tools), tools.dir("tarball")
    run(["tar", "-xf", one(folder, "raddle-*-Linux-*[0-9].tar.gz"), "-C", work]).expect(0)
    prefix = one(work, "raddle-*").rename(work / "an other place")
    shutil.copy(ROOT / "examples" / "bank.c", work)
    run([prefix / "bin/raddle-cc", "-g", "-O1", "bank.c", "-o", "bank", "-pthread"], cwd=work).expect(0)
    run([prefix / "bin/raddle", "run", "-o", "out", "./bank"], cwd=work).expect(1)
    schedule = sorted((work / "out").glob("*.sched"))[0]
    run([prefix / "bin/raddle", "replay", schedule], cwd=work).expect(1)
    run(["./bank"], cwd=work).expect(0)
    pkgconfig = one(prefix, "lib/**/pkgconfig")
    flags = run(["pkg-config", "--cflags", "--libs", "raddle"], env={"PKG_CONFIG_PATH": str(pkgconfig)}).expect(0).out
    if "an\\ other\\ place" not in flags:
        raise Failure(f"pkg-config does not name the place: {flags}")


def inside(root, script):
    """Runs a shell script with this folder as the root, in a mount namespace of its own."""
    mounted = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && cp -L /etc/resolv.conf "$1/etc/" && exec chroot "$1" sh -exc "$2"'
    env = {"DEBIAN_FRONTEND": "noninteractive", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
    return run(["unshare", "--mount", "--fork", "sh", "-c", mounted, "sh", root, script], env=env, timeout=SLOW_TIMEOUT_S).expect(0)


def system(tools):
    """A clean Debian 12 with a compiler, made once: a folder to which a test changes its root."""
    cached = tools.build / CACHE / "bookworm"
    with guard:
        if not (cached / "complete").exists():
            shutil.rmtree(cached, ignore_errors=True)
            mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
            run(["debootstrap", "--variant=minbase", "bookworm", cached, mirror], timeout=SLOW_TIMEOUT_S).expect(0)
            inside(cached, f"apt-get update && apt-get install -y --no-install-recommends {SYSTEM}")
            (cached / "complete").write_text("")
    return cached


INSIDE = """
apt-get update >/tmp/apt.log 2>&1
apt-get install -y --no-install-recommends /raddle.deb >>/tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 9; }
dpkg -s raddle | grep -q '^Status: install ok installed'
mkdir -p /tmp/work && cd /tmp/work
cp /usr/share/doc/raddle/examples/bank.c .
raddle-cc -g -O1 bank.c -o bank -pthread
./bank
raddle run ./bank && exit 8 || [ $? = 1 ]
sched=$(ls raddle-out/*.sched | head -n 1)
raddle replay "$sched" && exit 7 || [ $? = 1 ]
raddle show --html page.html "$sched" || raddle show --html page "$sched"
grep -qi '<html' page.html page/*.html 2>/dev/null
gcc -g -no-pie -DRADDLE_LINKED bank.c -lraddle -pthread -o linked
./linked && raddle run -n 20 ./linked >/dev/null || [ $? = 1 ]
for page in raddle raddle-run raddle-cc raddle.h raddle-schedule; do
    MANPAGER=cat man "$page" | grep -q NAME
done
python3 /pages/run_page.py --path /usr/bin --source /usr/share/doc/raddle /pages/tutorial.md
apt-get remove -y raddle >/dev/null
[ ! -e /usr/bin/raddle ] && [ ! -e /usr/share/man/man1/raddle.1.gz ] && ! ls /usr/lib/*/libraddle* 2>/dev/null
"""


def test_clean_system(tools):
    """The package and what it depends on, in a clean Debian: an example from compiling to the page, -lraddle, the manual, the
    tutorial; and removed again."""
    root, package = system(tools), one(packages(tools), "raddle_*.deb")
    with guard:
        shutil.copy(package, root / "raddle.deb")
        pages = root / "pages"
        shutil.rmtree(pages, ignore_errors=True)
        pages.mkdir()
        for script in (ROOT / "tests/e2e").glob("run_page*.py"):
            shutil.copy(script, pages)
        shutil.copy(ROOT / "docs/tutorial.md", pages)
        inside(root, INSIDE)


def digests(folder):
    binaries = [folder / "raddle", one(folder, "libraddle.so.*.*.*")]
    files = [*binaries, *folder.glob("*.deb"), *folder.glob("*.tar.gz")]  # cpack notes in the .ddeb where it was made
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def test_reproducible(tools):
    """Another folder for the source, another for the build, another time, zone and locale: the same bytes."""
    first = packages(tools)
    work = tools.dir("reproducible")
    listed = run(["git", "ls-files"], cwd=ROOT).expect(0).out.split("\n")
    for name in filter(None, listed):
        target = work / "a longer name of a folder" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        shutil.copymode(ROOT / name, target)
    second = build(work / "a longer name of a folder", work / "elsewhere" / "out", {"TZ": "Asia/Tokyo", "LC_ALL": "C"})
    one_, two = digests(first), digests(second)
    different = sorted(n for n in one_ if one_[n] != two.get(n))
    if different or len(one_) != 5 or one_.keys() != two.keys():
        raise Failure(f"different: {different}; built: {sorted(one_)} and {sorted(two)}")


for test in (test_lintian, test_contents, test_tarball, test_clean_system, test_reproducible):
    test.slow = True
del test
