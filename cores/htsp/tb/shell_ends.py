# SPDX-License-Identifier: Apache-2.0
"""Both ends of htsp_shell_pair, with their registers and clocks that stop."""

import cocotb
from cocotb.triggers import RisingEdge, Timer
from ends import Ends, payload
from htsp_registers import Registers
from tb_common import StoppableClock, cycles

CLK, AXIL = 1000, 3400  # ps


class ShellEnds(Ends):
    """Both ends with their registers."""

    seen = ()
    interval = 0

    async def start(self, up=True, inject=0):
        dut = self.dut
        self.attach()
        dut.inject_i.value = inject
        for name in (
            "inject_tvalid",
            "fec_corrected_i",
            "fec_uncorrected_i",
            "phy_tx_off_i",
            "phy_rx_off_i",
        ):
            getattr(dut, name).value = 0
        # Asynchronous: it takes an edge to be in reset.
        dut.arst_i.value = dut.axil_arst_i.value = 0
        await Timer(CLK, "ps")
        dut.arst_i.value, dut.axil_arst_i.value = 3, 1
        await Timer(CLK, "ps")
        self.clock = StoppableClock(dut.clk_i, CLK)
        self.axil_clock = StoppableClock(dut.axil_clk_i, AXIL)
        for end in "ab":
            for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
                getattr(dut, f"{end}_s_axil_{name}").value = 0
        await Timer(12 * AXIL, "ps")
        # Not before: it would take what the first cycles offer, in which nothing is reset yet.
        self.a, self.b = self.regs = [
            Registers(dut, f"{e}_s_axil", dut.axil_clk_i, dut.axil_arst_i) for e in "ab"
        ]
        dut.axil_arst_i.value = 0
        # The first round of the counters clears them.
        await Timer(60 * AXIL, "ps")
        dut.arst_i.value = 0
        await cycles(dut.clk_i, 4)
        cocotb.start_soon(self._run())
        if up:
            await self.wait_up()

    async def settle(self):
        """Crossings, and two rounds of the counters."""
        await cycles(self.dut.clk_i, 3 * (80 + 16 * self.channels))

    async def clear(self):
        for regs in self.regs:
            await regs.write("command", clear=1)
        await self.settle()

    async def forget_events(self):
        for regs in self.regs:
            await regs.forget_events()

    def queue_packets(self, streams, count, largest=400, errors=0.0):
        for stream in streams:
            for _ in range(count):
                data = payload(stream, len(self.sent[stream]), self.random.randint(1, largest))
                self.send(stream, data, error=int(self.random.random() < errors))

    async def expect(self, regs, **counts):
        """Counters of the link: the named ones have these values."""
        await self.settle()
        for name, value in counts.items():
            got = await regs.read(f"observe.{name}")
            assert got == value, f"{name}: {got}, not {value}"

    async def fault(self, *place, **kind):
        # Whoever comes from the bus's clock is between the edges of the link's, or just on one.
        await RisingEdge(self.dut.clk_i)
        await super().fault(*place, **kind)

    async def op_code(self, end, code):
        """By register, as soon as there is room."""
        for i in range(4):
            await self.regs[end].write(f"op_code_{i}", bytes=code >> 32 * i & 0xFFFFFFFF)
        while not await self.regs[end].field("status", "op_code_ready"):
            pass
        await self.regs[end].write("command", op_code=1)

    async def reset_bus(self, time):
        """A pulse on the asynchronous reset of the bus, `time` ps long; registers answer again behind it."""
        self.dut.axil_arst_i.value = 1
        await Timer(time, "ps")
        self.dut.axil_arst_i.value = 0

    async def inject(self, data, damaged=0):
        """One frame towards B."""
        dut = self.dut
        await RisingEdge(dut.clk_i)
        for i in range(0, len(data), self.beat):
            word = data[i : i + self.beat]
            dut.inject_tdata.value = int.from_bytes(word, "little")
            dut.inject_tkeep.value = (1 << len(word)) - 1
            last = int(i + self.beat >= len(data))
            dut.inject_tlast.value, dut.inject_tuser.value = last, last & damaged
            dut.inject_tvalid.value = 1
            await RisingEdge(dut.clk_i)
        dut.inject_tvalid.value = 0
        await RisingEdge(dut.clk_i)
