# SPDX-License-Identifier: Apache-2.0
"""rdma: what an adversary would try with two whole engines, case by case: old packets, a reset among transfers, reads that find no channel or
no end, a hostile domain, a message behind elephants, transfers within a node."""

import cocotb
from cocotb.triggers import RisingEdge
from descriptors import DONE, ERROR, lines
from packets import ACK, CONTROL, DATA, MESSAGE, REQUEST, Packet
from pair import NOTES, SOURCE, TARGET, ends, gaps, kind_of, over, run, start, tid_of, until
from tb_common import rng

HALF = TARGET + 65536


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def old_packets(dut):
    """Everything that both nodes have sent comes once more, when the transfers are over and their memory is used for something else; and
    again when their TIDs have been used eight times more, and are under way."""
    pair = await start(dut)
    a, b = pair.nodes
    sent = [[], []]
    pair.heard = lambda sender, words: sent[sender].append(list(words))
    jobs = [
        {"size": 3000, "source": SOURCE + 1, "destination": 1 << 48 | TARGET + 3, "cls": 2,
         "notify": True, "notification": 1 << 48 | NOTES},
        {"size": 20, "inline": bytes(range(20)), "destination": 1 << 48 | TARGET + 5000},
        {"size": 2000, "source": 1 << 48 | SOURCE + 9, "destination": TARGET + 5, "cls": 1, "read": True,
         "notify": True, "notification": NOTES},
    ]  # fmt: skip
    for n, job in enumerate(jobs):
        a.post(0, 2 * n, job)
    assert await over(pair, a, 3) == [DONE] * 3
    await pair.settle()
    # All of them may be used for something else now.
    for node in pair.nodes:
        for at, size in ((TARGET, 8192), (NOTES, 8)):
            fresh = pair.random.randbytes(size)
            node.memory.write(at, fresh)
            node.expected[at : at + size] = fresh

    async def again():
        before = [await node.counter("answers_dropped") for node in pair.nodes]
        for sender in range(2):
            pair.replay(1 - sender, old[sender])
        await pair.settle()
        for node in pair.nodes:
            assert await node.counter("answers_dropped") > before[node.number]
            assert await node.counter("faults") == 0
        pair.check()

    old = [list(packets) for packets in sent]
    assert {kind_of(w) for w in old[0] + old[1]} == {DATA, MESSAGE, CONTROL, ACK, REQUEST}
    await again()
    # Eight real uses more of the numbers: all 16 groups of flows, one block each; the single flows
    # are 64.
    tids = {tid_of(words) for words in old[0] if kind_of(words) == DATA}
    uses = dict.fromkeys(tids, 0)

    def count(sender, words):
        if sender == 0 and kind_of(words) == DATA and tid_of(words) in uses:
            uses[tid_of(words)] += 1

    pair.heard = count
    for turn in range(9):
        data = bytes(a.expected[SOURCE : SOURCE + 8])
        pair.lose = lambda sender, kind, tid, last=turn == 8: last and kind == DATA
        for n in range(16):
            at = HALF + 64 * n
            a.post(1, n, {"size": 8, "source": SOURCE, "destination": 1 << 48 | at, "cls": 2})
            b.expected[at : at + 8] = data
        if turn < 8:
            assert await over(pair, a, 16, 1) == [DONE] * 16
    await until(pair, lambda: all(n >= 9 for n in uses.values()))
    # Their data are lost for now: what answers them is old.
    before = await a.counter("answers_dropped")
    answers = [words for words in old[1] if kind_of(words) == ACK]
    pair.replay(0, answers)
    await pair.settle()
    assert await a.counter("answers_dropped") == before + len(answers)
    assert await a.poll(1) == []
    pair.lose = lambda *_: False
    assert await over(pair, a, 16, 1) == [DONE] * 16
    await pair.settle()
    pair.check()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def one_is_reset(dut):
    """One engine is reset while both write and read both ways, and registers the same windows again at once: what its former life has
    asked for is not written, the other one's transfers end, one way or the other, and all channels work again."""
    pair = await start(dut)
    a, b = pair.nodes
    size = 40_000
    await a.registers.write("read_timeout", ticks=1)
    await a.registers.write("retries", count=3)
    seen = [set(), set()]

    def heard(sender, words):
        kind, reads = kind_of(words), words[-1] >> 43 & 1
        if kind == DATA:
            seen[sender].add(reads)

    pair.heard = heard
    for node, far in ((a, b), (b, a)):
        job = {"size": size, "cls": 1 + node.number, "source": node.number << 48 | SOURCE}
        node.post(0, 2, job | {"destination": far.number << 48 | TARGET})
        read = {"source": far.number << 48 | SOURCE, "destination": node.number << 48 | HALF}
        note = {"notify": True, "notification": node.number << 48 | NOTES}
        node.post(0, 4, job | read | note | {"read": True})
    # All four are in the middle.
    await until(pair, lambda: seen == [{0, 1}, {0, 1}])
    served = await a.counter("reads_served")
    await b.reset(epoch=4)
    # The user of the new life has other plans with this memory.
    for at, length in ((HALF, size), (NOTES, 8)):
        fresh = pair.random.randbytes(length)
        b.memory.write(at, fresh)
        b.expected[at : at + length] = fresh
    # Its first word ends everything that is late of its former life.
    b.post(0, 6, {"size": 4, "inline": b"here", "destination": TARGET + 50_000})
    assert await ends(pair, b) == DONE
    a.expected[TARGET + 50_000 : TARGET + 50_004] = b"here"
    fresh = pair.random.randbytes(size)
    a.memory.write(TARGET, fresh)
    a.expected[TARGET : TARGET + size] = fresh
    # The end of a's transfers: its read was known to nobody any more.
    states = {}
    while a.jobs:
        for job, state in await a.poll(0):
            states[job.get("read", False)] = state
    assert states[True] == ERROR
    while await a.counter("reads_served") == served:
        pass
    assert await a.counter("reads_served") == served + 1
    assert await b.counter("old_epoch") > 0
    # What the error left is not defined: where a has written, if it was not told that it is done,
    # and where it has read to.
    if states[False] == DONE:
        b.expected[TARGET : TARGET + size] = a.expected[SOURCE : SOURCE + size]
    else:
        b.expected[TARGET : TARGET + size] = b.memory.read(TARGET, size)
    a.expected[HALF : HALF + size] = a.memory.read(HALF, size)
    await pair.settle()
    pair.check()
    # Both work, in all ways.
    for node, far in ((a, b), (b, a)):
        for channel in (2, 4, 6):
            at, source = TARGET + 5000 * channel, SOURCE + 100 * channel
            job = {"size": 4000, "source": source, "cls": channel // 2 - 1}
            if channel == 4:
                job |= {"read": True, "source": far.number << 48 | source}
                job |= {"destination": node.number << 48 | at}
                node.expected[at : at + 4000] = far.expected[source : source + 4000]
            else:
                job |= {"source": node.number << 48 | source, "destination": far.number << 48 | at}
                far.expected[at : at + 4000] = node.expected[source : source + 4000]
            node.post(0, channel, job)
    for node in (a, b):
        assert await over(pair, node, 3) == [DONE] * 3
    await pair.settle()
    pair.check()
    assert await a.counter("faults") == await b.counter("faults") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def no_read_channel(dut):
    """All read channels of a domain are taken, as the ends of their reads are not answered: one more waits, is refused meanwhile, and done
    when one is free; the other domain does not wait. A read whose end never comes is an error after `read_timeout`."""
    pair = await start(dut)
    a, b = pair.nodes
    far = 1 << 48
    controls = [set(), set()]

    def heard(sender, words):
        if kind_of(words) == CONTROL:
            controls[sender].add(tid_of(words))

    pair.heard = heard
    pair.lose = lambda sender, kind, tid: (sender, kind) == (0, ACK) and tid in controls[1]
    for channel in range(64):
        at, source = TARGET + 64 * channel, SOURCE + channel
        job = {"size": 40, "source": far | source, "destination": at, "read": True}
        a.post(0, channel, job)
        a.expected[at : at + 40] = b.expected[source : source + 40]
    assert await over(pair, a, 64) == [DONE] * 64
    job = {"size": 40, "source": far | SOURCE, "destination": HALF, "read": True}
    a.post(0, 9, job)
    a.expected[HALF : HALF + 40] = b.expected[SOURCE : SOURCE + 40]
    while await b.counter("requests_refused") == 0:
        pass
    assert await a.poll(0) == []
    pair.lose = lambda *_: False
    assert await ends(pair, a) == DONE
    a.post(1, 9, job | {"destination": HALF + 64})
    a.expected[HALF + 64 : HALF + 104] = b.expected[SOURCE : SOURCE + 40]
    assert await ends(pair, a, 1) == DONE
    # The other node is silent from its answer on.
    await a.registers.write("read_timeout", ticks=1)
    pair.lose = lambda sender, kind, tid: sender == 1 and kind != ACK
    a.post(0, 9, job | {"source": far | SOURCE + 7})
    assert await ends(pair, a) == ERROR
    assert await b.counter("requests_refused") >= 1
    # It speaks again: the data come, the read is over for nobody.
    pair.lose = lambda *_: False
    while await b.counter("reads_served") < 67:
        pass
    await pair.settle()
    a.expected[HALF : HALF + 40] = b.expected[SOURCE + 7 : SOURCE + 47]
    assert await a.poll(0) == []
    pair.check()
    for node in pair.nodes:
        assert await node.counter("faults") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def value_refused(dut):
    """The memory of the node that asks refuses the value that tells of the end of its read: the read has failed, at both ends, and not done at one;
    with a memory that is well again the same read is done."""
    pair = await start(dut)
    a, b = pair.nodes
    write, bad = a.memory.write_if._write, True

    async def failing(address, data):
        if bad and address // 64 == NOTES // 64:
            raise RuntimeError("bad word")
        await write(address, data)

    a.memory.write_if._write = failing
    await b.registers.write("retries", count=2)
    far = 1 << 48
    job = {"size": 3000, "source": far | SOURCE + 3, "destination": TARGET + 5, "cls": 2}
    job |= {"read": True, "notify": True, "notification": NOTES}
    a.expected[TARGET + 5 : TARGET + 3005] = b.expected[SOURCE + 3 : SOURCE + 3003]
    a.post(0, 1, job)
    assert await ends(pair, a) == ERROR
    while await b.counter("reads_served") < 1:
        pass
    # Its control packet was refused, each time, and given up.
    assert await b.counter("given_up") == 1 and await b.counter("repeated") == 2
    await pair.settle()
    pair.check()
    bad = False
    a.expected[NOTES : NOTES + 8] = (3000 | 1 << 32).to_bytes(8, "little")
    a.post(0, 1, job)
    assert await ends(pair, a) == DONE
    await pair.settle()
    pair.check()
    assert await b.counter("given_up") == 1
    assert await a.counter("faults") == await b.counter("faults") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def message_among_elephants(dut):
    """64 transfers of 1 MB keep the network busy for good: a message leaves behind one packet of theirs at most."""
    pair = await start(dut)
    a, _ = pair.nodes
    for node in pair.nodes:
        await node.window(0, 0, 0, (1 << 22) - 1, read=1, write=1)
        await node.window(0, 1, 0, 0)
    log = []
    pair.heard = lambda sender, words: sender == 0 and log.append((pair.now, kind_of(words)))
    for channel in range(64):
        place = 1 << 48 | 1 << 21 | channel
        a.post(
            0,
            channel,
            {"size": 1 << 20, "source": SOURCE, "destination": place, "cls": channel % 3},
        )
    await until(pair, lambda: len(log) > 100 and not a.writes and not a.writing)
    # Every cycle of the network is used: 16 of 18 words are payload.
    assert gaps(log)[40:100] == [18] * 60
    for channel in range(8):
        began, passed = pair.now, len(log)
        message = bytes([channel] * 8)
        a.post(
            1, channel, {"size": 8, "inline": message, "destination": 1 << 48 | NOTES + 8 * channel}
        )
        await until(pair, lambda n=channel: sum(k == MESSAGE for _, k in log) > n, 200)
        await until(pair, lambda: not a.writing)
        when = next(t for t, k in log[passed:] if k == MESSAGE)
        # Address and two words at the port, six cycles, the packet on its way, and its own three
        # words.
        assert when - began <= 8 + 6 + 18 + 3, (when - began, log[passed:])
        for _ in range(7 * channel):
            await RisingEdge(dut.clk_i)
    assert await over(pair, a, 8, 1) == [DONE] * 8


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def line_rate(dut):
    """Transfers of 8 KB, and of 512 bytes, one behind the other: a word leaves in every cycle."""
    pair = await start(dut)
    a, _ = pair.nodes
    log = []
    pair.heard = lambda sender, words: sender == 0 and log.append((pair.now, len(words)))
    for size in (512, 8192):
        log.clear()
        for channel in range(24):
            place = TARGET + 4096 * (channel % 8)
            job = {"size": size, "source": SOURCE + 64 * channel, "destination": 1 << 48 | place}
            a.post(0, channel, job)
        assert await over(pair, a, 24) == [DONE] * 24
        middle = log[len(log) // 4 : len(log) * 3 // 4]
        words = sum(n for _, n in middle[1:])
        assert words == middle[-1][0] - middle[0][0]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def hostile_domain(dut):
    """A domain that does everything that is forbidden, between the very words of the other's descriptors: each refusal is an error response or an
    error and a counter, the other domain's transfers are all done, and nothing that is not its own changes."""
    pair = await start(dut)
    a, b = pair.nodes
    random, far = rng("hostile"), 1 << 48
    for node in pair.nodes:
        await node.registers.write("retries", count=1)
        await node.window(1, 0, 0x100, 0x1FF, read=1)
        await node.window(1, 1, 0, 0)
    good = lines(64, far | TARGET, SOURCE)[0]
    partial = [  # address, words, for the port of a: each is refused
        (1 << 12 | 0x500, lines(0, far | TARGET, SOURCE)[0]),  # no size
        (1 << 12 | 0x500, lines(64, far | TARGET, SOURCE, cls=3)[0]),
        (1 << 12 | 0x500, lines(33, far | TARGET, inline=bytes(33))[0]),
        (1 << 12 | 0x500, lines(1 << 31, far | (1 << 48) - 5, SOURCE)[0]),  # beyond its node
        (1 << 12 | 0x500, lines(64, far | TARGET, SOURCE, NOTES + 1, notify=True)[0]),
        (1 << 12 | 0x820, good),  # the second line first
        (3 << 12 | 0x20, good),  # a state
        (1 << 12 | 0x500, lines(64, far | TARGET, SOURCE, priority=2)[0]),
    ]
    refused = beats = outside = guarded = 0
    for turn in range(24):
        # A descriptor of the good one in two halves, with those of the bad one in between.
        channel = turn % 16 * 2
        at, source = TARGET + 100 * turn, SOURCE + random.randrange(10_000)
        job = {"size": 100, "source": source, "destination": far | at, "cls": turn % 3}
        b.expected[at : at + 100] = a.expected[source : source + 100]
        a.jobs[0, channel] = job
        line = lines(**job)[0]
        a.writes.append((32 * channel, line[:16], False))
        address, words = partial[turn % len(partial)]
        a.writes.append((address, words, True))
        refused += 1
        beats += 1 + (
            address & 0xFFF != 0x500
        )  # a place that takes nothing refuses each of the two
        a.writes.append((32 * channel + 16, line[16:], False))
        # Good form, foreign memory: what the domain may not send, what it may not write, what it
        # may not read.
        kind = turn % 3
        if kind == 0:
            bad = {"size": 64, "source": SOURCE + 0x200, "destination": far | TARGET}
            guarded += 2
        elif kind == 1:
            bad = {"size": 8, "inline": b"mischief", "destination": far | at}
            outside += 2
        else:
            bad = {"size": 64, "source": far | SOURCE + 0x200, "destination": TARGET, "read": True}
            outside += 2
        a.post(1, turn, bad)
        if turn % 8 == 7:
            assert await over(pair, a, 8, 0) == [DONE] * 8
            assert await over(pair, a, 8, 1) == [ERROR] * 8
    await pair.settle()
    pair.check()
    assert a.refusals == refused and await a.counter("refused[1]") == beats
    assert await a.counter("refused[0]") == 0
    assert await a.counter("source_refused") == guarded and await b.counter("outside") == outside
    assert await a.counter("completed") == await a.counter("failed") == 24
    for node in pair.nodes:
        assert await node.counter("faults") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def within_a_node(dut):
    """A node writes to itself and reads from itself while the network takes nothing: done, each packet counted, none of it at the network.
    Windows hold there too, and no packet of the network passes for one of these."""
    pair = await start(dut)
    a, b = pair.nodes
    pair.ready = 0.0
    await a.registers.write("retries", count=1)
    write = {"size": 3000, "source": SOURCE + 5, "destination": TARGET + 9, "cls": 2}
    write |= {"notify": True, "notification": NOTES}
    message = {"size": 20, "inline": bytes(range(20)), "destination": TARGET + 5000}
    read = {"size": 2000, "source": SOURCE + 7, "destination": HALF, "cls": 1, "read": True}
    for channel, job in ((2, write), (4, message), (6, read)):
        a.post(0, channel, job)
    assert await over(pair, a, 3) == [DONE] * 3
    a.expected[TARGET + 9 : TARGET + 3009] = a.expected[SOURCE + 5 : SOURCE + 3005]
    a.expected[NOTES : NOTES + 8] = (3000 | 2 << 32).to_bytes(8, "little")
    a.expected[TARGET + 5000 : TARGET + 5020] = bytes(range(20))
    a.expected[HALF : HALF + 2000] = a.expected[SOURCE + 7 : SOURCE + 2007]
    await pair.settle()
    pair.check()
    # Data and the notification of the write, the message, request, data and end of the read, and an
    # answer to each of the six.
    assert await a.counter("packets_within") == 3 + 1 + 1 + 1 + 2 + 1 + 6
    # What no window allows, at either end.
    for at in (SOURCE, TARGET - 8):
        a.post(0, 4, message | {"destination": at})
        assert await ends(pair, a) == ERROR
    await a.window(1, 0, SOURCE, SOURCE + 99, read=1)
    a.post(1, 4, write)
    assert await ends(pair, a, 1) == ERROR
    assert await a.counter("outside") == 4 and await a.counter("source_refused") == 2
    # One that says it is of a comes from the network, with the number that is next.
    seen = await a.counter("packets_within")
    forged = Packet(TARGET + 6000, MESSAGE, 40, 77, 3, 0, 0, b"mischief")
    pair.replay(0, [forged.words(), Packet(0, ACK, 40, 77, 3, 0, 0).words()])
    await pair.settle()
    assert await a.counter("foreign") == 2 and await a.counter("packets_within") == seen
    assert await a.counter("answers_dropped") == 0
    pair.check()
    assert await a.counter("packets_sent") == await a.counter("words_sent") == 0
    assert await a.counter("faults") == 0
    # The network takes words again: both ways side by side.
    pair.ready = 1.0
    a.post(0, 2, write | {"destination": 1 << 48 | TARGET + 9})
    a.post(0, 4, message)
    b.expected[TARGET + 9 : TARGET + 3009] = a.expected[SOURCE + 5 : SOURCE + 3005]
    b.expected[NOTES : NOTES + 8] = (3000 | 2 << 32).to_bytes(8, "little")
    assert await over(pair, a, 2) == [DONE] * 2
    await pair.settle()
    pair.check()


def test_rdma_cases():
    run(
        __name__,
        [
            "line_rate",
            "old_packets",
            "one_is_reset",
            "no_read_channel",
            "value_refused",
            "message_among_elephants",
            "hostile_domain",
            "within_a_node",
        ],
    )
