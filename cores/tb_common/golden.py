# SPDX-License-Identifier: Apache-2.0
"""Frames of RIFL as the published core sent them; golden/README.md describes them."""

from dataclasses import dataclass

from tb_common.build import ROOT

WIDTH = 256  # bits of a frame
BODY = 242  # bits of its body, which hold the meta code and
PAYLOAD = 30  # bytes
STATE = 33
CODE = 12


@dataclass(frozen=True)
class Row:
    """One frame as the published transmitter sent it."""

    kind: str
    frame_id: int
    state: int  # scrambler state before the frame, newest bit in bit 0
    body: int  # meta code and payload, or key and zeros
    wire: int

    @property
    def control(self):
        return self.wire >> BODY + CODE == 2

    @property
    def meta(self):
        return self.body >> BODY - 2

    @property
    def scrambled(self):
        """The body on the wire."""
        return self.wire >> CODE & (1 << BODY) - 1

    @property
    def state_behind(self):
        """Scrambler state behind the frame: the bits that were sent last."""
        return self.scrambled & (1 << STATE) - 1


def rows(id_width):
    """All frames of the sender whose ids have 6 or 8 bits."""
    text = (ROOT / "golden" / "rifl" / f"frames_id{id_width}.txt").read_text()
    result = []
    for line in text.splitlines():
        if not line.startswith("#"):
            kind, frame_id, state, body, wire = line.split(" ")
            body = body.ljust(-(-BODY // 4), "0")
            result.append(Row(kind, *(int(word, 16) for word in (frame_id, state, body, wire))))
    return result
