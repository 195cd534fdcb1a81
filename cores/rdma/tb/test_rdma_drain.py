# SPDX-License-Identifier: Apache-2.0
"""rdma: an engine is disabled, or reset, in the middle of everything: what it has begun at memory, at its users and at the network comes to
its end, no rule of AXI is broken, and it works again."""

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from descriptors import DONE
from monitor import Monitor
from pair import NOTES, SOURCE, TARGET, run, start
from tb_common import rng, stall

# Cycles, of a nanosecond. Words on request are no more than the buffer's 512, and a memory that
# pauses as often as it does here (at_random) gives one in ten cycles; twice that for chance.
DRAINED_WITHIN = 2 * 10 * 512
PROOF = TARGET + 131_072  # where nothing goes but what a test looks at in the end
FAR = 1 << 48


class Open(dict):
    """Jobs of which some are forgotten by a reset, and may be over nevertheless."""

    def pop(self, key):
        return dict.pop(self, key, None)


async def begin(dut):
    pair = await start(dut)
    for node in pair.nodes:
        node.jobs, node.epoch, node.loose = Open(), 3, True
        node.timeout, node.retries, node.read_timeout = 1500, 2, 1
        await node.registers.write("timeout", cycles=node.timeout)
        await node.registers.write("retries", count=node.retries)
        await node.registers.write("read_timeout", ticks=node.read_timeout)
        node.monitor = Monitor(node)
        node.poller = cocotb.start_soon(forever(node))
    return pair


async def forever(node):
    """A user who asks all the time what is over."""
    node.over = []
    while True:
        for page in range(2):
            node.over += await node.poll(page)
        for _ in range(40):
            await RisingEdge(node.dut.clk_i)


def busy(pair, sender, random, size):
    """Writes and reads of all classes, and messages, to the other node and within this one."""
    node = pair.nodes[sender]
    for channel in range(0, 16, 2):
        if (0, channel) in node.jobs:
            continue
        far = random.choice((1 - sender, 1 - sender, sender))
        at, source = TARGET + 8192 * channel + random.randrange(64), random.randrange(SOURCE, 9999)
        job = {"size": random.randint(1, size), "cls": random.randrange(3)}
        if channel % 3 == 0:
            job |= {"source": far << 48 | source, "destination": sender << 48 | at, "read": True}
            job |= {"notify": True, "notification": sender << 48 | NOTES}
        elif channel % 3 == 1:
            job |= {"source": sender << 48 | source, "destination": far << 48 | at}
        else:
            job |= {"cls": 0, "size": 20, "inline": bytes(20), "destination": far << 48 | at}
        node.post(0, channel, job)


async def disable(pair, node):
    """Until it is drained: within the time that what has begun may take."""
    await node.registers.write("control", enable=0)
    limit = get_sim_time("ns") + DRAINED_WITHIN
    while not await node.registers.field("status", "drained"):
        assert get_sim_time("ns") < limit, f"not drained: {vars(node.monitor)}"
    assert await node.registers.field("status", "ready") == 0
    assert node.monitor.idle(), vars(node.monitor)
    ended = node.monitor.bursts
    for _ in range(50):
        await RisingEdge(pair.dut.clk_i)
        assert node.monitor.idle()
    assert node.monitor.bursts == ended
    node.writes.clear()
    node.jobs.clear()


async def enable(node):
    node.epoch = (node.epoch + 1) % 16
    await node.begin(node.epoch)


async def works(pair):
    """Both do everything, byte by byte; what is left of former lives is over by then."""
    for node in pair.nodes:
        stall(node.memory, pair.random, 0)
    pair.ready = 1.0
    for node in pair.nodes:
        while node.writing or node.writes or node.jobs:
            await RisingEdge(pair.dut.clk_i)
        for _ in range(20_000):
            if not pair.late[node.number]:
                break
            await RisingEdge(pair.dut.clk_i)
        node.over.clear()
    for node in pair.nodes:
        far = pair.nodes[1 - node.number]
        for channel in range(6):
            at, source = PROOF + 4096 * (channel + 8 * node.number), 500 * channel + 7
            job = {"size": 3000, "cls": channel % 3}
            giver, taker = (far, node) if channel >= 3 else (node, far)
            job |= {"source": giver.number << 48 | source, "read": channel >= 3}
            node.post(1, channel, job | {"destination": taker.number << 48 | at})
            taker.expected[at : at + 3000] = giver.memory.read(source, 3000)
    for node in pair.nodes:
        states = []
        while len(states) < 6:
            await RisingEdge(pair.dut.clk_i)
            mine = [(job["destination"] % FAR, state) for job, state in node.over if job]
            states = [state for at, state in mine if at >= PROOF]
        assert states == [DONE] * 6
    for node in pair.nodes:
        found = node.memory.read(PROOF, 4096 * 16)
        for n in (*range(6), *range(8, 14)):
            at = 4096 * n
            want = node.expected[PROOF + at : PROOF + at + 3000]
            taken = (n % 8 >= 3) == (n // 8 == node.number)
            assert not taken or found[at : at + 3000] == want
        # Sources are as they were.
        assert node.memory.read(SOURCE, TARGET) == node.expected[SOURCE:TARGET]
        assert await node.counter("faults") == 0


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def disabled_in_bursts(dut):
    """With slow memories: while bursts of both kinds are under way, data of some are not there yet, and a packet is leaving."""
    pair = await begin(dut)
    a, b = pair.nodes
    random = rng("bursts")
    for share in (0.0, 0.5, 0.9):
        for node in pair.nodes:
            stall(node.memory, random, share)
        pair.ready = 1 - share / 2
        busy(pair, 0, random, 6000)
        busy(pair, 1, random, 6000)
        monitor = a.monitor
        for _ in range(20_000):
            if monitor.reads and monitor.writes and monitor.beats["w"] and monitor.begun:
                break
            await RisingEdge(dut.clk_i)
        else:
            raise AssertionError("never busy at all its buses")
        await disable(pair, a)
        # A second time finds nothing to do, and enabling without a pause is a life of its own.
        await a.registers.write("control", enable=0)
        await enable(a)
    await works(pair)
    assert b.monitor.bursts > 50


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def enabled_while_it_drains(dut):
    """Enabled again before it is drained: it is drained and reset all the same, and then begins."""
    pair = await begin(dut)
    a, _ = pair.nodes
    random = rng("again")
    stall(a.memory, random, 0.9)
    busy(pair, 0, random, 6000)
    busy(pair, 1, random, 6000)
    for _ in range(20_000):
        if a.monitor.reads and a.monitor.writes:
            break
        await RisingEdge(dut.clk_i)
    a.memory.read_if.r_channel.clear_pause_generator()
    a.memory.read_if.r_channel.pause = True
    await a.registers.write("control", enable=0)
    assert await a.registers.field("status", "drained") == 0
    await a.registers.write("identity", node=0, epoch=4)
    await a.registers.write("control", enable=1)
    for _ in range(200):
        await RisingEdge(dut.clk_i)
    assert await a.registers.field("status", "ready") == 0
    stall(a.memory, random, 0)
    a.jobs.clear()
    await enable(a)
    await works(pair)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def disabled_in_a_packet(dut):
    """Memory gives nothing more for a packet that has begun to leave: the network gets its end while memory still owes its words."""
    pair = await begin(dut)
    a, b = pair.nodes
    for turn in range(4):
        a.post(0, 0, {"size": 6000, "cls": 1, "source": 64 * turn, "destination": FAR | TARGET})
        while not a.monitor.begun:
            await RisingEdge(dut.clk_i)
        a.memory.read_if.r_channel.pause = True
        for _ in range(60):
            await RisingEdge(dut.clk_i)
        stuck = a.monitor.begun and bool(a.monitor.reads)
        assert stuck or turn, "the packet did not wait for its memory"
        await a.registers.write("control", enable=0)
        for _ in range(60):
            await RisingEdge(dut.clk_i)
        assert not a.monitor.begun and a.monitor.reads
        assert await a.registers.field("status", "drained") == 0
        a.memory.read_if.r_channel.pause = False
        await disable(pair, a)
        await enable(a)
    assert await b.counter("damaged") > 0
    await works(pair)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def disabled_with_a_word_on_offer(dut):
    """Memory takes nothing, so a word of the network waits for room when the engine is disabled: it stays on offer until it is taken,
    or until the engine is reset."""
    pair = await begin(dut)
    a, b = pair.nodes
    for turn in range(3):
        b.memory.write_if.aw_channel.pause = True
        for channel in range(0, 16, 2):
            job = {"size": 6000, "cls": 1, "source": 64 * channel}
            a.post(0, channel, job | {"destination": FAR | (TARGET + 8192 * channel)})
        waits = 0
        while waits < 20 + turn:
            await RisingEdge(dut.clk_i)
            offered = b.pin("s_axis_tvalid").value and not b.pin("s_axis_tready").value
            waits = waits + 1 if offered else 0
        await b.registers.write("control", enable=0)
        for _ in range(30):
            await RisingEdge(dut.clk_i)
        b.memory.write_if.aw_channel.pause = False
        await disable(pair, b)
        await enable(b)
        await disable(pair, a)
        await enable(a)
    await works(pair)


async def at_random(dut, rounds):
    """Disabled and reset at any moment, while memories and network pause as they like."""
    pair = await begin(dut)
    random = rng("moments")
    for turn in range(rounds):
        for node in pair.nodes:
            stall(node.memory, random, random.choice((0, 0.1, 0.5, 0.9)))
        pair.ready = random.choice((1.0, 0.9, 0.3))
        for sender in range(2):
            busy(pair, sender, random, random.choice((60, 3000, 6000)))
        for _ in range(random.choice((1, 100, 1000, 3000)) + random.randrange(50)):
            await RisingEdge(dut.clk_i)
        node = random.choice(pair.nodes)
        if random.random() < 0.7:
            await disable(pair, node)
            await enable(node)
        else:
            # The pin drains nothing: users, memory and network side are reset with it.
            node.poller.cancel()
            node.pin("s_axi_arvalid").value = 0
            node.epoch = (node.epoch + 1) % 16
            await node.reset(node.epoch)
            node.poller = cocotb.start_soon(forever(node))
        if turn % 25 == 24 or turn == rounds - 1:
            await works(pair)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def at_random_moments(dut):
    await at_random(dut, 8)


@cocotb.test(timeout_time=2000, timeout_unit="ms")
async def at_a_thousand_moments(dut):
    await at_random(dut, 1000)


def test_rdma_drain():
    run(
        __name__,
        [
            "disabled_in_bursts",
            "enabled_while_it_drains",
            "disabled_in_a_packet",
            "disabled_with_a_word_on_offer",
            "at_random_moments",
        ],
    )


@pytest.mark.long
def test_rdma_drain_long():
    run(__name__, "at_a_thousand_moments")
