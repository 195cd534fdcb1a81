# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import ROOT, rtl

BAD = [
    ({"Bytes": 0}, "traffic_player", "Bytes must be 1..1024, got 0"),
    ({"Bytes": 1025}, "traffic_capture", "Bytes must be 1..1024, got 1025"),
    ({"PlayDepth": 1}, "traffic_player", "Depth must be 2..65536, got 1"),
    ({"CaptureDepth": 65537}, "traffic_capture", "Depth must be 2..65536, got 65537"),
    ({"CounterWidth": 7}, "traffic_player", "CounterWidth must be 8..64, got 7"),
    ({"CounterWidth": 65}, "traffic_capture", "CounterWidth must be 8..64, got 65"),
]


@pytest.mark.parametrize(("parameters", "module", "rule"), BAD)
def test_refused(parameters, module, rule):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "traffic"]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += map(str, rtl("prim", "axis", "traffic"))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert rule in said and module in said
