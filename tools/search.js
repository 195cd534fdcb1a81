// SPDX-License-Identifier: Apache-2.0
// Search in the book: BOOK (written by docs.py) is a list of [page, heading, address, text].
// All words have to stand in a section; headings count most. `?q=word` in the address searches at
// once.
"use strict";
const field = document.getElementById("search");
const results = document.getElementById("found");

function search(question) {
  const words = question.toLowerCase().split(/\s+/).filter((word) => word);
  const hits = [];
  for (const [page, heading, address, text] of words.length ? BOOK : []) {
    const head = `${page} ${heading}`.toLowerCase();
    const body = text.toLowerCase();
    if (!words.every((word) => head.includes(word) || body.includes(word))) continue;
    let points = 0;
    for (const word of words) points += (head.includes(word) ? 10 : 0) + body.split(word).length - 1;
    hits.push([points, page, heading, address]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  results.replaceChildren(...hits.slice(0, 12).map(([, page, heading, address]) => {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = heading && heading !== page ? `${page}: ${heading}` : page;
    return link;
  }));
  if (words.length && !hits.length) results.textContent = "nothing found";
}

field.addEventListener("input", () => search(field.value));
field.value = new URLSearchParams(location.search).get("q") || "";
search(field.value);
