// SPDX-License-Identifier: Apache-2.0
// Read-out under the pointer. The page is complete without it.
'use strict';
const samples = JSON.parse(document.getElementById('samples').textContent);
const names = ['A \u2192 B', 'B \u2192 A'];
const time = (ns) => ns < 1e3 ? `${ns.toFixed(0)} ns` : ns < 1e6 ? `${(ns / 1e3).toFixed(2)} \u00b5s` : `${(ns / 1e6).toFixed(4)} ms`;
const plots = {
  goodput: (i) => samples.goodput_gbps.map((v, d) => `${names[d]} ${v[i].toFixed(2)} Gb/s`),
  latency: (i) => samples.latency_ns.map((v, d) => `${names[d]} ${v[i] > 0 ? time(v[i]) : 'no packet'}`),
};
for (const [id, describe] of Object.entries(plots)) {
  const figure = document.getElementById(id);
  if (!figure) continue;
  const output = figure.querySelector('output');
  for (const svg of figure.querySelectorAll('svg.chart')) {
    const cursor = svg.querySelector('.cursor');
    const [left, right, min, max] = ['left', 'right', 'min', 'max'].map((key) => Number(svg.dataset[key]));
    svg.addEventListener('pointermove', (event) => {
      const box = svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
      const at = min + (max - min) * Math.min(1, Math.max(0, (x - left) / (right - left)));
      // A sample stands for the interval that it ends.
      let i = samples.time_ns.findIndex((t) => t >= at);
      if (i < 0) i = samples.time_ns.length - 1;
      const place = left + (right - left) * (samples.time_ns[i] - min) / (max - min);
      cursor.setAttribute('transform', `translate(${place.toFixed(1)} 0)`);
      cursor.setAttribute('visibility', 'visible');
      const errors = samples.bit_errors.map((v) => v[i]).reduce((a, b) => a + b);
      output.textContent = [`at ${time(samples.time_ns[i])}:`, ...describe(i), `${errors} bit errors`].join('   ');
    });
    svg.addEventListener('pointerleave', () => {
      cursor.setAttribute('visibility', 'hidden');
      output.textContent = '\u00a0';
    });
  }
}
