"""The HTML pages, in headless Chromium: what a user sees and does, with mouse and keyboard, in light and dark, on paper."""
import html
import re
import shutil
from pathlib import Path

from browser import KEYS, Browser
from common import Failure, run

REPORTS = Path(__file__).resolve().parent / "reports"

# a program that writes markup, control bytes and bytes that are no UTF-8 wherever a program can write something
HOSTILE = r"""
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <raddle.h>
#include <stdio.h>
enum colour { RED, BLUE };
static enum colour shade; /* </script><img src=x onerror="document.title='hacked'"> BYTES */
static int steps;
static void *worker(void *arg) {
    pthread_setname_np(pthread_self(), "</script><img>");
    int now = steps; // </script><script>document.title='hacked'</script> <!-- ]]> &lt; "
    shade = BLUE;
    steps = now + 1;
    return arg;
}
int main(void) {
    raddle_name_variable(&shade, sizeof shade, "</script><img src=x onerror=alert(1)>'\"");
    pthread_t t[2];
    pthread_setname_np(pthread_self(), "<b>&'\"\x01\xff");
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    fputs("</script><img src=x onerror=\"document.title='hacked'\">\x1b[31m\xff\xc0\x01 </pre></main>\n", stderr);
    assert(steps == 2 && "</script><img src=x onerror=document.title=1>" && shade < 2);
    return 0;
}
"""

LONG = r"""
#include <assert.h>
#include <pthread.h>
enum { ROUNDS = 2000 };
static int table[16], total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        table[(i * 7 + (arg != 0)) % 16] += i;
        pthread_mutex_unlock(&lock);
        if (i % 500 == 499)
            total++;
    }
    return NULL;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, i ? t : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(total == 12);
    return 0;
}
"""

# boxes of texts in the timeline that overlap each other, or stick out of it
OVERLAPS = """
const out = [], box = document.querySelector('.scroller').getBoundingClientRect();
for (const row of document.querySelectorAll('.row')) {
  const parts = [...row.children].map(c => [c, c.getBoundingClientRect()]).sort((a, b) => a[1].left - b[1].left);
  for (let k = 1; k < parts.length; k++)
    if (parts[k][1].left < parts[k - 1][1].right - 0.5) out.push(row.textContent);
  if (parts.some(p => p[1].right > box.left + document.querySelector('.canvas').offsetWidth + 1)) out.push('outside: ' + row.textContent);
}
return out"""


def page_of(tools, test, source, kind, options=(), text=None):
    """Searches, and writes the page of the first finding of the kind. Returns (page, schedule, show as text)."""
    work = tools.dir(f"page-{test}-{Path(source).stem}")
    program = tools.text_program(work, source, text) if text else tools.compile(REPORTS / source)
    done, summary = tools.search(work, list(options), program)
    found = [f["schedule"] for f in (summary or {"findings": []})["findings"] if f["kind"] == kind]
    if not found:
        done.fail(f"no {kind}")
    page = work / "page.html"
    run([tools.raddle, "show", found[0], "--html", page], cwd=work).expect(0)
    return page, found[0], run([tools.raddle, "show", found[0]], cwd=work).expect(0).out


def check(condition, message):
    if not condition:
        raise Failure(message)


def calm(browser):
    """The page complains about nothing, and asks for nothing from elsewhere."""
    check(not browser.errors(), "the browser complains")
    check(browser.run("return performance.getEntriesByType('resource').length") == 0, "the page loads something")


def rows(browser):
    return browser.run("return [...document.querySelectorAll('.row')].map(r => r.querySelector('.op, .fold').textContent)")


def selected(browser):
    return browser.run("const r = document.querySelector('.row.selected'); return r && r.querySelector('.op, .fold').textContent")


def number(browser):
    return browser.run("const r = document.querySelector('.row.selected .n'); return r && r.textContent")


def panel(browser):
    return browser.run("return document.querySelector('.details').innerText")


def test_page_in_a_browser(tools):
    """A lost update: the steps of the text, the keys, the panel, search, filter; then a page full of hostile text."""
    work = tools.dir("page-browser")
    page, schedule, text = page_of(tools, "browser", "account.c", "assertion", ["--minimise", "2"])
    hostile, _, _ = page_of(tools, "browser", "hostile.c", "assertion", text=HOSTILE.replace("BYTES", "\u202e\x01"))
    with Browser(work) as browser:
        browser.open(page)
        browser.settle()
        calm(browser)
        shown = rows(browser)
        for line in shown:  # the same words as in the text
            check(line in text, f"the text does not say '{line}'")
        check(browser.run("return document.querySelector('h1').textContent") in text, "the title is not that of the text")
        check(browser.run("return getComputedStyle(document.querySelector('.static')).display") == "none", "the table is shown, too")
        keys_and_panel(browser, shown)
        search_and_filter(browser, shown)
        why_links(browser)
        folding(browser)
        for command in (f"raddle replay {schedule}", f"raddle replay --gdb {schedule}"):
            check(command in browser.run("return document.querySelector('#commands').innerText"), f"no '{command}'")
        calm(browser)
        hostile_page(browser, hostile)


def keys_and_panel(browser, shown):
    for key, row in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        browser.keys(key)
        check(selected(browser) == shown[row], f"{key}: {selected(browser)}, not {shown[row]}")
    switches = browser.run("return [...document.querySelectorAll('.row')].filter(r => /[!\u203a]/.test(r.querySelector('.m')?.textContent))"
                           ".map(r => r.querySelector('.op').textContent)")
    browser.keys("n")
    check(selected(browser) == switches[0], "n goes to no switch")
    browser.keys("nnp")
    check(selected(browser) == switches[1], "p goes back to no switch")
    browser.keys("N")
    check(browser.run("return document.querySelector('.row.selected').classList.contains('pre')"), "N goes to no preemption")
    write = next(i for i, line in enumerate(shown) if line.startswith("write main() account.balance"))
    browser.click(f".row:nth-child({write + 1}) .op")
    words = panel(browser)
    for part in (shown[write], "account->balance", "value", "Stack", "deposit", "History of main() account.balance"):
        check(part in words, f"the panel does not say '{part}': {words}")
    check(browser.run("return document.activeElement && document.querySelectorAll('.arrow.strong').length") > 0, "no arrows at the step")
    box = browser.run("const b = document.querySelector('.row .op').getBoundingClientRect(); return [b.x + 5, b.y + 5]")
    browser.point(*box)  # the panel follows the mouse …
    browser.wait("setTimeout(() => done(1), 150)")
    check(shown[0] in panel(browser), "the panel does not show the step under the mouse")
    browser.point(5, 5)  # … and returns to the cursor
    browser.wait("setTimeout(() => done(1), 150)")
    check(shown[write] in panel(browser), "the panel does not return to the selected step")


def search_and_filter(browser, shown):
    browser.keys("/")
    browser.keys("balance")
    check("of" in browser.run("return document.querySelector('.count').textContent"), "the search counts nothing")
    first = selected(browser), number(browser)
    browser.keys(KEYS["enter"])
    check("balance" in first[0] and "balance" in selected(browser) and number(browser) != first[1], "Enter goes to no other match")
    browser.keys(KEYS["escape"])
    browser.keys("h")  # only the steps at the same object
    wanted = [line for line in shown if "main() account.balance" in line]
    check(rows(browser) == wanted, f"the history is {rows(browser)}, not {wanted}")
    browser.keys(KEYS["escape"])
    check(rows(browser) == shown, "the filter stays")
    browser.click(".name.t1")
    check(browser.run("return new Set([...document.querySelectorAll('.row .op')].map(o => o.className)).size") == 1, "steps of other threads")
    browser.click(".filtered button")
    check(rows(browser) == shown, "the filter of the thread stays")


def why_links(browser):
    links = browser.run("return [...document.querySelectorAll('#why a')].map(a => a.textContent)")
    check(len(links) >= 3, f"'why' has the links {links}")
    browser.click("#why a:nth-of-type(1)")
    check(links[0] == f"step {number(browser)}", f"{links[0]} leads to {number(browser)}")
    check(browser.run("return document.querySelector('.row.selected').classList.contains('why')"), "the step is not marked")


# Executions with 40 steps, of which the page leaves some out and shows some at first: the rows in order, folded and unfolded,
# must be what a walk over all steps gives. A list of what differs.
FOLDING = """
const wrong = [];
let seed = 1;
const chance = n => (seed = seed * 69069 % 2147483647) % 1000 < 1000 / n;
for (let round = 0; round < 400; round++) {
  const kept = [], shown = [], n = [], step = {n}, index = [];
  for (let s = 0; s < 40; s++) {
    kept.push(!chance(2 + round % 3));
    shown.push(kept[s] && chance(2 + round % 5));
    index.push(kept[s] ? n.push(s) - 1 : -1);
  }
  if (!n.length) continue;
  const e = Object.create(Execution.prototype), gaps = [], folded = [], unfolded = [], left = k => `... ${k} step${k > 1 ? 's' : ''} that this page leaves out`;
  for (let s = 0, end; s < 40; s = end) {
    for (end = s + 1; !shown[s] && end < 40 && !shown[end]; end++);
    const inside = index.slice(s, end).filter(i => i >= 0), text = `... ${end - s}`;
    if (!shown[s] && inside.length) gaps.push([inside[0], inside.length, gaps.length]), folded.push(text), unfolded.push(text);
    else folded.push(shown[s] ? index[s] : left(end - s));
    for (let a = s, b; a < end; a = b) {
      for (b = a + 1; !kept[a] && b < end && !kept[b]; b++);
      unfolded.push(kept[a] ? index[a] : left(b - a));
    }
    if (gaps.length && gaps[gaps.length - 1].length === 3 && folded[folded.length - 1] === text) gaps[gaps.length - 1].push(text);
  }
  Object.assign(e, {step, count: n.length, total: n.length + round % 2, strings: gaps.map(g => g[3]), data: {steps: 40, gaps}});
  if (round % 2) folded.push(n.length), unfolded.push(n.length);
  e.gaps = e.findGaps();
  const rows = new Rows(e), list = () => JSON.stringify(rows.list.map(row => row < 0 ? e.gaps[-1 - row].text : row));
  if (list() !== JSON.stringify(folded)) wrong.push([round, 'folded', list(), JSON.stringify(folded)]);
  rows.openAll(true);
  if (list() !== JSON.stringify(unfolded)) wrong.push([round, 'unfolded', list(), JSON.stringify(unfolded)]);
  for (let i = 0; i < n.length; i++) {
    rows.openAll(false);
    rows.reveal(i);
    if (rows.list[rows.position(i)] !== i) wrong.push([round, 'reveal', i]);
  }
}
return wrong"""


def folding(browser):
    wrong = browser.run(FOLDING)
    check(not wrong, f"{len(wrong)} cases of rows are wrong: {wrong[:1]}")


def hostile_page(browser, page):
    content = page.read_bytes()
    content.decode()  # it is UTF-8
    check(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", content), "the page has control bytes")
    check(len(re.findall(rb"<script", content)) == 2 and content.count(b"</script") == 2, "the page has a script that is not ours")
    browser.open(page)
    browser.settle()
    calm(browser)
    check(browser.run("return document.title").startswith("assertion failed"), "the program's text was run")
    check(browser.run("return document.querySelectorAll('img, script:not([id])').length") == 1, "the program's text is markup")
    browser.keys("u")
    shown = rows(browser)
    check(any("img" in line for line in shown), f"the given name is missing: {shown}")
    for _ in range(len(shown)):
        browser.keys("j")
    check("</script><img>" in browser.run("return document.querySelector('.names').innerHTML.replaceAll('&lt;', '<').replaceAll('&gt;', '>')"),
          "the thread's name is missing")
    calm(browser)


def test_page_index(tools):
    """run --html DIR: a page for each finding under the name of its schedule, an index with findings, claim and charts."""
    work = tools.dir("page-index")
    program = tools.text_program(work, "odd name.c", (REPORTS / "account.c").read_text())
    done, summary = tools.search(work, ["--html", work / "new" / "pages", "--keep-going", "-s", "dfs", "--detect", "races"], program)
    done.expect(1)
    folder = work / "new" / "pages"
    names = {Path(f["schedule"]).stem + ".html" for f in summary["findings"]}
    check(len(names) >= 2 and {p.name for p in folder.iterdir()} == names | {"index.html"}, f"{names}, but {list(folder.iterdir())}")
    index = html.unescape(re.sub("<[^>]*>", "", (folder / "index.html").read_text()))
    claim = next(line for line in done.out.splitlines() if line.startswith("complete"))
    check(claim in index, f"the index does not say '{claim}'")
    for f in summary["findings"]:
        check(f"raddle replay {f['schedule']}" in index, f"no command for {f['schedule']}")
    with Browser(work) as browser:
        browser.open(folder / "index.html")
        browser.settle()
        charts = browser.run("return [...document.querySelectorAll('svg.chart')].map(c => c.getAttribute('aria-label'))")
        check(len(charts) == 2, f"the charts are {charts}")
        bars = browser.run("return [...document.querySelectorAll('rect.bar1 title')].map(t => parseInt(t.textContent))")
        check(sum(bars) == summary["executions"], f"the bars are {bars}, of {summary['executions']} executions")
        links = browser.run("return [...document.querySelectorAll('.found a')].map(a => a.href)")
        check(len(links) == len(names), f"the links are {links}")
        browser.click(".found a")
        browser.settle()
        check(browser.run("return document.querySelectorAll('.row').length") > 3, "the link leads to no page")
        calm(browser)
    for bad, words in (("-", "needs a folder"), (work / "summary.json", "cannot write")):
        run([tools.raddle, "run", "--html", bad, "-o", work / "out2", program], cwd=work).expect_trouble(words)


test_page_index.slow = True


def test_page_long(tools):
    """24,000 steps: the size of the file, the rows in the document, the time of a frame while it scrolls."""
    work = tools.dir("page-long")
    page, _, text = page_of(tools, "long", "long.c", "assertion", ["-s", "random", "-n", "40"], text=LONG)
    count = int(re.search(r"([\d,]+) steps,", text).group(1).replace(",", ""))
    check(count >= 24000, f"only {count} steps")
    check(page.stat().st_size < 2_000_000, f"the page has {page.stat().st_size} bytes")
    with Browser(work) as browser:
        browser.open(page)
        browser.settle()
        folded = rows(browser)
        check(len(folded) < 60 and any(" steps of " in line for line in folded), f"{len(folded)} rows are shown at first")
        gap = browser.run("return [...document.querySelectorAll('.row')].findIndex(r => r.classList.contains('gap')) + 1")
        browser.click(f".row:nth-child({gap}) .fold")
        check(browser.run("return document.querySelector('.canvas').offsetHeight") > 2000, "a click unfolds nothing")
        browser.click(f".row:nth-child({gap}) .fold")
        check(rows(browser) == folded, "a second click does not fold")
        browser.keys("/")
        browser.keys("2345 ")  # a step that is folded
        browser.keys(KEYS["escape"])
        check(number(browser) in ("2345", "12345"), "the search does not unfold")
        browser.keys("u")
        heights = browser.run("return document.querySelector('.canvas').offsetHeight / 23")
        check(heights > count, f"{heights} rows for {count} steps")
        browser.run("document.querySelector('.legend .orders input').click()")  # all arrows
        frames = browser.wait("""
            const s = document.querySelector('.scroller'), times = [], step = s.scrollHeight / 120;
            let last = performance.now(), most = 0;
            function next(now) {
              times.push(now - last); last = now; s.scrollTop += step;
              most = Math.max(most, document.querySelectorAll('.row').length);
              times.length < 120 ? requestAnimationFrame(next) : done({times: times.slice(1), most});
            }
            requestAnimationFrame(next)""")
        times = sorted(frames["times"])
        middle, late = times[len(times) // 2], times[len(times) * 95 // 100]
        print(f"page: {count} steps, {page.stat().st_size} bytes, {frames['most']} rows at most, frame {middle:.1f} ms, 95 % {late:.1f} ms")
        check(frames["most"] < 120, f"{frames['most']} rows in the document")
        check(middle < 50, f"a frame takes {middle} ms")
        calm(browser)


test_page_long.slow = True


def test_page_too_long(tools):
    """A page has about 50,000 steps of an execution of more than 100,000, with those that matter most, and says where others are left out."""
    work = tools.dir("page-too-long")
    longer = LONG.replace("ROUNDS = 2000", "ROUNDS = 11000").replace("total == 12", "total == 66")
    page, _, text = page_of(tools, "too-long", "long.c", "assertion", ["-s", "random", "-n", "60", "--max-steps", "400000"], text=longer)
    count = int(re.search(r"([\d,]+) steps,", text).group(1).replace(",", ""))
    check(count > 100000, f"only {count} steps")
    check(page.stat().st_size < 4_000_000, f"the page has {page.stat().st_size} bytes")
    with Browser(work) as browser:
        browser.open(page)
        browser.settle()
        data = "JSON.parse(document.getElementById('data').textContent)"
        kept = browser.run(f"return {data}.step.t.length")
        check(49900 < kept <= 50100, f"the page has {kept} of {count} steps")
        check(len(rows(browser)) < 60, f"{len(rows(browser))} rows are shown at first")
        left = browser.run(f"const e = new Execution({data}); return [e.gaps.map(g => g.count), e.count, new Rows(e).list.length]")
        check(0 in left[0] and left[2] < 60, f"gaps: {left[0][:20]}, {left[2]} rows")
        browser.keys("u")
        height = browser.run("return document.querySelector('.canvas').offsetHeight / 23")
        check(height > kept, f"{height} rows for {kept} steps")
        calm(browser)


test_page_too_long.slow = True


FOUR = {"account.c": ("assertion", ()), "forks.c": ("deadlock", ()), "session.cc": ("use-after-free", ()), "long.c": ("assertion", ("-s", "random", "-n", "40"))}


def test_page_looks(tools):
    """Four pages, light and dark, wide and narrow, on paper and without scripts: no text covers another."""
    work = tools.dir("page-looks")
    pages = {name: page_of(tools, "looks", name, kind, options, LONG if name == "long.c" else None)[0]
             for name, (kind, options) in FOUR.items()}
    with Browser(work) as browser:
        for name, page in pages.items():
            browser.open(page)
            for width in (1280, 800, 500):
                browser.size(width, 900)
                browser.settle()
                check(not browser.run(OVERLAPS), f"{name}, {width}: texts overlap: {browser.run(OVERLAPS)}")
                wide = browser.run("return document.documentElement.scrollWidth")
                check(wide <= width, f"{name} is {wide} wide at {width}")
            for scheme in ("light", "dark"):
                browser.media(prefers_color_scheme=scheme)
                browser.keys("jjj")
                low = browser.run(CONTRAST)
                check(not low, f"{name}, {scheme}: too little contrast: {low}")
            browser.media(type="print")
            check(browser.run("return [getComputedStyle(document.querySelector('.static')).display, document.querySelector('#app').offsetHeight]")
                  == ["table", 0], f"{name}: paper does not get the table")
            browser.media()
            calm(browser)
    plain = tools.dir("page-plain")
    with Browser(plain, scripts=False) as browser:
        browser.open(pages["forks.c"])
        words = browser.devtools("DOM.getDocument") and browser.run("return document.body.innerText")
        check("lock table#1.seats" in words and "the circle" in words and "switch" not in words.split("Where every")[0].split("The execution")[-1],
              "without a script the table is not there")


test_page_looks.slow = True

# texts whose contrast with their background is below 4.5 : 1 (WCAG 2, level AA)
CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function rgb(c) { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; }
const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                     return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
function behind(e) { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; }
                     return rgb(getComputedStyle(document.documentElement).colorScheme.includes('dark') ? '#000' : '#fff'); }
const low = new Set();
for (const e of document.querySelectorAll('body *')) {
  if (!e.offsetParent || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) low.add(e.className + ' ' + e.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
}
return [...low]"""
