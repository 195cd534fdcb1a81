# SPDX-License-Identifier: Apache-2.0
"""Two whole engines: their processors, memories, and the network between them, which is as bad as a test wants it."""

import heapq
import itertools
import pathlib

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiRam
from descriptors import DONE, ERROR, lines
from packets import ACK, MARK, NACK, unpack
from tb_common import ROOT, build_and_run, params, reset, rng, rtl, stall, start_clock
from tb_common.registers import Registers, description

HERE = pathlib.Path(__file__).resolve().parent
REGISTERS = description(HERE.parent / "regs" / "rdma.rdl")
COUNTERS = 64  # of the engine, one after the other
MEMORY = 1 << 19
SOURCE, TARGET, NOTES = 0, MEMORY // 2, MEMORY - 8192  # where they begin
TIMEOUT, READ_TIMEOUT = 2500, 8
SURE = 4  # tries of a packet that get through in any case


class Quiet:
    """A network that brings everything, soon."""

    def copies(self, tries):
        return [1]

    def damages(self, tries):
        return False


class Rough:
    """Drops, doubles, delays beyond the time-out, exchanges and damages; from the try SURE on it behaves."""

    def __init__(self, random, share=0.05):
        self.random, self.share = random, share

    def copies(self, tries):
        if tries >= SURE:
            return [1]
        random = self.random
        count = 0 if random.random() < self.share else 2 if random.random() < self.share else 1
        soon = [1, 1, 1, random.randrange(60), random.randrange(60)]
        late = [random.randrange(600), 2 * TIMEOUT]
        return [random.choice(late if random.random() < self.share else soon) for _ in range(count)]

    def damages(self, tries):
        return tries < SURE and self.random.random() < self.share / 2


class Node:
    """One engine: descriptors, states, registers, memory."""

    def __init__(self, pair, name, number):
        self.pair, self.dut, self.name, self.number = pair, pair.dut, name, number
        self.jobs = {}  # by page and channel
        self.writes, self.reads, self.refusals = [], [], 0
        self.timeout, self.retries, self.read_timeout = TIMEOUT, 15, None
        self.loose = False  # descriptors may be refused that a reset has come between
        self.memory = AxiRam(
            AxiBus.from_prefix(self.dut, f"{name}_m_axi"),
            self.dut.clk_i,
            self.pin("rst_i"),
            size=MEMORY,
        )
        self.expected = bytearray(pair.random.randbytes(MEMORY))
        self.memory.write(0, bytes(self.expected))
        self.registers = Registers(
            REGISTERS, self.dut, f"{name}_s_axil", self.dut.clk_i, self.pin("rst_i")
        )
        self.pin("rst_i").value = 0
        for part in ("awvalid", "wvalid", "arvalid", "awid", "arid", "arlen"):
            self.pin(f"s_axi_{part}").value = 0
        for part in ("bready", "rready", "awburst", "arburst"):
            self.pin(f"s_axi_{part}").value = 1
        for part in ("m_axis_tready", "s_axis_tvalid"):
            self.pin(part).value = 0

    def pin(self, name):
        return getattr(self.dut, f"{self.name}_{name}")

    async def reset(self, epoch):
        """Engine, memory side and network side are reset, and begin another life; the memory stays as it is. All transfers are forgotten."""
        self.writes.clear()
        while self.writing:
            await RisingEdge(self.dut.clk_i)
        self.jobs.clear()
        self.pair.cut[self.number] = True
        await reset(self.dut.clk_i, self.pin("rst_i"))
        self.pair.cut[self.number] = False
        await self.begin(epoch)

    async def begin(self, epoch=3):
        """Identity, limits, windows; after that it works."""
        registers = self.registers
        await registers.write("identity", node=self.number, epoch=epoch)
        await registers.write("timeout", cycles=self.timeout)
        await registers.write("retries", count=self.retries)
        if self.read_timeout is not None:
            await registers.write("read_timeout", ticks=self.read_timeout)
        await registers.write("control", enable=1)
        while not await registers.field("status", "ready"):
            pass
        for domain in range(params()["Pages"]):
            await self.window(domain, 0, SOURCE, TARGET - 1, read=1)
            await self.window(domain, 1, TARGET, MEMORY - 1, write=1)

    async def window(self, domain, slot, first, last, read=0, write=0):
        registers = self.registers
        await registers.write("window", domain=domain, slot=slot, read=read, write=write)
        await registers.write("window_first", low=first)
        await registers.write("window_last", low=last)
        await registers.write("command", window=1)

    def post(self, page, channel, job, refused=False):
        """Writes a descriptor."""
        found = lines(**job)
        if not refused:
            assert (page, channel) not in self.jobs
            self.jobs[page, channel] = job
        address = page << 12 | (0x800 if len(found) == 2 else 0) + 32 * channel
        self.writes.append((address, b"".join(found), refused))

    async def write_lines(self):
        """Carries out the writes, one after the other."""
        clock = RisingEdge(self.dut.clk_i)
        while True:
            self.writing = False
            await clock
            if not self.writes:
                continue
            self.writing = True
            address, data, refused = self.writes.pop(0)
            beats = [data[at : at + 16] for at in range(0, len(data), 16)]
            self.pin("s_axi_awaddr").value = address
            self.pin("s_axi_awsize").value, self.pin("s_axi_awlen").value = 4, len(beats) - 1
            self.pin("s_axi_awvalid").value = 1
            await clock
            while self.pin("s_axi_awready").value != 1:
                await clock
            self.pin("s_axi_awvalid").value = 0
            self.pin("s_axi_wvalid").value, self.pin("s_axi_wstrb").value = 1, 0xFFFF
            for beat in beats:
                self.pin("s_axi_wdata").value = int.from_bytes(beat, "little")
                self.pin("s_axi_wlast").value = beat is beats[-1]
                await clock
                while self.pin("s_axi_wready").value != 1:
                    await clock
            self.pin("s_axi_wvalid").value = 0
            while self.pin("s_axi_bvalid").value != 1:
                await clock
            assert self.loose or (self.pin("s_axi_bresp").value != 0) == refused
            self.refusals += refused

    async def poll(self, page):
        """Reads the states of all channels of a page: those that are over, which are idle then."""
        clock = RisingEdge(self.dut.clk_i)
        self.pin("s_axi_araddr").value = params()["Pages"] + page << 12 | 0x400
        self.pin("s_axi_arsize").value, self.pin("s_axi_arvalid").value = 4, 1
        await clock
        while self.pin("s_axi_arready").value != 1:
            await clock
        self.pin("s_axi_arvalid").value = 0
        while self.pin("s_axi_rvalid").value != 1:
            await clock
        value = int(self.pin("s_axi_rdata").value)
        over = []
        for channel in range(64):
            state = value >> 2 * channel & 3
            if state in (DONE, ERROR):
                over.append((self.jobs.pop((page, channel)), state))
        return over

    async def counter(self, name):
        """A counter, with all that has happened before: each has its turn once in a round."""
        for _ in range(COUNTERS + 2):
            await RisingEdge(self.dut.clk_i)
        return await self.registers.read(f"observe.{name}")


class Pair:
    """Both, and the network."""

    def __init__(self, dut):
        self.dut, self.random = dut, rng("pair")
        start_clock(dut.clk_i, 1000)
        self.nodes = [Node(self, "a", 0), Node(self, "b", 1)]
        self.network, self.now, self.order = Quiet(), 0, itertools.count()
        self.late = [[], []]  # packets on their way to each node
        self.ready = 1.0
        self.tries = [{}, {}]  # of what each node has sent last, by TID and number
        self.lose = lambda sender, kind, tid: False
        self.marks = lambda receiver: False  # the network, what comes to it
        self.heard = lambda sender, words: None  # each packet that a node has sent
        self.cut = [False, False]  # the node is being reset

    async def reset(self):
        for node in self.nodes:
            cocotb.start_soon(reset(self.dut.clk_i, node.pin("rst_i")))
        await reset(self.dut.clk_i, self.nodes[0].pin("rst_i"))

    async def begin(self):
        await self.reset()
        for sender in range(2):
            cocotb.start_soon(self.carry(sender))
            cocotb.start_soon(self.nodes[sender].write_lines())
        for node in self.nodes:
            await node.begin()

    def take(self, sender, words):
        """A packet that a node has sent: which copies of it arrive, and when."""
        tid, sequence = unpack(words[0] >> 68, [10, 14])
        kind, tries = words[0] >> 64 & 15, words[-1] >> 25 & 15
        self.heard(sender, words)
        if kind in (ACK, NACK):
            tries = self.tries[1 - sender].get((tid, sequence), 0)
        else:
            self.tries[sender][tid, sequence] = tries
        if self.lose(sender, kind, tid):
            return
        for delay in self.network.copies(tries):
            copy = list(words)
            copy[-1] |= MARK * self.marks(1 - sender)
            if self.network.damages(tries):
                copy[self.random.randrange(len(copy))] ^= 1 << self.random.randrange(128)
            heapq.heappush(self.late[1 - sender], (self.now + delay, next(self.order), copy))

    async def carry(self, sender):
        """The network from one node, and to it."""
        node, words, offered = self.nodes[sender], [], []
        clock, random = RisingEdge(self.dut.clk_i), self.random
        m_valid, m_ready = node.pin("m_axis_tvalid"), node.pin("m_axis_tready")
        m_data, m_last = node.pin("m_axis_tdata"), node.pin("m_axis_tlast")
        s_valid, s_ready = node.pin("s_axis_tvalid"), node.pin("s_axis_tready")
        s_data, s_last = node.pin("s_axis_tdata"), node.pin("s_axis_tlast")
        while True:
            await clock
            self.now += sender == 0
            if self.cut[sender]:
                words, offered = [], []
                s_valid.value = 0
                continue
            if m_valid.value == 1 and m_ready.value == 1:
                words.append(int(m_data.value))
                if m_last.value == 1:
                    self.take(sender, words)
                    words = []
            m_ready.value = self.ready == 1.0 or random.random() < self.ready
            if offered and s_ready.value == 1:
                offered.pop(0)
            waiting = self.late[sender]
            if not offered and waiting and waiting[0][0] <= self.now:
                offered = heapq.heappop(waiting)[2]
            s_valid.value = bool(offered)
            if offered:
                s_data.value, s_last.value = offered[0], len(offered) == 1

    def stall(self, share):
        """Memories and network that pause."""
        self.ready = 1 - share
        for node in self.nodes:
            stall(node.memory, self.random, share)

    async def settle(self):
        """Until nothing is on its way, and what arrived last has had its effect."""
        while any(self.late):
            await RisingEdge(self.dut.clk_i)
        for _ in range(400):
            await RisingEdge(self.dut.clk_i)

    def replay(self, receiver, packets):
        """These packets arrive once more."""
        for words in packets:
            heapq.heappush(self.late[receiver], (self.now, next(self.order), list(words)))

    def check(self):
        """Both memories are what they should be, every byte."""
        for node in self.nodes:
            found = bytes(node.memory.read(0, MEMORY))
            if found != node.expected:
                wrong = next(i for i in range(MEMORY) if found[i] != node.expected[i])
                raise AssertionError(f"memory of {node.name} differs from byte {wrong:#x} on")


async def start(dut):
    pair = Pair(dut)
    await pair.begin()
    return pair


async def ends(pair, node, page=0):
    """Waits for one transfer of a page: its state."""
    while True:
        over = await node.poll(page)
        if over:
            return over[0][1]


def run(module, testcase, memory_width=512):
    """Builds both engines and runs tests of a module. `memory_width`: bits of the memory of a."""
    build_and_run(
        "rdma_pair",
        [*rtl("prim", "axis", "rdma"), ROOT / "cores/rdma/tb/rdma_pair.sv"],
        {"Pages": 2, "Priorities": 2, "Senders": 2, "AMemoryWidth": memory_width},
        module,
        testcase=testcase,
    )


def kind_of(words):
    return words[0] >> 64 & 15


def tid_of(words):
    return words[0] >> 68 & 1023


async def over(pair, node, count, page=0):
    """States of `count` transfers of a page."""
    states = []
    while len(states) < count:
        states += [state for _, state in await node.poll(page)]
        for _ in range(20):
            await RisingEdge(pair.dut.clk_i)
    return states


def gaps(log):
    """Cycles from each packet to the next one."""
    return [b[0] - a[0] for a, b in itertools.pairwise(log)]


async def until(pair, what, limit=20_000):
    for _ in range(limit):
        if what():
            return
        await RisingEdge(pair.dut.clk_i)
    raise AssertionError(f"not after {limit} cycles")
