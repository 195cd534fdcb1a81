# SPDX-License-Identifier: Apache-2.0
"""The receiver of a lane in extended mode against the table of its page, frame by frame.

A peer sends its frames in order and answers asks, most of the time; frames are damaged, come twice,
belong to another session, find no room; alignment is lost and sessions begin anew.
"""

import binascii
from dataclasses import dataclass

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, cycles, params, rng, rtl, start_clock

OWN, PARTNER, LANE = 0x1234, 0x9ABC, 2
RUN, PLAIN_RUN = 5, 8
KEY = 0x0001
UP = 2
# From the top.
ANNOUNCEMENT = {
    "version": 4, "phase": 2, "session": 16, "echo": 16, "lane": 3, "bits": 4, "has_sequence": 1, "ask": 1, "ask_n": 4,
    "wanted": 12, "answered": 4, "next": 12, "zero": 1,
}  # fmt: skip
EXT = {
    "announced": 1, "announcement": 80, "plain": 1, "error": 1, "ask_toggle": 1, "ask_n": 4, "wanted": 12, "fresh": 1,
    "steady": 1,
}  # fmt: skip


def packed(layout, values):
    word = 0
    for name, width in layout.items():
        word = word << width | values[name] & ((1 << width) - 1)
    return word


def parsed(layout, word):
    values = {}
    for name, width in reversed(layout.items()):
        values[name] = word & ((1 << width) - 1)
        word >>= width
    return values


@dataclass
class Frame:
    """data: a data frame; said: the announcement of a control frame, None for one without;
    neither: garbage."""

    id: int
    data: bool = False
    control: bool = False
    plausible: bool = True
    strong: bool = True  # the stronger code of a control frame fits
    said: dict | None = None
    checked: bool = True  # the check of the announcement is right
    known: bool = True  # its key is one of ours
    key: int = KEY

    def wire(self, noise):
        if self.data or not self.control:
            return noise
        if self.said is None:
            return 0
        word = packed(ANNOUNCEMENT, self.said)
        check = binascii.crc_hqx((self.key << 80 | word).to_bytes(12, "big"), 0xFFFF)
        return word << 16 | check ^ (0 if self.checked else 1 << noise % 16)

    def announces(self):
        said = self.said
        return bool(
            self.control and self.plausible and self.known and said and self.checked
            and said["version"] == 3 and (not said["has_sequence"] or (said["next"] == self.id and self.strong))
        )  # fmt: skip

    def belongs(self):
        address = [self.said[name] for name in ("session", "echo", "lane")] if self.said else []
        return self.announces() and self.strong and address == [PARTNER, OWN, LANE]


class Receiver:
    """The table, and what stands behind it."""

    def __init__(self, ids):
        self.ids = ids
        self.opened()
        self.plain = 0

    def opened(self):
        """A session begins, or none stands."""
        self.awaited = self.wanted = self.number = self.promised = self.run = self.steady = 0
        self.err = self.kept = self.lost = False
        self.toggle = 0
        self.left = self.ids - 1

    def incident(self):
        self.awaited = (self.awaited - self.kept) % self.ids
        self.wanted, self.number = self.awaited, (self.number + 1) % 16
        self.err, self.kept, self.toggle = True, False, 1 - self.toggle
        self.left = self.ids - 1

    def waits(self):
        """A frame while there is an error: the answer may have been lost."""
        if not self.left:
            self.incident()
        else:
            self.left -= 1

    def data(self, frame, room, delayed):
        """At the end of any frame; (delivered, kept, released). Control frames are judged later."""
        self.matches = frame.plausible and frame.id == self.awaited
        if self.err:
            self.waits()
            return False, False, False
        if frame.control:
            return False, False, False
        if not (frame.data and self.matches and room):
            self.incident()
            return False, False, False
        keeps, released = delayed or self.kept, self.kept
        self.awaited = (self.awaited + 1) % self.ids
        self.kept = keeps
        return not keeps, keeps, released

    def control(self, frame, room):
        """A clock later; whether a kept frame is released."""
        good = frame.belongs() and frame.id == self.before and (room or not self.kept)
        released = over = False
        if good and self.err:
            said = frame.said
            over = bool(said["has_sequence"] and said["answered"] == self.number)
            self.err = not over
        elif good:
            released, self.kept = self.kept, False
        elif not self.err:
            self.incident()
        return released, over

    def follows(self, frame, over):
        on = frame.plausible and frame.id == self.promised and (frame.data or frame.belongs())
        asks = bool(
            frame.control and frame.said and frame.said["has_sequence"] and frame.said["ask"]
        )
        self.steady = min(self.steady + 1, RUN) if on or over else 0
        self.run = min(self.run + 1, RUN) if on and not asks else 0
        if frame.plausible:
            self.promised = (frame.id + frame.data) % self.ids


class Bench:
    def __init__(self, dut):
        self.dut, self.random = dut, rng("ext_rx")
        self.ids = 1 << params()["IdWidth"]
        self.receiver = Receiver(self.ids)
        self.up, self.open, self.delayed = True, False, False
        self.said = None  # the announcement that waits to be taken
        self.next = 0  # of the peer
        self.counts = dict.fromkeys(
            ("delivered", "kept", "released", "over", "expired", "plain"), 0
        )
        self.incidents = 0

    async def start(self):
        dut = self.dut
        start_clock(dut.clk_i, 1000)
        dut.lane_i.value, dut.session_i.value, dut.peer_session_i.value = LANE, OWN, PARTNER
        self.drive(None, 0)
        dut.ready_i.value = 1
        dut.rst_i.value = 1
        await cycles(dut.clk_i, 3)
        dut.rst_i.value = 0
        await cycles(dut.clk_i, 2)

    def drive(self, frame, room):
        dut, noise = self.dut, self.random.getrandbits(96)
        dut.enable_i.value, dut.open_i.value = int(self.up), int(self.open)
        dut.delayed_i.value, dut.room_i.value = int(self.delayed), int(room)
        dut.frame_i.value = int(frame is not None)
        frame = frame or Frame(noise % self.ids, bool(noise & 1), plausible=bool(noise & 2))
        dut.frame_control_i.value = int(frame.control)
        dut.frame_data_i.value = int(frame.data)
        dut.frame_plausible_i.value = int(frame.plausible)
        dut.frame_strong_i.value = int(frame.strong)
        dut.frame_id_i.value = frame.id % self.ids
        dut.frame_key_known_i.value = int(frame.known)
        dut.frame_key_i.value = frame.key
        dut.frame_announcement_i.value = frame.wire(noise)

    async def clock(self, frame=None, room=1):
        """Drives one clock; its outputs."""
        self.drive(frame, room)
        self.ready = self.random.random() < 0.7
        self.dut.ready_i.value = int(self.ready)
        await FallingEdge(self.dut.clk_i)
        ways = tuple(
            bool(int(getattr(self.dut, f"{name}_o").value))
            for name in ("deliver", "keep", "release")
        )
        ext = parsed(EXT, int(self.dut.ext_o.value))
        await RisingEdge(self.dut.clk_i)
        return ways, ext

    def announced(self, ext, new=None):
        """The newest announcement stands until it is taken."""
        self.said = new or self.said
        assert ext["announced"] == (self.said is not None)
        if self.said is not None:
            assert ext["announcement"] == packed(ANNOUNCEMENT, self.said)
            self.said = None if self.ready else self.said

    def compare(self, ext):
        receiver = self.receiver
        wanted = {
            "error": receiver.err, "ask_toggle": receiver.toggle, "ask_n": receiver.number,
            "wanted": receiver.wanted, "fresh": receiver.run == RUN, "steady": receiver.steady == RUN,
        }  # fmt: skip
        different = {
            name: (ext[name], int(value)) for name, value in wanted.items() if ext[name] != value
        }
        assert not different, f"seen, wanted: {different}"

    async def frame(self, frame, room=(1, 1)):
        """One frame: its last word, the clock in which a control frame is judged, and some more."""
        receiver = self.receiver
        ways, ext = await self.clock(frame, room[0])
        # A control frame takes the place of what waited.
        self.announced(ext)
        if frame.control:
            self.said = None
        receiver.before = receiver.awaited
        wanted = (False,) * 3
        number = receiver.number
        if self.open and self.up:
            err = receiver.err
            wanted = receiver.data(frame, room[0], self.delayed)
            self.counts["expired"] += err and receiver.number != number
        assert ways == wanted, (ways, wanted, frame)
        ways, ext = await self.clock(room=room[1])
        released = over = False
        if self.open and self.up and frame.control:
            released, over = receiver.control(frame, room[1])
        if self.open and self.up:
            receiver.follows(frame, over)
        assert ways == (False, False, released), (ways, released, frame)
        self.announced(ext, frame.said if self.up and frame.announces() else None)
        plain = self.up and frame.control and frame.plausible and frame.known and frame.said is None
        if self.up and frame.announces():
            receiver.plain = 0
        receiver.plain += plain
        assert ext["plain"] == (plain and receiver.plain == PLAIN_RUN)
        self.counts["plain"] += ext["plain"]
        receiver.plain %= PLAIN_RUN
        for name, hit in zip(
            ("delivered", "kept", "released", "over"),
            (*wanted[:2], wanted[2] or released, over),
            strict=True,
        ):
            self.counts[name] += hit
        await self.rest(self.random.choice((1, 1, 1, 2, 4)))

    async def settle(self):
        """A clock in which the state changes."""
        _, ext = await self.clock()
        self.announced(ext)

    async def rest(self, clocks):
        for _ in range(clocks):
            ways, ext = await self.clock(room=self.random.getrandbits(1))
            assert ways == (False,) * 3
            self.announced(ext)
            self.compare(ext)

    async def lose(self):
        """Alignment is lost for a while, and what comes meanwhile is nothing."""
        receiver = self.receiver
        self.up = False
        receiver.plain = receiver.run = receiver.steady = receiver.promised = 0
        if self.open and not receiver.err:
            receiver.incident()
        await self.settle()
        await self.rest(self.random.randrange(1, 6))
        for _ in range(self.random.randrange(4)):
            await self.frame(self.damaged())
        self.up = True
        if self.open:
            receiver.incident()
        await self.settle()
        await self.rest(1)

    async def begin(self):
        """Another session."""
        self.open = False
        self.receiver.opened()
        self.next = 0
        await self.settle()
        await self.rest(2)
        for _ in range(self.random.randrange(4)):
            await self.frame(self.control())
        self.open = True

    # --- what the peer sends ---
    def announcement(self, **other):
        random = self.random
        return {
            "version": 3, "phase": UP, "session": PARTNER, "echo": OWN, "lane": LANE, "bits": random.getrandbits(4),
            "has_sequence": 1, "ask": int(random.random() < 0.1), "ask_n": random.getrandbits(4), "wanted": random.getrandbits(12),
            "answered": self.receiver.number, "next": self.next, "zero": 0,
        } | other  # fmt: skip

    def control(self, **other):
        return Frame(
            self.next,
            control=True,
            said=self.announcement(**other),
            key=self.random.choice((1, 16, 4096)),
        )

    def data(self):
        frame = Frame(self.next, data=True)
        self.next = (self.next + 1) % self.ids
        return frame

    def damaged(self):
        """One thing is wrong with it."""
        random = self.random
        frame = self.data() if random.random() < 0.4 else self.control()
        wrong = random.choice(("plausible", "id", "other", "session"))
        if wrong == "plausible":
            frame.plausible = False
        elif wrong == "id":
            frame.id ^= 1 << random.randrange(self.ids.bit_length() - 1)
        elif frame.data:
            frame.data = False  # neither data nor control
        elif wrong == "other":
            which = random.choice(("checked", "known", "next", "strong"))
            if which == "next":
                frame.said["next"] ^= 1 << random.randrange(12)
            else:
                setattr(frame, which, False)
        else:
            name = random.choice(("version", "session", "echo", "lane", "answered", "has_sequence"))
            frame.said[name] ^= 1 << random.randrange(ANNOUNCEMENT[name])
        return frame


@cocotb.test()
async def frames_are_taken_as_the_table_says(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.begin()
    random = bench.random
    for number in range(2500):
        if number % 400 == 0:
            bench.delayed = bool(number // 400 & 1)
        if random.random() < 0.01:
            bench.delayed = not bench.delayed
        if bench.receiver.err and random.random() < 0.15:
            # Back to what is wanted, as a peer does that has heard the ask.
            bench.next = bench.receiver.awaited
            await bench.frame(bench.control())
        room = tuple(int(random.random() < 0.97) for _ in range(2))
        draw = random.random()
        if draw < 0.003:
            await bench.begin()
        elif draw < 0.006:
            await bench.lose()
        elif draw < 0.04:
            await bench.frame(bench.damaged(), room)
        elif draw < 0.3:
            await bench.frame(bench.control(), room)
        else:
            await bench.frame(bench.data(), room)
    assert min(bench.counts[name] for name in ("delivered", "kept", "released", "over")) > 20, (
        bench.counts
    )


@cocotb.test()
async def an_answer_that_is_lost_is_asked_for_afresh(dut):
    """Behind 2^IdWidth further frames the number goes one on, and only the answer to that one
    counts."""
    bench = Bench(dut)
    await bench.start()
    await bench.begin()
    for _ in range(3):
        await bench.frame(Frame(0, plausible=False))
        number = bench.receiver.number
        for _ in range(bench.ids - 1):
            await bench.frame(bench.data())
        assert bench.receiver.number == number
        await bench.frame(bench.data())
        assert bench.receiver.number == (number + 1) % 16
        bench.next = bench.receiver.awaited
        await bench.frame(bench.control(answered=number))
        assert bench.receiver.err
        await bench.frame(bench.control())
        assert not bench.receiver.err
    assert bench.counts["expired"] == 3


@cocotb.test()
async def eight_frames_without_announcement_are_a_published_peer(dut):
    """Whatever data are between them; an announcement in between begins the count again."""
    bench = Bench(dut)
    await bench.start()
    random = bench.random
    for _ in range(40):
        for _ in range(random.randrange(PLAIN_RUN)):
            await bench.frame(Frame(0, control=True))
        await bench.frame(bench.control())
    assert not bench.counts["plain"]
    for number in range(3 * PLAIN_RUN):
        await bench.frame(Frame(0, control=True, known=number % 3 > 0))
        await bench.frame(Frame(0, control=True, plausible=False))
        await bench.frame(Frame(0, data=True))
    assert bench.counts["plain"] == 2


def test_rifl_ext_rx():
    build_and_run(
        toplevel="rifl_ext_rx",
        sources=rtl("prim", "axis", "line", "rifl"),
        parameters={"IdWidth": 7},
        test_module="test_rifl_ext_rx",
    )
