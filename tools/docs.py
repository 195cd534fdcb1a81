#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the book: docs/src/*.md to build/docs/*.html.

usage: docs.py [--out DIR]

docs/src/SUMMARY.md lists the chapters in order, in parts with headings. A line
`<!-- command: PROGRAM ARGUMENTS -->` is replaced by what that command prints, so that help texts in
the book are those of the program; `<!-- markdown: ... -->` if it prints Markdown. A line
`<!-- waveform: NAME -->` is replaced by the picture of docs/src/waves/NAME.json, which a test bench
has recorded (cores/tb_common/waves.py). Links and pictures are checked: a book that points to nothing
is not written. Every page has a search of the whole
book, which needs no server.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import markdown
import yowasp_wavedrom
from common import BUILD, ROOT, fail

SOURCE = ROOT / "docs/src"

# Clocks of a waveform that is drawn half as wide.
WIDE = 18

STYLE = """
:root { --ink:#1d2733; --soft:#5b6875; --paper:#ffffff; --side:#f3f5f7; --line:#d9dfe5; --link:#0b62a8; --code:#f3f5f7; }
@media (prefers-color-scheme: dark) {
  :root { --ink:#dfe6ec; --soft:#9aa7b3; --paper:#14191f; --side:#1b222a; --line:#323d48; --link:#6db6f2; --code:#1f2730; }
}
* { box-sizing: border-box; }
body { margin:0; font:16px/1.6 system-ui, sans-serif; color:var(--ink); background:var(--paper); display:flex; }
nav { width:17rem; flex:none; height:100vh; position:sticky; top:0; overflow:auto; padding:1.5rem 1.2rem; background:var(--side);
  border-right:1px solid var(--line); }
nav b { display:block; margin-bottom:1rem; font-size:1.15rem; }
nav a { display:block; padding:.25rem .6rem; margin:0 -.6rem; border-radius:.3rem; color:var(--ink); text-decoration:none; }
nav .part { margin:1.3rem 0 .3rem; font-size:.8rem; text-transform:uppercase; letter-spacing:.05em; color:var(--soft); }
nav input { width:100%; padding:.4rem .6rem; font:inherit; color:inherit; background:var(--paper); border:1px solid var(--line); border-radius:.3rem; }
#found { margin:.4rem 0 1rem; font-size:.9rem; } #found a { border-left:3px solid var(--link); border-radius:0; margin:0; }
nav a.here { background:var(--line); font-weight:600; }
nav a.sub { padding-left:1.6rem; font-size:.88rem; color:var(--soft); }
main { flex:1; min-width:0; max-width:54rem; padding:1.5rem 2.5rem 4rem; }
a { color:var(--link); }
h1 { line-height:1.2; } h2 { margin-top:2.2rem; border-bottom:1px solid var(--line); padding-bottom:.2rem; }
code, pre { font:0.88em/1.45 ui-monospace, "DejaVu Sans Mono", monospace; background:var(--code); border-radius:.3rem; }
code { padding:.1em .3em; } pre { padding: .8rem 1rem; overflow-x:auto; } pre code { padding:0; }
table { border-collapse:collapse; display:block; overflow-x:auto; margin:1rem 0; }
th, td { border:1px solid var(--line); padding:.35rem .7rem; text-align:left; vertical-align:top; }
th { background:var(--side); }
img { max-width:100%; } .waveform { overflow-x:auto; background:#fff; border:1px solid var(--line); border-radius:.3rem; padding:.5rem; margin:1rem 0; } blockquote { margin:1rem 0; padding:.2rem 1rem; border-left:4px solid var(--link); }
.turn { display:flex; justify-content:space-between; margin-top:3rem; border-top:1px solid var(--line); padding-top:1rem; }
@media (max-width: 50rem) { body { display:block; } nav { width:auto; height:auto; position:static; } main { padding:1rem; } }
"""


@dataclass
class Chapter:
    """One page of the book."""

    title: str
    name: str
    part: str = ""

    @property
    def target(self) -> str:
        """The file name of the page."""
        return self.name.removesuffix(".md") + ".html"


def chapters() -> tuple[str, list[Chapter]]:
    """The title of the book and its pages in order."""
    title, part, pages = "", "", []
    for line in (SOURCE / "SUMMARY.md").read_text().splitlines():
        if heading := re.fullmatch(r"# (.+)", line):
            title, part = (title, heading[1]) if title else (heading[1], "")
        elif entry := re.fullmatch(r"- \[(.+?)\]\((.+?\.md)\)", line):
            pages.append(Chapter(entry[1], entry[2], part))
        elif line.strip():
            fail(f"SUMMARY.md: neither a heading nor a page: {line}")
    listed = {page.name for page in pages}
    present = {p.name for p in SOURCE.glob("*.md")} - {"SUMMARY.md"}
    if listed != present:
        fail(f"SUMMARY.md and docs/src differ in {', '.join(sorted(listed ^ present))}")
    return title, pages


def sections(page: Chapter, body: str) -> list[tuple[str, str, str, str]]:
    """What the search looks at: page, heading, address and text of each section."""
    parts = re.split(r'<h[12] id="([^"]+)">(.*?)</h[12]>', body)
    plain = [html.unescape(" ".join(re.sub(r"<[^>]+>", " ", part).split())) for part in parts]
    return [
        (page.title, heading, f"{page.target}#{anchor}", text)
        for anchor, heading, text in zip(plain[1::3], plain[2::3], plain[3::3], strict=True)
    ]


def navigation(pages: list[Chapter], here: Chapter, heads: list[tuple[str, str]]) -> str:
    """All pages by part, and the headings of this one."""
    links, part = [], ""
    for page in pages:
        if page.part != part:
            part = page.part
            links.append(f'<div class="part">{html.escape(part)}</div>')
        mark = ' class="here"' if page is here else ""
        links.append(f'<a{mark} href="{page.target}">{html.escape(page.title)}</a>')
        if page is here:
            links += [f'<a class="sub" href="#{anchor}">{text}</a>' for anchor, text in heads]
    return "".join(links)


def command_output(match: re.Match[str]) -> str:
    """What a command prints: as a block of code, or as a part of the page if it prints Markdown."""
    words = shlex.split(match.group(2))
    program = ROOT / words[0]
    if not program.exists():
        fail(f"{words[0]} has not been built, run make build")
    done = subprocess.run(
        [program, *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        fail(f"'{match.group(2)}' ended with status {done.returncode}: {done.stderr.strip()}")
    lines = "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())
    return lines if match.group(1) == "markdown" else f"```\n{lines}\n```"


def waveform(match: re.Match[str]) -> str:
    """The picture of a waveform, on one line, so that Markdown leaves it as it is."""
    path = SOURCE / "waves" / f"{match.group(1)}.json"
    if not path.exists():
        fail(f"there is no waveform {path.relative_to(SOURCE)}")
    picture = json.loads(path.read_text())
    if len(picture["signal"][0]["wave"]) > WIDE:
        picture["config"] = {"skin": "narrow"}
    return f'<div class="waveform">{" ".join(yowasp_wavedrom.render(picture).split())}</div>'


def check_links(page: Chapter, body: str, ids: dict[str, set[str]]) -> list[str]:
    """Links that lead nowhere."""
    wrong = []
    for link in re.findall(r'(?:href|src)="([^"]+)"', body):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        name = name or page.target
        if (name.endswith(".html") and name not in ids) or (
            not name.endswith(".html") and not (SOURCE / name).exists()
        ):
            wrong.append(f"{page.name}: no {link}")
        elif anchor and anchor not in ids.get(name, set()):
            wrong.append(f"{page.name}: no heading {link}")
    return wrong


def render(out: Path) -> int:
    """Write the book; returns the number of pages."""
    title, pages = chapters()
    bodies: list[str] = []
    heads: list[list[tuple[str, str]]] = []
    ids: dict[str, set[str]] = {}
    for page in pages:
        text = (SOURCE / page.name).read_text()
        text = re.sub(
            r"^<!-- (command|markdown): (.+?) -->$", command_output, text, flags=re.MULTILINE
        )
        text = re.sub(r"^<!-- waveform: ([\w-]+) -->$", waveform, text, flags=re.MULTILINE)
        body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"])
        body = re.sub(r'href="([\w-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
        bodies.append(body)
        heads.append(re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body))
        ids[page.target] = set(re.findall(r'id="([^"]+)"', body))
    wrong = [
        w for page, body in zip(pages, bodies, strict=True) for w in check_links(page, body, ids)
    ]
    if wrong:
        fail("; ".join(wrong), 1)

    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for extra in SOURCE.iterdir():
        if extra.is_file() and extra.suffix != ".md":
            shutil.copy(extra, out / extra.name)
    found = [row for page, body in zip(pages, bodies, strict=True) for row in sections(page, body)]
    code = (ROOT / "tools/search.js").read_text()
    (out / "search.js").write_text(f"const BOOK = {json.dumps(found)};\n{code}")
    for number, (page, body) in enumerate(zip(pages, bodies, strict=True)):
        links = navigation(pages, page, heads[number])
        before = pages[number - 1] if number > 0 else None
        after = pages[number + 1] if number + 1 < len(pages) else None
        back = f'<a href="{before.target}">&larr; {html.escape(before.title)}</a>' if before else ""
        forth = f'<a href="{after.target}">{html.escape(after.title)} &rarr;</a>' if after else ""
        turn = f"<span>{back}</span><span>{forth}</span>"
        (out / page.target).write_text(
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(page.title)} - {html.escape(title)}</title><style>{STYLE}</style></head>\n"
            f"<body><nav><b>{html.escape(title)}</b>"
            f'<input id="search" type="search" placeholder="Search" aria-label="Search"><div id="found"></div>'
            f"{links}</nav>\n"
            f'<main>{body}<div class="turn">{turn}</div></main><script src="search.js"></script></body></html>\n'
        )
    return len(pages)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILD / "docs")
    args = parser.parse_args()
    count = render(args.out)
    print(f"docs: {count} pages, begin at {args.out / 'index.html'}")


if __name__ == "__main__":
    main()
