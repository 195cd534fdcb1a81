# SPDX-License-Identifier: Apache-2.0
"""Two ends of a RIFL link with sources and sinks of an AXI-Stream library that knows nothing of RIFL."""

import os
import random
from functools import reduce
from operator import xor

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, RisingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from lane_order import Link
from tb_common import params

HALF = 1000  # ps of half a line-word clock
# What neither code of a frame sees, wherever it is: the product of their polynomials.
UNSEEN = reduce(xor, (0x102F << i for i in range(17) if 0x114BB >> i & 1))


def stream(dut, prefix):
    return AxiStreamBus.from_prefix(dut, prefix)


async def clocks(phy, slower, half, phase=0):
    """A word clock and the clocks made from it, (signal, word clocks) each, until it is cancelled.

    Their rising edges are aligned.
    """
    rising = {}
    for clk, words in ((phy, 1), *slower):
        # The word clock's first edge is number phase + 1.
        rising.setdefault(-(phase + 1) % words, []).append(Clock(clk, 2 * half * words, unit="ps"))
        clk.value = 0
    past, running = 0, []
    try:
        for edge, clks in sorted(rising.items()):
            if edge > past:
                await Timer((edge - past) * 2 * half, "ps")
            past = edge
            for clk in clks:
                clk.start()
                running.append(clk)
        await Event().wait()
    finally:
        for clk in running:
            clk.stop()


class Pair:
    """Both ends with their sources and sinks."""

    def __init__(self, dut):
        self.dut = dut
        given = params()
        frame_width = given["FrameWidth"]
        self.link = Link(given.get("Lanes", 1), frame_width, given.get("UserWidth", frame_width))
        self.words = frame_width // 64  # of a frame, in word clocks
        self.user_words = self.link.user_width // (64 * self.link.lanes)  # of a beat
        self.rng = random.Random(int(os.environ["SEED"]))
        self.source = {}
        self.sink = {}

    async def start(self, half_b=HALF, phase_b=0, crooked=False):
        """Brings the link up; crooked: every lane with a bit slip and a delay of its own."""
        dut = self.dut
        for name in ("a_error_i", "b_error_i", "known_i", "a_s_axis_tvalid", "b_s_axis_tvalid"):
            getattr(dut, name).value = 0
        lanes = self.link.lanes
        dut.slip_i.value = self.rng.getrandbits(6 * lanes) if crooked else 0
        dut.skew_i.value = self.rng.getrandbits(4 * lanes) if crooked else 0
        dut.rst_i.value = 0
        await Timer(HALF, "ps")
        dut.rst_i.value = 1
        await Timer(HALF, "ps")
        for end, half, phase in (("a", HALF, 0), ("b", half_b, phase_b)):
            phy, frame, user = (
                getattr(dut, f"{end}_{name}_clk_i") for name in ("phy", "frame", "user")
            )
            slower = ((frame, self.words), (user, self.user_words))
            cocotb.start_soon(clocks(phy, slower, half, phase))
        for end in "ab":
            at = getattr(dut, f"{end}_user_clk_i"), getattr(dut, f"{end}_user_rst_o")
            self.source[end] = AxiStreamSource(stream(dut, f"{end}_s_axis"), *at)
            self.sink[end] = AxiStreamSink(stream(dut, f"{end}_m_axis"), *at)
        await Timer(40 * HALF * self.words, "ps")
        dut.rst_i.value = 0
        await self.wait_up()

    async def wait_up(self):
        """Waits for both ends; how long is bounded by what start-up consists of."""
        # The buffer is cleared while the lane is searched and watched (UpFrames, the default of
        # rifl_pair); then requests have to end at both ends, and Idle and empty data frames come
        # first.
        buffer = 1 << params()["IdWidth"]
        limit = max(34 + 64, buffer) + 60 + 2 * buffer
        for frames in range(limit):
            await RisingEdge(self.dut.a_frame_clk_i)
            if self.dut.a_link_up_o.value == 1 and self.dut.b_link_up_o.value == 1:
                self.dut._log.info("up after %d frames", frames)
                return
        raise AssertionError(f"the link did not come up within {limit} frames")

    def packets(self, count, largest=300):
        """Random packets, most of them about as long as a frame, a segment, a beat, or a few of them."""
        near = [self.link.frame_bytes, self.link.segment_bytes, self.link.beat_bytes]
        lengths = [1, 2, *(k * n + d for n in near for k in (1, 2, 3) for d in (-1, 0, 1))]
        return [self.rng.randbytes(self.rng.choice([*lengths, *self.rng.choices(range(1, largest + 1), k=8)]))
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

    async def flip(self, end, bit, bits=1):
        """Flips one bit of one word on the way from `end`, or these from there on."""
        error, clk = getattr(self.dut, f"{end}_error_i"), getattr(self.dut, f"{end}_phy_clk_i")
        await RisingEdge(clk)
        error.value = bits << bit  # 64 bits a lane
        await RisingEdge(clk)
        error.value = 0
