# SPDX-License-Identifier: Apache-2.0
"""pcs_peer: a peer's FEC mode within a marker period, on lanes of any slip and polarity, dead ones
among them; never from noise, from the other mode, or from words that repeat themselves."""

import pathlib

import cocotb
import pytest
from cocotb.triggers import RisingEdge, with_timeout
from cocotb.utils import get_sim_time
from pcs_link import packed
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

LANES, RAW, CYCLE = 4, 80, 1000  # ps
PATIENCE = 2048  # cycles for blocks on a lane
FORGOTTEN = 4096  # cycles in which 65 headers are illegal: half of those that come


class Peer:
    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        start_clock(dut.clk_i, CYCLE)
        for name in ("coded", "noise", "repeat", "pattern", "invert", "delay"):
            getattr(dut, f"{name}_i").value = 0
        self.dead()
        self.period = params()["Period"] // 8 * 33

    async def start(self):
        self.dut.tx_rst_i.value = 1
        await reset(self.dut.clk_i, self.dut.rst_i)
        self.dut.tx_rst_i.value = 0

    def shuffle(self):
        dut, random = self.dut, self.random
        dut.delay_i.value = packed([random.randrange(RAW) for _ in range(LANES)], 7)
        dut.invert_i.value = random.choice((0, 15, random.getrandbits(LANES)))

    def dead(self, signal=15, noise=0):
        self.dut.signal_i.value, self.dut.noise_i.value = signal, noise

    def seen(self):
        return int(self.dut.blocks_o.value), int(self.dut.markers_o.value)

    async def anew(self):
        """A reset of the detectors, at any place of the peer's period."""
        await cycles(self.dut.clk_i, self.random.randrange(self.period))
        await reset(self.dut.clk_i, self.dut.rst_i)
        assert self.seen() == (0, 0)

    async def found(self, coded, limit):
        """The peer's mode is found; how many cycles that took."""
        begin = get_sim_time("ps")
        pin = self.dut.markers_o if coded else self.dut.blocks_o
        if pin.value == 0:
            await with_timeout(RisingEdge(pin), limit * CYCLE, "ps")
        assert self.seen() == ((0, 1) if coded else (1, 0))
        return (get_sim_time("ps") - begin) // CYCLE


@cocotb.test()
async def within_a_period(dut):
    """Either mode, lanes of any slip and polarity: within a marker period, and the few words of the
    markers themselves. Blocks do not depend on it and take at most 2048 cycles."""
    peer = Peer(dut, "period")
    await peer.start()
    worst = [0, 0]
    for turn in range(40):
        coded = turn % 2
        dut.coded_i.value = coded
        peer.shuffle()
        await peer.anew()
        waited = await peer.found(coded, peer.period + 10 if coded else PATIENCE)
        worst[coded] = max(worst[coded], waited)
    dut._log.info(f"cycles, at most: blocks {worst[0]}, markers {worst[1]} of {peer.period}")


@cocotb.test()
async def dead_lanes(dut):
    """Only one lane is alive: without a signal the others take no time, with one a period, or 2048
    cycles, each."""
    peer = Peer(dut, "dead")
    await peer.start()
    for turn in range(8):
        coded, silent = turn % 2, turn // 2 % 2
        alive = 1 << peer.random.randrange(LANES)
        dut.coded_i.value = coded
        peer.dead(**({"signal": alive} if silent else {"noise": 15 ^ alive}))
        peer.shuffle()
        await peer.anew()
        each = peer.period + 30 if coded else PATIENCE
        await peer.found(coded, each * (1 if silent else LANES) + 10)
        # And when this one goes, too.
        peer.dead(signal=0)
        await cycles(dut.clk_i, 5)
        assert peer.seen() == (0, 0)
        peer.dead()


@cocotb.test()
async def changes(dut):
    """A peer that changes its mode: what was found is forgotten, and the other mode is found."""
    peer = Peer(dut, "changes")
    await peer.start()
    peer.shuffle()
    for turn in range(7):
        coded = turn % 2
        dut.coded_i.value = coded
        await cycles(dut.clk_i, max(FORGOTTEN, 2 * peer.period))
        assert peer.seen() == ((0, 1) if coded else (1, 0))
        await cycles(dut.clk_i, peer.random.randrange(300))


async def rises(pin):
    await RisingEdge(pin)


@cocotb.test()
async def false_alarms(dut):
    """Noise, words that repeat themselves, and the first marker without its row: neither mode is
    found."""
    peer = Peer(dut, "alarms")
    await peer.start()
    peer.dead(noise=15)
    rising = [cocotb.start_soon(rises(pin)) for pin in (dut.blocks_o, dut.markers_o)]
    await cycles(dut.clk_i, 60000)
    peer.dead()
    dut.repeat_i.value = 15
    for bits in (1, 2, 4, 8, 16):
        # Both bits of a header differ at one place at least.
        for pattern in (1, (1 << bits // 2) - 1, peer.random.getrandbits(bits)):
            # Each PCS lane has the pattern: five of them are interleaved.
            lane = sum(pattern << at for at in range(0, 16, bits)) & 0xFFFF
            word = sum((lane >> at & 1) * 31 << 5 * at for at in range(16))
            dut.pattern_i.value = word
            await cycles(dut.clk_i, 2000)
    for inverted in (0, 15):
        dut.invert_i.value = inverted
        dut.pattern_i.value = 0xDE973E002168C1 << peer.random.randrange(16)
        await cycles(dut.clk_i, 1000)
    assert not any(task.done() for task in rising)
    assert peer.seen() == (0, 0)


def simulate(period, tests=None):
    sources = [
        *rtl("prim", "axis", "line", "eth", "rsfec", "pcs"),
        pathlib.Path(__file__).with_name("pcs_peer_bench.sv"),
    ]
    build_and_run("pcs_peer_bench", sources, {"Period": period}, __name__, testcase=tests)


def test_pcs_peer():
    simulate(64)


@pytest.mark.long
def test_pcs_peer_standard():
    """The distance of markers that the standard has: both modes within one period."""
    simulate(16384, ["within_a_period", "dead_lanes"])
