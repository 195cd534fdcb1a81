#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The seed that random tests run with: SEED from the environment, else the number in tools/seed, which is printed.

usage: [SEED=number|fresh] seed.py

`SEED=fresh` draws a number. A run with the number in tools/seed is the same everywhere, so that a first run says something
about the machine and the change and nothing about luck; tools/seeds.py hunts with many seeds.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

LARGEST = 2**32 - 1


def fresh() -> int:
    """A seed that nobody has chosen."""
    return random.SystemRandom().randint(1, LARGEST)


def seed() -> int:
    """The seed of this run; ValueError names a value of SEED that is none."""
    text = os.environ.get("SEED") or Path(__file__).with_name("seed").read_text().strip()
    if text == "fresh":
        return fresh()
    if not text.isdecimal() or int(text) > LARGEST:
        raise ValueError(f"SEED={text!r} is neither a number up to {LARGEST} nor 'fresh'")
    return int(text)


if __name__ == "__main__":
    try:
        print(seed())
    except ValueError as error:
        sys.exit(f"seed.py: {error}")
