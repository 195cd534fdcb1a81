# SPDX-License-Identifier: Apache-2.0
"""pcs_csr: what the registers show of random reports and states, bit by bit; clears, resets of the bus, a clock that stops."""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from pcs_link import LANES, State, packed
from tb_common import StoppableClock, build_and_run, cycles, params, registers, rng, rtl

REGISTERS = registers.description(Path(__file__).resolve().parents[1] / "regs/pcs.rdl")
EVENTS = [field.inst_name for field in REGISTERS["events"].fields()]
FEC_LANES, RX, AXIL = 4, 3100, 5300  # ps
DOWN = [state for state in State if state != State.UP]
SETTLED = 80  # cycles: two rounds of the bank
COUNTERS = [
    *("corrected", "uncorrectable", "block_errors"),
    *(f"symbols[{lane}]" for lane in range(FEC_LANES)),
    *(f"parity_errors[{lane}]" for lane in range(LANES)),
]


class Bench:
    """Random reports in each cycle, and what they add up to."""

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.fec = params()["Fec"]
        self.lanes = FEC_LANES if self.fec == 1 else LANES
        self.share = 0.0  # of cycles with a report
        self.counts, self.state, self.lane = dict.fromkeys(COUNTERS, 0), State.NO_SIGNAL, 0
        for pin in ("corrected", "uncorrectable", "block_error", "errors", "parity_error"):
            getattr(dut, f"{pin}_i").value = 0
        for pin in ("signal", "number", "inverted"):
            getattr(dut, f"{pin}_i").value = 0
        dut.coded_i.value = 0
        self.be(State.NO_SIGNAL, 0)

    async def start(self):
        dut = self.dut
        self.rx = StoppableClock(dut.rx_clk_i, RX)
        self.axil = StoppableClock(dut.axil_clk_i, AXIL, 700)
        self.regs = registers.Registers(REGISTERS, dut, "s_axil", dut.axil_clk_i, dut.axil_arst_i)
        await self.reset()
        cocotb.start_soon(self._report())

    async def reset(self):
        """Of the bus; asynchronous: it takes an edge."""
        dut = self.dut
        dut.axil_arst_i.value = 0
        await Timer(1000, "ps")
        dut.axil_arst_i.value = 1
        await cycles(dut.axil_clk_i, 20)
        dut.axil_arst_i.value = 0
        await cycles(dut.axil_clk_i, 40)
        self.counts = dict.fromkeys(COUNTERS, 0)

    def be(self, state, lane):
        self.state, self.lane = state, lane
        self.dut.state_i.value, self.dut.lane_i.value = state, lane

    async def become(self, state, lane=0):
        self.be(state, lane)
        await cycles(self.dut.rx_clk_i, 20)
        await cycles(self.dut.axil_clk_i, 20)

    async def _report(self):
        dut, random = self.dut, self.random
        while True:
            found = dict.fromkeys(COUNTERS, 0)
            if random.random() < self.share:
                for name in COUNTERS:
                    most = 15 if name.startswith("symbols") else 1
                    if random.random() < 0.5:
                        found[name] = random.randint(0, most)
            dut.corrected_i.value = found["corrected"]
            dut.uncorrectable_i.value = found["uncorrectable"]
            dut.block_error_i.value = found["block_errors"]
            dut.errors_i.value = packed([found[f"symbols[{n}]"] for n in range(FEC_LANES)], 4)
            dut.parity_error_i.value = packed(
                [found[f"parity_errors[{n}]"] for n in range(LANES)], 1
            )
            await RisingEdge(dut.rx_clk_i)
            for name in COUNTERS:
                self.counts[name] += found[name]

    async def quiet(self):
        self.share = 0.0
        await cycles(self.dut.rx_clk_i, SETTLED)

    async def check_counts(self):
        for name in COUNTERS:
            assert await self.regs.read(f"observe.{name}") == self.counts[name], name

    async def events(self):
        value = await self.regs.read("events")
        return {name for bit, name in enumerate(EVENTS) if value >> bit & 1}

    async def observed(self, name):
        return await self.regs.field("observe.state", name)


@cocotb.test()
async def identity(dut):
    """Reset values as described, what can be written, what is refused, what reads as zero."""
    bench = Bench(dut, "identity")
    await bench.start()
    regs = bench.regs
    assert await regs.read("magic") == int.from_bytes(b"PCSR", "big")
    assert await regs.field("build", "fec") == bench.fec
    assert await regs.field("build", "lanes") == bench.lanes
    assert await regs.field("build", "period") == params()["Period"]
    await regs.check_reset_values()
    await regs.check_writes(bench.random)
    for address in (0x00C, 0x014, 0x028, 0xFFC, 0x1400, 0x1FFC):
        assert not (await regs.word(address))[1], f"{address:#x} is no register"
        assert not await regs.write_word(address, 0)
    for address in (0x1018, 0x10F8, 0x11A0, 0x12F8, 0x1318, 0x1338):
        assert await regs.word(address) == (0, True)
        assert await regs.write_word(address, 0xFFFFFFFF)


@cocotb.test()
async def counters(dut):
    """Each counts what is reported, also many at once; `clear` and a reset of the bus begin anew."""
    bench = Bench(dut, "counters")
    await bench.start()
    for share in (0.02, 1.0, 0.3):
        bench.share = share
        await cycles(dut.rx_clk_i, 700)
        while min(bench.counts.values()) == 0:
            await RisingEdge(dut.rx_clk_i)
        await bench.quiet()
        await bench.check_counts()
    before = await bench.regs.read("observe.now")
    await bench.regs.write("control", clear=1)
    await cycles(dut.rx_clk_i, SETTLED)
    bench.counts = dict.fromkeys(COUNTERS, 0)
    await bench.check_counts()
    assert await bench.regs.read("observe.now") > before
    bench.share = 0.5
    await cycles(dut.rx_clk_i, 300)
    await bench.quiet()
    await bench.check_counts()
    assert "uncorrectable" in await bench.events()
    await bench.reset()
    await bench.check_counts()
    assert not await bench.events()
    # Two readings of the clock are as far apart as its cycles.
    first, at = await bench.regs.read("observe.now"), bench.rx.edges
    await cycles(dut.rx_clk_i, 1000)
    second, then = await bench.regs.read("observe.now"), bench.rx.edges
    assert abs(second - first - (then - at)) < 40


@cocotb.test()
async def states(dut):
    """Every state and lane is shown; going up and down are events, and why it went down stays."""
    bench = Bench(dut, "states")
    await bench.start()
    regs, random = bench.regs, bench.random
    await regs.write("event_enable", up=1, down=1)
    downs, last = 0, None
    for _ in range(4):
        for state in random.sample(DOWN, len(DOWN)):
            lane, coded = random.randrange(bench.lanes), random.getrandbits(1)
            dut.coded_i.value = coded
            if random.randrange(2):
                await bench.become(State.UP)
                assert await bench.events() == {"up"} and dut.irq_o.value == 1
                await regs.forget_events()
                await bench.become(state, lane)
                downs, last = downs + 1, (state, lane)
                assert await bench.events() == {"down"} and dut.irq_o.value == 1
                await regs.forget_events()
            else:
                await bench.become(state, lane)
                assert not await bench.events()
            assert dut.irq_o.value == 0
            assert (await bench.observed("state"), await bench.observed("lane")) == (state, lane)
            assert await bench.observed("coded") == coded
            assert await regs.read("observe.downs") == downs
            assert await bench.observed("has_been_down") == (last is not None)
            if last:
                found = await bench.observed("down_state"), await bench.observed("down_lane")
                assert found == last
    await regs.write("event_enable", up=0, down=1)
    await bench.become(State.UP)
    assert await bench.events() == {"up"} and dut.irq_o.value == 0


@cocotb.test()
async def reason(dut):
    """Why it went down is the first of the states of the next 64 cycles, and of the lanes in that.

    It is not what comes on the way up again.
    """
    bench = Bench(dut, "reason")
    await bench.start()
    for _ in range(20):
        await bench.become(State.UP)
        states = bench.random.choices(bench.random.sample(DOWN[1:], 2), k=3)
        lanes_ = [bench.random.randrange(bench.lanes) for _ in states]
        for state, lane in zip(states, lanes_, strict=True):
            bench.be(state, lane)
            await cycles(dut.rx_clk_i, bench.random.randint(1, 20))
        await cycles(dut.rx_clk_i, 70)
        await bench.become(State.NO_SIGNAL)
        found = await bench.observed("down_state"), await bench.observed("down_lane")
        assert found == min(zip(states, lanes_, strict=True)), (states, lanes_)


@cocotb.test()
async def lanes(dut):
    """Number, polarity and signal of each lane, and nothing of lanes that there are not."""
    bench = Bench(dut, "lanes")
    await bench.start()
    for _ in range(3):
        shown = [[bench.random.getrandbits(width) for _ in range(LANES)] for width in (5, 1, 1)]
        for pin, width, values in zip(
            ("number", "inverted", "signal"), (5, 1, 1), shown, strict=True
        ):
            getattr(dut, f"{pin}_i").value = packed(values, width)
        await cycles(dut.rx_clk_i, 3)
        for lane in range(LANES):
            path = f"observe.lane[{lane}]"
            there = lane < bench.lanes
            names = "lane_number", "inverted", "has_signal"
            found = [await bench.regs.field(path, name) for name in names]
            assert found == [values[lane] if there else 0 for values in shown], path


@cocotb.test()
async def mode(dut):
    """What the FEC does and whether there is one cross whole; a reset of the bus takes both back."""
    bench = Bench(dut, "mode")
    await bench.start()
    for value, fec in ((1, 2), (2, 0), (0, 1), (2, 1)):
        await bench.regs.write("control", mode=value, fec=fec)
        await cycles(dut.rx_clk_i, 12)
        assert (dut.mode_o.value, dut.setting_o.value) == (value, fec)
    await bench.reset()
    assert (dut.mode_o.value, dut.setting_o.value) == (0, 2)


@cocotb.test()
async def clock_stops(dut):
    """The registers answer while the line gives no clock, and say so; behind it all is as it was."""
    bench = Bench(dut, "stop")
    await bench.start()
    await bench.become(State.UP)
    bench.share = 0.3
    await cycles(dut.rx_clk_i, 200)
    await bench.quiet()
    await bench.regs.forget_events()
    bench.rx.stop()
    await Timer(20 * RX, "ps")
    assert await bench.regs.read("observe.downs") == (1 << 64) - 1
    assert await bench.events() == {"observe_lost"}
    assert await bench.regs.read("magic") == int.from_bytes(b"PCSR", "big")
    await bench.regs.write("control", mode=1)
    bench.rx.start()
    await cycles(dut.rx_clk_i, 40)
    await cycles(dut.axil_clk_i, 40)
    assert dut.mode_o.value == 1
    await bench.check_counts()
    assert await bench.observed("state") == State.UP and await bench.regs.read("observe.downs") == 0


@pytest.mark.parametrize("fec", [1, 2])
def test_pcs_csr(fec):
    sources = rtl("prim", "axis", "line", "eth", "rsfec", "pcs")
    build_and_run("pcs_csr", sources, {"Fec": fec, "Period": 1024}, __name__)
