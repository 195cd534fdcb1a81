# SPDX-License-Identifier: Apache-2.0
"""rdma_core: users who post and poll, a send unit that takes its time, a network that drops, delays, duplicates and refuses, a receiver after
the table of the README. Every block is checked as it is issued, nothing is done twice, and all numbers come back."""

import heapq
import itertools
import struct

import cocotb
from cocotb.triggers import RisingEdge
from descriptors import DONE, ERROR, lines
from tb_common import ROOT, build_and_run, cycles, params, reset, rng, rtl, start_clock

BLOCK, OUTSTANDING, TIMEOUT = 65536, 2, 3000
READ_TIMEOUT = 2  # in 16384 cycles
SOURCES = [*rtl("prim", "rdma"), ROOT / "cores/rdma/tb/rdma_core_bench.sv"]
DATA, MESSAGE, CONTROL, ACK, NACK, READ = range(6)
NODE, EPOCH, FAR = 5, 9, 7
MASK = (1 << 14) - 1


def fields(value, *widths):
    """Cuts an integer into fields, the lowest first."""
    found = []
    for width in widths:
        found.append(value & (1 << width) - 1)
        value >>= width
    return found


class Transfer:
    """A descriptor, and what has become of it."""

    def __init__(
        self,
        page,
        channel,
        size,
        cls=0,
        priority=0,
        inline=None,
        notify=False,
        value=None,
        read=False,
        offset=0,
    ):
        self.page, self.channel, self.index = page, channel, page * 128 + channel
        self.cls, self.priority, self.inline = cls, priority, inline
        self.notify, self.value, self.read = notify, value, read
        self.size = len(inline) if inline else size
        self.source = NODE << 48 | 0x1_0000_0000 + 12345 * channel
        self.destination = FAR << 48 | (page << 40) + (channel << 33) + offset
        self.qos = 0x155 ^ self.index
        self.long = value is not None or (inline is not None and len(inline) > 8)
        self.notification = 0x8000 + 8 * self.index
        self.blocks = []
        place, end = self.destination, self.destination + self.size
        while place < end:
            here = min(BLOCK - place % BLOCK, end - place)
            self.blocks.append((self.source + place - self.destination, place, here))
            place += here
        self.issued = self.delivered = self.control = 0
        self.done, self.given_up, self.flow, self.requested = set(), False, None, 0

    def lines(self):
        return lines(
            self.size, self.destination, self.source, self.notification, self.priority, self.cls,
            self.inline, self.notify, self.value, self.read, self.qos,
        )  # fmt: skip

    def written(self):
        """Everything is at the destination."""
        whole = len(self.done) == (1 if self.inline else len(self.blocks))
        return self.read or (whole and self.control == int(self.notify))


class Quiet:
    """A network that loses nothing and is quick."""

    def send(self):
        return 1

    def fails(self, tries):
        """Whether the source cannot be read."""
        return False

    def block(self, tries):
        """Delays of the copies that arrive, and whether the receiver refuses."""
        return [1], False

    def answer(self, tries):
        return [1]


class Rough:
    """One that does everything wrong, but not more often than five times with the same block."""

    def __init__(self, random):
        self.random = random

    def send(self):
        return self.random.choice((1, 3, 20))

    def fails(self, tries):
        return tries < 5 and self.random.random() < 0.05

    def copies(self, tries):
        if tries >= 5:
            return [5]
        kind = self.random.random()
        if kind < 0.1:
            return []
        late = self.random.choice((1, 10, 300, 300, 2 * TIMEOUT, 5 * TIMEOUT))
        return (
            [self.random.randrange(1, 40)] + ([late] if kind < 0.3 else [])
            if kind < 0.95
            else [late]
        )

    def block(self, tries):
        return self.copies(tries), tries < 5 and self.random.random() < 0.05

    def answer(self, tries):
        return self.copies(tries)


class Bench:
    """Drives and checks everything in one step for each cycle."""

    def __init__(self, dut, random, network=None, retries=15):
        self.dut, self.random, self.network = dut, random, network or Quiet()
        self.now, self.order = 0, itertools.count()
        self.retries = retries
        self.current, self.use, self.last = {}, {}, {}
        self.context, self.events, self.answers = {}, [], []
        self.reports, self.writes, self.reads, self.log = [], [], [], []
        self.pauses = {"block": 0, "packet": 0}
        self.states, self.status, self.responses = {}, {}, 0
        self.flows, self.counts = (
            {},
            dict.fromkeys(("dropped", "repeated", "gave_up", "refused"), 0),
        )
        self.hold = lambda transfer, number: False
        self.write_now = self.read_now = None
        start_clock(dut.clk_i, 1000)
        for name in ("awvalid", "wvalid", "arvalid", "awlen", "arlen", "awid", "arid"):
            getattr(dut, f"s_axi_{name}").value = 0
        for name in ("bready", "rready", "awburst", "arburst"):
            getattr(dut, f"s_axi_{name}").value = 1
        dut.node_i.value, dut.epoch_i.value = NODE, EPOCH
        dut.timeout_i.value, dut.retries_i.value = TIMEOUT, retries
        dut.read_timeout_i.value = READ_TIMEOUT
        for name in ("sent_valid", "sent_failed", "answer_valid", "block_ready", "packet_ready"):
            getattr(dut, f"{name}_i").value = 0

    async def start(self):
        await reset(self.dut.clk_i, self.dut.rst_i)
        while self.dut.ready_o.value != 1:
            await RisingEdge(self.dut.clk_i)
        self.task = cocotb.start_soon(self.run())

    # Users.

    def post(self, transfer):
        """Writes a descriptor; what it says is expected from now on."""
        assert transfer.index not in self.current
        self.current[transfer.index] = transfer
        at = transfer.page << 12 | (
            0x800 + 32 * transfer.channel if transfer.long else 32 * transfer.channel
        )
        for i, line in enumerate(transfer.lines()):
            step = params()["DataWidth"] // 8
            for part in range(0, 32, step):
                self.writes.append((at + 32 * i + part, line[part : part + step], 0))

    def poll(self, page):
        if not any(read == page for read in self.reads) and self.read_now != page:
            self.reads.append(page)

    def polled(self, page, value):
        for channel in range(64):
            state = value >> 2 * channel & 3
            if state in (DONE, ERROR):
                transfer = self.current.pop(page * 128 + channel)
                assert (state == ERROR) == transfer.given_up, (state, vars(transfer))
                assert state == ERROR or transfer.written(), vars(transfer)
                transfer.over = state
                self.flows = {k: v for k, v in self.flows.items() if v is not transfer}

    # Send unit and network.

    def issue(self, kind, use, transfer, number):
        tid, sequence, tries = fields(use, 10, 14, 4)
        key = transfer, kind, number
        if tid in self.last:
            assert sequence == (self.last[tid] + 1) & MASK
        self.last[tid] = sequence
        if tries == 0:
            # Nobody else is under this TID: what was before is answered, or given up.
            before = self.use.get(tid)
            assert before is None or before["answered"] or before["tries"] == self.retries
            self.use[tid] = {"key": key, "tries": 0, "answered": False, "sent": False}
        else:
            before = self.use[tid]
            assert before["key"] == key and tries == before["tries"] + 1 and before["sent"]
            before.update(tries=tries, sent=False)
        self.log.append((self.now, kind, tid, transfer, number, tries))
        if tries == self.retries and self.hold(transfer, number):
            transfer.given_up = True
        return tid, sequence, tries

    def take_block(self, use, block):
        source, destination, domain, sequence, sent, flags, size, following, index, qos, zero = (
            fields(block, 64, 64, 16, 14, 17, 5, 17, 1, 11, 22, 25)
        )
        transfer = self.current[index]
        number = transfer.blocks.index((source, destination, size))
        tid, used, tries = self.issue(DATA, use, transfer, number)
        last = number == len(transfer.blocks) - 1
        assert (sequence, sent, domain, qos, zero) == (used, 0, transfer.page, transfer.qos, 0)
        assert following == (not last)
        flow = transfer.cls != 0
        notify = last and transfer.notify
        assert fields(flags, 1, 1, 1, 1, 1) == [flow, 0, 0, notify, number > 0]
        if tries == 0:
            assert number == transfer.issued
            transfer.issued += 1
            assert transfer.issued - len(transfer.done) <= OUTSTANDING or transfer.given_up
            if flow:
                if transfer.flow is None:
                    transfer.flow = tid // 4
                    first = transfer.flow
                    mine = range(first, first + (4 if transfer.cls == 2 else 1))
                    assert (
                        128 <= first < 192 if transfer.cls == 1 else first >= 192 and first % 4 == 0
                    )
                    for each in mine:
                        assert each not in self.flows or self.flows[each].written()
                        self.flows[each] = transfer
                step = number % 4 if transfer.cls == 1 else number % 4 * 4 + number // 4 % 4
                assert tid == 4 * transfer.flow + step
            else:
                assert tid < 512
        self.pauses["block"] = self.leave(DATA, tid, used, tries, transfer, number)

    def take_packet(self, use, packet):
        payload, size, address, domain, kind, notify, index, qos = fields(
            packet, 256, 7, 64, 16, 4, 1, 11, 22
        )
        transfer = self.current[index]
        tid, sequence, tries = self.issue(kind, use, transfer, 0)
        assert tid < 512 and (domain, qos) == (transfer.page, transfer.qos)
        data = payload.to_bytes(32, "little")[:size]
        if kind == MESSAGE:
            assert data == transfer.inline and address == transfer.destination
            assert notify == transfer.notify
        elif kind == READ:
            assert data == transfer.lines()[0] and address == FAR << 48 and transfer.read
            transfer.request = tid, (sequence - tries) & MASK
        else:
            value = transfer.value
            if value is None:
                value = transfer.size | transfer.index << 32 | NODE << 48
            assert kind == CONTROL and data == struct.pack("<2Q", value, 0)
            assert address == FAR << 48 | transfer.notification
            assert len(transfer.done) == (1 if transfer.inline else len(transfer.blocks))
        self.pauses["packet"] = self.leave(kind, tid, sequence, tries, transfer, 0)

    def leave(self, kind, tid, sequence, tries, transfer, number):
        """The send unit is busy for a while, then the copies are on their way."""
        time = self.network.send()
        self.later(time, lambda: self.sent(kind, tid, sequence, tries, transfer, number))
        return self.now + time

    def sent(self, kind, tid, sequence, tries, transfer, number):
        """It is reported, and is on its way from then on."""

        def go():
            self.use[tid]["sent"] = True
            failed = self.network.fails(tries)
            self.dut.sent_failed_i.value = failed
            if failed or self.hold(transfer, number):
                return
            copies, refused = self.network.block(tries)
            arrived = kind, tid, sequence, tries, transfer, number, refused
            for delay in copies:
                self.later(delay, lambda: self.receive(*arrived))

        self.reports.append((tid, go))

    def receive(self, kind, tid, sequence, tries, transfer, number, refused):
        """The table of the README."""
        newest, complete = self.context.get(tid, ((sequence - 1) & MASK, None))
        ahead = (sequence - newest) & MASK
        if ahead >= 1 << 13:
            return
        same = complete is not None and not 0 < (sequence - tries - complete) & MASK < 1 << 13
        if same:
            self.context[tid] = sequence, sequence
        elif refused:
            self.context[tid] = sequence, complete
            self.answer(NACK, tid, sequence, tries)
            return
        else:
            self.context[tid] = sequence, sequence
            self.deliver(kind, transfer, number)
        self.use[tid]["answered"] |= self.last[tid] - sequence == 0
        self.answer(ACK, tid, sequence, tries)

    def deliver(self, kind, transfer, number):
        assert self.current.get(transfer.index) is transfer, "written after its end"
        if kind == CONTROL:
            assert transfer.control == 0
            transfer.control = 1
        elif kind == READ:
            transfer.requested += 1
            assert transfer.requested == 1
        else:
            assert number not in transfer.done
            transfer.done.add(number)

    def answer(self, kind, tid, sequence, tries, epoch=EPOCH):
        for delay in self.network.answer(tries):
            self.later(delay, lambda: self.answers.append(self.word(kind, tid, sequence, epoch)))

    @staticmethod
    def word(kind, tid, sequence, epoch=EPOCH, transfer=0, failed=0, node=FAR, domain=None):
        domain = transfer >> 7 if domain is None else domain
        low = kind | tid << 4 | sequence << 14 | epoch << 28 | node << 32 | domain << 48
        return (failed << 75 | transfer << 64 | low) << 256

    def later(self, delay, what):
        heapq.heappush(self.events, (self.now + delay, next(self.order), what))

    # One cycle.

    async def run(self):
        dut = self.dut
        clock = RisingEdge(dut.clk_i)
        wide = params()["DataWidth"] // 8
        aw = w = answer = False
        while True:
            await clock
            self.now += 1
            assert dut.fault_o.value == 0
            for name in self.counts:
                self.counts[name] += getattr(dut, f"{name}_o").value == 1
            if dut.block_valid_o.value == 1 and dut.block_ready_i.value == 1:
                self.take_block(int(dut.block_use_o.value), int(dut.block_o.value))
            if dut.packet_valid_o.value == 1 and dut.packet_ready_i.value == 1:
                self.take_packet(int(dut.packet_use_o.value), int(dut.packet_o.value))
            while self.events and self.events[0][0] <= self.now:
                heapq.heappop(self.events)[2]()
            dut.block_ready_i.value = self.now >= self.pauses["block"]
            dut.packet_ready_i.value = self.now >= self.pauses["packet"]
            # Reports and answers.
            dut.sent_valid_i.value = bool(self.reports)
            if self.reports:
                dut.sent_tid_i.value, go = self.reports.pop(0)
                go()
            if answer and dut.answer_ready_o.value == 1:
                self.answers.pop(0)
            answer = bool(self.answers)
            dut.answer_valid_i.value = answer
            if answer:
                dut.answer_i.value = self.answers[0]
            # Descriptors: an address, then its data, then the response.
            if aw and dut.s_axi_awready.value == 1:
                aw = False
            if w and dut.s_axi_wready.value == 1:
                w = False
            if dut.s_axi_bvalid.value == 1:
                assert (dut.s_axi_bresp.value != 0) == self.write_now[2]
                self.write_now, self.responses = None, self.responses + 1
            if self.write_now is None and self.writes:
                self.write_now = self.writes.pop(0)
                address, data, _ = self.write_now
                dut.s_axi_awaddr.value, dut.s_axi_awsize.value = address, wide.bit_length() - 1
                dut.s_axi_wdata.value = int.from_bytes(data, "little")
                dut.s_axi_wstrb.value, dut.s_axi_wlast.value = (1 << wide) - 1, 1
                aw = w = True
            dut.s_axi_awvalid.value, dut.s_axi_wvalid.value = aw, w
            # States.
            if self.read_now is not None:
                if dut.s_axi_arready.value == 1:
                    dut.s_axi_arvalid.value = 0
                if dut.s_axi_rvalid.value == 1:
                    assert dut.s_axi_rresp.value == 0
                    self.polled(self.read_now, int(dut.s_axi_rdata.value) & (1 << 128) - 1)
                    self.read_now = None
            elif self.reads:
                self.read_now = self.reads.pop(0)
                address = params()["Pages"] << 12 | self.read_now << 12 | 0x400
                dut.s_axi_araddr.value, dut.s_axi_arsize.value = address, 4
                dut.s_axi_arvalid.value = 1

    async def until(self, what, limit):
        for _ in range(limit):
            if self.task.done():
                self.task.result()
            if what():
                return
            await RisingEdge(self.dut.clk_i)
        stuck = [vars(t) for t in self.current.values()]
        raise AssertionError(f"after {limit} cycles: {stuck[:3]}")

    async def finish(self, limit=50 * TIMEOUT):
        """Until all is over; then every number is back."""
        pages = {t.page for t in self.current.values()}

        def over():
            if self.now % 50 == 0:
                for page in pages:
                    self.poll(page)
            return not self.current and not self.writes and self.write_now is None

        await self.until(over, limit)
        await cycles(self.dut.clk_i, 10)
        self.task.cancel()
        free = [
            int(getattr(self.dut, name).value) for name in ("tid_free", "single_free", "group_free")
        ]
        assert free == [512, 64, 16]
        assert self.dut.nonempty.value == 0


async def begin(dut, **options):
    bench = Bench(dut, rng("bench"), **options)
    await bench.start()
    return bench


def anything(random, page, channel):
    """A transfer of any kind."""
    notify = random.random() < 0.4
    if random.random() < 0.4:
        inline = random.randbytes(random.randrange(1, 33 if channel % 2 == 0 else 9))
        return Transfer(
            page, channel, 0, inline=inline, notify=notify, priority=random.randrange(3)
        )
    cls = random.randrange(3)
    most = (2, 9, 22)[cls] if random.random() < 0.3 else 1
    value = (
        random.getrandbits(64) if notify and channel % 2 == 0 and random.random() < 0.5 else None
    )
    size = random.randrange(1, most * BLOCK)
    offset = random.choice((0, 1, BLOCK - 1, random.randrange(BLOCK)))
    return Transfer(
        page, channel, size, cls, random.randrange(3), None, notify, value, offset=offset
    )


async def traffic(bench, pages, count, channels=64, hostile=None):
    """Users post and poll until so many transfers have been posted and are over."""
    random, posted, bad = bench.random, 0, 0
    while posted < count:
        page, channel = random.choice(pages), random.randrange(channels)
        index = page * 128 + channel
        pair = index ^ 1
        other = bench.current.get(pair)
        if index not in bench.current and not (other and other.long):
            transfer = anything(random, page, channel)
            if not (transfer.long and other):
                bench.post(transfer)
                posted += 1
        if hostile is not None and random.random() < 0.5 and not bench.writes:
            # A line that breaks a rule in its second half, a second line that comes first, words
            # for nowhere.
            bad += 1
            line = Transfer(hostile, 2, 0).lines()[0]
            bench.writes += random.choice(
                (
                    [(hostile << 12, line[:16], 0), (hostile << 12 | 16, line[16:], 1)],
                    [(hostile << 12 | 0x820, line[:16], 1)],
                    [(params()["Pages"] + hostile << 12 | 0x20, line[:16], 1)],
                )
            )
        for page in pages:
            if random.random() < 0.05:
                bench.poll(page)
        for _ in range(random.choice((1, 1, 5, 40))):
            await RisingEdge(bench.dut.clk_i)
        if bench.task.done():
            bench.task.result()
    return bad


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


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def forged_requests(dut):
    """A read request is refused if its line is no read, is long, goes elsewhere than to who asks, or comes from a page that it is not for."""
    bench = await begin(dut)
    good = {"size": 64, "destination": FAR << 48 | 0x40, "source": NODE << 48, "read": True}
    page, asker = 1, 1 << 7 | 5

    def request(line=good, **fields):
        first = lines(**line)[0]
        return bench.word(READ, 1, 1, **fields) | int.from_bytes(first, "little")

    bench.answers += [
        request(good | {"read": False}, transfer=asker),
        request(good | {"value": 5}, transfer=asker),
        request(good | {"destination": FAR + 1 << 48}, transfer=asker),
        request(transfer=asker, domain=page + 1),
        request(transfer=asker, domain=page | 1 << 15),
        request(transfer=params()["Pages"] << 7, domain=params()["Pages"]),
        request(transfer=asker),
    ]
    refused = []
    while len(refused) < 7:
        await RisingEdge(dut.clk_i)
        if dut.answer_valid_i.value == 1 and dut.answer_ready_o.value == 1:
            refused.append(int(dut.answer_refused_o.value))
    assert refused == [1] * 6 + [0]


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
