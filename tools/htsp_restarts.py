# SPDX-License-Identifier: Apache-2.0
"""Kills a receiver of an HTSP link under load, again and again, and looks for every word.

A sender sends numbered words on three channels, as fast as it can, and is never touched. A receiver
in a process of its own checks every word of its batches, notes them in a log, and is killed at a
random moment; the next one begins. The log then says whether every word was delivered once, in
order and at the right position, or lies where something missing was reported.

usage: python htsp_restarts.py [--restarts N] [--seed N]      (rope0 and rope1: a cable between them)
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import ropewalk
from ropewalk import htsp

CHANNELS = [0, 5, 15]
WORD = 8
BATCH = 1 << 18
PATIENCE = 60.0


def words(channel: int, first: int, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Numbered words of a channel."""
    return np.arange(first, first + count, dtype=np.uint64) << np.uint64(8) | np.uint64(channel)


def send(seed: int) -> None:
    """Sends until a line comes, then a word on each channel now and then until the input ends."""
    ending, ended = threading.Event(), threading.Event()

    def channel(end: ropewalk.Htsp, number: int) -> None:
        dice, first = random.Random(seed * 16 + number), 0
        while not ended.is_set():
            last = ending.is_set()
            count = 1 if last else dice.choice([1, 50, 1000, 1024, 30_000])
            array = words(number, first, count)
            while array.size and not ended.is_set():
                # The rest of what was not taken; the sender does not know of the receiver's end.
                taken = end.send(number, array, timeout=0.5)
                array = array.view(np.uint8)[taken:]
            first += count
            if last:
                time.sleep(0.05)

    with ropewalk.Htsp("rope0") as end:
        threads = [threading.Thread(target=channel, args=(end, number)) for number in CHANNELS]
        for thread in threads:
            thread.start()
        sys.stdin.readline()
        ending.set()
        sys.stdin.read()
        ended.set()
        for thread in threads:
            thread.join()


def receive(log: int, state: Path) -> None:
    """Checks and notes every batch, until it is killed."""
    with htsp.Receiver(
        "rope1", channels=CHANNELS, batch=BATCH, state=state, timeout=PATIENCE
    ) as receiver:
        for batch in receiver:
            found = batch.data.view(np.uint64)
            first = int(found[0]) >> 8 if found.size else None
            if first is not None and not np.array_equal(
                found, words(batch.channel, first, found.size)
            ):
                raise AssertionError(f"channel {batch.channel} at {batch.offset}: other words")
            line = {
                "run": receiver.run,
                "channel": batch.channel,
                "offset": batch.offset,
                "first": first,
                "count": int(found.size),
                "missing": [(it.offset, it.length, it.reason, it.frames) for it in batch.missing],
            }
            os.write(log, json.dumps(line).encode() + b"\n")


@dataclass
class Channel:
    """What a log says of a channel."""

    run: int = 0
    end: int = 0
    next_word: int = 0
    reported: int = 0
    doubted: int = 0


@dataclass
class Scoreboard:
    """Every word is delivered once or lies in a gap that was reported."""

    channels: dict[int, Channel] = field(default_factory=dict)
    delivered: int = 0
    lost: int = 0
    unreported: int = 0
    gaps: int = 0
    restarts: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def check(self, line: dict[str, Any]) -> None:
        """Takes a line of the log; an AssertionError says what is wrong."""
        channel = self.channels.setdefault(line["channel"], Channel())
        offset, missing = line["offset"], line["missing"]
        self.reasons.update(reason for _, _, reason, _ in missing)
        if line["run"] != channel.run:
            taken, _, reason, _ = missing[0]
            assert reason == ("started" if line["run"] == 1 else "restarted"), line
            # What was noted lies between what was taken and what was handed over.
            assert taken <= channel.end <= offset, (channel, line)
            channel.doubted += offset - channel.end
            channel.run = line["run"]
            self.restarts += 1
        else:
            assert offset == channel.end, (channel, line)
        assert all(place <= offset for place, *_ in missing), line
        assert missing or line["count"], line
        channel.reported += len(missing)
        channel.end = offset + line["count"] * WORD
        if line["first"] is None:
            return
        jump = line["first"] - channel.next_word
        assert jump >= 0, f"delivered twice: {channel} {line}"
        assert jump * WORD >= channel.doubted, f"neither noted nor missing: {channel} {line}"
        if jump and not channel.reported:
            self.unreported += 1
            print(f"unreported: {channel} {line}", flush=True)
        self.gaps += jump > 0
        self.lost += jump
        self.delivered += line["count"]
        channel.next_word = line["first"] + line["count"]
        channel.reported = channel.doubted = 0


def wait(log: Path, begin: int, pid: int) -> None:
    """Waits until a receiver has noted words of every channel behind a place of the log."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        lines = log.read_bytes()[begin:].splitlines()[:-1]
        seen = {line["channel"] for line in map(json.loads, lines) if line["count"]}
        if len(seen) == len(CHANNELS):
            return
        assert os.waitpid(pid, os.WNOHANG) == (0, 0), "the receiver has ended"
        time.sleep(0.002)
    raise AssertionError("no words of every channel")


def restart(log: Path, state: Path, restarts: int, dice: random.Random) -> None:
    """Starts receivers, and kills each at a random moment: mostly under load, sometimes before."""
    with log.open("ab", buffering=0) as file:
        for _ in range(restarts):
            begin = log.stat().st_size
            pid = os.fork()
            if pid == 0:
                try:
                    receive(file.fileno(), state)
                finally:
                    os._exit(1)
            if dice.random() < 0.8:
                wait(log, begin, pid)
            time.sleep(dice.random() * 0.1)
            os.kill(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
            assert os.WIFSIGNALED(status), f"a receiver ended by itself: {status}"


def main() -> int:
    """What it found, as a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--send", action="store_true")
    asked = parser.parse_args()
    if asked.send:
        send(asked.seed)
        return 0
    print(f"seed {asked.seed}", flush=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        log, state = Path(folder) / "log", Path(folder) / "state"
        log.touch()
        command = [sys.executable, __file__, "--send", "--seed", str(asked.seed)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as sender:
            restart(log, state, asked.restarts, random.Random(asked.seed))
            assert sender.poll() is None, "the sender has ended"
            # The last receiver is there when the sender comes to its end.
            with log.open("ab", buffering=0) as file:
                begin = log.stat().st_size
                pid = os.fork()
                if pid == 0:
                    receive(file.fileno(), state)
                wait(log, begin, pid)
                sender.stdin.write("end\n")
                sender.stdin.flush()
                time.sleep(1)
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            sender.stdin.close()
        board = Scoreboard()
        for line in log.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                board.check(json.loads(line))
    print(
        json.dumps(
            {
                "seed": asked.seed,
                "restarts": asked.restarts,
                "seconds": round(time.monotonic() - begun, 1),
                "channels_restarted": board.restarts,
                "words_delivered": board.delivered,
                "words_missing": board.lost,
                "gaps_with_loss": board.gaps,
                "unreported": board.unreported,
                "reported": dict(board.reasons),
            }
        )
    )
    return int(board.unreported > 0)


if __name__ == "__main__":
    sys.exit(main())
