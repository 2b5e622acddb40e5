"""The learning rate as a factor of its peak: over tokens, and for runs of a fixed time also over the clock."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Callable, Optional


def learning_rate(tokens: int, warmup: int, decay_from: int, decay_tokens: int) -> float:
    """Factor of the peak rate: linear warm-up, constant, and from `decay_from` (negative: never) linear to 0."""
    rate = min(1.0, (tokens + 1) / max(1, warmup))
    if decay_from >= 0 and tokens >= decay_from:
        rate *= max(0.0, 1 - (tokens - decay_from) / max(1, decay_tokens))
    return rate


@dataclass
class Clock:
    """A run that ends `seconds` after `started` (time.time()), whatever it has reached by then.

    decay_from: seconds after which the rate falls linearly to 0, reached at the end; None: it stays."""

    seconds: float
    decay_from: Optional[float] = None
    started: float = field(default_factory=time.time)
    now: Callable[[], float] = time.time

    def passed(self) -> float:
        return self.now() - self.started

    def left(self) -> float:
        return self.seconds - self.passed()

    def over(self) -> bool:
        return self.left() <= 0

    def factor(self) -> float:
        """What the learning rate is multiplied by at this moment."""
        if self.decay_from is None:
            return 1.0
        return min(1.0, max(0.0, self.left() / max(1e-9, self.seconds - self.decay_from)))
