# SPDX-License-Identifier: Apache-2.0
"""Parameters outside the rules stop the elaboration with a message that names the rule."""

import subprocess

import pytest
from tb_common import rtl

BAD = [
    ({"Lanes": 0}, "Lanes must be 1, 2, 4 or 8, got 0"),
    ({"Lanes": 3}, "Lanes must be 1, 2, 4 or 8, got 3"),
    ({"Lanes": 16}, "Lanes must be 1, 2, 4 or 8, got 16"),
    ({"FrameWidth": 0}, "FrameWidth must be 128, 256, 512, 1024 or 2048, got 0"),
    ({"FrameWidth": 64}, "FrameWidth must be 128, 256, 512, 1024 or 2048, got 64"),
    ({"FrameWidth": 384}, "FrameWidth must be 128, 256, 512, 1024 or 2048, got 384"),
    ({"FrameWidth": 4096}, "FrameWidth must be 128, 256, 512, 1024 or 2048, got 4096"),
    ({"UserWidth": 128}, "UserWidth must be FrameWidth (256) times 1, 2, .. Lanes (1), got 128"),
    ({"UserWidth": 300}, "UserWidth must be FrameWidth (256) times 1, 2, .. Lanes (1), got 300"),
    ({"UserWidth": 512}, "UserWidth must be FrameWidth (256) times 1, 2, .. Lanes (1), got 512"),
    ({"Lanes": 4, "UserWidth": 768}, "times 1, 2, .. Lanes (4), got 768"),
    ({"Lanes": 4, "UserWidth": 2048}, "times 1, 2, .. Lanes (4), got 2048"),
    ({"Lanes": 4, "FrameWidth": 128}, "UserWidth must be at least 64 * Lanes (256), got 128"),
    ({"Lanes": 8}, "UserWidth must be at least 64 * Lanes (512), got 256"),
    ({"IdWidth": 5}, "IdWidth must be 6..12, got 5"),
    ({"IdWidth": 13}, "IdWidth must be 6..12, got 13"),
    ({"FrameWidth": 512, "StrongCode": 1}, "StrongCode needs FrameWidth 1024 or 2048, got 512"),
    ({"FrameWidth": 1024, "StrongCode": 1, "Extended": 0}, "StrongCode needs Extended, got 0"),
    ({"UpFrames": 31}, "UpFrames must be 32..2^24, got 31"),
    ({"UpFrames": (1 << 24) + 1}, "UpFrames must be 32..2^24, got 16777217"),
]
GOOD = [
    {"FrameWidth": 128, "IdWidth": 12, "UpFrames": 32},
    {"FrameWidth": 1024, "UpFrames": 1 << 24},
    {"FrameWidth": 1024, "StrongCode": 1},
    {"Lanes": 2, "FrameWidth": 2048, "StrongCode": 1, "DelayedRelease": 1},
    {"Lanes": 2, "FrameWidth": 128},
    {"Lanes": 4, "FrameWidth": 128, "UserWidth": 256},
    {"Lanes": 8, "UserWidth": 512},
    {"Lanes": 8, "UserWidth": 2048},
    {"Lanes": 8, "FrameWidth": 2048},
]


def lint(parameters):
    command = ["verilator", "--lint-only", "-Wall", "--top-module", "rifl_link"]
    command += [f"-G{name}={value}" for name, value in parameters.items()]
    command += [str(path) for path in rtl("prim", "axis", "line", "rifl")]
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
