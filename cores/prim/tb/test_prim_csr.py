# SPDX-License-Identifier: Apache-2.0
"""prim_csr: commands, events and words cross, and nothing of before a reset comes out after it.

Either clock may stop while the reset comes; the core's has a slower one beside it.
"""

import os

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from cocotb.utils import get_sim_time
from tb_common import StoppableClock, build_and_run, params, rng, rtl

OTHER = {"bus": "core", "core": "bus"}
# bus period, core period, core cycles of a slow cycle
CLOCKS = [(1000, 1000, 1), (1000, 1006, 4), (8002, 1000, 1), (1000, 8002, 2)]
LOST = 0xFFFFFFFF


class Bench:
    """Every pulse needs an event of its own since the last reset.

    sent    of each side: for each bit the times at which it was given, unless it was reported
    void    of each side: what was given to it before that time is forgotten
    pulses  of each side: for each bit how many pulses came out there
    """

    def __init__(self, dut, clocks, name):
        self.dut, self.random = dut, rng(name)
        bus, core, ratio = clocks
        self.unit = max(bus, core * ratio)
        self.clocks = {
            "bus": StoppableClock(dut.bus_clk_i, bus, self.random.randrange(1000)),
            "core": StoppableClock(dut.core_clk_i, core, divided=[(dut.slow_clk_i, ratio)]),
        }
        self.periods = {"bus": bus, "core": core}
        self.held = {"bus": dut.bus_held_o, "core": dut.core_held_o}
        self.give = {"bus": dut.bus_command_i, "core": dut.core_event_i}
        bits = {"bus": params()["Commands"], "core": params()["Events"]}
        self.bits = bits
        self.sent = {side: [[] for _ in range(count)] for side, count in bits.items()}
        self.void = {"bus": 0, "core": 0}
        self.pulses = {"core": [0] * bits["bus"], "bus": [0] * bits["core"]}
        for signal in (*self.give.values(), dut.bus_arst_i, dut.bus_req_i, dut.bus_write_i):
            signal.value = 0
        dut.page_ack_i.value = 0
        for side in OTHER:
            cocotb.start_soon(self.watch(side))
        cocotb.start_soon(self.page())

    async def watch(self, side):
        dut, other = self.dut, OTHER[side]
        rst, held = getattr(dut, f"{side}_rst_o"), self.held[side]
        pulse = {"bus": dut.bus_event_o, "core": dut.core_command_o}[side]
        last_rst, was_held = 0, 1
        while True:
            await RisingEdge(self.clocks[side].clk)
            now = get_sim_time("ps")
            if rst.value == 1:
                last_rst = now
            given = int(self.give[side].value)
            if held.value == 1:
                was_held = 1
                if side == "bus":
                    given = 0  # a command is ignored
            elif was_held:
                was_held, self.void[other] = 0, last_rst
            for i, times in enumerate(self.sent[side]):
                if given >> i & 1:
                    times.append(now)
            if was_held:
                continue
            for i, times in enumerate(self.sent[other]):
                if int(pulse.value) >> i & 1:
                    times[:] = [time for time in times if time > self.void[other]]
                    assert times, f"{side}: pulse {i} stands for nothing"
                    times.pop(0)
                    self.pulses[side][i] += 1

    async def page(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.core_clk_i)
            asked = dut.page_req_o.value == 1 and dut.page_ack_i.value == 0
            dut.page_data_i.value = 0xC0DE_0000_0000 | int(dut.page_addr_o.value)
            dut.page_ack_i.value = int(asked and self.random.random() < 0.5)

    async def read(self, address):
        dut = self.dut
        await FallingEdge(dut.bus_clk_i)
        dut.bus_addr_i.value, dut.bus_req_i.value = address, 1
        await FallingEdge(dut.bus_clk_i)
        dut.bus_req_i.value = 0
        while dut.bus_rd_ack_o.value == 0:
            await FallingEdge(dut.bus_clk_i)
        return int(dut.bus_rd_data_o.value), int(dut.bus_lost_o.value)

    async def pulse_of(self, side, value, length=1):
        await FallingEdge(self.clocks[side].clk)
        self.give[side].value = value
        for _ in range(length):
            await FallingEdge(self.clocks[side].clk)
        self.give[side].value = 0

    async def reset(self, length=1):
        self.dut.bus_arst_i.value = 1
        await Timer(length, "ps")
        self.dut.bus_arst_i.value = 0

    async def settled(self):
        for side, clock in self.clocks.items():
            clock.period = self.periods[side]
            clock.start()
        await Timer(60 * self.unit, "ps")
        assert self.dut.bus_held_o.value == self.dut.core_held_o.value == 0, "held for ever"

    async def works(self):
        """Each bit alone comes out, as itself, once; and so does a word."""
        await self.settled()
        for side, other in OTHER.items():
            for i in range(self.bits[side]):
                expected = list(self.pulses[other])
                expected[i] += 1
                await self.pulse_of(side, 1 << i)
                await Timer(7 * self.unit + 6 * sum(self.periods.values()), "ps")
                assert self.pulses[other] == expected
        word = self.random.randrange(256)
        assert await self.read(8 * word) == (word, 0)
        assert await self.read(8 * word + 4) == (0xC0DE, 0)


@cocotb.test(timeout_time=10, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS)
async def crosses(dut, clocks):
    bench = Bench(dut, clocks, f"crosses {clocks}")
    for _ in range(5):
        await bench.works()
        await bench.reset(bench.random.randrange(1, 20 * bench.unit))


@cocotb.test(timeout_time=10, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS, stopped=["bus", "core"])
async def a_reset_forgets_what_a_stopped_clock_has_not_seen(dut, clocks, stopped):
    bench = Bench(dut, clocks, f"forgets {clocks} {stopped}")
    await bench.works()
    for _ in range(10):
        bench.clocks[stopped].stop()
        await Timer(2 * bench.unit, "ps")
        side = OTHER[stopped]
        await bench.pulse_of(side, (1 << bench.bits[side]) - 1)
        if stopped == "core":
            assert await bench.read(8) == (LOST, 1), "the bus waits for a clock that stands still"
        await Timer(bench.random.randrange(1, 8 * bench.unit), "ps")
        await bench.reset()
        await Timer(bench.random.randrange(10 * bench.unit, 20 * bench.unit), "ps")
        if stopped == "core":
            assert dut.bus_held_o.value == 1, "goes on without the core"
            await bench.pulse_of("bus", (1 << bench.bits["bus"]) - 1)
        # The reset acts some edges after the clock runs again, as prim_sync_reset says.
        bench.clocks[stopped].start()
        while bench.held[stopped].value == 0:
            await FallingEdge(bench.clocks[stopped].clk)
        before = list(bench.pulses[stopped])
        await bench.settled()
        assert bench.pulses[stopped] == before, "comes out after the reset"
        await bench.works()


@cocotb.test(timeout_time=1000, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS)
async def anything_at_any_time(dut, clocks):
    bench = Bench(dut, clocks, f"any {clocks}")
    random = bench.random
    await bench.settled()
    for _ in range(int(os.environ["EPISODES"])):
        tasks = []
        for _ in range(random.randrange(4, 16)):
            side = random.choice(["bus", "core"])
            clock = bench.clocks[side]
            what = random.choice(["stop", "start", "slow", "reset", "give", "give", "give"])
            if what == "stop":
                clock.stop()
            elif what == "start":
                clock.start()
            elif what == "slow":
                clock.period = bench.periods[side] * random.choice([1, 8])
            elif what == "reset":
                await bench.reset(random.choice([1, random.randrange(1, 8 * bench.unit)]))
            else:
                value = random.getrandbits(bench.bits[side])
                length = random.randrange(1, 6)
                tasks.append(cocotb.start_soon(bench.pulse_of(side, value, length)))
            await Timer(random.choice([1, random.randrange(1, 6 * bench.unit)]), "ps")
        for clock in bench.clocks.values():
            clock.start()
        for task in tasks:
            await task
        await Timer(400 * bench.unit, "ps")
        await bench.works()


@pytest.mark.parametrize("jitter", [False, True])
def test_prim_csr(jitter):
    run(jitter, episodes=4)


@pytest.mark.long
def test_prim_csr_long():
    run(jitter=True, episodes=1000 // len(CLOCKS))


def run(jitter, episodes):
    parameters = {"Commands": 2, "Events": 3, "PageWidth": 11, "Timeout": 256}
    env = {"EPISODES": str(episodes)}
    build_and_run("prim_csr", rtl("prim"), parameters, __name__, env=env, sync_jitter=jitter)
