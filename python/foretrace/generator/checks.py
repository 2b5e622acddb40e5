"""Running a generated program within limits, to refuse those that run long, raise unplanned or grow large values."""

from __future__ import annotations

import dis
import io
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from types import CodeType

EVENT_LIMIT = 150
TEXT_LIMIT = 100
NUMBER_LIMIT = 10**12
ITEM_LIMIT = 60
MEMORY_LIMIT = 256 << 20
"""Bytes of address space that a run may add to the process. One expression can ask for gigabytes, as `set(range(m))` does
for an `m` that is no large number."""
_UNWINDING_EVENTS = 500
FILE_NAME = "<generated>"
_HIDDEN = ("<listcomp>", "<setcomp>", "<dictcomp>")


class LimitReached(BaseException):
    """A run went over a limit. Not an Exception, so that the program's own handlers let it through."""


@dataclass(frozen=True)
class Run:
    """How a run ended: `events` seen, `error` the name of the uncaught exception, `refused` the limit it broke."""

    events: int
    error: str | None
    refused: str | None


def run(source: str, call: str, event_limit: int = EVENT_LIMIT) -> Run:
    """Run a program under the limits. Programs terminate by construction; the limits only bound how far."""
    try:
        code = compile(source, FILE_NAME, "exec")
        entry = compile(call, "<entry>", "eval")
    except (SyntaxError, ValueError) as error:
        return Run(0, None, f"syntax: {error}")
    # Dataclasses look their module up in sys.modules, so the name must be of one that is there.
    space: dict = {"__name__": "__main__"}
    watch = _Watch(event_limit)
    error, refused = None, None
    before = sys.gettrace()
    output = io.StringIO()
    with redirect_stdout(output), _bounded_memory():
        try:
            exec(code, space)
            sys.settrace(watch.call)
            try:
                eval(entry, space)
            finally:
                sys.settrace(before)
        except LimitReached as limit:
            refused = str(limit)
        except MemoryError:  # of the module body: nothing is watched there
            refused = "memory"
        except Exception as raised:  # whatever the program raises is an outcome, not a failure of the check
            error = type(raised).__name__
    return Run(watch.events, error, watch.refused or refused)


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Inside, an allocation that goes MEMORY_LIMIT beyond what the process has now raises MemoryError. Linux only."""
    try:
        with open("/proc/self/statm", "rb") as file:
            present = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    tightest = min((bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY), default=present + MEMORY_LIMIT)
    resource.setrlimit(resource.RLIMIT_AS, (min(tightest, present + MEMORY_LIMIT), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _inlined_comprehensions(code: CodeType) -> list[range]:
    """Offsets of the comprehensions that CPython 3.12 and newer compile into the function: variables are put aside, then comes the loop."""
    found, start = [], None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_FAST_AND_CLEAR" and start is None:
            start = instruction.offset
        elif instruction.opname == "FOR_ITER" and start is not None:
            found.append(range(start, instruction.argval + 1))
            start = None
    return found


class _Watch:
    """The trace functions: count events and look at the locals."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.events = 0
        self.refused: str | None = None
        self._comprehensions: dict[CodeType, list[range]] = {}

    def call(self, frame, event, argument):
        code = frame.f_code
        if code.co_filename != FILE_NAME or code.co_name in _HIDDEN:
            return None
        self.events += 1
        return self.local

    def local(self, frame, event, argument):
        if event == "line" and sys.version_info >= (3, 12) and self._is_inlined(frame):
            return self.local
        self.events += 1
        if self.refused is not None and self.events < self.limit + _UNWINDING_EVENTS:
            return self.local  # the refused run unwinds: finally blocks, generators being closed
        if self.events > self.limit:
            self.stop("events")
        if event == "exception" and argument[0] is MemoryError:
            self.stop("memory")
        values = frame.f_locals.values()
        for value in values:
            kind = type(value)
            if kind is int:
                if not -NUMBER_LIMIT < value < NUMBER_LIMIT:
                    self.stop("number")
            elif kind is str or kind is list or kind is dict:
                if len(value) > ITEM_LIMIT:
                    self.stop("size")
        if event == "return":
            for value in values:
                self.measure(value)
            self.measure(argument)
        return self.local

    def _is_inlined(self, frame) -> bool:
        """Whether a comprehension runs, which is one expression and had a frame of its own before CPython 3.12."""
        code = frame.f_code
        if code not in self._comprehensions:
            self._comprehensions[code] = _inlined_comprehensions(code)
        return any(frame.f_lasti in offsets for offsets in self._comprehensions[code])

    def measure(self, value) -> None:
        kind = type(value)
        if kind is int or kind is bool or value is None:
            return
        if kind is float or kind is complex:
            if len(repr(value)) > 22:
                self.stop("digits")
        elif kind in _CONTAINERS and len(repr(value)) > TEXT_LIMIT:
            self.stop("text")

    def stop(self, reason: str) -> None:
        self.refused = reason
        raise LimitReached(reason)


_CONTAINERS = (str, list, dict, set, tuple, bytes)
