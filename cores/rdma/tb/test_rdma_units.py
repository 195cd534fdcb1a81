# SPDX-License-Identifier: Apache-2.0
"""Send and receive unit back to back, over a network that drops, doubles, delays, exchanges and damages packets, and beside it within the node."""

import struct
from dataclasses import replace

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from packets import ACK, CONTROL, MESSAGE, Block, Packet, creation, use
from tb_common import rng
from units_bench import EPOCH, MEMORY, Bench, run

NODE, PEER, DOMAIN = 1, 0, 3
FIRST = MEMORY // 2  # sources are below; what is written is in windows from here on
PLACE = 8192  # of each transfer
TIDS = [3, 700, 701, 702, 703, 40, 1023, 512]


class Network:
    """Takes what leaves, brings it back late, twice, out of order, damaged or not at all: as a node does that sends the same to this one."""

    def __init__(self, bench):
        self.bench, self.random = bench, rng("network")
        self.late = []
        bench.heard = self.take

    def take(self, words):
        random = self.random
        packet = Packet.decode(words)
        assert packet.address >> 48 == PEER
        far = NODE << 48 | packet.address & (1 << 48) - 1
        words = replace(packet, address=far, node=PEER).words(self.bench.packed)
        for _ in range(random.choice([0, *[1] * 14, 2, 2])):
            # Some come after the next tries of the same block.
            delay = random.choice([0, 0, 0, random.randrange(300), random.randrange(3000)])
            copy = list(words)
            if random.random() < 0.05:
                copy[random.randrange(len(copy))] ^= 1 << random.randrange(128)
            self.late.append((self.bench.now + delay, random.random(), copy))

    async def run(self):
        while True:
            await RisingEdge(self.bench.dut.clk_i)
            for entry in sorted(e for e in self.late if e[0] <= self.bench.now):
                self.late.remove(entry)
                self.bench.deliver(entry[2])


class Engine:
    """What the engine does, for each TID one after the other: hands out, waits, tries again with the next number."""

    def __init__(self, bench, count):
        self.bench, self.random = bench, rng("engine")
        self.todo = list(range(count))
        self.next = {tid: self.random.choice([0, (1 << 14) - 3]) for tid in TIDS}
        self.open = {}  # by TID
        self.done = set()
        self.memory = bytearray(bench.content)
        self.tries = 0

    def hand_out(self, tid):
        job = self.open[tid]
        job["sequence"], self.next[tid] = self.next[tid], (self.next[tid] + 1) % (1 << 14)
        job["deadline"] = None
        ours, tries = (tid, job["sequence"]), min(job["tries"], 15)
        if job["kind"] == "block":
            block = Block(
                job["source"],
                job["node"] << 48 | job["at"],
                job["size"],
                *ours,
                tries,
                DOMAIN,
                int(tid >= 512),
            )
            self.bench.blocks.send([block.use() << 256 | block.word()])
        else:
            kind = CONTROL if job["kind"] == "note" else MESSAGE
            packet = Packet(
                job["node"] << 48 | job["at"], kind, *ours, EPOCH, NODE, DOMAIN, job["payload"]
            )
            self.bench.creator.send([use(*ours, tries) << 381 | creation(packet)])

    def start(self, tid):
        number = self.todo.pop(0)
        kind = self.random.choice(["block", "block", "message", "note"])
        size = self.random.choice([1, 64, 1024, 1025, self.random.randrange(1, 4000)])
        source = self.random.randrange(FIRST - size)
        at = FIRST + number % 12 * PLACE + 64 + 8 * self.random.randrange(400)
        data = self.memory[source : source + size]
        payload = b""
        if kind == "message":
            data = payload = self.random.randbytes(self.random.randrange(1, 33))
        if kind == "note":
            data = self.random.randbytes(8)
            payload = data + struct.pack("<Q", 0)
        if kind == "block":
            at += self.random.randrange(8)
        self.open[tid] = {
            "kind": kind, "source": source, "at": at, "size": size, "data": bytes(data), "payload": payload, "tries": 0,
            "place": number % 12, "node": PEER if self.random.random() < 0.6 else NODE,
        }  # fmt: skip
        self.hand_out(tid)

    def complete(self, tid):
        """What was answered is in memory. The user takes it, and uses the memory for something else."""
        job, bench = self.open.pop(tid), self.bench
        size = len(job["data"])
        found = bytes(bench.memory.read(job["at"], size))
        assert found == job["data"], f"{job['kind']} of TID {tid}: not what was sent"
        fresh = self.random.randbytes(size)
        bench.memory.write(job["at"], fresh)
        self.memory[job["at"] : job["at"] + size] = fresh

    async def run(self):
        bench = self.bench
        while self.todo or self.open:
            await RisingEdge(bench.dut.clk_i)
            used = {job["place"] for job in self.open.values()}
            for tid in TIDS:
                if tid not in self.open and self.todo and self.todo[0] % 12 not in used:
                    self.start(tid)
                    break
            sent, bench.sent[:] = list(bench.sent), []
            for tid, failed in sent:
                assert not failed
                self.open[tid]["deadline"] = bench.now + 1200
            answers, bench.answers[:] = list(bench.answers), []
            for _, kind, tid, sequence, epoch, node, domain, _, _ in answers:
                assert (kind, epoch, domain) == (ACK, EPOCH, DOMAIN), "nothing is refused here"
                job = self.open.get(tid)
                # An answer may be there before the report of the last word: it will come again.
                if job and job["sequence"] == sequence and job["deadline"] is not None:
                    assert node == job["node"]
                    self.complete(tid)
            for tid, job in list(self.open.items()):
                if job["deadline"] is not None and bench.now > job["deadline"]:
                    job["tries"] += 1
                    self.tries += 1
                    assert job["tries"] < 200
                    self.hand_out(tid)


async def over_a_bad_network(dut, count):
    bench = Bench(dut, NODE)
    await bench.start()
    await bench.window(DOMAIN, 0, FIRST, MEMORY - 1)
    bench.replied = lambda reply: bench.replies.send([reply])
    bench.stall(0.1)
    network, engine = Network(bench), Engine(bench, count)
    cocotb.start_soon(network.run())
    await engine.run()
    # What is still on its way changes nothing.
    await bench.until(lambda: not network.late)
    await bench.quiet()
    assert bytes(bench.memory.read(0, MEMORY)) == bytes(engine.memory)
    assert engine.tries > 0
    dut._log.info(f"{count} transfers, {engine.tries} tries again, {bench.now} cycles")


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def back_to_back(dut):
    await over_a_bad_network(dut, 25)


@cocotb.test(timeout_time=200, timeout_unit="ms")
async def long_traffic(dut):
    await over_a_bad_network(dut, 500)


@pytest.mark.parametrize("packed", [False, True])
def test_rdma_units(packed):
    run(__name__, "back_to_back", packed)


@pytest.mark.long
@pytest.mark.parametrize("packed", [False, True])
def test_rdma_units_long(packed):
    run(__name__, "long_traffic", packed)
