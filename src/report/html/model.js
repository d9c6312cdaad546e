'use strict';
/*
 * model.js - the execution that the page shows: its data (page_data.c describes it) with the words, objects, arrows
 * and locks of each step. A step is named by its index; the rows after the last step (how the execution ended) have the
 * indices that follow. Nothing here touches the page.
 */

const SWITCH = 1, PREEMPTION = 2;
const ORDERS = 0, THREAD = 1, WAKES = 2, UNBLOCKS = 3, HOLDS = 4;

class Execution {
  constructor(data) {
    this.data = data;
    this.strings = data.strings;
    this.step = data.step;
    this.count = data.step.t.length;
    this.total = this.count + data.ends.length;
    this.lanes = data.threads.map(([tid, name, created, alive]) => ({tid, name: this.strings[name], created, alive}));
    this.laneOf = new Map(this.lanes.map((lane, i) => [lane.tid, i]));
    this.findLives();
    this.findEdges();
    this.findLocks();
    this.marks = new Map();
    for (const [step, text] of data.marks)
      this.marks.set(step, [...new Set([...(this.marks.get(step) || []), this.strings[text]])]);
    this.histories = new Map();
    this.gaps = this.findGaps();
  }

  /* The first and the last step during which each thread was alive. */
  findLives() {
    for (const lane of this.lanes) {
      lane.first = lane.created >= 0 ? lane.created : Infinity;
      lane.last = lane.alive ? this.total : -1;
    }
    for (let i = 0; i < this.count; i++) {
      const lane = this.lanes[this.laneOf.get(this.step.t[i])];
      lane.first = Math.min(lane.first, i);
      lane.last = Math.max(lane.last, i);
    }
    this.data.ends.forEach((end, k) => {
      const lane = this.lanes[this.laneOf.get(end[0])];
      if (lane) lane.last = this.count + k;
    });
  }

  findEdges() {
    this.into = new Map();
    this.outOf = new Map();
    const add = edge => {
      for (const [map, key] of [[this.into, edge.to], [this.outOf, edge.from]])
        map.has(key) ? map.get(key).push(edge) : map.set(key, [edge]);
    };
    this.data.edges.forEach((flat, kind) => {
      for (let i = 0, to = 0; i < flat.length; i += 2) {
        to += flat[i];
        add({from: to - flat[i + 1], to, kind});
      }
    });
    this.data.ends.forEach((end, k) => {
      if (end[4] >= 0) add({from: end[4], to: this.count + k, kind: HOLDS});
    });
  }

  findLocks() {
    this.lockSteps = [];
    const flat = this.data.locks;
    for (let i = 0, step = 0; i < flat.length; i += 3) {
      step += flat[i];
      this.lockSteps.push({step, object: flat[i + 1], how: flat[i + 2]});
    }
  }

  /*
   * What is folded at first, and the places where the page leaves steps out: those have no steps (count 0) and stand
   * before the step `first`, which is the number of steps for a place at the end.
   */
  findGaps() {
    const gaps = this.data.gaps.map(([first, count, text]) => ({first, count, text: this.strings[text]}));
    const n = this.step.n;
    for (let i = 0; n && i <= this.count; i++) {
      const missing = (i < this.count ? n[i] : this.data.steps) - (i ? n[i - 1] : -1) - 1;
      const steps = `${missing.toLocaleString('en')} step${missing === 1 ? '' : 's'}`;
      if (missing > 0) gaps.push({first: i, count: 0, text: `... ${steps} that this page leaves out`});
    }
    return gaps.sort((a, b) => a.first - b.first || b.count - a.count);
  }

  isEnd(i) { return i >= this.count; }
  end(i) { return this.data.ends[i - this.count]; }
  tid(i) { return this.isEnd(i) ? this.end(i)[0] : this.step.t[i]; }
  lane(i) { return this.laneOf.get(this.tid(i)) ?? 0; }
  number(i) { return this.isEnd(i) ? '' : this.step.n ? this.step.n[i] + 1 : i + 1; }
  threadName(tid) { const lane = this.lanes[this.laneOf.get(tid)]; return lane ? lane.name : 'T' + tid; }
  isSwitch(i) { return !this.isEnd(i) && (this.step.m[i] & SWITCH) !== 0; }
  isPreemption(i) { return !this.isEnd(i) && (this.step.m[i] & PREEMPTION) !== 0; }

  /* The index of the step with this number. */
  indexOf(number) {
    if (!this.step.n) return number >= 1 && number <= this.count ? number - 1 : -1;
    return this.step.n.indexOf(number - 1);
  }

  objectName(o) { return this.strings[this.data.objects[o][0]]; }
  value(i) { return this.isEnd(i) || this.step.v[i] < 0 ? null : this.strings[this.step.v[i]]; }

  phrase(i) {
    if (this.isEnd(i)) return this.strings[this.end(i)[1]];
    const [before, hasObject, after, tail] = this.data.forms[this.step.f[i]], value = this.value(i);
    return this.strings[before] + (hasObject ? this.objectName(this.step.o[i]) : '') + this.strings[after] +
           (value === null ? '' : ' = ' + value) + this.strings[tail];
  }

  frameNumber(i) { return this.isEnd(i) ? this.end(i)[2] : this.step.w[i]; }

  frame(number) {
    if (number === undefined || number < 0) return null;
    const [fn, at, where, source, user, inlined] = this.data.frames[number];
    return {fn: this.strings[fn], at: this.strings[at], where: this.strings[where], source, user, inlined, number};
  }

  place(i) {
    if (this.isEnd(i)) return this.strings[this.end(i)[3]];
    const frame = this.frame(this.step.w[i]);
    return frame ? frame.at : '';
  }

  /* The lines of source around a frame: [{number, text}], or null. */
  source(frame) {
    const lines = frame && frame.source >= 0 ? this.data.sources[frame.source] : null;
    if (!lines || lines.length < 2) return null;
    return lines.slice(1).map((text, k) => ({number: lines[0] + k, text: this.strings[text]}));
  }

  stack(i) {
    const number = this.isEnd(i) ? -1 : this.step.s[i];
    if (number < 0) return null;
    const [cut, ...frames] = this.data.stacks[number];
    return {cut: cut === 1, frames: frames.map(n => this.frame(n))};
  }

  objects(i) {
    return this.isEnd(i) ? [] : [this.step.o[i], this.step.p[i]].filter(o => o >= 0);
  }

  /* Do two objects have memory in common? */
  overlap(a, b) {
    const x = this.data.objects[a], y = this.data.objects[b];
    return a === b || (x[1] <= y[2] && y[1] <= x[2]);
  }

  /* Every step that uses the object or a part of it. */
  history(object) {
    if (!this.histories.has(object)) {
      const meets = this.data.objects.map((_, o) => this.overlap(object, o)), steps = [];
      for (let i = 0; i < this.count; i++)
        if ((this.step.o[i] >= 0 && meets[this.step.o[i]]) || (this.step.p[i] >= 0 && meets[this.step.p[i]]))
          steps.push(i);
      this.histories.set(object, steps);
    }
    return this.histories.get(object);
  }

  /* The objects with the number of steps that name them, most used first. */
  objectsByUse() {
    const uses = new Array(this.data.objects.length).fill(0);
    for (let i = 0; i < this.count; i++)
      for (const o of this.objects(i)) uses[o]++;
    return uses.map((n, object) => ({object, uses: n, name: this.objectName(object)}))
        .filter(x => x.uses > 0 && x.name)
        .sort((a, b) => b.uses - a.uses || a.name.localeCompare(b.name));
  }

  /* The names of the locks that the thread of the step holds before it. */
  locksBefore(i) {
    const held = new Map(), tid = this.tid(i);
    for (const {step, object, how} of this.lockSteps) {
      if (step >= i) break;
      if (this.step.t[step] !== tid) continue;
      const depth = (held.get(object) || {depth: 0}).depth + (how ? 1 : -1);
      depth > 0 ? held.set(object, {depth, shared: how === 2}) : held.delete(object);
    }
    return [...held].map(([object, {shared}]) => this.objectName(object) + (shared ? ' (to read)' : ''));
  }

  /* What a search looks in. */
  words(i) {
    const frame = this.frame(this.frameNumber(i));
    return `${this.number(i)} ${this.threadName(this.tid(i))} ${this.phrase(i)} ${this.place(i)} ${frame ? frame.fn : ''}`
        .toLowerCase();
  }
}

/*
 * The rows of the timeline: steps in their order, and one row for each gap. A row is a number: the index of a step, or
 * -1 - g for gap g. With a filter the rows are the steps that pass it.
 */
class Rows {
  constructor(execution) {
    this.execution = execution;
    this.open = new Set();
    this.filter = null;
    this.gapOf = new Int32Array(execution.count).fill(-1);
    execution.gaps.forEach((gap, g) => {
      for (let i = gap.first; i < gap.first + gap.count; i++) this.gapOf[i] = g;
    });
    this.build();
  }

  build() {
    const e = this.execution, gaps = e.gaps;
    let rows = [];
    if (this.filter) {
      rows = this.filter.steps.slice();
    } else {
      for (let i = 0, g = 0; i <= e.total; i++) {
        while (g < gaps.length && gaps[g].first <= i) {
          const gap = gaps[g++];
          rows.push(-g);
          if (!gap.count || this.open.has(g - 1)) continue;
          /* The text of a fold counts the steps that the page leaves out in it and at its edges, too. */
          i = gap.first + gap.count;
          while (g < gaps.length && (gaps[g].first < i || (gaps[g].first === i && !gaps[g].count))) g++;
        }
        if (i < e.total) rows.push(i);
      }
    }
    this.list = rows;
    this.at = new Map(rows.map((row, position) => [row, position]));
  }

  /* The position of a step, or of the gap that hides it; -1: the filter hides it. */
  position(step) {
    const known = this.at.get(step);
    if (known !== undefined) return known;
    const gap = step >= 0 && step < this.gapOf.length ? this.gapOf[step] : -1;
    return gap >= 0 && !this.filter ? this.at.get(-1 - gap) ?? -1 : -1;
  }

  /* Makes a step visible. */
  reveal(step) {
    if (this.at.has(step)) return;
    this.filter = null;
    if (step < this.gapOf.length && this.gapOf[step] >= 0) this.open.add(this.gapOf[step]);
    this.build();
  }

  toggle(gap) {
    this.open.has(gap) ? this.open.delete(gap) : this.open.add(gap);
    this.build();
  }

  openAll(open) {
    this.open = new Set(open ? this.execution.gaps.keys() : []);
    this.build();
  }

  setFilter(filter) {
    this.filter = filter;
    this.build();
  }
}
