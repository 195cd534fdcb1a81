# SPDX-License-Identifier: Apache-2.0
"""Packets of the RDMA engine, as `crates/wire/src/rdma/packet.rs` has them, and what engine and units hand to each other (rdma_pkg)."""

from dataclasses import dataclass, replace

DATA, MESSAGE, CONTROL, ACK, NACK, REQUEST = range(6)
WORD, PAYLOAD = 64, 1024
LANE = 16  # of packed framing
MARK = 1 << 86  # in a footer: the network's mark, which the CRC does not see
PACKED, WORDS = (
    16 << 11,
    17 << 11,
)  # marks of the framings, with the length, where a header has its domain otherwise


def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = _table()


def crc32c(data):
    """CRC-32C of bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = moved(crc ^ byte, 1)
    return crc ^ 0xFFFFFFFF


def moved(crc, zeros):
    """What bytes of zeros make of a register of CRC-32C, or of the difference of two."""
    for _ in range(zeros):
        crc = crc >> 8 ^ TABLE[crc & 255]
    return crc


def front(said):
    """The first word of a packet in framing in words, as bytes: header and first word of the footer, with their CRC."""
    return said + crc32c(said).to_bytes(4, "little")


def pack(fields):
    """Numbers and their widths to one number, the first one lowest."""
    word, at = 0, 0
    for value, width in fields:
        assert 0 <= value < 1 << width, f"{value} has more than {width} bits"
        word |= value << at
        at += width
    return word


def unpack(word, widths):
    """The fields of such a number."""
    fields = []
    for width in widths:
        fields.append(word & ((1 << width) - 1))
        word >>= width
    return fields


@dataclass(frozen=True)
class Packet:
    """A packet; its fields in the order in which they lie in it."""

    address: int = 0
    kind: int = DATA
    tid: int = 0
    sequence: int = 0
    epoch: int = 0
    node: int = 0
    domain: int = 0
    payload: bytes = b""
    index: int = 0
    last: int = 0
    notify: int = 0
    managed: int = 0
    tries: int = 0
    transfer: int = 0
    qos: int = 0
    asked: int | None = None  # epoch of who asked, in data of a read
    marked: int = 0
    echo: int = 0

    def header(self, packed=False):
        fields = [(self.address, 64), (self.kind, 4), (self.tid, 10), (self.sequence, 14)]
        fields += [(self.epoch, 4), (self.node, 16)]
        fields += [((PACKED if packed else WORDS) | len(self.payload), 16)]
        return pack(fields).to_bytes(16, "little")

    def footer(self):
        """Without its CRC and the network's mark."""
        fields = [(len(self.payload), 11), (self.index, 6), (self.last, 6), (self.notify, 1)]
        fields += [(self.managed, 1), (self.tries, 4), (0, 3), (self.transfer, 11)]
        fields += [(self.asked is not None, 1), (self.asked or 0, 4)]
        fields += [(self.domain, 16)]
        return pack([*fields, (self.qos, 22), (0, 1), (self.echo, 1), (0, 8)]).to_bytes(
            12, "little"
        )

    def encode(self, packed=False):
        """The bytes, one behind the other."""
        front = self.header(packed) + self.payload + self.footer()
        whole = front + crc32c(front).to_bytes(4, "little")
        mark = int.from_bytes(whole[-16:], "little") | MARK * self.marked
        return whole[:-16] + mark.to_bytes(16, "little")

    def words(self, packed=False):
        """Header, payload and footer in words of the 512-bit datapath, or in lanes of packed framing."""
        data, step = self.encode(packed), LANE if packed else WORD
        parts = [data[:16] if packed else front(data[:16] + data[-16:-8])]
        parts += [data[16:-16][at : at + step] for at in range(0, len(self.payload), step)]
        return [int.from_bytes(part, "little") for part in [*parts, data[-16:]]]

    @classmethod
    def decode(cls, words, spoilt=False):
        """The packet of these words, or lanes; they are exactly what it is sent as. A spoilt one has all bits of its CRC inverted."""
        packed = words[0] >> 123 & 31 == PACKED >> 11
        widths = [64, 4, 10, 14, 4, 16, 16]
        address, kind, tid, sequence, epoch, node, _ = unpack(words[0], widths)
        footer = unpack(words[-1], [11, 6, 6, 1, 1, 4, 3, 11, 1, 4, 16, 22, 1, 1])
        size, index, last, notify, managed, tries, _, transfer, asked, asker, domain, *rest = footer
        qos, marked, echo = rest
        step = LANE if packed else WORD
        payload = b"".join(word.to_bytes(step, "little") for word in words[1:-1])[:size]
        packet = cls(
            address, kind, tid, sequence, epoch, node, domain, payload,
            index, last, notify, managed, tries, transfer, qos, asker if asked else None,
            marked, echo,
        )  # fmt: skip
        flips = [0] * (len(words) - 1) + [spoilt * 0xFFFFFFFF << 96]
        found = [word ^ flip for word, flip in zip(words, flips, strict=True)]
        assert packet.words(packed) == found, f"{packet} is not what came"
        return packet


def use(tid, sequence, tries=0):
    """use_t"""
    return pack([(tid, 10), (sequence, 14), (tries, 4)])


@dataclass(frozen=True)
class Block:
    """A block descriptor: use_t and block_t."""

    source: int
    destination: int
    size: int
    tid: int
    sequence: int = 0
    tries: int = 0
    domain: int = 0
    managed: int = 0
    notify: int = 0
    transfer: int = 0
    qos: int = 0
    asked: int | None = None

    def use(self):
        return use(self.tid, self.sequence, self.tries)

    def word(self):
        fields = [(self.source, 64), (self.destination, 64), (self.domain, 16), (self.sequence, 14)]
        fields += [(0, 17), (self.managed, 1), (0, 2), (self.notify, 1), (0, 1), (self.size, 17)]
        fields += [(0, 1), (self.transfer, 11), (self.qos, 22)]
        return pack([*fields, (self.asked is not None, 1), (self.asked or 0, 4), (0, 20)])

    def packets(self, data, node, epoch):
        """The packets that carry it; `data` are the bytes at its source."""
        first = Packet(
            self.destination, DATA, self.tid, self.sequence, epoch, node, self.domain, b"", 0,
            (self.size - 1) // PAYLOAD, self.notify, self.managed, self.tries, self.transfer, self.qos,
            self.asked,
        )  # fmt: skip
        return [
            replace(
                first,
                address=self.destination + at,
                payload=data[at : at + PAYLOAD],
                index=at // PAYLOAD,
            )
            for at in range(0, self.size, PAYLOAD)
        ]


def creation(packet):
    """packet_t of what the packet creator makes."""
    payload = int.from_bytes(packet.payload, "little")
    fields = [(payload, 256), (len(packet.payload), 7), (packet.address, 64), (packet.domain, 16)]
    fields += [(packet.kind, 4), (packet.notify, 1), (packet.transfer, 11), (packet.qos, 22)]
    return pack(fields)


def reply(packet):
    """reply_t of an ACK or NACK."""
    fields = [(packet.tid, 10), (packet.sequence, 14), (packet.epoch, 4), (packet.domain, 16)]
    fields += [(packet.address >> 48, 16), (packet.kind == NACK, 1), (packet.echo, 1)]
    return pack(fields)
