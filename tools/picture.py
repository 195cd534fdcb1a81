#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/src/ropewalk.svg: packets in, a line that flips bits, the same packets out.

usage: picture.py [--check]

The line is drawn as the rope of the name: strands twisted around each other. `--check` only says whether the file is
what this script draws.
"""

from __future__ import annotations

import argparse
import math
import sys

from common import ROOT

TARGET = ROOT / "docs/src/ropewalk.svg"
WIDTH, HEIGHT = 960, 300
INK, SOFT, PAPER, BOX, FLAW = "#22303c", "#6a7886", "#fbfaf7", "#ffffff", "#c8352b"
STRANDS = ("#b98b4e", "#d8b478", "#8f6531")
COLOURS = ("#2f6f9f", "#3a8f6b", "#7a5aa6")
LEFT, RIGHT = 290, 670


def strand(phase: float, low: int, high: int, middle: float, part: int) -> str:
    """The piece of a twisted strand between two x, as a path; part 0 lies behind, 1 in front."""
    points: list[str] = []
    pieces: list[str] = []
    for x in range(low, high + 1, 3):
        angle = (x - low) / 34 + phase
        depth = math.cos(
            angle
        )  # above zero in front; pieces reach a little beyond their half, so that they join
        if (depth if part else -depth) >= -0.13:
            points.append(f"{x},{middle + 15 * math.sin(angle):.1f}")
        elif points:
            pieces.append("M" + " L".join(points))
            points = []
    if points:
        pieces.append("M" + " L".join(points))
    return " ".join(p for p in pieces if " " in p)


def rope(middle: float) -> list[str]:
    """Three strands, those behind drawn first."""
    out = []
    for part in (0, 1):
        for index, colour in enumerate(STRANDS):
            path = strand(index * 2 * math.pi / 3, LEFT, RIGHT, middle, part)
            out.append(
                f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="13"/>'
                f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="10" stroke-linecap="round"/>'
            )
    return out


def packet(x: float, y: float, colour: str, length: int, name: str) -> str:
    """A packet with its number."""
    return (
        f'<rect x="{x}" y="{y}" width="{length}" height="26" rx="4" fill="{colour}"/>'
        f'<text x="{x + length / 2}" y="{y + 18}" fill="#fff" text-anchor="middle" font-weight="600">{name}</text>'
    )


def box(x: float, title: str, lines: tuple[str, ...]) -> str:
    """One end of the link."""
    rows = "".join(
        f'<text x="{x + 70}" y="{y}" fill="{SOFT}" text-anchor="middle" font-size="13">{line}</text>'
        for line, y in zip(lines, range(136, 250, 20), strict=False)
    )
    return (
        f'<rect x="{x}" y="74" width="140" height="152" rx="10" fill="{BOX}" stroke="{INK}" stroke-width="2"/>'
        f'<text x="{x + 70}" y="106" fill="{INK}" text-anchor="middle" font-size="18" font-weight="700">{title}</text>'
        f"{rows}"
    )


def arrow(x: float, y: float, length: float) -> str:
    """A horizontal arrow, to the left if the length is negative."""
    tip = x + length
    back = 8 if length > 0 else -8
    return (
        f'<path d="M{x},{y} H{tip - back}" stroke="{INK}" stroke-width="2" fill="none"/>'
        f'<path d="M{tip},{y} l{-back},-5 v10 z" fill="{INK}"/>'
    )


def flash(x: float, y: float) -> str:
    """A bit error."""
    return f'<path d="M{x},{y} l-9,22 h9 l-7,22 l20,-29 h-9 l8,-15 z" fill="{FLAW}" stroke="{PAPER}" stroke-width="1.5"/>'


def draw() -> str:
    """The whole picture."""
    end = ("cut into frames", "number and check", "keep for repeating", "put in order")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        ' font-family="system-ui, sans-serif" font-size="14">',
        "<!-- SPDX-License-Identifier: Apache-2.0; drawn by tools/picture.py -->",
        "<title>Packets cross a line that flips bits and arrive complete and in order</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="{PAPER}"/>',
        *rope(150),
        flash(408, 84),
        flash(556, 84),
        f'<text x="480" y="60" fill="{FLAW}" text-anchor="middle" font-weight="600">bits are flipped here</text>',
        f'<text x="480" y="246" fill="{SOFT}" text-anchor="middle">damaged frames are sent again by the hardware</text>',
        box(160, "end A", end),
        box(660, "end B", end),
    ]
    for index, (colour, length) in enumerate(zip(COLOURS, (64, 40, 84), strict=True)):
        y = 92 + 42 * index
        parts += [packet(104 - length, y, colour, length, str(index + 1)), arrow(110, y + 13, 42)]
        parts += [arrow(806, y + 13, 42), packet(854, y, colour, length, str(index + 1))]
    parts += [
        f'<text x="80" y="264" fill="{INK}" text-anchor="middle">packets in</text>',
        f'<text x="880" y="264" fill="{INK}" text-anchor="middle">the same, in order</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare with the file")
    args = parser.parse_args()
    if args.check:
        return 0 if TARGET.exists() and TARGET.read_text() == draw() else 1
    TARGET.write_text(draw())
    return 0


if __name__ == "__main__":
    sys.exit(main())
