# SPDX-License-Identifier: Apache-2.0
"""The part of the package that is written in Rust: crates/python/src. Times are seconds."""

import os
from typing import Any

from typing_extensions import Buffer

__version__: str

class RopewalkError(Exception): ...
class Cancelled(RopewalkError): ...
class Closed(RopewalkError): ...

class Block:
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Transfer:
    @staticmethod
    def send(
        path: str | os.PathLike[str],
        lanes: list[tuple[str | None, str]],
        code: str | None,
        key: str | None,
        peer_key: str | None,
        trusted: bool,
        stable: bool,
        mend: int,
        erasure: tuple[int, int],
        rate: int | None,
        patience: float,
    ) -> Transfer: ...
    @staticmethod
    def receive(
        directory: str | os.PathLike[str],
        listen: str,
        key: str | None,
        allow: str | None,
        trusted: bool,
    ) -> Transfer: ...
    def wait(self, timeout: float) -> bool: ...
    def code(self, timeout: float) -> str | None: ...
    def address(self) -> str | None: ...
    def status(self) -> dict[str, Any]: ...
    def cancel(self) -> None: ...

def make_key() -> tuple[str, str]: ...

class HtspEnd:
    def __new__(
        cls,
        interface: str,
        ethertype: int,
        burst: int,
        alive: float,
        silence: float,
        xdp: bool,
        rate: float | None,
    ) -> HtspEnd: ...
    def send(self, channel: int, bytes: Buffer, last: bool, timeout: float) -> int: ...
    def recv(self, channel: int, timeout: float) -> tuple[Block, bool, bool, bool] | None: ...
    def flush(self, timeout: float) -> bool: ...
    def stats(self) -> dict[str, int]: ...
    def close(self) -> None: ...

_How = tuple[int, int, int, tuple[int, int | None] | None]
_File = tuple[str, int, int | None]

class RdmaEngine:
    @staticmethod
    def models(memory: int) -> tuple[RdmaEngine, RdmaEngine]: ...
    @staticmethod
    def map(
        registers: _File,
        port: _File,
        pages: int,
        wide: bool,
        memory: tuple[_File, int, int, bool] | None,
        node: int,
        epoch: int,
        timeout: float,
    ) -> RdmaEngine: ...
    def node(self) -> int: ...
    def pages(self) -> int: ...
    def page(self, number: int, timeout: float) -> RdmaPage: ...

class RdmaPage:
    def window(self, bytes: int, read: bool, write: bool) -> RdmaWindow: ...
    def write(self, source: RdmaBuffer, at: int, size: int, to: int, how: _How) -> RdmaTransfer: ...
    def read(
        self, source: int, size: int, target: RdmaBuffer, at: int, how: _How
    ) -> RdmaTransfer: ...
    def inline(self, bytes: Buffer, to: int, how: _How) -> RdmaTransfer: ...
    def collect(self) -> int: ...

class RdmaWindow:
    def buffer(self, bytes: int, align: int) -> RdmaBuffer: ...

class RdmaBuffer:
    def address(self, at: int) -> int: ...
    def put(self, at: int, bytes: Buffer) -> None: ...
    def get(self, at: int, count: int) -> Block: ...

class RdmaTransfer:
    def channel(self) -> int: ...
    def wait(self, timeout: float) -> bool: ...

def simulate_rifl(
    packets: int,
    min_bytes: int,
    max_bytes: int,
    ber: float,
    lanes: int,
    frame_width: int,
    line_rate_gbps: float,
    delay_ns: float,
    seed: int,
    sample_ns: float,
) -> tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, Any]]: ...
