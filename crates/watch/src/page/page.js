// SPDX-License-Identifier: Apache-2.0
// Shows the states that come.
const token = document.querySelector('meta[name=token]').content;
const timeline = new TimelineView($('timeline'), $('span'), $('readout'));
const SAMPLES = 120;
const history = new Map();

/** Keeps one element for each item, by key, in order; `fill` brings it up to date. */
const keep = (list, items, key, create, fill) => {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, place) => {
    const name = String(key(item));
    let child = old.get(name);
    if (!child) {
      child = create(item);
      child.dataset.key = name;
    }
    old.delete(name);
    fill(child, item);
    if (list.children[place] !== child) list.insertBefore(child, list.children[place] ?? null);
  });
  for (const child of old.values()) child.remove();
};

const verdict = (state) => {
  const [first, ...more] = state.reasons;
  const kind = !state.up ? 'bad' : first ? 'warn' : 'good';
  $('verdict').className = `verdict ${kind}`;
  say($('state'), state.up ? 'Up' : 'Down');
  say($('why'), first ? first.text : state.up ? 'User data flow; nothing is wrong.' : 'The link has not come up yet.');
  $('reasons').hidden = more.length === 0;
  keep($('reasons'), more, (reason) => reason.code + reason.text, () => make('li'), (item, reason) => say(item, `also: ${reason.text}`));
  document.title = `${state.up ? first ? 'Up, impaired' : 'Up' : 'Down'} \u2013 ${state.title}`;
};

const tiles = (state) => {
  const recoveries = state.lanes.reduce((sum, lane) => sum + lane.recoveries, 0);
  // A tile has room for three digits.
  const short = (seconds) => simulated ? si(seconds, 's') : moment(seconds);
  const all = [
    [state.time_base === 'link' ? 'link time' : 'watched for', short(state.time_s)],
    [state.up ? 'up since' : 'down since', short(state.since_s)],
    ['link-downs', count(state.downs)],
    ['recoveries', count(recoveries)],
  ];
  if (state.sessions !== null) all.push(['sessions', count(state.sessions)]);
  if (state.round_trip_s !== null) all.push(['round trip', si(state.round_trip_s, 's')]);
  if (state.clock_offset_ppm !== null) {
    const ppm = Math.round(state.clock_offset_ppm);
    all.push(['clock offset', `${ppm > 0 ? '+' : ppm < 0 ? '\u2212' : ''}${Math.abs(ppm)}\u00a0ppm`]);
  }
  keep($('tiles'), all, ([name]) => name, ([name]) => {
    const tile = make('div');
    tile.append(make('dt', '', name), make('dd'));
    return tile;
  }, (tile, [, value]) => say(tile.lastChild, value));
};

const LANE_STATES = { up: 'up', recovering: 'recovering', down: 'down' };
const lanes = (state) => {
  $('lanes-card').hidden = state.lanes.length === 0;
  keep($('lanes'), state.lanes, (lane) => lane.name, (lane) => {
    const box = make('li');
    const name = make('p', 'name');
    name.append(make('span', '', lane.name), make('span', 'state'));
    const list = make('dl');
    for (const key of ['error rate', '95 % interval', 'errors', 'recoveries']) list.append(make('dt', '', key), make('dd'));
    box.append(name, list, make('p', 'reason'));
    return box;
  }, (box, lane) => {
    box.className = lane.state;
    say(box.querySelector('.state'), LANE_STATES[lane.state]);
    const { estimate, low, high } = lane.error_rate;
    const texts = [rate(estimate), `${rate(low)} to ${rate(high)}`, `${count(lane.errors)} of ${count(lane.seen)} ${lane.unit}`, count(lane.recoveries)];
    box.querySelectorAll('dd').forEach((dd, place) => say(dd, texts[place]));
    const reason = box.querySelector('.reason');
    say(reason, lane.reason ? lane.reason.text : '');
    reason.hidden = !lane.reason;
  });
};

const curve = (points) => {
  const most = Math.max(...points, 1);
  const x = (n) => (100 * n / (SAMPLES - 1)).toFixed(2);
  const first = SAMPLES - points.length;
  return points.map((value, n) => `${n ? 'L' : 'M'}${x(first + n)} ${(42 - 40 * value / most).toFixed(2)}`).join('');
};

const channels = (state) => {
  $('channels-card').hidden = state.channels.length === 0;
  keep($('channels'), state.channels, (channel) => channel.name, (channel) => {
    const box = make('li');
    const name = make('p', 'name');
    name.append(make('span', '', channel.name), make('span', 'rate'));
    const svg = draw('svg', { viewBox: '0 0 100 44', preserveAspectRatio: 'none', role: 'img', 'aria-label': `rate of ${channel.name}` });
    svg.append(draw('path', { d: '' }));
    box.append(name, svg, make('p', 'sum'), make('p', 'bad'));
    return box;
  }, (box, channel) => {
    const known = history.get(channel.name) ?? { time: state.time_s, bytes: channel.bytes, points: [] };
    const elapsed = state.time_s - known.time;
    if (elapsed > 0) {
      known.points.push(Math.max(0, channel.bytes - known.bytes) * 8 / elapsed);
      if (known.points.length > SAMPLES) known.points.shift();
      [known.time, known.bytes] = [state.time_s, channel.bytes];
    }
    history.set(channel.name, known);
    say(box.querySelector('.rate'), known.points.length ? si(known.points.at(-1), 'b/s') : '');
    box.querySelector('path').setAttribute('d', curve(known.points));
    say(box.querySelector('.sum'), [`${si(channel.bytes, 'B')} in ${count(channel.packets)} packets`, channel.aborted ? `${count(channel.aborted)} aborted` : '', channel.note].filter(Boolean).join(', '));
    const bad = box.querySelector('.bad');
    bad.hidden = channel.bad === 0;
    say(bad, `${count(channel.bad)} lost or damaged`);
  });
};

const events = (state) => {
  $('no-events').hidden = state.events.length > 0;
  keep($('events'), state.events.slice(-50).reverse(), (event) => event.number, () => {
    const line = make('li');
    line.append(make('time'), make('span', 'text'), make('span', 'for'));
    return line;
  }, (line, event) => {
    line.className = event.kind;
    line.dataset.code = event.reason.code;
    say(line.querySelector('time'), moment(event.time_s));
    say(line.querySelector('.text'), event.reason.text);
    say(line.querySelector('.for'), lasted(event));
  });
};

const order = async (form, control) => {
  const values = {};
  for (const input of control.inputs) values[input.name] = Number(form.elements[input.name].value);
  const headers = { 'Content-Type': 'application/json', 'X-Ropewalk-Token': token };
  try {
    const answer = await fetch('what-if', { method: 'POST', headers, body: JSON.stringify({ action: control.action, values }) });
    const text = (await answer.text()).trim();
    say($('ordered'), answer.ok ? `${control.label}: done.` : answer.status === 403 ? 'The program has begun anew: reload the page.' : `Refused: ${text}`);
  } catch {
    say($('ordered'), 'The program does not answer.');
  }
};

const field = (input) => {
  const label = make('label', '', input.unit ? `${input.label}, ${input.unit}` : input.label);
  const control = make(input.kind === 'choice' ? 'select' : 'input');
  control.name = input.name;
  if (input.kind === 'choice') {
    input.options.forEach((name, place) => {
      const option = make('option', '', name);
      option.value = place;
      control.append(option);
    });
  } else {
    Object.assign(control, { type: 'number', min: input.min, max: input.max, step: 'any', required: true, value: input.value, inputMode: 'decimal' });
  }
  label.append(control);
  return label;
};

const orders = (state) => {
  $('what-if-card').hidden = state.what_if.length === 0;
  keep($('orders'), state.what_if, (control) => control.action, (control) => {
    const form = make('form');
    form.dataset.action = control.action;
    const inputs = make('div', 'inputs');
    inputs.append(...control.inputs.map(field));
    form.append(make('p', 'note', control.help));
    if (control.inputs.length) form.append(inputs);
    form.append(make('button', '', control.label));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      order(form, control);
    });
    return form;
  }, () => {});
};

const show = (state) => {
  simulated = state.time_base === 'link';
  say($('title'), state.title);
  keep($('facts'), state.facts, (fact) => fact, (fact) => make('span', '', fact), () => {});
  verdict(state);
  tiles(state);
  timeline.show(state);
  lanes(state);
  orders(state);
  channels(state);
  events(state);
};

const lost = (text) => {
  $('lost').hidden = !text;
  say($('lost'), text);
};
const source = new EventSource('events');
source.onmessage = (event) => {
  lost('');
  show(JSON.parse(event.data));
};
source.onerror = () => lost('No connection to the program; what is shown is old.');
source.addEventListener('end', () => {
  source.close();
  lost('The program has ended; this was the last state.');
});
