# SPDX-License-Identifier: Apache-2.0
"""The vectors that crates/wire wrote (crates/wire/examples/pcs_vectors.rs says what is in them)."""

from tb_common import ROOT

FOLDER = ROOT / "crates" / "wire" / "vectors" / "pcs"


def lines(name):
    text = (FOLDER / name).read_text().splitlines()
    return [line.split() for line in text if not line.startswith("#")]


def slot(control, characters):
    return int(control, 16), int(characters, 16)


def period():
    text = (FOLDER / "transmit.txt").read_text().splitlines()
    return next(int(line.split()[2]) for line in text if line.startswith("# period"))


def transmitted():
    """Slots, and rows of blocks."""
    found = lines("transmit.txt")
    slots = [slot(*line[1:]) for line in found if line[0] == "slot"]
    rows = [[int(block, 16) for block in line[1:]] for line in found if line[0] == "row"]
    return slots, rows


def received():
    """Blocks and their slots."""
    return [(int(block, 16), slot(*text)) for block, *text in lines("receive.txt")]


def codewords():
    """Of the rows of `transmitted`: lists of symbols."""
    return [symbols(text) for (text,) in lines("codewords.txt")]


def corrected():
    """Codewords as they arrive, and rows with "is one of markers"."""
    found = lines("corrected.txt")
    arrived = [symbols(line[1]) for line in found if line[0] == "codeword"]
    rows = [
        (line[1] == "0", [int(block, 16) for block in line[2:]])
        for line in found
        if line[0] == "row"
    ]
    return arrived, rows


def symbols(text):
    return [int(text[at : at + 3], 16) for at in range(0, len(text), 3)]
