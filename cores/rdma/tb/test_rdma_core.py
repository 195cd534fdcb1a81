# SPDX-License-Identifier: Apache-2.0
"""rdma_core: users who post and poll, a send unit that takes its time, a network that drops, delays, duplicates and refuses, a receiver after
the table of the README. Every block is checked as it is issued, nothing is done twice, and all numbers come back."""

import itertools

import cocotb
from cocotb.triggers import RisingEdge
from core_bench import (
    ACK,
    BLOCK,
    CONTROL,
    DATA,
    EPOCH,
    FAR,
    MASK,
    MESSAGE,
    NACK,
    NODE,
    READ,
    READ_TIMEOUT,
    TIMEOUT,
    Bench,
    Rough,
    Transfer,
    begin,
    fields,
    traffic,
)
from descriptors import DONE, ERROR, lines
from tb_common import ROOT, build_and_run, cycles, params, reset, rng, rtl

SOURCES = [*rtl("prim", "rdma"), ROOT / "cores/rdma/tb/rdma_core_bench.sv"]


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def latency(dut):
    """The budget: with the address a cycle before the data, four cycles from the address to the packet or block."""
    bench = await begin(dut)
    bench.task.cancel()
    dut.block_ready_i.value = dut.packet_ready_i.value = 1
    for channel, valid in ((3, "packet_valid_o"), (5, "block_valid_o")):
        inline = b"12345678" if valid == "packet_valid_o" else None
        line = Transfer(1, channel, 1000, inline=inline).lines()[0]
        await RisingEdge(dut.clk_i)
        dut.s_axi_awaddr.value, dut.s_axi_awsize.value = 1 << 12 | 32 * channel, 4
        dut.s_axi_awlen.value, dut.s_axi_awvalid.value = 1, 1
        await RisingEdge(dut.clk_i)
        began = bench.now
        dut.s_axi_awvalid.value = 0
        passed = 0
        for part in (line[:16], line[16:]):
            dut.s_axi_wdata.value = int.from_bytes(part, "little")
            dut.s_axi_wstrb.value, dut.s_axi_wvalid.value = 0xFFFF, 1
            dut.s_axi_wlast.value = part == line[16:]
            await RisingEdge(dut.clk_i)
            assert dut.s_axi_wready.value == 1
            passed += 1
        dut.s_axi_wvalid.value = 0
        while getattr(dut, valid).value != 1:
            await RisingEdge(dut.clk_i)
            passed += 1
            assert passed <= 4
        assert passed == 4 and began == bench.now


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def order_of_numbers(dut):
    """The example of the thesis, its wrap, and a place in the ring that is still under way (D15)."""
    bench = await begin(dut)
    transfers = (
        Transfer(0, 0, 20 * BLOCK, 2),
        Transfer(1, 1, 9 * BLOCK, 1),
        Transfer(1, 2, 3 * BLOCK),
    )
    for transfer in transfers:
        bench.post(transfer)
    await bench.until(lambda: all(t.issued == len(t.blocks) for t in transfers), 5000)
    tids = {t: [tid for _, _, tid, whose, *_ in bench.log if whose is t] for t in transfers}
    assert tids[transfers[0]][:7] == [768, 772, 776, 780, 769, 773, 777]
    assert sorted(tids[transfers[0]][:16]) == list(range(768, 784))
    assert tids[transfers[0]][16:] == [768, 772, 776, 780]
    assert tids[transfers[1]] == [512, 513, 514, 515, 512, 513, 514, 515, 512]
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def every_bit_of_a_size(dut):
    """Sizes of one byte to 32 blocks, of which one bit or all but one are set."""
    bench = await begin(dut)
    for bit in range(22):
        bench.post(Transfer(0, 1, 1 << bit, bit % 3))
        bench.post(Transfer(1, 0, (1 << 17) - 1 ^ 1 << bit % 17, bit % 3))
        await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def ring_comes_round(dut):
    """Block 0 is held up: block 4 waits for its TID, and goes when the answer has come."""
    bench = await begin(dut)
    transfer = Transfer(1, 1, 9 * BLOCK, 1)
    bench.hold = lambda whose, number: number == 0
    bench.post(transfer)
    await cycles(dut.clk_i, 400)
    assert transfer.issued == 4 and len(transfer.done) == 3
    bench.hold = lambda whose, number: False
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def message_among_elephants(dut):
    """64 transfers of 1 MB of a class keep the send unit busy for good: a message waits for none of their blocks."""
    for cls in range(3):
        bench = await begin(dut)
        bench.network.send = lambda: 60
        elephants = [Transfer(0, c, 1 << 20, cls, c % 3) for c in range(64)]
        for transfer in elephants:
            bench.post(transfer)
        await bench.until(lambda b=bench: len(b.log) > 30, 5000)
        for channel in range(5):
            before = len(bench.log)
            began = bench.now
            message = Transfer(1, channel, 0, inline=b"hello")
            bench.post(message)
            await bench.until(lambda m=message, b=bench: any(e[3] is m for e in b.log), 200)
            issued = [entry for entry in bench.log[before:] if entry[1] == DATA]
            when = next(entry[0] for entry in bench.log if entry[3] is message)
            assert len(issued) <= 1 and when - began <= 70, (issued, when - began)
            await cycles(dut.clk_i, 60)
        bench.task.cancel()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def order_of_queues(dut):
    """Small before one path before four, those that have flows before those that have none, each by priority; equals in turn."""
    bench = await begin(dut)
    bench.pauses["block"] = 1 << 40
    bench.network.send = lambda: 6
    for channel in range(2):
        bench.post(Transfer(1, channel, 1))
    await cycles(dut.clk_i, 40)
    kinds = [(cls, priority) for cls in (1, 2) for priority in range(3)] + [(0, 0)]
    transfers = [Transfer(0, i, 3 * BLOCK, *kind) for i, kind in enumerate(2 * kinds)]
    posts = transfers[:]
    bench.random.shuffle(posts)
    for transfer in posts:
        bench.post(transfer)
    await bench.until(lambda: bench.responses == 2 * len(transfers) + 4, 1000)
    bench.hold = lambda *_: True
    bench.pauses["block"] = 0
    await bench.until(lambda: len(bench.log) == 2 + 2 * len(transfers), 1000)
    # Each issues its first block and is behind those that have not; two are under way then.
    expected = []
    for kind in [(0, 0), *kinds[:-1]]:
        same = [transfer for transfer in posts if (transfer.cls, transfer.priority) == kind]
        expected += 2 * same if kind[0] == 0 else [t for each in same for t in (each, each)]
    assert [entry[3] for entry in bench.log[2:]] == expected
    bench.hold = lambda *_: False
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def numbers_run_out(dut):
    """No answers come. All flows are given out, the others wait; small transfers leave the reserve to messages."""
    bench = await begin(dut)
    bench.hold = lambda whose, number: not whose.inline
    for page in range(2):
        for channel in range(64):
            bench.post(Transfer(page, channel, 3 * BLOCK, 1 + channel // 4 % 2))
    await bench.until(lambda: not bench.writes and len(bench.log) == 160, 2500)
    await cycles(dut.clk_i, 20)
    assert len(bench.log) == 160 and len(bench.flows) == 128
    bench.task.cancel()

    bench = await begin(dut)
    bench.hold = lambda whose, number: not whose.inline
    for index in range(250):
        bench.post(Transfer(index // 64, index % 64, 2 * BLOCK))
    await bench.until(lambda: not bench.writes and len(bench.log) == 480, 3000)
    bench.post(Transfer(3, 60, 0, inline=b"x"))
    await bench.until(lambda: len(bench.log) == 481, 50)
    assert bench.log[480][1] == MESSAGE
    await cycles(dut.clk_i, 50)
    assert len(bench.log) == 481
    bench.hold = lambda *_: False
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def given_up(dut):
    """A block that never arrives: sent 1 + retries times, then an error; the other block and all numbers are accounted for."""
    bench = await begin(dut, retries=2)
    transfers = [Transfer(0, c, 6 * BLOCK, c, notify=True) for c in range(3)]
    transfers.append(Transfer(0, 3, 0, inline=b"never"))
    bench.hold = lambda whose, number: whose in transfers and number == (0 if whose.inline else 3)
    for transfer in transfers:
        bench.post(transfer)
    await bench.finish()
    for transfer in transfers:
        assert transfer.over == ERROR
        number = 0 if transfer.inline else 3
        assert [e[5] for e in bench.log if e[3] is transfer and e[4] == number] == [0, 1, 2]
    assert (bench.counts["gave_up"], bench.counts["repeated"]) == (4, 8)


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def before_ready(dut):
    """Memories are being cleared: no descriptor and no answer is taken; the answer is about nothing then."""
    bench = Bench(dut, rng("bench"))
    dut.answer_i.value, dut.answer_valid_i.value = bench.word(ACK, 0, 0), 1
    await reset(dut.clk_i, dut.rst_i)
    passed = 0
    while dut.ready_o.value != 1:
        for name in ("answer_ready_o", "s_axi_awready", "s_axi_wready", "s_axi_arready"):
            assert getattr(dut, name).value == 0, name
        await RisingEdge(dut.clk_i)
        passed += 1
        assert passed <= 520
    while dut.dropped_o.value != 1:
        await RisingEdge(dut.clk_i)
        assert dut.fault_o.value == 0


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def waiting_is_not_lost(dut):
    """Blocks that wait in the send unit for longer than the time-out: the time runs from their last word, nothing is sent again."""
    bench = await begin(dut)
    bench.network.send = lambda: TIMEOUT + 500
    for channel in range(3):
        bench.post(Transfer(0, channel, 100, channel))
    await bench.finish()
    assert bench.counts["repeated"] == bench.counts["dropped"] == 0


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def answers_that_fit_nothing(dut):
    """Twice, of another epoch, of another number, of a use before; a refusal is sent again long before the time is over."""
    bench = await begin(dut)
    real = bench.answer
    asked = []

    def answer(kind, tid, sequence, tries):
        asked.append((tid, sequence))
        for epoch, number in ((EPOCH ^ 1, 0), (EPOCH, 1), (EPOCH, -1), (EPOCH, 1 << 13)):
            for wrong in (ACK, NACK):
                bench.answers.append(bench.word(wrong, tid, (sequence + number) & MASK, epoch))
                bench.answers.append(bench.word(wrong, tid, sequence, node=FAR ^ 1))
        for _ in range(3):
            bench.answers.append(bench.word(kind, tid, sequence))

    bench.answer = answer
    for channel in range(4):
        bench.post(Transfer(0, channel, 5 * BLOCK, channel % 3))
    await bench.until(lambda: len(bench.log) == 20, 5000)
    bench.answer = real
    for tid, sequence in asked:
        bench.answers.append(bench.word(ACK, tid, sequence))
    await bench.until(lambda: not bench.answers, 5000)
    assert bench.counts["dropped"] >= 200 and bench.counts["repeated"] == 0
    await bench.finish()

    bench = await begin(dut)
    bench.network.block = lambda tries: ([1], tries < 3)
    transfer = Transfer(0, 1, 100)
    bench.post(transfer)
    await bench.until(lambda: transfer.done, 3 * 2300)
    assert [e[5] for e in bench.log] == [0, 1, 2, 3]
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def one_bit_wrong(dut):
    """Answers and the end of a read that differ in one bit from what fits, each alone: none counts. Then the right one does."""
    bench = await begin(dut)
    # What is sent again is so for a NACK, within a round of the scan.
    dut.timeout_i.value = 10 * TIMEOUT
    late = []
    bench.answer = lambda kind, tid, sequence, tries: late.append((tid, sequence))
    transfer = Transfer(0, 7, 5000, 2, read=True)
    transfer.source = FAR << 48 | 0x5000
    bench.post(transfer)
    await bench.until(lambda: late, 500)

    async def none_counts(kind, tid, sequence, bits, **fields):
        right = bench.word(kind, tid, sequence, **fields) >> 256
        for bit in bits:
            wrong = (right ^ 1 << bit) << 256
            before = bench.counts["dropped"]
            bench.answers.append(wrong)
            await bench.until(lambda n=before: bench.counts["dropped"] > n, 200)
            assert bench.counts["dropped"] == before + 1, bit
            bench.poll(0)
            await cycles(dut.clk_i, 20)
            assert transfer.index in bench.current, bit

    async def told(word):
        bench.answers.append(word)
        await bench.until(lambda: not bench.answers, 100)
        await cycles(dut.clk_i, 20)

    # Word: kind, TID, number, epoch, node.
    tid, sequence = late[0]
    for kind in (ACK, NACK):
        await none_counts(kind, tid, sequence, range(4, 48))
    await cycles(dut.clk_i, 2300)
    assert bench.counts["repeated"] == 0
    await told(bench.word(ACK, tid, sequence))
    # TID, epoch, and the number but for the tries of a request.
    sequence = transfer.request[1]
    bits = [*range(4, 14), *range(18, 32)]
    await none_counts(CONTROL, tid, sequence, bits, transfer=transfer.index)
    await told(bench.word(CONTROL, tid, sequence, transfer=transfer.index))
    bench.poll(0)
    await bench.until(lambda: transfer.index not in bench.current, 100)
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def quick_time_outs(dut):
    """The time-out is shorter than a round of the scan, and nobody answers: all that is due is sent again in turns, however near to each other, and
    each within a round; all are given up in the end, also while one more waits for the send unit."""
    bench = await begin(dut, retries=6)
    dut.timeout_i.value = 300
    bench.hold = lambda *_: True
    transfers = [Transfer(page, 3 + page, 0, inline=bytes(8)) for page in range(4)]
    transfers += [Transfer(page, 9, 100) for page in range(4)]
    for transfer in transfers:
        bench.post(transfer)

    def tries():
        return [sum(entry[3] is each for entry in bench.log) for each in transfers]

    most = 0
    while min(tries()) < 7:
        await cycles(dut.clk_i, 100)
        counts = tries()
        most = max(most, max(counts) - min(counts))
        assert bench.now < 7 * 4000, counts
    assert most <= 1
    when = {}
    for now, _, _, transfer, _, _ in bench.log:
        # Not before its time, and not a round and some messages after it.
        assert now >= when.get(transfer, -300) + 300
        assert now - when.get(transfer, now) <= 300 + 2112 + 100
        when[transfer] = now
    await bench.until(lambda: bench.counts["gave_up"] == 8, 5000)
    # One waits for the send unit for ever; what has been tried often enough ends nevertheless.
    stuck = Transfer(0, 20, 100)
    bench.post(stuck)
    await bench.until(lambda: stuck.issued, 500)
    last = Transfer(0, 21, 0, inline=bytes(8))
    bench.post(last)
    await bench.until(lambda: sum(e[3] is last for e in bench.log) == 6, 7 * 4000)
    bench.pauses["block"] = 1 << 40
    await bench.until(lambda: bench.counts["gave_up"] == 9, 3 * 4000)
    bench.pauses["block"] = 0
    await bench.until(lambda: bench.counts["gave_up"] == 10, 7 * 4000)
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def answer_meets_repetition(dut):
    """A block waits to be sent again, as the send unit has no room: the answer to what was sent before is dropped, for the block is sent again in
    any case; the answer to that ends it."""
    bench = await begin(dut)
    real, late = bench.answer, []
    bench.answer = lambda *answer: late.append(answer)
    transfer = Transfer(0, 0, 100)
    bench.post(transfer)
    await bench.until(lambda: late, 500)
    bench.answer = real
    bench.pauses["block"] = 1 << 40
    for channel in (2, 4):
        bench.post(Transfer(0, channel, 100))
    await bench.until(lambda: bench.counts["repeated"], 2 * TIMEOUT)
    bench.answer(*late[0])
    await bench.until(lambda: bench.counts["dropped"], 200)
    bench.poll(0)
    await cycles(dut.clk_i, 50)
    assert transfer.index in bench.current and len(bench.log) == 1
    bench.pauses["block"] = 0
    await bench.finish()
    assert bench.counts["repeated"] == bench.counts["dropped"] == 1
    assert [entry[5] for entry in bench.log if entry[3] is transfer] == [0, 1]


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def answers_with_marks(dut):
    """An answer to a block with a flow comes out once, with what it says of marks; one that does not fit, or of something without a flow, does
    not, and a block that is given up neither."""
    bench = await begin(dut, retries=2)
    late, told, echo = [], [], 1 << 256 + 76
    bench.answer = lambda *answer: late.append(answer)

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            place, node, echo_told, valid = fields(int(dut.answered_o.value), 9, 16, 1, 1)
            if valid:
                told.append((echo_told, node, place))

    cocotb.start_soon(watch())
    # Each to another node, and both values of each bit of it.
    nodes = [0x5A3C, 0x3CA5, 0xC35A, 0xA5C3, 0x0FF0, 0xF00F]
    for number, node in enumerate(nodes):
        bench.post(Transfer(0, 2 * number, 100, number % 3, node=node))
    bench.post(Transfer(1, 0, 0, inline=b"hello"))
    await bench.until(lambda: len(late) == 7, 500)
    expected = []
    for kind, tid, sequence, _ in late:
        node = bench.use[tid]["key"][0].node
        bench.answers.append(bench.word(kind, tid, sequence ^ 1, node=node) | echo)
        right = bench.word(kind, tid, sequence, node=node) | echo * (tid & 1 ^ 1)
        bench.answers += [right] * 2
        if tid >= 512:
            expected.append((tid & 1 ^ 1, node, tid - 512))
    await bench.until(lambda: not bench.answers and len(told) == 4, 2000)
    # One that nobody answers is given up, which is no answer.
    silent = Transfer(0, 13, 100, 2, node=0xA5C3)
    bench.hold = lambda transfer, _: transfer is silent
    bench.post(silent)
    await bench.finish()
    await cycles(dut.clk_i, 100)
    assert silent.given_up
    assert len(expected) == 4 and told == expected, (told, expected)
    assert bench.counts["dropped"] == 14


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def reads(dut):
    """A read is done when the other node says so of this very request, once."""
    bench = await begin(dut)

    def over(transfer, tid, sequence, failed=0):
        word = bench.word(CONTROL, tid, sequence & MASK, EPOCH, transfer.index, failed)
        bench.answers.append(word)

    for failed in (0, 1):
        transfer = Transfer(0, 7, 5000, 2, notify=True, read=True)
        transfer.source, transfer.given_up = FAR << 48 | 0x5000, bool(failed)
        bench.post(transfer)
        await bench.until(lambda t=transfer: t.requested, 500)
        tid, sequence = transfer.request
        await cycles(dut.clk_i, 100)
        other = Transfer(0, 8, 1)
        for wrong in (
            (transfer, tid ^ 1, sequence),
            (transfer, tid, sequence - 1),
            (transfer, tid, sequence + 16),
            (other, tid, sequence),
        ):
            over(*wrong)
        early = bench.word(CONTROL, tid, sequence, EPOCH - 1, transfer.index)
        bench.answers.append(early)
        foreign = {"transfer": transfer.index, "domain": 1}
        bench.answers.append(bench.word(CONTROL, tid, sequence, **foreign))
        await cycles(dut.clk_i, 100)
        bench.poll(0)
        await cycles(dut.clk_i, 10)
        assert transfer.index in bench.current
        over(transfer, tid, sequence, failed)
        over(transfer, tid, sequence, failed)
        await bench.until(lambda: bench.poll(0) or not bench.current, 200)
        # The channel has something else to do now: what is said of the read is late.
        again = Transfer(0, 7, 3 * BLOCK, 1)
        bench.hold = lambda *_: True
        bench.post(again)
        await bench.until(lambda t=again: t.issued, 200)
        for _ in range(3):
            over(transfer, tid, sequence)
        await cycles(dut.clk_i, 50)
        bench.hold = lambda *_: False
        await bench.until(lambda: bench.poll(0) or not bench.current, 5 * TIMEOUT)
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def end_before_answer(dut):
    """The end of a read is refused, and not noted, until its request has been answered; it is not refused because somebody else uses the TID
    of the request by then."""
    bench = await begin(dut)
    real, late = bench.answer, []
    bench.answer = lambda *answer: late.append(answer)
    transfer = Transfer(0, 7, 5000, 2, read=True)
    transfer.source = FAR << 48 | 0x5000
    bench.post(transfer)
    await bench.until(lambda: late, 500)
    tid, sequence = transfer.request
    end = bench.word(CONTROL, tid, sequence, EPOCH, transfer.index)

    async def told(word):
        """Whether it is refused."""
        bench.answers.append(word)
        while True:
            await RisingEdge(dut.clk_i)
            if dut.answer_valid_i.value == 1 and dut.answer_ready_o.value == 1:
                return dut.answer_refused_o.value == 1

    async def is_over():
        await cycles(dut.clk_i, 50)
        bench.poll(0)
        await cycles(dut.clk_i, 50)
        return transfer.index not in bench.current

    for channel in (6, 8):
        other = bench.word(CONTROL, tid, sequence, EPOCH, channel)
        assert not await told(other)
    await cycles(dut.clk_i, 50)
    dropped = bench.counts["dropped"]
    assert await told(end)
    assert await told(end)
    await cycles(dut.clk_i, 50)
    assert bench.counts["dropped"] == dropped + 2
    bench.answer = real
    bench.answer(*late[0])
    assert not await is_over()
    # Somebody else has the TID now, and is not answered.
    bench.hold = lambda owner, _: bench.use[tid]["key"][0] is owner
    count = 0
    while bench.use[tid]["key"][0] is transfer:
        for channel in range(8, 64):
            index = 128 + channel
            if index not in bench.current:
                bench.post(Transfer(1, channel, 0, inline=bytes(8)))
                count += 1
        await bench.until(lambda: not bench.writes and bench.write_now is None, 2000)
        bench.poll(1)
        await cycles(dut.clk_i, 100)
        assert count < 1000
    assert not bench.use[tid]["answered"] and count > 400
    assert not await told(end)
    assert await is_over() and transfer.over == DONE
    bench.hold = lambda *_: False
    await bench.finish()


GOOD = {"size": 64, "destination": FAR << 48 | 0x40, "source": NODE << 48, "read": True}


def request(line=GOOD, **fields):
    """A read request of another node."""
    first = lines(**line)[0]
    return Bench.word(READ, 1, 1, **fields) | int.from_bytes(first, "little")


async def refusals(dut, bench, requests):
    """Whether each of them is refused."""
    bench.answers += requests
    refused = []
    while len(refused) < len(requests):
        await RisingEdge(dut.clk_i)
        if dut.answer_valid_i.value == 1 and dut.answer_ready_o.value == 1:
            refused.append(int(dut.answer_refused_o.value))
    return refused


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def forged_requests(dut):
    """A read request is refused if its line is no read, is long, goes elsewhere than to who asks, or comes from a page that it is not for."""
    bench = await begin(dut)
    good = GOOD
    page, asker = 1, 1 << 7 | 5

    requests = [
        request(good | {"read": False}, transfer=asker),
        request(good | {"value": 5}, transfer=asker),
        request(good | {"destination": FAR + 1 << 48}, transfer=asker),
        request(transfer=asker, domain=page + 1),
        request(transfer=asker, domain=page | 1 << 15),
        request(transfer=params()["Pages"] << 7, domain=params()["Pages"]),
        request(transfer=asker),
    ]
    assert await refusals(dut, bench, requests) == [1] * 6 + [0]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def requests_side_by_side(dut):
    """Of the requests of a page that are under way at a time each has a channel of its own; where there is none left they are refused, those of
    other pages are not."""
    bench = await begin(dut)
    # Nothing of them is sent, so that none ends.
    bench.pauses["block"] = 1 << 40
    requests = [request(transfer=1 << 7 | 5)] * 70 + [request(transfer=2 << 7 | 5)]
    assert await refusals(dut, bench, requests) == [0] * 64 + [1] * 6 + [0]


class Served:
    """A read of another node: its request, the blocks and the end that it has to have."""

    def __init__(self, random, page):
        self.page, self.node = page, random.getrandbits(16)
        self.asker = page << 7 | random.randrange(64)
        self.tid, self.sequence = random.randrange(1024), random.getrandbits(14)
        self.epoch, self.qos = random.getrandbits(4), random.getrandbits(22)
        self.cls, self.notify = random.randrange(3), random.getrandbits(1)
        self.size = random.choice((1, random.randrange(1, 3 * BLOCK)))
        self.notification = self.node << 48 | random.getrandbits(45) << 3
        source = NODE << 48 | random.getrandbits(47)
        place = self.node << 48 | random.getrandbits(47)
        self.line = lines(
            self.size, place, source, self.notification, random.randrange(3), self.cls,
            notify=self.notify, read=True, qos=self.qos,
        )[0]  # fmt: skip
        self.blocks, end = [], place + self.size
        while place < end:
            here = min(BLOCK - place % BLOCK, end - place)
            self.blocks.append((source, place, here))
            source, place = source + here, place + here
        self.first, self.count = self.blocks[0], len(self.blocks)
        self.over = False

    def request(self):
        """answer_t of it."""
        word = Bench.word(
            READ, self.tid, self.sequence, self.epoch, self.asker, node=self.node, domain=self.page
        )
        return word | int.from_bytes(self.line, "little")

    def block(self):
        """What its next block has to be, as fields of block_t."""
        before = self.count - len(self.blocks)
        source, place, here = self.blocks.pop(0)
        last = not self.blocks
        flags = (self.cls != 0) | (self.notify and last) << 3 | (before > 0) << 4
        return [source, place, self.page, 0, flags, here, not last, self.qos, 1, self.epoch, 0]

    def end(self):
        """What its control packet has to be, as fields of packet_t."""
        value = self.node << 48 | self.asker << 32 | self.size
        named = self.tid | self.sequence << 10 | 1 << 25 | self.asker << 26
        named |= (not self.notify) << 38 | self.epoch << 39
        address = self.node << 48 | self.notification & (1 << 48) - 1
        return [named << 64 | value, 16, address, self.page, CONTROL, 0, self.qos]


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def reads_are_served(dut):
    """Requests of any node, with any line, many at a time: each bit of their blocks and of their
    ends is that of the line, and what ends names the request."""
    bench, random = await begin(dut), rng("served")
    by_source, by_channel, ended = {}, {}, []

    def goes(use, answer_to):
        """It leaves, and is answered."""
        tid, sequence, tries = fields(use, 10, 14, 4)
        assert tries == 0
        answer = bench.word(ACK, tid, sequence, node=answer_to.node, domain=answer_to.page)
        delay = random.randrange(1, 40)
        sent = lambda: bench.later(delay, lambda: bench.answers.append(answer))  # noqa: E731
        bench.reports.append((tid, sent))
        return sequence

    def take_block(use, block):
        found = fields(block, 64, 64, 16, 14, 17, 5, 17, 1, 11, 22, 1, 4, 20)
        channel, sequence = found.pop(8), found.pop(3)
        read = by_source.pop(found[0], None) or by_channel[channel]
        assert found == read.block() and sequence == goes(use, read)
        assert by_channel.setdefault(channel, read) is read
        assert channel >> 7 == read.page and channel & 64

    def take_packet(use, packet):
        *found, channel, qos = fields(packet, 256, 7, 64, 16, 4, 1, 11, 22)
        read = by_channel.pop(channel)
        assert not read.blocks and [*found, qos] == read.end()
        goes(use, read)
        ended.append(read)

    bench.take_block, bench.take_packet = take_block, take_packet
    for count in (1, 3, 40, 40):
        reads = [Served(random, random.randrange(params()["Pages"])) for _ in range(count)]
        by_source |= {read.first[0]: read for read in reads}
        ended.clear()
        requests = [read.request() for read in reads]
        assert await refusals(dut, bench, requests) == [0] * count
        await bench.until(lambda: len(ended) == count, 20_000)  # noqa: B023
        await bench.until(lambda: not bench.events and not bench.answers, 200)
        assert not by_source and not by_channel
    await bench.finish()
    assert bench.counts["dropped"] == bench.counts["repeated"] == 0


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def read_without_end(dut):
    """The other node took the request, and is gone: the read ends with an error after its time-out, not before; the channel works again."""
    bench = await begin(dut)
    transfer = Transfer(2, 9, 5000, 2, read=True)
    transfer.source, transfer.given_up = FAR << 48 | 0x5000, True
    bench.post(transfer)
    await bench.until(lambda: transfer.requested, 500)
    began = bench.now

    def over():
        if bench.now % 100 == 0:
            bench.poll(2)
        return not bench.current

    # A tick of 16384 cycles may be half over when it begins, and the scan goes round all reads in
    # some two ticks.
    await bench.until(over, (READ_TIMEOUT + 4) * 16384)
    assert bench.now - began >= (READ_TIMEOUT - 1) * 16384
    bench.post(Transfer(2, 9, 100))
    await bench.finish()


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def quick_network(dut):
    """Answers come at once, from few channels: handler and segmenter meet at the same transfers all the time."""
    bench = await begin(dut)
    bench.network.answer = lambda tries: [bench.random.randrange(4)]
    await traffic(bench, [0, 1], 400, channels=4)
    await bench.finish()
    assert bench.counts["dropped"] == bench.counts["repeated"] == 0


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def rough_network(dut):
    """Loss, duplicates, refusals, answers and blocks that come when their transfer is long over; and a user who does nothing right."""
    random = rng("network")
    bench = await begin(dut, network=Rough(random))
    hostile = params()["Pages"] - 1
    bad = await traffic(bench, [0, 1], 250, hostile=hostile)
    await bench.finish()
    assert bench.counts["gave_up"] == 0 and bench.counts["repeated"] > 0
    assert bench.counts["refused"] == bad


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def weighted_service(dut):
    """Every class has something to send all the time: each gets its weight, whatever the sizes of its blocks are; with strict priority class small
    gets everything; a class that is alone does not wait."""
    bench = await begin(dut)
    random = rng("weights")
    sizes = {0: (1024, 4096), 1: (BLOCK // 4, BLOCK // 4), 2: (1024, BLOCK // 2)}
    bytes_of = dict.fromkeys(sizes, 0)
    channels = {
        cls: [(page, c) for page in range(2) for c in range(20 * cls, 20 * cls + 20)]
        for cls in sizes
    }

    # The line: 64 bytes of a block take a cycle.
    def leave(kind, tid, sequence, tries, transfer, number):
        size = transfer.blocks[number][2]
        bytes_of[transfer.cls] += size
        time = -(-size // 64)
        bench.later(time, lambda: bench.sent(kind, tid, sequence, tries, transfer, number))
        return bench.now + time

    bench.leave = leave

    def refill(classes):
        for cls in classes:
            for page, channel in channels[cls]:
                if page * 128 + channel not in bench.current and len(bench.writes) < 8:
                    size = random.randint(*sizes[cls])
                    bench.post(Transfer(page, channel, size, cls, random.randrange(3)))
        if bench.now % 8 == 0:
            for page in range(2):
                bench.poll(page)
        return False

    async def shares(weighted, weights, classes, words):
        dut.weighted_i.value = weighted
        dut.weights_i.value = sum((w & 15) << 4 * cls for cls, w in enumerate(weights))
        # What was there before is over, then it counts.
        limit = bench.now + 6000
        await bench.until(lambda: refill(classes) or bench.now > limit, 7000)
        before, limit = dict(bytes_of), bench.now + words
        await bench.until(lambda: refill(classes) or bench.now > limit, words + 10)
        got = [bytes_of[cls] - before[cls] for cls in range(3)]
        assert sum(got) >= 0.9 * 64 * words, (got, words)
        return [each / sum(got) for each in got]

    weights = random.sample((2, 3, 5, 8, 16), 3)
    found = await shares(1, weights, range(3), 120_000)
    for weight, share in zip(weights, found, strict=True):
        assert abs(share * sum(weights) / weight - 1) < 0.05, (weights, found)
    await bench.until(lambda: refill([]) or not any(t.cls for t in bench.current.values()), 60_000)
    assert (await shares(1, (1, 16, 16), [0], 5000))[0] > 0.99
    assert (await shares(0, (1, 16, 16), range(3), 5000))[0] > 0.99
    await bench.until(lambda: not bench.writes, 1000)
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def message_rate(dut):
    """Messages of 8 bytes, one behind the other: a packet is issued for each as soon as its words are there, none waits for another."""
    bench = await begin(dut)
    bench.task.cancel()
    dut.packet_ready_i.value = 1
    wide = params()["DataWidth"] // 8
    step = 32 // wide
    places = [(page, channel) for page in range(params()["Pages"]) for channel in range(64)]

    async def addresses():
        dut.s_axi_awsize.value, dut.s_axi_awlen.value = wide.bit_length() - 1, step - 1
        dut.s_axi_awvalid.value = 1
        for page, channel in places:
            dut.s_axi_awaddr.value = page << 12 | 32 * channel
            await RisingEdge(dut.clk_i)
            while dut.s_axi_awready.value != 1:
                await RisingEdge(dut.clk_i)
        dut.s_axi_awvalid.value = 0

    async def words():
        await RisingEdge(dut.clk_i)
        dut.s_axi_wvalid.value, dut.s_axi_wstrb.value = 1, (1 << wide) - 1
        for page, channel in places:
            line = Transfer(page, channel, 0, inline=bytes([page, channel] * 4)).lines()[0]
            for part in range(step):
                word = line[part * wide : (part + 1) * wide]
                dut.s_axi_wdata.value = int.from_bytes(word, "little")
                dut.s_axi_wlast.value = part == step - 1
                await RisingEdge(dut.clk_i)
                while dut.s_axi_wready.value != 1:
                    await RisingEdge(dut.clk_i)
        dut.s_axi_wvalid.value = 0

    cocotb.start_soon(addresses())
    cocotb.start_soon(words())
    times, now = [], 0
    while len(times) < len(places):
        await RisingEdge(dut.clk_i)
        now += 1
        assert now < 8 * len(places)
        if dut.packet_valid_o.value == 1:
            data = int(dut.packet_o.value) & (1 << 64) - 1
            assert data.to_bytes(8, "little") == bytes(places[len(times)] * 4)
            times.append(now)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert gaps == [step] * len(gaps), gaps


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def answer_rate(dut):
    """Answers without a pause: one is taken in 2 cycles, to blocks with a flow in 4. The scan goes round beside them, also while a read is
    under way: what has no answer is sent again, and given up in the end."""
    bench = await begin(dut, retries=1)
    dut.timeout_i.value = 300
    lost = Transfer(3, 9, 0, inline=b"lost")
    read = Transfer(3, 11, 5000, 2, read=True)
    read.source = FAR << 48 | 0x5000
    bench.post(read)
    await bench.until(lambda: read.requested, 500)
    late = []
    bench.answer = lambda kind, tid, sequence, tries: late.append((tid, sequence))
    bench.hold = lambda whose, number: whose is lost
    for cls in range(2):
        for channel in range(12):
            bench.post(Transfer(cls, 2 * channel, 100, cls))
    await bench.until(lambda: len(late) == 24, 280)
    late.sort()
    bench.answers += [bench.word(ACK, tid, sequence) for tid, sequence in late]
    # What fits nothing is checked as fast; it goes on until all is over.
    wrong = bench.word(ACK, 3, 0, EPOCH ^ 1)
    bench.answers += [wrong] * 20_000
    bench.post(lost)
    taken = []

    def moves():
        if dut.answer_valid_i.value == 1 and dut.answer_ready_o.value == 1:
            taken.append(bench.now)
        return bench.counts["gave_up"] == 1

    await bench.until(moves, 2 * (300 + 3700))
    times = [entry[0] for entry in bench.log if entry[3] is lost]
    assert len(times) == 2 and times[1] - times[0] <= 300 + 3700 + 100
    gaps = [b - a for a, b in itertools.pairwise(taken)]
    assert gaps[:11] == [2] * 11 and gaps[12:23] == [4] * 11, gaps[:24]
    # Reads under way and what is given up take a turn of an answer now and then.
    assert len(gaps) > 1000 and sum(gaps[24:]) < 2.2 * len(gaps[24:])
    del bench.answers[1:]
    bench.answers.append(bench.word(CONTROL, *read.request, transfer=read.index))
    await bench.finish()


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def answer_meets_issue(dut):
    """A transfer alone, its answers after each number of cycles that there is between two of its issues: whoever comes first at its metadata, each
    block is issued once and all are counted."""
    bench = await begin(dut)
    for delay in range(14):
        bench.network.answer = lambda tries, delay=delay: [delay]
        for cls in range(3):
            transfer = Transfer(0, 2 * cls, 7 * BLOCK, cls, notify=True)
            bench.post(transfer)
            await bench.until(lambda: bench.poll(0) or not bench.current, 2000)
            assert transfer.over == DONE and transfer.issued == 7
    assert bench.counts["dropped"] == bench.counts["repeated"] == 0
    await bench.finish()


def test_rdma_core():
    parameters = {"DataWidth": 128, "Pages": 4, "Priorities": 3}
    build_and_run("rdma_core_bench", SOURCES, parameters, __name__)


def test_rdma_core_wide():
    """A line in one word: a message in each cycle."""
    parameters = {"DataWidth": 256, "Pages": 4, "Priorities": 1}
    build_and_run("rdma_core_bench", SOURCES, parameters, __name__, testcase="message_rate")
