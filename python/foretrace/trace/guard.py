"""Calling code that cannot be trusted to end: the `__repr__` of another module, which may run one of the program."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable

# Processor time, not wall time: a busy machine must not change what a value looks like.
FIRST_TICK_SECONDS = 0.1
NEXT_TICK_SECONDS = 0.02
# A function that swallows this many interruptions in a row is reported to `give_up`.
PATIENCE_TICKS = 50


class _TooLong(BaseException):
    """Raised inside the guarded call; BaseException so that `except Exception` does not stop it."""


class _NullWriter:
    """Stands in for stdout and stderr: what a `__repr__` prints is no output of the program."""

    encoding = 'utf-8'
    errors = 'strict'

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


class Guard:
    """One timer for one process; only the main thread can use it.

    `give_up` is called from the signal handler when a guarded function keeps swallowing the
    interruption: nothing inside the process can end it, so a process made for one run ends itself there.
    """

    def __init__(self) -> None:
        self.give_up: Callable[[], None] | None = None
        self._active = False
        self._ticks = 0
        self._installed = False

    def call(self, function: Callable, value: object) -> object:
        """`function(value)`, or None if it raised, ran too long, or returned None."""
        if self._active or threading.current_thread() is not threading.main_thread():
            return self._call_plainly(function, value)
        if not self._installed or signal.getsignal(signal.SIGVTALRM) != self._tick:
            signal.signal(signal.SIGVTALRM, self._tick)
            self._installed = True
        saved = sys.stdout, sys.stderr
        result = None
        try:
            try:
                sys.stdout = sys.stderr = _NullWriter()
                self._ticks = 0
                self._active = True
                signal.setitimer(signal.ITIMER_VIRTUAL, FIRST_TICK_SECONDS, NEXT_TICK_SECONDS)
                result = function(value)
            finally:
                self._active = False
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            if self._ticks:  # it was interrupted and went on
                result = None
        except BaseException:  # a hostile function may raise anything, and a tick may land in the finally
            self._active = False
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            result = None
        sys.stdout, sys.stderr = saved
        return result

    def _call_plainly(self, function: Callable, value: object) -> object:
        try:
            return function(value)
        except _TooLong:
            raise
        except BaseException:
            return None

    def _tick(self, number: int, frame: object) -> None:
        if not self._active:
            return
        self._ticks += 1
        if self._ticks > PATIENCE_TICKS and self.give_up is not None:
            self.give_up()
        raise _TooLong


GUARD = Guard()
