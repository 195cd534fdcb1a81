# SPDX-License-Identifier: Apache-2.0
"""Packets that carry their number: what was delivered, what was cut (TLAST with TUSER), and what is missing."""

from cocotbext.axi import AxiStreamFrame


class Scoreboard:
    """One direction of a link whose sessions may end. Missing packets are allowed only where one has."""

    source = sink = rng = None  # stream endpoints, and where lengths and bytes come from

    def __init__(self):
        self.sent = []  # all packets handed to the source
        self.next = 0  # number of the packet that is expected at the earliest
        self.delivered = self.aborted = 0
        self.torn = False  # something wrong was the last to come out, and that was allowed

    def may_lose(self):
        """A session has ended since the start."""
        return False

    def may_tear(self):
        """What comes out may be wrong: a gap or an error went unnoticed. Asked once for each."""
        return False

    def send(self, count, size=300):
        for _ in range(count):
            number = len(self.sent).to_bytes(4, "little")
            packet = number + self.rng.randbytes(self.rng.randint(0, size))
            self.sent.append(packet)
            self.source.send_nowait(AxiStreamFrame(packet))

    async def judge(self):
        """Everything that comes out is a packet in order, or the beginning of one, marked as cut."""
        while True:
            got = await self.sink.recv(compact=False)
            keep = got.tkeep if got.tkeep is not None else [1] * len(got.tdata)
            data = bytes(b for b, k in zip(got.tdata, keep, strict=True) if k)
            user = got.tuser if isinstance(got.tuser, list) else [got.tuser] * len(got.tdata)
            marked = [bool(u) for u, k in zip(user, keep, strict=True) if k]
            if any(marked):
                assert marked == [False] * (len(data) - 1) + [True], "only the last beat is marked"
                data = data[:-1]
                if len(data) >= 4:
                    number = int.from_bytes(data[:4], "little")
                    assert number >= self.next and self.sent[number].startswith(data)
                    assert len(data) <= len(self.sent[number])
                    self.next = number + 1
                self.aborted += 1
                continue
            number = int.from_bytes(data[:4], "little")
            if number >= len(self.sent) or data != self.sent[number]:
                assert self.torn or self.may_tear(), "corrupted or joined"
                self.torn = True
                continue
            assert number >= self.next, f"packet {number} again or stale, expected {self.next}"
            assert number == self.next or self.torn or self.may_lose(), "lost without a report"
            self.next, self.torn = number + 1, False
            self.delivered += 1
