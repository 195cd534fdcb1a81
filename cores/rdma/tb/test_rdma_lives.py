# SPDX-License-Identifier: Apache-2.0
"""rdma: reads whose request is not answered while everything else of them arrives, with and without a reset of the node that serves them.

A request without an answer is sent again, also after the end of its read has come. A node that was reset meanwhile takes it for new, and writes all of
the data once more: so the read must not be over, nor its notification be written, before its request has been answered."""

import cocotb
from cocotb.triggers import RisingEdge
from descriptors import DONE
from packets import ACK, CONTROL, REQUEST
from pair import NOTES, SOURCE, TARGET, TIMEOUT, kind_of, run, start, tid_of, until

SIZE = 40_000
FAR = 1 << 48
END = 25  # this bit of a control packet: a read is over


async def unanswered(dut):
    """A read with notification whose request gets no answer: all data and the end have come, and the end has come in vain."""
    pair = await start(dut)
    a = pair.nodes[0]
    requests, ends, notified = [], [], []

    def heard(sender, words):
        if kind_of(words) == REQUEST:
            requests.append(tid_of(words))
        if kind_of(words) == CONTROL and words[1] >> 64 >> END & 1:
            ends.append(sender)

    write = a.memory.write_if._write

    async def watching(address, data):
        if address // 64 == NOTES // 64:
            notified.append(pair.now)
        await write(address, data)

    a.memory.write_if._write = watching
    pair.heard = heard
    pair.lose = lambda sender, kind, tid: (sender, kind) == (1, ACK) and tid in requests
    job = {"size": SIZE, "source": FAR | SOURCE + 3, "destination": TARGET + 5, "read": True}
    a.post(0, 2, job | {"notify": True, "notification": NOTES})
    await until(pair, lambda: ends)
    await pair.settle()
    assert ends == [1] and len(requests) == 1
    return pair, requests, ends, notified


async def done(pair, node):
    """The user asks all the time, and uses the memory for something else in the very cycle in which the read is over."""
    while True:
        found = await node.poll(0)
        if found:
            assert [state for _, state in found] == [DONE]
            break
    for at, length in ((TARGET, SIZE + 64), (NOTES, 8)):
        fresh = pair.random.randbytes(length)
        node.memory.write(at, fresh)
        node.expected[at : at + length] = fresh


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def end_before_answer(dut):
    """The end is dropped, and nothing written for it, until the request is answered: the read is done once, after one time-out."""
    pair, requests, ends, notified = await unanswered(dut)
    a, b = pair.nodes
    assert notified == [] and await a.poll(0) == []
    assert await a.counter("early") == 1
    began = pair.now
    pair.lose = lambda *_: False
    await done(pair, a)
    assert pair.now - began < 2 * TIMEOUT
    for _ in range(2 * TIMEOUT):
        await RisingEdge(dut.clk_i)
    await pair.settle()
    pair.check()
    assert len(notified) == 1 and len(requests) == 2 and ends in ([1, 1], [1, 1, 1])
    assert await b.counter("reads_served") == 1 and await b.counter("answered_again") == 1
    for node in pair.nodes:
        assert await node.counter("faults") == await node.counter("given_up") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def reset_before_answer(dut):
    """The node that serves it is reset and takes the request for new: the read is done when that life has ended it, and nothing is written
    afterwards."""
    pair, requests, _, notified = await unanswered(dut)
    a, b = pair.nodes
    # Nothing is under way: two lives of a packet are over at once.
    await b.reset(epoch=4)
    pair.lose = lambda *_: False
    await done(pair, a)
    for _ in range(3 * TIMEOUT):
        await RisingEdge(dut.clk_i)
    await pair.settle()
    pair.check()
    assert len(notified) == 1 and len(requests) >= 2
    assert await b.counter("reads_served") == 1
    for node in pair.nodes:
        assert await node.counter("faults") == await node.counter("given_up") == 0


def test_rdma_lives():
    run(__name__, ["end_before_answer", "reset_before_answer"])
