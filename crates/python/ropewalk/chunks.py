# SPDX-License-Identifier: Apache-2.0
"""Chunks of memory from host to host, in order, without files: each is an array without a copy.

A `Sender` and a `Receiver` prove to each other who they are, as for files. What is interrupted is
lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ._limit import Limit
from ._native import Inlet, Outlet

__all__ = ["LONGEST", "Receiver", "Sender"]

LONGEST = 4 << 20
"""Most bytes of a chunk."""


class Sender:
    """Sends chunks to a `Receiver`; arguments as of `ropewalk.send`.

    A context manager: its end waits until all has arrived, or cancels if there was an exception.
    """

    def __init__(
        self,
        peer: str = "",
        *,
        code: str | None = None,
        key: str | None = None,
        peer_key: str | None = None,
        trusted: bool = False,
        lanes: Sequence[tuple[str | None, str]] | None = None,
        mend: int = 0,
        erasure: tuple[int, int] = (0, 0),
        rate: float | None = None,
        patience: float = 60.0,
    ) -> None:
        ways = [(None, peer)] if lanes is None else list(lanes)
        self._native = Outlet(ways, code, key, peer_key, trusted, mend, erasure, rate, patience)

    def send(self, data: Any, timeout: float | None = None) -> None:
        """Sends an array, or other bytes, as one chunk of 0 to `LONGEST` bytes; waits for room."""
        view = memoryview(data)
        view = view.cast("B") if view.nbytes else memoryview(b"")
        if not any(self._native.send(view, step) for step in Limit(timeout).steps()):
            raise TimeoutError(f"there is no room within {timeout} s")

    def finish(self, timeout: float | None = None) -> None:
        """Says that this is all, and waits until it has arrived."""
        if not any(self._native.finish(step) for step in Limit(timeout).steps()):
            raise TimeoutError(f"not all has arrived within {timeout} s")

    def cancel(self) -> None:
        """Ends it soon, from any thread; the receiver is told."""
        self._native.cancel()

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.finish()
        else:
            self.cancel()


class Receiver:
    """Receives chunks of one sender; arguments as of `ropewalk.Receiver`.

    It is an iterator over the chunks, and a context manager, whose end cancels it.
    """

    def __init__(
        self,
        listen: str = "[::]:7425",
        *,
        key: str | None = None,
        allow: Sequence[str] | None = None,
        trusted: bool = False,
    ) -> None:
        keys = None if allow is None else " ".join(allow)
        self._native = Inlet(listen, key, keys, trusted)

    @property
    def address(self) -> str:
        """Where it waits, with the port that it has got."""
        return self._native.address()

    def code(self, timeout: float | None = 10.0) -> str:
        """The code that a sender has to know; after wrong ones there is another one."""
        for step in Limit(timeout).steps():
            code = self._native.code(step)
            if code is not None:
                return code
        raise TimeoutError(f"there is no code within {timeout} s")

    def recv(self, timeout: float | None = None) -> np.ndarray[Any, np.dtype[np.uint8]] | None:
        """The next chunk, in the memory in which it arrived; None if that was all."""
        for step in Limit(timeout).steps():
            more, block = self._native.recv(step)
            if block is not None:
                return np.frombuffer(block, np.uint8) if len(block) else np.empty(0, np.uint8)
            if not more:
                return None
        raise TimeoutError(f"nothing has arrived within {timeout} s")

    def cancel(self) -> None:
        """Ends it soon, from any thread; the sender is told."""
        self._native.cancel()

    def __iter__(self) -> Iterator[np.ndarray[Any, np.dtype[np.uint8]]]:
        while (chunk := self.recv()) is not None:
            yield chunk

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
