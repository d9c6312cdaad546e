/*
 * timeline.js - draws the rows: a lane for each thread, time downward. Only the rows that can be seen are in the
 * document; the lines of the lanes and the arrows lie in one SVG below them.
 */

const ROW = 23, SPARE = 12, SVG = 'http://www.w3.org/2000/svg';
const EDGE_CLASS = ['orders', 'thread', 'wakes', 'unblocks', 'holds'];

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined));
  return e;
}

function shape(tag, attributes) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  return e;
}

/* A line down from one point, across at the height `middle`, and down to another point, with round corners. */
function corner(x1, y1, x2, y2, middle, radius) {
  const r = Math.min(radius, Math.abs(x2 - x1) / 2), side = x1 < x2 ? r : -r, up = Math.min(r, Math.abs(middle - y1)),
        down = Math.min(r, Math.abs(y2 - middle));
  return `M${x1},${y1} V${middle - up} Q${x1},${middle} ${x1 + side},${middle} H${x2 - side} Q${x2},${middle} ${x2},${middle + down} V${y2}`;
}

const colour = tid => 't' + tid % 8;

class Timeline {
  /* `on`: select(row), hover(row or null), thread(tid). */
  constructor(execution, on) {
    this.execution = execution;
    this.rows = new Rows(execution);
    this.on = on;
    this.cursor = null;
    this.matches = new Set();
    this.arrows = new Set([THREAD, WAKES, UNBLOCKS, HOLDS]);
    this.names = element('div', {class: 'names'});
    this.svg = shape('svg', {class: 'lines', 'aria-hidden': 'true'});
    this.layer = element('div', {class: 'rows', role: 'presentation'});
    this.canvas = element('div', {class: 'canvas', role: 'presentation'}, this.svg, this.layer);
    this.scroller = element('div', {
      class: 'scroller', tabindex: '0', role: 'listbox', 'aria-label': 'the steps of the execution'
    }, this.canvas);
    this.root = element('div', {class: 'timeline'}, this.names, this.scroller);
    this.listen();
  }

  listen() {
    let waiting = false;
    this.scroller.addEventListener('scroll', () => {
      this.names.scrollLeft = this.scroller.scrollLeft;
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; this.draw(); });
    });
    const rowOf = event => {
      const row = event.target.closest('.row');
      return row ? Number(row.dataset.row) : null;
    };
    this.layer.addEventListener('click', event => {
      const row = rowOf(event);
      if (row === null) return;
      if (row < 0) this.toggle(-1 - row);
      else this.on.select(row);
    });
    this.layer.addEventListener('mouseover', event => this.on.hover(rowOf(event)));
    this.layer.addEventListener('mouseleave', () => this.on.hover(null));
    new ResizeObserver(() => this.layout()).observe(this.root);
  }

  /* Chooses the places of the columns for the width. */
  layout() {
    const width = this.scroller.clientWidth, lanes = this.execution.lanes.length;
    if (!width) return;
    const digits = String(this.execution.number(this.execution.count - 1) || 0).length;
    this.left = 30 + Math.max(4, digits) * 8;
    this.placeWidth = width < 560 ? 0 : Math.min(190, Math.max(110, width * 0.17));
    const room = width - this.left - this.placeWidth - 16, text = Math.min(290, room * 0.55);
    this.pitch = lanes > 1 ? Math.max(14, Math.min(210, (room - text) / (lanes - 1))) : 0;
    this.width = Math.max(width, this.left + this.pitch * (lanes - 1) + Math.min(text, 200) + this.placeWidth + 16);
    this.canvas.style.width = this.width > width ? this.width + 'px' : '100%';
    this.drawNames();
    this.drawn = null;
    this.refresh();
  }

  x(lane) { return this.left + 12 + lane * this.pitch; }

  drawNames() {
    const inner = element('div', {class: 'inner'});
    inner.style.width = this.width + 'px';
    this.execution.lanes.forEach((lane, k) => {
      const narrow = this.pitch && this.pitch < 34;
      const text = narrow ? String(lane.tid) : this.pitch && this.pitch < 100 ? 'T' + lane.tid : lane.name;
      const button = element('button', {
        type: 'button', class: 'name ' + colour(lane.tid), title: `${lane.name}: show only its steps`,
        'aria-label': `${lane.name}: show only its steps`, onclick: () => this.on.thread(lane.tid)
      }, text);
      button.style.left = this.x(k) - 6 + 'px';
      if (this.pitch) button.style.maxWidth = (k + 1 < this.execution.lanes.length ? this.pitch - 4 : 260) + 'px';
      inner.append(button);
    });
    this.names.replaceChildren(inner);
  }

  /* Draws everything again after the rows have changed. */
  refresh() {
    this.canvas.style.height = this.rows.list.length * ROW + 8 + 'px';
    this.drawn = null;
    this.draw();
  }

  draw() {
    const top = this.scroller.scrollTop, height = this.scroller.clientHeight || 600, total = this.rows.list.length;
    const first = Math.max(0, Math.floor(top / ROW) - SPARE);
    const last = Math.min(total, Math.ceil((top + height) / ROW) + SPARE);
    if (this.drawn && this.drawn[0] <= Math.max(0, first + SPARE - 2) && this.drawn[1] >= Math.min(total, last - SPARE + 2))
      return;
    this.drawn = [first, last];
    const rows = [];
    for (let k = first; k < last; k++) rows.push(this.drawRow(k));
    this.layer.replaceChildren(...rows);
    this.drawLines(first, last);
    const shown = this.cursor !== null ? this.rows.at.get(this.cursor) : undefined;
    if (shown >= first && shown < last) this.scroller.setAttribute('aria-activedescendant', 'row' + this.cursor);
    else this.scroller.removeAttribute('aria-activedescendant');
  }

  drawRow(position) {
    const row = this.rows.list[position], e = this.execution;
    const node = element('div', {
      class: 'row', id: 'row' + row, role: 'option', 'data-row': row, 'aria-setsize': this.rows.list.length,
      'aria-posinset': position + 1, 'aria-selected': row === this.cursor ? 'true' : 'false'
    });
    node.style.top = position * ROW + 'px';
    node.style.height = ROW + 'px';
    if (row < 0) this.fillGap(node, e.gaps[-1 - row], this.rows.open.has(-1 - row));
    else this.fillStep(node, row);
    if (row === this.cursor) node.classList.add('selected');
    return node;
  }

  fillGap(node, gap, open) {
    node.classList.add('gap');
    if (gap.count) node.setAttribute('aria-expanded', open);
    const text = element('span', {class: 'fold'}, gap.count ? (open ? '\u25be ' : '\u25b8 ') : '', gap.text);
    text.style.left = this.left + 6 + 'px';
    text.style.maxWidth = Math.max(60, this.width - this.left - 16) + 'px';
    text.title = gap.text;
    node.append(text);
  }

  fillStep(node, i) {
    const e = this.execution, x = this.x(e.lane(i)) + 11, pre = e.isPreemption(i);
    const mark = e.isEnd(i) ? '*' : pre ? '!' : e.isSwitch(i) ? '\u203a' : '';
    if (pre) node.classList.add('pre');
    if (e.isEnd(i)) node.classList.add('end');
    if (e.marks.has(i)) node.classList.add('why');
    if (this.matches.has(i)) node.classList.add('match');
    const number = element('span', {class: 'n'}, String(e.number(i)));
    number.style.width = this.left - 22 + 'px';
    const sign = element('span', {class: 'm', 'aria-label': pre ? 'preemption' : mark ? 'switch' : null}, mark);
    sign.style.left = this.left - 16 + 'px';
    const phrase = e.phrase(i), text = element('span', {class: 'op ' + colour(e.tid(i)), title: phrase}, phrase);
    text.style.left = x + 'px';
    text.style.maxWidth = Math.max(60, this.width - x - this.placeWidth - 20) + 'px';
    node.append(number, sign, text);
    node.setAttribute('aria-label', `${e.isEnd(i) ? 'end' : 'step ' + e.number(i)}, ${e.threadName(e.tid(i))}: ${phrase}`);
    if (this.placeWidth) {
      const at = element('span', {class: 'at', title: e.place(i)}, e.place(i));
      at.style.width = this.placeWidth + 'px';
      node.append(at);
    }
  }

  /* ---- lines ---- */

  drawLines(first, last) {
    const parts = [], y = position => (position - first) * ROW + ROW / 2;
    this.drawLanes(first, last, parts, y);
    this.drawTurns(first, last, parts, y);
    this.drawArrows(first, last, parts, y);
    this.svg.setAttribute('width', this.width);
    this.svg.setAttribute('height', Math.max(0, last - first) * ROW);
    this.svg.style.top = first * ROW + 'px';
    this.svg.replaceChildren(this.heads(), ...parts);
  }

  /* The arrow heads, one for each kind. */
  heads() {
    const defs = shape('defs', {});
    for (const kind of EDGE_CLASS) {
      const head = shape('marker', {
        id: 'head-' + kind, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto'
      });
      head.append(shape('path', {d: 'M0,0.5 L8,4 L0,7.5 z', class: 'head ' + kind}));
      defs.append(head);
    }
    return defs;
  }

  /* A vertical line for each thread while it is alive. */
  drawLanes(first, last, parts, y) {
    const e = this.execution, list = this.rows.list;
    const stepAt = k => list[k] >= 0 ? list[k] : e.gaps[-1 - list[k]].first;
    e.lanes.forEach((lane, k) => {
      let from = null, to = null;
      for (let position = first; position < last; position++) {
        const step = stepAt(position), alive = this.rows.filter || (lane.first <= step && step <= lane.last);
        if (alive && from === null) from = position;
        if (alive) to = position;
      }
      if (from !== null) {
        const line = shape('line', {
          x1: this.x(k), x2: this.x(k), y1: from === first && first > 0 ? 0 : y(from),
          y2: to === last - 1 && last < list.length ? (last - first) * ROW : y(to), class: 'lane ' + colour(lane.tid)
        });
        parts.push(line);
      }
    });
  }

  /* A bar for each turn of a thread, a line to the thread that goes on, a dot for each step. */
  drawTurns(first, last, parts, y) {
    const e = this.execution, list = this.rows.list;
    for (let position = first; position < last; position++) {
      const i = list[position];
      if (i < 0) continue;
      const x = this.x(e.lane(i)), before = position > 0 ? list[position - 1] : -1;
      if (before >= 0 && !this.rows.filter && !e.isEnd(i)) {
        const from = this.x(e.lane(before)), same = e.tid(before) === e.tid(i);
        if (same)
          parts.push(shape('line', {x1: x, x2: x, y1: y(position - 1), y2: y(position), class: 'turn ' + colour(e.tid(i))}));
        else
          parts.push(shape('path', {
            d: corner(from, y(position - 1), x, y(position), y(position) - ROW / 2 - 1, 6),
            class: e.isPreemption(i) ? 'hand pre' : 'hand'
          }));
      }
      if (e.marks.has(i)) parts.push(shape('circle', {cx: x, cy: y(position), r: 7, class: 'halo'}));
      parts.push(shape('circle', {
        cx: x, cy: y(position), r: e.isEnd(i) ? 5 : 3.6, class: (e.isEnd(i) ? 'dot end ' : 'dot ') + colour(e.tid(i))
      }));
    }
  }

  drawArrows(first, last, parts, y) {
    const e = this.execution, list = this.rows.list, drawn = new Set();
    const draw = (edge, strong) => {
      if (drawn.has(edge) || (!strong && !this.arrows.has(edge.kind))) return;
      const from = this.rows.position(edge.from), to = this.rows.position(edge.to);
      if (from < 0 || to < 0 || from === to) return;
      drawn.add(edge);
      const x1 = this.x(e.lane(edge.from)), x2 = this.x(e.lane(edge.to)), side = x1 <= x2 ? 1 : -1;
      const y1 = y(from), y2 = y(to), aside = 3 + edge.kind;
      const down = x1 === x2 ? `M${x1},${y1} C${x1 + 30},${y1} ${x2 + 30},${y2} ${x2 + 6},${y2}`
        : `${corner(x1 + aside, y1 + 3, x2 - side * 13, y2 - 4, y2 - ROW / 2 + 1, 5)} L${x2 - side * 5},${y2 - 3}`;
      parts.push(shape('path', {
        d: down,
        class: `arrow ${EDGE_CLASS[edge.kind]}${strong ? ' strong' : ''}`, 'marker-end': `url(#head-${EDGE_CLASS[edge.kind]})`
      }));
    };
    const all = i => [...(e.into.get(i) || []), ...(e.outOf.get(i) || [])];
    if (this.cursor !== null && this.cursor >= 0) all(this.cursor).forEach(edge => draw(edge, true));
    for (let position = first; position < last; position++)
      if (list[position] >= 0) all(list[position]).forEach(edge => draw(edge, false));
  }

  /* ---- moving ---- */

  /* Puts the cursor on a row. */
  select(row, reveal = true) {
    if (reveal && row >= 0) this.rows.reveal(row);
    this.cursor = row;
    this.refresh();
    const position = this.rows.at.get(row);
    if (position === undefined) return;
    const top = position * ROW, height = this.scroller.clientHeight, margin = Math.min(3 * ROW, height / 4);
    if (top - margin < this.scroller.scrollTop) this.scroller.scrollTop = top - margin;
    else if (top + ROW + margin > this.scroller.scrollTop + height) this.scroller.scrollTop = top + ROW + margin - height;
    this.draw();
  }

  toggle(gap) {
    if (!this.execution.gaps[gap].count) return;
    this.rows.toggle(gap);
    this.refresh();
  }

  /* The row `by` rows away from the cursor. */
  neighbour(by) {
    const list = this.rows.list, now = this.cursor === null ? undefined : this.rows.at.get(this.cursor);
    if (now === undefined) return list.length ? list[by > 0 ? 0 : list.length - 1] : null;
    return list[Math.max(0, Math.min(list.length - 1, now + by))];
  }

  /* The next row in that direction that fulfils the condition, or null. */
  find(direction, condition) {
    const list = this.rows.list, now = this.cursor === null ? undefined : this.rows.at.get(this.cursor);
    for (let k = now === undefined ? (direction > 0 ? 0 : list.length - 1) : now + direction; k >= 0 && k < list.length;
         k += direction)
      if (list[k] >= 0 && condition(list[k])) return list[k];
    return null;
  }
}
