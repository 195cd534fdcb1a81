# SPDX-License-Identifier: Apache-2.0
"""Two ends of htsp_100g, from users to lanes: clocks of their own, lanes in any order with skew and
wrong bits, every byte scored."""

import itertools
import os
import sys
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time
from tb_common import StoppableClock, build_and_run, cycles, params, registers, rtl

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parents[1] / "htsp/tb"), str(HERE.parents[1] / "pcs/tb")]
from ends import WORD, Ends, payload  # noqa: E402
from pcs_link import State  # noqa: E402

LANES, RAW = 4, 80
REGISTERS = {
    name: registers.description(HERE.parents[1] / f"{name}/regs/{name}.rdl")
    for name in ("htsp", "pcs")
}
PERIOD = 64  # rows from marker to marker, of the bench
PHY = 3102  # ps: 322.37 MHz
USER = 5120  # ps: 195.3 MHz
SKEW = {0: 900, 1: 4640, 2: 900}  # bits, by Fec
PAPER_NS = 1176  # HTSP's paper, 8 KB, with MAC and FEC
LOSSES = "late_o", "no_room_o", "frames_lost_o"
LAST = 3  # packets that have to arrive behind a reset


def packed(values, width):
    return sum(int(value) << width * at for at, value in enumerate(values))


class Whole(Ends):
    """Both ends with their clocks, and a channel for lanes. Users are reset with their end: they
    forget what they were sending."""

    seen, interval, sizes, patience = (), 0, (), 300
    controls = ("noise_i",)

    def __init__(self, dut, name):
        super().__init__(dut, name)
        self.fec = params()["Fec"]
        self.held = 0  # ends in reset
        self.down = 0  # cycles without a link at either end
        self.origin = [list(range(LANES)) for _ in range(2)]
        self.delays, self.inverted = ([[0] * LANES for _ in range(2)] for _ in range(2))
        self.signal = [[1] * LANES for _ in range(2)]
        self.number = [0] * self.streams

    def take_words(self):
        """Lines take what they are given."""

    def channel(self):
        dut = self.dut
        delays = [*self.delays[0], *self.delays[1]]
        dut.from_i.value = packed([*self.origin[0], *self.origin[1]], 2)
        dut.delay_words_i.value = packed([delay // RAW for delay in delays], 6)
        dut.delay_bits_i.value = packed([delay % RAW for delay in delays], 7)
        dut.invert_i.value = packed([*self.inverted[0], *self.inverted[1]], 1)
        dut.signal_i.value = packed([*self.signal[0], *self.signal[1]], 1)

    def shuffle(self, lines=(0, 1)):
        for line in lines:
            self.random.shuffle(self.origin[line])
            self.delays[line] = [self.random.randrange(SKEW[self.fec] + 1) for _ in range(LANES)]
            self.inverted[line] = [self.random.getrandbits(1) for _ in range(LANES)]
        self.channel()

    async def start(self, user=USER, offset=0):
        """user: period of clk_i; offset: by how much that of B's lanes is longer than A's."""
        dut = self.dut
        self.attach()
        self.channel()
        resets = dut.arst_i, dut.phy_arst_i, dut.axil_arst_i
        for pin in resets:  # asynchronous: it takes an edge
            pin.value = 0
        await Timer(1000, "ps")
        for pin, value in zip(resets, (3, 3, 1), strict=True):
            pin.value = value
        self.clock = StoppableClock(dut.clk_i, user)
        self.axil = StoppableClock(dut.axil_clk_i, 8000)
        bus = registers.Registers(REGISTERS["htsp"], dut, "s_axil", dut.axil_clk_i, dut.axil_arst_i)
        self.htsp = [bus.beside(REGISTERS["htsp"], 0x4000 * end) for end in range(2)]
        self.pcs = [bus.beside(REGISTERS["pcs"], 0x4000 * end + 0x2000) for end in range(2)]
        self.phy = [
            StoppableClock(dut.a_phy_clk_i, PHY, 700),
            StoppableClock(dut.b_phy_clk_i, PHY + offset, 1900),
        ]
        self.phy_edge = dut.a_phy_clk_i, dut.b_phy_clk_i
        await Timer(100000, "ps")
        for pin in resets:
            pin.value = 0
        await Timer(100000, "ps")
        self.before = {name: int(getattr(dut, name).value) for name in LOSSES}
        cocotb.start_soon(self._run())
        await self.wait_up()

    async def wait_up(self, limit=20000):
        await super().wait_up(limit)

    def _watch(self, dut, n):
        """Comes first at each edge: a reset ends what its users were doing."""
        self.held = int(dut.rst_o.value)
        self.down += dut.link_up_o.value != 3
        for stream in range(self.streams):
            if self.held >> stream // n & 1:
                self.queue[stream].clear()
                self.offered[stream], self.part[stream] = None, b""

    def _take(self, stream):
        if not self.held >> stream // self.channels & 1:
            super()._take(stream)

    def packets(self, count, longest=1000, shortest=1):
        for stream in range(self.streams):
            for _ in range(count):
                size = self.random.randint(shortest, longest)
                if shortest == 1:
                    size = self.random.choice((1, 63, 64, 65, size))
                self.send(stream, payload(stream, self.number[stream], max(size, 5)))
                self.number[stream] += 1

    async def harm(self, line, span, one=0.0, burst=0):
        """Wrong bits on a line for `span` cycles: one in a cycle with this chance; a word of a lane
        every `burst` cycles or so."""
        dut, due = self.dut, self.random.randrange(burst, 2 * burst) if burst else span
        width, mine = LANES * RAW, (1 << LANES * RAW) - 1 << LANES * RAW * line
        for _ in range(span):
            await RisingEdge(self.phy_edge[line])
            noise, due = 0, due - 1
            if self.random.random() < one:
                noise = 1 << self.random.randrange(width)
            if burst and due == 0:
                # Eight symbols: one more than can be corrected.
                noise = self.random.getrandbits(RAW) << RAW * self.random.randrange(LANES)
                due = self.random.randrange(burst, 2 * burst)
            self.noise_now = self.noise_now & ~mine | noise << width * line
            dut.noise_i.value = self.noise_now
        # What the last cycle had is not to stay on the line.
        await RisingEdge(self.phy_edge[line])
        self.noise_now &= ~mine
        dut.noise_i.value = self.noise_now

    noise_now = 0

    def counts(self, name):
        """Of both ends, since the reset at the beginning."""
        value, before = int(getattr(self.dut, name).value), self.before.get(name, 0)
        return tuple((value >> 16 * end) - (before >> 16 * end) & 0xFFFF for end in range(2))

    def state(self, end):
        return int(self.dut.pcs_state_o.value) >> 4 * end & 15

    async def counter(self, end, name):
        """One of the PCS, two rounds of the bank after the last event."""
        await cycles(self.phy_edge[1 - end], 80)
        return await self.pcs[end].read(f"observe.{name}")

    def forget(self):
        for stream in range(self.streams):
            self.sent[stream].clear()
            self.received[stream].clear()

    async def as_good_as_new(self):
        """Up, at rest, in order; and what is sent now comes."""
        await self.wait_up()
        await self.idle()
        await cycles(self.dut.clk_i, 300)  # two headers alone
        self.check_order()
        self.forget()
        self.packets(LAST)
        await self.idle()
        self.check_clean()
        self.forget()

    def nothing_lost(self):
        for name in LOSSES:
            assert self.counts(name) == (0, 0), name


@cocotb.test()
async def any_lanes(dut):
    """Order, polarity, skew and slip of lanes, a few hundred ppm between the clocks, single wrong
    bits: all of it comes, unchanged."""
    ends = Whole(dut, "lanes")
    ends.shuffle()
    await ends.start(offset=2)
    for line in range(2):
        pcs = ends.pcs[1 - line]
        assert await pcs.field("build", "fec") == ends.fec
        assert await pcs.field("build", "period") == PERIOD
        for lane in range(LANES if ends.fec else 0):
            place = f"observe.lane[{lane}]"
            assert await pcs.field(place, "lane_number") == ends.origin[line][lane]
            assert await pcs.field(place, "inverted") == ends.inverted[line][lane]
            assert await pcs.field(place, "has_signal") == 1
        assert ends.state(line) == await pcs.field("observe.state", "state") == State.UP
        # The map of HTSP stands in front, and is another one.
        assert await ends.htsp[line].read("magic") != await pcs.read("magic")
    # Until the lanes are in step some codewords are none.
    places = [(end, name) for end in range(2) for name in ("corrected", "uncorrectable")]
    before = [await ends.counter(*place) for place in places]
    wrong = 0.03 if ends.fec else 0
    harms = [cocotb.start_soon(ends.harm(line, 6000, one=wrong)) for line in range(2)]
    for _ in range(3):
        ends.packets(15, 3000)
        for stream in range(ends.streams):
            ends.rate[stream] = ends.random.choice((0.4, 1.0))
            ends.take[stream] = ends.random.choice((0.5, 1.0))
        await ends.idle()
    for harm in harms:
        await harm
    await ends.idle()
    ends.check_clean()
    ends.nothing_lost()
    if ends.fec:
        after = [await ends.counter(*place) for place in places]
        found = [b - a for a, b in zip(before, after, strict=True)]
        dut._log.info(f"codewords corrected, uncorrectable, at A and B: {found}")
        assert found[0] > 100 and found[2] > 100 and found[1] == found[3] == 0


@cocotb.test()
async def every_loss_marked(dut):
    """More than the FEC corrects: what is missing has left a mark in its stream, or was in a frame
    that is counted."""
    # Seldom enough for the illegal headers that a link may have.
    ends = Whole(dut, "marked")
    ends.shuffle()
    await ends.start()
    ends.down = 0
    # Which frame a burst hits, and whether its loss can be marked, is chance: until enough were.
    for _ in range(10):
        harms = [cocotb.start_soon(ends.harm(line, 14000, 0.01, burst=800)) for line in range(2)]
        while not all(harm.done() for harm in harms):
            ends.packets(30, 3000)
            await ends.idle()
        await cycles(dut.clk_i, 300)
        lost = ends.counts("frames_lost_o")
        marks = sum(error for came in ends.received for _, error in came)
        dut._log.info(f"frames lost {lost}, packets marked {marks}")
        if min(lost) > 1 and marks > 2:
            break
    else:
        raise AssertionError(f"frames lost {lost}, packets marked {marks}: too few to judge")
    assert not ends.down
    ends.check_marked(range(ends.streams), lost_whole=sum(lost))
    await ends.as_good_as_new()
    assert ends.counts("late_o") == ends.counts("no_room_o") == (0, 0)


@cocotb.test()
async def rate(dut):
    """8 KB packets both ways: no slower than the line, or than the user's clock where that is
    slower; no gap in a frame."""
    ends = Whole(dut, "rate")
    await ends.start()
    # Of the line: preamble, header, payload, footer, FCS and gap, in what the markers leave.
    share = 1 - 1 / PERIOD
    line = (8 + WORD + 8192 + 6 + 4 + 12) / WORD * 33 * PHY / 20 / share
    # A slower clock than 195 MHz is not fast enough for the MAC, but for what the markers take.
    for user in (5160, USER, 5000, 4000, 2800):
        ends.clock.period = user
        await cycles(dut.clk_i, 50)
        for stream in range(ends.streams):
            for _ in range(24):
                ends.send(stream, payload(stream, ends.number[stream], 8192))
                ends.number[stream] += 1
        before = [len(took) for took in ends.taken_at]
        await ends.idle()
        needed = max(line, 130 * user)
        for stream in range(ends.streams):
            took = ends.taken_at[stream][before[stream] :]
            # From the first word of the second packet to that of the last one.
            took = (took[-128] - took[128]) * user / 22
            gbps = 8192 * 8 / took * 1000
            dut._log.info(f"clock {1e6 / user:.1f} MHz: {gbps:.2f} Gb/s of {65536e3 / needed:.2f}")
            assert took < needed * 1.003
    ends.check_clean()
    ends.nothing_lost()


STAGES = ("htsp", "clock FIFO", "MAC", "PCS, lanes", "MAC", "clock FIFO", "htsp")
# Of each. A row of markers, 20 blocks, takes the line from the MAC for five cycles at most.
MARKERS_NS = 5 * PHY / 1000
MOST_NS = (26, 60, 25 + MARKERS_NS, 210, 25, 36, 40)


@cocotb.test()
async def latency(dut):
    """8 KB from user to user by stage, lanes in step, with MAC, PCS and FEC: each within its
    budget, all of it within the paper's."""
    ends = Whole(dut, "latency")
    await ends.start()
    worst, total, last = [0.0] * len(STAGES), [], []
    for _ in range(8):
        while not int(dut.tap_o.value) & 1:  # a header alone: the next one is 127 cycles away
            await RisingEdge(dut.clk_i)
        await cycles(dut.clk_i, 70)
        at = [0] * 6
        clocks = (dut.clk_i, dut.a_phy_clk_i, dut.a_phy_clk_i)

        async def see(tap, clk, at=at):
            place = tap if tap < 3 else tap + 6  # of A, of B
            while not int(dut.tap_o.value) >> place & 1:
                await RisingEdge(clk)
            at[tap] = get_sim_time("ps") / 1000

        seen = [
            cocotb.start_soon(see(tap, clk)) for tap, clk in enumerate((*clocks, *clocks[::-1]))
        ]
        accepted, taken = len(ends.accepted_at[0]), len(ends.taken_at[ends.channels])
        begin, zero = get_sim_time("ps") / 1000, ends.cycle
        ends.send(0, payload(0, ends.number[0], 8192))
        ends.number[0] += 1
        for task in seen:
            await task
        await ends.idle()
        # Cycles are those of clk_i since `begin`.
        first = begin + (ends.accepted_at[0][accepted] - zero) * USER / 1000
        out = begin + (ends.taken_at[ends.channels][taken] - zero) * USER / 1000
        final = begin + (ends.taken_at[ends.channels][-1] - zero) * USER / 1000
        marks = [first, *at, out]
        took = [b - a for a, b in itertools.pairwise(marks)]
        worst = [max(pair) for pair in zip(worst, took, strict=True)]
        total.append(out - first)
        last.append(final - first)
    ends.check_clean()
    ends.nothing_lost()
    text = ", ".join(f"{name} {ns:.1f}" for name, ns in zip(STAGES, worst, strict=True))
    dut._log.info(f"latency in ns, at most: {text}")
    dut._log.info(
        f"8 KB, first beat to first beat {min(total):.1f} to {max(total):.1f} ns, to the last beat"
        f" {max(last):.1f} ns; paper {PAPER_NS} ns"
    )
    assert all(ns <= most for ns, most in zip(worst, MOST_NS, strict=True))
    assert max(total) < 360 and max(last) < PAPER_NS


@cocotb.test()
async def lane_lost_and_back(dut):
    """A lane without a signal: the link is down at once, packets under way are marked; it comes
    back in any order and skew."""
    ends = Whole(dut, "lane")
    ends.shuffle()
    await ends.start()
    marks = 0
    for _ in range(4):
        ends.packets(20, 6000, shortest=3000)
        await cycles(dut.clk_i, ends.random.randrange(100, 400))
        line, lane = ends.random.randrange(2), ends.random.randrange(LANES)
        ends.signal[line][lane] = 0
        ends.channel()
        await cycles(dut.clk_i, 60)
        assert ends.state(1 - line) == State.NO_SIGNAL
        where = int(dut.pcs_lane_o.value) >> 5 * (1 - line) & 31
        assert where == (lane if ends.fec else 5 * lane)
        assert not int(dut.link_up_o.value) >> (1 - line) & 1
        await cycles(dut.clk_i, 60)
        assert ends.state(line) == State.REMOTE_FAULT, "its MAC says why"
        await cycles(dut.clk_i, ends.random.randrange(500))
        kept = ends.signal
        ends.signal = [[1] * LANES for _ in range(2)]
        # The other line stays as it is: an end that is up again may not go down for its peer.
        ends.shuffle([line])
        assert kept[line][lane] == 0
        await ends.wait_up()
        pcs = ends.pcs[1 - line]
        why = [await pcs.field("observe.state", name) for name in ("down_state", "down_lane")]
        assert why == [State.NO_SIGNAL, where]
        assert await ends.pcs[line].field("observe.state", "down_state") == State.REMOTE_FAULT
        await ends.idle()
        marks += sum(error for came in ends.received for _, error in came)
        await ends.as_good_as_new()
    assert marks


@cocotb.test()
async def resets_and_clocks(dut):
    """Resets of each end's user, lanes and bus, clocks that stop, under traffic: nothing stale,
    joined or torn, and the link comes back."""
    ends = Whole(dut, "resets")
    await ends.start(offset=2)
    random = ends.random

    async def pulse(pin, value):
        await Timer(random.randrange(1, 400 * USER), "ps")
        pin.value = value
        await Timer(random.choice((1, 500, random.randrange(1, 100 * USER))), "ps")
        pin.value = 0

    async def stop(clock):
        await Timer(random.randrange(1, 400 * USER), "ps")
        clock.stop()
        await Timer(random.randrange(1, 400 * USER), "ps")
        clock.start()

    kinds = [
        lambda: pulse(dut.arst_i, random.choice((1, 2))),
        lambda: pulse(dut.phy_arst_i, random.choice((1, 2, 3))),
        lambda: pulse(dut.axil_arst_i, 1),
        lambda: stop(ends.clock),
        lambda: stop(random.choice(ends.phy)),
        lambda: stop(ends.axil),
    ]
    for episode in range(int(os.environ.get("EPISODES", "10"))):
        ends.packets(25, 3000)
        chosen = [kinds[episode % len(kinds)]]
        if random.random() < 0.5:
            chosen.append(random.choice(kinds))
        for task in [cocotb.start_soon(kind()) for kind in chosen]:
            await task
        await cycles(dut.axil_clk_i, 100)
        await ends.as_good_as_new()


OFF, ON, AUTO = range(3)
SETTINGS = [  # of A and of B, and whether both then have FEC; none: what they had, or with FEC
    (AUTO, OFF, 0),
    (AUTO, AUTO, None),
    (ON, AUTO, 1),
    (OFF, AUTO, 0),
    (OFF, OFF, 0),
    (AUTO, ON, 1),
    (ON, ON, 1),
]


@cocotb.test()
async def fec_modes(dut):
    """The FEC goes on, off and to auto at run time, at either end, under traffic: the link comes
    back with what both have, and nothing is delivered that is not whole, or marked."""
    ends = Whole(dut, "modes")
    ends.shuffle()
    await ends.start(offset=2)
    for episode in range(int(os.environ.get("EPISODES", "7"))):
        *settings, wanted = SETTINGS[episode % len(SETTINGS)]
        ends.packets(25, 3000)
        for end in ends.random.sample(range(2), 2):
            await cycles(dut.clk_i, ends.random.randrange(400))
            await ends.pcs[end].write("control", fec=settings[end])
        await cycles(dut.clk_i, 9000)  # until auto has followed
        await ends.as_good_as_new()
        coded = [await ends.pcs[end].field("observe.state", "coded") for end in range(2)]
        dut._log.info(f"settings {settings}: coded {coded}")
        assert coded == [coded[0] if wanted is None else wanted] * 2


EVERY = [
    "any_lanes",
    "every_loss_marked",
    "rate",
    "latency",
    "lane_lost_and_back",
    "resets_and_clocks",
]
SOURCES = ("prim", "axis", "line", "eth", "rsfec", "pcs", "htsp", "htsp_100g")


def simulate(parameters, tests, **more):
    sources = [*rtl(*SOURCES), HERE / "htsp_100g_pair.sv"]
    build_and_run("htsp_100g_pair", sources, parameters, __name__, testcase=tests, **more)


@pytest.mark.long
def test_htsp_100g_with_fec():
    simulate({"Channels": 1, "Fec": 1}, EVERY, sync_jitter=True)


@pytest.mark.long
def test_htsp_100g_long():
    parameters = {"Channels": 1, "Fec": 1}
    env = {"EPISODES": "150"}
    simulate(parameters, ["resets_and_clocks"], sync_jitter=True, env=env)


@pytest.mark.long
def test_htsp_100g_selectable_fec():
    tests = [*EVERY, "fec_modes"]
    simulate({"Channels": 1, "Fec": 2}, tests, sync_jitter=True, env={"EPISODES": "21"})


def test_htsp_100g_without_fec():
    tests = [test for test in EVERY if test != "every_loss_marked"]
    simulate({"Channels": 1, "Fec": 0}, tests, sync_jitter=True)
