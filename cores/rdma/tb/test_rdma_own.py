# SPDX-License-Identifier: Apache-2.0
"""Send and receive unit of one node: packets to the node itself, past the network, beside everything that a network may do meanwhile."""

import itertools
import struct
from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from packets import ACK, CONTROL, DATA, MESSAGE, NACK, REQUEST, Block, Packet, creation, use
from tb_common import cycles
from units_bench import EPOCH, MEMORY, Bench, run

NODE, PEER = 1, 0
DOMAIN = 5
HERE = NODE << 48
FIRST = MEMORY // 2  # sources are below; what is written is in the window from here on


class Node(Bench):
    """Both units, an engine that hands out, and what memory has to be."""

    def __init__(self, dut):
        super().__init__(dut, NODE)
        self.expected = bytearray(self.content)
        self.left = []  # packets that have left for the network
        self.within = []  # when packets to the node itself have ended
        self.heard = lambda words: self.left.append(Packet.decode(words))
        self.replied = lambda reply: self.replies.send([reply])

    async def begin(self):
        await self.start()
        await self.window(DOMAIN, 0, FIRST, MEMORY - 1)
        cocotb.start_soon(self.own())
        return self

    async def own(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            if not (self.blocks.idle() and self.creator.idle() and self.replies.idle()):
                self.active = self.now
            if dut.own_valid_o.value == 1:
                assert dut.own_ready_o.value == 1
                self.active = self.now
                if dut.own_ends_o.value == 1:
                    self.within.append(self.now)

    def block(self, source, at, size, tid, sequence=1, written=True):
        """A block from memory to memory."""
        block = Block(HERE | source, HERE | at, size, tid, sequence, 0, DOMAIN)
        self.blocks.send([block.use() << 256 | block.word()])
        if written:
            self.expected[at : at + size] = self.expected[source : source + size]

    def create(self, address, kind, tid, payload, sequence=1):
        packet = Packet(address, kind, tid, sequence, EPOCH, NODE, DOMAIN, payload)
        self.creator.send([use(tid, sequence) << 381 | creation(packet)])

    def message(self, at, data, tid, sequence=1):
        self.create(HERE | at, MESSAGE, tid, data, sequence)
        self.expected[at : at + len(data)] = data

    def arrives(self, at, data, tid, **fields):
        """A message of the other node."""
        packet = Packet(HERE | at, MESSAGE, tid, 1, 3, PEER, DOMAIN, data)
        self.deliver(replace(packet, **fields))
        self.expected[at : at + len(data)] = data

    async def settle(self):
        await cycles(self.dut.clk_i, 3)
        await self.quiet()
        assert bytes(self.memory.read(0, MEMORY)) == bytes(self.expected)

    def acknowledged(self):
        """TIDs of this node that were acknowledged since the last look; nothing else was."""
        found, self.answers[:] = list(self.answers), []
        for _, kind, _, _, epoch, node, domain, _, _ in found:
            assert (kind, epoch, node, domain) == (ACK, EPOCH, NODE, DOMAIN)
        return [answer[2] for answer in found]


def word_is_read(dut):
    """Memory gives a word in this cycle."""
    return dut.m_axi_rvalid.value == 1 and dut.m_axi_rready.value == 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def past_the_network(dut):
    """Blocks of all sizes between all kinds of places, messages, a notification and a read request: nothing of it is seen at the network, in
    either direction, though that takes nothing all the time."""
    node = await Node(dut).begin()
    node.rate = 0.0
    tid = itertools.count()
    at = FIRST
    for size in (1, 63, 64, 65, 1023, 1024, 1025, 5000):
        for source, shift in ((0x1001, 0), (0x2FFF, 63), (0x1FC0, 1)):
            node.block(source, at + shift, size, next(tid))
            at += size + 64
    at = -(-at // 64) * 64
    for size in (1, 8, 32):
        node.message(at, bytes(range(100, 100 + size)), next(tid))
        at += 64
    node.create(HERE | at, CONTROL, next(tid), b"notified" + bytes(8))
    node.expected[at : at + 8] = b"notified"
    line = struct.pack("<4Q", 64, HERE | at, HERE | FIRST, 0)
    node.create(HERE, REQUEST, next(tid), line)
    await node.settle()
    count = next(tid)
    requests = [answer for answer in node.answers if answer[1] == REQUEST]
    assert [request[0].to_bytes(32, "little") for request in requests] == [line]
    node.answers = [answer for answer in node.answers if answer[1] != REQUEST]
    assert sorted(node.acknowledged()) == list(range(count))
    assert sorted(node.sent) == [(n, 0) for n in range(count)]
    assert node.left == [] and dut.m_axis_tvalid.value == 0
    # Blocks of 1025 and 5000 bytes have two packets and five, and each block an answer.
    assert len(node.within) == count + 3 * (1 + 4) + count


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def latency(dut):
    """A message of 8 bytes, in cycles: the packet creator, the write at memory, the answer to the engine."""
    node = await Node(dut).begin()
    node.message(FIRST, b"12345678", 3)
    at = {}
    while "answer" not in at:
        await RisingEdge(dut.clk_i)
        for name, valid, ready in (
            ("packet", dut.packet_valid_i, dut.packet_ready_o),
            ("address", dut.m_axi_awvalid, dut.m_axi_awready),
            ("word", dut.m_axi_wvalid, dut.m_axi_wready),
            ("response", dut.m_axi_bvalid, dut.m_axi_bready),
            ("reply", dut.reply_valid_i, dut.reply_ready_o),
            ("answer", dut.answer_valid_o, dut.answer_ready_i),
        ):
            if valid.value == 1 and ready.value == 1:
                at.setdefault(name, node.now)
    assert at["address"] - at["packet"] == 6 and at["word"] - at["packet"] == 7
    assert at["answer"] - at["reply"] == 1
    await node.settle()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def forged(dut):
    """The network brings packets that say they are of this node: nothing is written, answered or handed on, nothing is remembered of them, and
    each is counted."""
    node = await Node(dut).begin()
    node.message(FIRST, b"12345678", 3, sequence=7)
    await node.settle()
    assert node.acknowledged() == [3] and len(node.made) == 1
    good = Packet(HERE | FIRST, MESSAGE, 3, 8, EPOCH, NODE, DOMAIN, b"mischief")
    over = struct.pack("<2Q", 0, 1 << 25 | 3 | 7 << 10 | EPOCH << 39)
    packets = [
        good,
        replace(good, sequence=7),  # what was complete
        replace(good, epoch=EPOCH + 1),  # a newer session: all contexts would be cleared
        replace(good, tid=700, kind=DATA),
        replace(good, kind=CONTROL, payload=over),
        replace(good, kind=REQUEST, payload=bytes(32)),
        replace(good, kind=ACK, payload=b""),
        replace(good, kind=NACK, payload=b""),
        replace(good, address=1 << 40 | HERE),  # else a NACK to this node itself
        replace(good, address=PEER << 48 | FIRST),
        replace(good, domain=DOMAIN + 1),
    ]
    for packet in packets:
        node.deliver(packet)
    await node.settle()
    assert node.answers == [] and len(node.made) == 1 and node.left == []
    assert await node.count("foreign") == len(packets)
    for name in ("epoch", "old", "repeated", "window", "damaged", "malformed"):
        assert await node.count(name) == 0, name
    # What is known of this node is as it was: a repetition is not written again, a new one is.
    node.create(HERE | FIRST, MESSAGE, 3, b"too late", sequence=7)
    node.message(FIRST + 8, b"the next", 3, sequence=8)
    await node.settle()
    assert node.acknowledged() == [3, 3]
    assert await node.count("repeated") == 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def neither_starves(dut):
    """Both sides always have packets: one of either in turn, small ones and large ones."""
    node = await Node(dut).begin()
    count = 80
    for n in range(count):
        node.message(FIRST + 64 * n, bytes([n] * 8), n)
        node.arrives(FIRST + 64 * n + 8, bytes([n] * 8), n)
    await node.until(lambda: len(node.made) == 2 * count)
    of = [made[4] for made in node.made]
    # Of the node's own packets half are answers to itself, as many in a row as messages have been
    # taken: eight by the store, and those that are looked up, decided and written.
    runs = [(who, len(list(run))) for who, run in itertools.groupby(of[8 : count * 3 // 2])]
    assert {run for who, run in runs if who == NODE} == {1}, of
    assert {run for who, run in runs if who == PEER} <= set(range(1, 13)), of
    assert of[: count * 3 // 2].count(NODE) >= count // 3, of
    await node.settle()
    assert sorted(node.acknowledged()) == list(range(count))
    # Blocks against messages: a packet of one against one of the other.
    node.made.clear()
    node.block(0x40, FIRST + 0x4000, 16384, 900)
    for n in range(4 * count):
        node.arrives(FIRST + 32 * n + 8, bytes([n % 256] * 8), 100 + n)
    await node.until(lambda: node.acknowledged() == [900])
    assert len(node.made) < 4 * count
    await node.settle()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def network_stops_in_a_packet(dut):
    """A packet of the network stands at its first words for good, or the network takes none: the node's packets to itself go on. Then it goes on
    too, and nothing of it is lost."""
    node = await Node(dut).begin()
    data = bytes(range(200)) * 4
    packet = Packet(HERE | FIRST + 0x10000, DATA, 77, 1, 3, PEER, DOMAIN, data)
    words = packet.words(node.packed)
    half = len(words) // 2 // 4 * 4
    node.deliver(packet)
    rest, node.feed[half:] = node.feed[half:], []
    node.rate = 0.0
    for n in range(40):
        node.message(FIRST + 64 * n, bytes([n] * 32), n)
        node.block(64 * n + 1, FIRST + 0x4000 + 1024 * n, 1000, 512 + n)
    await node.until(lambda: len(node.answers) == 80)
    assert sorted(node.acknowledged()) == [*range(40), *range(512, 552)]
    assert node.left == [] and len(node.made) == 80
    node.feed += rest
    node.rate = 1.0
    node.expected[FIRST + 0x10000 : FIRST + 0x10000 + len(data)] = data
    await node.settle()
    assert [(m[0], m[4], m[5]) for m in node.made[80:]] == [(77, PEER, 0)]
    assert [(p.kind, p.tid, p.address) for p in node.left] == [(ACK, 77, PEER << 48)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def network_stops_in_what_is_not_written(dut):
    """A packet that is there already, of a new epoch, outside the windows or with a wrong first word stands at its first words for good: the node's
    packets to itself go on all the same."""
    node = await Node(dut).begin()
    data = bytes(range(200)) * 4
    packet = Packet(HERE | FIRST + 0x10000, DATA, 77, 1, 3, PEER, DOMAIN, data)
    node.deliver(packet)
    node.expected[FIRST + 0x10000 : FIRST + 0x10000 + len(data)] = data
    await node.settle()
    outside = replace(packet, address=HERE, sequence=2)
    others = [packet, outside, replace(packet, epoch=4), packet]
    for turn, other in enumerate(others, 2):
        words = other.words(node.packed)
        node.deliver([words[0] ^ 1, *words[1:]] if turn == 5 else words)
        half = len(words) // 2 // 4 * 4
        rest, node.feed[half:] = node.feed[half:], []
        node.made.clear()
        for n in range(10):
            node.message(FIRST + 64 * n, bytes([n ^ turn] * 32), n, turn)
            node.block(64 * n + turn, FIRST + 0x4000 + 1024 * n, 1000, 512 + n, turn)
        await node.until(lambda: len(node.answers) == 20)
        assert sorted(node.acknowledged()) == [*range(10), *range(512, 522)]
        assert len(node.made) == 20
        node.feed += rest
        await node.quiet(1200)  # all that was known of the sender may be cleared
        assert [(m[0], m[5]) for m in node.made[20:]] == [[(77, 0)], [(77, 1)], [(77, 0)], []][
            turn - 2
        ]
    await node.settle()


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def memory_that_stops(dut):
    """Memory takes no data at the worst moment, while packets of both ways come: all stop, nothing is lost, each is answered once."""
    node = await Node(dut).begin()
    channel = node.memory.write_if.w_channel
    tid = itertools.count()
    for turn in range(12):
        for _ in range(6):
            n = next(tid)
            node.block(0x100 + 7 * n, FIRST + 1300 * n, 1200, n)
            node.arrives(FIRST + 1300 * n + 1232, bytes([n] * 32), n)
        for _ in range(40 + 3 * turn):
            await RisingEdge(dut.clk_i)
        channel.pause = True
        await cycles(dut.clk_i, 300)
        assert dut.own_valid_o.value == 0
        channel.pause = False
        await node.settle()
        assert sorted(node.acknowledged()) == list(range(6 * turn, 6 * turn + 6))
    assert len(node.left) == next(tid) and all(p.kind == ACK for p in node.left)


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def work_that_waits_for_room(dut):
    """Memory takes nothing while packets come one by one: one that is decided about before it is
    whole finds no room for its work, and waits."""
    node = await Node(dut).begin()
    channel = node.memory.write_if.w_channel
    tid = itertools.count()
    for turn in range(8, 20):  # as many as rdma_write takes, and a few more or less
        channel.pause = True
        for n in range(turn):
            node.arrives(FIRST + 0x8000 + 64 * n, bytes([turn] * 32), next(tid))
        await cycles(dut.clk_i, 200)
        first = next(tid)
        for n in range(4):
            node.block(0x100 + 64 * n, FIRST + 1024 * n, 64 * (7 + n), first + n)
            await cycles(dut.clk_i, 60)
            next(tid)
        channel.pause = False
        await node.settle()
        assert sorted(node.acknowledged()) == list(range(first, first + 4))


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def memory_that_gives_no_more(dut):
    """Memory stops in the words of a packet to the node itself, which is looked up when its last
    words are still to come: packets of the network go on, the packet when its words come, and
    nothing of it is written before."""
    node = await Node(dut).begin()
    channel = node.memory.read_if.r_channel
    words = 0

    async def count():
        nonlocal words
        while True:
            await RisingEdge(dut.clk_i)
            words += word_is_read(dut)

    cocotb.start_soon(count())
    for turn in range(2 * 16):
        at, words = FIRST + 2048 * turn, 0
        node.block(0x100 + 64 * turn, at, 1024, turn)
        await node.until(lambda: words >= turn % 16)  # noqa: B023
        channel.pause = True
        for n in range(4):
            node.arrives(at + 1024 + 64 * n, bytes([turn] * 32), 4 * turn + n)
        # Written and answered; the answers leave behind the packet.
        node.made.clear()
        await node.until(lambda: sum(made[4] == PEER for made in node.made) == 4, 64 + 60)
        if words < 16:
            assert bytes(node.memory.read(at, 1024)) == bytes(node.content[at : at + 1024])
        await cycles(dut.clk_i, node.random.randrange(200))
        channel.pause = False
        await node.settle()
        assert node.acknowledged() == [turn]
        assert [packet.kind for packet in node.left] == [ACK] * 4
        node.left.clear()


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def last_word_as_patience_ends(dut):
    """The last word of a packet that is decided about comes in any cycle about the one in which the
    packet is given up: it is written and answered once, and no word of the store is lost."""
    node = await Node(dut).begin()
    channel = node.memory.read_if.r_channel
    for turn in range(60):
        words = 0
        node.block(0x100 + 64 * turn, FIRST + 1024 * (turn % 8), 1024, turn)
        while words < 13:
            await RisingEdge(dut.clk_i)
            words += word_is_read(dut)
        channel.pause = True
        await cycles(dut.clk_i, 30 + turn)
        channel.pause = False
        await node.settle()
        assert node.acknowledged() == [turn]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def scan_as_the_last_word_comes(dut):
    """The scan that forgets takes its steps while packets wait for their last words, which come in
    any cycle: what each packet notes is kept, so each block is complete."""
    node = await Node(dut).begin()
    dut.forget_i.value = 1
    node.stall(0.1)
    tid = itertools.count()
    for _ in range(6):
        tids = [next(tid) for _ in range(12)]
        for place, number in enumerate(tids):
            node.block(0x100 + 1024 * place, FIRST + 4096 * place, 4096, number)
        await node.settle()
        assert sorted(node.acknowledged()) == tids


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def memory_that_fails(dut):
    """Memory does not give a word of a block: nothing of its packet is written, the block is reported as failed, and no word of the store is lost,
    however often."""
    node = await Node(dut).begin()
    bad = 0x3000
    read = node.memory.read_if._read

    async def failing(address, length):
        if address <= bad < address + length:
            raise RuntimeError("bad word")
        return await read(address, length)

    node.memory.read_if._read = failing
    for turn in range(30):
        source = bad - 64 * (turn % 12) - 1024 * (turn % 2)
        size = bad - source + 64 + 64 * (turn % 5)
        whole = (bad - source) // 1024 * 1024  # packets in front of it
        at = FIRST + 2048 * turn
        node.block(source, at, size, turn, written=False)
        node.expected[at : at + whole] = node.expected[source : source + whole]
        node.block(0x40, at + 0x10000, 500, 100 + turn)
    await node.settle()
    assert sorted(node.acknowledged()) == list(range(100, 130))
    assert sorted(node.sent) == sorted(
        [(n, 1) for n in range(30)] + [(100 + n, 0) for n in range(30)]
    )


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def write_refused(dut):
    """Memory refuses a write of this node to itself: the answer is a NACK, and goes to nobody else."""
    node = await Node(dut).begin()
    write = node.memory.write_if._write

    async def failing(address, data):
        if address // 64 == FIRST // 64:
            raise RuntimeError("bad word")
        await write(address, data)

    node.memory.write_if._write = failing
    node.create(HERE | FIRST, MESSAGE, 5, b"12345678")
    node.create(HERE | FIRST - 8, MESSAGE, 6, b"12345678")  # outside the window
    node.message(FIRST + 64, b"abcdefgh", 7)
    await node.settle()
    assert sorted((a[2], a[1]) for a in node.answers) == [(5, NACK), (6, NACK), (7, ACK)]
    assert node.left == [] and await node.count("window") == 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def beside_the_network(dut):
    """Packets to both, in turn: each goes where it has to, those to the network leave in their order and as they have to be, and each is reported
    once, also when two end in one cycle."""
    node = await Node(dut).begin()
    random = node.random
    far = []
    for n in range(120):
        node.rate = 1.0
        size = random.choice((1, 8, 32))
        if random.random() < 0.5:
            node.message(FIRST + 64 * n, random.randbytes(size), n)
        else:
            packet = Packet(
                PEER << 48 | n, MESSAGE, n, 1, EPOCH, NODE, DOMAIN, random.randbytes(size)
            )
            far.append(packet)
            node.creator.send([use(n, 1) << 381 | creation(packet)])
        if random.random() < 0.3:
            await cycles(dut.clk_i, random.randrange(12))
            node.rate = random.choice((0.3, 1.0))
    node.rate = 1.0
    await node.until(lambda: len(node.sent) == 120)
    await node.settle()
    assert [p for p in node.left if p.kind == MESSAGE] == far
    assert sorted(node.sent) == [(n, 0) for n in range(120)]
    assert len(node.acknowledged()) == 120 - len(far)


async def held(dut, channel):
    """A packet to the node itself waits for this channel of its memory, behind one that the network does not take: no other may begin."""
    node = await Node(dut).begin()
    channel = channel(node.memory)
    node.rate = 0.0
    node.create(PEER << 48, MESSAGE, 1, b"12345678")
    await node.until(lambda: dut.m_axis_tvalid.value == 1)
    for n in range(8):
        node.block(1024 * n, FIRST + 1024 * n, 1024, 10 + n, written=False)
    await node.until(lambda: dut.own_valid_o.value == 1)
    channel.pause = True
    await cycles(dut.clk_i, 200)
    assert dut.own_valid_o.value == 0 and len(node.within) < 8
    dut.hold_i.value = 1
    await cycles(dut.clk_i, 40)
    assert node.left == []
    node.rate = 1.0
    await cycles(dut.clk_i, 20)
    assert [packet.tid for packet in node.left] == [1]
    ended = len(node.within)
    channel.pause = False
    await cycles(dut.clk_i, 200)
    assert [packet.tid for packet in node.left] == [1]
    # What had begun, at most.
    assert len(node.within) <= ended + 1 and dut.own_valid_o.value == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def held_for_words(dut):
    """hold_i while a packet to the node itself waits for its words, behind one that leaves: that one does, to its end, and nothing else."""
    await held(dut, lambda memory: memory.read_if.r_channel)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def held_for_room(dut):
    """hold_i while a packet to the node itself waits for room, behind one that leaves: that one does, to its end, and nothing else."""
    await held(dut, lambda memory: memory.write_if.w_channel)


@pytest.mark.parametrize("packed", [False, True])
def test_rdma_own(packed):
    run(__name__, packed=packed)
