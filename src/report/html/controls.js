/* controls.js - puts the page together: the bar above the timeline, keys, links to steps, colours, copying. */

const OBJECTS_MAX = 400;

class Controls {
  constructor(execution, app) {
    this.execution = execution;
    this.found = [];
    this.details = new Details(execution, {
      select: row => this.select(row), filter: object => this.filterObject(object), unfold: gap => this.timeline.toggle(gap)
    });
    this.timeline = new Timeline(execution, {
      select: row => this.select(row), hover: row => this.hover(row), thread: tid => this.filterThread(tid)
    });
    app.append(this.bar(), this.status, element('div', {class: 'panes'}, this.timeline.root, this.details.root));
    this.timeline.layout();
    document.addEventListener('keydown', event => this.key(event));
    document.addEventListener('click', event => this.follow(event));
    window.addEventListener('hashchange', () => this.goToHash());
    this.goToHash();
  }

  bar() {
    this.input = element('input', {
      type: 'search', placeholder: 'search steps  ( / )', 'aria-label': 'search in the steps', oninput: () => this.search(),
      onkeydown: event => this.searchKey(event)
    });
    this.count = element('output', {class: 'count', 'aria-live': 'polite'});
    this.status = element('p', {class: 'filtered', hidden: true, role: 'status'});
    const button = (text, title, action) => element('button', {type: 'button', title, onclick: action}, text);
    const group = (label, ...parts) => element('span', {class: 'group', role: 'group', 'aria-label': label}, ...parts);
    return element('div', {class: 'bar', role: 'toolbar', 'aria-label': 'the timeline'},
                   group('search', this.input, this.count),
                   group('switches', button('\u2039 switch', 'previous switch (p)', () => this.jump(-1, 'isSwitch')),
                         button('switch \u203a', 'next switch (n)', () => this.jump(1, 'isSwitch'))),
                   this.execution.gaps.some(gap => gap.count)
                       ? group('folding', button('unfold all', 'u', () => this.fold(true)), button('fold', 'f', () => this.fold(false)))
                       : null,
                   this.chooser(), this.legend());
  }

  /* The objects, to filter by. */
  chooser() {
    const objects = this.execution.objectsByUse();
    this.select_ = element('select', {'aria-label': 'show only the steps that use an object',
                                      onchange: () => this.filterObject(this.select_.value === '' ? null : Number(this.select_.value))},
                           element('option', {value: ''}, 'all objects'),
                           objects.slice(0, OBJECTS_MAX).map(({object, uses, name}) => element(
                               'option', {value: object}, `${name} (${uses.toLocaleString('en')})`)));
    return this.select_;
  }

  /* Which arrows are drawn. */
  legend() {
    const kinds = [[THREAD, 'create, join'], [WAKES, 'wakes'], [UNBLOCKS, 'unblocks'], [ORDERS, 'happens before']];
    const present = new Set();
    this.execution.into.forEach(edges => edges.forEach(edge => present.add(edge.kind)));
    return element('fieldset', {class: 'legend'}, element('legend', {}, 'arrows'), kinds.filter(([kind]) => present.has(kind)).map(
        ([kind, words]) => element('label', {class: EDGE_CLASS[kind]}, element('input', {
          type: 'checkbox', checked: this.timelineShows(kind), onchange: event => this.toggleArrows(kind, event.target.checked)
        }), element('span', {class: 'sample'}), words)));
  }

  timelineShows(kind) { return kind !== ORDERS; }

  toggleArrows(kind, on) {
    on ? this.timeline.arrows.add(kind) : this.timeline.arrows.delete(kind);
    this.timeline.refresh();
  }

  /* ---- the cursor ---- */

  select(row) {
    if (row === null || row === undefined) return;
    this.timeline.select(row);
    this.showFilter();
    this.details.show(row);
    const node = document.getElementById('row' + row);
    if (node) node.scrollIntoView({block: 'nearest'});
    if (row >= 0 && !this.execution.isEnd(row))
      history.replaceState(null, '', '#s' + this.execution.number(row));
  }

  /* The panel follows the mouse once it rests on a row, and goes back to the cursor when it leaves. */
  hover(row) {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.details.show(row !== null && row >= 0 ? row : this.timeline.cursor), 90);
  }

  jump(direction, condition) {
    const row = this.timeline.find(direction, i => this.execution[condition](i));
    if (row !== null) this.select(row);
    return row;
  }

  goToHash() {
    const number = Number((location.hash.match(/^#s(\d+)$/) || [])[1]);
    const step = number ? this.execution.indexOf(number) : -1;
    if (step >= 0) this.select(step);
    return step >= 0;
  }

  /* Links of the text to steps. */
  follow(event) {
    const link = event.target.closest && event.target.closest('a[href^="#s"]');
    if (!link) return;
    const step = this.execution.indexOf(Number(link.getAttribute('href').slice(2)));
    if (step < 0) return;
    event.preventDefault();
    this.select(step);
    document.getElementById('app').scrollIntoView({block: 'nearest'});
    this.timeline.scroller.focus({preventScroll: true});
  }

  /* ---- folding, filters, search ---- */

  fold(open) {
    this.timeline.rows.openAll(open);
    this.timeline.select(this.timeline.cursor, false);
  }

  filterObject(object) {
    this.setFilter(object === null ? null : {
      steps: this.execution.history(object), words: ['the steps that use ', element('code', {}, this.execution.objectName(object))], object
    });
  }

  filterThread(tid) {
    const now = this.timeline.rows.filter, steps = [];
    if (now && now.thread === tid) return this.setFilter(null);
    for (let i = 0; i < this.execution.total; i++)
      if (this.execution.tid(i) === tid) steps.push(i);
    this.setFilter({steps, thread: tid, words: ['the steps of ', element('b', {class: colour(tid)}, this.execution.threadName(tid))]});
  }

  setFilter(filter) {
    this.timeline.rows.setFilter(filter);
    const cursor = this.timeline.cursor;
    this.timeline.refresh();
    if (cursor !== null && this.timeline.rows.position(cursor) >= 0) this.timeline.select(cursor, false);
    else this.timeline.scroller.scrollTop = 0;
    this.showFilter();
  }

  showFilter() {
    const filter = this.timeline.rows.filter;
    this.status.hidden = !filter;
    this.select_.value = filter && filter.object !== undefined ? String(filter.object) : '';
    if (this.select_.selectedIndex < 0) this.select_.value = '';
    if (filter)
      this.status.replaceChildren('Only ', ...filter.words.map(w => w.cloneNode ? w.cloneNode(true) : w),
                                  `: ${filter.steps.length.toLocaleString('en')} of ${this.execution.count.toLocaleString('en')}. `,
                                  element('button', {type: 'button', onclick: () => this.setFilter(null)}, 'show all (Esc)'));
  }

  search() {
    const wanted = this.input.value.trim().toLowerCase();
    this.found = [];
    for (let i = 0; wanted && i < this.execution.total; i++)
      if (this.execution.words(i).includes(wanted)) this.found.push(i);
    this.timeline.matches = new Set(this.found);
    this.at = -1;
    if (this.found.length) this.nextMatch(1);
    else this.timeline.refresh();
    this.showCount();
  }

  showCount() {
    const n = this.found.length;
    this.count.textContent = !this.input.value.trim() ? '' : n ? `${this.at + 1} of ${n.toLocaleString('en')}` : 'nothing found';
  }

  /* Goes to the next match; the first one is at the cursor or after it. */
  nextMatch(direction) {
    const n = this.found.length;
    if (!n) return;
    if (this.at < 0) this.at = Math.max(0, this.found.findIndex(i => i >= (this.timeline.cursor ?? 0)));
    else this.at = (this.at + direction + n) % n;
    this.select(this.found[this.at]);
    this.showCount();
  }

  searchKey(event) {
    if (event.key === 'Enter') {
      event.preventDefault();
      this.nextMatch(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.input.value = '';
      this.search();
      this.timeline.scroller.focus();
    }
    event.stopPropagation();
  }

  /* ---- keys ---- */

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea')) return;
    const onRows = event.target === this.timeline.scroller || event.target === document.body, t = this.timeline;
    const page = Math.max(1, Math.floor(t.scroller.clientHeight / ROW) - 2);
    const anywhere = {
      j: () => this.select(t.neighbour(1)), k: () => this.select(t.neighbour(-1)),
      n: () => this.jump(1, 'isSwitch'), p: () => this.jump(-1, 'isSwitch'),
      N: () => this.jump(1, 'isPreemption'), P: () => this.jump(-1, 'isPreemption'),
      u: () => this.fold(true), f: () => this.fold(false), h: () => this.sameObject(),
      '/': () => { this.input.focus(); this.input.select(); }, Escape: () => this.setFilter(null)
    };
    const inRows = {
      ArrowDown: anywhere.j, ArrowUp: anywhere.k, PageDown: () => this.select(t.neighbour(page)),
      PageUp: () => this.select(t.neighbour(-page)), Home: () => this.select(t.rows.list[0]),
      End: () => this.select(t.rows.list[t.rows.list.length - 1]), Enter: () => this.unfold(), ' ': () => this.unfold()
    };
    const action = anywhere[event.key] || (onRows && event.target === t.scroller ? inRows[event.key] : null) ||
                   (onRows && event.key === 'Enter' ? inRows.Enter : null);
    if (!action) return;
    event.preventDefault();
    action();
  }

  unfold() {
    if (this.timeline.cursor !== null && this.timeline.cursor < 0) this.timeline.toggle(-1 - this.timeline.cursor);
  }

  sameObject() {
    const objects = this.timeline.cursor === null || this.timeline.cursor < 0 ? [] : this.execution.objects(this.timeline.cursor);
    if (objects.length) this.filterObject(objects[0]);
  }
}

/* ---- what every page has ---- */

function chooseColours() {
  const button = document.getElementById('theme'), themes = ['auto', 'light', 'dark'];
  const read = () => { try { return localStorage.getItem('raddle-theme'); } catch { return null; } };
  let now = themes.includes(read()) ? read() : 'auto';
  const apply = () => {
    now === 'auto' ? delete document.documentElement.dataset.theme : (document.documentElement.dataset.theme = now);
    button.textContent = now;
    button.setAttribute('aria-label', now === 'auto' ? 'colours: as the system has them' : 'colours: ' + now);
  };
  button.addEventListener('click', () => {
    now = themes[(themes.indexOf(now) + 1) % themes.length];
    try { localStorage.setItem('raddle-theme', now); } catch { /* a file may have no storage */ }
    apply();
  });
  apply();
}

/* Copies without the clipboard interface, which pages from files may not have. */
function copyText(code, button) {
  const range = document.createRange(), selection = getSelection();
  range.selectNodeContents(code);
  selection.removeAllRanges();
  selection.addRange(range);
  const done = document.execCommand && document.execCommand('copy');
  if (!done && navigator.clipboard) navigator.clipboard.writeText(code.textContent).catch(() => {});
  button.textContent = done || navigator.clipboard ? 'copied' : 'selected';
  setTimeout(() => { button.textContent = 'copy'; }, 1500);
}

document.documentElement.classList.add('scripted');
chooseColours();
for (const button of document.querySelectorAll('button.copy'))
  button.addEventListener('click', () => copyText(button.parentElement.querySelector('code'), button));
const holder = document.getElementById('data');
if (holder) new Controls(new Execution(JSON.parse(holder.textContent)), document.getElementById('app'));
