# SPDX-License-Identifier: Apache-2.0
"""Reference model of bonded lanes: which lane carries which bytes, and how to read them off the wire."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """Shape of a link; widths in bits."""

    lanes: int
    frame_width: int
    user_width: int

    @property
    def group_lanes(self):
        """Lanes that share a segment."""
        return self.user_width // self.frame_width

    @property
    def groups(self):
        """Groups that take segments in turn."""
        return self.lanes // self.group_lanes

    @property
    def frame_bytes(self):
        """Payload of a frame."""
        return self.frame_width // 8 - 2

    @property
    def segment_bytes(self):
        """Payload of a segment."""
        return self.group_lanes * self.frame_bytes

    @property
    def beat_bytes(self):
        """Bytes of a beat of the user."""
        return self.user_width // 8


def deal(link, packets):
    """For each group its segments, each a list with one entry per lane of the group, lowest lane first.

    An entry is (bytes, end of packet), or None for a lane that the segment does not need. `packets` are all
    packets since the reset.
    """
    dealt = [[] for _ in range(link.groups)]
    turn = 0
    for packet in packets:
        for start in range(0, len(packet), link.segment_bytes):
            left = packet[start : start + link.segment_bytes]
            frames = []
            while left:
                frames.append((left[: link.frame_bytes], False))
                left = left[link.frame_bytes :]
            if start + link.segment_bytes >= len(packet):
                frames[-1] = (frames[-1][0], True)
            frames += [None] * (link.group_lanes - len(frames))
            dealt[turn].append(frames[::-1])  # the highest lane is the first
            turn = (turn + 1) % link.groups
    return dealt


def frames_of(words, frame_width):
    """What each frame carries, from the 64-bit words of a lane: (bytes, end of packet), or None without user data.

    The first word has to be the first of a frame; the first frame only sets the descrambler up.
    """
    count = frame_width // 64
    size = frame_width // 8 - 2
    result = []
    history = None
    for start in range(0, len(words) - count + 1, count):
        frame = 0
        for word in words[start : start + count]:
            frame = frame << 64 | word
        sync, body = frame >> frame_width - 2, frame >> 12 & (1 << frame_width - 14) - 1
        assert sync in (1, 2), f"sync bits {sync} in frame {start // count}"
        if history is not None:
            line = history << frame_width - 14 | body
            clear = (line ^ line >> 13 ^ line >> 33) & (1 << frame_width - 14) - 1
            meta, payload = clear >> frame_width - 16, clear & (1 << 8 * size) - 1
            if sync == 2 or meta == 0:
                result.append(None)
            else:
                length = size if meta & 1 else payload & 0xFF
                result.append((payload.to_bytes(size, "big")[:length], meta >= 2))
        history = body & (1 << 33) - 1
    return result
