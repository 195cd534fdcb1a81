# SPDX-License-Identifier: Apache-2.0
"""axis_meter: every counter, the rate and the latency against counts taken by the test."""

import collections

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, params, reset, rng, rtl, start_clock

COUNTERS = ("frames", "bytes", "cycles", "stalled", "idle")


class Bench:
    """Drives both taps cycle by cycle as an ideal path of random delay and keeps the books.

    Packets enter at the reference and reach the tap some cycles after (or in the same cycle when
    `delay` allows 0), with random stalls and pauses on both sides.
    """

    def __init__(self, dut, random):
        self.dut, self.random, self.width = dut, random, params()["Bytes"]
        self.limit = (1 << params()["CounterWidth"]) - 1
        self.delay = (0, 6)
        self.rate, self.ready = 0.6, 0.7
        self.mark = self.clear = False
        self.window = 0
        self.cycle = 0
        self.sums = collections.Counter()
        self.bytes_at = []  # bytes of each cycle, since the last clear
        self.path = collections.deque()  # beats between the taps: (earliest cycle, size, last, id)
        self.entered = {}  # packet id -> cycle at the reference
        self.open_in = self.open_out = False
        self.offer = None  # beat held at the reference until taken
        self.longest, self.beats_left = 4, 0  # beats of a packet
        self.ids = 0
        self.timing = None  # id of the packet being timed
        self.latencies = []
        self.stalled_tap = False
        dut.rst_i.value = 1
        for name in ("clear", "mark", "tap_tvalid", "ref_tvalid", "tap_tready", "ref_tready"):
            getattr(dut, f"{name}_i").value = 0
        for name in ("window", "tap_tkeep", "tap_tlast", "ref_tlast"):
            getattr(dut, f"{name}_i").value = 0
        start_clock(dut.clk_i, 1000)

    async def step(self):
        """Drive one cycle and account for it; returns behind its clock edge."""
        dut, random = self.dut, self.random
        # Reference side.
        if self.offer is None and random.random() < self.rate:
            if self.beats_left == 0:
                self.beats_left = random.randint(1, self.longest)
                self.ids += 1
            self.beats_left -= 1
            last = self.beats_left == 0
            size = random.randint(0, self.width) if last else self.width
            self.offer = (size, last, self.ids)
        ref_ready = random.random() < self.ready
        ref_beat = self.offer is not None and ref_ready
        dut.ref_tvalid_i.value = int(self.offer is not None)
        dut.ref_tready_i.value = int(ref_ready)
        dut.ref_tlast_i.value = int(self.offer[1] if self.offer else random.getrandbits(1))
        first_in = None
        if ref_beat:
            size, last, ident = self.offer
            if not self.open_in:
                first_in = ident
                self.entered[ident] = self.cycle
            self.open_in = not last
            self.path.append((self.cycle + random.randint(*self.delay), size, last, ident))
            self.offer = None
        # Tap side; a beat once offered stays.
        tap_valid = self.stalled_tap or bool(self.path and self.path[0][0] <= self.cycle)
        tap_ready = random.random() < self.ready
        size, last = random.randint(0, self.width), random.getrandbits(1)
        if tap_valid:
            _, size, last, ident = self.path[0]
        dut.tap_tvalid_i.value = int(tap_valid)
        dut.tap_tready_i.value = int(tap_ready)
        dut.tap_tkeep_i.value = (1 << size) - 1
        dut.tap_tlast_i.value = int(last)
        dut.mark_i.value = int(self.mark)
        dut.clear_i.value = int(self.clear)
        dut.window_i.value = self.window
        self.stalled_tap = tap_valid and not tap_ready
        beat = tap_valid and tap_ready
        # The books. A clear counts this cycle as the first one of the new period.
        if self.clear:
            self.sums.clear()
            self.bytes_at.clear()
            self.latencies.clear()
            self.timing = None
        elif self.mark and first_in is not None and self.timing is None:
            self.timing = first_in
        self.sums["cycles"] += 1
        self.sums["idle"] += not tap_valid
        self.sums["stalled"] += tap_valid and not tap_ready
        self.bytes_at.append(size if beat else 0)
        result = None
        if beat:
            self.path.popleft()
            self.sums["bytes"] += size
            self.sums["frames"] += bool(last)
            if not self.open_out and self.timing == ident:
                result = self.cycle - self.entered[ident]
                self.latencies.append(result)
                self.timing = None
            self.open_out = not last
        self.cycle += 1
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert dut.latency_valid_o.value == int(result is not None)
        if result is not None:
            assert dut.latency_last_o.value == min(result, self.limit)

    def check(self):
        for name in COUNTERS:
            got = int(getattr(self.dut, f"{name}_o").value)
            assert got == min(self.sums[name], self.limit), name
        assert self.dut.latency_count_o.value == len(self.latencies)
        if self.latencies:
            assert self.dut.latency_min_o.value == min(min(self.latencies), self.limit)
            assert self.dut.latency_max_o.value == min(max(self.latencies), self.limit)
        else:
            assert self.dut.latency_min_o.value == self.limit
            assert self.dut.latency_max_o.value == 0

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        await FallingEdge(self.dut.clk_i)
        # The cycles between the reset and the first step do not count.
        self.clear = True
        await self.step()
        self.clear = False


@cocotb.test()
async def counters_and_latency(dut):
    """All counters in every cycle, with random clears; latencies of 0 and more, packets ahead."""
    random = rng("counters")
    bench = Bench(dut, random)
    await bench.start()
    measured = 0
    for bench.delay in ((0, 0), (0, 3), (5, 5), (10, 60)):
        for bench.rate, bench.ready in ((1.0, 1.0), (0.5, 0.7), (0.9, 0.4)):
            for _ in range(120):
                bench.mark = random.random() < 0.3
                bench.clear = random.random() < 0.01
                before = len(bench.latencies)
                await bench.step()
                measured += len(bench.latencies) > before
                bench.check()
    assert measured > 20


@cocotb.test()
async def many_ahead(dut):
    """Thousands of packets are between the taps when one is marked: each of them passes first."""
    bench = Bench(dut, rng("many"))
    bench.rate = bench.ready = 1.0
    bench.longest, bench.delay = 1, (9000, 9000)
    await bench.start()
    for _ in range(bench.delay[0]):
        await bench.step()
    bench.mark = True
    await bench.step()
    bench.mark = False
    while not bench.latencies:
        await bench.step()
    bench.check()


@cocotb.test()
async def clear_drops_a_measurement(dut):
    """A clear forgets the packet under way, and the next marked one is matched correctly."""
    random = rng("drop")
    bench = Bench(dut, random)
    bench.delay = (20, 20)
    bench.rate = bench.ready = 1.0
    await bench.start()
    for _ in range(10):
        bench.mark = True
        while bench.timing is None:
            await bench.step()
        bench.mark = False
        await bench.step()
        bench.clear = True
        await bench.step()
        bench.clear = False
        assert bench.timing is None
        for _ in range(random.randint(1, 40)):
            await bench.step()
            bench.check()
        assert bench.latencies == []


@cocotb.test()
async def rate(dut):
    """Windows follow each other without a gap; each shows its own bytes; 0 switches off."""
    random = rng("rate")
    bench = Bench(dut, random)
    await bench.start()
    for bench.window in (1, 2, 7, 64, 0, 5):
        bench.clear = True
        await bench.step()
        bench.clear = False
        seen = 0
        for i in range(1, 200):
            await bench.step()
            done = bench.window > 0 and i % bench.window == 0
            assert dut.rate_valid_o.value == int(done), f"cycle {i} of window {bench.window}"
            if done:
                seen += 1
                assert dut.rate_bytes_o.value == sum(bench.bytes_at[i - bench.window : i])
        assert seen == (199 // bench.window if bench.window else 0)


@cocotb.test()
async def saturation(dut):
    """Counters and latencies stay at their largest value."""
    random = rng("saturation")
    bench = Bench(dut, random)
    await bench.start()
    bench.delay = (bench.limit + 40, bench.limit + 40)
    bench.mark = True
    while not bench.latencies:
        await bench.step()
    bench.check()
    assert bench.latencies[0] > bench.limit
    assert dut.latency_max_o.value == dut.cycles_o.value == bench.limit


@pytest.mark.parametrize("width, counter", [(4, 8), (64, 40)])
def test_axis_meter(width, counter):
    parameters = {"Bytes": width, "CounterWidth": counter}
    tests = ["counters_and_latency", "clear_drops_a_measurement", "rate"]
    if counter == 8:
        tests += ["saturation", "many_ahead"]
    build_and_run("axis_meter", rtl("axis"), parameters, __name__, testcase=tests)
