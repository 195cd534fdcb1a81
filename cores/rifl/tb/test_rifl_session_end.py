# SPDX-License-Identifier: Apache-2.0
"""The session of one end against its description, clock by clock, fed with announcements.

The peers of the lanes mostly go along; in spells they do not fit, lead elsewhere, know no
announcements, contradict each other, lose their signal, or say anything one bit away from what
would be right.
"""

from dataclasses import dataclass, field, replace

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import ROOT, build_and_run, cycles, rng, rtl, start_clock

LANES = 2
NUMBERS = (2, 7)
HELLO, READY, UP, REFUSED = range(4)
(
    NONE, NO_SIGNAL, NO_PEER, FRAME_WIDTH, ID_WIDTH, LANE_COUNT, LANE_ORDER, USER_WIDTH, RATE, ROUND_TRIP, PEERS,
    PEER_REFUSES, PUBLISHED, STRONG_CODE,
) = range(14)  # fmt: skip
# Name and width, from the top.
CAPABILITIES = {
    "lanes": 2, "frame_width": 3, "groups": 2, "id_width": 4, "rate": 16, "reason": 4, "strong_code": 1, "zero": 2,
}  # fmt: skip
# What is looked at first, and the reason that a difference gives.
MISFITS = {
    "frame_width": FRAME_WIDTH, "strong_code": STRONG_CODE, "id_width": ID_WIDTH, "lanes": LANE_COUNT, "lane": LANE_ORDER,
    "groups": USER_WIDTH, "rate": RATE,
}  # fmt: skip
OWN = {
    "lanes": 1,
    "frame_width": 2,
    "groups": 1,
    "id_width": 9,
    "rate": 2578,
    "reason": 0,
    "strong_code": 0,
    "zero": 0,
}


def packed(values):
    word = 0
    for name, width in CAPABILITIES.items():
        word = word << width | values[name]
    return word


@dataclass
class Said:
    """An announcement, as far as a session looks at it."""

    phase: int
    session: int
    echo: int
    lane: int
    ping: int = 0
    capabilities: dict | None = None  # None: it has the sequence in their place
    noise: int = 0  # what else an announcement contains

    def word(self):
        detail = self.noise >> 8 if self.capabilities is None else packed(self.capabilities)
        word = 3  # version
        for value, width in (
            (self.phase, 2), (self.session, 16), (self.echo, 16), (self.lane, 3), (self.ping, 1), (self.noise, 3),
            (self.capabilities is None, 1), (detail, 34),
        ):  # fmt: skip
            word = word << width | int(value) & ((1 << width) - 1)
        return word


@dataclass
class Lane:
    """What is known of the peer on a lane."""

    number: int
    own: dict
    phase: int = HELLO
    ping: int = 0
    peer: int = 0
    meets: bool = False
    known: bool = False  # capabilities, and none of a published core since
    reason: int = NONE
    peer_reason: int = NONE
    plain: bool = False
    contradicted: bool = False
    foreign: bool = False
    met: bool = False

    @property
    def fits(self):
        return self.known and self.reason == NONE

    def judge(self, said):
        peer = {**said.capabilities, "lane": said.lane}
        for name, reason in MISFITS.items():
            own = {**self.own, "lane": NUMBERS[self.number]}[name]
            untold = name == "rate" and not (own and peer[name])
            if peer[name] != own and not untold:
                return reason
        return NONE

    def hears(self, up, said, plain, own, partner, clear):
        """One clock; `said` and `plain` are what comes in it."""
        before = replace(self)
        self.foreign = self.met = False
        if up and said:
            self.phase, self.ping, self.peer = said.phase, said.ping, said.session
        if clear or (up and plain and not said):
            self.peer = 0
        if clear or not up:
            self.meets = self.plain = self.contradicted = self.known = False
            self.reason = self.peer_reason = NONE
        elif said:
            self.contradicted = said.phase in (HELLO, REFUSED) or (
                (said.session, said.echo, said.lane) != (partner, own, NUMBERS[self.number])
            )
            self.foreign = self.contradicted and before.contradicted
            self.met = before.peer != 0
            self.meets, self.plain = said.echo == own, False
            if said.capabilities is not None:
                self.known, self.reason = True, self.judge(said)
                self.peer_reason = said.capabilities["reason"]
        elif plain:
            self.meets, self.known, self.plain = False, False, True


@dataclass
class Inputs:
    extended: bool = True
    restart: bool = False
    seed: int = 0
    up: list = field(default_factory=lambda: [True] * LANES)
    said: list = field(default_factory=lambda: [None] * LANES)
    plain: list = field(default_factory=lambda: [False] * LANES)
    valid: list = field(default_factory=lambda: [True] * LANES)
    too_long: list = field(default_factory=lambda: [False] * LANES)
    breach: list = field(default_factory=lambda: [False] * LANES)


class End:
    """What rifl_session does, of the inputs and of what its lanes know."""

    def __init__(self, own):
        self.own = own
        self.lanes = [Lane(number, own) for number in range(LANES)]
        self.phase, self.compatible, self.ends = HELLO, False, True
        self.session = self.partner = self.clocks = 0
        self.open = self.ended = False
        self.data_rst = True

    def drawing(self, inputs):
        return not all(inputs.up) and not self.compatible and self.phase in (HELLO, REFUSED)

    def all(self, *names):
        return all(all(getattr(lane, name) for name in names) for lane in self.lanes)

    def one_peer(self):
        return len({lane.peer for lane in self.lanes}) == 1

    def refused(self):
        return any(lane.phase == REFUSED and lane.peer for lane in self.lanes)

    def misfit(self):
        """Of the last lane that has one."""
        return next((lane.reason for lane in reversed(self.lanes) if lane.reason), NONE)

    def flow(self):
        return self.open and all(lane.phase == UP for lane in self.lanes)

    def reason(self, inputs):
        asked = (
            (self.compatible, PUBLISHED),
            (self.flow(), NONE),
            (not all(inputs.up), NO_SIGNAL),
            (self.misfit(), self.misfit()),
            (not self.all("fits"), NO_PEER),
            (not self.one_peer(), PEERS),
            (any(inputs.too_long) and not self.open, ROUND_TRIP),
            (self.refused(), PEER_REFUSES),
        )
        return next((reason for holds, reason in asked if holds), NO_PEER)

    def outputs(self, inputs):
        reasons = [lane.peer_reason for lane in self.lanes if lane.peer_reason]
        return {
            "phase": self.phase, "session": self.session, "partner": self.partner, "compatible": self.compatible,
            "open": self.open, "flow": self.flow(), "clear": self.ends or self.drawing(inputs), "ends": self.ends,
            "data_rst": self.data_rst, "ended": self.ended, "reason": self.reason(inputs),
            "peer_reason": reasons[-1] if reasons else NONE,
            "ping": sum(lane.ping << lane.number for lane in self.lanes),
            "peer": sum(lane.peer << 16 * lane.number for lane in self.lanes),
        }  # fmt: skip

    def next_phase(self, inputs):
        """And whether the compatible mode runs."""
        phases = [lane.phase for lane in self.lanes]
        too_long = any(inputs.too_long)
        if self.phase in (HELLO, REFUSED):
            fit = self.all("fits")
            if self.misfit() or (fit and not self.one_peer()) or too_long:
                phase = REFUSED
            else:
                early = all(phase in (HELLO, READY) for phase in phases)
                ready = fit and self.all("meets") and early and all(inputs.valid)
                phase = READY if ready else HELLO
            return phase, self.compatible or self.all("plain")
        if self.phase == READY:
            same = self.one_peer() and self.lanes[0].peer == self.partner
            if not self.all("meets") or not same or self.refused():
                return HELLO, self.compatible
            late = all(phase in (READY, UP) for phase in phases)
            return UP if late else READY, self.compatible
        return UP, self.compatible

    def clock(self, inputs):
        too_long = any(inputs.too_long)
        contradicted = any(lane.foreign for lane in self.lanes) or any(inputs.breach)
        plain = any(lane.plain for lane in self.lanes)
        broken = inputs.restart or (self.open and (contradicted or plain or too_long))
        broken |= self.compatible and inputs.extended and any(lane.met for lane in self.lanes)
        phase, compatible = self.next_phase(inputs)
        if self.compatible:
            phase = HELLO
        if broken or self.ends:
            phase, compatible = HELLO, False
        elif not inputs.extended:
            phase, compatible = HELLO, True
        own, partner = self.session, self.partner
        clear = self.ends or self.drawing(inputs)
        if phase == READY and self.phase != READY:
            self.partner = self.lanes[0].peer
        if clear:
            # Odd, so never 0, and none of those of the last 2^15 clocks.
            self.session = (2 * self.clocks & 0xFFFF ^ inputs.seed) | 1
        for lane, up, said, plain_now in zip(
            self.lanes, inputs.up, inputs.said, inputs.plain, strict=True
        ):
            lane.hears(up, said, plain_now, own, partner, clear)
        self.ended = broken and self.open
        self.phase, self.compatible, self.ends = phase, compatible, broken
        self.open = phase == UP
        self.data_rst = not (phase == UP or compatible)
        self.clocks += 1


SPELLS = ("along",) * 6 + (
    "misfit",
    "elsewhere",
    "plain",
    "too_long",
    "lost",
    "anything",
    "refuses",
    "unmeasured",
)


class Peers:
    """What comes in on the lanes: the peer goes along, but for spells."""

    def __init__(self, random, end):
        self.random, self.end = random, end
        self.left, self.number, self.restart, self.decks = 0, 1, False, {}

    def draw(self, cards):
        """Each card once before one returns."""
        if not self.decks.get(cards):
            self.decks[cards] = self.random.sample(cards, len(cards))
        return self.decks[cards].pop()

    def begin(self):
        random = self.random
        self.spell = self.draw(SPELLS)
        self.left = random.choice((1, 2, 10, 40, 80))
        self.lane = random.randrange(LANES)
        self.lanes = [self.lane] if random.random() < 0.5 else list(range(LANES))
        if random.random() < 0.3:
            self.number = random.getrandbits(16) | 1
        self.capabilities = {**self.end.own, "reason": random.choice((0, 0, PEERS, RATE))}
        self.other_lane = False
        # No other end is looked at while a session stands.
        self.restart = self.spell in ("misfit", "elsewhere")
        if self.restart:
            self.left = 40
        if self.spell == "misfit":
            name = self.draw(tuple(MISFITS))
            self.other_lane = name == "lane"
            if not self.other_lane:
                self.capabilities[name] ^= 1 << random.randrange(CAPABILITIES[name])
            if name == "rate" and random.random() < 0.2:
                self.capabilities[name] = 0  # not told: that fits

    def said(self, number):
        random, end = self.random, self.end
        phases = {HELLO: (HELLO, READY), READY: (READY, UP), UP: (UP,), REFUSED: (HELLO, REFUSED)}
        phase = random.choice(phases[end.phase])
        said = Said(
            phase,
            self.number,
            end.session,
            NUMBERS[number],
            random.getrandbits(1),
            noise=random.getrandbits(48),
        )
        if end.phase != UP or random.random() < 0.1:
            said.capabilities = self.end.own
        if number not in self.lanes:
            return said
        if self.spell == "misfit":
            said.capabilities = self.capabilities
            said.lane ^= self.other_lane and 1 << random.randrange(3)
        elif self.spell == "elsewhere":
            said.session ^= 1 << random.randrange(16)
        elif self.spell == "refuses":
            said.phase, said.capabilities = REFUSED, self.capabilities
        elif self.spell == "anything":
            what = random.choice(("phase", "session", "echo", "lane"))
            width = {"phase": 2, "lane": 3}.get(what, 16)
            setattr(said, what, getattr(said, what) ^ 1 << random.randrange(width))
        return said

    def inputs(self):
        """Of one clock."""
        random = self.random
        if not self.left:
            self.begin()
        self.left -= 1
        hit = [number in self.lanes for number in range(LANES)]
        now = Inputs(
            seed=self.seed,
            restart=self.restart or random.random() < 0.002,
            extended=self.extended,
            up=[not (self.spell == "lost" and it) for it in hit],
            too_long=[self.spell == "too_long" and it for it in hit],
            valid=[not (self.spell == "unmeasured" and it) for it in hit],
            breach=[random.random() < 0.001 for _ in hit],
        )
        self.restart = False
        for number, it in enumerate(hit):
            if self.spell == "plain" and it:
                now.plain[number] = random.random() < 0.4
            elif random.random() < 0.6:
                now.said[number] = self.said(number)
        return now

    seed = 0
    extended = True


class Bench:
    def __init__(self, dut, own=OWN):
        self.dut, self.end = dut, End(own)
        self.random = rng("session_end")
        self.peers = Peers(self.random, self.end)

    async def start(self):
        start_clock(self.dut.clk_i, 1000)
        self.dut.own_i.value = packed(self.end.own)
        self.drive(Inputs())
        self.dut.rst_i.value = 1
        await cycles(self.dut.clk_i, 3)
        self.dut.rst_i.value = 0

    def drive(self, inputs):
        dut = self.dut
        dut.extended_i.value, dut.restart_i.value = int(inputs.extended), int(inputs.restart)
        dut.seed_i.value = inputs.seed
        for name in ("up", "plain", "valid", "too_long", "breach"):
            bits = getattr(inputs, name)
            getattr(dut, f"{name}_i").value = sum(bit << i for i, bit in enumerate(bits))
        dut.announced_i.value = sum((said is not None) << i for i, said in enumerate(inputs.said))
        width = len(dut.announcement_i) // LANES
        words = [said.word() if said else self.random.getrandbits(width) for said in inputs.said]
        dut.announcement_i.value = sum(word << width * i for i, word in enumerate(words))

    async def clock(self, inputs):
        """Drives the inputs of a clock, compares all outputs, and lets it pass."""
        self.drive(inputs)
        await FallingEdge(self.dut.clk_i)
        wanted = self.end.outputs(inputs)
        seen = {name: int(getattr(self.dut, f"{name}_o").value) for name in wanted}
        different = {
            name: (seen[name], int(value)) for name, value in wanted.items() if seen[name] != value
        }
        assert not different, f"clock {self.end.clocks}: seen, wanted: {different} with {inputs}"
        await RisingEdge(self.dut.clk_i)
        self.end.clock(inputs)
        return wanted


@cocotb.test()
@cocotb.parametrize((("rate", "clocks"), [(2578, 6000), (0, 1500)]))
async def every_clock_as_described(dut, rate, clocks):
    """Every reason is given and every transition taken; an end may not know its rate."""
    bench = Bench(dut, {**OWN, "rate": rate})
    await bench.start()
    reasons, taken = set(), set()
    wanted = set(range(STRONG_CODE + 1))
    ways = {
        (HELLO, REFUSED),
        (HELLO, READY),
        (READY, HELLO),
        (READY, UP),
        (UP, HELLO),
        (REFUSED, HELLO),
    }
    was = HELLO
    # The rarest reason comes once in some thousand clocks: for all of them, as long as it takes.
    for number in range(20 * clocks):
        if number >= clocks and (not rate or (wanted <= reasons and ways <= taken)):
            break
        if number % 1000 == 999:
            bench.peers.seed = bench.random.getrandbits(16)
        # Without the extended mode for a while; it is changed together with a restart.
        inputs = bench.peers.inputs()
        if number in (1000, 1100):
            bench.peers.extended, inputs.restart = not bench.peers.extended, True
        seen = await bench.clock(inputs)
        reasons.add(seen["reason"])
        taken.add((was, seen["phase"]))
        was = seen["phase"]
    if not rate:
        return
    assert reasons == wanted, reasons
    assert ways <= taken, taken


@cocotb.test()
async def no_session_number_returns_for_long(dut):
    """While numbers are drawn each clock has another one, for 2^15 clocks."""
    bench = Bench(dut)
    await bench.start()
    lost = Inputs(seed=bench.random.getrandbits(16), up=[False] * LANES)
    bench.drive(lost)
    await cycles(dut.clk_i, 2)
    numbers = []
    for _ in range(1 << 6):
        for _ in range(2):
            await FallingEdge(dut.clk_i)
            numbers.append(int(dut.session_o.value))
            await RisingEdge(dut.clk_i)
        await cycles(dut.clk_i, (1 << 9) - 2)
    assert len(set(numbers)) == len(numbers) and all(number & 1 for number in numbers)
    await FallingEdge(dut.clk_i)
    assert int(dut.session_o.value) == numbers[0], "the first one returns"


def test_rifl_session_end():
    build_and_run(
        toplevel="rifl_session_end",
        sources=[
            *rtl("prim", "axis", "line", "rifl"),
            ROOT / "cores/rifl/tb/rifl_session_end.sv",
        ],
        test_module="test_rifl_session_end",
    )
