# SPDX-License-Identifier: Apache-2.0
"""The part of the package that is written in Rust: crates/python/src. Times are seconds."""

import os
from collections.abc import Buffer
from typing import Any

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
