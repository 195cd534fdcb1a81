# SPDX-License-Identifier: Apache-2.0
"""axis_prbs_port: whatever is switched whenever, every packet of the user arrives whole, once, in order."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from prbs31 import Lengths, Prbs31
from stream import BeatSink, BeatSource, Port, Rules, beats_of
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock


class Bench:
    def __init__(self, dut, name):
        self.dut, self.random, self.width = dut, rng(name), params()["Bytes"]
        dut.rst_i.value = dut.count_rst_i.value = 1
        for signal in ("source_i", "check_i", "clear_i", "gap_i", "s_link_axis_tuser"):
            getattr(dut, signal).value = 0
        self.seed = self.random.randint(1, 2**31 - 2)
        # Test packets are shorter than any of the user's: that tells them apart.
        dut.min_bytes_i.value, dut.max_bytes_i.value, dut.seed_i.value = 1, 6, self.seed
        start_clock(dut.clk_i, 1000)
        self.rules, self.sources = {}, {}
        for source, sink in (("s_axis", "m_link_axis"), ("s_link_axis", "m_axis")):
            ports = Port(dut, source), Port(dut, sink)
            self.sources[source] = BeatSource(dut.clk_i, dut.rst_i, ports[0], self.random, 0.7)
            BeatSink(dut.clk_i, ports[1], self.random, 0.7)
            for name, port in zip((source, sink), ports, strict=True):
                self.rules[name] = Rules(dut.clk_i, dut.rst_i, port, name, zeros=False)

    async def reset(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        self.dut.count_rst_i.value = 0

    def send(self, source, count):
        packets = [self.random.randbytes(self.random.randint(8, 60)) for _ in range(count)]
        for packet in packets:
            self.sources[source].queue += beats_of(packet, self.width)
        return packets

    def received(self, name):
        """Whole packets taken at a port so far."""
        return self.rules[name].packets()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def outwards(dut):
    bench = Bench(dut, "outwards")
    await bench.reset()
    sent = bench.send("s_axis", 120)
    dut.source_i.value = 1
    await cycles(dut.clk_i, 40)
    while not bench.sources["s_axis"].idle():
        dut.source_i.value = bench.random.getrandbits(1)
        await cycles(dut.clk_i, bench.random.choice([1, 2, 3, 10, 40]))
        # A reset of the counters is none of the streams.
        dut.count_rst_i.value = bench.random.getrandbits(1)
        if dut.source_i.value == 1:
            dut.source_i.value = 0
            await cycles(dut.clk_i, bench.random.choice([1, 2, 3, 40]))
    await cycles(dut.clk_i, 60)
    got = bench.received("m_link_axis")
    assert [p for p in got if len(p) >= 8] == sent
    tests = [p for p in got if len(p) < 8]
    assert tests
    # Undisturbed, the test packets are the sequence from its seed, however often it was started
    # before.
    dut.source_i.value = 1
    await cycles(dut.clk_i, 100)
    fresh = bench.received("m_link_axis")[len(got) :]
    data, lengths = Prbs31(bench.seed), Lengths(bench.seed)
    assert fresh
    for packet in fresh:
        assert packet == data.bytes(lengths.draw(1, 6))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def inwards(dut):
    bench = Bench(dut, "inwards")
    await bench.reset()
    sent = bench.send("s_link_axis", 150)
    for check in (1, 0):
        dut.check_i.value = check
        await cycles(dut.clk_i, 40)
    while not bench.sources["s_link_axis"].idle():
        dut.check_i.value = bench.random.getrandbits(1)
        await cycles(dut.clk_i, bench.random.choice([1, 2, 3, 10, 40]))
    await cycles(dut.clk_i, 20)
    got = bench.received("m_axis")
    # In order, each whole; the rest went to the checker, byte for byte.
    rest = iter(sent)
    assert all(packet in rest for packet in got)
    assert 0 < len(got) < len(sent)
    missing = sum(map(len, sent)) - sum(map(len, got))
    assert dut.bytes_o.value == dut.skipped_o.value == missing
    # Off is transparent, TUSER included.
    dut.check_i.value = 0
    await cycles(dut.clk_i, 40)
    dut.s_link_axis_tuser.value = 1
    before = len(bench.received("m_axis"))
    more = bench.send("s_link_axis", 5)
    while not bench.sources["s_link_axis"].idle():
        await RisingEdge(dut.clk_i)
        if dut.m_axis_tvalid.value == 1:
            assert dut.m_axis_tuser.value == 1
    await cycles(dut.clk_i, 20)
    assert bench.received("m_axis")[before:] == more


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def checks(dut):
    """What the own sequence looks like at the checker, with a wrong bit, and that off forgets the phase, not the counts."""
    bench = Bench(dut, "checks")
    await bench.reset()
    dut.check_i.value = 1
    await cycles(dut.clk_i, 3)
    source, prbs = bench.sources["s_link_axis"], Prbs31(bench.seed)

    async def play(data):
        source.queue += beats_of(data, bench.width)
        while not source.idle():
            await RisingEdge(dut.clk_i)
        await cycles(dut.clk_i, 8)

    await play(prbs.bytes(80))
    skipped = int(dut.skipped_o.value)
    assert dut.in_sync_o.value == 1 and 16 <= skipped <= 40
    wrong = bytearray(prbs.bytes(80))
    wrong[33] ^= 0x10
    await play(wrong)
    assert dut.bit_errors_o.value == 1 and dut.losses_o.value == 0
    dut.check_i.value = 0
    await cycles(dut.clk_i, 5)
    assert dut.in_sync_o.value == 0 and dut.losses_o.value == 0
    dut.check_i.value = 1
    await cycles(dut.clk_i, 5)
    prbs.bytes(7)  # a gap that would have been a loss
    await play(prbs.bytes(80))
    assert dut.in_sync_o.value == 1 and dut.losses_o.value == 0 and dut.bit_errors_o.value == 1
    assert int(dut.skipped_o.value) > skipped
    dut.clear_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.clear_i.value = 0
    await cycles(dut.clk_i, 3)
    assert dut.bytes_o.value == dut.bit_errors_o.value == 0 and dut.in_sync_o.value == 1


@pytest.mark.parametrize("width", [4, 16])
def test_axis_prbs_port(width):
    build_and_run("axis_prbs_port", rtl("axis"), {"Bytes": width}, __name__)
