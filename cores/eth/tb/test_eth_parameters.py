# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule and the value."""

import subprocess

import pytest
from tb_common import rtl

BAD = [
    ("eth_mac", {"Bytes": 48}, "rule Bytes is 16, 32 or 64, got 48"),
    ("eth_mac_tx", {"Bytes": 8}, "rule Bytes is 16, 32 or 64, got 8"),
    ("eth_mac_rx", {"Bytes": 128}, "rule Bytes is 16, 32 or 64, got 128"),
    ("eth_mac_rx", {"Depth": 1}, "rule Depth >= 2, got 1"),
    ("eth_buffer", {"Depth": 1}, "rule Width >= 1 and Depth >= 2, got 8 and 1"),
    ("eth_link_fault", {"Bytes": 12}, "rule Bytes is a multiple of 8, 8..64, got 12"),
    ("eth_crc", {"Bytes": 0}, "rule Bytes >= 1, got 0"),
]


@pytest.mark.parametrize(("module", "parameters", "message"), BAD)
def test_refused(module, parameters, message):
    command = ["verilator", "--lint-only", "--top-module", module]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += [str(path) for path in rtl("prim", "axis", "eth")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
