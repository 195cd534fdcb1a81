# SPDX-License-Identifier: Apache-2.0
"""rdma_core between users, a send unit, a network and a receiver that the test bench plays; every block is checked as it is issued."""

import heapq
import itertools
import struct

import cocotb
from cocotb.triggers import RisingEdge
from descriptors import DONE, ERROR, lines
from tb_common import cycles, params, reset, rng, start_clock

BLOCK, OUTSTANDING, TIMEOUT = 65536, 2, 3000
READ_TIMEOUT = 2  # in 16384 cycles
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
        node=FAR,
    ):
        self.page, self.channel, self.index = page, channel, page * 128 + channel
        self.cls, self.priority, self.inline = cls, priority, inline
        self.notify, self.value, self.read = notify, value, read
        self.size = len(inline) if inline else size
        self.source = NODE << 48 | 0x1_0000_0000 + 12345 * channel
        self.node = node
        self.destination = node << 48 | (page << 40) + (channel << 33) + offset
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
        dut.weighted_i.value, dut.weights_i.value = 0, 0
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
    """Users post and poll until `count` transfers have been posted and are over."""
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
