# SPDX-License-Identifier: Apache-2.0
"""rifl_observe: what the link itself rarely or never does here: sessions, cut packets, overflow, every status bit."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from registers import REGISTERS
from tb_common import build_and_run, cycles, params, rng, rtl

PERIOD = 1000
WORDS = {p.removeprefix("observe."): n.absolute_address - 0x800 >> 3 for p, n in REGISTERS.items() if p.startswith("observe.")}  # fmt: skip
# Offset and width of the fields of rifl_pkg::lane_status_t and rifl_ext_pkg::link_status_t.
LANE = {
    "aligned": (0, 1), "up": (1, 1), "error": (2, 1), "pause_req": (3, 1), "retrans_req": (4, 1), "local_fc": (5, 1), "remote_fc": (6, 1),
    "overflow": (7, 1), "tx_state": (8, 3), "compensate": (11, 1), "served": (14, 1), "incident": (15, 1), "round_trip": (16, 16),
}  # fmt: skip
LINK = {
    "own_number": (1, 16), "peer_number": (17, 16), "strong_code": (35, 1), "rate": (40, 16), "id_width": (56, 4), "groups": (60, 2), "frame_width": (62, 3), "lanes": (65, 2),
    "peer_reason": (67, 4), "reason": (71, 4), "phase": (75, 2),
}  # fmt: skip
ABSENT, COMPATIBLE, PUBLISHED = 7, 4, 12
EVENTS = [f.inst_name for f in sorted(REGISTERS["events"].fields(), key=lambda f: f.low)]


class Bench:
    def __init__(self, dut):
        self.dut, self.lanes = dut, params()["Lanes"]
        self.random = rng("observe")
        self.events = dict.fromkeys(EVENTS[:8], 0)

    async def start(self):
        dut = self.dut
        for handle in dut:
            if handle._name.endswith("_i") and "clk" not in handle._name:
                handle.value = 0
        self.lane_status = self.link_status = 0
        for name in ("user_clk_i", "frame_clk_i", "phy_tx_clk_i"):
            Clock(getattr(dut, name), PERIOD, unit="ps").start()
        cocotb.start_soon(self.receive_clocks())
        dut.rst_i.value = 1
        await cycles(dut.user_clk_i, 5)
        dut.rst_i.value = 0
        cocotb.start_soon(self.watch())
        await self.settle()

    def lane(self, name, value, lanes=None):
        """Sets a field of the status of these lanes."""
        at, width = LANE[name]
        for lane in range(self.lanes) if lanes is None else lanes:
            self.lane_status &= ~((1 << width) - 1 << 32 * lane + at)
            self.lane_status |= value << 32 * lane + at
        self.dut.lane_status_i.value = self.lane_status

    def link(self, name, value):
        at, width = LINK[name]
        self.link_status = self.link_status & ~((1 << width) - 1 << at) | value << at
        self.dut.link_status_i.value = self.link_status

    def state(self, state):
        """Sets the state of the session: a phase, or that there is none."""
        self.dut.extended_i.value = int(state != ABSENT)
        self.link("reason", PUBLISHED if state == COMPATIBLE else 0)
        if state < COMPATIBLE:
            self.link("phase", state)

    async def receive_clocks(self):
        while True:
            self.dut.phy_rx_clk_i.value = (1 << self.lanes) - 1
            await Timer(PERIOD // 2, "ps")
            self.dut.phy_rx_clk_i.value = 0
            await Timer(PERIOD // 2, "ps")

    async def watch(self):
        while True:
            await RisingEdge(self.dut.user_clk_i)
            for i, name in enumerate(EVENTS[:8]):
                self.events[name] += int(self.dut.event_o.value) >> i & 1

    async def settle(self):
        await cycles(self.dut.user_clk_i, 3 * (40 + 16 * self.lanes))

    async def pulse(self, handle, value=1, length=1):
        handle.value = value
        await cycles(self.dut.user_clk_i, length)
        handle.value = 0
        await cycles(self.dut.user_clk_i, 2)

    async def lane_pulse(self, name, lane, value=1, length=1):
        self.lane(name, value, [lane])
        await cycles(self.dut.user_clk_i, length)
        self.lane(name, 0, [lane])
        await cycles(self.dut.user_clk_i, 2)

    async def read(self, path):
        dut = self.dut
        dut.rd_addr_i.value = WORDS[path]
        dut.rd_req_i.value = 1
        for _ in range(40 + 16 * self.lanes):
            await RisingEdge(dut.user_clk_i)
            if dut.rd_ack_o.value == 1:
                dut.rd_req_i.value = 0
                return int(dut.rd_data_o.value)
        raise AssertionError(f"{path} was not answered in time")

    async def field(self, path, name):
        node = REGISTERS[f"observe.{path}"].get_child_by_name(name)
        return await self.read(path) >> node.low & (1 << node.width) - 1


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def sessions_and_cut_packets(dut):
    bench = Bench(dut)
    await bench.start()
    assert await bench.field("session", "state") == ABSENT
    for state in (0, 1, 2, 0, 1, 2, 3):
        bench.state(state)
        await cycles(dut.user_clk_i, 3)
        assert await bench.field("session", "state") == state
    wanted = {name: bench.random.getrandbits(width) for name, (_, width) in LINK.items()}
    wanted |= {"phase": 3, "reason": bench.random.randrange(PUBLISHED)}
    for name, value in wanted.items():
        bench.link(name, value)
    await cycles(dut.user_clk_i, 3)
    for name in ("reason", "peer_reason", "own_number", "peer_number"):
        assert await bench.field("session", name) == wanted[name]
    places = {
        "lanes": 4,
        "frame_width": 8,
        "groups": 12,
        "id_width": 16,
        "strong_code": 20,
        "rate": 32,
    }
    peer = 3 | sum(wanted[name] << at for name, at in places.items())
    assert await bench.read("peer") == peer
    for _ in range(3):
        await bench.pulse(dut.tx_abort_i)
    await bench.pulse(dut.rx_abort_i, length=2)
    await bench.settle()
    assert await bench.read("sessions") == 2
    assert await bench.read("tx_aborts") == 3
    assert await bench.read("rx_aborts") == 2
    assert bench.events["session"] == 7 and bench.events["abort"] == 5


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def what_the_peer_says(dut):
    """Every bit of it, and of the session, has its place. It is kept while the link is up, and shown as it is otherwise."""
    bench = Bench(dut)
    await bench.start()
    up, session = 2, ("own_number", "peer_number", "peer_reason", "reason")
    places = {
        "lanes": 4,
        "frame_width": 8,
        "groups": 12,
        "id_width": 16,
        "strong_code": 20,
        "rate": 32,
    }
    nobody = dict.fromkeys(places, 0)
    for _ in range(30):
        state = bench.random.choice((0, 1, 3))
        bench.state(state)
        said = {name: bench.random.getrandbits(LINK[name][1]) for name in (*places, *session)}
        said["rate"] |= 1  # something is said
        said["reason"] %= PUBLISHED
        for name, value in said.items():
            bench.link(name, value)
        await cycles(dut.user_clk_i, 4)
        peer = 3 | sum(said[name] << at for name, at in places.items())
        own = state | said["reason"] << 4 | said["peer_reason"] << 8
        own |= said["own_number"] << 16 | said["peer_number"] << 32
        assert (await bench.read("peer"), await bench.read("session")) == (peer, own)
        # While the link is up it is kept, whether the peer goes on saying it or not.
        bench.link("phase", up)
        for name, value in nobody.items():
            bench.link(name, value)
        await cycles(dut.user_clk_i, 4)
        assert await bench.read("peer") == peer
        assert await bench.read("session") == own & ~0xF07 | up, "up: the peer has no reason"
        bench.link("phase", state)
        await cycles(dut.user_clk_i, 4)
        assert await bench.read("peer") == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_status_bit_and_edge(dut):
    """One lane at a time: its bits show in its word alone, and each rise or fall counts once, on that lane."""
    bench = Bench(dut)
    await bench.start()
    flags = [name for name, (at, _) in LANE.items() if at < 8]
    for lane in range(bench.lanes):
        for name in flags:
            bench.lane(name, 1, [lane])
            await cycles(dut.user_clk_i, 6)
            assert bench.events["alignment_lost"] == lane + (name != "aligned"), (
                "counts the wrong edge"
            )
            for other in range(bench.lanes):
                for bit in flags:
                    shown = await bench.field(f"lane[{other}].status", bit)
                    assert shown == (other == lane and bit == name), (lane, other, name, bit)
            bench.lane(name, 0, [lane])
            await cycles(dut.user_clk_i, 2)
    lane, times = bench.lanes - 1, bench.random.randint(2, 5)
    before = {n: await bench.read(f"lane[{lane}].{n}") for n in ("errors", "alignment_losses", "resends", "compensations")}  # fmt: skip
    assert before["errors"] == before["alignment_losses"] == 1
    for _ in range(times):
        for name in ("error", "aligned", "compensate"):
            await bench.lane_pulse(name, lane, length=bench.random.randint(1, 4))
        await bench.lane_pulse("tx_state", lane, 3)
    await bench.settle()
    for name, value in before.items():
        assert await bench.read(f"lane[{lane}].{name}") == value + times, name
    assert await bench.read("lane[0].errors") == 1
    assert bench.events["error"] == bench.events["alignment_lost"] == bench.lanes + times
    assert bench.events["overflow"] == bench.lanes
    # In extended mode asks are told by pulses; what the transmitter does to answer says nothing.
    bench.state(2)
    for _ in range(times):
        for name in ("error", "incident", "served"):
            await bench.lane_pulse(name, lane)
        await bench.lane_pulse("tx_state", lane, 3)
    await bench.lane_pulse("incident", lane, length=2)
    await bench.settle()
    bench.state(COMPATIBLE)
    for name in ("incident", "served"):
        await bench.lane_pulse(name, lane)
    await bench.settle()
    assert await bench.read(f"lane[{lane}].errors") == before["errors"] + 2 * times + 2
    assert await bench.read(f"lane[{lane}].resends") == before["resends"] + 2 * times
    bench.lane("round_trip", 0x1234, [lane])
    bench.lane("tx_state", 5, [lane])
    dut.rx_status_i.value = 0x2A << 8 * lane
    await cycles(dut.user_clk_i, 4)
    assert await bench.field(f"lane[{lane}].status", "round_trip") == 0, "nothing is measured"
    bench.state(2)
    for name, value in (("round_trip", 0x1234), ("slip", 0x2A), ("tx_state", 5)):
        assert await bench.field(f"lane[{lane}].status", name) == value
        assert await bench.field("lane[0].status", name) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def counters_stand_still_but_for_what_they_count(dut):
    """Each event of a lane moves its own counter there and no other one of any lane."""
    bench = Bench(dut)
    await bench.start()
    bench.state(COMPATIBLE)
    events = {
        "compensate": "compensations", "error": "errors", "aligned": "alignment_losses", "pause_req": "stopped_frames",
        "local_fc": "stopping_frames",
    }  # fmt: skip
    names = [
        path.split(".")[-1]
        for path in WORDS
        if path.startswith("lane[0].") and path != "lane[0].status"
    ]

    async def counters():
        return {
            (lane, name): await bench.read(f"lane[{lane}].{name}")
            for lane in range(bench.lanes)
            for name in names
        }

    for lane in range(bench.lanes):
        for field, name in events.items():
            await bench.settle()
            before = await counters()
            length = bench.random.randint(1, 6)
            await bench.lane_pulse(field, lane, length=length)
            await bench.settle()
            after = await counters()
            moved = {
                place: after[place] - value
                for place, value in before.items()
                if after[place] != value
            }
            assert set(moved) <= {(lane, name)}, (lane, field, moved)
            if field not in ("pause_req", "local_fc"):
                assert moved == {(lane, name): 1}, (lane, field, moved)


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(count=["bit_errors", "losses"])
async def every_rise_of_the_checker_is_an_event(dut, count):
    """Bit by bit: from nothing to 2^bit is one event, also by way of 2^bit - 1; what stands or
    falls is none."""
    bench = Bench(dut)
    await bench.start()
    place = 48 * ["losses", "bit_errors"].index(count)
    for bit in range(48):
        for value, rises in (
            (1 << bit, 1),
            (1 << bit, 0),
            (0, 0),
            ((1 << bit) - 1, bit > 0),
            (1 << bit, 1),
            (0, 0),
        ):
            before = bench.events["prbs"]
            dut.prbs_i.value = value << place
            await cycles(dut.user_clk_i, 4)
            assert bench.events["prbs"] == before + rises, (bit, value)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def why_the_link_is_down(dut):
    """The first reason that applies."""
    bench = Bench(dut)
    await bench.start()

    def reset(level):
        dut.link_rst_i.value = level

    def link_up(level):
        dut.link_up_i.value = level

    first, everywhere = [0], range(bench.lanes)
    steps = [
        (reset, 1, 1), (reset, 0, 2), ("aligned", first, 2), ("aligned", everywhere, 3), ("pause_req", first, 3), ("up", first, 3), ("up", everywhere, 4),
        (bench.state, 3, 6), (bench.state, 2, 4), ("pause_req", [], 5), (bench.state, 0, 6), (bench.state, COMPATIBLE, 5), (link_up, 1, 0),
        ("aligned", first, 2), (reset, 1, 1),
    ]  # fmt: skip
    for what, value, reason in steps:
        if isinstance(what, str):
            bench.lane(what, 0)
            bench.lane(what, 1, value)
        else:
            what(value)
        await cycles(dut.user_clk_i, 4)
        assert await bench.field("link", "reason") == reason, (what, value)
    dut.prbs_i.value = 1 << 4 * 48
    assert await bench.field("link", "prbs_sync") == 1
    assert await bench.field("link", "up") == 1
    assert bench.events["link_up"] == 1 and bench.events["link_down"] == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def streams_and_the_checker(dut):
    """Packets, bytes and waiting of both streams are counted apart; what the checker counts is shown as it is, whole."""
    bench = Bench(dut)
    await bench.start()
    most = params()["UserWidth"] // 8
    wanted = {
        f"{way}_{what}": 0 for way in ("tx", "rx") for what in ("packets", "bytes", "stalled")
    }
    begun = await bench.read("cycles")
    for _ in range(200):
        for way in ("tx", "rx"):
            count, packet, stalled = (
                bench.random.randint(0, most),
                bench.random.getrandbits(1),
                bench.random.getrandbits(1),
            )
            getattr(dut, f"{way}_stream_i").value = count << 2 | packet << 1 | stalled
            for what, value in (("bytes", count), ("packets", packet), ("stalled", stalled)):
                wanted[f"{way}_{what}"] += value
        await RisingEdge(dut.user_clk_i)
    dut.tx_stream_i.value = dut.rx_stream_i.value = 0
    await bench.settle()
    for name, value in wanted.items():
        assert await bench.read(name) == value, name
    assert await bench.read("cycles") - begun >= 200

    names = ("prbs_losses", "prbs_bit_errors", "prbs_skipped", "prbs_bytes")
    for _ in range(4):
        counts = [bench.random.getrandbits(48) for _ in names]
        dut.prbs_i.value = sum(value << 48 * i for i, value in enumerate(counts))
        await cycles(dut.user_clk_i, 2)
        for name, value in zip(names, counts, strict=True):
            assert await bench.read(name) == value, name
        # A word without a register, and a lane that is not there.
        for word in (24, 31, 0x80 | 16 * bench.lanes):
            WORDS["none"] = word
            assert await bench.read("none") == 0, word
        assert await bench.field("link", "prbs_sync") == 0
    for way in ("link_ups", "sessions"):
        assert await bench.read(way) == 0


def test_rifl_observe():
    parameters = {"Lanes": 2, "FrameWidth": 128, "UserWidth": 128, "OffsetWindow": 8}
    build_and_run("rifl_observe", rtl("prim", "axis", "line", "rifl"), parameters, __name__)
