# SPDX-License-Identifier: Apache-2.0
"""eth_mac: two of them, transmitter to receiver, with wrong bits and with lines that lose their signal."""

import cocotb
import pytest
from cgmii import padded
from cocotb.triggers import RisingEdge
from eth_bench import PacketMonitor, PacketSource, Pulses, always, at_random
from tb_common import ROOT, build_and_run, cycles, params, reset, rng, rtl, start_clock


class Bench:
    def __init__(self, dut, name, ready=None, pause=lambda random: 0):
        self.dut, self.random, self.size = dut, rng(name), params()["Bytes"]
        self.ready, self.flip = ready or always(), 0.0
        dut.rst_i.value = 1
        dut.flip_i.value = dut.near_cut_i.value = dut.far_cut_i.value = 0
        self.source = PacketSource(dut, dut.clk_i, self.random, pause)
        self.out = PacketMonitor(dut, dut.clk_i, dut.rst_i)
        self.pulses = Pulses(dut, dut.clk_i, dut.rst_i, ("sent", "sent_cut", "frame", "lost"))
        self.task = cocotb.start_soon(self._line())
        start_clock(dut.clk_i, 1000)

    async def _line(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            self.dut.phy_tx_ready_i.value = next(self.ready)
            wrong = self.random.random() < self.flip
            self.dut.flip_i.value = 1 << self.random.randrange(8 * self.size) if wrong else 0

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        return self

    async def drain(self):
        while not self.source.idle():
            await RisingEdge(self.dut.clk_i)
        await cycles(self.dut.clk_i, 400)

    def stop(self):
        for task in (self.source.task, self.out.task, self.pulses.task, self.task):
            task.cancel()


@cocotb.test()
async def back_to_back(dut):
    """Whatever the transmitter sends the receiver can take, at the same clock, for any length."""
    random = rng("rates")
    for chance, share in ((1.0, 1), (0.8, 3)):
        bench = await Bench(dut, f"rate {chance}", at_random(random, chance)).start()
        sizes = [random.randint(0, 200) for _ in range(150)]
        sizes += [random.choice((60, 61, 64, 65, 66, 124, 125, 129, 134)) for _ in range(150)]
        sizes += [bench.size * 3 + 1] * 40 + [random.randint(0, 1600) for _ in range(20)]
        sizes = random.sample(sizes, len(sizes) // share)
        packets = [random.randbytes(n) for n in sizes]
        bench.source.send(*packets)
        await bench.drain()
        assert bench.out.packets == [(padded(p), False) for p in packets]
        assert bench.pulses["lost"] == 0
        assert bench.pulses["sent"] == bench.pulses["frame"] == len(packets)
        bench.stop()


@cocotb.test()
async def wrong_bits(dut):
    """What comes out unmarked was sent, once and in order; where nothing was damaged it comes out."""
    bench = await Bench(dut, "bits", pause=lambda random: random.choice((0, 0, 5))).start()
    bench.flip = 0.02
    sent = [bench.random.randbytes(bench.random.randint(60, 400)) for _ in range(200)]
    bench.source.send(*sent)
    await bench.drain()
    good = [data for data, marked in bench.out.packets if not marked]
    places = [sent.index(data) for data in good]
    assert places == sorted(set(places))
    assert 0 < len(good) < len(sent)
    assert len(good) == bench.pulses["frame"]


@cocotb.test()
async def lost_signal(dut):
    """A receiver without signal stops the far transmitter, and everything goes on when it is back."""
    bench = await Bench(dut, "signal").start()
    sent = [bench.random.randbytes(bench.random.randint(60, 400)) for _ in range(200)]
    bench.source.send(*sent)
    for _ in range(8):
        await cycles(dut.clk_i, bench.random.randint(10, 60))
        dut.far_cut_i.value = 1
        # The far end answers, the near end stops.
        await cycles(dut.clk_i, 40)
        assert dut.far_local_fault_o.value == 1 and dut.near_remote_fault_o.value == 1
        count = bench.pulses["sent"] + bench.pulses["sent_cut"]
        await cycles(dut.clk_i, 200)
        assert bench.pulses["sent"] + bench.pulses["sent_cut"] == count
        dut.far_cut_i.value = 0
        await cycles(dut.clk_i, 200)
        assert dut.far_local_fault_o.value == 0 and dut.near_remote_fault_o.value == 0
    await bench.drain()
    good = [data for data, marked in bench.out.packets if not marked]
    places = [sent.index(data) for data in good]
    assert places == sorted(set(places))
    # Lost is what was on the line when it was cut, and what the transmitter had to end.
    assert len(sent) - len(good) <= bench.pulses["sent_cut"] + 8 * (1 + 40 * bench.size // 88)
    # A cut of the other line holds the transmitter as well.
    bench.out.packets.clear()
    dut.near_cut_i.value = 1
    await cycles(dut.clk_i, 20)
    more = [bench.random.randbytes(100) for _ in range(5)]
    bench.source.send(*more)
    await cycles(dut.clk_i, 300)
    assert bench.out.packets == []
    dut.near_cut_i.value = 0
    await bench.drain()
    assert bench.out.packets == [(data, False) for data in more]


@pytest.mark.parametrize("size", [16, 32, 64])
def test_eth_mac(size):
    sources = rtl("prim", "axis", "eth") + [ROOT / "cores/eth/tb/eth_pair_bench.sv"]
    build_and_run("eth_pair_bench", sources, {"Bytes": size}, __name__)
