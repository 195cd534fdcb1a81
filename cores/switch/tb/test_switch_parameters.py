# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import ROOT, rtl

BAD = [
    ("switch_core", {"Ports": 1}, "Ports must be 2..16, got 1"),
    ("switch_core", {"Ports": 17}, "Ports must be 2..16, got 17"),
    ("switch_core", {"Nodes": 1}, "Nodes must be 2..65536, got 1"),
    ("switch_core", {"VcWords": 67}, "VcWords must be MaxWords + 4..2000 (68..2000), got 67"),
    ("switch_core", {"MaxWords": 65}, "MaxWords must be 1..64 and at most VcWords (126), got 65"),
    ("switch_core", {"Notices": 0}, "Notices must be 1..64, got 0"),
    ("switch_core", {"DeadCycles": 0}, "DeadCycles must be >= 1, got 0"),
    ("switch_scheduler", {"Patience": 0}, "Patience must be 1..1023, got 0"),
    ("switch_link", {"VcWords": 2048}, "VcWords must be 1..2047, got 2048"),
    ("switch_link_tx", {"FifoWords": 4}, "FifoWords must be >= Slack + 2 (6), got 4"),
]


@pytest.mark.parametrize(("top", "parameters", "rule"), BAD)
def test_refused(top, parameters, rule):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += map(str, rtl("prim", "switch"))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert rule in done.stdout + done.stderr
