# SPDX-License-Identifier: Apache-2.0
"""rdma: two whole engines with memories, over networks that bring everything and that do not: every transfer ends with a state, once,
and both memories are what the descriptors say, byte for byte."""

import struct

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from descriptors import DONE, ERROR
from packets import ACK, CONTROL, DATA, REQUEST
from pair import NOTES, REGISTERS, SOURCE, TARGET, Pair, Rough, ends, kind_of, over, run, start
from tb_common import params, rng

PLACE = 8192  # of a destination


class Traffic:
    """Users of both nodes: what they post, what it changes, what is over."""

    def __init__(self, pair, places=12):
        self.pair, self.random = pair, rng("traffic")
        self.places = [list(range(places)), list(range(places))]  # free destinations at each node
        self.posted = self.completed = 0

    def make(self, sender):
        """A transfer of any kind; what it changes, once it is over, is kept in it."""
        random, nodes = self.random, self.pair.nodes
        page, channel = random.randrange(params()["Pages"]), random.randrange(64)
        node = nodes[sender]
        far = node if random.random() < 0.2 else nodes[1 - sender]
        read = self.reads and random.random() < 0.3
        target = node if read else far
        near = {(page, channel ^ 1), (page, channel)}
        if near & set(node.jobs) or not self.places[target.number]:
            return
        place = self.places[target.number].pop(random.randrange(len(self.places[target.number])))
        at = TARGET + place * PLACE + random.randrange(64)
        notify = random.random() < 0.4
        job = {
            "destination": target.number << 48 | at,
            "priority": random.randrange(2),
            "qos": random.getrandbits(22),
        }
        index = page << 7 | channel
        even = channel % 2 == 0
        if not read and random.random() < 0.35:
            data = random.randbytes(random.randrange(1, 33 if even else 9))
            job |= {"size": len(data), "inline": data}
        else:
            size = random.choice((1, 63, 64, 65, 1023, 1024, 1025, random.randrange(1, 6000)))
            giver = far if read else node
            source = SOURCE + random.randrange(TARGET - size)
            data = bytes(giver.expected[source : source + size])
            job |= {
                "size": size,
                "source": giver.number << 48 | source,
                "cls": random.randrange(3),
                "read": read,
            }
        changes = [(at, data)]
        if notify:
            note = NOTES + 8 * place + 4096 * sender
            value = struct.unpack("<Q", random.randbytes(8))[0]
            job |= {"notify": True, "notification": node.number << 48 | note}
            if even and not read and "inline" not in job and random.random() < 0.5:
                job["value"] = value
            else:
                value = len(data) | index << 32 | node.number << 48
            changes.append((note, struct.pack("<Q", value)))
        node.post(page, channel, job)
        self.posted += 1
        self.open[id(job)] = target, place, changes

    async def run(self, count, reads=False):
        self.reads, self.open = reads, {}
        pair, random = self.pair, self.random
        last = pair.now
        while self.completed < count:
            if self.posted < count and random.random() < 0.3:
                self.make(random.randrange(2))
            if random.random() < 0.1:
                node = random.choice(pair.nodes)
                for page in range(params()["Pages"]):
                    for job, state in await node.poll(page):
                        self.over(job, state)
                        last = pair.now
            else:
                for _ in range(random.choice((1, 10, 40))):
                    await RisingEdge(pair.dut.clk_i)
            stuck = [(n.name, n.jobs) for n in pair.nodes]
            assert pair.now - last < 100_000, f"nothing ends any more: {stuck}"

    def over(self, job, state):
        """What was done is there as soon as its state is; its destination is used for something else from then on."""
        target, place, changes = self.open.pop(id(job))
        assert state == DONE, job
        for at, data in changes:
            assert bytes(target.memory.read(at, len(data))) == data, job
            fresh = self.random.randbytes(len(data))
            target.memory.write(at, fresh)
            target.expected[at : at + len(data)] = fresh
        self.places[target.number].append(place)
        self.completed += 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_register(dut):
    """Reset values; what can be written keeps it, and what cannot refuses; not enabled."""
    pair = Pair(dut)
    await pair.reset()
    for node in pair.nodes:
        await node.registers.check_reset_values()
        await node.registers.check_writes(pair.random, but=["enable"])


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def registers(dut):
    """What the engine says of itself; protection at both ends; each refusal has a counter and an event."""
    pair = await start(dut)
    a, b = pair.nodes
    registers = a.registers
    assert await registers.read("magic") == REGISTERS["magic"].get_child_by_name(
        "value"
    ).get_property("reset")
    assert await registers.field("parameters", "pages") == params()["Pages"]
    assert await registers.field("parameters", "senders") == params()["Senders"]
    assert await registers.field("status", "drained") == 0
    await registers.write("retries", count=1)

    async def outcome(job, name, node=a):
        """State of a transfer, and how often it was counted."""
        before = await node.counter(name)
        a.post(0, 5, job)
        state = await ends(pair, a)
        return state, await node.counter(name) - before

    to_b = {"size": 64, "source": SOURCE, "destination": 1 << 48 | TARGET}
    assert await outcome(to_b, "completed") == (DONE, 1)
    b.expected[TARGET : TARGET + 64] = a.expected[SOURCE : SOURCE + 64]
    assert await registers.field("events", "failed") == 0 and dut.a_irq_o.value == 0
    await registers.write("event_enable", failed=1, outside=1, refused=1)
    # A source that is half outside, one of another node, a destination in front of its window, one
    # of nobody.
    await a.window(0, 0, SOURCE, SOURCE + 99, read=1)
    half = to_b | {"source": SOURCE + 37}
    assert await outcome(half, "source_refused") == (ERROR, 2)
    assert dut.a_irq_o.value == 1
    assert await outcome(half | {"source": SOURCE + 36}, "completed") == (DONE, 1)
    b.expected[TARGET : TARGET + 64] = a.expected[SOURCE + 36 : SOURCE + 100]
    assert await outcome(to_b | {"source": 1 << 48 | SOURCE}, "source_refused") == (ERROR, 2)
    assert await outcome(to_b | {"source": 1 << 40}, "source_refused") == (ERROR, 2)
    # The other domain has its own windows, which are as they were.
    a.post(1, 5, half)
    assert await ends(pair, a, 1) == DONE
    b.expected[TARGET : TARGET + 64] = a.expected[SOURCE + 37 : SOURCE + 101]
    await b.window(0, 1, TARGET + 100, TARGET + 163, write=1)
    for at in (TARGET + 99, TARGET + 101):
        assert await outcome(to_b | {"destination": 1 << 48 | at}, "outside", b) == (ERROR, 2)
    assert await outcome(to_b | {"destination": 1 << 48 | TARGET + 100}, "outside", b) == (DONE, 0)
    b.expected[TARGET + 100 : TARGET + 164] = a.expected[SOURCE : SOURCE + 64]
    assert await outcome(to_b | {"destination": 1 << 48 | SOURCE}, "outside", b) == (ERROR, 2)
    assert await registers.field("events", "failed") == 1
    await registers.write("events", failed=1, outside=1)
    await registers.field("events", "failed")
    assert dut.a_irq_o.value == 0
    # A descriptor without size: refused, counted for its page.
    a.post(1, 7, to_b | {"size": 0}, refused=True)
    while not a.refusals:
        await RisingEdge(dut.clk_i)
    assert await registers.field("events", "refused") == 1
    assert dut.a_irq_o.value == 1
    assert [await a.counter(f"refused[{page}]") for page in range(3)] == [0, 1, 0]
    assert await a.counter("failed") == 6 and await a.counter("faults") == 0
    assert await a.counter("packets_sent") > 0 and await b.counter("words_received") > 0
    await registers.write("command", clear=1)
    for _ in range(200):
        await RisingEdge(dut.clk_i)
    assert await a.counter("failed") == 0
    await pair.settle()
    pair.check()


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def quiet_network(dut):
    """Every kind of transfer, back to back; a transfer of several blocks."""
    pair = await start(dut)
    a, b = pair.nodes
    size = 2 * 65536 + 777
    a.post(
        1, 9, {"size": size, "source": SOURCE + 5, "destination": 1 << 48 | TARGET + 99, "cls": 2}
    )
    assert await ends(pair, a, 1) == DONE
    b.expected[TARGET + 99 : TARGET + 99 + size] = a.expected[SOURCE + 5 : SOURCE + 5 + size]
    pair.check()
    await Traffic(pair).run(80, reads=True)
    pair.check()
    repeated, early, faults = [
        sum([await node.counter(name) for node in pair.nodes])
        for name in ("repeated", "early", "faults")
    ]
    # The answer to a read request waits for the writes in front of it. With a memory that is slower
    # than the network the end of the read may be there before, and comes again; nothing else does.
    assert faults == 0 and repeated == early
    assert early == 0 or params()["AMemoryWidth"] < 512


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def reads(dut):
    """Each packet of a read lost once; protection at both ends; what the one who asks may not is an error there, and the channels work again."""
    pair = await start(dut)
    a, b = pair.nodes
    note = NOTES + 64
    good = {
        "size": 3000,
        "source": 1 << 48 | SOURCE + 7,
        "destination": TARGET + 3,
        "read": True,
        "cls": 2,
    }
    told = good | {"notify": True, "notification": note}
    await a.registers.write("retries", count=2)
    await b.registers.write("retries", count=2)

    async def carried_out(job):
        """It is done, and whole, when its state says so."""
        a.memory.write(TARGET, bytes(4096))
        a.post(0, 6, job)
        assert await ends(pair, a) == DONE
        assert a.memory.read(TARGET + 3, 3000) == b.expected[SOURCE + 7 : SOURCE + 3007]
        a.expected[TARGET : TARGET + 4096] = a.memory.read(TARGET, 4096)
        if job is told:
            value = struct.pack("<Q", 3000 | 6 << 32)
            assert a.memory.read(note, 8) == value
            a.memory.write(note, bytes(8))
            a.expected[note : note + 8] = bytes(8)

    await carried_out(told)
    # What is lost once: the request, its answer, data, an answer to data, the end, the answer to
    # that.
    for sender, kind, number in (
        (0, REQUEST, 0),
        (1, ACK, 0),
        (1, DATA, 1),
        (0, ACK, 0),
        (1, CONTROL, 0),
        (0, ACK, 1),
    ):
        seen = []

        def lose(from_node, what, tid, wanted=(sender, kind), number=number, seen=seen):
            if (from_node, what) == wanted:
                seen.append(tid)
                return len(seen) == number + 1
            return False

        pair.lose = lose
        await carried_out(told)
        # The last answer leaves after the end was told.
        while len(seen) <= number:
            await RisingEdge(dut.clk_i)
    pair.lose = lambda *_: False
    await pair.settle()

    async def refused(job):
        """It ends with an error, changes nothing, and the channel works again."""
        a.post(0, 6, job)
        assert await ends(pair, a) == ERROR
        await pair.settle()
        pair.check()

    # The last end is repeated after its time-out: its answer was lost.
    served = 7
    while await b.counter("reads_served") < served:
        await pair.settle()
    await refused(good | {"source": 1 << 48 | TARGET - 8})  # half outside
    await refused(good | {"source": 1 << 48 | TARGET + 8})  # may be written, not read
    assert await b.counter("outside") == 6
    await refused(good | {"destination": 1 << 48 | TARGET})  # to somebody else than who asks
    assert await b.counter("requests_refused") == 3
    assert await b.counter("reads_served") == served
    before = await a.counter("outside")
    await refused(good | {"destination": SOURCE + 8})  # may not be written here
    assert await a.counter("outside") > before
    assert await b.counter("reads_served") == served + 1
    # A window that was taken away meanwhile: nothing leaves any more.
    await b.window(1, 0, 0, 0)
    a.post(1, 6, good)
    assert await ends(pair, a, 1) == ERROR
    # No second line for a read.
    a.post(0, 8, told | {"value": 5}, refused=True)
    while not a.refusals:
        await RisingEdge(dut.clk_i)
    await carried_out(good)
    await pair.settle()
    pair.check()
    for node in pair.nodes:
        assert await node.counter("faults") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def memory_attributes(dut):
    """Each address at a memory has the attributes of the parameters of its node: b has the defaults."""
    pair = await start(dut)
    told = {"a": (0b1111, 0b001, 19), "b": (0b0011, 0b010, 0)}
    seen = set()

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            for node in pair.nodes:
                for channel in ("ar", "aw"):
                    if node.pin(f"m_axi_{channel}valid").value == 1:
                        pins = (f"m_axi_{channel}{name}" for name in ("cache", "prot", "user"))
                        assert tuple(int(node.pin(pin).value) for pin in pins) == told[node.name]
                        seen.add((node.name, channel))

    cocotb.start_soon(watch())
    await Traffic(pair).run(20, reads=True)
    assert len(seen) == 4


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def marks(dut):
    """The network marks what goes to b: that is counted there, told to a and lowers its rate to b, until time has raised it; what b sends is as it was."""
    pair = await start(dut)
    a, b = pair.nodes
    far = {"size": 4096, "source": SOURCE, "destination": 1 << 48 | TARGET, "cls": 1}

    async def carry(node, job):
        """Eight blocks; cycles from the first to the last packet of data."""
        times = []
        pair.heard = lambda sender, words: times.append(pair.now) if kind_of(words) == DATA else 0
        for channel in range(8):
            node.post(0, channel, job)
        assert await over(pair, node, 8) == [DONE] * 8
        return times[-1] - times[0]

    async def counts(node):
        return [await node.counter(name) for name in ("marked", "echoes", "slowed")]

    await a.registers.write("congestion", fall=4, first=3, increase=4096)
    full = await carry(a, far)
    assert full < 1500 and await counts(a) == await counts(b) == [0, 0, 0]
    pair.marks = lambda receiver: receiver == 1
    await carry(a, far)
    assert await counts(b) == [32, 0, 0]
    *told, slowed = await counts(a)
    # What left behind the first fall may have made another one.
    assert told == [0, 8] and 1 <= slowed <= 3
    # At an eighth of a word a cycle, or somewhat below.
    slow = await carry(a, far)
    assert slow > 7 * 64 * 8 - 100
    assert (await counts(a))[1] == 16 and (await counts(a))[2] > slowed
    near = {"size": 4096, "source": 1 << 48 | SOURCE, "destination": TARGET, "cls": 1}
    assert await carry(b, near) < 1500
    # The rest of it is past: 8 times 1024 cycles raise it.
    pair.marks = lambda receiver: False
    await carry(a, far)
    for _ in range(9 * 1024):
        await RisingEdge(dut.clk_i)
    assert await carry(a, far) < 1500
    for node, other in ((a, b), (b, a)):
        node.expected[TARGET : TARGET + 4096] = other.expected[SOURCE : SOURCE + 4096]
    await pair.settle()
    pair.check()


async def bad_network(dut, count):
    pair = await start(dut)
    pair.stall(0.1)
    pair.network = Rough(rng("network"))
    await Traffic(pair).run(count, reads=True)
    await pair.settle()
    pair.check()
    faults = [await node.counter("faults") for node in pair.nodes]
    failed = [await node.counter("failed") for node in pair.nodes]
    repeated = [await node.counter("repeated") for node in pair.nodes]
    assert sum(faults) == sum(failed) == 0
    dut._log.info(f"{count} transfers, {sum(repeated)} times again, {pair.now} cycles")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def rough_network(dut):
    """Packets lost, doubled, late, exchanged and damaged, memories that pause."""
    await bad_network(dut, 80)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def long_traffic(dut):
    await bad_network(dut, 2000)


EVERYTHING = [
    "every_register",
    "registers",
    "reads",
    "quiet_network",
    "marks",
    "memory_attributes",
    "rough_network",
]


def test_rdma():
    run(__name__, EVERYTHING)


def test_rdma_memory_of_256_bits():
    """The memory of one of them is half as wide as the words of both."""
    run(__name__, ["reads", "rough_network"], memory_width=256)


@pytest.mark.long
def test_rdma_memory_of_256_bits_whole():
    run(__name__, EVERYTHING, memory_width=256)


@pytest.mark.long
def test_rdma_long():
    run(__name__, "long_traffic")
