// SPDX-License-Identifier: Apache-2.0
// Numbers with units, and the timeline.
'use strict';
const $ = (id) => document.getElementById(id);

/** A number with three or four significant digits and an SI prefix. */
const si = (value, unit) => {
  if (!(Math.abs(value) > 0)) return `0\u00a0${unit}`;
  const prefixes = [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3], ['', 1], ['m', 1e-3], ['\u00b5', 1e-6], ['n', 1e-9], ['p', 1e-12]];
  const [prefix, scale] = prefixes.find(([, scale]) => Math.abs(value) >= scale * 0.9995) ?? ['p', 1e-12];
  return `${Number((value / scale).toPrecision(3))}\u00a0${prefix}${unit}`;
};
/** A moment: enough digits to tell two events apart. */
let simulated = false;
const moment = (seconds) => !simulated ? `${seconds.toFixed(1)}\u00a0s` : seconds < 1e-3 ? `${(seconds * 1e6).toFixed(2)}\u00a0\u00b5s`
  : seconds < 1 ? `${(seconds * 1e3).toFixed(4)}\u00a0ms` : `${seconds.toFixed(3)}\u00a0s`;
const rate = (value) => value === 0 ? '0' : value < 1e-2 ? value.toExponential(1).replace('-', '\u2212') : value.toPrecision(2);
const count = (value) => value < 1e6 ? value.toLocaleString('en') : si(value, '').trim();
const lasted = (event) => event.duration_s === null ? 'goes on' : event.duration_s > 0 ? si(event.duration_s, 's') : '';

const make = (name, className, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
/** Sets a text only if it differs: what is read aloud or selected is left alone. */
const say = (element, text) => { if (element.textContent !== text) element.textContent = text; };

const SVG = 'http://www.w3.org/2000/svg';
const draw = (name, attributes) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

/** Events along the time of the link; a row for each kind. */
class TimelineView {
  constructor(svg, select, readout) {
    this.svg = svg;
    this.select = select;
    this.readout = readout;
    this.marks = new Map();
    this.axis = svg.appendChild(draw('g', { 'aria-hidden': 'true' }));
    this.layer = svg.appendChild(draw('g', {}));
    const spans = [['all that is kept', 0], ['100 \u00b5s', 1e-4], ['1 ms', 1e-3], ['10 ms', 1e-2], ['100 ms', 0.1], ['1 s', 1], ['10 s', 10], ['1 min', 60], ['10 min', 600]];
    for (const [name, seconds] of spans) {
      const option = make('option', '', name);
      option.value = seconds;
      select.append(option);
    }
    select.addEventListener('change', () => this.last && this.show(this.last));
    addEventListener('resize', () => this.last && this.show(this.last));
  }

  /** What a reader of the screen says of a mark, too. */
  describe(event) {
    const length = lasted(event);
    return `${moment(event.time_s)}: ${event.reason.text}${length ? ` (${length})` : ''}`;
  }

  choose(mark) {
    for (const other of this.layer.querySelectorAll('.chosen')) other.classList.remove('chosen');
    mark.classList.add('chosen');
    say(this.readout, mark.getAttribute('aria-label'));
  }

  mark(event) {
    const mark = draw('rect', { class: `mark ${event.kind}`, rx: 1.5, tabindex: 0, role: 'img' });
    for (const name of ['focus', 'pointerenter', 'click']) mark.addEventListener(name, () => this.choose(mark));
    this.marks.set(event.number, mark);
    return mark;
  }

  show(state) {
    this.last = state;
    const width = this.svg.clientWidth || 300, height = 132, bottom = height - 22;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const now = state.time_s;
    const span = Number(this.select.value) || Math.max((now - (state.events[0]?.time_s ?? 0)) * 1.05, 1e-6);
    const from = Math.max(0, now - span);
    const x = (time) => 4 + (width - 8) * (time - from) / Math.max(now - from, 1e-12);
    this.ticks(from, now, x, bottom, height, width);
    const rows = { down: 0, lane: 1, recovery: 2, session: 3, note: 3, order: 4 };
    const seen = new Set();
    for (const event of state.events) {
      const end = event.duration_s === null ? now : event.time_s + event.duration_s;
      if (end < from) continue;
      seen.add(event.number);
      const mark = this.marks.get(event.number) ?? this.mark(event);
      const left = x(Math.max(event.time_s, from));
      const size = Math.max(6, x(end) - left);
      const place = { x: Math.min(left, width - 4 - size).toFixed(1), y: 4 + 21 * rows[event.kind], width: size.toFixed(1), height: 17, 'aria-label': this.describe(event) };
      for (const [key, value] of Object.entries(place)) mark.setAttribute(key, value);
      if (!mark.parentNode) this.layer.append(mark);
    }
    for (const [number, mark] of this.marks) {
      if (seen.has(number)) continue;
      mark.remove();
      this.marks.delete(number);
    }
  }

  ticks(from, now, x, bottom, height, width) {
    this.axis.replaceChildren();
    const rough = (now - from) / Math.max(2, width / 130);
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-12)));
    const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
    for (let n = Math.ceil(from / step); n * step <= now; n++) {
      const place = x(n * step);
      this.axis.append(draw('line', { class: 'grid', x1: place, x2: place, y1: 0, y2: bottom + 4 }));
      const text = draw('text', { x: Math.min(Math.max(place, 4), width - 4), y: height - 5, 'text-anchor': place < 40 ? 'start' : place > width - 40 ? 'end' : 'middle' });
      text.textContent = n === 0 ? '0' : si(Number((n * step).toPrecision(12)), 's').replace(/^([\d.]+)/, () => this.digits(n * step, step));
      this.axis.append(text);
    }
  }

  /** Digits of a tick, as many as its step needs, in the unit that `si` takes for it. */
  digits(value, step) {
    const scale = [1, 1e-3, 1e-6, 1e-9].find((s) => value >= s * 0.9995) ?? 1e-12;
    return (value / scale).toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / scale) - 1e-9))));
  }
}
