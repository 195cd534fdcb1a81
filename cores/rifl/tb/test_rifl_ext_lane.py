# SPDX-License-Identifier: Apache-2.0
"""A lane in an open session: what its own announcements say, and what it does with the peer's
asks, frame by frame."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import ROOT, build_and_run, cycles, rng, rtl, start_clock

IDS = 64  # 2^IdWidth
UP = 2
# Of an announcement, from the top; the sequence in place of the capabilities.
FIELDS = {
    "version": 4, "phase": 2, "session": 16, "echo": 16, "lane": 3, "ping": 1, "pong": 1, "stop": 1, "stop_seen": 1,
    "has_sequence": 1, "ask": 1, "ask_n": 4, "wanted": 12, "answered": 4, "next": 12, "zero": 1,
}  # fmt: skip
# An announcement of the peer is through the crossing within this many clocks.
CROSSED = 8


def packed(said):
    word = 0
    for name, width in FIELDS.items():
        assert 0 <= said[name] < 1 << width, name
        word = word << width | said[name]
    return word


def parsed(word):
    said = {}
    for name, width in reversed(FIELDS.items()):
        said[name] = word & ((1 << width) - 1)
        word >>= width
    return said


class Lane:
    """The lane, its receiver and its peer; every clock is a frame and is compared."""

    def __init__(self, dut):
        self.dut, self.random = dut, rng("ext_lane")
        self.session, self.partner = (self.random.getrandbits(16) | 1 for _ in range(2))
        self.inputs = {
            "err": 0, "alive": 1, "ask_toggle": 0, "ask_n": 0, "wanted": 0, "fresh": 0, "steady": 1, "stop": 0,
            "user_valid": 0, "announced": 0,
        }  # fmt: skip
        self.head = self.next = self.safe = 0
        self.answered = 0
        self.follows = False  # `safe` follows the line a round trip later
        self.peer_stop = False
        # As the own announcements have them: a clock behind the inputs.
        self.asking, self.incident = False, (0, 0)
        self.before = dict(self.inputs)
        self.served = self.foreign = 0
        self.asked = None  # (number, id) of the peer's ask that is under way
        self.ping = self.controls = 0

    async def start(self):
        dut = self.dut
        start_clock(dut.clk_i, 1000)
        self.drive()
        dut.session_i.value, dut.partner_i.value = self.session, self.partner
        dut.announcement_i.value = dut.open_i.value = 0
        dut.rst_i.value = 1
        await cycles(dut.clk_i, 4)
        dut.rst_i.value = 0
        await cycles(dut.clk_i, 10)
        dut.open_i.value = 1
        await self.clocks(10)

    def drive(self):
        for name, value in self.inputs.items():
            getattr(self.dut, f"{name}_i").value = int(value)

    async def clocks(self, count):
        for _ in range(count):
            await self.clock()

    async def clock(self):
        self.drive()
        dut, now = self.dut, self.inputs
        await FallingEdge(dut.clk_i)
        control, user, frame = (
            int(getattr(dut, f"sent_{name}_o").value) for name in ("control", "user", "id")
        )
        assert frame == self.next % IDS
        self.peer_stop = bool(int(dut.peer_stop_o.value))
        if control:
            self.compare(parsed(int(dut.said_o.value)))
        else:
            assert user == (self.next == self.head), "new frames behind the last one only"
            room = self.follows or self.head - self.safe < IDS - 1
            assert not user or (now["user_valid"] and room)
            assert not (user and self.peer_stop)
            self.next += 1
            self.head = max(self.head, self.next)
        if int(dut.served_o.value):
            assert self.asked, "served without an ask"
            self.answered, self.next = self.asked
            self.safe, self.asked = self.next, None
            self.served += 1
        self.foreign += int(dut.foreign_o.value)
        await RisingEdge(dut.clk_i)
        silent = not now["alive"]
        self.asking = bool(now["err"] or silent)
        if now["ask_toggle"] != self.before["ask_toggle"]:
            self.incident = now["ask_n"], now["wanted"]
        self.before = dict(now)

    def compare(self, said):
        wanted = {
            "version": 3, "phase": UP, "session": self.session, "echo": self.partner, "lane": 0, "stop": self.inputs["stop"],
            "stop_seen": self.peer_stop, "has_sequence": 1, "ask": self.asking, "ask_n": self.incident[0],
            "wanted": self.incident[1], "answered": self.answered, "next": self.next % IDS, "zero": 0,
            "pong": 0,
        }  # fmt: skip
        different = {
            name: (said[name], int(value)) for name, value in wanted.items() if said[name] != value
        }
        assert not different, f"said, wanted: {different}"
        self.ping = said["ping"]
        self.controls += 1

    async def incident_here(self):
        """The receiver misses a frame: number and place stand before its flag moves."""
        now = self.inputs
        now["ask_n"] = (now["ask_n"] + 1) % 16
        now["wanted"] = self.random.randrange(IDS)
        await self.clocks(3)
        now["err"], now["ask_toggle"] = 1, not now["ask_toggle"]
        before = self.controls
        await self.clocks(3)
        assert self.controls > before, "said at once"
        assert self.incident == (now["ask_n"], now["wanted"])

    async def peer(self, **said):
        """An announcement of the peer; what it asks is expected to be served unless it names a
        served number."""
        answer = {
            "version": 3, "phase": UP, "session": self.partner, "echo": self.session, "lane": 0, "ping": 0,
            "pong": self.ping, "stop": int(self.peer_stop), "stop_seen": self.inputs["stop"], "has_sequence": 1, "ask": 0,
            "ask_n": 0, "wanted": 0, "answered": 0, "next": 0, "zero": 0,
        } | said  # fmt: skip
        self.dut.announcement_i.value = packed(answer)
        self.inputs["announced"] = 1
        await self.clock()
        self.inputs["announced"] = 0
        self.dut.announcement_i.value = self.random.getrandbits(len(self.dut.announcement_i))
        await self.clocks(CROSSED)

    async def asks(self, place, number=None):
        """An ask of the peer for the frame `place`, which the lane still has."""
        number = (self.answered + 1) % 16 if number is None else number
        self.asked = number, place
        await self.peer(ask=1, ask_n=number, wanted=place % IDS)
        assert self.asked is None, "not served"


@cocotb.test()
async def asks_have_the_number_of_their_incident(dut):
    """In every frame from the incident on, also where a control frame leaves at that very time."""
    lane = Lane(dut)
    await lane.start()
    random = lane.random
    for turn in range(60):
        lane.inputs["user_valid"] = int(turn % 3 == 2)
        await lane.incident_here()
        await lane.clocks(random.randrange(12))
        if random.random() < 0.5:
            lane.inputs["err"] = 0
            await lane.clocks(random.randrange(6))
        await lane.asks(random.randint(max(lane.safe, lane.head - 8), lane.head))


@cocotb.test()
async def a_clock_that_stands_still_repeats_the_last_ask(dut):
    lane = Lane(dut)
    await lane.start()
    await lane.incident_here()
    lane.inputs.update(err=0, user_valid=1)
    await lane.clocks(20)
    for _ in range(20):
        await lane.asks(lane.head)
        lane.inputs["alive"] = 0
        before = lane.controls
        await lane.clocks(3)
        assert lane.controls > before
        await lane.clocks(lane.random.randrange(12))
        lane.inputs["alive"] = 1
        await lane.clocks(lane.random.randrange(3, 20))


@cocotb.test()
async def what_is_asked_for_comes_again(dut):
    """From the frame that is wanted on, behind a control frame that names it; a number is served
    once."""
    lane = Lane(dut)
    await lane.start()
    random = lane.random
    for _ in range(120):
        lane.inputs["user_valid"] = int(random.random() < 0.8)
        await lane.clocks(random.randrange(30))
        await lane.asks(random.randint(lane.safe, lane.head))
        if random.random() < 0.3:
            await lane.clocks(random.randrange(10))
            await lane.peer(ask=1, ask_n=lane.answered, wanted=random.randrange(IDS))
        if random.random() < 0.3:
            # Of another session, by one bit: nothing is taken from it.
            field, width = random.choice((("session", 16), ("echo", 16), ("lane", 3)))
            own = {"session": lane.partner, "echo": lane.session, "lane": 0}[field]
            served = lane.served
            await lane.peer(
                ask=1, ask_n=(lane.answered + 1) % 16, wanted=lane.head % IDS, **{field: own ^ 1 << random.randrange(width)}
            )  # fmt: skip
            await lane.peer()
            assert lane.served == served
    assert not lane.foreign
    # Without an ask the window fills, and no more is taken.
    lane.inputs["user_valid"] = 1
    await lane.clocks(3 * IDS)
    assert lane.head - lane.safe == IDS - 1


@cocotb.test()
@cocotb.parametrize(wrong=["behind", "before", "wide", "zero"])
async def an_ask_that_cannot_be_ends_the_session(dut, wrong):
    """The second in a row; one alone may be a damaged frame."""
    lane = Lane(dut)
    await lane.start()
    random = lane.random
    for _ in range(12):
        lane.inputs["user_valid"] = 1
        await lane.clocks(random.randrange(20, 40))
        lane.inputs["user_valid"] = 0
        # Room in the circle of numbers for ids that are neither kept nor the next one.
        await lane.asks(random.randint(max(lane.safe + 1, lane.head - 40), lane.head - 1))
        await lane.clocks(IDS)
        said = {"ask": 1, "ask_n": (lane.answered + 1) % 16, "wanted": lane.next % IDS}
        if wrong == "behind":
            said["wanted"] = (lane.head + random.randint(1, 8)) % IDS
        elif wrong == "before":
            said["wanted"] = (lane.safe - random.randint(1, 8)) % IDS
        elif wrong == "wide":
            said["wanted"] |= 1 << random.randrange(6, 12)
        else:
            said["zero"] = 1
        for _ in range(3):  # single ones
            await lane.peer(**said)
            await lane.peer()
        assert not lane.foreign
        await lane.peer(**said)
        assert not lane.foreign
        await lane.peer(**said)
        assert lane.foreign == 1
        lane.foreign = 0
        await lane.peer()


@cocotb.test()
async def the_peer_stops_new_frames(dut):
    """And only them; every change is answered in a control frame."""
    lane = Lane(dut)
    await lane.start()
    lane.inputs["user_valid"] = 1
    for _ in range(40):
        await lane.clocks(lane.random.randrange(20))
        await lane.asks(lane.head)
        await lane.peer(stop=1)
        assert lane.peer_stop
        head = lane.head
        await lane.asks(lane.random.randint(lane.safe, lane.head))
        await lane.clocks(12)
        assert lane.head == head and lane.next == head
        await lane.peer(stop=0)
        assert not lane.peer_stop


@cocotb.test()
async def the_round_trip_is_measured_beside_data(dut):
    """Whenever the peer's frames follow each other again: the ping leaves at once, and with its
    answer the window moves on without an ask."""
    lane = Lane(dut)
    await lane.start()
    for turn in range(20):
        lane.inputs.update(fresh=0, steady=0, user_valid=1)
        await lane.clocks(lane.random.randrange(1, 20))
        # An ask has a ping of its own: answered.
        await lane.asks(lane.head)
        lane.follows = False
        await lane.peer()
        await lane.clocks(4)
        ping, controls = lane.ping, lane.controls
        lane.inputs["steady"] = 1
        await lane.clocks(4)
        assert (lane.ping, lane.controls) == (1 - ping, controls + 1), turn
        # Served, unanswered: no more than a window.
        if turn % 2:
            await lane.clocks(2 * IDS)
            assert lane.head - lane.safe == IDS - 1
            await lane.peer()  # too late: there is another ping
        await lane.peer()
        lane.inputs["fresh"] = 1
        lane.follows = True
        head = lane.head
        await lane.clocks(4 * IDS)
        assert lane.head - head >= 3 * IDS


def test_rifl_ext_lane():
    build_and_run(
        toplevel="rifl_ext_lane_end",
        sources=[
            *rtl("prim", "axis", "line", "rifl"),
            ROOT / "cores/rifl/tb/rifl_ext_lane_end.sv",
        ],
        test_module="test_rifl_ext_lane",
    )
