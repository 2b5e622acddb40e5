"""Rows for one update after the other: straight from the stream, or made ready by threads while the device computes.

Where the device is faster than the tracing workers, rows may be seen again: every row up to `reuse` times, shuffled
within pools of some thousand rows, so that a row comes again millions of tokens later. Fresh rows come first always.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Callable, Deque, List, Optional, Tuple

from .batch import Row

CHUNK_ROWS = 16
READY_UPDATES = 4
FRESH_ROWS = 8192  # how many rows may wait
MOST_POOLS = 16

Position = Tuple[int, int]


@dataclass
class Update:
    """What one update reads. position: where the stream goes on; batches: what `collate` made of the rows."""

    batches: object
    position: Position
    fresh: int
    reused: int


class DirectLoader:
    """Takes rows when they are asked for. Repeats exactly; the stream's workers run ahead by themselves."""

    def __init__(self, stream, collate: Callable[[List[Row]], object]):
        self.stream, self.collate = stream, collate
        self.waited = 0.0

    def next(self, count: int) -> Update:
        """The next `count` rows."""
        began = time.monotonic()
        rows = self.stream.take(count)
        self.waited += time.monotonic() - began
        return Update(self.collate(rows), self.stream.position, count, 0)

    def close(self) -> None:
        self.stream.close()


class Pools:
    """Rows seen before, in pools that are shuffled by a seed and each read `reuse` - 1 times more."""

    def __init__(self, reuse: int, rows: int, seed: int):
        self.reuse, self.rows, self.seed = reuse, rows, seed
        self.filling: List[Row] = []
        self.waiting: Deque[Tuple[int, int, List[Row]]] = deque()  # (pool, pass, rows)
        self.made = 0
        self.reading: List[Row] = []

    def add(self, rows: List[Row]) -> None:
        """Fresh rows that have just been used."""
        if self.reuse < 2:
            return
        self.filling += rows
        if len(self.filling) >= self.rows:
            self.waiting.append((self.made, 1, self.filling))
            self.made, self.filling = self.made + 1, []
            if len(self.waiting) > MOST_POOLS:
                self.waiting.popleft()

    def take(self, count: int) -> List[Row]:
        """Up to `count` old rows."""
        taken: List[Row] = []
        while len(taken) < count and (self.reading or self.waiting):
            if not self.reading:
                pool, turn, rows = self.waiting.popleft()
                self.reading = list(rows)
                Random(f"reuse:{self.seed}:{pool}:{turn}").shuffle(self.reading)
                if turn + 1 < self.reuse:
                    self.waiting.append((pool, turn + 1, rows))
            taken.append(self.reading.pop())
        return taken


class ThreadedLoader:
    """Two threads: one receives rows from the workers, one makes updates of them. Rows arrive as fast as they are made,
    so the mixture of fresh and old rows depends on the machine; their order within each kind does not."""

    def __init__(self, stream, collate: Callable[[List[Row]], object], count: int, reuse: int = 1,
                 pool_rows: int = 8192, seed: int = 0):
        self.stream, self.collate, self.count = stream, collate, count
        self.waited = 0.0
        self.pools = Pools(reuse, pool_rows, seed)
        self.fresh: "queue.Queue" = queue.Queue(FRESH_ROWS // CHUNK_ROWS)
        self.ready: "queue.Queue" = queue.Queue(READY_UPDATES)
        self.stopped = threading.Event()
        self.lost: Optional[str] = None
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._receive, self._assemble)]
        for thread in self.threads:
            thread.start()

    def next(self, count: int) -> Update:
        """The next update. `count` takes effect on updates that are not yet made ready."""
        self.count = count
        began = time.monotonic()
        made = self.ready.get()
        self.waited += time.monotonic() - began
        if isinstance(made, Exception):
            raise made
        return made

    def _put(self, target: "queue.Queue", value) -> bool:
        while not self.stopped.is_set():
            try:
                target.put(value, timeout=0.2)
                return True
            except queue.Full:
                continue
        return False

    def _receive(self) -> None:
        try:
            while True:
                rows = self.stream.take(CHUNK_ROWS)
                if not self._put(self.fresh, (rows, self.stream.position)):
                    return
        except Exception as error:  # handed on: the main thread decides
            self._put(self.fresh, error)

    def _assemble(self) -> None:
        position, kept = self.stream.position, []
        try:
            while not self.stopped.is_set():
                rows, fresh, position = self._gathered(self.count, position, kept)
                if not self._put(self.ready, Update(self.collate(rows), position, fresh, len(rows) - fresh)):
                    return
        except Exception as error:
            self._put(self.ready, error)

    def _gathered(self, count: int, position: Position, kept: List[Row]):
        """(rows, how many are fresh, position). What is over of the last chunk waits in `kept`."""
        least = -(-count // self.pools.reuse)
        new, old = kept[:count], []
        del kept[: len(new)]
        while len(new) + len(old) < count:
            if self.fresh.empty() and (len(new) >= least or self.lost):
                old += self.pools.take(count - len(new) - len(old))
                if len(new) + len(old) == count:
                    break
            if self.lost:
                raise RuntimeError(f"stream_lost: no rows are left to train on: {self.lost}")
            found = self.fresh.get()
            if isinstance(found, Exception):
                if self.pools.reuse < 2:
                    raise found
                self.lost = f"{type(found).__name__}: {found}"
                print(f"the stream failed, old rows are used from here on: {self.lost}", flush=True)
                self.pools.reuse = 1 << 30
                continue
            rows, position = found
            room = count - len(new) - len(old)
            new += rows[:room]
            kept += rows[room:]
        self.pools.add(new)
        return new + old, len(new), position

    def close(self) -> None:
        """Ends the threads and the stream's workers."""
        self.stopped.set()
        self.stream.stop()  # what the receiving thread still reads is closed when it has ended
        for thread in self.threads:
            thread.join(timeout=2.0)
        self.stream.close()
