# SPDX-License-Identifier: Apache-2.0
"""rdma_queues: equal to FIFOs of their own in every cycle, one put and one take per cycle, no transfer twice."""

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge
from tb_common import build_and_run, cycles, params, reset, rng, rtl, start_clock

TAG_WIDTH = 2


class Bench:
    """Sets the inputs of a cycle, compares all outputs with FIFOs of their own, takes the edge."""

    def __init__(self, dut):
        self.dut = dut
        self.queues = [deque() for _ in range(params()["Queues"])]
        self.members = set()
        self.puts = self.takes = self.both = 0
        start_clock(dut.clk_i, 1000)
        dut.put_valid_i.value = 0
        dut.take_i.value = 0

    async def start(self):
        """Reset, and the time until it is ready."""
        dut = self.dut
        # What is put while it is not ready is not taken.
        dut.put_valid_i.value = 1
        dut.put_queue_i.value = dut.put_transfer_i.value = 0
        await reset(dut.clk_i, dut.rst_i, 1)
        await FallingEdge(dut.clk_i)
        count = 1
        while dut.ready_o.value == 0:
            assert dut.put_taken_o.value == 0 and dut.nonempty_o.value == 0
            await FallingEdge(dut.clk_i)
            count += 1
        assert count <= max(params()["Transfers"] // 64, params()["Queues"])
        dut.put_valid_i.value = 0
        for queue in self.queues:
            queue.clear()
        self.members.clear()

    async def step(self, put=None, take=None):
        """put: queue, transfer, tag. take: queue. Returns whether it was put, and what was taken."""
        dut = self.dut
        dut.put_valid_i.value = put is not None
        if put is not None:
            dut.put_queue_i.value, dut.put_transfer_i.value, dut.put_tag_i.value = put
        dut.take_i.value = take is not None
        if take is not None:
            dut.take_queue_i.value = take
        await RisingEdge(dut.clk_i)
        expected = 0
        for number, queue in enumerate(self.queues):
            expected |= bool(queue) << number
        assert dut.nonempty_o.value == expected
        taken = put is not None and put[1] not in self.members
        assert dut.put_taken_o.value == int(taken)
        first = None
        if take is not None:
            first = self.queues[take].popleft()
            assert (int(dut.take_transfer_o.value), int(dut.take_tag_o.value)) == first
            self.members.discard(first[0])
            self.takes += 1
        if taken:
            self.members.add(put[1])
            self.queues[put[0]].append(put[1:])
            self.puts += 1
            self.both += take is not None
        await FallingEdge(dut.clk_i)
        return taken, first

    def filled(self):
        """Queues that have something."""
        return [number for number, queue in enumerate(self.queues) if queue]


async def traffic(bench, random, count):
    """Random puts and takes; full and empty in turn, and often the same few queues and transfers."""
    transfers, queues = params()["Transfers"], params()["Queues"]
    for number in range(count):
        phase = number * 8 // count
        put_rate, take_rate = ((1.0, 0.3), (0.6, 0.7), (1.0, 1.0), (0.2, 1.0))[phase % 4]
        few = phase >= 4
        put = take = None
        if random.random() < put_rate:
            queue = random.randrange(min(2, queues) if few else queues)
            transfer = random.randrange(min(4, transfers) if few else transfers)
            put = (queue, transfer, random.getrandbits(TAG_WIDTH))
        filled = bench.filled()
        if filled and random.random() < take_rate:
            # The lowest one mostly, as the scheduler does: takes in a row from one queue.
            take = filled[0] if random.random() < 0.7 else random.choice(filled)
            if put and random.random() < 0.2:
                put = (put[0], bench.queues[take][0][0], put[2])
        await bench.step(put, take)


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def random_traffic(dut):
    random, bench = rng("traffic"), Bench(dut)
    await bench.start()
    await traffic(bench, random, 8000)
    assert min(bench.puts, bench.takes, bench.both) > 500
    # A reset in the middle leaves nothing behind.
    for queue in range(2):
        await bench.step((queue, queue, 1))
    await bench.start()
    await traffic(bench, random, 800)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def every_transfer_in_one_queue(dut):
    """Each queue holds all transfers; they come out in order, one in every cycle, while others go in."""
    bench, transfers = Bench(dut), params()["Transfers"]
    last = params()["Queues"] - 1
    await bench.start()
    for transfer in range(transfers):
        assert (await bench.step((last, transfer, transfer % 4)))[0]
    # Back to back: out of the one, into the other a cycle later, and out of that one again.
    for transfer in range(transfers):
        put = (0, transfer - 1, 3) if transfer else None
        assert await bench.step(put, last) == (put is not None, (transfer, transfer % 4))
    assert (await bench.step((0, transfers - 1, 3)))[0]
    for transfer in range(transfers):
        put = (0, transfer - 1, 1) if transfer else None
        assert await bench.step(put, 0) == (put is not None, (transfer, 3))
    assert (await bench.step((0, transfers - 1, 1)))[0]
    for transfer in range(transfers):
        assert await bench.step(None, 0) == (False, (transfer, 1))
    await bench.step()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def one_alone(dut):
    """Put, taken in the next cycle, put back behind that: the shortest way round."""
    bench = Bench(dut)
    await bench.start()
    assert await bench.step((1, 2, 0)) == (True, None)
    for tag in range(1, 4):
        # While it is taken it is still in.
        assert await bench.step((1, 2, tag), 1) == (False, (2, tag - 1))
        assert await bench.step((1, 2, tag)) == (True, None)
    # It moves to another queue, and is not put twice.
    assert await bench.step(None, 1) == (False, (2, 3))
    assert await bench.step((0, 2, 1)) == (True, None)
    assert await bench.step((1, 2, 2)) == (False, None)
    assert await bench.step((0, 2, 2)) == (False, None)
    assert await bench.step((0, 3, 0), 0) == (True, (2, 1))
    # The last one is taken as the next comes in behind it.
    assert await bench.step((0, 1, 0), 0) == (True, (3, 0))
    assert await bench.step(None, 0) == (False, (1, 0))
    await bench.step()


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def long_traffic(dut):
    random, bench = rng("long"), Bench(dut)
    await bench.start()
    while bench.puts + bench.takes < 1_000_000:
        await traffic(bench, random, 100_000)
    await cycles(dut.clk_i, 1)


def run(transfers, queues, tests):
    parameters = {"Transfers": transfers, "Queues": queues, "TagWidth": TAG_WIDTH}
    build_and_run("rdma_queues", rtl("prim", "rdma"), parameters, __name__, testcase=tests)


@pytest.mark.parametrize(("transfers", "queues"), [(4, 2), (2048, 66)])
def test_rdma_queues(transfers, queues):
    run(transfers, queues, ["random_traffic", "every_transfer_in_one_queue", "one_alone"])


@pytest.mark.long
@pytest.mark.parametrize(("transfers", "queues"), [(16, 6), (2048, 66)])
def test_rdma_queues_long(transfers, queues):
    run(transfers, queues, "long_traffic")
