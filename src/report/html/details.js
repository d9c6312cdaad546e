/* details.js - the panel beside the timeline: the step under the cursor or the mouse, with source, stack and values. */

const EDGE_WORDS = {
  into: ['happens after', 'follows', 'woken by', 'unblocked by', 'waits for what was taken at'],
  outOf: ['happens before', 'goes on at', 'wakes', 'unblocks', 'is waited for at the end by']
};

class Details {
  /* `on`: select(row), filter(object), unfold(gap). */
  constructor(execution, on) {
    this.execution = execution;
    this.on = on;
    this.root = element('aside', {class: 'details', 'aria-label': 'the selected step', tabindex: '0'});
    this.show(null);
  }

  show(row) {
    if (row === this.shown && row !== null) return;
    this.shown = row;
    this.root.classList.toggle('empty', row === null);
    if (row === null)
      this.root.replaceChildren(element('p', {class: 'hint'}, 'Select a step: its source, stack and values come here.'),
                                this.keys());
    else if (row < 0) this.root.replaceChildren(...this.gap(-1 - row));
    else this.root.replaceChildren(...this.step(row).filter(part => part));
    this.root.scrollTop = 0;
  }

  keys() {
    const key = (keys, words) => [element('dt', {}, ...keys.map(k => element('kbd', {}, k))), element('dd', {}, words)];
    return element('dl', {class: 'keys'}, key(['j', 'k'], 'next, previous row'), key(['n', 'p'], 'next, previous switch'),
                   key(['N', 'P'], 'next, previous preemption'), key(['Enter'], 'unfold, fold'), key(['/'], 'search'),
                   key(['h'], 'only what uses the same object'), key(['u', 'f'], 'unfold all, fold all'),
                   key(['Esc'], 'end search, filter'));
  }

  gap(g) {
    const gap = this.execution.gaps[g];
    return [element('h3', {}, gap.text), gap.count
      ? element('button', {type: 'button', onclick: () => this.on.unfold(g)}, 'unfold or fold')
      : element('p', {}, 'raddle show --all-steps prints them.')];
  }

  step(i) {
    const e = this.execution, frame = e.frame(e.frameNumber(i));
    return [this.head(i), this.roles(i), this.source(frame), this.place(frame), this.facts(i), this.links(i), this.stack(i),
            ...e.objects(i).filter((o, k, all) => e.objectName(o) && all.indexOf(o) === k).map(o => this.history(i, o))];
  }

  head(i) {
    const e = this.execution, tid = e.tid(i);
    const what = e.isEnd(i) ? 'end' : `step ${e.number(i).toLocaleString('en')}`;
    const how = e.isPreemption(i) ? ', a preemption' : e.isSwitch(i) ? ', another thread goes on' : '';
    return element('div', {class: 'head'}, element('p', {class: 'which'}, what + ' \u00b7 ',
                   element('b', {class: colour(tid)}, e.threadName(tid)), element('span', {class: e.isPreemption(i) ? 'pre' : ''}, how)),
                   element('h3', {}, e.phrase(i)));
  }

  roles(i) {
    const roles = this.execution.marks.get(i);
    return roles ? element('ul', {class: 'roles'}, roles.map(text => element('li', {}, text))) : null;
  }

  source(frame) {
    const lines = this.execution.source(frame);
    if (!lines) return null;
    const here = Number((frame.at.match(/:(\d+)$/) || [])[1]);
    return element('pre', {class: 'source'}, lines.map(({number, text}) => element(
        'span', {class: number === here ? 'line here' : 'line'}, element('i', {}, String(number)), text + '\n')));
  }

  place(frame) {
    if (!frame) return null;
    return element('p', {class: 'where'}, frame.fn !== '??' && frame.fn !== frame.where ? frame.fn + ' at ' : '', frame.where);
  }

  facts(i) {
    const e = this.execution, value = e.value(i), locks = e.isEnd(i) ? [] : e.locksBefore(i), rows = [];
    const row = (name, ...text) => rows.push(element('dt', {}, name), element('dd', {}, ...text));
    if (value !== null) row('value', value);
    if (!e.isEnd(i) && e.lockSteps.length) row('locks held', locks.length ? locks.join(', ') : 'none');
    return rows.length ? element('dl', {class: 'facts-of-step'}, rows) : null;
  }

  link(i, text) {
    const e = this.execution;
    return element('button', {type: 'button', class: 'link', onclick: () => this.on.select(i)},
                   element('span', {class: 'number'}, String(e.isEnd(i) ? 'end' : e.number(i))),
                   element('b', {class: colour(e.tid(i))}, 'T' + e.tid(i)), ' ' + (text || e.phrase(i)));
  }

  links(i) {
    const e = this.execution, rows = [];
    for (const [side, other] of [['into', 'from'], ['outOf', 'to']]) {
      const edges = (e[side].get(i) || []).slice().sort((a, b) => b.kind - a.kind);
      for (const edge of edges.slice(0, 8))
        rows.push(element('dt', {class: EDGE_CLASS[edge.kind]}, EDGE_WORDS[side][edge.kind]),
                  element('dd', {}, this.link(edge[other])));
      if (edges.length > 8) rows.push(element('dt', {}, ''), element('dd', {}, `and ${edges.length - 8} more`));
    }
    return rows.length ? element('dl', {class: 'links'}, rows) : null;
  }

  stack(i) {
    const stack = this.execution.stack(i);
    if (!stack) return null;
    return element('details', {open: stack.frames.length <= 8}, element('summary', {}, 'Stack'),
                   element('ol', {class: 'stack', start: '0'}, stack.frames.map(f => element(
                       'li', {class: f.user ? 'user' : 'library'}, f.fn, f.where && f.where !== f.fn
                           ? element('span', {class: 'at'}, ' ' + f.where) : null, f.inlined ? ' (inlined)' : '')),
                   stack.cut ? element('li', {class: 'library'}, 'outer calls were not recorded') : null));
  }

  /* What happened to the object around this step. */
  history(i, object) {
    const e = this.execution, all = e.history(object), at = all.indexOf(i), name = e.objectName(object);
    const from = Math.max(0, at - 4), shown = all.slice(from, at + 5);
    return element('details', {open: true, class: 'history'},
                   element('summary', {}, 'History of ', element('code', {}, name), ` (${all.length.toLocaleString('en')})`),
                   element('div', {class: 'list'}, from > 0 ? element('p', {class: 'hint'}, `${from.toLocaleString('en')} before`) : null,
                           shown.map(k => k === i ? element('div', {class: 'now'}, this.link(k)) : this.link(k)),
                           at + 5 < all.length ? element('p', {class: 'hint'}, `${(all.length - at - 5).toLocaleString('en')} after`) : null),
                   element('button', {type: 'button', class: 'filter', onclick: () => this.on.filter(object)},
                           'show only these'));
  }
}
