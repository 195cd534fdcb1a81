# SPDX-License-Identifier: Apache-2.0
"""prim_clock_gate: whole pulses of the chosen edges, and registers of both clocks that take one edge as one."""

import pathlib

import cocotb
from cocotb.triggers import Timer
from tb_common import build_and_run, rng, rtl

HALF = 500


async def cycle(dut, enables):
    """A cycle: the rising edge, then enables one after the other in the high phase and in the low one."""
    dut.clk_i.value = 1
    for phase, values in enumerate(enables):
        await Timer(10, "ps")
        yield phase
        for value in values:
            dut.en_i.value = value
            await Timer(100, "ps")
            yield phase
        await Timer(HALF - 10 - 100 * len(values), "ps")
        dut.clk_i.value = 0


@cocotb.test()
async def whole_pulses(dut):
    """An enable that changes while the clock is high moves nothing; the one of the edge decides about the pulse."""
    random = rng("pulses")
    dut.clk_i.value = dut.en_i.value = 0
    await Timer(HALF, "ps")
    enable = 0
    for _ in range(300):
        enables = [[random.randrange(2) for _ in range(random.randrange(4))] for _ in range(2)]
        async for phase in cycle(dut, enables):
            assert int(dut.clk_o.value) == (enable if phase == 0 else 0)
        enable = int(dut.en_i.value)


@cocotb.test()
async def one_edge(dut):
    """Both clocks' registers read what stood before an edge that they share."""
    random = rng("edge")
    dut.clk_i.value = dut.en_i.value = 0
    await Timer(HALF, "ps")
    count, seen, back = (int(s.value) for s in (dut.count_o, dut.seen_o, dut.back_o))
    for _ in range(500):
        enable = int(dut.en_i.value)
        async for _ in cycle(dut, [[random.randrange(2)], []]):
            pass
        count, seen, back = (count + 1) % 256, count if enable else seen, seen
        assert (count, seen, back) == tuple(
            int(s.value) for s in (dut.count_o, dut.seen_o, dut.back_o)
        )


def test_prim_clock_gate():
    bench = pathlib.Path(__file__).with_name("prim_clock_gate_bench.sv")
    build_and_run("prim_clock_gate_bench", [*rtl("prim"), bench], test_module=__name__)
