# SPDX-License-Identifier: Apache-2.0
"""Both ends of htsp_pair: sources, sinks and a scoreboard for every channel, counters of all events."""

import collections

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from packed import Packed, field
from tb_common import params, reset, rng, start_clock

WORD = 64
EVENTS = (
    "tx_frame", "tx_null", "tx_op_code", "rx_frame", "rx_null", "rx_foreign", "rx_version", "rx_checksum",
    "rx_damaged", "rx_footer_bad", "rx_channel", "rx_orphan", "rx_stale", "rx_lost", "tx_cut", "tx_bad",
    "rx_overflow", "rx_cut",
)  # fmt: skip


def payload(channel, number, size):
    """Bytes that tell channel and packet, so that nothing can stand for anything else."""
    head = bytes((channel, number & 255, number >> 8 & 255, size & 255, size >> 8 & 255))
    body = bytes((i * 7 + i // 64 * 13 + number * 31 + channel * 101) & 255 for i in range(size))
    return (head + body[len(head) :])[:size]


class Ends:
    """Drives and watches htsp_pair.

    send(stream, data, error) queues a packet; stream = channel + Channels * end. received[stream] holds (data, error)
    of all packets that came out of that stream (of the other end), marks[stream] their TUSER (first, last). rate[stream], take[stream]: chance of offering
    and of taking a word in a cycle. events: counts by (name, end).
    """

    seen = EVENTS  # events that are outputs of the design
    interval = 127  # from one header alone to the next; 0: it changes
    patience = 60  # cycles without a word until nothing more comes
    sizes = ("tx_frame", "rx_frame")  # those that come with a count of bytes
    controls = (  # inputs of the bench that begin at 0
        "arm_i", "skip_i", "drop_i", "deaf_i", "told_i", "cut_i", "flip_word_i", "flip_bit_i", "s_opcode_tdata", "s_opcode_tvalid",
    )  # fmt: skip

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.channels = params()["Channels"]
        self.beat = params().get("Bytes", WORD)
        self.slow = WORD // self.beat  # cycles for a word
        self.streams = 2 * self.channels
        self.queue = [collections.deque() for _ in range(self.streams)]
        self.offered = [None] * self.streams
        self.sent = [[] for _ in range(self.streams)]
        self.received = [[] for _ in range(self.streams)]
        self.part = [b""] * self.streams
        self.user = 16 if params().get("Tuser") else 1  # bits of TUSER
        self.first = [0] * self.streams
        self.marks = [[] for _ in range(self.streams)]
        self.rate = [1.0] * self.streams
        self.take = [1.0] * self.streams
        self.accepted_at = [[] for _ in range(self.streams)]
        self.taken_at = [[] for _ in range(self.streams)]
        self.frames = [[], []]  # of the lines: bytes
        self.frame_at = [[], []]  # cycle of the first word of each
        self.line = [b"", b""]
        self.events = collections.Counter()
        self.by_channel = collections.Counter()  # by (name, stream), of events that channels have
        self.op_codes = [[], []]  # that came out
        self.cycle = 0
        self.gapless = True  # frames on the lines have to be

    def attach(self):
        """Connects sources, sinks and lines, all of them at rest."""
        dut = self.dut
        self.take_words()
        self.tdata = Packed(dut.s_axis_tdata, 8 * self.beat)
        self.tkeep = Packed(dut.s_axis_tkeep, self.beat)
        self.tlast = Packed(dut.s_axis_tlast, 1)
        self.tuser = Packed(dut.s_axis_tuser, self.user)
        self.tvalid = Packed(dut.s_axis_tvalid, 1)
        self.tready = Packed(dut.m_axis_tready, 1)
        for name in self.controls:
            getattr(dut, name).value = 0

    async def start(self, up=True, burst=128):
        dut = self.dut
        self.attach()
        self.address()
        for name in ("stall_limit_i", "ignore_remote_i", "tx_disable_i", "user_data_i"):
            getattr(dut, name).value = 0
        dut.burst_i.value = burst << 8 | burst
        start_clock(dut.clk_i, 1000)
        dut.rst_i.value = 3
        await reset(dut.clk_i, dut.rst_i)
        dut.rst_i.value = 3
        await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
        cocotb.start_soon(self._run())
        if up:
            await self.wait_up()

    def address(self):
        """Gives both ends addresses, any but those of groups, and frames an EtherType."""
        self.macs = [self.random.randbytes(6) for _ in range(2)]
        self.macs = [bytes((mac[0] & 0xFE, *mac[1:])) for mac in self.macs]
        self.dut.local_mac_i.value = int.from_bytes(b"".join(self.macs), "little")
        self.ethertype = self.random.randbytes(2)
        self.dut.ethertype_i.value = int.from_bytes(self.ethertype, "little")

    async def wait_up(self, limit=2000):
        for _ in range(limit):
            await FallingEdge(self.dut.clk_i)
            if self.dut.remote_ready_o.value == 3 and self.dut.link_up_o.value == 3:
                return
        raise AssertionError("the link does not come up")

    def send(self, stream, data, error=0, gap=None, marks=None):
        """Queues a packet; gap = (beat, cycles): the source stalls before that beat; marks = (first, last): its TUSER."""
        beat = self.beat
        words = [data[i : i + beat] for i in range(0, len(data), beat)]
        for i, word in enumerate(words):
            last = int(i == len(words) - 1)
            wait = gap[1] if gap and gap[0] == i else 0
            user = last & error
            if self.user > 1:  # what counts in the first and in the last beat, and noise
                user = self.random.getrandbits(16)
                if last:
                    user = user & ~0xFF | (marks or (0, 0))[1] << 1 | error
                if i == 0:
                    user = user & 0xFF | (marks or (0, 0))[0] << 8
            self.queue[stream].append([int.from_bytes(word, "little"), len(word), last, user, wait])
        self.sent[stream].append((data, bool(error)))

    async def fault(self, skip, drop=0, told=0, word=0, bit=0, end=0):
        """Loses or damages one payload frame of an end: the one behind `skip` others."""
        dut = self.dut
        dut.skip_i.value, dut.flip_word_i.value = (v << 8 | v for v in (skip, word))
        dut.drop_i.value, dut.told_i.value = 3 * drop, 3 * told
        dut.flip_bit_i.value = bit << 9 | bit
        dut.arm_i.value = 1 << end
        await RisingEdge(dut.clk_i)
        dut.arm_i.value = 0

    def take_words(self):
        """Lets both lines take every word."""
        self.dut.ready_i.value = 3

    def taken(self):
        """Lines that take a word in this cycle."""
        return int(self.dut.phy_tvalid.value) & int(self.dut.ready_i.value)

    def peer(self, stream):
        """Where what is sent into `stream` comes out."""
        return (stream + self.channels) % self.streams

    async def _run(self):
        dut, n = self.dut, self.channels
        while True:
            await RisingEdge(dut.clk_i)
            self.cycle += 1
            self._watch(dut, n)
            ready, valid = int(dut.s_axis_tready.value), int(dut.m_axis_tvalid.value)
            taken = valid & self.tready.now
            for stream in range(self.streams):
                if self.tvalid.now >> stream & 1 and ready >> stream & 1:
                    self.accepted_at[stream].append(self.cycle)
                    self.offered[stream] = None
                if self.offered[stream] is None:
                    self._offer(stream)
                if taken >> stream & 1:
                    self._take(stream)
                if self.take[stream] < 1 or not self.tready.now >> stream & 1:
                    self.tready.set(stream, int(self.random.random() < self.take[stream]))

    def _offer(self, stream):
        queue = self.queue[stream]
        if queue and queue[0][4] == 0 and self.random.random() < self.rate[stream]:
            data, size, last, user, _ = self.offered[stream] = queue.popleft()
            junk = self.random.getrandbits(8 * self.beat) >> 8 * size << 8 * size
            self.tdata.set(stream, data | junk)
            self.tkeep.set(stream, (1 << size) - 1)
            self.tlast.set(stream, last)
            self.tuser.set(stream, user)
            self.tvalid.set(stream, 1)
            return
        if queue and queue[0][4]:
            queue[0][4] -= 1
        if self.tvalid.now >> stream & 1:
            self.tvalid.set(stream, 0)

    def _take(self, stream):
        dut = self.dut
        keep = field(dut.m_axis_tkeep, stream, self.beat)
        last = field(dut.m_axis_tlast, stream, 1)
        user = field(dut.m_axis_tuser, stream, self.user)
        error = user & 1
        assert keep & keep + 1 == 0 and keep, f"TKEEP {keep:x}"
        assert last or keep == (1 << self.beat) - 1, f"TKEEP {keep:x} without TLAST"
        assert last or not user & 0xFF
        if not self.part[stream]:
            self.first[stream] = user >> 8
        else:
            assert not user >> 8
        size = keep.bit_count()
        self.taken_at[stream].append(self.cycle)
        data = field(dut.m_axis_tdata, stream, 8 * self.beat).to_bytes(self.beat, "little")
        self.part[stream] += data[:size]
        if last:
            self.received[stream].append((self.part[stream], bool(error)))
            self.marks[stream].append((self.first[stream], user >> 1 & 0x7F))
            self.part[stream] = b""

    def _watch(self, dut, n):
        for name in self.seen:
            signal = getattr(dut, f"{name}_o")
            value = int(signal.value)
            if value:
                width = len(signal) // 2
                for end in (0, 1):
                    part = value >> end * width & (1 << width) - 1
                    self.events[name, end] += part if name == "rx_lost" else part.bit_count()
                    if name in self.sizes and part:
                        size = field(getattr(dut, f"{name}_bytes_o"), end, 16)
                        self.events[f"{name}_bytes", end] += size
                    if width == n:
                        for channel in range(n):
                            self.by_channel[name, end * n + channel] += part >> channel & 1
        for end in (0, 1):
            if field(dut.m_opcode_tvalid, end, 1):
                self.op_codes[end].append(field(dut.m_opcode_tdata, end, 128))
        valid = self.taken()
        for end in (0, 1):
            if valid >> end & 1:
                if not self.line[end]:
                    self.frame_at[end].append(self.cycle)
                size = field(dut.phy_tkeep, end, self.beat).bit_count()
                data = field(dut.phy_tdata, end, 8 * self.beat).to_bytes(self.beat, "little")
                self.line[end] += data[:size]
                if field(dut.phy_tlast, end, 1):
                    line = self.line[end]
                    if self.gapless and len(line) > WORD:
                        # Of the last word the line carries the user's bytes, then zeros.
                        assert not any(line[(line[-6] & 0x7F) - 6 - WORD : -6])
                    if self.interval:
                        self._reason(end, line)
                    self.frames[end].append(line)
                    self.line[end] = b""
            else:
                # Nothing between header and footer may be missing when the MAC is ready.
                waits = int(dut.phy_tvalid.value) >> end & 1
                assert waits or not (self.gapless and self.line[end]), (
                    f"gap in a frame of end {end}"
                )

    def _reason(self, end, frame):
        """A header alone says something new, or the timer has run out."""
        if len(frame) == WORD and self.frames[end] and frame[15]:
            before, since = self.frames[end][-1], self.frame_at[end][-1] - self.frame_at[end][-2]
            pause = before[-4:-2] if len(before) > WORD else before[16:18]
            told = pause == frame[16:18] and before[21] == frame[21] and not frame[20]
            assert not told or since >= self.interval, f"end {end} sends a header for nothing"

    async def idle(self, limit=20000):
        """Until all sources are empty and nothing has come out for a while."""
        still = 0
        for _ in range(limit):
            before = sum(map(len, self.taken_at))
            await RisingEdge(self.dut.clk_i)
            empty = not any(self.queue) and all(o is None for o in self.offered)
            still = still + 1 if empty and before == sum(map(len, self.taken_at)) else 0
            if still > self.patience:
                return
        raise AssertionError("does not come to rest")

    async def check_counts(self):
        """Both ends have counted what was on the lines, and nothing else; no line loses anything."""
        # A header may be under way at any time: counted, and not on the line or not at the other
        # end yet. So all counts have to be right for longer than that takes.
        right, way = 0, 10 + 6 * self.slow
        for _ in range(6 * way):
            right = 0 if any(self.line) or self._wrong_counts() else right + 1
            if right > way:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError("; ".join(self._wrong_counts()))

    def _wrong_counts(self):
        """What an end has counted that was not on the lines, or the other way round."""
        wrong = []
        for end in (0, 1):
            frames = [frame for frame in self.frames[end] if len(frame) > WORD]
            want = {
                "frame": len(frames),
                "frame_bytes": sum(int.from_bytes(frame[-2:], "little") for frame in frames),
                "null": len(self.frames[end]) - len(frames),
            }
            for name, count in want.items():
                for event in ((f"tx_{name}", end), (f"rx_{name}", 1 - end)):
                    if self.events[event] != count:
                        wrong.append(f"{event}: {self.events[event]}, not {count}")
        return wrong

    def check_order(self):
        """Whatever came without a mark was sent since the last check, in this order, once."""
        for stream in range(self.streams):
            came = [data for data, error in self.received[self.peer(stream)] if not error]
            sent, at = [data for data, _ in self.sent[stream]], 0
            for data in came:
                assert data in sent[at:], f"stream {stream}: stale, torn or again: {data[:5].hex()}"
                at = sent.index(data, at) + 1

    def check_clean(self):
        """Everything that was sent has arrived once, in order, unchanged."""
        for stream in range(self.streams):
            assert self.received[self.peer(stream)] == self.sent[stream], f"stream {stream}"

    def check_marked(self, streams, lost_whole=0):
        """Good packets of `streams` are packets that were sent, in order, each at most once.

        Whatever is missing has left a mark in its stream, or is one of `lost_whole` that may be missing without.
        """
        missing = 0
        for stream in streams:
            came, at = self.received[self.peer(stream)], 0
            good = [data for data, error in came if not error]
            sent = [data for data, error in self.sent[stream] if not error]
            for data in good:
                try:
                    at = sent.index(data, at) + 1
                except ValueError:
                    text = "not sent, or again, or in another order"
                    raise AssertionError(f"stream {stream}: {text}: {data[:8]}") from None
            marks = len(came) - len(good)
            lost = len(self.sent[stream]) - len(good)
            missing += max(0, lost - marks)
        assert missing <= lost_whole, f"{missing} packets are missing without a mark"
