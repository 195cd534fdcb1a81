# SPDX-License-Identifier: Apache-2.0
"""Sessions of the extended mode as the registers show them: agreement, resets of one end, peers that do not fit or announce nothing."""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotb.utils import get_sim_time
from link_bench import HALF
from registers import REGISTERS
from scoreboard import Scoreboard
from shell_bench import AXIL, Ends
from tb_common import build_and_run, params, rtl

HERE = Path(__file__).resolve().parent
OTHER = {"a": "b", "b": "a"}
VERSION = 3  # of the extended mode


def values(path, field):
    """The enumeration of a field, by name."""
    return {m.name: m.value for m in REGISTERS[path].get_child_by_name(field).get_property("encode")}  # fmt: skip


STATE = values("observe.session", "state")
REASON = values("observe.session", "reason")
LINK = values("observe.link", "reason")


class Direction(Scoreboard):
    """Packets of one end to the other."""

    def __init__(self, ends, end):
        super().__init__()
        self.ends, self.rng = ends, ends.rng
        self.source, self.sink = ends.source[end], ends.sink[OTHER[end]]

    def may_lose(self):
        return self.ends.resets > 0


class SessionEnds(Ends):
    """Two ends whose sessions end."""

    resets = 0

    async def start(self, **kwargs):
        await super().start(**kwargs)
        self.traffic = {end: Direction(self, end) for end in "ab"}
        for direction in self.traffic.values():
            cocotb.start_soon(direction.judge())

    async def session(self, end):
        """All fields of the register, of one moment."""
        word = await self.regs[end].read("observe.session")
        fields = REGISTERS["observe.session"].fields()
        return {f.inst_name: word >> f.low & (1 << f.width) - 1 for f in fields}

    async def reset(self, *which, **settings):
        """Resets ends by their registers, as shortly as can be, and changes the mode meanwhile."""
        for end in which:
            await self.control(end, reset=1)
        self.resets += 1
        for end in which:
            self.extended[end] = settings.get(f"extended_{end}", self.extended[end])
            await self.control(end, reset=1)
            await self.control(end)
        for end in which:
            while await self.regs[end].field("status", "reset_active"):
                await Timer(10 * AXIL, "ps")

    async def drain(self, limit=20000):
        for _ in range(limit):
            await ClockCycles(self.dut.a_frame_clk_i, 1)
            if all(d.next == len(d.sent) for d in self.traffic.values()):
                return
        raise AssertionError([f"{d.next} of {len(d.sent)} packets" for d in self.traffic.values()])


async def in_agreement(ends):
    """Both ends show the same session, and each the parameters of the other."""
    given = params()
    seen = {end: await ends.session(end) for end in "ab"}
    trips = []
    for end, other in OTHER.items():
        regs, mine = ends.regs[end], seen[end]
        assert mine["state"] == STATE["up"] and mine["reason"] == REASON["none"]
        assert mine["own_number"] == seen[other]["peer_number"] != 0
        assert mine["own_number"] != mine["peer_number"]
        assert await regs.field("observe.link", "reason") == LINK["up"]
        groups = given["FrameWidth"] * ends.lanes // given["UserWidth"]
        expected = {
            "version": VERSION,
            "lanes": ends.lanes.bit_length() - 1,
            "frame_width": (given["FrameWidth"] // 128).bit_length() - 1,
            "groups": groups.bit_length() - 1,
            "id_width": given["IdWidth"],
            "strong_code": 0,
            "rate": given[f"Rate{other.upper()}"],
        }
        for name, value in expected.items():
            assert await regs.field("observe.peer", name) == value, name
        for lane in range(ends.lanes):
            trips.append(await regs.field(f"observe.lane[{lane}].status", "round_trip"))
    # Nine frames are added to what the two pipelines take, and the wait for a control frame is at
    # most four.
    assert min(trips) >= 9 + 4 and max(trips) <= 9 + 20, trips
    return seen


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def agreement(dut):
    """State, numbers, capabilities, round trip; what a session has learnt outlives a broken cable."""
    ends = SessionEnds(dut, "agreement")
    await ends.start()
    await ends.settle()
    before = await in_agreement(ends)
    for direction in ends.traffic.values():
        direction.send(20)
    await ends.drain()
    dut.break_i.value = (1 << ends.lanes) - 1
    await Timer(400 * HALF * ends.words, "ps")
    for end, regs in ends.regs.items():
        assert await regs.field("observe.link", "up") == 0
        session = await ends.session(end)
        assert session["state"] == STATE["up"] and session["reason"] == REASON["none"]
    for direction in ends.traffic.values():
        direction.send(5)
    dut.break_i.value = 0
    await ends.wait_up()
    await ends.drain()
    await ends.settle()
    assert await in_agreement(ends) == before, "a broken cable ends no session"
    for regs in ends.regs.values():
        assert await regs.read("observe.sessions") == 1
        assert await regs.read("observe.link_ups") == 2
        assert await regs.read("observe.tx_aborts") == await regs.read("observe.rx_aborts") == 0
    for direction in ends.traffic.values():
        assert direction.delivered == 25 and direction.aborted == 0


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def reset_of_one_end(dut):
    """In the middle of traffic: cut packets end with TUSER and are counted at both sides, and the session is a new one."""
    ends = SessionEnds(dut, "one_end")
    await ends.start()
    await ends.clear()
    rounds, numbers = 6, set()
    for index in range(rounds):
        for regs in ends.regs.values():
            await regs.write("events", session=1, abort=1)
        victim = "ab"[index % 2]
        # Long packets, so that it is nearly always in the middle of one.
        for direction in ends.traffic.values():
            direction.send(3, size=6000)
        await Timer(ends.rng.randint(100, 1000) * HALF, "ps")
        aborted = [d.aborted for d in ends.traffic.values()]
        await ends.reset(victim)
        for direction in ends.traffic.values():
            direction.send(2)
        await ends.wait_up()
        await ends.settle()
        for regs in ends.regs.values():
            assert await regs.field("events", "session") == 1
        if [d.aborted for d in ends.traffic.values()] != aborted:
            cut = [await regs.field("events", "abort") for regs in ends.regs.values()]
            assert 1 in cut
        seen = await in_agreement(ends)
        numbers.add(seen[victim]["own_number"])
    # What was handed over before the other end had noticed the last reset went with the old
    # session: something behind it shows that.
    for direction in ends.traffic.values():
        direction.send(1)
    await ends.drain()
    await ends.settle()
    assert len(numbers) > 1
    for end, regs in ends.regs.items():
        assert await regs.read("observe.sessions") == rounds, "one session after each reset"
        mine, theirs = ends.traffic[end], ends.traffic[OTHER[end]]
        assert await regs.read("observe.rx_aborts") == theirs.aborted
        # The beat that ends a cut packet ends it for the counter of packets, too.
        assert await regs.read("observe.rx_packets") == theirs.delivered + theirs.aborted
        assert await regs.read("observe.tx_packets") == len(mine.sent)
        # What is cut here has not been handed over in whole, so the peer cannot have delivered it.
        cut = await regs.read("observe.tx_aborts")
        assert 0 < cut <= len(mine.sent) - mine.delivered
        assert theirs.aborted > 0, "no packet was cut at its receiver"


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def peer_that_announces_nothing(dut):
    """The published protocol runs and says so; a session follows when the peer is told to use the extended mode again."""
    ends = SessionEnds(dut, "plain")
    await ends.start()
    await ends.clear()
    await ends.reset("b", extended_b=0)
    await ends.wait_up()
    await ends.settle()
    for end, state in (("a", "compatible"), ("b", "absent")):
        session = await ends.session(end)
        assert session["state"] == STATE[state]
        assert session["reason"] == REASON["published"]
        # A says that it could do more, and B, which may not, shows it.
        regs, heard = ends.regs[end], end == "b"
        assert session["peer_reason"] == REASON["published" if heard else "none"]
        assert (session["peer_number"] != 0) == heard
        assert await regs.field("observe.peer", "version") == VERSION * heard
        assert await regs.field("observe.lane[0].status", "round_trip") == 0
        assert await regs.field("observe.link", "reason") == LINK["up"]
        assert await regs.read("observe.sessions") == 0
    for direction in ends.traffic.values():
        direction.send(20)
    await ends.drain()
    await ends.reset("a", "b", extended_b=1)
    await ends.wait_up()
    await ends.settle()
    await in_agreement(ends)
    for direction in ends.traffic.values():
        direction.send(20)
    await ends.drain()
    for end, regs in ends.regs.items():
        assert await regs.read("observe.sessions") == 1
        assert ends.traffic[end].delivered == 40


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def does_not_fit(dut):
    """Both ends refuse and name the difference; told to use the published protocol, they cannot see it."""
    ends = SessionEnds(dut, "misfit")
    await ends.start(up=False)
    for direction in ends.traffic.values():
        direction.send(1)
    await Timer(2000 * 2 * HALF * ends.words, "ps")
    for end, regs in ends.regs.items():
        session = await ends.session(end)
        assert session["state"] == STATE["refused"]
        assert session["reason"] == session["peer_reason"] == REASON["rate"]
        assert session["own_number"] != 0 and session["peer_number"] != 0
        assert await regs.field("observe.peer", "rate") == params()[f"Rate{OTHER[end].upper()}"]
        assert await regs.field("observe.link", "up") == 0
        assert await regs.field("observe.link", "reason") == LINK["session"]
        assert await regs.field("status", "link_up") == 0
        assert await regs.read("observe.sessions") == 0
        assert ends.traffic[end].delivered == 0
    await ends.reset("a", "b", extended_a=0, extended_b=0)
    await ends.wait_up()
    for direction in ends.traffic.values():
        direction.send(10)
    await ends.drain()


async def transit(ends, direction):
    """Mean time that a short packet takes on a quiet line, in frame times.

    Jitter moves each by a line word, half a frame. The difference of two means of 64 has a deviation of 0.044 frames.
    """
    count, total = 64, 0
    for _ in range(count):
        await ClockCycles(ends.dut.a_frame_clk_i, 50)
        start = get_sim_time("ps")
        direction.send(1, 0)
        while direction.next != len(direction.sent):
            await RisingEdge(ends.dut.b_phy_clk_i)
        total += get_sim_time("ps") - start
    return total / count / (2 * HALF * ends.words)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def delayed_release(dut):
    """The register turns it on and off; what it costs shows that it did, in the direction to that end: one frame and a
    clock of the line word, for a control frame is judged a clock late, rounded up by the frame clock."""
    ends = SessionEnds(dut, "release")
    await ends.start()
    await ends.settle()
    assert await ends.regs["b"].field("parameters", "delayed_release") == 1
    to_a, to_b = ends.traffic["b"], ends.traffic["a"]
    before = [await transit(ends, to_a), await transit(ends, to_b)]
    for on in (1, 0):
        await ends.control("b", delayed_release=on)
        assert await ends.regs["b"].field("control", "delayed_release") == on
        now = [await transit(ends, to_a), await transit(ends, to_b)]
        assert abs(now[0] - before[0]) < 0.2 and on - 0.2 < now[1] - before[1] < 2.2 * on + 0.2, (
            before,
            now,
        )


@pytest.mark.parametrize(
    ("rate_b", "testcase"),
    [(2800, "agreement|reset_of|announces|delayed_release"), (2500, "does_not_fit")],
)
def test_rifl_shell_session(rate_b, testcase):
    build_and_run(
        toplevel="rifl_shell_pair",
        sources=[*rtl("prim", "axis", "line", "rifl"), HERE / "rifl_shell_pair.sv"],
        parameters={
            "Lanes": 2,
            "FrameWidth": 128,
            "UserWidth": 128,
            "IdWidth": 6,
            "OffsetWindow": 8,
            "RateA": 2800,
            "RateB": rate_b,
            "DelayedRelease": 1,
        },
        test_module="test_rifl_shell_session",
        test_filter=testcase,
        sync_jitter=True,
    )
