"""raddle compare: what is new, gone and still there between two results of real runs; bad and hostile documents."""
import copy
import json

import jsonschema
from common import ROOT, run

# -DFIRST: a lost update; -DSECOND: locks in two orders
PROGRAM = r"""
#include <assert.h>
#include <pthread.h>
static int sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void unlock(void) {
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
}
static void *add(void *other) {
    pthread_mutex_lock(&m);
    int seen = sum;
#ifdef FIRST
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    sum = seen + 1;
    pthread_mutex_unlock(&m);
#ifdef SECOND
    pthread_mutex_t *one = other ? &m : &n, *two = other ? &n : &m;
    pthread_mutex_lock(one);
    pthread_mutex_lock(two);
    unlock();
#else
    (void)unlock;
    (void)other;
#endif
    return NULL;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, i ? &t : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 2);
    return 0;
}
"""
FULL = ("-s", "dpor", "-k")


def built(tools, work, name, defines, moved=False):
    """A version of the program, in a folder of its own."""
    (work / name).mkdir()
    text = "".join(f"#define {d}\n" for d in defines) + ("/* moved */\n" * 7 if moved else "") + PROGRAM
    (work / name / "sums.c").write_text(text)
    run([tools.raddle, "cc", "-g", "-O1", "-pthread", "sums.c", "-o", "sums"], cwd=work / name).expect(0)


def document(tools, work, name, options=FULL, args=(), status=None):
    """The path of the JSON document of a run of this version."""
    path = work / f"{name}{len(list(work.glob('*.json')))}.json"
    done = run([tools.raddle, "run", "--no-minimise", "-j", "1", *options, "--json", path, "./sums", *args], cwd=work / name)
    if status is not None:
        done.expect(status)
    return path


def compare(tools, a, b, status):
    """Compares twice: as text and as JSON, which must agree. Returns the finished command and the document."""
    path = b.parent / "compared.json"
    done = run([tools.raddle, "compare", a, b, "--json", path]).expect(status)
    result = json.loads(path.read_text())
    schema = json.loads((ROOT / "share/raddle/schema/compare-1.schema.json").read_text())
    for error in jsonschema.Draft7Validator(schema).iter_errors(result):
        done.fail(f"JSON: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    if result["exit_status"] != status:
        done.fail(f"exit_status {result['exit_status']} in the document")
    only = run([tools.raddle, "compare", "--json", "-", a, b]).expect(status)
    if json.loads(only.out) != result:
        only.fail("another document on standard output")
    bugs = sum(not e["b"]["warning"] for e in result["new"])
    total = f"{bugs} new bug{'s'[bugs == 1:]}, {len(result['new']) - bugs} new warning"
    if total not in done.out or f"{len(result['still'])} still there, {len(result['gone'])} gone" not in done.out:
        done.fail("the text has other numbers than the document")
    return done, result


def kinds(entries, side="b"):
    return sorted(e[side]["kind"] for e in entries)


def expect(done, text):
    if text not in done.out:
        done.fail(f"no '{text}'")


def test_versions(tools):
    """Of programs with no bug, one bug, both bugs; the first bug is the same one after its lines have moved."""
    work = tools.dir("compare_versions")
    for name, defines, moved in (("none", (), False), ("one", ("FIRST",), False), ("both", ("FIRST", "SECOND"), True)):
        built(tools, work, name, defines, moved)
    none, one, both = (document(tools, work, n, status=s) for n, s in (("none", 0), ("one", 1), ("both", 1)))

    done, result = compare(tools, one, both, 1)
    if (kinds(result["new"]), kinds(result["still"]), result["gone"]) != (["deadlock"], ["assertion"], []):
        done.fail("not one new and one that is still there")
    still = result["still"][0]
    if still["a"]["line"] == still["b"]["line"] or still["a"]["id"] != still["b"]["id"]:
        done.fail("the lines have not moved, or the identity has")
    for f in (still["b"], result["new"][0]["b"]):
        expect(done, f"    at:       {f['file']}:{f['line']} in {f['function']}()\n    schedule: {f['schedule']}\n")
    if [d["what"] for d in result["differences"]] != ["build"]:
        done.fail("other differences than the build")

    done, result = compare(tools, both, one, 0)
    if (result["new"], kinds(result["still"]), kinds(result["gone"], "a")) != ([], ["assertion"], ["deadlock"]):
        done.fail("not one gone and one that is still there")
    if not result["gone"][0]["certain"]:
        done.fail("a complete run is not certain")
    expect(done, "\ngone: B is complete\n  deadlock: ")
    done, result = compare(tools, one, one, 0)
    if result["differences"] or result["new"] or result["gone"] or len(result["still"]) != 1:
        done.fail("a run differs from itself")
    done, result = compare(tools, none, one, 1)
    before, after = (json.loads(p.read_text()) for p in (none, one))
    side = result["coverage"][0]
    if (side["a"]["executions"], side["b"]["distinct_orders"]) != (before["executions"], after["distinct_orders"]):
        done.fail("other coverage than in the documents")


def test_not_found_this_time(tools):
    """What an incomplete run, or one with other options, has not found is not called gone; the differences are named."""
    work = tools.dir("compare_incomplete")
    built(tools, work, "one", ("FIRST",))
    built(tools, work, "none", ())
    full = document(tools, work, "one", status=1)
    short = document(tools, work, "none", ("-s", "dfs", "-n", "1", "--seed", "7", "-o", "elsewhere"), ("x", "y z"), status=0)
    done, result = compare(tools, full, short, 0)
    if result["gone"][0]["certain"]:
        done.fail("gone for certain")
    expect(done, "\ngone, or not found this time: B ran 1 execution and is not complete; it was run with other options")
    found = {d["what"]: (d["a"], d["b"]) for d in result["differences"]}
    found.pop("build")
    if found != {"arguments": ([], ["x", "y z"]), "strategy": ("dpor", "dfs"), "seed": (1, 7),
                 "options": (["--keep-going"], ["--executions=1"])}:
        done.fail(f"differences {found}")
    for text in ("arguments: A none, B 'x' 'y z'\n", "options: only A '--keep-going', only B '--executions=1'\n"):
        expect(done, text)
    blind = document(tools, work, "none", (*FULL, "--detect", "none"), status=0)
    done, result = compare(tools, full, blind, 0)
    if not result["coverage"][0]["b"]["complete"] or result["gone"][0]["certain"]:
        done.fail("not complete, or gone for certain although another set of detectors was asked for")


def test_warnings_and_trouble(tools):
    """A new warning is shown and is no failure; a warning that became a bug is one. Trouble in B is trouble."""
    work = tools.dir("compare_warnings")
    built(tools, work, "one", ("FIRST",))
    path = document(tools, work, "one", status=1)
    bug = json.loads(path.read_text())
    warning = copy.deepcopy(bug)
    warning["warnings"], warning["findings"] = warning["findings"], []
    warning["warnings"][0]["warning"] = True
    clean = dict(copy.deepcopy(bug), findings=[], exit_status=0)
    trouble = dict(copy.deepcopy(clean), exit_status=2, error="the program cannot be controlled")
    suppressed = dict(copy.deepcopy(clean), suppressed=1)
    at = {}
    for name, text in (("bug", bug), ("warning", warning), ("clean", clean), ("trouble", trouble), ("hidden", suppressed)):
        at[name] = work / f"{name}.json"
        at[name].write_text(json.dumps(text))
    expect(compare(tools, at["clean"], at["warning"], 0)[0], "\nnew:\n  warning, assertion: ")
    done, result = compare(tools, at["warning"], at["bug"], 1)
    expect(done, " (a warning in A)\n")
    if len(result["new"]) != 1 or result["new"][0]["a"] is None or result["still"]:
        done.fail("a warning that became a bug is not new")
    expect(compare(tools, at["bug"], at["warning"], 0)[0], " (a bug in A)\n")
    done, result = compare(tools, at["bug"], at["trouble"], 2)
    expect(done, "\ntrouble in B: the program cannot be controlled\n")
    if result["gone"][0]["certain"]:
        done.fail("gone for certain after trouble")
    expect(compare(tools, at["bug"], at["hidden"], 0)[0], "not found this time: B is complete; it suppressed 1 finding\n")


def test_tests(tools):
    """Documents of raddle test: by test and identity; a test that is gone, and one that ends in trouble."""
    work = tools.dir("compare_tests")
    built(tools, work, "one", ("FIRST",))
    built(tools, work, "both", ("FIRST", "SECOND"), True)
    paths = []
    for name in ("one", "both"):
        paths.append(work / f"{name}.json")
        run([tools.raddle, "test", "-n", "200", "-k", "--no-minimise", "--json", paths[-1], "./sums"], cwd=work / name).expect(1)
    done, result = compare(tools, *paths, 1)
    if (kinds(result["new"]), kinds(result["still"]), result["gone"]) != (["deadlock"], ["assertion"], []):
        done.fail("not one new and one that is still there")
    expect(done, "\nnew, in sums:\n  deadlock: ")
    if {d["what"] for d in result["differences"]} != {"build"}:
        done.fail("other differences than the build")

    # the same tests in several programs, in another order: those of one program are one test
    tests = json.loads(paths[0].read_text())
    entry = tests["tests"][0]
    first, second = (dict(copy.deepcopy(entry), name="same", program=f"{p}/{p}_test") for p in ("x", "y"))
    second["run"]["findings"][0]["id"] = "0123456789ab"
    a, b = work / "a.json", work / "b.json"
    a.write_text(json.dumps(dict(tests, tests=[first, second])))
    b.write_text(json.dumps(dict(tests, tests=[second, first])))
    done, result = compare(tools, a, b, 0)
    if len(result["still"]) != 2:
        done.fail("tests of two programs were mixed up")
    b.write_text(json.dumps(dict(tests, tests=[second])))
    expect(compare(tools, a, b, 0)[0], "\ngone, or not found this time, in same: B has no such test\n")
    broken = dict(entry, result="trouble", text="no such file", run=None)
    b.write_text(json.dumps(dict(tests, tests=[broken])))
    expect(compare(tools, paths[0], b, 2)[0], "\ntrouble in B, in sums: no such file\n")
    compare(tools, b, b, 0)  # it was trouble before

    single = document(tools, work, "one")
    for pair in ((single, a), (a, single)):
        run([tools.raddle, "compare", *pair]).expect_trouble(str(a), str(single), "raddle test", "raddle run")


def test_bad_documents(tools):
    """Each names the file and says what is wrong; exit status 2, no crash."""
    work = tools.dir("compare_bad")
    built(tools, work, "one", ("FIRST",))
    good = document(tools, work, "one", status=1)
    text, value, bad = good.read_text(), json.loads(good.read_text()), work / "bad.json"

    def refused(content, *words):
        bad.write_bytes(content if isinstance(content, bytes) else content.encode())
        run([tools.raddle, "compare", good, bad]).expect_trouble("bad.json", *words)

    def changed(change):
        thing = copy.deepcopy(value)
        change(thing)
        return json.dumps(thing)

    refused("", "is empty")
    refused(text[:len(text) // 2], "no JSON document")
    refused(b"\xff\xfe\x00{", "no JSON document")
    refused(text.replace('"seed"', '"se\udcffed"', 1).encode(errors="surrogateescape"), "no JSON document")
    refused("[" * 100000, "no JSON document", "depth")
    refused('{"a":' * 100000, "no JSON document", "depth")
    refused('{"format": 1, "format": 1}', "duplicate")
    refused('{"format": 1e400}', "no JSON document")
    refused('{"format": 99999999999999999999}', "no JSON document")
    for other in ("[]", "{}", "[1, 2]", '{"format": 1, "variables": []}', '{"version": "2.1.0", "runs": []}'):
        refused(other, "no document of 'raddle run --json' or 'raddle test --json'")
    for key in value:
        if key in ("raddle", "program", "build_id", "arguments", "command", "exit_status", "executions", "bounds",
                   "guarantee", "complete", "warnings", "environment"):
            refused(changed(lambda d: d.pop(key)), f"'{key}' is missing")
            refused(changed(lambda d: d.update({key: 1.5})), f"'{key}' is not")
    refused(changed(lambda d: d.update(format=2)), "format 2", "format 1")
    refused(changed(lambda d: d.update(findings=[[]])), "'findings[0].id' is missing")
    refused(changed(lambda d: d.update(executions=-1)), "'executions' is not a number")
    refused(changed(lambda d: d.update(arguments=["x", 1])), "'arguments' is not a list of texts")
    refused(changed(lambda d: d["findings"][0].update(id="zz")), "'findings[0].id'")
    refused(changed(lambda d: d["findings"][0].pop("schedule")), "'findings[0].schedule' is missing")
    refused('{"command": "test", "format": 7, "tests": []}', "format 7")
    refused('{"command": "test", "format": 1, "tests": {}}', "'tests' is not a list")
    refused('{"command": "test", "format": 1, "tests": [3]}', "'tests[0].name' is missing")
    nested = dict(name="t", program="p", result="bug", text=None, executions=1, run=dict(value, format=3))
    refused(json.dumps(dict(command="test", format=1, tests=[nested])), "format 3")

    with open(bad, "wb") as f:
        f.truncate((256 << 20) + 1)
    run([tools.raddle, "compare", good, bad]).expect_trouble("bad.json", "larger than 256 MiB")
    bad.unlink()
    run([tools.raddle, "compare", good, bad]).expect_trouble("bad.json", "no such file")
    run([tools.raddle, "compare", bad, good]).expect_trouble("bad.json", "no such file")
    run([tools.raddle, "compare", good, work]).expect_trouble(str(work), "is a directory")
    run([tools.raddle, "compare", good]).expect_trouble("two JSON documents")
    run([tools.raddle, "compare", good, good, good]).expect_trouble("only two")
    run([tools.raddle, "compare", good, good, "--json", work / "none" / "x"]).expect_trouble("cannot write")


def test_hostile_texts(tools):
    """What the files contain reaches neither the terminal raw nor looks like a line of the comparison."""
    work = tools.dir("compare_hostile")
    built(tools, work, "one", ("FIRST",))
    path = document(tools, work, "one", status=1)
    evil = "\x1b]0;x\x07\r\n0 new bugs, 0 new warnings\x00\u202e\u200b\u009b31m" + "%n%s" * 10

    def spoil(value, key=None):
        if isinstance(value, dict):
            return {k: spoil(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [spoil(v) for v in value]
        return evil if isinstance(value, str) and key not in ("id", "strategy") else value

    one = json.loads(path.read_text())
    spoilt = dict(spoil(one), strategy=evil * 300, environment={"OMP_" + evil.replace("\0", ""): evil})
    spoilt["command"] = ["raddle", "run", "-s", evil, "--" + evil, "-n", "--", evil]
    spoilt["findings"] = [dict(f, id="00000000000a") for f in spoilt["findings"]] * 2
    other = dict(spoilt, error=evil, exit_status=2)
    a, b = work / "a.json", work / "b\x1b[31m\n.json"
    documents = [(one, spoilt), (spoilt, one), (spoilt, other), (other, spoilt)]
    entry = dict(name=evil, program=evil, result=evil, text=evil, executions=1)
    tests = [dict(command="test", format=1, tests=[dict(entry, run=r), dict(entry, run=r, name=evil + "x")]) for r in (one, spoilt, None)]
    documents += [(x, y) for x in tests for y in tests]
    for before, after in documents:
        a.write_text(json.dumps(before))
        b.write_text(json.dumps(after))
        done = run([tools.raddle, "compare", "--color", "never", a, b])
        if done.status not in (0, 1, 2) or "raddle: internal" in done.text:
            done.fail("a crash")
        for c in done.text:
            if (ord(c) < 32 and c != "\n") or c in "\x7f\x9b\u202e\u200b":
                done.fail(f"{c!r} reaches the terminal")
        lines = [l for l in done.out.splitlines() if l.startswith(("0 new bugs", "1 new bug", "2 new bugs"))]
        if len(lines) != 1:
            done.fail(f"lines from the file: {lines}")
    json.loads(run([tools.raddle, "compare", "--json", "-", a, b]).out)


def test_many(tools):
    """Thousands of findings are matched one by one."""
    work = tools.dir("compare_many")
    built(tools, work, "one", ("FIRST",))
    one = json.loads(document(tools, work, "one", status=1).read_text())
    bug = dict(one["findings"][0], stacks=[], threads=[])
    a, b = work / "a.json", work / "b.json"
    a.write_text(json.dumps(dict(one, findings=[dict(bug, id=f"{i:012x}") for i in range(0, 8000)])))
    b.write_text(json.dumps(dict(one, findings=[dict(bug, id=f"{i:012x}") for i in range(4000, 12000)])))
    done = run([tools.raddle, "compare", a, b]).expect(1)
    expect(done, "4000 new bugs, 0 new warnings, 4000 still there, 4000 gone")
