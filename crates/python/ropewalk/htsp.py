# SPDX-License-Identifier: Apache-2.0
"""A receiver of an HTSP link for data takers: batches as NumPy arrays, and what is missing.

Times are seconds. `ropewalk.Htsp` is an end that sends as well.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._limit import Limit
from ._native import HtspReceiver

__all__ = ["Batch", "Missing", "Reason", "Receiver"]

_Row = tuple[int, int, int | None, str, int]


class Reason(enum.StrEnum):
    """Why bytes are missing, as far as this end of a link can know it."""

    FRAMES_LOST = "frames_lost"
    """Numbers of frames are missing: they were dropped on their way."""
    FRAMES_DAMAGED = "frames_damaged"
    """Numbers of frames are missing, and as many frames came damaged."""
    FRAME_STALE = "frame_stale"
    """A frame with an earlier number was discarded: repeated, overtaken, or 128 are missing."""
    LINK_SILENT = "link_silent"
    """No good frame came for the alive time."""
    LINE_DOWN = "line_down"
    """The line went down."""
    FAR_END_RESET = "far_end_reset"
    """The far end has lost its link or has started anew: it drops what it had begun to send."""
    ABORTED = "aborted"
    """The far end ended the user frame in error."""
    UNFINISHED = "unfinished"
    """The rest of a user frame has not come, and the next one began."""
    NO_START = "no_start"
    """A fragment without start of packet was discarded: all of it had come."""
    BUFFER_OVERFLOW = "buffer_overflow"
    """The buffer of the channel in this process was full."""
    RING_OVERFLOW = "ring_overflow"
    """The ring between kernel and process was full."""
    STARTED = "started"
    """Nothing received here before."""
    RESTARTED = "restarted"
    """The receiver before this one has ended: nobody received in between."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A place in the stream of a channel where something is missing, or may be."""

    channel: int
    offset: int
    """Position: bytes of the channel that were handed over before."""
    length: int | None
    """Bytes; None where nobody at this end can know, 0 included."""
    reason: Reason
    frames: int
    """Frames of the link that are missing by their numbers, of whatever channels, modulo 256."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Bytes of a channel that followed each other without a gap."""

    channel: int
    offset: int
    """Position of the first byte: bytes of the channel that were handed over before."""
    data: np.ndarray[Any, np.dtype[np.uint8]]
    """The bytes, read-only, in the memory in which they came. Empty if only something is missing."""
    begins: bool
    """The first byte begins a user frame."""
    ends: np.ndarray[Any, np.dtype[np.uint64]]
    """Behind which bytes of `data` a user frame ended well."""
    tusers: np.ndarray[Any, np.dtype[np.uint8]]
    """TUSER of each of these user frames, a row of two: of its first beat, of its last one."""
    missing: list[Missing]
    """What is missing in front of the first byte."""


def _missing(rows: list[_Row]) -> list[Missing]:
    return [
        Missing(channel, offset, length, Reason(reason), frames)
        for channel, offset, length, reason, frames in rows
    ]


class Receiver:
    """Receives channels of an HTSP link on a network interface; a context manager.

    It iterates over batches of `batch` bytes, fewer if something is missing behind them or they
    have waited for `delay`, and raises TimeoutError if nothing comes for `timeout`. The first batch
    of a channel says that what came before is not known, and every other one what is missing in
    front of it; nothing is missing elsewhere.

    With `state`, a file, positions go on where those of the receiver before ended, however that
    ended. A batch counts as taken when the next one is asked for; without `auto_commit`, when
    `commit` is called. What was handed over and not taken is in doubt for the next receiver: it lies
    between the position of its first gap and that of its first batch. With `sync` this holds for a
    crash of the machine, too, at the price of a disk's delay for each batch.

    The far end is paused on channels that are not among `channels`. Other arguments are as those of
    `ropewalk.Htsp`. One thread at a time iterates.
    """

    def __init__(
        self,
        interface: str,
        *,
        channels: Sequence[int] = tuple(range(16)),
        batch: int = 1 << 20,
        delay: float = 0.01,
        timeout: float | None = None,
        state: str | os.PathLike[str] | None = None,
        sync: bool = False,
        auto_commit: bool = True,
        ethertype: int = 0x0111,
        alive: float = 0.085,
        silence: float = 0.004,
        xdp: bool = False,
    ) -> None:
        Limit(timeout)
        self._timeout = timeout
        self._auto_commit = auto_commit
        self._open = False
        path = None if state is None else os.fspath(state)
        self._native = HtspReceiver(
            interface,
            list(channels),
            batch,
            delay,
            ethertype,
            alive,
            silence,
            xdp,
            path,
            sync,
        )

    def recv(self, timeout: float | None = None) -> Batch | None:
        """The next batch; None if none comes within `timeout`."""
        if self._open and self._auto_commit:
            self.commit()
        for step in Limit(timeout).steps():
            found = self._native.recv(step)
            if found is not None:
                self._open = True
                channel, offset, block, begins, ends, tusers, rows = found
                data = np.frombuffer(block, np.uint8)
                places = np.frombuffer(ends, np.uint64)
                marks = np.frombuffer(tusers, np.uint8).reshape(-1, 2)
                return Batch(channel, offset, data, begins, places, marks, _missing(rows))
        return None

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        batch = self.recv(self._timeout)
        if batch is None:
            raise TimeoutError(f"nothing has come within {self._timeout} s")
        return batch

    def commit(self) -> None:
        """All batches that were handed over are taken: the next receiver need not doubt them."""
        self._native.commit()
        self._open = False

    def missing(self) -> list[Missing]:
        """What was missing in all batches so far, oldest first: the last 1048576 places."""
        return _missing(self._native.missing()[0])

    @property
    def forgotten(self) -> int:
        """Places that `missing` no longer has."""
        return self._native.missing()[1]

    @property
    def run(self) -> int:
        """Which run this is by its state, from 1 on; 1 without a state."""
        return self._native.run()

    def stats(self) -> dict[str, int]:
        """State and counters, a few milliseconds old."""
        return self._native.stats()

    def close(self) -> None:
        """Pauses the far end and stops. What was not handed over is lost; the next run says so."""
        self._native.close()

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Closes it. Without an exception, what was handed over is taken."""
        try:
            if kind is None and self._open and self._auto_commit:
                self.commit()
        finally:
            self.close()
