# SPDX-License-Identifier: Apache-2.0
"""rifl_meta_enc and rifl_meta_dec: every length both ways, and the user frames of the golden files."""

import re

import cocotb
import pytest
from cocotb.triggers import Timer
from tb_common import build_and_run, golden, params, rng, rtl

FULL, END_PARTIAL, END_FULL = 1, 2, 3


async def encode(dut, data, last):
    """Meta code and payload of a segment."""
    dut.enc_data_i.value = int.from_bytes(data, "little")
    dut.enc_keep_i.value = (1 << len(data)) - 1
    dut.enc_last_i.value = last
    await Timer(1, "ns")
    return int(dut.enc_meta_o.value), int(dut.enc_payload_o.value)


async def decode(dut, meta, payload):
    """Bytes and end mark of a frame."""
    dut.dec_meta_i.value = meta
    dut.dec_payload_i.value = payload
    await Timer(1, "ns")
    keep = int(dut.dec_keep_o.value)
    count = keep.bit_count()
    assert keep == (1 << count) - 1, f"TKEEP {keep:b} is not contiguous"
    return (int(dut.dec_data_o.value) & (1 << 8 * count) - 1).to_bytes(count, "little"), bool(
        dut.dec_last_o.value
    )


@cocotb.test()
async def every_length(dut):
    size, random = params()["Bytes"], rng()
    for count in range(size + 1):
        for last in (False, True) if count == size else (True,):
            data = random.randbytes(count)
            meta, payload = await encode(dut, data, last)
            assert meta == (FULL if not last else END_FULL if count == size else END_PARTIAL)
            wire = payload.to_bytes(size, "big")
            if meta == END_PARTIAL:
                # First byte on top, count at the bottom, and nothing in between.
                assert wire == data + bytes(size - 1 - count) + bytes([count])
            else:
                assert wire == data
            assert await decode(dut, meta, payload) == (data, last)


@cocotb.test()
async def stale_padding_and_impossible_counts(dut):
    """A published core leaves its bus in the padding; a count beyond the payload reads as all bytes."""
    size, random = params()["Bytes"], rng()
    for count in [*range(size), size, 200, 255]:
        wire = random.randbytes(size - 1) + bytes([count])
        assert await decode(dut, END_PARTIAL, int.from_bytes(wire, "big")) == (
            wire[: min(count, size)],
            True,
        )


@cocotb.test()
async def golden_user_frames(dut):
    size = params()["Bytes"]
    checked = 0
    for row in [*golden.rows(6), *golden.rows(8)]:
        kind = re.fullmatch(r"DATA(_EOP(?:_PART(\d+))?)?", row.kind)
        if not kind:
            continue
        payload = row.body & (1 << 8 * size) - 1
        data, last = await decode(dut, row.meta, payload)
        count = int(kind[2]) if kind[2] else size
        assert (len(data), last) == (count, kind[1] is not None), row
        meta, mine = await encode(dut, data, last)
        mask = ((1 << 8 * count) - 1 << 8 * (size - count)) | (0xFF if count < size else 0)
        assert (meta, mine & mask) == (row.meta, payload & mask), row
        checked += 1
    dut._log.info("%d golden user frames equal", checked)


@pytest.mark.parametrize("size", [14, 30, 62, 254])
def test_rifl_meta(size):
    build_and_run(
        toplevel="rifl_meta_pair",
        sources=[*rtl("rifl"), "cores/rifl/tb/rifl_meta_pair.sv"],
        parameters={"Bytes": size},
        test_module="test_rifl_meta",
        testcase=["every_length", "stale_padding_and_impossible_counts"]
        + (["golden_user_frames"] if size == golden.PAYLOAD else []),
    )
