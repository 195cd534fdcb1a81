# SPDX-License-Identifier: Apache-2.0
"""The switch with its registers: tables, settings, events and every counter, over AXI4-Lite by a library that knows nothing of it."""

import os

import cocotb
import pytest
from cocotb.triggers import Lock, Timer
from peer import HEADER_AT, Beat, Header
from switch_bench import SMALL, chosen, offer, settle
from tb_common import build_and_run, cycles, params, rng, rtl
from top_bench import CLK, EVENT_NAMES, REGISTERS, TopBench

COUNTERS = [name for name, node in REGISTERS.items() if name.startswith("observe.")
            and [f.inst_name for f in node.fields()] == ["count"]]  # fmt: skip
OF_PORTS = [name.split(".")[-1] for name in COUNTERS if name.startswith("observe.port[0]")]


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def identity_and_settings(dut):
    """Reset values as described, what can be written, what is refused, and what reads as zero."""
    bench = TopBench(dut, rng("identity"))
    await Timer(1, "ps")
    # The first test: there was no clock yet, and users are in reset all the same.
    assert dut.rst_o.value == 1
    await bench.power_up()
    regs, given = bench.regs, params()
    assert await regs.read("magic") == int.from_bytes(b"SWCH", "big")
    for register, name, parameter in (
        ("parameters", "ports", "Ports"),
        ("parameters", "nodes", "Nodes"),
        ("parameters", "max_words", "MaxWords"),
        ("buffers", "vc_words", "VcWords"),
        ("buffers", "notices", "Notices"),
        ("dead_time", "cycles", "DeadCycles"),
    ):
        assert await regs.field(register, name) == given[parameter], parameter
    await regs.check_reset_values(but=["events"])
    await regs.check_writes(bench.random)
    # What is there stays, in each cycle of the bus: accesses one behind the other see every other.
    for path in (path for path in regs.own() if path != "events"):
        found = await regs.read(path)
        await cycles(dut.axil_clk_i, 1)
        assert await regs.read(path) == found, path
    for address in (0x01C, 0x040, 0xFFC):
        assert not (await regs.word(address))[1], f"{address:#x} is no register"
        assert not await regs.write_word(address, 0)
    # In the page of the switch nothing is refused; what is none, or of no port, is zero.
    for address in (0x1018, 0x17F8, 0x1800 + 0x80 * bench.ports, 0x1FF8):
        assert await regs.word(address) == (0, True)
        assert await regs.write_word(address, 0xFFFFFFFF)
    # No link has come up for DeadCycles.
    await bench.cycle(given["DeadCycles"])
    assert await bench.events_now() == {"cleared", "dead"}
    # Once, not for as long as it lasts.
    await regs.forget_events()
    await bench.cycle(40)
    assert await bench.events_now() == set()


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def counters(dut):
    """Every counter of every port counts what happens at its pins, and nothing else; `clear` clears all."""
    bench = TopBench(dut, rng("counters"))
    await bench.start()
    random = bench.random
    for link in bench.links:
        link.ready_rate = random.choice((1.0, 0.9, 0.6))
    await bench.route(9, [])
    sent = offer(bench, 150)
    lost = [bench.send(bench.packet(p % bench.ports, 9, 2, 3)) for p in range(random.randrange(20))]
    await settle(bench)
    for p, (end, link) in enumerate(zip(bench.ends, bench.links, strict=True)):
        # A packet whose last word has the error mark, and is full.
        header = Header(cls=1, words=2, destination=p, source=p, number=end.number % 4096)
        end.count[1] += 2
        for k, word in enumerate((header.pack() << HEADER_AT, random.getrandbits(512))):
            beat = Beat(word, last=k == 1, user=k == 1)
            link.to_switch.append((bench.now + link.delay, beat))
    await settle(bench)
    for link in bench.links:
        link.ready_rate = 1.0
    await bench.settle_counters()
    for p in range(bench.ports):
        assert await bench.count(p, "tx_stalled") == bench.counts[p, "tx_stalled"]
    for p in range(bench.ports):
        bench.counts[p, "opens"] = bench.counts[p, "rx_aborted"] = 1
        bench.counts[p, "rx_packets"] = sum(k.header.source == p for k in sent + lost)
        bench.counts[p, "dropped"] = sum(k.header.source == p for k in lost)
        bench.counts[p, "notices"] = bench.counts[p, "dropped"]
        for link in bench.links:
            link.ready_rate = 0.0  # no word of credits meanwhile
        for name in OF_PORTS:
            got, wanted = await bench.count(p, name), bench.counts[p, name]
            # What is offered and not taken now goes on being counted.
            fits = got >= wanted if name == "tx_stalled" else got == wanted
            assert fits, f"port {p}, {name}: {got}, not {wanted}"
    assert await bench.regs.read("observe.cycles") > bench.now - 200
    for link in bench.links:
        link.ready_rate = 1.0
    await bench.cycle(200)
    await bench.regs.write("command", clear=1)
    await bench.settle_counters()
    assert await bench.regs.read("observe.cycles") < 1000
    assert {await bench.count(p, name) for p in range(bench.ports) for name in OF_PORTS} == {0}
    assert bench.accounted() == len(lost)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def events_of_links(dut):
    """At every port a link that dies and returns, a loss, a peer that lies: event, interrupt where enabled, state, counters."""
    bench = TopBench(dut, rng("events"))
    await bench.start()
    regs = bench.regs
    every = (1 << bench.ports) - 1
    assert await regs.read("observe.ports") == every << 16 | every
    assert await bench.events_now() == {"cleared", "opened"}
    await regs.write("event_enable", dead=1)
    for port in range(bench.ports):
        await dies_and_returns(bench, port, every & ~(1 << port))
    for port in range(bench.ports):
        await lies(bench, port)


async def dies_and_returns(bench, port, others):
    """The link of a port is cut, a packet to it is lost, and it comes back."""
    dut, regs, link = bench.dut, bench.regs, bench.links[port]
    await regs.forget_events()
    link.cut()
    await bench.cycle(40)
    assert await bench.events_now() == {"closed"} and dut.irq_o.value == 0
    await bench.cycle(500)
    assert await bench.events_now() == {"closed", "dead"} and dut.irq_o.value == 1
    assert await regs.read("observe.ports") == 1 << 32 + port | others << 16 | others
    await regs.forget_events()
    assert dut.irq_o.value == 0
    lost = bench.accounted() + 1
    bench.send(bench.packet((port + 1) % bench.ports, port))
    await bench.until(lambda: len(bench.noticed) == lost)
    await bench.cycle(40)
    assert bench.accounted() == lost and await bench.events_now() == {"loss"}
    link.start(bench.now)
    await bench.until(bench.all_open)
    await bench.cycle(40)
    assert await bench.events_now() == {"loss", "opened"}
    await regs.forget_events()
    await bench.settle_counters()
    assert (await bench.count(port, "opens"), await bench.count(port, "deaths")) == (2, 1)


async def lies(bench, port):
    """A kind that is none; credits that the peer does not have; a number that does not follow."""
    end, link, most = bench.ends[port], bench.links[port], bench.max_words
    to = (port + 1) % bench.ports

    async def lie(counter, words=1, **fields):
        header = Header(**{"cls": 3, "destination": 9, "source": port, "words": words, **fields})
        for k in range(words):
            data = header.pack() << HEADER_AT if k == 0 else k
            link.to_switch.append((bench.now + link.delay, Beat(data, last=k == words - 1)))
        await bench.settle_counters()
        assert await bench.count(port, counter) == 1, counter
        assert "fault" in await bench.events_now(), counter
        await bench.regs.forget_events()

    await lie("rx_malformed", kind=7)
    bench.ends[to].blocked = {3}
    for _ in range(12):
        bench.send(bench.packet(port, to, cls=3, words=most))
    await bench.until(lambda: end.room(3) < most and not link.to_switch)
    await bench.cycle(100)
    await lie("rx_overruns", most, number=end.number % 4096)
    bench.ends[to].blocked = set()
    await settle(bench)
    await lie("rx_gaps", number=(end.number + 5) % 4096)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def marks(dut):
    """No packet is marked with the value after a reset, and those of long queues are with a smaller one."""
    bench = TopBench(dut, rng("marks"))
    await bench.start()
    for words, some in ((None, False), (0x10FF, False), (12, True)):
        if words is not None:
            await bench.regs.write("marks", words=words)
            await bench.cycle(20)
        bench.ends[1].blocked = {1}
        for _ in range(30):
            bench.send(bench.packet(0, 1, cls=1, words=4))
        await bench.cycle(300)
        bench.ends[1].blocked = set()
        await bench.drain()
        assert (bench.ends[1].marked > 2) == some, words


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def salts(dut):
    """The way of each flow is the one that the description gives, for the salt after a reset and for those that are written, whatever bits of source, flow and salt are set."""
    bench = TopBench(dut, rng("salts"))
    random, sent = bench.random, []
    sets = {9: {2, 3}, 10: {0, 1}, 11: {0, 3}, 12: {0, 1, 2, 3}, 13: {1, 2, 3}}
    bench.nodes.update(sets)
    await bench.start()
    for salt in (None, 0, random.getrandbits(16), 0xFFFF, 1 << random.randrange(16)):
        if salt is not None:
            await bench.regs.write("hash", salt=salt)
            await bench.cycle(60)
        for k in range(100):
            source, flow = random.getrandbits(16), random.getrandbits(12)
            packet = bench.packet(source, 9 + k % 5, cls=1 + k % 3, flow=flow)
            sent.append((bench.send(packet, k % bench.ports), salt or 0))
        await bench.drain()
    for packet, salt in sent:
        header = packet.header
        assert bench.got[packet.key][1] == chosen(header, sets[header.destination], salt)


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def routes_are_taken_or_refused(dut):
    """Writes of routes follow each other as fast as the bus can; with the clock of the switch standing still they are refused when there is no room, and told."""
    bench = TopBench(dut, rng("routes"))
    await bench.start()
    regs, nodes = bench.regs, params()["Nodes"]
    await bench.regs.forget_events()
    before = await regs.field("observe.tables", "writes")
    for node in range(nodes + 4):  # four that the tables do not have
        await regs.write("route", node=node)
    await bench.cycle(30)
    assert await regs.field("observe.tables", "writes") == before + nodes
    assert await bench.events_now() == set()

    bench.clock.stop()
    await Timer(10 * CLK, "ps")
    assert await regs.field("status", "route_ready") == 1
    for node in range(4):
        assert await regs.field("status", "route_ready") == 1
        await regs.write("ways", inputs=15, outputs=1 << node)
        await regs.write("route", node=10)
    assert await regs.field("status", "route_ready") == 0
    assert await bench.events_now() == set()
    await regs.write("ways", inputs=15, outputs=1)
    await regs.write("route", node=10)
    assert await bench.events_now() == {"route_lost"}
    assert await regs.read("observe.ports") == (1 << 64) - 1
    assert await bench.events_now() == {"route_lost", "observe_lost"}
    bench.clock.start()
    await bench.cycle(60)
    assert await regs.field("observe.tables", "writes") == before + nodes + 4
    # The last one that was taken holds.
    bench.nodes[10] = {3}
    bench.send(bench.packet(0, 10))
    await bench.until(bench.all_came)
    assert await regs.field("status", "route_ready") == 1


class Episode:
    """Faults of one round, while traffic flows."""

    def __init__(self, bench):
        self.bench, self.random, self.dut = bench, bench.random, bench.dut

    async def some(self, most):
        await Timer(self.random.randrange(1, most * CLK), "ps")

    def width(self):
        return self.random.choice([1, 200, self.random.randrange(1, 80 * CLK)])

    async def pin(self, name):
        """A pulse on a reset, as short as it likes; on that of the bus between two accesses."""
        await self.some(300)
        async with self.bench.access:
            pin = getattr(self.dut, name)
            pin.value = 1
            await Timer(self.width(), "ps")
            pin.value = 0
            if name == "axil_arst_i":
                await cycles(self.dut.axil_clk_i, 12)

    async def clock(self, clock):
        """Stops, or runs at an eighth, for a while."""
        await self.some(300)
        await clock.falter(self.random, self.random.randrange(1, 700 * CLK))

    async def link(self):
        """Is cut, and returns."""
        await self.some(300)
        link = self.random.choice(self.bench.links)
        link.cut()
        await self.some(100)
        link.start(self.bench.now)

    async def run(self):
        random, bench = self.random, self.bench
        offer(bench, random.randrange(80))
        faults = [self.pin(random.choice(["arst_i", "axil_arst_i"]))]
        if random.random() < 0.4:
            faults.append(self.pin(random.choice(["arst_i", "axil_arst_i"])))
        if random.random() < 0.6:
            faults.append(self.clock(bench.clock))
        if random.random() < 0.6:
            faults.append(self.clock(bench.axil_clock))
        if random.random() < 0.3:
            faults.append(self.link())
        tasks = [cocotb.start_soon(fault) for fault in faults]
        # Routes are written and read meanwhile: of either nothing is half done.
        for _ in range(random.randrange(4)):
            async with bench.access:
                node = random.choice(list(bench.nodes))
                await bench.route(node, bench.nodes[node])
        for task in tasks:
            await task


async def come_back(bench):
    """After the last reset the tables are asked for, loaded again, and the switch carries everything."""
    await cycles(bench.dut.axil_clk_i, 30)
    assert "cleared" in await bench.events_now()
    await bench.regs.write("events", cleared=1)
    await bench.load()
    for link in bench.links:
        if not link.up:
            link.start(bench.now)
    every = (1 << bench.ports) - 1
    while await bench.regs.field("observe.ports", "open") != every or not bench.all_open():
        pass
    await settle(bench)
    got = len(bench.got)
    offer(bench, 60)
    await settle(bench)
    assert len(bench.got) == got + 60, f"{len(bench.got) - got} of 60 came"


@cocotb.test()
async def any_clock_any_reset(dut):
    """Episodes of resets while clocks stop and slow down: nothing comes twice, changed or late, the switch asks for its tables and goes on."""
    bench = TopBench(dut, rng("any clock"))
    bench.access = Lock()
    await bench.start()
    for _ in range(int(os.environ["EPISODES"])):
        await Episode(bench).run()
        await come_back(bench)
        await bench.regs.forget_events()
        await bench.settle_counters()
        # Nothing happens any more, and nothing is reported.
        assert await bench.events_now() == set(), EVENT_NAMES


def run(episodes, testcase=None):
    build_and_run(
        "switch_top",
        rtl("prim", "switch"),
        parameters=SMALL,
        test_module=__name__,
        testcase=testcase,
        sync_jitter=True,
        env={"EPISODES": str(episodes)},
    )


def test_switch_top():
    run(30)


@pytest.mark.long
def test_switch_top_clocks():
    run(1000, "any_clock_any_reset")
