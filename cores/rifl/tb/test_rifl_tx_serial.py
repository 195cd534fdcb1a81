# SPDX-License-Identifier: Apache-2.0
"""rifl_tx_serial: every golden frame bit for bit, and random frames against a bit-serial reference."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from reference import encode, state_behind
from tb_common import build_and_run, golden, params, rng, rtl, start_clock

STRONG_POLYNOMIAL = 0x14BB


async def send(dut, frames):
    """Sends (control, body, id, state or None, bound) back to back and returns the frames on the wire."""
    words = params()["FrameWidth"] // 64
    dut.rst_i.value = 1
    dut.toggle_i.value = 0
    start_clock(dut.clk_i, 2000)
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    await RisingEdge(dut.clk_i)
    got = []
    toggle = 0
    for control, body, frame_id, state, bound in frames:
        toggle ^= 1
        dut.toggle_i.value = toggle
        dut.control_i.value = control
        dut.bound_i.value = bound
        dut.body_i.value = body
        dut.id_i.value = frame_id
        if state is not None:
            dut.state_q.value = state
        frame = 0
        for _ in range(words):
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            frame = frame << 64 | int(dut.word_o.value)
            await FallingEdge(dut.clk_i)
        got.append(frame)
    return got


@cocotb.test()
async def golden_frames(dut):
    rows = golden.rows(params()["IdWidth"])
    frames = [(row.control, row.body, row.frame_id, row.state, 0) for row in rows]
    for index, (row, frame) in enumerate(zip(rows, await send(dut, frames), strict=True)):
        assert frame == row.wire, f"row {index} ({row.kind}): {frame:x}, golden {row.wire:x}"
    dut._log.info("%d golden frames equal", len(rows))


@cocotb.test()
async def random_frames(dut):
    """The state runs on from frame to frame by itself."""
    width, id_width, random = params()["FrameWidth"], params()["IdWidth"], rng()
    strong = params()["StrongCode"]
    body = width - (30 if strong else 14)
    frames = [(random.randrange(2), random.getrandbits(body), random.randrange(1 << id_width), None, random.randrange(2))
              for _ in range(200)]  # fmt: skip
    sent = await send(dut, frames)
    for index in range(1, len(frames)):
        control, body, frame_id, _, bound = frames[index]
        state = state_behind(sent[index - 1])
        second = (bound and state & 0xFFFF, STRONG_POLYNOMIAL) if strong else None
        expected = encode(control, body, frame_id, width, state, bound and state & 0xFFF, second)
        assert sent[index] == expected, f"frame {index}: {sent[index]:x}, expected {expected:x}"


@pytest.mark.parametrize(
    ("width", "id_width", "strong"),
    [(256, 6, 0), (256, 8, 0), (128, 7, 0), (512, 12, 0), (2048, 6, 0), (1024, 7, 1), (2048, 6, 1)],
)
def test_rifl_tx_serial(width, id_width, strong):
    build_and_run(
        toplevel="rifl_tx_serial",
        sources=rtl("prim", "line", "rifl"),
        parameters={"FrameWidth": width, "IdWidth": id_width, "StrongCode": strong},
        test_module="test_rifl_tx_serial",
        testcase=["random_frames"] + (["golden_frames"] if width == golden.WIDTH else []),
    )
