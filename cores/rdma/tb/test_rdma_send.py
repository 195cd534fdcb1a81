# SPDX-License-Identifier: Apache-2.0
"""rdma_send: every byte of every packet against the format in Python; memory that stalls and fails; rates; what goes between packets."""

import itertools
from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from packets import (
    ACK,
    DATA,
    LANE,
    MESSAGE,
    NACK,
    PAYLOAD,
    REQUEST,
    WORD,
    Block,
    Packet,
    crc32c,
    creation,
    reply,
    use,
)
from tb_common import cycles, params, rng
from units_bench import EPOCH, MEMORY, Bench, run

NODE = 0xCAFE


class Sender(Bench):
    """The send unit: what leaves, and what is read."""

    def __init__(self, dut):
        super().__init__(dut, NODE)
        self.packets, self.bursts, self.spoilt = [], [], []
        self.heard = self.take
        self.given = []  # when memory gave each word

    def take(self, words):
        found = crc32c(b"".join(piece for piece in self.parts(words))[:-4])
        spoilt = found != words[-1] >> 96
        (self.spoilt if spoilt else self.packets).append(Packet.decode(words, spoilt))

    def parts(self, words):
        """Header, payload and footer of a packet, without what only fills words."""
        step = LANE if self.packed else WORD
        size = words[-1] & 0x7FF
        yield words[0].to_bytes(WORD, "little")[:16]
        yield b"".join(word.to_bytes(step, "little") for word in words[1:-1])[:size]
        yield words[-1].to_bytes(WORD, "little")[:16]

    async def reads(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_axi_rvalid.value == 1 and dut.m_axi_rready.value == 1:
                self.given.append(self.now)
            if dut.m_axi_arvalid.value == 1 and dut.m_axi_arready.value == 1:
                self.bursts.append((int(dut.m_axi_araddr.value), int(dut.m_axi_arlen.value) + 1))

    def begun(self):
        return len(self.begins) + len(self.open)

    def send(self, *blocks):
        self.blocks.send([b.use() << 256 | b.word() for b in blocks])

    def create(self, packet):
        self.creator.send(
            [use(packet.tid, packet.sequence, packet.tries) << 381 | creation(packet)]
        )

    def expected(self, block):
        at = block.source & (1 << 48) - 1
        return block.packets(self.content[at : at + block.size], NODE, EPOCH)

    async def reported(self, count):
        await self.until(lambda: len(self.sent) >= count)
        # Packed, the last two words may not have left yet.
        if self.packed:
            await cycles(self.dut.clk_i, 3)
            await self.until(lambda: self.dut.m_axis_tvalid.value == 0)


async def begin(dut):
    bench = Sender(dut)
    await bench.start(receive=False)
    cocotb.start_soon(bench.reads())
    return bench


def random_block(random, tid, size=None):
    size = size or random.choice([1, 2, 63, 64, 65, 1023, 1024, 1025, random.randrange(1, 5000)])
    source = random.randrange(MEMORY - size + 1)
    if random.random() < 0.3:
        source = min(source | 4095, MEMORY - size)
    return Block(
        source | random.getrandbits(16) << 48, random.getrandbits(48) >> 1 | random.getrandbits(16) << 48, size, tid,
        random.getrandbits(14), random.randrange(16), random.getrandbits(15), int(tid >= 512),
        random.getrandbits(1), random.getrandbits(11), random.getrandbits(22),
        random.choice([None, random.randrange(16)]),
    )  # fmt: skip


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def corners(dut):
    """Sources at every kind of byte, sizes around words, packets and pages, up to a whole block at an odd place."""
    bench = await begin(dut)
    blocks = []
    for source in (0, 1, 63, 4095, 4096 - 64, 4032 + 33):
        for size in (1, 63, 64, 65, 127, 128, 1023, 1024, 1025, 1087, 1088, 2048):
            blocks.append(Block(source, 0x0002_0000_0FFF, size, len(blocks)))
    blocks.append(
        Block(77, 0x0003_1234_5678, 65536, 511, 16383, 15, 0x7FFF, 0, 1, 2047, (1 << 22) - 1, 15)
    )
    bench.send(*blocks)
    await bench.reported(len(blocks))
    assert bench.packets == [p for b in blocks for p in bench.expected(b)]
    assert bench.sent == [(b.tid, 0) for b in blocks]
    for address, words in bench.bursts:
        assert address % WORD == 0 and words <= params()["BurstWords"]
        assert address // 4096 == (address + WORD * words - 1) // 4096


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def full_rate(dut):
    """A packet of 1024 bytes takes 18 cycles, or packed 16.5, and the next one follows at once, wherever the block begins."""
    bench = await begin(dut)
    # Nothing leaves while the memory gets ahead by a whole block buffer, then everything.
    bench.rate = 0.0
    bench.send(Block(64, 0, 16384, 0), Block(8193, 0, 16384 + bench.packed * 1024, 1))
    await cycles(dut.clk_i, 1500)
    bench.rate = 1.0
    await bench.reported(2)
    if bench.packed:
        assert len(bench.begins) == 33
        assert len(bench.words) == 33 * 16 + 17  # 33 times 16.5, and the rest of the last word
        assert bench.words[-1] - bench.words[0] + 1 == len(bench.words)
        return
    starts = len(bench.begins)
    assert starts == 32 and bench.lengths == [18] * 32
    gaps = [b - a for a, b in itertools.pairwise(bench.begins)]
    assert gaps == [18] * 31, gaps


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def between_packets(dut):
    """Messages and answers of every size wait for one packet at most."""
    bench = await begin(dut)
    bench.send(Block(5, 0, 65536, 7))
    while len(bench.packets) < 5:
        await RisingEdge(dut.clk_i)
    asked = []
    for number, (kind, size) in enumerate(
        ((MESSAGE, 1), (MESSAGE, 8), (MESSAGE, 31), (REQUEST, 32), (ACK, 0), (NACK, 0))
    ):
        payload = bench.random.randbytes(size)
        packet = Packet(
            0x0005 << 48, kind, 1000 + number, 9000 + number, EPOCH, NODE, 0x1234, payload
        )
        before = bench.now
        if kind in (ACK, NACK):
            packet = Packet(0x0005 << 48, kind, 1000 + number, 9000 + number, 3, NODE, 0x1234)
            bench.replies.send([reply(packet)])
        else:
            packet = Packet(
                **{
                    **packet.__dict__,
                    "address": 0x0005_0000_0000_1111,
                    "notify": 1,
                    "tries": 3,
                    "transfer": 99,
                    "qos": 5,
                }
            )
            # What lies behind the end of the payload is not sent.
            bench.create(packet)
            if size < 32:
                bench.creator.queue[0] |= 0xAB << 8 * size
        asked.append((packet, before))
        while packet not in bench.packets:
            await RisingEdge(dut.clk_i)
            # The input register of the test, the packet on its way and that of the pipeline, and
            # its own words.
            assert bench.now - before <= 2 + 18 + 4 + 3
        await cycles(dut.clk_i, bench.random.randrange(40))
    await bench.reported(5)
    data = [p for p in bench.packets if p.kind == DATA]
    assert data == bench.expected(Block(5, 0, 65536, 7))
    assert sorted(bench.sent) == sorted(
        [(p.tid, 0) for p, _ in asked if p.kind not in (ACK, NACK)] + [(7, 0)]
    )


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def everything_at_once(dut):
    """Blocks of every kind, messages and answers, memory and network that stall: each packet is right, each use reported once."""
    bench, random = await begin(dut), rng("traffic")
    bench.stall(0.3)
    bench.rate = 0.7
    for channel in (bench.blocks, bench.creator, bench.replies):
        channel.rate = 0.2
    tids = random.sample(range(1024), 60)
    blocks = [random_block(random, tid) for tid in tids[:40]]
    small = [
        Packet(random.getrandbits(64), random.choice([MESSAGE, REQUEST]), tid, random.getrandbits(14), EPOCH, NODE, 3,
               random.randbytes(random.randrange(1, 33)), 0, 0, 0, 0, random.randrange(16), 5, 6)
        for tid in tids[40:]
    ]  # fmt: skip
    answers = [
        Packet(
            random.getrandbits(16) << 48,
            random.choice([ACK, NACK]),
            random.randrange(1024),
            n,
            2,
            NODE,
            4,
            echo=random.getrandbits(1),
        )
        for n in range(20)
    ]
    bench.send(*blocks)
    for packet in small:
        bench.create(packet)
    bench.replies.send([reply(p) for p in answers])
    # A NACK tells of no mark.
    answers = [replace(p, echo=p.echo & (p.kind == ACK)) for p in answers]
    await bench.reported(len(tids))
    await cycles(dut.clk_i, 200)
    assert sorted(bench.sent) == sorted((x.tid, 0) for x in blocks + small)
    found = bench.packets
    assert [p for p in found if p.kind in (ACK, NACK)] == answers
    assert [p for p in found if p.kind in (MESSAGE, REQUEST)] == small
    for block in blocks:
        of_block = [
            p
            for p in found
            if p.kind == DATA and (p.tid, p.sequence) == (block.tid, block.sequence)
        ]
        assert of_block == bench.expected(block)
    # Blocks without a flow keep their order.
    firsts = [p.tid for p in found if p.kind == DATA and p.index == 0 and not p.managed]
    assert firsts == [b.tid for b in blocks if not b.managed]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def begins_before_it_is_whole(dut):
    """A packet begins with the first LeadWords words of it, and has no gap as long as memory has none."""
    bench, lead = await begin(dut), params()["LeadWords"]
    for turn, words in enumerate((1, 2, 7, 8, 15, 16)):
        packets, given = len(bench.begins), len(bench.given)
        bench.send(Block(4096, 0, WORD * words, turn))
        await bench.reported(turn + 1)
        assert bench.given[given:] == list(range(bench.given[given], bench.given[given] + words))
        first, length = bench.begins[packets], bench.lengths[packets]
        assert length == words + 2 - bench.packed
        waits = first - bench.given[given + min(lead, words) - 1]
        assert waits == 4 + bench.packed, (words, waits)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def half_of_the_words(dut):
    """Memory gives a word in every second cycle: with nine words in front a packet has no gap all the same."""
    bench, lead = await begin(dut), params()["LeadWords"]
    bench.memory.read_if.r_channel.set_pause_generator(itertools.cycle([0, 1]))
    for tid, source in enumerate((4096, 4097, 4096 + 63)):
        packets, given = len(bench.begins), len(bench.given)
        bench.send(Block(source, 0, 2 * PAYLOAD, tid))
        await bench.reported(tid + 1)
        assert {b - a for a, b in itertools.pairwise(bench.given[given:])} == {2}
        length = 17 if bench.packed else 18
        whole = [found == length for found in bench.lengths[packets:]]
        assert whole == [lead >= 9] * 2, bench.lengths


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_that_stops(dut):
    """Memory stops at each word of a packet: what has begun waits, or with all words in front nothing does; messages go before the next one."""
    bench, lead = await begin(dut), params()["LeadWords"]
    for tid, word in enumerate(range(1, 14)):
        before, given, packets = len(bench.begins), len(bench.given), len(bench.packets)
        bench.send(Block(8192, 0, 2 * PAYLOAD, tid))
        while len(bench.given) < given + word:
            await RisingEdge(dut.clk_i)
        bench.memory.read_if.r_channel.pause = True
        await cycles(dut.clk_i, 60)
        given = len(bench.given) - given
        # The channel has a word or two on their way when it stops.
        assert word <= given <= word + 2
        begun = bench.begun() - before
        assert begun == int(given >= lead), (word, given, begun)
        message = Packet(5 << 48, MESSAGE, 1000, tid, EPOCH, NODE, 0, b"12345678")
        bench.create(message)
        await cycles(dut.clk_i, 40)
        assert (message in bench.packets) == (not begun)
        bench.memory.read_if.r_channel.pause = False
        await bench.reported(2 * (tid + 1))
        assert bench.packets[packets:].index(message) == begun
        data = [p for p in bench.packets[packets:] if p.kind == DATA]
        assert data == bench.expected(Block(8192, 0, 2 * PAYLOAD, tid))
    assert bench.spoilt == []


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def held_in_a_packet(dut):
    """hold_i while a packet waits for a word: it ends at once, with zeros and a CRC that no receiver takes."""
    await hold(dut, goes_on=False)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def held_as_memory_goes_on(dut):
    """The same, and some words come before it has ended: no receiver takes it either."""
    await hold(dut, goes_on=True)


async def hold(dut, goes_on):
    bench, lead = await begin(dut), params()["LeadWords"]
    block = Block(4096, 0, 2 * PAYLOAD, 7)
    bench.send(block)
    while len(bench.given) < 6:
        await RisingEdge(dut.clk_i)
    bench.memory.read_if.r_channel.pause = True
    await cycles(dut.clk_i, 40)
    given = len(bench.given)
    dut.hold_i.value = 1
    bench.memory.read_if.r_channel.pause = not goes_on
    await cycles(dut.clk_i, 40)
    assert bench.packets == [] and dut.m_axis_tvalid.value == 0
    if given < lead:
        assert bench.begun() == 0
        return
    whole = bench.expected(block)[0]
    (found,) = bench.spoilt
    zeros = bytes(WORD if goes_on else PAYLOAD - WORD * given)
    assert found.payload.startswith(whole.payload[: WORD * given] + zeros)
    assert replace(found, payload=whole.payload) == whole
    assert any(found.payload[WORD * given :]) == goes_on
    # What comes now is of no use, and nothing begins.
    bench.memory.read_if.r_channel.pause = False
    bench.create(Packet(5 << 48, MESSAGE, 1000, 1, EPOCH, NODE, 0, b"12345678"))
    await cycles(dut.clk_i, 100)
    assert bench.begun() == 1 and bench.packets == []


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def held_behind_a_packet(dut):
    """hold_i while a packet is leaving whose words are all there: it is whole, and the last one."""
    bench = await begin(dut)
    bench.rate = 0.0
    block = Block(4096, 0, 2 * PAYLOAD, 7)
    bench.send(block)
    await cycles(dut.clk_i, 200)
    dut.hold_i.value = 1
    await cycles(dut.clk_i, 10)
    bench.rate = 1.0
    await cycles(dut.clk_i, 100)
    assert bench.packets == bench.expected(block)[:1] and bench.spoilt == []


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def without_room(dut):
    """A class without room: what has begun comes to its end, nothing else of it leaves, and answers, messages and packets to the node itself go past."""
    bench, before = await begin(dut), 0
    blocks = [Block(4096, far << 48, PAYLOAD, tid) for far, tid in ((5, 7), (5, 520), (5, 800))]
    answer = Packet(0x0005 << 48, ACK, 30, 9, 3, NODE, 0x1234)
    message = Packet(
        0x0005 << 48, MESSAGE, 31, 9, EPOCH, NODE, 0x1234, bytes(range(1, 9)), transfer=99
    )
    for block, class_ in zip(blocks, (1, 2, 3), strict=True):
        dut.room_i.value = 0b1111 ^ 1 << class_
        bench.send(block)
        await cycles(dut.clk_i, 120)
        bench.replies.send([reply(answer)])
        bench.create(message)
        await cycles(dut.clk_i, 30)
        passed = [answer] if class_ == 1 else [answer, message]
        assert bench.packets[before:] == passed
        # One packet of this class, and no other one.
        dut.room_i.value = 0b1111
        while len(bench.begins) + len(bench.open) == before + len(passed):
            await RisingEdge(dut.clk_i)
        dut.room_i.value = 0b1111 ^ 1 << class_
        await bench.until(lambda all_=before + 3: len(bench.packets) >= all_)
        await cycles(dut.clk_i, 30)
        assert sorted(p.kind for p in bench.packets[before:]) == [DATA, MESSAGE, ACK]
        before = len(bench.packets)
    # Nothing may leave but to the node itself.
    dut.room_i.value = 0
    bench.replies.send([reply(answer)])
    bench.create(message)
    bench.send(Block(4096, NODE << 48, PAYLOAD, 801))
    await cycles(dut.clk_i, 150)
    assert len(bench.packets) == before and bench.sent[-1] == (801, 0)
    dut.room_i.value = 0b0001
    await bench.until(lambda: len(bench.packets) == before + 1)
    assert bench.packets[-1] == answer


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_that_fails(dut):
    """An error answer: no byte of that word or behind it is sent, a packet that has begun is spoilt, the block is reported, those before and behind
    are well."""
    bench, random = await begin(dut), rng("failing")
    bad, spoilt = set(), 0
    read = bench.memory.read_if._read

    async def failing(address, length):
        if address // WORD in bad:
            raise RuntimeError("bad word")
        return await read(address, length)

    bench.memory.read_if._read = failing
    bench.stall(0.2)
    for turn in range(12):
        done = len(bench.sent)
        first = len(bench.packets)
        sizes = [random.randrange(1, 4000) for _ in range(3)]
        if turn == 0:
            sizes[1] = 2000
        blocks = [random_block(random, 3 * turn + n, size) for n, size in enumerate(sizes)]
        blocks = [
            Block(**{**b.__dict__, "source": n * 8192 + random.randrange(4000)})
            for n, b in enumerate(blocks)
        ]
        broken = blocks[1]
        # The word of a byte of the middle block.
        at = random.choice([0, broken.size - 1, random.randrange(broken.size)])
        if turn == 0:
            at = PAYLOAD - 1
        bad.clear()
        bad.add((broken.source + at) // WORD)
        bench.send(*blocks)
        await bench.reported(done + 3)
        assert bench.sent[done:] == [(b.tid, int(b is broken)) for b in blocks]
        good = [
            p
            for p in bench.expected(broken)
            if (p.index + 1) * PAYLOAD <= (broken.source + at) // WORD * WORD - broken.source
        ]
        found = bench.packets[first:]
        partial = [p for p in found if p.tid == broken.tid]
        assert partial == bench.expected(broken)[: len(partial)] and len(partial) <= len(good)
        # The packet behind these may have begun.
        for packet in bench.spoilt:
            whole = bench.expected(broken)[len(partial)]
            kept = max(
                0, (broken.source + at) // WORD * WORD - broken.source - whole.index * PAYLOAD
            )
            kept = kept // WORD * WORD
            zeros = bytes(len(whole.payload) - kept)
            assert packet == replace(whole, payload=whole.payload[:kept] + zeros)
            assert params()["LeadWords"] * WORD <= kept
        spoilt += len(bench.spoilt)
        assert len(bench.spoilt) <= 1
        bench.spoilt.clear()
        for block in (blocks[0], blocks[2]):
            assert [p for p in found if p.tid == block.tid] == bench.expected(block)
    assert (spoilt > 0) == (params()["LeadWords"] < 16)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def latency_of_a_flow(dut):
    """Its block is read five cycles later than one without a flow; one more if it meets the cycle
    of 32 in which a rest that is over is forgotten, as it comes or as it is looked at."""
    bench = await begin(dut)

    async def latency(block):
        """When it was taken, and how long it took to the request at memory."""
        bench.send(block)
        at = {}
        while len(at) < 2:
            await RisingEdge(dut.clk_i)
            for name, valid in (("taken", dut.block_valid_i), ("read", dut.m_axi_arvalid)):
                if valid.value == 1:
                    at.setdefault(name, bench.now)
        return at["taken"], at["read"] - at["taken"]

    _, free = await latency(Block(0, 0, WORD, 0))
    found = {}
    for number in range(32):
        await cycles(dut.clk_i, 32)
        while bench.now % 32 != number:
            await RisingEdge(dut.clk_i)
        taken, after = await latency(Block(0, 0, WORD, 512 + number, managed=1))
        found[taken % 32] = after - free
    assert sorted(found) == list(range(32))
    later = [phase for phase in range(32) if found[phase] == 6 and found[phase - 1] == 5]
    assert len(later) == 1, found
    assert [found[(later[0] + step) % 32] for step in range(32)] == [6] * 2 + [5] * 30


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def rates(dut):
    """A flow with a limit rests after each block; another one, and blocks without flow, do not wait for it."""
    bench = await begin(dut)
    interval = 40  # 2.5 cycles for a word
    dut.rate_flow_i.value, dut.rate_interval_i.value, dut.rate_valid_i.value = 3, interval, 1
    await RisingEdge(dut.clk_i)
    dut.rate_valid_i.value = 0
    slow = [Block(0, 0, 4096, 512 + 12 + n, managed=1) for n in range(4)]
    other = [Block(9, 0, 1024, 512 + 4 * 20 + n, managed=1) for n in range(4)]
    free = [Block(3, 0, 1024, n) for n in range(4)]
    bench.send(*slow, *other, *free)
    await bench.reported(12)
    begin_of = {p.tid: t for p, t in zip(bench.packets, bench.begins, strict=True) if p.index == 0}
    starts = sorted(begin_of[b.tid] for b in slow)
    rest = -(-64 * interval // 16)
    for a, b in itertools.pairwise(starts):
        # Never earlier by more than the packets of others that were in front of the first one of
        # the two.
        assert b - a >= rest - 8 * 19
    assert starts[-1] - starts[0] >= 3 * rest - 8 * 19
    # All others were over before the third block of the slow flow.
    assert max(begin_of[b.tid] for b in other + free) < starts[2]
    # Without limit again: back to back.
    dut.rate_interval_i.value, dut.rate_valid_i.value = 0, 1
    await RisingEdge(dut.clk_i)
    dut.rate_valid_i.value = 0
    await cycles(dut.clk_i, rest)
    before = len(bench.begins)
    bench.send(*slow)
    await bench.reported(16)
    assert bench.begins[-1] - bench.begins[before] <= 16 * 18 + 100


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def page_rates(dut):
    """All flows of a page in a class rest together: of both classes and the first and the last page; other pages and classes do not wait."""
    bench = await begin(dut)
    interval = 160
    rest = 64 * interval // 16
    for page, four in ((0, 0), (9, 1), (15, 0), (15, 1)):
        dut.page_rates_i.value = interval << 16 * (2 * page + four)

        def block(n, page, four, size):
            # Each of another flow.
            return Block(0, 0, size, 512 + 256 * four + 4 * n, managed=1, domain=page)

        slow = [block(n, page, four, 4096) for n in range(4)]
        others = [block(n, page ^ 1, four, 1024) for n in range(8, 12)]
        others += [block(n, page, 1 - four, 1024) for n in range(16, 20)]
        before, sent = len(bench.begins), len(bench.sent)
        bench.send(*slow, *others)
        await bench.reported(sent + 12)
        here = zip(bench.packets[before:], bench.begins[before:], strict=True)
        begin_of = {p.tid: t for p, t in here if p.index == 0}
        starts = sorted(begin_of[b.tid] for b in slow)
        gaps = [b - a for a, b in itertools.pairwise(starts)]
        # But for the packets of others in front of either.
        assert all(abs(gap - rest) <= 8 * 19 for gap in gaps), gaps
        assert max(begin_of[b.tid] for b in others) < starts[1]
        await cycles(dut.clk_i, rest)
    # Every bit of an interval, of any page, with packets of a word; the other pages have none.
    for bit in range(8, 16):
        page, four = bench.random.randrange(16), bench.random.randrange(2)
        dut.page_rates_i.value = 1 << bit + 16 * (2 * page + four)
        before, sent = len(bench.begins), len(bench.sent)
        bench.send(*(block(n, page, four, 64) for n in range(2)))
        await bench.reported(sent + 2)
        first, second = bench.begins[before:]
        assert 0 <= second - first - (1 << bit - 4) <= 40
        await cycles(dut.clk_i, 1 << bit - 4)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def turns_of_blocks_with_flows(dut):
    """Blocks without flow that come without a pause: others wait for all of them, or with weighted service for one."""
    bench = await begin(dut)
    for weighted in (0, 1):
        dut.weighted_i.value = weighted
        free = [Block(64 * n, 0, 1024, n) for n in range(40)]
        flow = [Block(0, 0, 1024, 512 + 4 * n, managed=1) for n in range(4)]
        sent = len(bench.sent)
        bench.send(*free[:4], *flow, *free[4:])
        await bench.reported(sent + 44)
        order = [tid for tid, _ in bench.sent[sent:]]
        last = max(order.index(block.tid) for block in flow)
        assert (last < 24) if weighted else last >= 40, order


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def marks(dut):
    """Answers that tell of marks lower the rate to their node, once in a round trip and never to nothing; time raises it; others do not wait."""
    bench = await begin(dut)
    far, other, tick, least = 4, 5, 1024, 16 * 256

    def configure(fall, first, increase):
        dut.congestion_i.value = fall << 19 | first << 16 | increase

    async def answer(tid, echo, node=far):
        dut.answered_i.value = 1 << 26 | echo << 25 | node << 9 | tid - 512
        await RisingEdge(dut.clk_i)
        dut.answered_i.value = 0
        await cycles(dut.clk_i, 12)

    async def gaps(count, others=0):
        """Cycles between packets of 16 words to the far node and to the other; each of another flow."""
        begun, sent = len(bench.begins), len(bench.sent)
        to = {far: range(512, 512 + 4 * count, 4), other: range(768, 768 + 4 * others, 4)}
        bench.send(
            *[Block(0, n << 48, 1024, tid, managed=1) for n, tids in to.items() for tid in tids]
        )
        await bench.reported(sent + count + others)
        here = list(zip(bench.packets[begun:], bench.begins[begun:], strict=True))
        times = [[at for p, at in here if p.tid in tids] for tids in to.values()]
        return [[b - a for a, b in itertools.pairwise(found)] for found in times]

    configure(1, 3, 0)
    assert max((await gaps(5))[0]) <= 20
    await answer(512, 0)
    assert bench.slowed == 0
    # The full rate falls to an eighth: 16 words in 128 cycles.
    await answer(512, 1)
    assert bench.slowed == 1
    slow, fast = await gaps(9, 5)
    assert abs(sum(slow[1:]) - 7 * 128) < 20 and max(fast) <= 2 * 20, (slow, fast)
    # What left before the fall counts no more, what left after it once.
    configure(2, 3, 0)
    for tid in (512, 516, 520):
        await answer(tid, 1)
        assert bench.slowed == 2
    slow, _ = await gaps(6)
    assert abs(sum(slow[1:]) - 4 * 128 * 4 / 3) < 20, slow
    # An answer counts, whatever leaves just then.
    configure(7, 3, 0)
    for late in range(12):
        await gaps(1)
        bench.send(Block(0, other << 48, 1024, 768, managed=1))
        sent = len(bench.sent)
        await cycles(dut.clk_i, late)
        await answer(512, 1)
        await bench.reported(sent + 1)
        assert bench.slowed == 3 + late
    # The least rate: all answers tell of marks, and blocks go on.
    configure(1, 3, 0)
    slowed = bench.slowed
    for _ in range(6):
        await gaps(1)
        await answer(512, 1)
    slow, _ = await gaps(3)
    assert bench.slowed == slowed + 6 and abs(slow[1] - least) < 20, slow
    # It does not rise behind an answer with a mark, but behind one without: 16 times 2048.
    configure(1, 3, 2048)
    await answer(512, 1)
    await cycles(dut.clk_i, 8 * tick)
    slow, _ = await gaps(2)
    assert slow[0] > least // 2
    await answer(512, 1)
    await answer(512, 0)
    await cycles(dut.clk_i, 17 * tick)
    slow, _ = await gaps(5)
    assert max(slow) <= 20
    # Nor does it wait for such an answer for ever.
    await answer(512, 1)
    await cycles(dut.clk_i, (15 + 15) * tick)
    slow, _ = await gaps(5)
    assert max(slow) <= 20
    # Switched off: the rate is full, and stays so.
    configure(1, 7, 0)
    await answer(512, 1)
    slow, _ = await gaps(2)
    assert slow[0] > 16 * 128 - 20
    configure(0, 7, 0)
    await cycles(dut.clk_i, 20)
    slowed = bench.slowed
    await answer(512, 1)
    slow, _ = await gaps(5)
    assert max(slow) <= 20 and bench.slowed == slowed


# The rate does not know the framing: `marks` waits for most of the time, and runs with the first.
FRAMINGS = [(False, 1), (False, 16), (True, 1), (True, 9)]


@pytest.mark.parametrize(("packed", "lead"), FRAMINGS)
def test_rdma_send(packed, lead):
    first = (packed, lead) == FRAMINGS[0]
    run(__name__, packed=packed, lead=lead, without=None if first else "marks")


@pytest.mark.long
@pytest.mark.parametrize(("packed", "lead"), FRAMINGS[1:])
def test_rdma_send_marks(packed, lead):
    run(__name__, "marks", packed=packed, lead=lead)
