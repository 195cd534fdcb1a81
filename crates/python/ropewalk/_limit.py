# SPDX-License-Identifier: Apache-2.0
"""Waits with a limit, in steps, between which signals are seen."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

# Longest step of a wait.
STEP = 0.05


class Limit:
    """The time that a call may take, seconds; None is no limit."""

    def __init__(self, timeout: float | None) -> None:
        if timeout is not None and not timeout >= 0:
            raise ValueError(f"timeout {timeout}: accepted are None and 0 seconds or more")
        self.end = math.inf if timeout is None else time.monotonic() + timeout

    def left(self) -> float:
        """Seconds."""
        return max(0.0, self.end - time.monotonic())

    def steps(self) -> Iterator[float]:
        """Lengths of steps: one at least, as many as there is time for."""
        while True:
            left = self.left()
            yield min(left, STEP)
            if left == 0:
                return
