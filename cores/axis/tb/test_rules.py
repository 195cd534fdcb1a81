# SPDX-License-Identifier: Apache-2.0
"""The rules of cores/axis/rules: a legal run passes, and every single breach ends the simulation with the rule that it broke.

A run is a row of cycles; each names the signals that are not as in the cycle before (`_i` left out).
"""

import json
import os

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from tb_common import build_and_run, rtl

BEAT = {"tvalid": 1, "tready": 0, "tkeep": 15, "tdata": 5, "tlast": 0}
STREAM = {
    "legal": [BEAT, {}, {"tready": 1}, {"tkeep": 3, "tlast": 1, "tuser": 1}, {"tvalid": 0}],
    "valid stays until ready": [BEAT, {"tvalid": 0}],
    "the payload does not change before ready": [BEAT, {"tdata": 6}],
    "tkeep is contiguous from byte 0": [{**BEAT, "tkeep": 5, "tlast": 1}],
    "tkeep is all ones without tlast": [{**BEAT, "tkeep": 7}],
    "tuser only with tlast": [{**BEAT, "tuser": 1}],
}

ADDRESS = {"awvalid": 1, "awready": 1, "awaddr": 0xFC0, "awlen": 1, "awsize": 3, "awburst": 1}
QUIET = {"awvalid": 0}
DATA = {"wvalid": 1, "wready": 1, "wlast": 0}
LAST = {**DATA, "wlast": 1}
DONE = {"wvalid": 0, "wlast": 0}
ANSWER = {"bvalid": 1, "bready": 1}
NONE = {"bvalid": 0}
WRITE = {
    "legal": [
        *(ADDRESS, {**QUIET, **DATA}, LAST, {**DONE, **ANSWER}, NONE),
        # Data ahead of their address, by a beat and by a burst.
        *(DATA, {**LAST, **ADDRESS}, {**DONE, **QUIET, **ANSWER}, NONE),
        *(DATA, LAST, {**DONE, **ADDRESS}, {**QUIET, **ANSWER}, NONE),
        # Two bursts of one beat at a time.
        *({**ADDRESS, "awlen": 0}, LAST, QUIET, {**DONE, **ANSWER}, {}, NONE),
    ],
    "wlast stands in the beat": [ADDRESS, {**QUIET, **LAST}],
    "wlast stands in the beat that awlen says": [ADDRESS, {**QUIET, **DATA}, DATA],
    "W: wlast stands in the beat that awlen says": [LAST, {**DONE, **ADDRESS}],
    "a response belongs to a burst": [ADDRESS, {**QUIET, **DATA}, {**DONE, **ANSWER}],
    "a response belongs to a burst that was sent whole": [DATA, LAST, {**DONE, **ANSWER}],
    "a burst stays inside 4 KB": [{**ADDRESS, "awlen": 8}],
    "a burst is INCR": [{**ADDRESS, "awburst": 2}],
    "a burst is INCR, of full words": [{**ADDRESS, "awsize": 2}],
    "at most 127 bursts are outstanding": [ADDRESS] * 140,
    "AW: valid stays until ready": [{**ADDRESS, "awready": 0}, QUIET],
    "W: the payload does not change": [{**DATA, "wready": 0, "wdata": 1}, {"wdata": 2}],
}

ASK = {"arvalid": 1, "arready": 1, "araddr": 0xFC0, "arlen": 1, "arsize": 3, "arburst": 1}
STOP = {"arvalid": 0}
WORD = {"rvalid": 1, "rready": 1, "rlast": 0}
END = {**WORD, "rlast": 1}
READ = {
    "legal": [
        ASK,
        {**STOP, **WORD},
        END,
        {"rvalid": 0},
        ASK,
        {**ASK, **WORD},
        {**END, **STOP},
        WORD,
        END,
        {"rvalid": 0},
    ],
    "data belong to a burst": [WORD],
    "data belong to a burst whose address was taken": [ASK, {**STOP, **WORD}, END, WORD],
    "rlast stands in the beat that arlen says": [ASK, {**STOP, **END}],
    "rlast stands in the beat": [ASK, {**STOP, **WORD}, WORD],
    "a burst stays inside 4 KB": [{**ASK, "arlen": 8}],
    "R: the payload does not change": [ASK, {**STOP, **WORD, "rready": 0}, {"rdata": 1}],
}

COMMAND = {"awvalid": 1, "awready": 1, "wvalid": 1, "wready": 1}
REST = {"awvalid": 0, "wvalid": 0}
LITE = {
    "legal": [
        *(COMMAND, {**REST, **ANSWER}, NONE, {"arvalid": 1, "arready": 1}),
        *({"arvalid": 0, "rvalid": 1, "rready": 1}, {"rvalid": 0}),
    ],
    "a response belongs to an address and to data": [{**COMMAND, "wvalid": 0}, {**REST, **ANSWER}],
    "a response belongs to an address": [{**COMMAND, "awvalid": 0}, {**REST, **ANSWER}],
    "data belong to an address that was taken": [{"rvalid": 1, "rready": 1}],
    "AR: valid stays until ready": [{"arvalid": 1}, {"arvalid": 0}],
}

ALL = {"axis_rules": STREAM, "axi_write_rules": WRITE, "axi_read_rules": READ, "axil_rules": LITE}
PARAMETERS = {"axis_rules": {"Bytes": 4}, "axil_rules": {"AddrWidth": 8}}
SIZES = {"AddrWidth": 16, "DataWidth": 64}


@cocotb.test(timeout_time=10, timeout_unit="us")
async def play(dut):
    """One row of cycles, behind a reset in which nothing holds."""
    for signal in dut:
        if signal._name.endswith("_i"):
            signal.value = 0
    Clock(dut.clk_i, 10, unit="ns").start()
    for cycle in [{"rst": 1}, {"rst": 0}, *json.loads(os.environ["RULES_CYCLES"]), {}]:
        await FallingEdge(dut.clk_i)
        for name, value in cycle.items():
            getattr(dut, f"{name}_i").value = value
    await FallingEdge(dut.clk_i)


@pytest.mark.parametrize(
    ("top", "case"), [(top, case) for top, cases in ALL.items() for case in cases]
)
def test_rules(top, case, capfd):
    def run():
        build_and_run(
            toplevel=top,
            sources=rtl("prim", "axis"),
            parameters=PARAMETERS.get(top, SIZES),
            test_module="test_rules",
            env={"RULES_CYCLES": json.dumps(ALL[top][case])},
        )

    if case == "legal":
        run()
        return
    with pytest.raises(AssertionError, match="cocotb tests failed"):
        run()
    assert case in capfd.readouterr().out
