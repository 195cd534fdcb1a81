# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule and the value."""

import subprocess

import pytest
from tb_common import rtl

BAD = [
    ("pcs_tx", {"Blocks": 4}, "rule Blocks is 5 or 8, got 4"),
    ("pcs_tx", {"Period": 1}, "rule Period is at least 2, got 1"),
    ("pcs_rx", {"Blocks": 10}, "rule Blocks is 5 or 8, got 10"),
    ("pcs_rx", {"Period": 63}, "rule Period is at least 2 * Depth (64), got 63"),
    ("pcs_idle", {"Blocks": 1}, "rule Blocks >= 2, got 1"),
    ("pcs_idle", {"Low": 8}, "rule Low < High < Depth, got 8, 8 and 16"),
    ("pcs_fec_tx", {"Period": 12}, "rule Period is a multiple of 8, got 12"),
    ("pcs_fec_rx", {"Blocks": 4}, "rule Blocks is 5 or 8, got 4"),
    ("pcs_fec_rx", {"Period": 24}, "at least 2 * Depth (128), got 24"),
    ("pcs_any", {"Fec": 3}, "rule Fec is 0, 1 or 2, got 3"),
    ("pcs_caui", {"Count": 5}, "rule Count is 4, 10 or 20, got 5"),
    ("pcs", {"Depth": 24}, "Depth must be a power of two >= 2, got 24"),
]


@pytest.mark.parametrize(("module", "parameters", "message"), BAD)
def test_refused(module, parameters, message):
    command = ["verilator", "--lint-only", "--top-module", module]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += [str(path) for path in rtl("prim", "axis", "line", "eth", "rsfec", "pcs")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
