# SPDX-License-Identifier: Apache-2.0
"""Clocks that stop, slow down and start again while ends and bus are reset at any time: nothing of before arrives, and the link comes back."""

import os
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import FallingEdge, Lock, RisingEdge, Timer
from ends import payload
from htsp_registers import REGISTERS
from shell_ends import CLK, ShellEnds
from tb_common import build_and_run, cycles, rtl

HERE = Path(__file__).resolve().parent
LAST = 4  # packets of each stream that have to arrive behind an episode


class Users(ShellEnds):
    """Users that are reset with their end: they forget what they were sending, and what came."""

    def __init__(self, dut, name):
        super().__init__(dut, name)
        self.held = 0  # ends in reset
        self.gapless = False
        self.number = [0] * self.streams  # of packets
        self.code = 0  # of op-codes
        self.codes = [[], []]  # that the registers of an end have taken
        self.bus = Lock()

    def _watch(self, dut, n):
        """Comes first at each edge."""
        self.held = int(dut.rst_o.value)
        for stream in range(self.streams):
            if self.held >> stream // n & 1:
                self.queue[stream].clear()
                self.offered[stream], self.part[stream] = None, b""
        super()._watch(dut, n)

    def _take(self, stream):
        if not self.held >> stream // self.channels & 1:
            super()._take(stream)

    def packet(self, stream):
        size = self.random.choice([5, 64, self.random.randrange(5, 700)])
        self.send(stream, payload(stream, self.number[stream], size))
        self.number[stream] += 1

    async def take_code(self, end):
        """An op-code for the registers, if there is room."""
        async with self.bus:
            if await self.regs[end].field("status", "op_code_ready"):
                self.code += 1
                await self.regs[end].write("op_code_0", bytes=self.code)
                self.codes[end].append(self.code)
                await self.regs[end].write("command", op_code=1)

    async def come_back(self):
        """The last reset has come, by either clock; the link carries everything again."""
        await cycles(self.dut.axil_clk_i, 30)
        await self.wait_up()
        await self.idle()
        for stream in range(self.streams):
            for _ in range(LAST):
                self.packet(stream)
        for end in range(2):
            await self.take_code(end)
        await self.idle()
        await self.settle()
        self.check()

    def check(self):
        """Whatever came without an error mark was sent, in this order, once, since the last check."""
        self.check_order()
        for stream in range(self.streams):
            came = [data for data, error in self.received[self.peer(stream)] if not error]
            sent = [data for data, _ in self.sent[stream]]
            assert came[-LAST:] == sent[-LAST:], f"stream {stream} does not come back"
            self.sent[stream].clear()
            self.received[self.peer(stream)].clear()
        for end in range(2):
            came = self.op_codes[1 - end]
            assert came == sorted(set(came)) and set(came) <= set(self.codes[end]), "op-codes"
            assert came and came[-1] == self.codes[end][-1], "op-codes do not come back"
            came.clear()
            self.codes[end].clear()


class Episode:
    def __init__(self, ends):
        self.ends, self.random, self.dut = ends, ends.random, ends.dut

    async def some(self, most):
        await Timer(self.random.randrange(1, most * CLK), "ps")

    def width(self):
        return self.random.choice([1, 200, self.random.randrange(1, 80 * CLK)])

    async def pin(self, end):
        """A pulse on the reset of an end, as short as it likes."""
        await self.some(300)
        self.dut.arst_i.value = int(self.dut.arst_i.value) | 1 << end
        await Timer(self.width(), "ps")
        self.dut.arst_i.value = int(self.dut.arst_i.value) & ~(1 << end)

    async def bus(self):
        """A pulse on the reset of the bus, between two accesses."""
        await self.some(300)
        async with self.ends.bus:
            await self.ends.reset_bus(self.width())
            await cycles(self.dut.axil_clk_i, 12)

    async def clock(self, clock):
        """Stops, or runs at an eighth, for a while."""
        await self.some(300)
        await clock.falter(self.random, self.random.randrange(1, 700 * CLK))

    async def line(self, name):
        """A ready level of the line falls, at any time of a cycle."""
        await self.some(300)
        signal = getattr(self.dut, name)
        signal.value = self.random.randrange(1, 4)
        await self.some(60)
        signal.value = 0

    async def run(self):
        random, ends = self.random, self.ends
        for stream in range(ends.streams):
            ends.take[stream] = random.choice([1.0, 0.5])
            for _ in range(random.randrange(20)):
                ends.packet(stream)
        faults = [random.choice([lambda: self.pin(0), lambda: self.pin(1), self.bus])()]
        if random.random() < 0.4:
            faults.append(random.choice([lambda: self.pin(0), self.bus])())
        if random.random() < 0.6:
            faults.append(self.clock(ends.clock))
        if random.random() < 0.6:
            faults.append(self.clock(ends.axil_clock))
        if random.random() < 0.3:
            faults.append(self.line(random.choice(["phy_tx_off_i", "phy_rx_off_i"])))
        tasks = [cocotb.start_soon(fault) for fault in faults]
        for _ in range(random.randrange(6)):
            await ends.take_code(random.randrange(2))
        for task in tasks:
            await task


@cocotb.test()
async def any_clock_any_reset(dut):
    """Episodes of resets while clocks stop and slow down: packets are whole or marked, op-codes come once, events have a reason."""
    ends = Users(dut, "any clock")
    await ends.start()
    for _ in range(int(os.environ["EPISODES"])):
        await Episode(ends).run()
        await ends.come_back()
        # Nothing happens any more, and nothing is reported.
        await ends.forget_events()
        await ends.settle()
        for regs in ends.regs:
            assert await regs.read("events") == 0, REGISTERS["events"].get_path()


@cocotb.test()
async def line_goes_before_its_end(dut):
    """A reset that takes what is on the line while the end still sends joins nothing: at each word of frames of one and two words."""
    ends = Users(dut, "line first")
    await ends.start()
    for phase in range(7):  # words of both frames
        for i in range(20):
            ends.send(0, payload(0, ends.number[0], (5, 101)[i % 2]))
            ends.number[0] += 1
        await cycles(dut.clk_i, 30 + phase)
        await FallingEdge(dut.clk_i)
        assert int(dut.phy_tvalid.value) & 1, "the line is at rest"
        # One edge of the line's, and later the reset of the end.
        dut.arst_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.arst_i.value = 0
        await ends.come_back()


@pytest.mark.parametrize("episodes", [40, pytest.param(1000, marks=pytest.mark.long)])
def test_htsp_clocks(episodes):
    build_and_run(
        "htsp_shell_pair",
        [*rtl("prim", "axis", "htsp"), HERE / "htsp_wire.sv", HERE / "htsp_shell_pair.sv"],
        {"Channels": 2, "Bytes": 64, "TxDepth": 8, "RxDepth": 64},
        __name__,
        sync_jitter=True,
        env={"EPISODES": str(episodes)},
    )
