# SPDX-License-Identifier: Apache-2.0
"""switch_top among ends of links, with its registers, and clocks that stop."""

from collections import defaultdict
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge, Timer
from peer import CREDIT, FULL, HEADER_AT, Header
from switch_bench import Bench
from tb_common import StoppableClock, cycles, registers

REGISTERS = registers.description(Path(__file__).resolve().parents[1] / "regs/switch.rdl")
EVENT_NAMES = [f.inst_name for f in REGISTERS["events"].fields()]
CLK, AXIL = 1000, 3400  # ps


class TopBench(Bench):
    """Tables are written by registers; `counts[port, name]` is what the counters should show. Time goes on by itself."""

    def begin(self):
        self.counts = defaultdict(int)
        self.in_packet = [False] * self.ports
        self.dut.arst_i.value = self.dut.axil_arst_i.value = 0
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
            getattr(self.dut, f"s_axil_{name}").value = 0

    def in_reset(self):
        return self.dut.rst_o.value == 1

    async def power_up(self):
        """Clocks, both resets, and registers that answer; tables are empty, links down."""
        dut = self.dut
        # Asynchronous: it takes an edge to be in reset.
        await Timer(CLK, "ps")
        dut.arst_i.value = dut.axil_arst_i.value = 1
        await Timer(CLK, "ps")
        self.clock = StoppableClock(dut.clk_i, CLK)
        self.axil_clock = StoppableClock(dut.axil_clk_i, AXIL)
        await Timer(12 * AXIL, "ps")
        # Not before: it would take what the first cycles offer, in which nothing is reset yet.
        self.regs = registers.Registers(REGISTERS, dut, "s_axil", dut.axil_clk_i, dut.axil_arst_i)
        dut.axil_arst_i.value = 0
        # The first round of the counters clears them.
        await Timer(60 * AXIL, "ps")
        dut.arst_i.value = 0
        cocotb.start_soon(self.run())

    async def start(self, late=None):
        """Tables loaded, all links up, all ends open."""
        await self.power_up()
        await self.load()
        for p, link in enumerate(self.links):
            link.start(self.now, *(late[p] if late else ()))
        await self.until(self.all_open)
        await self.cycle(20)

    async def load(self):
        """All tables, as soon as they take writes."""
        while not await self.regs.field("observe.tables", "ready"):
            pass
        before = await self.regs.field("observe.tables", "writes")
        for node, ports in self.nodes.items():
            await self.route(node, ports)
        await self.cycle(20)
        assert await self.regs.field("observe.tables", "writes") == before + len(self.nodes)

    async def route(self, node, ports, inputs=None):
        chosen = range(self.ports) if inputs is None else inputs
        await self.regs.write(
            "ways", inputs=sum(1 << i for i in chosen), outputs=sum(1 << p for p in ports)
        )
        await self.regs.write("route", node=node)

    # ---- Time ----
    async def run(self):
        while True:
            await super().cycle()

    async def cycle(self, count=1):
        for _ in range(count):
            await RisingEdge(self.dut.clk_i)

    # ---- What the counters should show ----
    def watch(self, valids, readies):
        received = int(self.dut.s_axis_tvalid.value)
        for p in range(self.ports):
            self.counts[p, "rx_words"] += received >> p & 1
            self.counts[p, "tx_stalled"] += (valids & ~readies) >> p & 1

    def take(self, p, word, keep, last):
        super().take(p, word, keep, last)
        self.counts[p, "tx_words"] += 1
        if not self.in_packet[p] and keep == FULL:  # else it ends what came before a reset
            credit = Header.unpack(word >> HEADER_AT & (1 << 128) - 1).kind == CREDIT
            self.counts[p, "tx_credits" if credit else "tx_packets"] += 1
        self.in_packet[p] = not last

    async def settle_counters(self):
        """Crossings, and two rounds of the counters."""
        await cycles(self.dut.clk_i, 3 * (10 + 16 * self.ports))

    async def events_now(self):
        """Names of the events that are set."""
        value = await self.regs.read("events")
        return {name for bit, name in enumerate(EVENT_NAMES) if value >> bit & 1}

    async def count(self, port, name):
        return await self.regs.read(f"observe.port[{port}].{name}")
