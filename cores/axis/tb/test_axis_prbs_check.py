# SPDX-License-Identifier: Apache-2.0
"""axis_prbs_check: every flipped bit counts once, loss and resynchronisation, exact counters.

The stream is made here from the bit-serial reference, not by axis_prbs_source.
"""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from prbs31 import Prbs31
from stream import BeatSink, BeatSource, Port, Rules, beats_of
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


class TapPort(Port):
    """The passive tap: TREADY is driven by the test as well."""

    def __init__(self, dut):
        for name in ("tdata", "tkeep", "tlast", "tvalid", "tready"):
            setattr(self, name, getattr(dut, f"tap_{name}_i"))
        self.width = len(self.tkeep)


class Bench:
    def __init__(self, dut, random, rates=(0.8, 0.8)):
        self.dut, self.random, self.width = dut, random, params()["Bytes"]
        dut.rst_i.value = 1
        dut.clear_i.value = 0
        dut.hunt_i.value = 0
        start_clock(dut.clk_i, 1000)
        self.port = TapPort(dut)
        self.source = BeatSource(dut.clk_i, dut.rst_i, self.port, random, rates[0])
        self.sink = BeatSink(dut.clk_i, self.port, random, rates[1])
        self.rules = Rules(dut.clk_i, dut.rst_i, self.port, "tap", zeros=False)
        self.prbs = Prbs31(random.getrandbits(31))
        self.frames = self.bytes = 0

    def packet(self, length=None):
        """Beats of the next packet of the sequence."""
        if length is None:
            length = self.random.randint(0, 5 * self.width)
        return beats_of(self.prbs.bytes(length), self.width)

    async def play(self, beats):
        beats = list(beats)
        self.source.queue += beats
        self.frames += sum(last for _, _, last in beats)
        self.bytes += sum(keep.bit_count() for _, keep, _ in beats)
        while not self.source.idle():
            await RisingEdge(self.dut.clk_i)
        await cycles(self.dut.clk_i, 6)
        assert self.count("frames") == self.frames
        assert self.count("bytes") == self.bytes

    async def synchronise(self):
        """Enough of the sequence; returns what has been skipped."""
        await self.play(self.packet(40 + 4 * self.width))
        assert self.dut.in_sync_o.value == 1
        return self.count("skipped")

    def count(self, name):
        return int(getattr(self.dut, f"{name}_o").value)

    def faults(self):
        return self.count("bit_errors"), self.count("losses")

    def flip(self, beats, positions):
        """Flip bits, counted over the bytes of all beats."""
        flat = [(i, b) for i, (_, keep, _) in enumerate(beats) for b in range(8 * keep.bit_count())]
        beats = [list(beat) for beat in beats]
        for position in positions:
            i, b = flat[position]
            beats[i][0] ^= 1 << b
        return [tuple(beat) for beat in beats]


@cocotb.test()
async def clean(dut):
    """No errors on the true sequence from any point; skipped is exactly what synchronising takes."""
    random = rng("clean")
    bench = Bench(dut, random)
    await reset(dut.clk_i, dut.rst_i)
    assert dut.in_sync_o.value == 0
    # First packet by first packet until synchronised: follow the rule of 16 good bytes behind the
    # first whole beats that bring 31 bits of history.
    history, good, skipped, synced = 0, 0, 0, False
    for _ in range(12):
        beats = bench.packet(random.choice((1, 3, bench.width, 2 * bench.width + 1)))
        for _, keep, _ in beats:
            size = keep.bit_count()
            if not synced:
                skipped += size
                # The first beats are predicted from zeros: right only once 4 bytes are known.
                good = good + size if history >= 4 else 0
                history += size
                synced = good >= 16
        await bench.play(beats)
        assert dut.in_sync_o.value == int(synced)
        assert bench.count("skipped") == skipped
    await bench.synchronise()
    for _ in range(40):
        await bench.play(bench.packet())
    assert bench.faults() == (0, 0)
    bench.source.rate = bench.sink.rate = 1.0
    await bench.play(beat for _ in range(40) for beat in bench.packet())
    assert bench.faults() == (0, 0)


@cocotb.test()
async def sixteen_bytes(dut):
    """Who knows the sequence is in step behind exactly 16 bytes of it, in beats of any size."""
    random = rng("sixteen")
    bench = Bench(dut, random, (1.0, 1.0))
    await reset(dut.clk_i, dut.rst_i)
    await bench.synchronise()
    for size in (*range(1, 17), *(random.randrange(1, 17) for _ in range(8))):
        dut.hunt_i.value = 1
        await cycles(dut.clk_i, 1)
        dut.hunt_i.value = 0
        await cycles(dut.clk_i, 1)
        assert dut.in_sync_o.value == 0
        good = 0
        while good < 16:
            assert dut.in_sync_o.value == 0, (size, good)
            await bench.play(bench.packet(min(size, bench.width)))
            good += min(size, bench.width)
        assert dut.in_sync_o.value == 1, size
    assert bench.faults() == (0, 0)


@cocotb.test()
async def every_bit(dut):
    """A flipped bit is found on every lane, alone in its beat, and counts exactly once."""
    random = rng("flips")
    bench = Bench(dut, random, (1.0, 1.0))
    await reset(dut.clk_i, dut.rst_i)
    skipped = await bench.synchronise()
    for bit in range(8 * bench.width):
        beats = [(data, keep, 0) for data, keep, _ in bench.packet(bench.width)]
        # Beats without an error in between keep the rate of a window below the limit of 1/8.
        clean = [
            (data, keep, 0)
            for data, keep, _ in bench.packet(bench.width * (3 if bench.width < 4 else 1))
        ]
        await bench.play(bench.flip(beats, [bit]) + clean)
        assert bench.faults() == (bit + 1, 0), f"bit {bit}"
    # Several at once, in partial last beats too, at some 1 % of all bits.
    total = 8 * bench.width
    for _ in range(30):
        beats = bench.packet(random.randint(1, 5 * bench.width))
        bits = 8 * sum(keep.bit_count() for _, keep, _ in beats)
        chosen = random.sample(range(bits), bits // 100)
        total += len(chosen)
        await bench.play(bench.flip(beats, chosen))
        assert bench.faults() == (total, 0)
    assert bench.count("skipped") == skipped


@cocotb.test()
async def loss(dut):
    """A lost, doubled or inserted byte, a lost beat and a run of zeros each give one loss."""
    random = rng("loss")
    bench = Bench(dut, random, (1.0, 0.9))
    await reset(dut.clk_i, dut.rst_i)
    await bench.synchronise()
    kinds = ("lost byte", "doubled byte", "inserted byte", "lost beat", "zeros")
    for losses, kind in enumerate(kinds, 1):
        errors = bench.count("bit_errors")
        payload = bytearray(bench.prbs.bytes(300 + 20 * bench.width))  # ends well after the fault
        at = random.randrange(60, 100)
        if kind == "lost byte":
            del payload[at]
        elif kind == "doubled byte":
            payload.insert(at, payload[at])
        elif kind == "inserted byte":
            payload.insert(at, payload[at] ^ 0x5A)
        elif kind == "lost beat":
            del payload[at : at + bench.width]
        else:
            payload[at : at + 100 + 4 * bench.width] = bytes(100 + 4 * bench.width)
        await bench.play(beats_of(bytes(payload), bench.width))
        assert bench.count("losses") == losses, kind
        assert dut.in_sync_o.value == 1, kind
        # Half of the bits of one window and of the beats under way are wrong, not more.
        found = bench.count("bit_errors") - errors
        assert 32 <= found <= 256 + 8 * 4 * bench.width, kind
        await bench.play(bench.packet())
        assert bench.count("bit_errors") == errors + found
        assert bench.count("losses") == losses


@cocotb.test()
async def threshold(dut):
    """Just below 1/8 of wrong bits everything is counted; at 1/8 synchronisation is lost."""
    random = rng("threshold")
    bench = Bench(dut, random, (1.0, 1.0))
    await reset(dut.clk_i, dut.rst_i)
    await bench.synchronise()
    # A window begins with the first beat after synchronisation; so synchronise afresh each time and
    # play exactly one window.
    per_window = -(-256 // (8 * bench.width))
    bits = 8 * bench.width * per_window
    limit = -(-bits // 8)
    for wrong in (limit - 1, limit):
        dut.rst_i.value = 1
        await cycles(dut.clk_i, 2)
        dut.rst_i.value = 0
        bench.frames = bench.bytes = 0
        await cycles(dut.clk_i, 1)
        while dut.in_sync_o.value == 0:
            await bench.play([(data, keep, 0) for data, keep, _ in bench.packet(bench.width)])
        beats = bench.packet(bench.width * per_window)
        await bench.play(bench.flip(beats, random.sample(range(bits), wrong)))
        assert bench.faults() == (wrong, int(wrong == limit))
        assert dut.in_sync_o.value == int(wrong != limit)


@cocotb.test()
async def no_sequence(dut):
    """Zeros, ones and noise never synchronise; the true sequence does afterwards."""
    random = rng("noise")
    bench = Bench(dut, random, (1.0, 1.0))
    await reset(dut.clk_i, dut.rst_i)
    length = 60 + 10 * bench.width
    for payload in (bytes(length), b"\xff" * length, random.randbytes(length)):
        await bench.play(beats_of(payload, bench.width))
        assert dut.in_sync_o.value == 0
        assert bench.count("skipped") == bench.bytes
    assert bench.faults() == (0, 0)
    await bench.synchronise()
    await bench.play(bench.packet())
    assert bench.faults() == (0, 0)


@cocotb.test()
async def clear_and_saturation(dut):
    """Clearing loses no event between two periods; counters stop at their largest value."""
    random = rng("clear")
    bench = Bench(dut, random, (1.0, 0.7))
    await reset(dut.clk_i, dut.rst_i)
    await bench.synchronise()
    before = len(bench.rules.beats)
    bench.source.queue += [beat for _ in range(60) for beat in bench.packet()]
    old = bench.count("bytes"), bench.count("frames")
    total = [-old[0], -old[1]]
    while not bench.source.idle():
        # The period ends in the cycle before the one in which clear_i is high.
        await cycles(dut.clk_i, random.randint(1, 9))
        dut.clear_i.value = 1
        await RisingEdge(dut.clk_i)
        total[0] += bench.count("bytes")
        total[1] += bench.count("frames")
        dut.clear_i.value = 0
    await cycles(dut.clk_i, 4)
    total[0] += bench.count("bytes")
    total[1] += bench.count("frames")
    taken = bench.rules.beats[before:]
    assert total[0] == sum(keep.bit_count() for _, keep, _ in taken)
    assert total[1] == sum(last for _, _, last in taken)

    # Saturation: filling a counter takes too long with one byte in a cycle.
    if bench.width >= 30:
        limit = (1 << params()["CounterWidth"]) - 1
        need = limit // bench.width + 100  # some are not skipped before the sequence is lost
        bench.sink.rate = 1.0
        beat = ((1 << 8 * bench.width) - 1, (1 << bench.width) - 1, 0)
        bench.source.queue += [beat] * need
        while not bench.source.idle():
            await RisingEdge(dut.clk_i)
        await cycles(dut.clk_i, 4)
        assert bench.count("bytes") == bench.count("skipped") == limit


@pytest.mark.parametrize("width", [1, 30, 64])
def test_axis_prbs_check(width):
    parameters = {"Bytes": width, "CounterWidth": 17}
    build_and_run("axis_prbs_check", rtl("axis"), parameters, __name__)
