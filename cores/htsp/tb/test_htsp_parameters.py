# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import rtl

BAD = [
    ({"Channels": 0}, "rule 1 <= Channels <= 16, got 0"),
    ({"Channels": 17}, "rule 1 <= Channels <= 16, got 17"),
    ({"Bytes": 8}, "rule Bytes is 16, 32 or 64, got 8"),
    ({"TxDepth": 3}, "rule 4 <= TxDepth <= 65535, got 3"),
    ({"TxDepth": 65536}, "rule 4 <= TxDepth <= 65535, got 65536"),
    ({"RxDepth": 15}, "rule 16 <= RxDepth <= 65535, got 15"),
    ({"RxDepth": 65536}, "rule 16 <= RxDepth <= 65535, got 65536"),
    ({"PauseLevel": 0}, "rule 1 <= PauseLevel <= RxDepth (4096), got 0"),
    ({"PauseLevel": 4097}, "rule 1 <= PauseLevel <= RxDepth (4096), got 4097"),
    ({"Headroom": 3073}, "rule PauseLevel + Headroom <= RxDepth (4096), got 1024 + 3073"),
    ({"RxDepth": 680}, "rule PauseLevel + Headroom <= RxDepth (680), got 170 + 512"),
    ({"PauseLevel": 3585}, "rule PauseLevel + Headroom <= RxDepth (4096), got 3585 + 512"),
    ({"ResumeLevel": 0}, "rule 1 <= ResumeLevel <= PauseLevel (1024), got 0"),
    ({"ResumeLevel": 1025}, "rule 1 <= ResumeLevel <= PauseLevel (1024), got 1025"),
]
GOOD = [
    {"Channels": 1, "TestTraffic": 0},
    {"Channels": 3, "TxDepth": 4, "RxDepth": 16, "Headroom": 12},
    {"Headroom": 3072},
    {"PauseLevel": 3584},
    {"RxDepth": 684},
    {"Channels": 16},
    {"Bytes": 32},
    {"Channels": 1, "Bytes": 16},
]


def lint(parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "htsp"]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += [str(path) for path in rtl("prim", "axis", "htsp")]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(("parameters", "message"), BAD)
def test_refused(parameters, message):
    done = lint(parameters)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


@pytest.mark.parametrize("parameters", GOOD)
def test_accepted_without_warning(parameters):
    done = lint(parameters)
    assert done.returncode == 0, done.stderr
