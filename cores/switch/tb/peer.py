# SPDX-License-Identifier: Apache-2.0
"""One end of a link of the network, as cores/switch/README.md describes it, and the link (RIFL) of it.

Written from the description, not from the RTL: what a node or another switch does at its end.
"""

from collections import deque
from dataclasses import dataclass, field, replace

CLASSES = 4
DATA, CREDIT, NOTICE = 1, 2, 3
FULL = (1 << 64) - 1
HEADER_AT = 384
BODY_MASK = (1 << HEADER_AT) - 1

# Name, first bit in the header, bits.
FIELDS = [
    ("kind", 0, 4),
    ("cls", 4, 2),
    ("mark", 6, 1),
    ("spread", 7, 1),
    ("hello", 8, 1),
    ("words", 9, 7),
    ("destination", 16, 16),
    ("source", 32, 16),
    ("flow", 48, 12),
    ("hops", 60, 4),
    ("limits", 64, 48),
    ("epoch", 112, 4),
    ("number", 116, 12),
]


@dataclass(frozen=True)
class Header:
    kind: int = DATA
    cls: int = 0
    mark: int = 0
    spread: int = 0
    hello: int = 0
    words: int = 1
    destination: int = 0
    source: int = 0
    flow: int = 0
    hops: int = 7
    limits: int = 0
    epoch: int = 0
    number: int = 0

    def pack(self):
        return sum(getattr(self, name) << at for name, at, _ in FIELDS)

    @staticmethod
    def unpack(value):
        return Header(**{name: value >> at & (1 << bits) - 1 for name, at, bits in FIELDS})


@dataclass
class Packet:
    """What a user sends: a header and the other bits of the words."""

    header: Header
    words: list = field(default_factory=list)

    @property
    def key(self):
        return (self.header.source, self.words[0] & (1 << 48) - 1)


@dataclass(frozen=True)
class Beat:
    data: int
    keep: int = FULL
    last: bool = True
    user: bool = False


class End:
    """A node's end of a link: credits, hello, numbers. `deliver` gets whole packets, `void` the others."""

    def __init__(self, random, deliver, memory=64, name=""):
        self.random, self.deliver, self.memory, self.name = random, deliver, memory, name
        self.state, self.epoch = "down", random.randrange(16)
        self.queue = [deque() for _ in range(CLASSES)]
        self.number = 0
        self.sent = deque()  # (number, packet) that are not acknowledged
        self.own_lost = []
        self.blocked = set()
        self.gap = 0.0  # probability of a cycle without a word inside and between packets
        self.silent = False  # sends nothing: held in reset while its link goes on
        self.free_rate = 1.0
        self.voids, self.stale, self.marked, self.notices = 0, 0, 0, []
        self.free_word = 0
        self.occupied = [0] * CLASSES
        self.limit, self.taken = [memory] * CLASSES, [0] * CLASSES
        self.answer, self.next = 0, None
        self.expected = None
        self.forget()

    def forget(self):
        """What belongs to a session."""
        self.sending = None
        self.peer_limit, self.count = [0] * CLASSES, [0] * CLASSES
        self.heard = self.settled = self.reply = False
        self.hello_at = 0
        self.said = None
        self.packet = None

    def link(self, up):
        if up:
            self.forget()
            self.state = "hello"
            self.epoch = self.epoch % 15 + 1
        else:
            self.state, self.answer = "down", 0
            self.drop_packet()

    def reset(self):
        """The end loses its state, the link goes on."""
        self.drop_packet()
        self.own_lost += [packet for _, packet in self.sent]
        self.sent.clear()
        self.number, self.next, self.answer, self.expected = 0, None, 0, None
        self.skip, self.fence = True, True
        if self.state != "down":
            self.link(True)

    def drop_packet(self):
        if self.packet:
            self.voids += 1
            self.occupied[self.packet[0].cls] -= len(self.packet[1])
            self.packet = None

    def partial(self):
        """TKEEP of a word that is not full."""
        return (1 << self.random.choice((1, 63, self.random.randrange(1, 64)))) - 1

    def idle(self):
        return not any(self.queue) and self.sending is None

    # ---- Sending ----
    def answer_now(self):
        limits = sum(self.limit[c] % 4096 << 12 * c for c in range(CLASSES))
        return {"limits": limits, "epoch": self.answer, "number": self.number % 4096}

    def credit(self):
        known = 0 if self.next is None else 1 << 15 | self.next
        flow = self.epoch if self.state == "hello" else 0
        header = Header(
            kind=CREDIT, hello=self.state == "hello", destination=known, flow=flow, hops=0
        )
        self.said = (*self.answer_now().values(), known)
        self.reply = False
        return Beat(replace(header, **self.answer_now()).pack() << HEADER_AT)

    def room(self, cls):
        room = (self.peer_limit[cls] - self.count[cls]) % 4096
        return 0 if room >= 2048 else room

    def send(self, now):
        """The beat of this cycle, or None."""
        if self.state == "down" or self.silent:
            return None
        if self.fence:
            self.fence = False
            return Beat(0, keep=self.partial())
        if self.gap and self.random.random() < self.gap:
            return None
        if self.sending:
            packet, k = self.sending
            last = k == len(packet.words) - 1
            self.sending = None if last else (packet, k + 1)
            return Beat(packet.words[k], last=last)
        if self.state == "hello":
            if self.reply or now >= self.hello_at:
                self.hello_at = now + 50
                return self.credit()
            return None
        if self.reply or self.behind() >= 128:
            return self.credit()
        ready = [c for c in range(CLASSES) if self.queue[c]]
        ready = [c for c in ready if self.queue[c][0].header.words <= self.room(c)]
        if ready and len(self.sent) < 2000:
            return self.begin(self.queue[self.random.choice(ready)].popleft())
        known = 0 if self.next is None else 1 << 15 | self.next
        news = (*self.answer_now().values(), known)
        if self.said is None or (news[0], news[1], news[3]) != (
            self.said[0],
            self.said[1],
            self.said[3],
        ):
            return self.credit()
        return None

    def behind(self):
        """Packets that came and are not acknowledged."""
        said = self.said[3] & 4095 if self.said else 0
        return 0 if self.next is None else (self.next - said) % 4096

    def begin(self, packet):
        header = replace(packet.header, **self.answer_now())
        self.sent.append((self.number % 4096, packet))
        self.number += 1
        self.count[header.cls] += header.words
        known = self.said[3] if self.said else 0
        self.said = (*self.answer_now().values(), known)
        if len(packet.words) > 1:
            self.sending = (packet, 1)
        data = packet.words[0] & BODY_MASK | header.pack() << HEADER_AT
        return Beat(data, last=len(packet.words) == 1)

    # ---- Receiving ----
    skip = fence = False

    def receive(self, beat):
        if self.state == "down":
            self.skip = not beat.last
            return
        whole = beat.keep == FULL and not beat.user
        if self.packet:
            header, words = self.packet
            self.occupied[header.cls] += 1
            words.append(beat.data)
            if not whole:
                assert beat.last, f"{self.name}: a word that is not full inside of a packet"
                self.drop_packet()
                self.limit[header.cls] += header.words
                self.next = self.next if beat.user else (header.number + 1) % 4096
            elif beat.last:
                self.packet = None
                self.finish(header, words)
            else:
                assert len(words) < header.words, f"{self.name}: more words than {header.words}"
            return
        if self.skip or not whole:
            assert self.skip or beat.last, f"{self.name}: a first word that is not full"
            self.skip = not beat.last
            return
        header = Header.unpack(beat.data >> HEADER_AT)
        if header.kind == CREDIT:
            assert beat.last and header.words == 1
            self.credits(header)
        elif self.answer == 0:
            self.stale += 1
            self.skip = not beat.last
        else:
            self.begin_receive(header, beat)

    def credits(self, header):
        if header.hello:
            self.reply = True
            self.answer = header.flow & 15
            assert self.answer, f"{self.name}: a hello with epoch 0"
            self.limit = [self.memory - used for used in self.occupied]
            self.taken = [0] * CLASSES
            self.expected = None
            if header.epoch == 0 and self.state == "open":
                self.link(True)
                self.reply = True
        if header.epoch == self.epoch:
            self.acknowledged(header.destination)
        self.limits(header)

    def acknowledged(self, received):
        """What the peer has received, in an answer to the hello of this session."""
        if received >> 15:
            ahead = [number for number, _ in self.sent]
            if (received & 4095) in [(number + 1) % 4096 for number in ahead]:
                while self.sent[0][0] != (received - 1) % 4096:
                    self.sent.popleft()
                self.sent.popleft()
        if not self.settled:
            self.settled = True
            self.own_lost += [packet for _, packet in self.sent]
            self.sent.clear()

    def limits(self, header):
        if header.epoch == self.epoch and self.state != "down":
            self.peer_limit = [header.limits >> 12 * c & 4095 for c in range(CLASSES)]
            if self.state == "hello":
                self.state = "open"

    def begin_receive(self, header, beat):
        assert header.kind in (DATA, NOTICE), f"{self.name}: kind {header.kind}"
        self.limits(header)
        c = header.cls
        room = (self.limit[c] - self.taken[c]) % 4096
        assert header.words <= room, f"{self.name}: class {c} has {room} words, {header.words} came"
        self.taken[c] += header.words
        self.occupied[c] += 1
        assert self.expected in (None, header.number), f"{self.name}: number {header.number}"
        self.expected = (header.number + 1) % 4096
        if beat.last:
            self.finish(header, [beat.data])
        else:
            self.packet = (header, [beat.data])

    def finish(self, header, words):
        assert len(words) == header.words, f"{self.name}: {len(words)} of {header.words} words"
        self.next = (header.number + 1) % 4096
        self.marked += header.mark
        self.held = getattr(self, "held", [0] * CLASSES)
        self.held[header.cls] += len(words)
        if header.kind == NOTICE:
            self.notices.append((header, words))
        self.deliver(header, words)

    def free(self):
        """A word a cycle leaves the memory, of a class that is not blocked."""
        if self.free_rate < 1.0 and self.random.random() >= self.free_rate:
            return
        held = getattr(self, "held", None)
        if held is None:
            return
        for _ in range(CLASSES):
            self.free_word = (self.free_word + 1) % CLASSES
            c = self.free_word
            if held[c] and c not in self.blocked:
                held[c] -= 1
                self.occupied[c] -= 1
                self.limit[c] += 1
                return


class Link:
    """RIFL between a port of the switch and an end: delay, sessions, aborts. Words of a session stay in it."""

    def __init__(self, random, end, delay=5):
        self.random, self.end, self.delay = random, end, delay
        self.to_end, self.to_switch = deque(), deque()
        self.up, self.up_switch, self.up_end = False, False, False
        self.ready_rate = 1.0
        self.open_end = self.open_switch = False  # inside of a packet, at the receiving user
        self.tx_open = self.tx_drop = False  # of what the switch sends
        self.end_open = False
        self.rise = None

    def start(self, now, switch_late=0, end_late=0):
        """A session begins; the two ends see it this much later."""
        self.up = True
        self.rise = [now + switch_late, now + end_late]

    def cut(self):
        """The session ends: what is on the way is gone, packets in transfer are aborted."""
        self.up = self.up_switch = False
        self.rise = None
        self.to_end.clear()
        self.to_switch.clear()
        if self.tx_open:
            self.tx_drop = True
        if self.open_end:
            self.end.receive(Beat(0, keep=self.end.partial(), last=True, user=True))
            self.open_end = False
        if self.open_switch:
            keep = self.end.partial()
            self.to_switch.append((0, Beat(0, keep, last=True, user=True)))
        if self.up_end:
            self.up_end = False
            self.end.link(False)

    def tick(self, now):
        if self.rise:
            if now >= self.rise[0]:
                self.up_switch = True
            if now >= self.rise[1] and not self.up_end:
                self.up_end = True
                self.end.link(True)
        if self.to_end and self.to_end[0][0] <= now:
            beat = self.to_end.popleft()[1]
            self.open_end = not beat.last
            self.end.receive(beat)
        self.end.free()
        if self.up:
            beat = self.end.send(now)
            if beat:
                self.to_switch.append((now + self.delay, beat))

    def ready(self):
        """Whether a word of the switch is taken in the next cycle."""
        if self.tx_drop:
            return True
        return self.up and (self.ready_rate >= 1.0 or self.random.random() < self.ready_rate)

    def take(self, now, beat):
        """A word of the switch."""
        if self.tx_drop:
            self.tx_drop = not beat.last
            self.tx_open = not beat.last
            return
        self.tx_open = not beat.last
        self.to_end.append((now + self.delay, beat))

    def give(self, now):
        """The word for the switch in this cycle, or None."""
        if self.to_switch and self.to_switch[0][0] <= now:
            beat = self.to_switch.popleft()[1]
            self.open_switch = not beat.last
            return beat
        return None
