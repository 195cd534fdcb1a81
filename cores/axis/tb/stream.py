# SPDX-License-Identifier: Apache-2.0
"""Driving, taking and checking AXI-Stream beat by beat.

cocotbext-axi sends and receives frames. These classes add what it cannot do: null last beats, junk
in the bytes outside TKEEP, sinks that wait for TVALID, and a check of every rule of a stream in every
cycle. A beat is a tuple (data, keep, last) of integers.
"""

import cocotb
from cocotb.triggers import RisingEdge


def beats_of(payload, width, null_tail=False):
    """Cut the bytes of a packet into beats of `width` bytes; with null_tail the end comes alone."""
    chunks = [payload[i : i + width] for i in range(0, len(payload), width)]
    if null_tail or not chunks:
        assert len(payload) % width == 0, "a null last beat follows full beats only"
        chunks.append(b"")
    last = len(chunks) - 1
    return [
        (int.from_bytes(chunk, "little"), (1 << len(chunk)) - 1, int(i == last))
        for i, chunk in enumerate(chunks)
    ]


def junk_outside(beat, width, random):
    """The same beat with random bytes outside TKEEP."""
    data, keep, last = beat
    used = 8 * keep.bit_count()
    return (data | random.getrandbits(8 * width) >> used << used, keep, last)


class Port:
    """The five signals of a stream by prefix."""

    def __init__(self, dut, prefix):
        for name in ("tdata", "tkeep", "tlast", "tvalid", "tready"):
            setattr(self, name, getattr(dut, f"{prefix}_{name}"))
        self.width = len(self.tkeep)

    def put(self, beat):
        self.tdata.value, self.tkeep.value, self.tlast.value = beat

    def get(self):
        return int(self.tdata.value), int(self.tkeep.value), int(self.tlast.value)


class Rules:
    """Checks one stream in every cycle, as long as the reset is low.

    * an offered beat stays, unchanged, until it is taken
    * TKEEP is contiguous from lane 0, and all ones unless TLAST
    * bytes outside TKEEP are zero (if zeros is set)

    beats: what was taken, in order.  stalled: cycles with TVALID and without TREADY.
    """

    def __init__(self, clk, rst, port, name, zeros=True):
        self.clk, self.rst, self.port, self.name, self.zeros = clk, rst, port, name, zeros
        self.beats, self.stalled, self.cycle = [], 0, 0
        self.taken_at = []
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        full = (1 << self.port.width) - 1
        pending = None
        while True:
            await RisingEdge(self.clk)
            self.cycle += 1
            if self.rst.value != 0:
                pending = None
                continue
            if self.port.tvalid.value == 0:
                assert pending is None, f"{self.name}: TVALID fell before TREADY"
                continue
            beat = self.port.get()
            data, keep, last = beat
            assert pending in (None, beat), f"{self.name}: beat changed from {pending} to {beat}"
            assert keep & (keep + 1) == 0, f"{self.name}: TKEEP {keep:b} not contiguous"
            assert last or keep == full, f"{self.name}: TKEEP {keep:b} without TLAST"
            if self.zeros:
                assert data >> 8 * keep.bit_count() == 0, f"{self.name}: bytes outside TKEEP"
            if self.port.tready.value == 1:
                self.beats.append(beat)
                self.taken_at.append(self.cycle)
                pending = None
            else:
                self.stalled += 1
                pending = beat

    def packets(self):
        """The bytes of every finished packet."""
        done, open_packet = [], b""
        for data, keep, last in self.beats:
            size = keep.bit_count()
            open_packet += data.to_bytes(self.port.width, "little")[:size]
            if last:
                done.append(open_packet)
                open_packet = b""
        return done


class BeatSource:
    """Offers beats from a queue; `rate` is the chance of offering one when none is pending."""

    def __init__(self, clk, rst, port, random, rate=1.0):
        self.clk, self.rst, self.port, self.random, self.rate = clk, rst, port, random, rate
        self.queue, self.busy = [], False
        port.tvalid.value = 0
        port.put((0, 0, 0))
        self.task = cocotb.start_soon(self._run())

    def idle(self):
        return not self.queue and not self.busy

    async def _run(self):
        width = self.port.width
        while True:
            await RisingEdge(self.clk)
            taken = self.port.tvalid.value == 1 and self.port.tready.value == 1
            if taken or self.rst.value != 0:
                self.busy = False
            if self.busy:
                continue
            if self.rst.value == 0 and self.queue and self.random.random() < self.rate:
                self.busy = True
                self.port.put(junk_outside(self.queue.pop(0), width, self.random))
                self.port.tvalid.value = 1
            else:
                # Junk, so that a design that looks at it without TVALID is caught.
                self.port.tvalid.value = 0
                lanes = self.random.getrandbits(width)
                self.port.put((self.random.getrandbits(8 * width), lanes, lanes & 1))


class BeatSink:
    """Drives TREADY: at random with `rate`, or only after TVALID was seen if `patient` is set."""

    def __init__(self, clk, port, random, rate=1.0):
        self.clk, self.port, self.random, self.rate = clk, port, random, rate
        self.patient = False
        port.tready.value = 0
        self.task = cocotb.start_soon(self._run())

    async def _run(self):
        while True:
            await RisingEdge(self.clk)
            ready = self.random.random() < self.rate
            if self.patient:
                waits = self.port.tvalid.value == 1 and self.port.tready.value == 0
                ready = ready and waits
            self.port.tready.value = int(ready)
