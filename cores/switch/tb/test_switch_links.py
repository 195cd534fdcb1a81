# SPDX-License-Identifier: Apache-2.0
"""switch_core when links die, peers lie and things are reset: what is lost is known to its source."""

import os
from collections import Counter

import cocotb
import pytest
from peer import BODY_MASK, HEADER_AT, Beat, Header
from switch_bench import SMALL, Bench, offer, settle
from tb_common import build_and_run, params, rng, rtl


@cocotb.test()
async def a_cut_at_an_input(dut):
    """The link of an input is cut in the middle of packets, and returns: what its end sent and the switch did not get whole is lost, and no more."""
    bench = Bench(dut, rng("cut input"))
    await bench.start()
    for _ in range(12):
        offer(bench, 20, sources=[0])
        await bench.cycle(bench.random.randint(5, 60))
        bench.links[0].cut()
        await bench.cycle(bench.random.randint(5, 60))
        bench.links[0].start(bench.now)
        await bench.cycle(100)
    await settle(bench)
    assert bench.accounted() > 0
    assert bench.ends[0].own_lost and bench.events[0, "aborted"] > 2


@cocotb.test()
async def a_cut_at_an_output(dut):
    """The link of an output is cut and returns: what was on it makes a notice to its source, what waited goes on."""
    bench = Bench(dut, rng("cut output"))
    await bench.start()
    for _ in range(12):
        offer(bench, 40, sources=[0, 1, 2], destinations=[3])
        await bench.cycle(bench.random.randint(20, 80))
        bench.links[3].cut()
        await bench.cycle(bench.random.randint(5, 60))
        bench.links[3].start(bench.now)
        await bench.cycle(100)
    await settle(bench)
    lost = bench.accounted()
    assert 12 <= lost < 200, lost
    assert {reason for reasons in bench.noticed.values() for reason in reasons} == {1}
    assert not any(end.own_lost for end in bench.ends[:3])


@cocotb.test()
async def credits_of_the_former_session(dut):
    """A word of credits that waited for the link when its session ended comes first in the next one: it says less than is true, and what has arrived is not told as lost."""
    bench = Bench(dut, rng("former session"))
    await bench.start()
    for _ in range(10):
        end, link = bench.ends[3], bench.links[3]
        waiting = end.credit()
        packets = offer(bench, 4, sources=[0], destinations=[3], classes=[2])
        await bench.until(lambda p=packets: all(packet.key in bench.got for packet in p))
        link.cut()  # with the answers on their way
        await bench.cycle(bench.random.randint(5, 60))
        link.start(bench.now)
        await bench.cycle()
        link.to_switch.appendleft((bench.now, waiting))
        await bench.until(lambda: bench.all_open() and bench.restarted())
        await bench.drain()
    assert bench.accounted() == 0


async def cuts(bench, sources, cut):
    """Links are cut and return at random, among traffic."""
    await bench.start()
    for _ in range(25):
        offer(bench, 60, sources=sources)
        await bench.cycle(bench.random.randint(20, 150))
        for p in bench.random.sample(cut, bench.random.randint(1, 2)):
            bench.links[p].cut()
            late = bench.random.choice(((0, 0), (0, 150), (150, 0), (3, 40)))
            bench.links[p].start(bench.now + bench.random.randint(1, 60), *late)
        await bench.until(bench.all_open, 3000)
    await settle(bench)
    assert len(bench.got) > len(bench.sent) * 0.6


@cocotb.test()
async def cuts_of_receivers(dut):
    """Links of receivers are cut and return at random: every packet arrives once, or its source gets one notice."""
    bench = Bench(dut, rng("cuts"))
    await cuts(bench, [0, 1], [2, 3])
    assert bench.accounted() > 20
    assert not any(end.own_lost for end in bench.ends[:2])


@cocotb.test()
async def cuts_everywhere(dut):
    """All links are cut and return at random: nothing comes twice, changed or out of order, and traffic goes on."""
    bench = Bench(dut, rng("cuts everywhere"))
    await cuts(bench, range(bench.ports), range(bench.ports))
    before = len(bench.got)
    offer(bench, 200)
    await settle(bench)
    assert len(bench.got) == before + 200


@cocotb.test()
async def a_dead_link(dut):
    """A link that does not return: what waited for it is given up with a notice, so is what comes later; it is alive again when it returns."""
    bench = Bench(dut, rng("dead"))
    await bench.start()
    bench.links[2].cut()
    offer(bench, 30, sources=[0, 1, 3], destinations=[2])
    await bench.cycle(200)
    offer(bench, 100, sources=[0, 1, 3], destinations=[0, 1, 3])
    await bench.until(lambda: all(end.idle() for end in bench.ends), 5000)
    await bench.cycle(1500)
    offer(bench, 20, sources=[0, 1, 3], destinations=[2])
    await bench.cycle(600)
    assert bench.accounted() == 50
    reasons = {reason for reasons in bench.noticed.values() for reason in reasons}
    assert {2, 3} <= reasons <= {1, 2, 3}, reasons
    bench.links[2].start(bench.now)
    await bench.until(bench.all_open, 1000)
    offer(bench, 50)
    await settle(bench)
    assert bench.accounted() == 50


@cocotb.test()
async def silent_for_long(dut):
    """A peer that answers no hello before its port counts as dead, under traffic for it.

    The port opens soon after the answer, and sends nothing beyond the memory of the peer.
    """
    bench = Bench(dut, rng("silent"), memory=params()["VcWords"])
    await bench.start()
    end, link, choice = bench.ends[3], bench.links[3], bench.random.choice

    async def traffic(cycles, words, done=lambda: False):
        """Packets for the peer until `done`, for `cycles` at most."""
        for _ in range(cycles):
            for source in range(3):
                waits = sum(map(len, bench.ends[source].queue))
                if waits < 8 and bench.random.random() < rate:
                    bench.send(bench.packet(source, 3, choice(range(4)), choice(words)))
            await bench.cycle()
            if done():
                return

    for words in ((1,), (1, bench.max_words), (bench.max_words,)) * 6:
        rate = choice((0.03, 0.1, 0.2, 1.0))
        for source in bench.ends[:3]:
            source.gap = choice((0.0, 0.8, 0.9))
        # Its memory is full, of some classes, and stays so.
        end.free_rate = 1.0 if choice((True, False)) else 0.0
        await traffic(200, words)
        end.silent = True
        link.cut()
        link.start(bench.now + 5)
        await traffic(choice((550, *range(380, 460))), words)
        end.silent = False
        await traffic(100, words, bench.restarted)
        assert bench.restarted(), "the port does not open under traffic"
        await traffic(50, words)
        end.free_rate = 0.4
        await traffic(300, words)
        end.free_rate = 1.0
        await settle(bench)
        told = sum(map(len, bench.noticed.values()))
        untold = sum(bench.events[p, "untold"] for p in range(bench.ports))
        assert len(bench.sent) - len(bench.got) <= told + untold
    assert bench.noticed and bench.got


@cocotb.test()
async def another_way(dut):
    """Of two ports that lead to a node one dies: what comes from then on takes the other one."""
    bench = Bench(dut, rng("another way"))
    bench.nodes[9] = {2, 3}
    await bench.start()
    bench.links[3].cut()
    await bench.cycle(20)
    offer(bench, 100, sources=[0, 1], destinations=[9])
    # What the senders have sent may wait for the one port for long.
    await bench.until(lambda: len(bench.got) == 100, 3000)
    await bench.cycle(100)
    assert bench.accounted() == 0 and len(bench.got) == 100
    assert {port for _, port in bench.got.values()} == {2}


@cocotb.test()
async def hello_races(dut):
    """The two ends see link-up up to 300 cycles apart, either first: both get to open, and nothing of before counts."""
    bench = Bench(dut, rng("races"))
    late = [(0, 300), (300, 0), (0, 1), (1, 0)]
    await bench.start(late)
    for k in range(10):
        offer(bench, 30)
        await bench.cycle(100)
        for p, link in enumerate(bench.links):
            link.cut()
            link.start(bench.now + 1 + bench.random.randrange(10), *late[(p + k) % len(late)])
        await bench.until(bench.all_open, 2000)
    await settle(bench)
    bench.accounted()


@cocotb.test()
async def no_way_and_no_hops(dut):
    """A destination without a route, beyond the table, or without hops left: dropped, counted, and its source gets a notice."""
    bench = Bench(dut, rng("no way"))
    await bench.start()
    for destination, hops, reason in ((12, 7, 3), (999, 7, 3), (1, 0, 4)):
        for _ in range(20):
            words = bench.random.randint(1, bench.max_words)
            bench.send(bench.packet(0, destination, 2, words, flow=reason, hops=hops))
        await settle(bench)
        reasons = [
            each
            for line, found in bench.noticed.items()
            if line[1] == destination
            for each in found
        ]
        assert reasons == [reason] * 20
    assert bench.events[0, "dropped"] == 60 == bench.accounted()
    # The memory of what was dropped is free again.
    offer(bench, 200, sources=[0])
    await settle(bench)
    assert bench.accounted() == 60


@cocotb.test()
async def sources_beyond_the_tables(dut):
    """Losses of sources that the tables do not have make no notice, whatever bits their numbers share with those of nodes; losses of the nodes make one each, with its reason."""
    bench = Bench(dut, rng("beyond"))
    await bench.start()
    random, nodes = bench.random, params()["Nodes"]
    beyond = [1 << bit for bit in range(16) if 1 << bit >= nodes]
    unknown = []

    def lose(port, destination, **fields):
        """A packet of the node of a port, and of each source that differs from it in one bit."""
        for bit in random.sample([0, *beyond], 1 + len(beyond)):
            packet = bench.packet(
                port | bit,
                destination,
                random.randint(1, 3),
                random.randint(1, 4),
                random.getrandbits(12),
                **fields,
            )
            bench.send(packet, port)
            if bit:
                unknown.append(packet.key)

    for port, link in enumerate(bench.links):
        near = (port + 1) % bench.ports
        lose(port, 12)  # no route
        lose(port, near, hops=0)
        await settle(bench)
        # All of the next ones are on the link when it is cut.
        link.delay = 200
        lose(near, port)
        await bench.until(bench.ends[near].idle)
        await bench.cycle(100)
        link.cut()
        # It stays dead, and the last ones wait for it.
        lose(near, port)
        await bench.cycle(800)
        link.delay = 5
        link.start(bench.now)
        await bench.until(lambda: bench.all_open() and bench.restarted(), 2000)
        await settle(bench)
    assert not any(key in bench.got for key in unknown)
    assert sum(bench.events[p, "notice"] for p in range(bench.ports)) == len(bench.sent)
    for key in unknown:
        del bench.sent[key]
    assert bench.accounted() == 4 * bench.ports
    told = Counter(reason for reasons in bench.noticed.values() for reason in reasons)
    assert told == dict.fromkeys((1, 2, 3, 4), bench.ports)


@cocotb.test()
async def lost_notices(dut):
    """A notice that is lost makes none, and counts as untold: on the link, and in the memory of a port that is dead."""
    bench = Bench(dut, rng("notices"))
    await bench.start()

    def counts(port):
        return bench.events[port, "notice"], bench.events[port, "untold"]

    for port, link in enumerate(bench.links):
        for blocked in (0, 1):
            notices, untold = counts(port)
            link.delay, link.ready_rate = 200, 1.0 - blocked
            await bench.cycle(10)
            bench.send(bench.packet(port, 12), port)  # no route
            # The notice is on the link, or waits for it.
            await bench.cycle(300)
            assert counts(port) == (notices + 1, untold)
            link.cut()
            await bench.cycle(800)
            link.delay, link.ready_rate = 5, 1.0
            link.start(bench.now)
            await bench.until(lambda: bench.all_open() and bench.restarted(), 2000)
            await settle(bench)
            assert counts(port) == (notices + 1, untold + 1), f"port {port}, blocked {blocked}"
    assert not bench.noticed


@cocotb.test()
async def a_peer_that_lies(dut):
    """Wrong kind, length, credits, ends, error marks: counted and dropped or aborted, and the port goes on with the next packet."""
    bench = Bench(dut, rng("lies"))
    await bench.start()
    end, link = bench.ends[0], bench.links[0]

    async def lie(words, count, marked=None, **fields):
        """`count` words of which the first one says `words`, all full; one may have the error mark."""
        await bench.until(lambda: end.idle() and not link.to_switch)
        await bench.cycle(30)
        kept = {"words": words, "destination": 1, "epoch": 15, "limits": (1 << 48) - 1}
        header = Header(**{**kept, "cls": 1, "number": end.number % 4096, **fields})
        for k in range(count):
            data = bench.random.getrandbits(512)
            data = data & BODY_MASK | header.pack() << HEADER_AT if k == 0 else data
            beat = Beat(data, last=k == count - 1, user=k == marked)
            link.to_switch.append((bench.now + link.delay, beat))
        before = dict(bench.events)
        await bench.cycle(40)
        offer(bench, 10, sources=[0])
        await settle(bench)
        bench.accounted()
        names = ("malformed", "overrun", "aborted")
        return {n: m for n in names if (m := bench.events[0, n] - before.get((0, n), 0))}

    most = bench.max_words
    for _ in range(3):
        assert await lie(1, 1, kind=7) == {"malformed": 1}
        assert await lie(3, 3, kind=0) == {"malformed": 1}
        assert await lie(0, 1) == {"malformed": 1}
        assert await lie(most + 1, most + 1) == {"malformed": 1}
        assert await lie(2, 2, kind=2) == {"malformed": 1}
        assert await lie(1, 5) == {"malformed": 1}
        assert await lie(4, 1) == {"malformed": 1}
        # Words that were within its credits: it counts them, and gets them back.
        for words, count in ((4, 2), (4, 6), (most, most - 1), (2, 40)):
            end.count[1] += words
            assert await lie(words, count) == {"aborted": 1}
        assert await lie(1, 1, marked=0) == {}  # the end of nothing
        assert await lie(3, 3, marked=0) == {"malformed": 1}
        for marked in (1, 2):
            end.count[1] += 3
            assert await lie(3, 3, marked) == {"aborted": 1}
    assert bench.ends[1].voids == 18
    # Beyond its credits: the memory of its class is full, and it sends one more.
    bench.ends[1].blocked = {3}
    for _ in range(12):
        bench.send(bench.packet(0, 1, cls=3, words=most))
    await bench.until(lambda: end.room(3) < most and not link.to_switch)
    await bench.cycle(100)
    kept = dict(bench.events)
    header = Header(cls=3, words=most, destination=1, source=0, number=end.number % 4096)
    for k in range(most):
        data = header.pack() << HEADER_AT if k == 0 else k
        link.to_switch.append((bench.now + link.delay, Beat(data, last=k == most - 1)))
    await bench.cycle(50)
    assert bench.events[0, "overrun"] == kept.get((0, "overrun"), 0) + 1
    bench.ends[1].blocked = set()
    await settle(bench)
    bench.accounted()
    assert all(bench.events[p, "overrun"] == 0 for p in range(1, bench.ports))


@cocotb.test()
async def resets_of_the_switch(dut):
    """The switch is reset among traffic, its links go on: what was inside is lost, nothing comes twice, changed or late, and traffic goes on."""
    bench = Bench(dut, rng("resets"))
    await bench.start()
    for _ in range(8):
        offer(bench, 60)
        await bench.cycle(bench.random.randint(30, 120))
        await bench.reset(bench.random.randint(1, 4))
        await bench.until(lambda: bench.all_open() and bench.restarted(), 2000)
    await settle(bench)
    # What comes now comes.
    before = len(bench.got)
    offer(bench, 200)
    await settle(bench)
    assert len(bench.got) == before + 200
    assert sum(end.voids for end in bench.ends) > 0


@cocotb.test()
async def resets_of_a_peer(dut):
    """A peer is reset among traffic, its link goes on: both ends start again, and every loss is known."""
    bench = Bench(dut, rng("peer resets"))
    await bench.start()
    for _ in range(12):
        offer(bench, 60, sources=[0, 1])
        await bench.cycle(bench.random.randint(30, 120))
        bench.ends[bench.random.choice((2, 3))].reset()
        await bench.until(bench.all_open, 2000)
    await settle(bench)
    bench.accounted(exact=False)
    before = len(bench.got)
    offer(bench, 200)
    await settle(bench)
    assert len(bench.got) == before + 200


class Campaign:
    """Rounds of some hundred packets, each with something else in their way, and what is known of them at its end."""

    def __init__(self, bench):
        self.bench, self.random = bench, bench.random
        self.packets = self.lost = 0
        self.rounds = [
            self.uniform,
            self.incast,
            self.blocked_class,
            self.blocked_receivers,
            self.slow_links,
            self.cut_receivers,
            self.dead_receivers,
            self.cut_anyone,
            self.reset_receivers,
            self.reset_switch,
        ]

    async def run(self, kind):
        """One round; the bench forgets its packets, so that a million of them have room."""
        bench = self.bench
        await kind()
        await settle(bench)
        for link, end in zip(bench.links, bench.ends, strict=True):
            link.ready_rate = end.free_rate = 1.0
            end.blocked = set()
        self.packets += len(bench.sent)
        own = [end.own_lost for end in bench.ends]
        for known in (bench.sent, bench.got, bench.noticed, bench.told, *own):
            known.clear()

    async def all_came(self):
        await self.bench.drain()
        assert self.bench.accounted() == 0

    async def uniform(self):
        offer(self.bench, 400, classes=range(4))
        await self.all_came()

    async def incast(self):
        offer(self.bench, 300, destinations=[self.random.randrange(self.bench.ports)])
        await self.all_came()

    async def blocked_class(self):
        """Of one receiver, or of all: the others go on, and it, too, later."""
        bench, blocked = self.bench, self.random.randrange(4)
        for end in self.random.choice([bench.ends, [self.random.choice(bench.ends)]]):
            end.blocked = {blocked}
        sent = offer(bench, 300, classes=range(4))
        free = [packet.key for packet in sent if packet.header.cls != blocked]
        # The sources have a queue for each class.
        await bench.until(lambda: all(key in bench.got for key in free))
        for end in bench.ends:
            end.blocked = set()
        await self.all_came()

    async def blocked_receivers(self):
        some = self.random.sample(self.bench.ends, 2)
        for end in some:
            end.blocked = set(range(4))
        offer(self.bench, 300)
        await self.bench.cycle(self.random.randrange(300))
        for end in some:
            end.blocked = set()
        await self.all_came()

    async def slow_links(self):
        for link, end in zip(self.bench.links, self.bench.ends, strict=True):
            link.ready_rate = self.random.choice((1.0, 0.5, 0.1))
            end.free_rate = self.random.choice((1.0, 0.5, 0.3))
        offer(self.bench, 200)
        await self.all_came()

    async def cut(self, link, pauses):
        await self.bench.cycle(self.random.randrange(20, 150))
        link.cut()
        late = self.random.choice(((0, 0), (0, 150), (150, 0), (3, 40)))
        link.start(self.bench.now + self.random.choice(pauses), *late)
        await self.bench.until(self.bench.all_open, 3000)

    async def cut_receivers(self):
        """Every packet comes once, or its source has one notice."""
        await self.cuts_of_receivers((1, 30, 60), exact=True)

    async def dead_receivers(self):
        """A notice comes for what may have arrived, too: the link does not return in time to say it."""
        await self.cuts_of_receivers((600,), exact=False)

    async def cuts_of_receivers(self, pauses, exact):
        offer(self.bench, 200, sources=[0, 1])
        for _ in range(2):
            await self.cut(self.bench.links[self.random.choice((2, 3))], pauses)
        await settle(self.bench)
        self.lost += self.bench.accounted(exact)
        assert not any(end.own_lost for end in self.bench.ends[:2])

    async def cut_anyone(self):
        """Nothing comes twice, changed or out of order; a notice may be lost itself."""
        offer(self.bench, 200)
        for _ in range(2):
            await self.cut(self.random.choice(self.bench.links), (1, 30, 60, 600))

    async def reset_receivers(self):
        """A notice may come for a packet that has arrived."""
        offer(self.bench, 200, sources=[0, 1])
        await self.bench.cycle(self.random.randrange(30, 120))
        self.bench.ends[self.random.choice((2, 3))].reset()
        await self.bench.until(self.bench.all_open, 2000)
        await settle(self.bench)
        self.lost += self.bench.accounted(exact=False)

    async def reset_switch(self):
        bench = self.bench
        offer(bench, 200)
        await bench.cycle(self.random.randrange(30, 120))
        await bench.reset(self.random.randint(1, 4))
        await bench.until(lambda: bench.all_open() and bench.restarted(), 2000)


@cocotb.test()
async def campaign(dut):
    """Rounds with something in the way of the packets, 10 000 of them (a million for long): incast, blocked classes and receivers, slow and cut links, resets of a receiver and of the switch."""
    bench = Bench(dut, rng("campaign"))
    await bench.start()
    rounds = Campaign(bench)
    while rounds.packets < int(os.environ.get("PACKETS", "10000")):
        for kind in bench.random.sample(rounds.rounds, len(rounds.rounds)):
            await rounds.run(kind)
    assert rounds.lost > 0
    dut._log.info("%d packets, %d lost and told", rounds.packets, rounds.lost)


@pytest.mark.long
def test_a_million_packets(monkeypatch):
    monkeypatch.setenv("TB_TIMEOUT", "7200")
    run(testcase="campaign", env={"PACKETS": "1000000"})


def test_switch_links():
    run()


def run(**options):
    build_and_run(
        "switch_core",
        rtl("prim", "switch"),
        parameters=SMALL,
        test_module=__name__,
        **options,
    )
