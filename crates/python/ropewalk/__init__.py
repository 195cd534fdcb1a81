# SPDX-License-Identifier: Apache-2.0
"""Ropewalk: files from host to host, ends of HTSP links, simulated links; remote memory in `rdma`.

Times are seconds. What waits has a limit, `timeout`, after which it raises TimeoutError; None is no
limit. Ends of HTSP links say None, False or the bytes that were taken instead. The interpreter runs
meanwhile, and an interrupt of the keyboard ends the wait.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._limit import STEP, Limit
from ._native import (
    Cancelled,
    Closed,
    HtspEnd,
    RopewalkError,
    Transfer,
    __version__,
    make_key,
)
from ._native import simulate_rifl as _simulate_rifl

__all__ = [
    "Cancelled",
    "Closed",
    "Htsp",
    "Piece",
    "Receiver",
    "RopewalkError",
    "Simulation",
    "Status",
    "__version__",
    "make_key",
    "receive",
    "receive_array",
    "send",
    "send_array",
    "simulate_rifl",
]

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Status:
    """How far a transfer is. What only the other end knows is 0."""

    total: int
    """Bytes of all files; known to the sender."""
    done: int
    """Bytes that were sent or need not be; of a receiver: that were written."""
    spared: int
    """Of these, bytes that the receiver had already, or zeros; known to the sender."""
    files: int
    """Files in place; known to the receiver."""
    lost: int
    """Sub-packets that were lost on their way; known to the sender."""
    resent: int
    """Sub-packets that were sent again; known to the sender."""
    broken: int
    """Attempts that ended early."""
    notes: list[str] = field(default_factory=list)
    """What is not as it could be."""


def _status(transfer: Transfer) -> Status:
    return Status(**transfer.status())


def _wait(
    transfer: Transfer, timeout: float | None, progress: Callable[[Status], object] | None
) -> Status:
    """Waits for the end of a transfer, which goes on when the wait ends before."""
    for step in Limit(timeout).steps():
        done = transfer.wait(step)
        if progress is not None:
            progress(_status(transfer))
        if done:
            return _status(transfer)
    raise TimeoutError(f"the transfer has not ended within {timeout} s")


def send(
    path: _Path,
    peer: str = "",
    *,
    code: str | None = None,
    key: str | None = None,
    peer_key: str | None = None,
    trusted: bool = False,
    lanes: Sequence[tuple[str | None, str]] | None = None,
    stable: bool = False,
    mend: int = 0,
    erasure: tuple[int, int] = (0, 0),
    rate: float | None = None,
    patience: float = 60.0,
    delta: bool = True,
    xattrs: bool = False,
    timeout: float | None = None,
    progress: Callable[[Status], object] | None = None,
) -> Status:
    """Sends a file or a directory to a `Receiver`, or to `ropewalk recv`.

    `peer` is "HOST" or "HOST:PORT"; with `lanes` there are several, each an own address or None
    and a peer. One of `code`, `key` with `peer_key`, and `trusted` says how the ends know each
    other. `rate` is in bit/s. Without `delta` files are sent whole of which the receiver has older
    ones. With `xattrs` extended attributes of the user go along. It fails after `patience` without
    progress, and ends after `timeout` in any case; `progress` is called some twenty times a second.
    What is interrupted goes on where it was when it is sent again.
    """
    ways = [(None, peer)] if lanes is None else list(lanes)
    Limit(timeout)
    transfer = Transfer.send(
        os.fspath(path),
        ways,
        code,
        key,
        peer_key,
        trusted,
        stable,
        mend,
        erasure,
        rate,
        patience,
        delta,
        xattrs,
    )
    try:
        return _wait(transfer, timeout, progress)
    except BaseException:
        transfer.cancel()
        raise


class Receiver:
    """Waits for one sender, in the background, and puts what it sends into a directory.

    A sender has to know the `code()`, unless there are keys: `key` is that of this end, `allow` the
    public ones of the senders; `trusted` admits anybody. It is a context manager, whose end cancels
    it.
    """

    def __init__(
        self,
        directory: _Path,
        listen: str = "[::]:7425",
        *,
        key: str | None = None,
        allow: Sequence[str] | None = None,
        trusted: bool = False,
    ) -> None:
        keys = None if allow is None else " ".join(allow)
        self._transfer = Transfer.receive(os.fspath(directory), listen, key, keys, trusted)

    @property
    def address(self) -> str:
        """Where it waits, with the port that it has got."""
        return self._transfer.address() or ""

    def code(self, timeout: float | None = 10.0) -> str:
        """The code that a sender has to know; after wrong ones there is another one."""
        for step in Limit(timeout).steps():
            code = self._transfer.code(step)
            if code is not None:
                return code
            if self._transfer.wait(0):
                break
        raise TimeoutError(f"there is no code within {timeout} s")

    def status(self) -> Status:
        """How far it is."""
        return _status(self._transfer)

    def wait(
        self, timeout: float | None = None, progress: Callable[[Status], object] | None = None
    ) -> Status:
        """Waits until all files are in place, compared by hash.

        A wait that ends before, by its `timeout` or an interrupt, ends nothing else: wait again, or
        `cancel`.
        """
        return _wait(self._transfer, timeout, progress)

    def cancel(self) -> None:
        """Ends it soon, from any thread; what has arrived is kept for the next time."""
        self._transfer.cancel()

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()


def receive(
    directory: _Path,
    listen: str = "[::]:7425",
    *,
    key: str | None = None,
    allow: Sequence[str] | None = None,
    trusted: bool = False,
    show: Callable[[str], object] = print,
    timeout: float | None = None,
    progress: Callable[[Status], object] | None = None,
) -> Status:
    """Receives one transfer, as `Receiver` does; `show` is given the code."""
    with Receiver(directory, listen, key=key, allow=allow, trusted=trusted) as receiver:
        limit = Limit(timeout)
        if key is None and not trusted:
            show(receiver.code(timeout))
        return receiver.wait(None if timeout is None else limit.left(), progress)


def send_array(array: np.ndarray[Any, Any], name: str, peer: str, **how: Any) -> Status:
    """Sends an array as the file `name`.npy; `how` as for `send`."""
    if not name or os.path.basename(name) != name:
        raise ValueError(f"name {name!r}: accepted are names without a directory")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{name}.npy")
        np.save(path, array, allow_pickle=False)
        return send(path, peer, **how)


def receive_array(
    directory: _Path, name: str, listen: str = "[::]:7425", **how: Any
) -> np.ndarray[Any, Any]:
    """Receives the array that was sent as `name`, and maps its file: nothing is copied.

    `how` as for `receive`. Whoever writes to the array writes to the file.
    """
    path = os.path.join(os.fspath(directory), f"{name}.npy")
    receive(directory, listen, **how)
    return np.load(path, mmap_mode="r+", allow_pickle=False)


@dataclass(frozen=True)
class Piece:
    """Some bytes of a user frame, or its end; with `error` the frame is not to be relied on."""

    bytes: np.ndarray[Any, np.dtype[np.uint8]]
    start: bool
    end: bool
    error: bool
    first_tuser: int
    """With `start`: TUSER of the first beat of the frame, 0 from a peer that sends none."""
    last_tuser: int
    """With `end`: TUSER of its last beat, seven bits."""


class Htsp:
    """One end of an HTSP link on a network interface, with 16 channels; a context manager.

    `burst` is the longest payload of a frame, `rate` the most bits per second, `xdp` takes AF_XDP
    sockets.
    Different threads may use it; only one at a time receives on a channel.
    """

    def __init__(
        self,
        interface: str,
        *,
        ethertype: int = 0x0111,
        burst: int = 8192,
        alive: float = 0.085,
        silence: float = 0.004,
        xdp: bool = False,
        rate: float | None = None,
    ) -> None:
        self._end = HtspEnd(interface, ethertype, burst, alive, silence, xdp, rate)
        self._sending = [threading.Lock() for _ in range(16)]
        self._rest: list[list[np.ndarray[Any, np.dtype[np.uint8]]]] = [[] for _ in range(16)]

    def _channel(self, channel: int) -> int:
        if not 0 <= channel < 16:
            raise ValueError(f"channel {channel}: accepted are 0 to 15")
        return channel

    def send(
        self,
        channel: int,
        data: Any,
        *,
        last: bool = True,
        tuser: tuple[int, int] = (0, 0),
        timeout: float | None = None,
    ) -> int:
        """Sends an array, or other bytes, as a user frame, or as a part of it unless `last`.

        `tuser` is TUSER of the frame's first beat, 8 bits, and of its last one, 7 bits: for a peer that
        takes it. Says how many bytes were taken within `timeout`: call again with the rest.
        """
        for value, most in zip(tuser, (255, 127), strict=True):
            if not 0 <= value <= most:
                raise ValueError(f"tuser {value}: accepted are 0 to {most}")
        view, taken = memoryview(data).cast("B"), 0
        if view.nbytes == 0:
            raise ValueError("0 bytes: accepted are 1 byte or more")
        limit, lock = Limit(timeout), self._sending[self._channel(channel)]
        if not any(lock.acquire(timeout=step) for step in limit.steps()):
            return 0
        try:
            while taken < view.nbytes:
                part = view[taken : taken + (1 << 20)]
                ends = taken + part.nbytes == view.nbytes
                left = limit.left()
                taken += self._end.send(channel, part, last and ends, tuser, min(left, STEP))
                if left == 0:
                    break
        finally:
            lock.release()
        return taken

    def recv(self, channel: int, timeout: float | None = None) -> Piece | None:
        """The next piece, without a copy; None if nothing arrives within `timeout`."""
        self._channel(channel)
        for step in Limit(timeout).steps():
            piece = self._end.recv(channel, step)
            if piece is not None:
                block, *marks = piece
                return Piece(np.frombuffer(block, np.uint8), *marks)
        return None

    def frame(
        self, channel: int, timeout: float | None = None
    ) -> np.ndarray[Any, np.dtype[np.uint8]] | None:
        """The next user frame that has arrived well, whole; None if there is none within `timeout`.

        What has arrived of one by then is kept for the next call. Frames in error are left out.
        """
        limit, pieces = Limit(timeout), self._rest[self._channel(channel)]
        while True:
            piece = self.recv(channel, None if math.isinf(limit.end) else limit.left())
            if piece is None:
                return None
            if piece.start:
                pieces.clear()
            pieces.append(piece.bytes)
            if piece.end:
                frame = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
                pieces.clear()
                if not piece.error:
                    return frame

    def flush(self, timeout: float | None = None) -> bool:
        """Whether all that was sent is on the line within `timeout`."""
        return any(self._end.flush(step) for step in Limit(timeout).steps())

    def stats(self) -> dict[str, int]:
        """State and counters, a few milliseconds old."""
        return self._end.stats()

    def close(self) -> None:
        """Stops it. What is not on the line is lost: flush before."""
        self._end.close()

    def __enter__(self) -> Htsp:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _table(columns: dict[str, list[Any]]) -> Any:
    """A DataFrame, or a dict of arrays where pandas is not installed."""
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    with contextlib.suppress(ImportError):
        import pandas as pd

        return pd.DataFrame(arrays)
    return arrays


@dataclass(frozen=True)
class Simulation:
    """What a simulated link has carried. Tables are DataFrames; without pandas, dicts of arrays."""

    packets: Any
    """Every packet that came out: `direction` (0: A to B), `bytes`, `sent_ns`, `first_ns` and
    `last_ns` of its beats at the receiver, `verdict`."""
    series: Any
    """The link over time, a row for each `sample_ns`: goodput, latency, bit errors both ways."""
    summary: dict[str, Any]
    """All of the run; lists have A to B, B to A."""


def simulate_rifl(
    packets: int = 1000,
    *,
    min_bytes: int = 1,
    max_bytes: int = 4096,
    ber: float = 0.0,
    lanes: int = 1,
    frame_width: int = 256,
    line_rate_gbps: float = 28.0,
    delay_ns: float = 0.0,
    seed: int = 1,
    sample_ns: float = 1000.0,
) -> Simulation:
    """Simulates a RIFL link, the real RTL cycle by cycle, which carries random packets both ways.

    It needs a checkout of Ropewalk (where the package was built, or ROPEWALK_ROOT) with its tools,
    and builds the simulator when it is first needed.
    """
    columns = _simulate_rifl(
        packets,
        min_bytes,
        max_bytes,
        ber,
        lanes,
        frame_width,
        line_rate_gbps,
        delay_ns,
        seed,
        sample_ns,
    )
    return Simulation(_table(columns[0]), _table(columns[1]), columns[2])
