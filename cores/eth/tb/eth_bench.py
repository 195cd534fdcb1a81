# SPDX-License-Identifier: Apache-2.0
"""Drivers and monitors of the two sides of the MAC, shared by the tests of this folder."""

import collections

import cocotb
from cgmii import IDLE, characters
from cocotb.triggers import RisingEdge


class PacketSource:
    """Offers packets (data, abort) beat by beat, without a gap inside a packet unless `holes` says so.

    pause(random)  cycles without TVALID before a packet
    holes          {packet number: (beat, cycles)}: that many cycles of silence before that beat
    """

    def __init__(self, dut, clk, random, pause=lambda random: 0):
        self.dut, self.clk, self.random, self.pause = dut, clk, random, pause
        self.size = len(dut.s_axis_tkeep)
        self.queue, self.holes = collections.deque(), {}
        self.number = 0
        self.begun = []  # cycle in which the first beat of each packet was taken
        self.cycle = 0
        self.busy = False
        dut.s_axis_tvalid.value = 0
        self.task = cocotb.start_soon(self._run())

    def send(self, *packets):
        for packet in packets:
            self.queue.append((packet, False) if isinstance(packet, bytes) else packet)

    def beats(self, data, abort):
        chunks = [data[i : i + self.size] for i in range(0, len(data), self.size)] or [b""]
        for i, chunk in enumerate(chunks):
            last = i == len(chunks) - 1
            junk = self.random.getrandbits(8 * self.size) >> 8 * len(chunk) << 8 * len(chunk)
            # TUSER counts with TLAST only.
            user = abort if last else self.random.getrandbits(1)
            yield int.from_bytes(chunk, "little") | junk, (1 << len(chunk)) - 1, last, user

    async def _edge(self):
        await RisingEdge(self.clk)
        self.cycle += 1

    async def _silence(self, cycles):
        self.dut.s_axis_tvalid.value = 0
        self.dut.s_axis_tdata.value = self.random.getrandbits(8 * self.size)
        for _ in range(cycles):
            await self._edge()

    async def _run(self):
        dut = self.dut
        await self._edge()
        while True:
            if not self.queue:
                self.busy = False
                await self._silence(1)
                continue
            self.busy = True
            data, abort = self.queue.popleft()
            await self._silence(self.pause(self.random))
            for i, (value, keep, last, user) in enumerate(self.beats(data, abort)):
                if self.holes.get(self.number, (None, 0))[0] == i:
                    await self._silence(self.holes[self.number][1])
                dut.s_axis_tdata.value = value
                dut.s_axis_tkeep.value = keep
                dut.s_axis_tlast.value = int(last)
                dut.s_axis_tuser.value = int(user)
                dut.s_axis_tvalid.value = 1
                await self._edge()
                while dut.s_axis_tready.value != 1:
                    await self._edge()
                if i == 0:
                    self.begun.append(self.cycle)
            self.number += 1

    def idle(self):
        return not self.queue and not self.busy


class LineMonitor:
    """Takes words from the transmitter; `ready` is a generator of 0 and 1, one for each cycle."""

    def __init__(self, dut, clk, rst, ready):
        self.dut, self.clk, self.rst, self.ready = dut, clk, rst, ready
        self.size = len(dut.phy_tx_ctrl_o)
        self.words, self.taken_at, self.cycle = [], [], 0
        dut.phy_tx_ready_i.value = 0
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self.clk)
            self.cycle += 1
            if self.rst.value == 0 and self.dut.phy_tx_ready_i.value == 1:
                word = int(self.dut.phy_tx_data_o.value), int(self.dut.phy_tx_ctrl_o.value)
                self.words.append(word)
                self.taken_at.append(self.cycle)
            self.dut.phy_tx_ready_i.value = next(self.ready)

    def line(self):
        return characters(self.words, self.size)


def quiet_word(size):
    return int.from_bytes(bytes([IDLE] * size), "little"), (1 << size) - 1


class LineDriver:
    """Gives words to the receiver, idle when it has none; `valid` is a generator of 0 and 1.

    given_at  for each word that was not idle of its own: the cycle whose edge takes it
    """

    def __init__(self, dut, clk, random, valid):
        self.dut, self.clk, self.random, self.valid = dut, clk, random, valid
        self.size = len(dut.phy_rx_ctrl_i)
        self.queue = collections.deque()
        self.given_at, self.cycle = [], 0
        dut.phy_rx_valid_i.value = 0
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        dut = self.dut
        while True:
            await RisingEdge(self.clk)
            self.cycle += 1
            if next(self.valid):
                if self.queue:
                    data, control = self.queue.popleft()
                    self.given_at.append(self.cycle + 1)
                else:
                    data, control = quiet_word(self.size)
                dut.phy_rx_valid_i.value = 1
            else:
                data, control = (
                    self.random.getrandbits(8 * self.size),
                    self.random.getrandbits(self.size),
                )
                dut.phy_rx_valid_i.value = 0
            dut.phy_rx_data_i.value, dut.phy_rx_ctrl_i.value = data, control


class PacketMonitor:
    """Collects packets (data, marked) from the receiver and checks the rules of the stream."""

    def __init__(self, dut, clk, rst):
        self.dut, self.clk, self.rst = dut, clk, rst
        self.size = len(dut.m_axis_tkeep)
        self.packets, self.open, self.cycle = [], b"", 0
        self.first_at, self.last_at = [], []
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        dut, full = self.dut, (1 << self.size) - 1
        begun = False
        while True:
            await RisingEdge(self.clk)
            self.cycle += 1
            if self.rst.value != 0:
                self.open, begun = b"", False
                continue
            if dut.m_axis_tvalid.value != 1:
                continue
            keep, last = int(dut.m_axis_tkeep.value), int(dut.m_axis_tlast.value)
            assert keep & (keep + 1) == 0 and keep != 0, f"TKEEP {keep:b}"
            assert last or keep == full, f"TKEEP {keep:b} without TLAST"
            assert last or dut.m_axis_tuser.value == 0, "TUSER without TLAST"
            if not begun:
                self.first_at.append(self.cycle)
            begun = not last
            data = int(dut.m_axis_tdata.value).to_bytes(self.size, "little")
            self.open += data[: keep.bit_count()]
            if last:
                self.last_at.append(self.cycle)
                self.packets.append((self.open, bool(dut.m_axis_tuser.value)))
                self.open = b""


class Pulses:
    """Counts the cycles in which each of the named outputs is high; frame bytes are summed up.

    at  for each name: the cycles of its pulses
    """

    def __init__(self, dut, clk, rst, names):
        self.dut, self.clk, self.rst, self.names = dut, clk, rst, names
        self.count, self.at = collections.Counter(), collections.defaultdict(list)
        self.cycle = 0
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self.clk)
            self.cycle += 1
            if self.rst.value != 0:
                continue
            for name in self.names:
                if getattr(self.dut, f"{name}_o").value == 1:
                    self.count[name] += 1
                    self.at[name].append(self.cycle)
                    if name == "frame":
                        self.count["bytes"] += int(self.dut.frame_bytes_o.value)

    def __getitem__(self, name):
        return self.count[name]


def always():
    while True:
        yield 1


def at_random(random, chance):
    while True:
        yield int(random.random() < chance)


def apart(random, chance=0.5):
    """Never twice in a row: a clock at least twice as fast as the line."""
    while True:
        yield 1
        yield 0
        while random.random() < chance:
            yield 0
