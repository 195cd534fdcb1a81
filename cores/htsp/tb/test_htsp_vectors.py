# SPDX-License-Identifier: Apache-2.0
"""Transmitter and receiver against the vectors of the model, crates/wire/vectors/htsp.

The sets of the transmitter that bear the name of a published set give the frames of that set. Where the core does
something that the model leaves open:

* the end of a packet that was cut carries its last word, not one zero byte: only its flags are compared;
* a header alone is sent when the own receiver's link comes or goes, so numbers are compared as a sequence.
"""

from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from packed import Packed, field
from tb_common import ROOT, build_and_run, cycles, params, reset, rng, rtl, start_clock

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "crates" / "wire" / "vectors" / "htsp"
WORD = 64
# Of the vectors, in the order of the wire.
LOCAL, REMOTE, ETHERTYPE = map(bytes.fromhex, ("004456030201", "112233445566", "0111"))
TRANSMITTERS = sorted(path.stem for path in FOLDER.glob("tx_*.txt"))


def rows(name):
    """The lines of a file of vectors, in words."""
    text = (FOLDER / f"{name}.txt").read_text()
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


class Transmitter:
    """htsp_tx_bench, held between frames by phy_ready_i."""

    def __init__(self, dut):
        self.dut = dut
        self.channels = params()["Channels"]
        self.beat = params()["Bytes"]
        self.slow = WORD // self.beat  # cycles for a word
        self.frames, self.line = [], b""
        self.begun = 0
        self.cuts = 0
        # What the transmitter says of its frames, and what they are.
        self.counted, self.on_line = ({"frame": [], "null": 0, "op_code": []} for _ in range(2))
        self.random = rng("junk")

    async def start(self, burst, local=LOCAL, ethertype=ETHERTYPE):
        dut = self.dut
        dut.local_mac_i.value = int.from_bytes(local, "little")
        dut.remote_mac_i.value = int.from_bytes(REMOTE, "little")
        dut.ethertype_i.value = int.from_bytes(ethertype, "little")
        for name in (
            "ignore_remote_i", "tx_disable_i", "user_data_i", "phy_ready_i", "rx_ready_i", "remote_ready_i",
            "remote_pause_i", "local_pause_i", "s_opcode_tdata", "s_opcode_tvalid",
        ):  # fmt: skip
            getattr(dut, name).value = 0
        self.interval = 1 << 20
        dut.null_interval_i.value = self.interval
        dut.burst_i.value = burst // WORD
        self.tdata = Packed(dut.s_axis_tdata, 8 * self.beat)
        self.tkeep = Packed(dut.s_axis_tkeep, self.beat)
        self.tlast = Packed(dut.s_axis_tlast, 1)
        self.tuser = Packed(dut.s_axis_tuser, 1)
        self.tvalid = Packed(dut.s_axis_tvalid, 1)
        self.words = [[] for _ in range(self.channels)]
        self.rest = [b""] * self.channels
        self.given = [b""] * self.channels
        await reset(dut.clk_i, dut.rst_i)
        self.task = cocotb.start_soon(self._run())

    def push(self, channel, size, seed, last=True, error=False, dropped=False):
        """Bytes for a channel; what is less than a beat waits for the rest."""
        data = bytes((seed + i + i // 256) & 255 for i in range(size))
        if not dropped:
            self.given[channel] += data
        data = self.rest[channel] + data
        beat = self.beat
        while len(data) > beat or (len(data) == beat and not last):
            self.words[channel].append((data[:beat], 0, 0))
            data = data[beat:]
        if last:
            self.words[channel].append((data, 1, int(error)))
        self.rest[channel] = b"" if last else data

    async def _run(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            self.cuts += int(dut.cut_o.value).bit_count()
            if dut.frame_o.value == 1:
                self.counted["frame"].append(int(dut.frame_bytes_o.value))
            if dut.op_code_o.value == 1:
                self.counted["op_code"].append(int(dut.op_data_o.value).to_bytes(16, "little"))
            self.counted["null"] += int(dut.null_o.value)
            if dut.m_axis_tvalid.value == 1:
                self.begun += not self.line
                keep, full = int(dut.m_axis_tkeep.value), (1 << self.beat) - 1
                assert keep and not keep & keep + 1, f"TKEEP {keep:x}"
                assert dut.m_axis_tlast.value or keep == full, f"TKEEP {keep:x} without TLAST"
                size = keep.bit_count()
                self.line += int(dut.m_axis_tdata.value).to_bytes(self.beat, "little")[:size]
                if dut.m_axis_tlast.value == 1:
                    self.frames.append(self.line)
                    self._count(self.line)
                    self.line = b""
            ready = int(dut.s_axis_tready.value)
            for channel, words in enumerate(self.words):
                taken = self.tvalid.now & ready
                if taken >> channel & 1:
                    words.pop(0)
                if words:
                    data, last, error = words[0]
                    junk = self.random.randbytes(self.beat - len(data))
                    self.tdata.set(channel, int.from_bytes(data + junk, "little"))
                    self.tkeep.set(channel, (1 << len(data)) - 1)
                    self.tlast.set(channel, last)
                    self.tuser.set(channel, error)
                self.tvalid.set(channel, int(bool(words)))

    def _count(self, frame):
        """What the transmitter should say of a frame on the line."""
        if len(frame) > WORD:
            self.on_line["frame"].append(int.from_bytes(frame[-2:], "little"))
        else:
            self.on_line["null"] += 1
        if frame[20]:
            self.on_line["op_code"].append(frame[32:48])

    async def stop(self):
        """What was counted is what was on the line."""
        self.dut.phy_ready_i.value = 0
        while self.line or self.dut.busy_o.value or self.dut.m_axis_tvalid.value:
            await RisingEdge(self.dut.clk_i)
        await cycles(self.dut.clk_i, 2 * self.slow)
        assert self.counted == self.on_line
        self.task.cancel()

    async def frame(self):
        """Lets one frame go."""
        dut, begun, done = self.dut, self.begun, len(self.frames)
        await cycles(
            dut.clk_i, 8 * self.slow
        )  # words and op-codes reach the place where they are looked at
        dut.phy_ready_i.value = 1
        for _ in range(40 * self.slow):
            await RisingEdge(dut.clk_i)
            if self.begun > begun:
                break
            # The choice is made two cycles before: a header alone must not follow at once.
            if dut.busy_o.value:
                dut.phy_ready_i.value = 0
        dut.phy_ready_i.value = 0
        assert self.begun == begun + 1, "one frame"
        for _ in range(300 * self.slow):
            if len(self.frames) > done:
                return self.frames[-1]
            await RisingEdge(dut.clk_i)
        raise AssertionError("the frame does not end")

    async def do(self, row):
        dut, what, args = self.dut, row[0], row[1:]
        if what in ("push", "push_error", "push_part", "push_rest"):
            channel, size, seed = map(int, args)
            last, error = what != "push_part", what == "push_error"
            self.push(channel, size, seed, last, error, what == "push_rest")
        elif what == "pause":
            dut.local_pause_i.value = int(args[0], 16)
        elif what == "peer":
            dut.remote_ready_i.value = int(args[0])
            dut.remote_pause_i.value = int(args[1], 16)
        elif what == "link":
            dut.rx_ready_i.value = int(args[0])
        elif what == "opcode":
            dut.s_opcode_tdata.value = int.from_bytes(bytes.fromhex(args[0]), "little")
            dut.s_opcode_tvalid.value = 1
            await RisingEdge(dut.clk_i)
            while dut.s_opcode_tready.value != 1:
                await RisingEdge(dut.clk_i)
            dut.s_opcode_tvalid.value = 0
        elif what == "user":
            dut.user_data_i.value = int.from_bytes(bytes.fromhex(args[0]), "little")
        elif what == "disabled":
            dut.tx_disable_i.value = int(args[0])
        elif what == "ignore_flow":
            dut.ignore_remote_i.value = int(args[0])
        elif what == "timer":
            self.interval += 1  # a new interval is told by a header, as is its end
            dut.null_interval_i.value = self.interval
        elif what == "cut":
            await cycles(dut.clk_i, 4 * self.slow)
            channel, size = map(int, args)
            self.given[channel] = self.given[channel][size:]
        elif what != "stall":
            raise AssertionError(f"unknown row {row}")


@cocotb.test()
async def transmitter(dut):
    start_clock(dut.clk_i, 1000)
    for name in TRANSMITTERS:
        bench = Transmitter(dut)
        table = rows(name)
        head = {row[0]: row[1] for row in table[:4]}
        await bench.start(int(head["burst"]))
        number = 0
        for at, row in enumerate(table[4:]):
            if row[0] != "frame":
                await bench.do(row)
                continue
            came, want = await bench.frame(), bytes.fromhex(row[1])
            where = f"{name}, row {at}: {came[:64].hex()} instead of {row[1]}"
            assert came[15] == number, where
            # Number and sum as the vectors have them, unless a header more was sent.
            assert came[:15] + came[16:30] + came[32:64] == want[:15] + want[16:30] + want[32:], (
                where
            )
            total = sum(came[:30]) + sum(came[32:64])
            assert int.from_bytes(came[30:32], "little") == 0xFFFF - total, where
            if number == want[15]:
                assert came[:64] == want, where
            number = number + 1 & 255
            if len(row) == 2:
                assert len(came) == 64, where
                continue
            size, footer, channel = int(row[2]), bytes.fromhex(row[3]), want[18]
            if footer[1] == 3 and not want[19] and size == 0:
                assert came[-5] == 3 and not came[19], where  # the end of a packet that was cut
                continue
            content = bench.given[channel][:size]
            bench.given[channel] = bench.given[channel][size:]
            assert came[64:-6] == content.ljust(-(-size // WORD) * WORD, b"\0"), where
            assert came[-6:] == footer, f"{where}: {came[-6:].hex()} {row[3]}"
        dut._log.info("%s: %d frames equal", name, number)
        await bench.stop()


@cocotb.test()
async def pause_withdrawn(dut):
    """A pause that begins and ends inside a burst stands in its footer, and is withdrawn at once: long before the timer."""
    start_clock(dut.clk_i, 1000)
    bench = Transmitter(dut)
    await bench.start(128 * WORD)
    random, slow = rng("withdrawn"), bench.slow
    dut.rx_ready_i.value = dut.remote_ready_i.value = dut.phy_ready_i.value = 1
    # The timer begins with its interval; what is told behind the reset is told by now.
    await cycles(dut.clk_i, 40 * slow)
    for _ in range(8):
        bench.frames.clear()
        paused = random.randrange(1, 1 << 16)
        bench.push(random.randrange(bench.channels), 40 * WORD, 0)
        while len(bench.line) < random.randrange(2, 20) * WORD:
            await RisingEdge(dut.clk_i)
        dut.local_pause_i.value = paused
        await cycles(dut.clk_i, random.randrange(1, 10) * slow)
        dut.local_pause_i.value = 0
        await cycles(dut.clk_i, 60 * slow)
        burst, *alone = bench.frames
        assert burst[16:18] == bytes(2), "the pause began behind the header"
        assert int.from_bytes(burst[-4:-2], "little") == paused
        # The last header says what is true.
        assert alone and alone[-1][16:18] == bytes(2) and len(alone[-1]) == WORD
        # Of a pause that stays, and has been told, nothing more is said behind a burst.
        dut.local_pause_i.value = paused
        await cycles(dut.clk_i, 40 * slow)
        bench.frames.clear()
        bench.push(random.randrange(bench.channels), 20 * WORD, 0)
        await cycles(dut.clk_i, 60 * slow)
        assert [int.from_bytes(frame[16:18], "little") for frame in bench.frames] == [paused]
        dut.local_pause_i.value = 0
        await cycles(dut.clk_i, 40 * slow)
    await bench.stop()


@cocotb.test()
async def link_lost_in_any_channels(dut):
    """Every channel of which a part was sent is cut, once, and no other one; its next packet begins anew."""
    start_clock(dut.clk_i, 1000)
    random = rng("lost")
    bench = Transmitter(dut)
    await bench.start(2 * WORD)
    dut.phy_ready_i.value = 1
    for turn in range(6):
        dut.remote_ready_i.value = 1
        await cycles(dut.clk_i, 20 * bench.slow)
        channels = range(bench.channels)
        opened = [c for c in channels if turn == 0 or random.random() < 0.5]
        for channel in channels:
            bench.push(channel, 3 * WORD, channel, last=channel not in opened)
        await cycles(dut.clk_i, 20 * bench.channels * bench.slow)
        cuts = bench.cuts
        dut.remote_ready_i.value = 0
        await cycles(dut.clk_i, 10 * bench.slow)
        assert bench.cuts - cuts == len(opened)
        # What a user still has of its packet is for nobody.
        for channel in opened:
            bench.push(channel, 3 * WORD, channel)
        await cycles(dut.clk_i, 20 * bench.channels * bench.slow)
        bench.frames.clear()
    await bench.stop()


@cocotb.test()
async def every_channel_by_itself(dut):
    """Each channel sends what it was given under its number. One that the peer has paused waits, and no other one does."""
    start_clock(dut.clk_i, 1000)
    bench = Transmitter(dut)
    await bench.start(128 * WORD)
    dut.rx_ready_i.value = dut.remote_ready_i.value = dut.phy_ready_i.value = 1
    everybody = (1 << bench.channels) - 1
    others = set(range(bench.channels))

    async def sent(words):
        """The channels that have sent, each exactly what it was given."""
        await cycles(dut.clk_i, 20 * words * bench.slow)
        frames = {frame[18]: frame for frame in bench.frames if len(frame) > WORD}
        assert len(frames) == sum(len(frame) > WORD for frame in bench.frames)
        bench.frames.clear()
        for channel, frame in frames.items():
            content, bench.given[channel] = bench.given[channel], b""
            assert frame[64:-6] == content.ljust(-(-len(content) // WORD) * WORD, b"\0")
        return set(frames)

    for channel in others:
        for free, wanted in ((1 << channel, {channel}), (everybody, others - {channel})):
            dut.remote_pause_i.value = everybody & ~free
            await cycles(dut.clk_i, 4 * bench.slow)
            if wanted == {channel}:
                for c in others:
                    bench.push(c, 1 + (7 * c + 31 * channel) % (2 * WORD), c ^ channel)
            assert await sent(2 * len(wanted)) == wanted
    await bench.stop()


@cocotb.test()
async def header_interval(dut):
    """A header goes out as soon as the interval changes, whichever bit of it, and one for each interval from then on."""
    start_clock(dut.clk_i, 1000)
    bench = Transmitter(dut)
    await bench.start(128 * WORD)
    dut.phy_ready_i.value = 1
    for bit in range(4, 32):
        interval, at = 1 << bit, []
        dut.null_interval_i.value = interval
        wait = interval + 20 if bit < 12 else 300
        for cycle in range(wait):
            await RisingEdge(dut.clk_i)
            if dut.null_o.value == 1:
                at.append(cycle)
        assert at[0] < 10, f"{at} of {interval}"
        due = range(at[0], wait, interval + 2)
        assert at == list(due), f"{at} of {interval}"
    await bench.stop()


@cocotb.test()
async def any_fields(dut):
    """Every bit of addresses, EtherType, user data and op-codes is in the next header as it was given."""
    start_clock(dut.clk_i, 1000)
    random = rng("fields")
    for number in range(40):
        if number % 4 == 0:
            bench = Transmitter(dut)
            local, ethertype = random.randbytes(6), random.randbytes(2)
            await bench.start(128 * WORD, local, ethertype)
            dut.rx_ready_i.value = dut.remote_ready_i.value = 1
        remote, user, code = map(random.randbytes, (6, 16, 16))
        dut.remote_mac_i.value = int.from_bytes(remote, "little")
        await bench.do(("user", user.hex()))
        await bench.do(("opcode", code.hex()))
        # The next one waits until this one is in a header.
        await RisingEdge(dut.clk_i)
        assert dut.s_opcode_tready.value == 0
        bench.push(random.randrange(bench.channels), WORD, number)
        came = await bench.frame()
        assert came[:14] == remote + local + ethertype, number
        assert (came[20], came[32:48], came[48:64]) == (1, code, user), number
        assert int.from_bytes(came[30:32], "little") == 0xFFFF - sum(came[:30]) - sum(came[32:64])
        if number % 4 == 3:
            await bench.stop()


EVENTS = {
    "rx_foreign": "foreign", "rx_version": "version", "rx_checksum": "checksum", "rx_damaged": "damaged",
    "rx_footer_bad": "malformed", "rx_channel": "unknown_channel", "rx_lost": "lost", "rx_stale": "stale",
}  # fmt: skip


TIME = 10  # microseconds of the vectors in a cycle


class Receiver:
    """htsp_core in its htsp_end, fed with frames."""

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.channels = params()["Channels"]
        self.beat = params()["Bytes"]

    async def start(self):
        dut = self.dut
        for name in (
            "user_data_i", "s_opcode_tdata", "s_opcode_tvalid", "s_axis_tvalid", "s_axis_tdata", "s_axis_tkeep",
            "s_axis_tlast", "s_axis_tuser", "ignore_remote_i", "tx_disable_i", "stall_limit_i", "phy_tx_ready_i",
            "s_phy_axis_tvalid", "m_phy_axis_tready",
        ):  # fmt: skip
            getattr(dut, name).value = 0
        dut.local_mac_i.value = int.from_bytes(bytes.fromhex("02000000000b"), "little")
        dut.broadcast_mac_i.value = (1 << 48) - 1
        dut.ethertype_i.value = 0x1101
        dut.null_interval_i.value = 127
        dut.alive_i.value = 85000 // TIME
        dut.burst_i.value = 128
        dut.pause_level_i.value = 200
        dut.resume_level_i.value = 100
        dut.phy_rx_ready_i.value = 1
        dut.m_axis_tready.value = (1 << self.channels) - 1
        await reset(dut.clk_i, dut.rst_i)
        self.part = [b""] * self.channels
        self.packets, self.codes, self.events = [[] for _ in range(self.channels)], [], {}
        self.ups, self.downs, self.was_up = 0, 0, 0
        self.sizes = []  # of good frames as the receiver tells them
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            valid = int(dut.m_axis_tvalid.value) & int(dut.m_axis_tready.value)
            for c in range(self.channels):
                if valid >> c & 1:
                    size = field(dut.m_axis_tkeep, c, self.beat).bit_count()
                    data = field(dut.m_axis_tdata, c, 8 * self.beat)
                    self.part[c] += data.to_bytes(self.beat, "little")[:size]
                    if int(dut.m_axis_tlast.value) >> c & 1:
                        error = int(dut.m_axis_tuser.value) >> c & 1
                        self.packets[c].append(None if error else self.part[c])
                        self.part[c] = b""
            if dut.m_opcode_tvalid.value == 1:
                self.codes.append(int(dut.m_opcode_tdata.value).to_bytes(16, "little"))
            if dut.rx_frame_o.value == 1:
                self.sizes.append(int(dut.rx_frame_bytes_o.value))
            for name in (*EVENTS, "rx_orphan", "rx_frame", "rx_null"):
                count = int(getattr(dut, f"{name}_o").value)
                self.events[name] = self.events.get(name, 0) + count
            up = int(dut.link_up_o.value)
            self.ups += up and not self.was_up
            self.downs += self.was_up and not up
            self.was_up = up

    def check_state(self, up, ready, pause, remote, user, **unused):
        """What the receiver knows of link and peer."""
        dut = self.dut
        assert (dut.link_up_o.value, dut.remote_ready_o.value) == (up, ready)
        assert int(dut.remote_pause_o.value) == pause
        assert int(dut.remote_mac_o.value).to_bytes(6, "little") == remote
        assert int(dut.remote_data_o.value).to_bytes(16, "little") == user

    async def frame(self, data, damaged=False):
        """A frame as the MAC delivers it, now and then with gaps."""
        dut = self.dut
        for at in range(0, len(data), self.beat):
            word = data[at : at + self.beat]
            last = at + self.beat >= len(data)
            dut.s_phy_axis_tdata.value = int.from_bytes(word, "little")
            dut.s_phy_axis_tkeep.value = (1 << len(word)) - 1
            dut.s_phy_axis_tlast.value = int(last)
            dut.s_phy_axis_tuser.value = int(last and damaged)
            dut.s_phy_axis_tvalid.value = 1
            await RisingEdge(dut.clk_i)
            dut.s_phy_axis_tvalid.value = 0
            dut.s_phy_axis_tdata.value = self.random.getrandbits(8 * self.beat)
            while self.random.random() < self.gaps:
                await RisingEdge(dut.clk_i)


PEER = bytes.fromhex("02000000000a")


def receiver_cases():
    """Names and rows of the cases of rx.txt."""
    cases = []
    for row in rows("rx"):
        if row[0] == "case":
            cases.append((row[1], []))
        elif cases:
            cases[-1][1].append(row)
    return cases


@cocotb.test()
async def receiver(dut):
    """Every case, with frames that follow each other at once, and with gaps anywhere."""
    start_clock(dut.clk_i, 1000)
    for gaps in (0.0, 0.3):
        for name, table in receiver_cases():
            bench = Receiver(dut, name)
            bench.gaps = gaps
            await bench.start()
            counts, codes, came = {}, [], []
            state = {"ready": 0, "pause": 0xFFFF, "remote": bytes(6), "user": bytes(16)}
            state["up"] = 0
            packets, parts = [[] for _ in range(bench.channels)], [b""] * bench.channels
            for row in table:
                if row[0] == "rx":
                    came.append(bytes.fromhex(row[2]))
                    await bench.frame(came[-1], int(row[1]))
                elif row[0] == "wait":
                    # A header takes cycles for its beats, gaps and judging, which the model does
                    # not have.
                    await cycles(dut.clk_i, max(60, int(row[1]) // TIME - 40))
                elif row[0] == "phy":
                    await cycles(dut.clk_i, 4)
                    dut.phy_rx_ready_i.value = int(row[1])
                    await cycles(dut.clk_i, 2)
                elif row[0] == "count":
                    counts[row[1]] = int(row[2])
                elif row[0] == "opcode":
                    codes.append(bytes.fromhex(row[1]))
                elif row[0] in ("up", "down"):
                    state |= {"up": int(row[0] == "up"), "ready": 0, "pause": 0xFFFF}
                elif row[0] == "ready":
                    state["ready"] = int(row[1])
                elif row[0] == "pause":
                    state["pause"] = int(row[1], 16)
                # An address that the model forgets stays in the register as the last one.
                elif row[0] in ("remote", "user") and row[1] != "-":
                    state[row[0]] = bytes.fromhex(row[1])
                elif row[0] == "data":
                    channel, _, end, error = map(int, row[1:5])
                    parts[channel] += bytes.fromhex(row[5].replace("-", ""))
                    if end:
                        packets[channel].append(None if error else parts[channel])
                        parts[channel] = b""
            await cycles(dut.clk_i, 250)
            where = f"{name}, gaps {gaps}"
            assert bench.packets == packets, where
            assert bench.codes == codes, where
            assert bench.ups == counts.get("ups", 0), where
            for event, counter in EVENTS.items():
                assert bench.events[event] == counts.get(counter, 0), f"{where}: {counter}"
            orphans = sum(count for key, count in counts.items() if key.startswith("orphans"))
            assert bench.events["rx_orphan"] == orphans, where
            good = bench.events["rx_frame"] + bench.events["rx_null"]
            assert good == counts.get("good", 0), where
            if good == len(came):
                sizes = [int.from_bytes(f[-2:], "little") for f in came if len(f) > WORD]
                assert bench.sizes == sizes, where
                bench.check_state(**state)
            bench.task.cancel()


def header(
    bench, number, channel=255, start=0, ready=1, pause=0, source=PEER, code=None, user=bytes(16)
):
    """A header for the receiver; with its op-code, if it has one."""
    head = bytearray(int(bench.dut.local_mac_i.value).to_bytes(6, "little"))
    head += source + b"\x01\x11\x01" + bytes([number]) + pause.to_bytes(2, "little")
    head += bytes([channel, start, int(code is not None), ready]) + bytes(10)
    head += (code or bytes(16)) + user
    head[30:32] = (0xFFFF - sum(head)).to_bytes(2, "little")
    return bytes(head)


def data_frame(bench, channel, content, number, size=None, pause=0, flags=1, start=1, **fields):
    """A frame with one whole packet, unless flags and start say otherwise; its footer tells another size if one is given, and
    a pause of its own."""
    size = len(content) if size is None else size
    footer = bytes([(size - 1) % WORD + 1, flags]) + pause.to_bytes(2, "little")
    footer += size.to_bytes(2, "little")
    padded = content.ljust(-(-len(content) // WORD) * WORD, b"\0")
    return header(bench, number, channel, start, **fields) + padded + footer


@cocotb.test()
async def any_headers(dut):
    """What a good frame says holds, every bit of it, and is counted; its last word on pauses is in the footer, if it has one."""
    start_clock(dut.clk_i, 1000)
    bench = Receiver(dut, "headers")
    bench.gaps = 0.0
    await bench.start()
    random, codes, sizes, alone = bench.random, [], [], 0
    for number in range(60):
        fields = {
            "source": random.randbytes(6),
            "user": random.randbytes(16),
            "ready": random.randrange(2),
        }
        code, pause = random.choice((None, random.randbytes(16))), random.randrange(1 << 16)
        codes += [code] if code else []
        if random.random() < 0.5:
            frame = header(bench, number, pause=pause, code=code, **fields)
            alone += 1
        else:
            sizes.append(random.randint(1, 4 * WORD))
            content, channel = random.randbytes(sizes[-1]), random.randrange(bench.channels)
            frame = data_frame(bench, channel, content, number, pause=pause, code=code, **fields)
        await bench.frame(frame)
        await cycles(dut.clk_i, 8 * WORD // bench.beat)
        bench.check_state(1, fields["ready"], pause, fields["source"], fields["user"])
        if len(frame) > WORD:
            await cycles(dut.clk_i, 8 * WORD // bench.beat)
            assert bench.packets[channel].pop() == content
    assert (bench.codes, bench.sizes, bench.events["rx_null"]) == (codes, sizes, alone)
    assert not any(bench.events[event] for event in EVENTS)
    bench.task.cancel()


@cocotb.test()
async def any_numbers(dut):
    """A number up to 127 ahead is a gap of that many frames, one further ahead a repetition, which brings no payload."""
    start_clock(dut.clk_i, 1000)
    bench = Receiver(dut, "numbers")
    bench.gaps = 0.0
    await bench.start()
    random, awaited, lost, stale, packets = bench.random, None, 0, 0, []
    dut.alive_i.value = 1 << 20
    for _ in range(200):
        number, alone = random.randrange(256), random.random() < 0.5
        if random.random() < 0.5 and awaited is not None:
            number = awaited + random.choice((0, 1, 127, 128, 255)) & 255
        gap = number - (number if awaited is None else awaited) & 255
        content = random.randbytes(random.randint(1, WORD))
        await bench.frame(header(bench, number) if alone else data_frame(bench, 1, content, number))
        lost, stale = lost + gap * (gap < 128), stale + (gap >= 128)
        packets += [content] if gap < 128 and not alone else []
        if gap < 128 or alone:
            awaited = number + 1 & 255
        # The next one follows at once, or when all of this one is known.
        if random.random() < 0.5:
            await cycles(dut.clk_i, 12 * WORD // bench.beat)
            told = bench.events["rx_lost"], bench.events["rx_stale"]
            assert told == (lost, stale), (number, gap)
            assert bench.packets[1] == packets
    bench.task.cancel()


@cocotb.test()
async def link_lost_inside_a_packet(dut):
    """The alive time runs out at any cycle around the second burst of a packet: with the link the packet ends in error, and what
    still comes of it is an orphan."""
    start_clock(dut.clk_i, 1000)
    bench = Receiver(dut, "inside")
    bench.gaps = 0.0
    await bench.start()
    slow, random, outcomes = WORD // bench.beat, bench.random, set()
    alive = 60 * slow
    dut.alive_i.value = alive
    for wait in range(alive - 20 * slow, alive + 20):
        first, second = (random.randbytes(2 * WORD) for _ in range(2))
        downs, orphans = bench.downs, bench.events.get("rx_orphan", 0)
        await bench.frame(data_frame(bench, 1, first, 0, flags=0))
        await cycles(dut.clk_i, wait)
        await bench.frame(data_frame(bench, 1, second, 1, start=0))
        await cycles(dut.clk_i, 10 * slow)
        lost, orphans = bench.downs - downs, bench.events["rx_orphan"] - orphans
        outcome = lost, len(bench.packets[1]), orphans
        assert bench.packets[1].pop() == (None if lost else first + second), wait
        assert outcome in ((0, 1, 0), (1, 1, 1), (1, 1, 0)), wait
        outcomes.add(outcome)
        await cycles(dut.clk_i, alive)
    assert {(0, 1, 0), (1, 1, 1)} <= outcomes
    bench.task.cancel()


@cocotb.test()
async def too_long_a_frame(dut):
    """More words than the counter of words can hold are not taken for the few that a footer tells."""
    start_clock(dut.clk_i, 1000)
    bench = Receiver(dut, "long")
    bench.gaps = 0.0
    await bench.start()
    longest = 1023
    for number, (words, told) in enumerate([(longest, longest), (1024, 0), (2050, 2)]):
        content = bench.random.randbytes(words * WORD)
        await bench.frame(data_frame(bench, 1, content, number, told * WORD), 0)
        await cycles(dut.clk_i, 400)
        is_good = words == told
        assert bench.packets[1].pop() == (content if is_good else None), words
        assert bench.events["rx_footer_bad"] == number, words
    bench.task.cancel()


@cocotb.test()
async def pause_by_level(dut):
    """A channel that nobody reads asks for a pause at its level, and for no other one."""
    start_clock(dut.clk_i, 1000)
    bench = Receiver(dut, "pause")
    bench.gaps = 0.0
    await bench.start()
    # The words of a frame; what has left the memory but not the core; when the request is seen.
    size, beyond, pause, resume, number = 20, 4, 200, 100, 0
    for channel in range(bench.channels):
        given = 0
        dut.m_axis_tready.value = ((1 << bench.channels) - 1) & ~(1 << channel)
        while given < pause + size:
            content = bench.random.randbytes(size * WORD)
            await bench.frame(data_frame(bench, channel, content, number), 0)
            given, number = given + size, number + 1
            await cycles(dut.clk_i, 8 * WORD // bench.beat)
            asked = int(dut.local_pause_o.value)
            if given < pause or given >= pause + beyond:
                assert asked == (given >= pause) << channel, given
        dut.m_axis_tready.value = (1 << bench.channels) - 1
        while dut.local_pause_o.value != 0:
            assert int(dut.local_pause_o.value) == 1 << channel
            await RisingEdge(dut.clk_i)
        got = sum(map(len, bench.packets[channel])) + len(bench.part[channel])
        assert abs(given - got // WORD - resume) <= beyond
        await cycles(dut.clk_i, 150 * WORD // bench.beat)
    assert not any(bench.events[event] for event in EVENTS)
    bench.task.cancel()


@pytest.mark.parametrize("width", [64, 16])
def test_htsp_tx_vectors(width):
    assert len(TRANSMITTERS) > 20
    sources = [*rtl("prim", "axis", "htsp"), HERE / "htsp_tx_bench.sv"]
    parameters = {"Channels": 16, "Bytes": width}
    build_and_run(
        "htsp_tx_bench",
        sources,
        parameters,
        __name__,
        testcase=[
            "transmitter",
            "pause_withdrawn",
            "link_lost_in_any_channels",
            "any_fields",
            "header_interval",
            "every_channel_by_itself",
        ],
    )


@pytest.mark.parametrize("width", [64, 16])
def test_htsp_rx_vectors(width):
    parameters = {"Channels": 4, "Bytes": width, "RxDepth": 256}
    build_and_run(
        "htsp_end",
        [*rtl("prim", "axis", "htsp"), HERE / "htsp_end.sv"],
        parameters,
        __name__,
        testcase=[
            "receiver",
            "any_headers",
            "link_lost_inside_a_packet",
            "any_numbers",
            "too_long_a_frame",
            "pause_by_level",
        ],
    )
