# SPDX-License-Identifier: Apache-2.0
"""Player, RIFL link with wrong bits, capture: what is played arrives as it was expected, and what differs is found."""

import sys
from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge, Timer
from tb_common import ROOT, build_and_run, cycles, registers, rng, rtl, start_clock
from traffic_bench import AXIL, REGISTERS, Beat, Orders, packets_of, random_beats

sys.path.append(str(ROOT / "cores/rifl/tb"))
from link_bench import HALF, clocks

BYTES, DEPTH = 32, 64


class LinkBench(Orders):
    """The core at both ends of a link."""

    def __init__(self, dut, random):
        super().__init__(dut, random, BYTES)
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
            getattr(dut, f"s_axil_{name}").value = 0
        dut.error_i.value = dut.arst_i.value = 0
        self.errors = 0

    async def start(self):
        dut = self.dut
        await Timer(HALF, "ps")
        dut.arst_i.value = 1
        await Timer(HALF, "ps")
        cocotb.start_soon(clocks(dut.phy_clk_i, ((dut.user_clk_i, 4),), HALF))
        start_clock(dut.axil_clk_i, AXIL)
        await Timer(400 * HALF, "ps")
        self.regs = registers.Registers(REGISTERS, dut, "s_axil", dut.axil_clk_i, dut.arst_i)
        dut.arst_i.value = 0
        await RisingEdge(dut.link_up_o)
        await self.regs.forget_events()

    async def disturb(self, rate):
        """Flips a bit of a word at once, and of one now and then."""
        while True:
            await RisingEdge(self.dut.phy_clk_i)
            wrong = self.errors == 0 or self.random.random() < rate
            self.errors += wrong
            self.dut.error_i.value = 1 << self.random.randrange(64) if wrong else 0


def joined(beats):
    """The beats that a link makes of packets: it joins nothing and splits nothing that is full but for the last."""
    return [
        Beat(packet[k : k + BYTES], k + BYTES >= len(packet))
        for packet in packets_of(beats)
        for k in range(0, len(packet), BYTES)
    ]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def what_is_played_arrives(dut):
    """Runs of random packets over a line with wrong bits: no difference; one other beat expected, and it is found at its index; what is recorded is what was played, later."""
    bench = LinkBench(dut, rng("link"))
    await bench.start()
    random, regs = bench.random, bench.regs
    beats = [replace(b, data=b.data or b"e") for b in random_beats(random, BYTES, 25, DEPTH - 1)]
    assert joined(beats) == [replace(b, cycles=0, at=False) for b in beats]
    await bench.load(beats)
    noise = cocotb.start_soon(bench.disturb(0.002))
    times = 20
    at = random.randrange(len(beats))
    spoilt = bytes([*beats[at].data[:-1], beats[at].data[-1] ^ 1 << random.randrange(8)])
    for expected in (
        beats,
        [replace(b, data=spoilt) if k == at else b for k, b in enumerate(beats)],
    ):
        await bench.expect(expected)
        await regs.write("expect_runs", n=times)
        await regs.write("capture", compare=1)
        await bench.start_playing(times)
        while not await regs.field("events", "play_done"):
            pass
        # The link, and replays; what is too much would come soon behind it.
        while await bench.count("capture_beats") < times * len(beats):
            pass
        await cycles(dut.user_clk_i, 100)
        assert await bench.count("capture_beats") == times * len(beats)
        assert await bench.count("capture_packets") == times * sum(b.last for b in beats)
        wrong = expected is not beats
        assert await bench.count("capture_differences") == (times if wrong else 0)
        assert await regs.field("events", "difference") == wrong
        await regs.write("capture", stop=1)
        if wrong:
            assert await bench.count("capture_first") == at
            assert (await bench.shown(DEPTH - 1)).seen() == beats[at].seen()
        await regs.forget_events()
    assert bench.errors > 0
    noise.cancel()
    dut.error_i.value = 0
    await cycles(dut.user_clk_i, 400)  # the last replay
    # The latency of the link, from what both halves say of one clock.
    await regs.write("capture", record=1)
    await bench.start_playing(1)
    await bench.until("play_done")
    while await bench.count("capture_beats") < len(beats):
        pass
    await regs.write("capture", stop=1)
    began, stamps = await bench.count("play_began"), []
    for k, beat in enumerate(beats):
        shown = await bench.shown(k)
        assert shown.seen() == beat.seen(), k
        stamps.append(shown.cycles)
    assert stamps == sorted(set(stamps))
    # The link takes a word no earlier than it was offered, and nothing holds it up.
    assert 0 < stamps[0] - began - beats[0].cycles < 60


def test_traffic_link():
    folder = ROOT / "cores"
    build_and_run(
        "traffic_link_bench",
        [
            *rtl("prim", "axis", "line", "rifl", "traffic"),
            *(folder / "rifl/tb" / f"{name}.sv" for name in ("rifl_ends", "rifl_pair")),
            folder / "traffic/tb/traffic_link_bench.sv",
        ],
        parameters={"PlayDepth": DEPTH, "CaptureDepth": DEPTH},
        test_module=__name__,
        sync_jitter=True,
    )
