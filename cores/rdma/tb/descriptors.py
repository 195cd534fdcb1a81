# SPDX-License-Identifier: Apache-2.0
"""Descriptors of the RDMA engine, as `crates/wire/src/rdma/descriptor.rs` has them."""

import struct

IDLE, ONGOING, DONE, ERROR = range(4)


def lines(
    size, destination, source=0, notification=0, priority=0, cls=0, inline=None, notify=False,
    value=None, read=False, qos=0,
):  # fmt: skip
    """The lines of a descriptor, 32 bytes each: one, or two if its data or its notification value need it."""
    is_long = value is not None or (inline is not None and len(inline) > 8)
    header = size | priority << 32 | cls << 36 | (inline is not None) << 38
    header |= notify << 39 | is_long << 40 | read << 41 | qos << 42
    data = int.from_bytes(inline[:8], "little") if inline and not is_long else 0
    third = data if inline else source
    found = [struct.pack("<4Q", header, destination, third, notification)]
    if is_long:
        found.append((inline or struct.pack("<Q", value)).ljust(32, b"\0"))
    return found
