# SPDX-License-Identifier: Apache-2.0
"""The vectors that crates/wire wrote (crates/wire/examples/rsfec_vectors.rs says what is in them)."""

from dataclasses import dataclass

from tb_common import ROOT

FOLDER = ROOT / "crates" / "wire" / "vectors" / "rsfec"


@dataclass
class Vector:
    message: list[int]
    parity: list[int]
    errors: dict[int, int]
    corrections: dict[int, int] | None  # None: uncorrectable


def lines(name):
    text = (FOLDER / name).read_text().splitlines()
    return [line.split() for line in text if not line.startswith("#")]


def hexadecimal(text):
    return [int(symbol, 16) for symbol in text.split(",")]


def message(seed, k):
    symbols = []
    for _ in range(k):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        symbols.append(seed >> 54)
    return symbols


def pairs(text):
    if text == "-":
        return {}
    return {
        int(place): int(error, 16) for place, error in (pair.split(":") for pair in text.split(","))
    }


def read_vectors(n, k):
    """Those of one code."""
    return [
        Vector(
            message(int(seed), k),
            hexadecimal(parity),
            pairs(errors),
            None if verdict == "uncorrectable" else pairs(verdict),
        )
        for *code, seed, parity, errors, verdict in lines("codewords.txt")
        if code == [str(n), str(k)]
    ]


def read_generators():
    """By n and k: coefficients below the leading one, the highest power first."""
    return {(int(n), int(k)): hexadecimal(text) for n, k, text in lines("generators.txt")}
