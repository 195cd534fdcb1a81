# SPDX-License-Identifier: Apache-2.0
"""switch_core among ends of links that are written from the description alone: what it promises."""

import itertools

import cocotb
from switch_bench import SMALL, Bench, chosen
from tb_common import build_and_run, rng, rtl


@cocotb.test()
async def latency(dut):
    """Head of a packet, s_axis to m_axis, idle: exactly 7 cycles for every pair of ports."""
    bench = Bench(dut, rng("latency"), delay=0)
    await bench.start()
    for i in range(bench.ports):
        for j in range(bench.ports):
            packet = bench.packet(i, j, cls=1 + (i + j) % 3, words=3)
            bench.send(packet)
            began = bench.now + 1  # the cycle in which the word is put at s_axis
            await bench.until(lambda key=packet.key: key in bench.got, 50)
            # The last word leaves 2 cycles behind the first one, and is taken at the end of its
            # cycle.
            took = bench.got[packet.key][0] - began - 2 - 1
            assert took == 7, f"{i} to {j}: {took} cycles"
            await bench.cycle(20)


@cocotb.test()
async def full_rate_of_a_pair(dut):
    """One pair, packets of any length: a word in every cycle, but for words of credits."""
    bench = Bench(dut, rng("pair"), delay=1)
    await bench.start()
    for words in (1, 2, 5, bench.max_words):
        count = 400 // words
        for _ in range(count):
            bench.send(bench.packet(0, 1, cls=2, words=words))
        before, began = bench.words_out[1], bench.now
        await bench.drain(2000)
        moved = bench.words_out[1] - before
        last = max(cycle for cycle, _ in bench.got.values())
        rate = moved / (last - began)
        dut._log.info("packets of %d words: %.3f words a cycle", words, rate)
        assert moved == count * words and rate > 0.93


async def random_traffic(bench, packets, load=0.7, destinations=None, limit=60000):
    """Packets of all kinds from everyone to everyone."""
    random = bench.random
    for _ in range(packets):
        source = random.randrange(bench.ports)
        chosen = destinations or list(bench.nodes)
        words = random.choice((1, 1, 2, 3, bench.max_words, random.randint(1, bench.max_words)))
        bench.send(
            bench.packet(
                source,
                random.choice(chosen),
                random.randrange(4),
                words,
                random.randrange(4),
                random.random() < 0.2,
            )
        )
    for end in bench.ends:
        end.gap = 1 - load
    await bench.drain(limit)
    for end in bench.ends:
        end.gap = 0.0


@cocotb.test()
async def ten_thousand_packets(dut):
    """10 000 packets of all classes and lengths: each arrives once, unchanged, in order within its flow and class."""
    bench = Bench(dut, rng("ten thousand"))
    await bench.start()
    for k in range(10):
        for link in bench.links:
            link.ready_rate = bench.random.choice((1.0, 0.9, 0.5))
        for end in bench.ends:
            end.free_rate = bench.random.choice((1.0, 0.8))
        await random_traffic(bench, 1000, 1.0 if k % 2 else 0.7)
    assert len(bench.got) == 10000 and bench.accounted() == 0
    # Numbers and limits went around.
    assert all(end.number > 2 * 1024 for end in bench.ends)


@cocotb.test()
async def wraps(dut):
    """Limits and numbers pass 4096 several times on one link."""
    bench = Bench(dut, rng("wraps"), delay=1)
    await bench.start()
    for _ in range(9000):
        bench.send(bench.packet(0, 2, cls=3))
    await bench.drain(12000)
    assert bench.ends[0].number > 2 * 4096 and bench.accounted() == 0


@cocotb.test()
async def last_words_of_credits(dut):
    """A peer again and again uses the last word of its credits, with limits below and above 2048."""
    bench = Bench(dut, rng("last words"), delay=1, memory=16)
    await bench.start()
    # Without pauses of the lines the limits would step by two words, and all be even.
    for link in bench.links:
        link.ready_rate = 0.8
    # Nothing goes to those that send: what they may send is said to them at once.
    for senders in ((0, 2), (1, 3)):
        for _ in range(2800):
            for port in senders:
                bench.send(bench.packet(port, port ^ 1, cls=3))
        used = dict.fromkeys(senders, 0)
        while not (all(end.idle() for end in bench.ends) and bench.all_came()):
            for end in bench.ends:
                end.blocked = {3} if bench.random.random() < 0.3 else set()
            for _ in range(150):
                await bench.cycle()
                for port in senders:
                    used[port] += bench.ends[port].room(3) == 0
            assert bench.now < 60000
        assert bench.accounted() == 0 and min(used.values()) > 100


@cocotb.test()
async def the_greeting_is_repeated(dut):
    """An end that hears only the fifth greeting: the switch says it again every 64 cycles until it is answered."""
    bench = Bench(dut, rng("greeting"))
    heard = [[] for _ in bench.ends]

    def deaf(end, times):
        receive = end.receive

        def listen(beat):
            times.append(bench.now)
            if len(times) > 4:
                receive(beat)

        end.receive = listen

    for end, times in zip(bench.ends, heard, strict=True):
        deaf(end, times)
    await bench.reset()
    for link in bench.links:
        link.start(bench.now)
    await bench.until(bench.all_open, 6 * 64)
    for times in heard:
        # Those before answer the greeting of the end; from there on it is the clock.
        gaps = [b - a for a, b in itertools.pairwise(times[2:5])]
        assert len(gaps) == 2 and all(60 <= gap <= 68 for gap in gaps), times


@cocotb.test()
async def credits_only_when_there_is_something_to_say(dut):
    """A link at rest carries no word of credits but the greeting, whatever numbers its last packets had."""
    bench = Bench(dut, rng("rest"))
    await bench.start()
    for _ in range(24):
        for port in range(bench.ports):
            for _ in range(bench.random.randrange(1, 8)):
                to = bench.random.randrange(bench.ports)
                words = bench.random.randint(1, bench.max_words)
                bench.send(bench.packet(port, to, bench.random.randrange(4), words))
        await bench.drain()
        await bench.cycle(100)
        before = dict(bench.events)
        await bench.cycle(200)
        for port in range(bench.ports):
            said = bench.events[port, "credit"] - before.get((port, "credit"), 0)
            assert said <= 1, f"port {port}: {said} words of credits in 200 cycles of rest"


@cocotb.test()
async def incast(dut):
    """All inputs to one output: nothing is lost, and everyone gets his share."""
    bench = Bench(dut, rng("incast"))
    await bench.start()
    for source in range(bench.ports):
        for _ in range(300):
            bench.send(bench.packet(source, 1, cls=1 + bench.random.randrange(3), words=4))
    await bench.cycle(2000)
    shares = [sum(key[0] == source for key in bench.got) for source in range(bench.ports)]
    assert max(shares) - min(shares) <= 6, shares
    await bench.drain()
    assert bench.accounted() == 0


@cocotb.test()
async def a_class_that_sends_little_passes_bulk(dut):
    """Beside bulk of three inputs a packet of another class waits for the packet that is being sent, and not for the turns of the inputs; also when that class has sent as much before."""
    bench = Bench(dut, rng("little"), delay=0)
    await bench.start()
    before = []
    for source in (0, 2, 3):
        for cls in (1, 2):
            for _ in range(20 + bench.random.randrange(8)):
                words = bench.random.randint(1, bench.max_words)
                before.append(bench.send(bench.packet(source, 1, cls=cls, words=words)))
        for _ in range(400):
            bench.send(bench.packet(source, 1, cls=3, words=bench.max_words))
    await bench.until(lambda: all(packet.key in bench.got for packet in before))
    # From as much as the other classes to half of that, at a word a cycle.
    await bench.cycle(200)
    worst = 0
    for _ in range(100):
        packet = bench.send(bench.packet(1, 1, cls=1 + bench.random.randrange(2)))
        began = bench.now + 1
        await bench.until(lambda key=packet.key: key in bench.got, 500)
        worst = max(worst, bench.got[packet.key][0] - began - 1)
        await bench.cycle(bench.random.randrange(20, 40))
    assert any(bench.ends[source].queue[3] for source in (0, 2, 3))
    dut._log.info("worst: %d cycles", worst)
    # Idle latency, a packet of bulk, and a word of credits on either link.
    assert worst <= 7 + bench.max_words + 2
    await bench.drain()
    assert bench.accounted() == 0


@cocotb.test()
async def classes_share_an_output(dut):
    """Classes that want all of an output get the same share of its words, whatever the lengths of their packets and however many inputs they have."""
    bench = Bench(dut, rng("shares"), delay=0, memory=256)
    await bench.start()
    lengths = {1: 1, 2: 3, 3: bench.max_words}
    for source, cls in ((0, 1), (1, 2), (2, 3), (3, 3)):
        for _ in range(1500 // lengths[cls]):
            bench.send(bench.packet(source, 1, cls, lengths[cls]))
    await bench.cycle(200)
    began = dict(bench.got)
    await bench.cycle(1500)
    words = dict.fromkeys(lengths, 0)
    for key in bench.got.keys() - began.keys():
        words[bench.sent[key].header.cls] += bench.sent[key].header.words
    dut._log.info("words by class: %s", words)
    assert all(any(end.queue[cls] for end in bench.ends) for cls in words)
    assert max(words.values()) - min(words.values()) <= 0.05 * sum(words.values()), words
    await bench.drain(30000)
    assert bench.accounted() == 0


@cocotb.test()
async def a_blocked_class_blocks_no_other(dut):
    """A receiver stops taking one class of four: the other three go on at their rate, from every input."""
    bench = Bench(dut, rng("blocked class"))
    await bench.start()
    for blocked in range(4):
        bench.ends[1].blocked = {blocked}
        for source in range(bench.ports):
            for _ in range(60):
                bench.send(bench.packet(source, 1, cls=blocked, words=4))
        await bench.cycle(600)
        waiting = {key for key in bench.sent if key not in bench.got}
        assert len(waiting) > 100
        for source in range(bench.ports):
            for cls in {0, 1, 2, 3} - {blocked}:
                for destination in range(bench.ports):
                    bench.send(bench.packet(source, destination, cls, words=3))
        began = bench.now
        await bench.until(lambda w=waiting: len(bench.got) >= len(bench.sent) - len(w), 3000)
        others = {key for key in bench.sent if key not in bench.got}
        assert others <= waiting
        assert bench.now - began < 900
        bench.ends[1].blocked = set()
        await bench.drain()
    assert bench.accounted() == 0


@cocotb.test()
async def a_blocked_output_blocks_no_other(dut):
    """A receiver stops taking anything: what goes to the other outputs in other classes, or waits behind nothing, goes on."""
    bench = Bench(dut, rng("blocked output"))
    await bench.start()
    bench.ends[3].blocked = {0, 1, 2, 3}
    # Within what the memory of an input holds of a class, every output is open to it.
    for source in range(bench.ports):
        for _ in range(4):
            bench.send(bench.packet(source, 3, cls=1, words=4))
    await bench.cycle(300)
    waiting = {key for key in bench.sent if key not in bench.got}
    for source in range(bench.ports):
        for _ in range(100):
            bench.send(bench.packet(source, bench.random.randrange(3), cls=1, words=3))
    await bench.until(lambda: len(bench.got) >= len(bench.sent) - len(waiting), 4000)
    bench.ends[3].blocked = set()
    await bench.drain()
    assert bench.accounted() == 0


@cocotb.test()
async def several_paths(dut):
    """A node behind two ports: flows spread over both, a flow keeps its port; spread goes by load."""
    bench = Bench(dut, rng("paths"))
    bench.nodes[9] = {2, 3}
    await bench.start()
    for k in range(400):
        bench.send(bench.packet(k % 2, 9, cls=1, words=2, flow=k % 64))
    await bench.drain()
    ports = {}
    for key, (_, port) in bench.got.items():
        header = bench.sent[key].header
        ports.setdefault((header.source, header.flow), set()).add(port)
    assert all(len(used) == 1 for used in ports.values())
    split = sum(used == {2} for used in ports.values())
    # Of 64 flows; the hash is fixed, so is this number.
    assert 16 <= split <= 48, f"{split} of {len(ports)} flows by port 2"
    # One of the two is slow: what may be spread avoids it.
    bench.links[2].ready_rate = 0.1
    before = dict(bench.got)
    for _ in range(400):
        bench.send(bench.packet(0, 9, cls=2, words=2, spread=1))
    await bench.drain()
    slow = sum(port == 2 for key, (_, port) in bench.got.items() if key not in before)
    assert slow < 160, f"{slow} of 400 by the slow port"


@cocotb.test()
async def salts(dut):
    """The way of each flow is the one that the description gives, for any salt; two salts choose independently."""
    bench = Bench(dut, rng("salts"))
    sets = {9: {2, 3}, 10: {0, 1}, 11: {0, 3}, 12: {0, 1, 2, 3}, 13: {1, 2, 3}}
    bench.nodes.update(sets)
    await bench.start()
    ways = []
    for salt in (0, 1, bench.random.randrange(2, 65536)):
        await bench.drain()
        dut.hash_salt_i.value = salt
        await bench.cycle(14)
        packets = [
            bench.send(
                bench.packet(
                    bench.random.getrandbits(16) if k % 5 else k % 2,
                    9 + k % 5,
                    cls=1 + k % 3,
                    flow=bench.random.randrange(4096) if k % 5 else k,
                ),
                k % 2,
            )
            for k in range(400)
        ]
        await bench.drain()
        for packet in packets:
            port = bench.got[packet.key][1]
            assert port == chosen(packet.header, sets[packet.header.destination], salt)
        ways.append([bench.got[p.key][1] for p in packets if p.header.destination == 9])
    alike = sum(a == b for a, b in zip(ways[0], ways[1], strict=True))
    assert 20 <= alike <= 60, f"{alike} of {len(ways[0])} flows alike"


@cocotb.test()
async def marks(dut):
    """A packet is marked that leaves a long queue, and no other."""
    bench = Bench(dut, rng("marks"))
    dut.mark_words_i.value = 12
    await bench.start()
    for k in range(40):
        bench.send(bench.packet(0, 1, cls=1, words=4))
        if k % 4 == 3:
            await bench.cycle(30)
    await bench.drain()
    assert sum(end.marked for end in bench.ends) == 0
    bench.ends[1].blocked = {1}
    for _ in range(30):
        bench.send(bench.packet(0, 1, cls=1, words=4))
    await bench.cycle(300)
    bench.ends[1].blocked = set()
    await bench.drain()
    assert bench.ends[1].marked > 2


def run(testcase=None, **parameters):
    build_and_run(
        "switch_core",
        rtl("prim", "switch"),
        parameters=SMALL | parameters,
        test_module=__name__,
        testcase=testcase,
    )


def test_switch_core():
    run()
