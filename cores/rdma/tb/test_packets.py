# SPDX-License-Identifier: Apache-2.0
"""The format in Python lays out a packet as `crates/wire/src/rdma/packet.rs` does in its test `layout`."""

from packets import DATA, Packet, crc32c


def test_layout():
    packet = Packet(
        0x0002_0000_1111_2222, DATA, 0x2BC, 0x3001, 9, 0xCAFE, 0x1234, bytes(range(100)),
        33, 63, 1, 1, 11, 0x555, 0x2AAAAA, 10,
    )  # fmt: skip
    data = packet.encode()
    assert len(data) == 132

    def word(at):
        return int.from_bytes(data[at : at + 8], "little")

    assert word(0) == 0x0002_0000_1111_2222
    assert word(8) == (17 << 11 | 100) << 48 | 0xCAFE << 32 | 9 << 28 | 0x3001 << 14 | 0x2BC << 4
    flags = 11 << 25 | 1 << 24 | 1 << 23 | 63 << 17 | 33 << 11
    assert word(116) == 0x1234 << 48 | 10 << 44 | 1 << 43 | 0x555 << 32 | flags | 100
    assert word(124) == crc32c(data[:128]) << 32 | 0x2AAAAA
    # The catalogue's check value of the code.
    assert crc32c(b"123456789") == 0xE306_9283
    words = packet.words()
    first = words[0].to_bytes(64, "little")
    said = data[:16] + data[116:124]
    assert first == said + crc32c(said).to_bytes(4, "little") + bytes(36)
    assert Packet.decode(words) == packet
    lanes = packet.words(packed=True)
    assert len(lanes) == 2 + 7 and lanes[0] >> 112 == 1 << 15 | 100
    assert lanes[-1] >> 48 & 0xFFFF == 0x1234
    assert Packet.decode(lanes) == packet
