# SPDX-License-Identifier: Apache-2.0
"""Two complete ends of RIFL with their registers; what error injection does to frames."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from link_bench import HALF, clocks
from reference import crc12
from registers import Registers
from tb_common import params, rng

AXIL = 2 * 1700  # ps, unrelated to the others


class Ends:
    """Both ends, their traffic and their registers."""

    def __init__(self, dut, name, extended=1):
        self.dut, self.rng = dut, rng(name)
        self.extended = {"a": extended, "b": extended}
        given = params()
        self.lanes = given["Lanes"]
        self.words = given["FrameWidth"] // 64
        self.user_words = given["UserWidth"] // (64 * self.lanes)
        self.source, self.sink, self.regs, self.tasks = {}, {}, {}, {}
        self.sent = {"a": [], "b": []}

    async def start(self, half_b=HALF, up=True):
        dut = self.dut
        dut.break_i.value = 0
        dut.slip_i.value = self.rng.getrandbits(6 * self.lanes)
        # The resets are asynchronous: it takes an edge to be in reset before the first clock.
        dut.rst_i.value = dut.axil_rst_i.value = 0
        await Timer(HALF, "ps")
        dut.rst_i.value = dut.axil_rst_i.value = 1
        await Timer(HALF, "ps")
        Clock(dut.axil_clk_i, AXIL, unit="ps").start()
        for end, half in (("a", HALF), ("b", half_b)):
            phy, frame, user = (getattr(dut, f"{end}_{n}_clk_i") for n in ("phy", "frame", "user"))
            slower = ((frame, self.words), (user, self.user_words))
            self.tasks[end] = cocotb.start_soon(clocks(phy, slower, half))
            for kind, table, prefix in (
                (AxiStreamSource, self.source, "s"),
                (AxiStreamSink, self.sink, "m"),
            ):
                bus = AxiStreamBus.from_prefix(dut, f"{end}_{prefix}_axis")
                table[end] = kind(bus, user, getattr(dut, f"{end}_user_rst_o"))
            self.regs[end] = Registers(dut, f"{end}_s_axil", dut.axil_clk_i, dut.axil_rst_i)
        self.a, self.b = self.regs["a"], self.regs["b"]
        await Timer(40 * HALF * self.words, "ps")
        dut.axil_rst_i.value = 0
        await Timer(20 * HALF * self.words, "ps")
        for end, extended in self.extended.items():
            if not extended:
                await self.control(end)
        # Whatever the ends have shown before their first clock.
        for sink in self.sink.values():
            sink.clear()
        dut.rst_i.value = 0
        if up:
            await self.wait_up()

    async def wait_up(self):
        for _ in range(20000):
            await RisingEdge(self.dut.a_frame_clk_i)
            if self.dut.a_link_up_o.value == 1 and self.dut.b_link_up_o.value == 1:
                return
        raise AssertionError("the link did not come up")

    async def control(self, end, **fields):
        """The settings named, and the mode of the end; all others off."""
        await self.regs[end].write("control", extended=self.extended[end], **fields)

    async def settle(self):
        """Crossings and two rounds of the counters, of 32 + 16 * lanes cycles each."""
        await Timer(3 * (40 + 16 * self.lanes) * self.user_words * 2 * HALF, "ps")

    async def clear(self):
        for regs in self.regs.values():
            await regs.write("command", clear=1)
        await self.settle()

    async def exchange(self, count=30, largest=200):
        """Packets both ways, every byte compared."""
        batch = {e: [self.rng.randbytes(self.rng.randint(1, largest)) for _ in range(count)] for e in "ab"}  # fmt: skip
        for end, packets in batch.items():
            self.sent[end] += packets
            for packet in packets:
                self.source[end].send_nowait(AxiStreamFrame(packet))
        for end, other in (("a", "b"), ("b", "a")):
            for index, packet in enumerate(batch[end]):
                got = await self.sink[other].recv()
                assert bytes(got.tdata) == packet, f"packet {index} of {end} differs"

    async def lane_sum(self, regs, counter):
        return sum([await regs.read(f"observe.lane[{i}].{counter}") for i in range(self.lanes)])


class LineErrors:
    """What error injection does to the frames of one lane, word by word as they leave it.

    The code is linear: the receiver's syndrome of a damaged frame is the frame's id XOR the syndrome of the flipped
    bits alone, so that these say whether the frame counts as damaged, without a look into the design. Of a data frame in
    extended mode (`bound`) the last scrambled bits in front count as well.
    """

    def __init__(self, words, id_width, bound):
        self.words, self.id_width, self.bound = words, id_width, bound
        self.flips, self.legal = [], [True] * words

    def add(self, sent, clean):
        phase = len(self.flips) % self.words
        # Only the first word of a frame begins with a sync header whatever it carries.
        self.legal[phase] &= clean >> 62 in (0b01, 0b10)
        self.flips.append((sent ^ clean, clean >> 62))

    def count(self):
        """Bits flipped, frames with a flipped bit, and those among them that belong to no id at all."""
        assert self.legal.count(True) == 1, "the frames of the lane were not found"
        start, width = self.legal.index(True), 64 * self.words
        bits = damaged = bad = front = 0
        for at in range(start, len(self.flips) - self.words + 1, self.words):
            pattern = int.from_bytes(
                b"".join(flips.to_bytes(8, "big") for flips, _ in self.flips[at : at + self.words])
            )
            header = self.flips[at][1] ^ pattern >> width - 2
            start = front if self.bound and header == 0b01 else 0
            front = pattern >> 12 & 0xFFF
            if pattern or start:
                syndrome = crc12(pattern >> 12 << 12, width, start) ^ pattern & 0xFFF
                bits += pattern.bit_count()
                damaged += pattern != 0
                bad += header not in (0b01, 0b10) or syndrome >> self.id_width != 0
        return bits, damaged, bad
