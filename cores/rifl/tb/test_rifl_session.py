# SPDX-License-Identifier: Apache-2.0
"""Sessions of the extended mode: what happens when ends do not fit, start over, or are connected in another way.

Every packet carries its number, so that the scoreboard knows what was delivered, what was cut (TLAST with TUSER) and
what is missing; missing packets are allowed only where a session has ended in between.
"""

import os
import random
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamSink, AxiStreamSource
from link_bench import HALF, clocks, stream
from scoreboard import Scoreboard
from tb_common import build_and_run, params, rtl

HERE = Path(__file__).resolve().parent
HELLO, READY, UP, REFUSED = range(4)
(
    NONE, NO_SIGNAL, NO_PEER, FRAME_WIDTH, ID_WIDTH, LANES, LANE_ORDER, USER_WIDTH, RATE, ROUND_TRIP, PEERS,
    PEER_REFUSES, PUBLISHED, STRONG_CODE,
) = range(14)  # fmt: skip


class Back(Scoreboard):
    """Traffic from B to A."""

    def __init__(self, ends):
        super().__init__()
        self.ends, self.rng = ends, ends.rng

    def may_lose(self):
        return bool(self.ends.ended["b"] + self.ends.resets)


class Ends(Scoreboard):
    """Both ends; traffic from A to B with a scoreboard, and back with another."""

    def __init__(self, dut):
        super().__init__()
        self.dut = dut
        self.rng = random.Random(int(os.environ["SEED"]))
        self.words = params().get("FrameWidth", 128) // 64
        self.every = (1 << params().get("Lanes", 2)) - 1  # bits of all lanes
        self.resets = 0
        self.ended = {"a": 0, "b": 0}
        self.cut = {"a_tx": 0, "b_rx": 0}

    async def start(self, up=True, **inputs):
        dut = self.dut
        given = {"delay_i": 4, "a_extended_i": 1, "b_extended_i": 1, **inputs}
        names = (
            "delay_i", "swap_i", "a_cut_i", "b_cut_i", "stuck_i", "error_i", "garble_i", "flip_i", "known_i", "delayed_i", "a_extended_i", "b_extended_i", "a_restart_i",
            "b_restart_i", "a_s_axis_tvalid", "b_s_axis_tvalid", "a_m_axis_tready", "b_m_axis_tready",
        )  # fmt: skip
        for name in names:
            getattr(dut, name).value = given.get(name, 0)
        resets = (dut.a_rst_i, dut.b_rst_i, dut.user_rst_i)
        for level in (0, 1):
            for rst in resets:
                rst.value = level
            await Timer(HALF, "ps")
        user = params().get("UserWidthA", 256) // (64 * params().get("Lanes", 2))
        cocotb.start_soon(
            clocks(dut.phy_clk_i, ((dut.frame_clk_i, self.words), (dut.user_clk_i, user)), HALF)
        )
        # The sources live on through a reset of the link: users that are not reset are the
        # interesting ones.
        self.source = AxiStreamSource(stream(dut, "a_s_axis"), dut.user_clk_i)
        self.sink = AxiStreamSink(stream(dut, "b_m_axis"), dut.user_clk_i)
        self.back = Back(self)
        self.back.source = AxiStreamSource(stream(dut, "b_s_axis"), dut.user_clk_i)
        self.back.sink = AxiStreamSink(stream(dut, "a_m_axis"), dut.user_clk_i)
        await self.frames(40)
        cocotb.start_soon(self.count())
        cocotb.start_soon(self.judge())
        cocotb.start_soon(self.back.judge())
        for rst in resets:
            rst.value = 0
        if up:
            await self.wait_up()

    async def frames(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.frame_clk_i)

    async def wait_up(self, limit=6000):
        for _ in range(limit):
            await RisingEdge(self.dut.frame_clk_i)
            if self.dut.a_link_up_o.value == 1 and self.dut.b_link_up_o.value == 1:
                return
        raise AssertionError(f"not up: reasons {self.reasons()}")

    def reasons(self):
        return int(self.dut.a_reason_o.value), int(self.dut.b_reason_o.value)

    async def count(self):
        """Ended sessions and cut packets as the status outputs tell them."""
        before = {}
        while True:
            await RisingEdge(self.dut.user_clk_i)
            for key, name in (
                ("a", "a_ended_o"), ("b", "b_ended_o"), ("a_tx", "a_tx_cut_o"), ("b_rx", "b_rx_cut_o"),
            ):  # fmt: skip
                now = int(getattr(self.dut, name).value)
                if now and not before.get(key):
                    counts = self.ended if key in self.ended else self.cut
                    counts[key] += 1
                before[key] = now

    def may_lose(self):
        return bool(self.ended["a"] + self.resets)

    def send(self, count, size=300, back=True):
        """Half as many the other way."""
        super().send(count, size)
        if back:
            self.back.send((count + 1) // 2, size)

    async def drain(self, limit=20000):
        """Until everything that was handed over has come out."""
        ways = (self, self.back)
        for _ in range(limit):
            await RisingEdge(self.dut.frame_clk_i)
            if all(way.next == len(way.sent) for way in ways):
                return
        told = ", ".join(f"{way.next} of {len(way.sent)} packets" for way in ways)
        raise AssertionError(f"{told}, reasons {self.reasons()}")

    def whole(self):
        """Everything was delivered, both ways."""
        return all(way.delivered == len(way.sent) for way in (self, self.back))

    def peers(self):
        """What each end says of its peer's reason."""
        return int(self.dut.a_peer_reason_o.value), int(self.dut.b_peer_reason_o.value)

    async def reset(self, end, frames=60):
        rst = getattr(self.dut, f"{end}_rst_i")
        rst.value = 1
        self.resets += 1
        await self.frames(frames)
        rst.value = 0


@cocotb.test()
async def comes_up_and_measures(dut):
    """The round trip of each lane, at either end, grows with the cable by what the cable adds. (Data keep a peer's answer
    waiting: then it is longer.)"""
    ends = Ends(dut)
    await ends.start()
    assert ends.reasons() == (NONE, NONE)
    assert int(dut.a_phase_o.value) == int(dut.b_phase_o.value) == UP
    count = len(dut.round_trip_o) // 12
    short = None
    for added in (0, 3, 8, 16, 17, 1):  # frames each way
        dut.delay_i.value = 4 + added * ends.words
        # Both directions slip by whole frames: errors, which are followed by new measurements.
        await ends.frames(400)
        trips = int(dut.round_trip_o.value)
        trips = [trips >> 12 * i & 0xFFF for i in range(count)]
        short = short or trips
        assert all(
            abs(now - first - 2 * added) <= 1 for now, first in zip(trips, short, strict=True)
        ), (added, trips, short)
        ends.send(20)
        await ends.drain()
    assert ends.ended == {"a": 0, "b": 0}, "a longer cable ends no session"


@cocotb.test()
@cocotb.parametrize(victim=["a", "b"])
async def reset_of_one_end(dut, victim):
    """In the middle of traffic, at any moment: cut visibly, never stale, never joined, and up again."""
    ends = Ends(dut)
    await ends.start()
    for _ in range(6):
        ends.send(12)
        await Timer(ends.rng.randint(1, 400) * HALF, "ps")
        await ends.reset(victim)
        ends.send(4)
        await ends.wait_up()
    ends.send(6)
    await ends.drain()
    assert ends.ended["b" if victim == "a" else "a"] == 6
    assert ends.delivered > 6


@cocotb.test()
async def restart_by_register(dut):
    ends = Ends(dut)
    await ends.start()
    numbers = {int(dut.a_session_o.value)}
    for _ in range(4):
        ends.send(10)
        await ends.frames(ends.rng.randint(5, 60))
        dut.a_restart_i.value = 1
        await ends.frames(1)
        dut.a_restart_i.value = 0
        await ends.frames(3)
        await ends.wait_up()
        numbers.add(int(dut.a_session_o.value))
    ends.send(2)
    await ends.drain()
    assert ends.ended == {"a": 4, "b": 4} and len(numbers) == 5
    assert ends.cut["b_rx"] == ends.aborted


@cocotb.test()
@cocotb.parametrize(stuck=["zeros", "ones", "alternating", "word"])
async def cut_cable(dut, stuck):
    """Without a reset nothing is lost, whatever the line shows meanwhile."""
    ends = Ends(dut)
    await ends.start()
    words = {"zeros": 0, "ones": 2**64 - 1, "alternating": 0xAAAA_AAAA_AAAA_AAAA}
    dut.stuck_i.value = words.get(stuck, ends.rng.getrandbits(64))
    for _ in range(3):
        ends.send(20)
        await Timer(ends.rng.randint(1, 300) * HALF, "ps")
        both = ends.rng.randint(1, 3)
        dut.a_cut_i.value = ends.every * (both & 1)
        dut.b_cut_i.value = ends.every * (both >> 1)
        await ends.frames(ends.rng.randint(1, 500))
        dut.a_cut_i.value = dut.b_cut_i.value = 0
    await ends.drain()
    assert ends.whole() and ends.ended == {"a": 0, "b": 0}


@cocotb.test()
@cocotb.parametrize(way=["a", "b"], lane=[0, 1])
async def a_lane_alone_is_cut(dut, way, lane):
    """The link does not come up without one lane of one way, only with all of them.

    Cut later, for times of any length, nothing is lost.
    """
    ends = Ends(dut)
    cut = getattr(dut, f"{way}_cut_i")
    await ends.start(up=False, **{f"{way}_cut_i": 1 << lane})
    await ends.frames(3000)
    assert dut.a_link_up_o.value == 0 and dut.b_link_up_o.value == 0
    assert UP not in (int(dut.a_phase_o.value), int(dut.b_phase_o.value))
    cut.value = 0
    await ends.wait_up()
    for _ in range(5):
        ends.send(20)
        await Timer(ends.rng.randint(1, 300) * HALF, "ps")
        cut.value = 1 << lane
        await ends.frames(ends.rng.choice((1, ends.rng.randint(1, 500))))
        cut.value = 0
    await ends.drain()
    assert ends.whole() and ends.ended == {"a": 0, "b": 0}


@cocotb.test()
async def lanes_exchanged_while_up(dut):
    """The session ends, the link refuses to go on like this, and comes back when they are right again."""
    ends = Ends(dut)
    await ends.start()
    ends.send(30)
    await ends.frames(60)
    dut.swap_i.value = 1
    await ends.frames(2500)
    assert dut.a_link_up_o.value == 0 and dut.b_link_up_o.value == 0
    assert LANE_ORDER in ends.reasons() and ends.ended == {"a": 1, "b": 1}
    assert ends.peers() == ends.reasons()[::-1], "each knows why the other refuses"
    dut.swap_i.value = 0
    await ends.wait_up()
    ends.send(10)
    await ends.drain()


@cocotb.test()
async def too_long_a_cable(dut):
    """Refused with a reason instead of losing what the buffer cannot repeat; accepted when it is shorter."""
    ends = Ends(dut)
    await ends.start(up=False, delay_i=64 * ends.words)  # 2^IdWidth frames each way
    await ends.frames(6000)
    assert dut.a_link_up_o.value == 0 and ROUND_TRIP in ends.reasons(), ends.reasons()
    assert ends.peers() == ends.reasons()[::-1]
    dut.delay_i.value = 10 * ends.words
    await ends.wait_up()
    ends.send(20)
    await ends.drain()


@cocotb.test()
@cocotb.parametrize(plain=["a", "b"])
async def falls_back_to_a_plain_peer(dut, plain):
    """And finds out when the peer learns the extended mode."""
    ends = Ends(dut)
    await ends.start(**{f"{plain}_extended_i": 0})
    assert ends.reasons() == (PUBLISHED, PUBLISHED)
    ends.send(20)
    await ends.drain()
    getattr(dut, f"{plain}_extended_i").value = 1
    await ends.reset(plain)
    await ends.wait_up()
    assert ends.reasons() == (NONE, NONE)
    ends.send(20)
    await ends.drain()


async def garbage(ends, bursts):
    """In the middle of traffic: a frame that is damaged so that its code still fits, and a damaged one behind it."""
    dut = ends.dut
    for _ in range(bursts):
        ends.send(12)
        await ends.frames(ends.rng.randint(40, 60))
        for _ in range(ends.rng.randint(1, ends.words)):
            await RisingEdge(dut.phy_clk_i)
        dut.garble_i.value = 1
        await RisingEdge(dut.phy_clk_i)
        dut.garble_i.value = 0
        for _ in range(ends.words - 1):
            await RisingEdge(dut.phy_clk_i)
        dut.error_i.value = 1
        await RisingEdge(dut.phy_clk_i)
        dut.error_i.value = 0
    await ends.drain()


@cocotb.test()
async def delayed_release_keeps_garbage_back(dut):
    """Nothing wrong is delivered, no session ends; it may be turned on and off at any time."""
    ends = Ends(dut)
    await ends.start(delayed_i=1)
    await garbage(ends, 40)
    ends.send(100)
    for _ in range(60):
        await ends.frames(ends.rng.randint(1, 20))
        dut.delayed_i.value = ends.rng.randint(0, 1)
        dut.error_i.value = ends.rng.randint(0, 7) == 0
        await RisingEdge(dut.phy_clk_i)
        dut.error_i.value = 0
    await ends.drain()
    assert ends.ended == {"a": 0, "b": 0} and ends.whole()


@cocotb.test(expect_fail=True)
async def release_at_once_delivers_garbage(dut):
    """The same without: a packet is delivered that was never sent."""
    ends = Ends(dut)
    await ends.start()
    await garbage(ends, 40)


@cocotb.test()
async def does_not_fit(dut):
    """Ends with different parameters name the difference and carry nothing."""
    ends = Ends(dut)
    await ends.start(up=False)
    ends.send(1)
    await ends.frames(3000)
    expected = int(os.environ["REASON"])
    assert ends.reasons() == ends.peers() == (expected, expected)
    assert int(dut.a_phase_o.value) == int(dut.b_phase_o.value) == REFUSED
    assert dut.a_link_up_o.value == 0 and ends.delivered == 0


WIDE = {"Lanes": 1, "FrameWidth": 1024, "UserWidthA": 1024, "UserWidthB": 1024}


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({}, None),
        ({"Lanes": 1, "FrameWidth": 256}, None),
        ({"DelayedRelease": 1}, None),
        ({"IdWidthB": 7}, ID_WIDTH),
        pytest.param(
            {"RateB": 2500}, RATE, marks=pytest.mark.long
        ),  # test_rifl_shell_session has it
        ({"UserWidthA": 128, "UserWidthB": 256}, USER_WIDTH),
        ({**WIDE, "StrongCodeA": 1}, STRONG_CODE),
        ({**WIDE, "StrongCodeA": 1, "StrongCodeB": 1}, None),
    ],
)
def test_rifl_session(parameters, reason):
    tests = "up_and|reset|restart|cut_cable|too_long|falls_back"
    if parameters.get("Lanes") != 1:
        tests += "|exchanged|a_lane_alone"
    if "StrongCodeA" in parameters:
        tests = "up_and|reset_of|restart|cut_cable"
    if "DelayedRelease" in parameters:
        tests = "up_and|delayed_release|release_at_once"
    build_and_run(
        toplevel="rifl_session_pair",
        sources=[
            *rtl("prim", "axis", "line", "rifl"),
            HERE / "rifl_ends.sv",
            HERE / "rifl_session_pair.sv",
        ],
        parameters=parameters,
        test_module="test_rifl_session",
        test_filter="does_not_fit" if reason else tests,
        env={"REASON": str(reason)} if reason else {},
        sync_jitter=True,
    )
