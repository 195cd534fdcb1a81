# SPDX-License-Identifier: Apache-2.0
"""Golden frames of the published core, where they are at hand: `../shared/vectors` beside the checkout.

They are not part of the project. Without them the tests that need them say so and are skipped; the project's own
vectors (crates/wire/vectors), proven equal where both exist, are always checked.
"""

from dataclasses import dataclass

import pytest
from tb_common import ROOT

FOLDER = ROOT.parent / "shared" / "vectors" / "rifl"


@dataclass(frozen=True)
class Row:
    """One frame as the published transmitter sent it."""

    kind: str
    frame_id: int
    control: bool
    meta: int
    body: int  # meta code and payload, or key and zeros; 242 bits
    state: int  # scrambler state before the frame, newest bit in bit 0
    wire: int


def path(name):
    """The file, or a skip that says what is missing."""
    file = FOLDER / name
    if not file.is_file():
        pytest.skip(f"golden vectors not at hand: ../shared/vectors/rifl/{name}")
    return file


def rows(name):
    """All frames of one of the two files of frames."""
    result = []
    for line in (FOLDER / name).read_text().splitlines():
        if line and not line.startswith("#"):
            f = line.split()
            result.append(
                Row(
                    f[2],
                    int(f[3], 16),
                    f[4] == "2",
                    int(f[5]),
                    int(f[7], 16),
                    int(f[8], 16),
                    int(f[10], 16),
                )
            )
    return result
