# SPDX-License-Identifier: Apache-2.0
"""Remote memory by the RDMA engine.

An engine has pages, each with memory windows and 64 channels; a transfer takes a channel until its
end was seen. Addresses are numbers with the node in bits 63:48 and the byte in 47:0. What each
thing promises is in docs/src/rdma-host.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _limit
from ._native import RdmaBuffer, RdmaEngine, RdmaPage, RdmaTransfer, RdmaWindow

__all__ = ["Area", "Buffer", "Engine", "How", "Memory", "Page", "Transfer", "Window", "models"]

_FLOWS = ("small", "one path", "four paths")


def _flow(name: str) -> int:
    if name not in _FLOWS:
        raise ValueError(f"flow {name!r}: accepted are {', '.join(_FLOWS)}")
    return _FLOWS.index(name)


@dataclass(frozen=True)
class Area:
    """A place in a file that can be mapped: a BAR, /dev/uioN with the number of its map, a file."""

    path: str
    offset: int = 0
    map: int | None = None

    def _tuple(self) -> tuple[str, int, int | None]:
        return (self.path, self.offset, self.map)


@dataclass(frozen=True)
class Memory:
    """Memory that is shared with an engine, which sees its first byte at `address`."""

    area: Area
    bytes: int
    address: int
    uncached: bool = False


@dataclass(frozen=True)
class How:
    """How a transfer is carried out."""

    flow: str = "small"
    """small: before all others; one path: one flow; four paths: four flows."""
    priority: int = 0
    """Within these, 0 first."""
    qos: int = 0
    """For the network, below 2^22."""
    notify_at: int | None = None
    """Address where 8 bytes are written at its end."""
    notify_value: int | None = None
    """Which, of writes only."""

    def _tuple(self) -> tuple[int, int, int, tuple[int, int | None] | None]:
        notify = None if self.notify_at is None else (self.notify_at, self.notify_value)
        return (_flow(self.flow), self.priority, self.qos, notify)


class Transfer:
    """A transfer under way, or over. Whoever drops one under way leaves it to itself."""

    def __init__(self, native: RdmaTransfer) -> None:
        self._native = native

    @property
    def channel(self) -> int:
        """0 to 63."""
        return self._native.channel()

    def poll(self) -> bool:
        """Whether it is done: one read of its channel."""
        return self._native.wait(0.0)

    def wait(self, timeout: float | None = None) -> None:
        """Waits until it is done; if it has failed, RopewalkError says how."""
        limit = _limit.Limit(timeout)
        if not any(self._native.wait(step) for step in limit.steps()):
            raise TimeoutError(f"the transfer has not ended within {timeout} s")


class Buffer:
    """A part of a window."""

    def __init__(self, native: RdmaBuffer, size: int) -> None:
        self._native, self.size = native, size

    def address(self, at: int = 0) -> int:
        """A byte of it as other nodes name it."""
        return self._native.address(at)

    def put(self, data: Any, at: int = 0) -> None:
        """Copies an array, or other bytes, into it, unless a transfer uses it."""
        self._native.put(at, memoryview(data).cast("B"))

    def get(self, at: int = 0, count: int | None = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Copies out of it, to its end unless `count` says less, unless a read fills it."""
        count = max(0, self.size - at) if count is None else count
        return np.frombuffer(self._native.get(at, count), np.uint8)


class Window:
    """Memory that is registered; it stays so until it and its buffers are gone."""

    def __init__(self, native: RdmaWindow) -> None:
        self._native = native

    def buffer(self, size: int, align: int = 64) -> Buffer:
        """A part of it, from a multiple of `align` on."""
        return Buffer(self._native.buffer(size, align), size)


class Page:
    """A page of an engine, which this owner alone uses."""

    def __init__(self, native: RdmaPage) -> None:
        self._native = native

    def window(self, size: int, *, read: bool = True, write: bool = True) -> Window:
        """Registers memory, which other nodes may read, write, or both."""
        return Window(self._native.window(size, read, write))

    def write(
        self,
        source: Buffer,
        to: int,
        *,
        at: int = 0,
        size: int | None = None,
        how: How | None = None,
    ) -> Transfer:
        """Writes a buffer, or `size` bytes from byte `at` on, to another node."""
        size = source.size - at if size is None else size
        chosen = (how or How())._tuple()
        return Transfer(self._native.write(source._native, at, size, to, chosen))

    def read(
        self,
        source: int,
        target: Buffer,
        *,
        at: int = 0,
        size: int | None = None,
        how: How | None = None,
    ) -> Transfer:
        """Reads from another node into a buffer, which is the engine's until the end was seen."""
        size = target.size - at if size is None else size
        chosen = (how or How())._tuple()
        return Transfer(self._native.read(source, size, target._native, at, chosen))

    def rate(self, flow: str) -> int:
        """Sixteenths of a cycle for each 64 bytes that its transfers of a flow may send, all together; 0: no limit."""
        return self._native.rate(_flow(flow))

    def set_rate(self, flow: str, interval: int) -> None:
        """Sets it, from the next block on; small has no limit."""
        self._native.set_rate(_flow(flow), interval)

    def inline(self, data: Any, to: int, *, how: How | None = None) -> Transfer:
        """Sends 1 to 32 bytes."""
        view = memoryview(data).cast("B")
        return Transfer(self._native.inline(view, to, (how or How())._tuple()))

    def collect(self) -> int:
        """Reads the states of all channels: a bit for each that is over and was not waited for."""
        return self._native.collect()


class Engine:
    """An engine in hardware."""

    def __init__(
        self,
        registers: Area,
        port: Area,
        *,
        pages: int,
        memory: Memory | None = None,
        wide: bool = False,
        node: int = 0,
        epoch: int = 0,
        timeout: float = 1.0,
    ) -> None:
        shared = memory and (memory.area._tuple(), memory.bytes, memory.address, memory.uncached)
        self._native = RdmaEngine.map(
            registers._tuple(), port._tuple(), pages, wide, shared, node, epoch, timeout
        )

    @property
    def node(self) -> int:
        """Number of this node."""
        return self._native.node()

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return self._native.pages()

    @property
    def weights(self) -> tuple[int, int, int] | None:
        """How small, one path and four paths share the line, 1 to 16 each; None: each only while those in front of it have nothing."""
        return self._native.service()

    @weights.setter
    def weights(self, weights: tuple[int, int, int] | None) -> None:
        self._native.set_service(weights)

    @property
    def congestion(self) -> tuple[int, int, int] | None:
        """How marks of the network act on the rate to a node: it falls by 1 / 2^fall of it, the full one to 1 / 2^first, and rises by
        `increase` 32768ths of the full one in 1024 cycles; None: they do nothing."""
        return self._native.congestion()

    @congestion.setter
    def congestion(self, congestion: tuple[int, int, int] | None) -> None:
        self._native.set_congestion(congestion)

    @property
    def cut_through(self) -> bool:
        """Whether payload of other nodes is written as it arrives, once the header of its packet is checked: a reader of the window may then
        see damaged bytes until the transfer has ended."""
        return self._native.cut_through()

    @cut_through.setter
    def cut_through(self, on: bool) -> None:
        self._native.set_cut_through(on)

    def page(self, number: int, timeout: float = 1.0) -> Page:
        """Opens a page; waits for transfers of an earlier owner."""
        return Page(self._native.page(number, timeout))


def models(memory: int) -> tuple[Engine, Engine]:
    """Two models of engines in this process, nodes 0 and 1, each with `memory` bytes."""
    engines = []
    for native in RdmaEngine.models(memory):
        engine = Engine.__new__(Engine)
        engine._native = native
        engines.append(engine)
    return engines[0], engines[1]
