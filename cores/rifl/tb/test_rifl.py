# SPDX-License-Identifier: Apache-2.0
"""Two ends of a RIFL link in one simulation, driven by an AXI-Stream library that knows nothing of RIFL.

Long runs, error rates, delays and the comparison with the Rust model live in crates/sim; here an independent
testbench checks the user interface, recovery, flow control, clock offset and a reset of both ends.
"""

import os
import random
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from tb_common import build_and_run, params, rtl

HERE = Path(__file__).resolve().parent
HALF = 1000  # ps of half a line-word clock
NORMAL = 5


def stream(dut, prefix):
    return AxiStreamBus.from_prefix(dut, prefix)


async def clocks(phy, frame, words, half, phase=0):
    """A word clock and the frame clock made from it, with aligned rising edges."""
    count = phase
    while True:
        count = (count + 1) % words
        phy.value = 1
        if count == 0:
            frame.value = 1
        elif count == words // 2:
            frame.value = 0
        await Timer(half, "ps")
        phy.value = 0
        await Timer(half, "ps")


class Pair:
    """Both ends with their sources and sinks."""

    def __init__(self, dut):
        self.dut = dut
        self.words = len(dut.a_s_axis_tdata) // 64
        self.rng = random.Random(int(os.environ["SEED"]))
        self.source = {}
        self.sink = {}

    async def start(self, half_b=HALF, phase_b=0, slip=0):
        dut = self.dut
        for name in ("a_error_i", "b_error_i", "a_s_axis_tvalid", "b_s_axis_tvalid"):
            getattr(dut, name).value = 0
        dut.slip_i.value = slip
        dut.rst_i.value = 0
        await Timer(HALF, "ps")
        dut.rst_i.value = 1
        await Timer(HALF, "ps")
        cocotb.start_soon(clocks(dut.a_phy_clk_i, dut.a_frame_clk_i, self.words, HALF))
        cocotb.start_soon(clocks(dut.b_phy_clk_i, dut.b_frame_clk_i, self.words, half_b, phase_b))
        for end, clk in (("a", dut.a_frame_clk_i), ("b", dut.b_frame_clk_i)):
            self.source[end] = AxiStreamSource(stream(dut, f"{end}_s_axis"), clk, dut.rst_i)
            self.sink[end] = AxiStreamSink(stream(dut, f"{end}_m_axis"), clk, dut.rst_i)
        await Timer(40 * HALF * self.words, "ps")
        dut.rst_i.value = 0
        await self.wait_up()

    def lanes(self):
        return len(self.dut.a_s_axis_tkeep)

    async def wait_up(self):
        for _ in range(20000):
            await RisingEdge(self.dut.a_frame_clk_i)
            if self.dut.a_link_up_o.value == 1 and self.dut.b_link_up_o.value == 1:
                return
        raise AssertionError("the link did not come up")

    def packets(self, count, largest=300):
        return [self.rng.randbytes(self.rng.choice([1, 2, 29, 30, 31, 32, 33, 62, 64, 65, self.rng.randint(1, largest)]))
                for _ in range(count)]  # fmt: skip

    async def exchange(self, count=40, largest=300):
        """Sends packets both ways at once and compares every byte."""
        sent = {"a": self.packets(count, largest), "b": self.packets(count, largest)}
        for end, packets in sent.items():
            for packet in packets:
                await self.source[end].send(AxiStreamFrame(packet))
        for end, other in (("a", "b"), ("b", "a")):
            for index, packet in enumerate(sent[end]):
                got = await self.sink[other].recv()
                assert bytes(got.tdata) == packet, f"packet {index} of {end} differs"
        assert self.sink["a"].empty() and self.sink["b"].empty()
        assert self.dut.a_rx_overflow_o.value == 0 and self.dut.b_rx_overflow_o.value == 0

    async def flip(self, end, bit):
        """Flips one bit of one word on the way from `end`."""
        error, clk = getattr(self.dut, f"{end}_error_i"), getattr(self.dut, f"{end}_phy_clk_i")
        await RisingEdge(clk)
        error.value = 1 << bit
        await RisingEdge(clk)
        error.value = 0


@cocotb.test()
async def carries_packets_both_ways(dut):
    pair = Pair(dut)
    await pair.start(slip=pair.rng.randint(0, 63), phase_b=pair.rng.randrange(pair.words))
    await pair.exchange(80)


@cocotb.test()
@cocotb.parametrize(phase=[0, 1, 2, 3])
async def latency_of_a_packet_in_one_frame(dut, phase):
    """First beat accepted to first beat delivered, in word clocks, for phases of the two frame clocks."""
    pair = Pair(dut)
    await pair.start(phase_b=phase)
    accepted, delivered = [], []

    async def watch(clk, valid, ready, times):
        while True:
            await RisingEdge(clk)
            # Values just before the edge: the handshake that this edge completes.
            if valid.value == 1 and ready.value == 1:
                times.append(cocotb.utils.get_sim_time("ps"))

    cocotb.start_soon(watch(dut.a_frame_clk_i, dut.a_s_axis_tvalid, dut.a_s_axis_tready, accepted))
    cocotb.start_soon(watch(dut.b_frame_clk_i, dut.b_m_axis_tvalid, dut.b_m_axis_tready, delivered))
    for _ in range(10):
        await pair.source["a"].send(
            AxiStreamFrame(pair.rng.randbytes(pair.rng.randint(1, pair.lanes() - 2)))
        )
        await pair.sink["b"].recv()
        await Timer(pair.rng.randint(1, 200) * HALF, "ps")
    cycles = {(d - a) // (2 * HALF) for a, d in zip(accepted, delivered, strict=True)}
    dut._log.info("phase %d: latency %s word clocks", phase, sorted(cycles))
    assert len(accepted) == 10 and len(cycles) == 1
    limit = {2: 10, 4: 16}.get(pair.words, 26 if phase == 0 else 28)
    assert max(cycles) <= limit, f"latency {cycles}, at most {limit}"


@cocotb.test()
async def recovers_from_bit_errors(dut):
    pair = Pair(dut)
    await pair.start()

    flips = 0
    # A resend takes about 2^IdWidth frames: errors come often enough to hit recoveries, not to stop them.
    recovery = (1 << params()["IdWidth"]) * pair.words

    async def noise(end):
        nonlocal flips
        while True:
            await Timer(pair.rng.randint(1, 4 * recovery) * 2 * HALF, "ps")
            await pair.flip(end, pair.rng.randrange(64))
            flips += 1

    tasks = [cocotb.start_soon(noise("a")), cocotb.start_soon(noise("b"))]
    await pair.exchange(8 << params()["IdWidth"], 900)
    for task in tasks:
        task.cancel()
    assert flips > 0


@cocotb.test()
async def survives_a_stalled_consumer(dut):
    pair = Pair(dut)
    await pair.start()
    pair.sink["b"].pause = True
    seen = []

    async def watch():
        while True:
            await RisingEdge(dut.a_frame_clk_i)
            seen.append(int(dut.a_remote_fc_o.value))

    task = cocotb.start_soon(watch())

    async def release():
        await Timer(2000 * HALF, "ps")
        await pair.flip("a", 5)
        await Timer(3000 * HALF, "ps")
        pair.sink["b"].pause = False

    cocotb.start_soon(release())
    await pair.exchange(2 << params()["IdWidth"], 900)
    task.cancel()
    assert 1 in seen, "the peer was never told to stop"


@cocotb.test()
async def follows_a_clock_offset(dut):
    """2000 ppm, ten times what crystals do, so that a short run sees many slips."""
    pair = Pair(dut)
    await pair.start(half_b=HALF + 2)
    asked = {"a": 0, "b": 0}

    async def count(end):
        while True:
            await RisingEdge(getattr(dut, f"{end}_frame_clk_i"))
            asked[end] += int(getattr(dut, f"{end}_compensate_o").value)

    cocotb.start_soon(count("a"))
    cocotb.start_soon(count("b"))
    await pair.exchange(150, 900)
    assert asked["a"] > 0, "the faster end never made room"
    assert asked["b"] == 0, "the slower end made room"


@cocotb.test()
async def null_last_beat(dut):
    """A packet whose last beat carries no byte arrives with the same bytes and one TLAST."""
    pair = Pair(dut)
    await pair.start()
    width = pair.lanes()
    data = pair.rng.randbytes(width)
    pair.source["a"].pause = True
    await RisingEdge(dut.a_frame_clk_i)
    for keep, last in (((1 << width) - 1, 0), (0, 1)):
        dut.a_s_axis_tdata.value = int.from_bytes(data, "little") if keep else 0
        dut.a_s_axis_tkeep.value = keep
        dut.a_s_axis_tlast.value = last
        dut.a_s_axis_tvalid.value = 1
        while True:
            await ReadOnly()
            ready = dut.a_s_axis_tready.value == 1
            await RisingEdge(dut.a_frame_clk_i)
            if ready:
                break
    dut.a_s_axis_tvalid.value = 0
    got = await pair.sink["b"].recv()
    assert bytes(got.tdata) == data


@cocotb.test()
async def reset_of_both_ends(dut):
    """Nothing of the time before a common reset comes out after it."""
    pair = Pair(dut)
    await pair.start()
    for packet in pair.packets(30):
        await pair.source["a"].send(AxiStreamFrame(packet))
    await Timer(300 * HALF, "ps")
    pair.source["a"].clear()
    dut.rst_i.value = 1
    await Timer(40 * HALF * pair.words, "ps")
    dut.rst_i.value = 0
    pair.source["a"].clear()
    await pair.wait_up()
    pair.sink["b"].clear()
    await pair.exchange(20)


# The widest frame takes long to find and to simulate: it carries packets, the rest does not depend on the width.
@pytest.mark.parametrize(
    ("frame_width", "id_width", "testcase"),
    [(128, 7, None), (256, 6, None), (512, 7, None), (2048, 6, "carries_packets_both_ways")],
)
def test_rifl(frame_width, id_width, testcase):
    build_and_run(
        toplevel="rifl_pair",
        sources=[*rtl("prim", "axis", "line", "rifl"), HERE / "rifl_pair.sv"],
        parameters={"FrameWidth": frame_width, "IdWidth": id_width},
        test_module="test_rifl",
        testcase=testcase,
    )
