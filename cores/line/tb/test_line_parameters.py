# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import rtl

BAD = [
    ("line_8b10b_enc", {"Symbols": 0}, "Symbols must be at least 1, got 0"),
    ("line_8b10b_dec", {"Symbols": 0}, "Symbols must be at least 1, got 0"),
    ("line_64b66b_tx", {"Lanes": 0}, "Lanes must be at least 1, got 0"),
    ("line_block_lock", {"LockBlocks": 1, "BadLimit": 1}, "LockBlocks must be at least 2, got 1"),
    ("line_block_lock", {"Window": 1, "BadLimit": 1}, "Window must be at least 2, got 1"),
    ("line_block_lock", {"BadLimit": 0}, "BadLimit must be 1 .. Window (64), got 0"),
    ("line_block_lock", {"BadLimit": 65}, "BadLimit must be 1 .. Window (64), got 65"),
    ("line_comma", {"Symbols": 0}, "Symbols must be at least 1, got 0"),
    ("line_comma", {"LockCommas": 1}, "LockCommas must be at least 2, got 1"),
    ("line_comma", {"BadLimit": 1}, "BadLimit must be at least 2, got 1"),
    ("line_comma", {"GoodRun": 1}, "GoodRun must be at least 2, got 1"),
    ("line_deskew", {"Lanes": 0}, "Lanes must be at least 1, got 0"),
    ("line_deskew", {"Width": 0}, "Width must be at least 1, got 0"),
    ("line_deskew", {"Depth": 1}, "Depth must be a power of two >= 2, got 1"),
    ("line_deskew", {"Depth": 12}, "Depth must be a power of two >= 2, got 12"),
    ("line_deskew", {"BadLimit": 1}, "BadLimit must be at least 2, got 1"),
    ("line_elastic", {"Depth": 4}, "Depth must be a power of two >= 8, got 4"),
    ("line_elastic", {"Depth": 12}, "Depth must be a power of two >= 4, got 12"),
    ("line_stripe", {"Lanes": 3}, "Lanes must be a power of two >= 1, got 3"),
    ("line_stripe", {"Symbols": 0}, "Symbols must be at least 1, got 0"),
    ("line_unstripe", {"Lanes": 3}, "Lanes must be a power of two >= 1, got 3"),
    ("line_unstripe", {"Symbols": 0}, "Symbols must be at least 1, got 0"),
    ("line_unstripe", {"Width": 0}, "Width must be at least 1, got 0"),
    ("line_scrambler", {"Width": 0}, "Width must be at least 1, got 0"),
    ("line_scrambler", {"Tap": 33}, "needs 1 <= Tap < Order, got Tap 33, Order 33"),
    ("line_scrambler", {"Tap": 0}, "needs 1 <= Tap < Order, got Tap 0, Order 33"),
    ("line_descrambler", {"Width": 0}, "Width must be at least 1, got 0"),
    ("line_descrambler", {"Order": 13}, "needs 1 <= Tap < Order, got Tap 13, Order 13"),
    ("line_descrambler", {"Tap": 0}, "needs 1 <= Tap < Order, got Tap 0, Order 33"),
    ("line_aligner", {"Width": 1}, "Width must be at least 2, got 1"),
    ("line_aligner", {"WordsPerFrame": 1}, "WordsPerFrame must be at least 2, got 1"),
    ("line_aligner", {"LockFrames": 1, "BadLimit": 1}, "LockFrames must be at least 2, got 1"),
    ("line_aligner", {"BadLimit": 0}, "BadLimit must be 1 .. LockFrames (32), got 0"),
    ("line_aligner", {"BadLimit": 65}, "BadLimit must be 1 .. LockFrames (32), got 65"),
]
GOOD = [
    ("line_8b10b_enc", {"Symbols": 1}),
    ("line_8b10b_enc", {"Symbols": 8}),
    ("line_8b10b_dec", {"Symbols": 1}),
    ("line_8b10b_dec", {"Symbols": 8}),
    ("line_64b66b_tx", {"Lanes": 8}),
    ("line_64b66b_rx", {"LockBlocks": 2, "BadLimit": 2}),
    ("line_64b66b_rx", {"LockBlocks": 100, "BadLimit": 1}),
    ("line_8b10b_rx", {"Symbols": 1, "LockCommas": 2, "BadLimit": 2, "GoodRun": 2}),
    ("line_8b10b_rx", {"Symbols": 4, "LockCommas": 16, "BadLimit": 9, "GoodRun": 5}),
    ("line_deskew", {"Lanes": 1, "Width": 1, "Depth": 2, "BadLimit": 2}),
    ("line_deskew", {"Lanes": 8, "Depth": 32, "BadLimit": 5}),
    ("line_elastic", {"Width": 1, "Depth": 8}),
    ("line_stripe", {"Lanes": 1, "Symbols": 1}),
    ("line_stripe", {"Lanes": 8, "Symbols": 4}),
    ("line_unstripe", {"Lanes": 1, "Symbols": 1, "Width": 1}),
    ("line_unstripe", {"Lanes": 8, "Symbols": 4}),
    ("line_scrambler", {"Width": 1, "Order": 2, "Tap": 1}),
    ("line_scrambler", {"Width": 498}),
    ("line_descrambler", {"Width": 1, "Order": 2, "Tap": 1}),
    ("line_aligner", {"Width": 2, "WordsPerFrame": 2, "LockFrames": 2, "BadLimit": 2}),
    ("line_aligner", {"Width": 66, "WordsPerFrame": 5, "LockFrames": 100, "BadLimit": 1}),
]


def lint(module, parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", module]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += [str(path) for path in rtl("prim", "line")]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(("module", "parameters", "message"), BAD)
def test_refused(module, parameters, message):
    done = lint(module, parameters)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


@pytest.mark.parametrize(("module", "parameters"), GOOD)
def test_accepted_without_warning(module, parameters):
    done = lint(module, parameters)
    assert done.returncode == 0, done.stderr
