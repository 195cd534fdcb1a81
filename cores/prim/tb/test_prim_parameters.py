# SPDX-License-Identifier: Apache-2.0
"""A parameter outside its legal values stops elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import ROOT, rtl

BAD = [
    ("prim_ram_lut", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_ram_lut", {"Depth": 1}, "Depth must be >= 2, got 1"),
    ("prim_ram_1r1w", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_ram_1r1w", {"Depth": 1}, "Depth must be >= 2, got 1"),
    ("prim_fifo_sync", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_fifo_sync", {"Depth": 1}, "Depth must be >= 2, got 1"),
    ("prim_fifo_async", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_fifo_async", {"Depth": 2}, "Depth must be a power of two >= 4, got 2"),
    ("prim_fifo_async", {"Depth": 12}, "Depth must be a power of two >= 4, got 12"),
    ("prim_fifo_async_clear", {"Depth": 6}, "Depth must be a power of two >= 4, got 6"),
    ("prim_skid", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_sync_flop", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_sync_flop", {"Stages": 1}, "Stages must be >= 2, got 1"),
    ("prim_sync_setting", {"Width": 0}, "Width must be >= 1, got 0"),
    ("prim_sync_bit", {"Stages": 1}, "Stages must be >= 2, got 1"),
    ("prim_sync_gray", {"Width": 1}, "Width must be >= 2, got 1"),
    ("prim_sync_count", {"Width": 1}, "Width must be >= 2, got 1"),
    ("prim_sync_request", {"AddrWidth": 0}, "AddrWidth must be >= 1, got 0"),
    ("prim_sync_request", {"DataWidth": 0}, "DataWidth must be >= 1, got 0"),
    ("prim_sync_request", {"Timeout": 15}, "Timeout must be >= 16, got 15"),
    ("prim_page_reader", {"AddrWidth": 3}, "AddrWidth must be >= 4, got 3"),
    ("prim_page_reader", {"Timeout": 15}, "Timeout must be >= 16, got 15"),
    ("prim_csr", {"Commands": 0}, "Commands must be >= 1, got 0"),
    ("prim_csr", {"Events": 0}, "Events must be >= 1, got 0"),
    ("prim_csr", {"PageWidth": 3}, "AddrWidth must be >= 4, got 3"),
    ("prim_csr", {"Timeout": 15}, "Timeout must be >= 16, got 15"),
    ("prim_stretch", {"Cycles": 1}, "Cycles must be a power of two >= 2, got 1"),
    ("prim_stretch", {"Cycles": 12}, "Cycles must be a power of two >= 2, got 12"),
    ("prim_counter_bank", {"Count": 1}, "Count must be >= 2, got 1"),
    ("prim_counter_bank", {"IncWidth": 0}, "IncWidth must be 1..16, got 0"),
    ("prim_counter_bank", {"Width": 4}, "Width must be > 4, got 4"),
    ("prim_counter_bank", {"IncWidths": "64'h2"}, "IncWidths must be <= IncWidth, got 2"),
    ("prim_sync_reset", {"Stages": 1}, "Stages must be >= 2, got 1"),
    ("prim_arb_rr", {"N": 0}, "N must be >= 1, got 0"),
    ("prim_crc", {"CrcWidth": 1, "Poly": "1'h1"}, "CrcWidth must be >= 2, got 1"),
    ("prim_crc", {"DataWidth": 0}, "DataWidth must be >= 1, got 0"),
    ("prim_crc", {"Poly": "32'h10"}, "Poly must have bit 0 set, got 10"),
    ("prim_crc_unpad", {"Unit": 0}, "rule Unit >= 1 and Width >= 1, got 0 and 3"),
    ("prim_crc_unpad", {"Poly": "32'h10"}, "Poly has bit 0 set, got 32 and 10"),
]


def lint(top, parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += map(str, rtl("prim"))
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("top,parameters,rule", BAD)
def test_refused(top, parameters, rule):
    done = lint(top, parameters)
    assert done.returncode != 0
    assert rule in done.stdout + done.stderr


@pytest.mark.parametrize("top", sorted(path.stem for path in rtl("prim")))
def test_defaults_are_legal(top):
    done = lint(top, {})
    assert done.returncode == 0, done.stdout + done.stderr
