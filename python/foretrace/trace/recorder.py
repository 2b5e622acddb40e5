"""The trace function: turns what CPython reports into events."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dis import opname
from time import perf_counter
from types import FrameType

from foretrace.trace.event import Event
from foretrace.trace.program import PROGRAM_FILE, FramePlan, plan_frame
from foretrace.trace.values import canonical

NO_NAMES: frozenset[str] = frozenset()
DELEGATIONS = ('SEND', 'END_SEND', 'YIELD_FROM')


class Recorder:
    """Records the events of one run.

    Nothing is ever raised in the trace function: when a limit is reached, the reason is recorded,
    tracing ends and `on_stop` is told, which ends the program from elsewhere.

    A generator that waits in a `yield from` and is thrown into runs nothing itself until the inner one has ended: CPython
    reports neither that it is entered nor that it is left, so it is not on the stack meanwhile (its frame's `f_back` says it is).
    """

    def __init__(self, max_events: int, max_depth: int, max_length: int, deadline: float,
                 on_stop: Callable[[], None]) -> None:
        self.events: list[Event] = []
        self.stopped: str | None = None
        self.busy = False
        """True while the trace function runs: no interruption may be raised then."""
        self.enters_once = False
        """The entry enters one frame of the program and then returns: the end of that frame is the end of the run."""
        self._is_over = False
        self._has_lost = False
        self._max_events = max_events
        self._max_depth = max_depth
        self._max_length = max_length
        self._deadline = deadline
        self._on_stop = on_stop
        self._stack: list[FrameType] = []
        self._numbers: list[int] = []
        self._next_number = 0
        # Frame number -> line and offset of its latest `line` event; CPython 3.12+ only.
        self._lines: dict[int, tuple[int, int]] = {}
        self._plans: dict[int, FramePlan] = {}
        # Generators that were left: id of the frame -> its number.
        self._left: dict[int, int] = {}
        self.trace_call = self._trace_call
        self.trace_local = self._trace_local

    def stop(self, reason: str) -> None:
        """End the run; the first reason stays."""
        if self.stopped is None:
            self.stopped = reason
        sys.settrace(None)
        self._on_stop()

    def _plan(self, frame: FrameType) -> FramePlan:
        code = frame.f_code
        plan = self._plans.get(id(code))
        if plan is None:
            plan = self._plans[id(code)] = plan_frame(code)  # the plan keeps the code alive, so its id too
        return plan

    def _trace_call(self, frame: FrameType, event: str, argument: object) -> Callable | None:
        if frame.f_code.co_filename != PROGRAM_FILE or self.stopped is not None or self._is_over:
            return None
        self.busy = True
        try:
            plan = self._plan(frame)
            if plan.hidden:
                return None
            self._enter(frame, plan)
            self._record(frame, 'call', None, plan)
            return self.trace_local
        except BaseException as error:
            self._fail(error)
            return None
        finally:
            self.busy = False

    def _trace_local(self, frame: FrameType, event: str, argument: object) -> Callable | None:
        if self.stopped is not None or self._is_over:
            return None
        self.busy = True
        try:
            plan = self._plan(frame)
            if not self._stack or self._stack[-1] is not frame:
                self._resynchronise(frame, plan)
            if event == 'line':
                if plan.shortcuts is None or not self._is_extra_line(frame, plan):
                    self._record(frame, event, None, plan)
            elif event == 'return':
                if not (plan.generator and self._drop_empty_close()):
                    self._record(frame, event, canonical(argument, self._max_length), plan)
                self._leave(frame, plan)
            elif event == 'exception':
                return self._trace_exception(frame, plan, argument[0], argument[1])
            return self.trace_local
        except BaseException as error:
            self._fail(error)
            return None
        finally:
            self.busy = False

    def _is_extra_line(self, frame: FrameType, plan: FramePlan) -> bool:
        """Whether CPython 3.12+ reports a line here that earlier versions do not.

        That is inside inlined comprehensions, and (in 3.12) again after a call in `a and b(c)`, although the
        line has not changed and no loop has come round.
        """
        offset = frame.f_lasti
        if plan.inlined and plan.is_inlined(offset):
            return True
        number = self._numbers[-1]
        line, before = self._lines.get(number, (0, 0))
        self._lines[number] = frame.f_lineno, offset
        return frame.f_lineno == line and offset > before and offset in plan.shortcuts

    def _trace_exception(self, frame: FrameType, plan: FramePlan, kind: type, error: object) -> Callable | None:
        if kind is MemoryError:
            self.stop('memory_limit')
            return None
        # The end of a `yield from` is reported as an exception since CPython 3.12.
        if plan.generator and kind is StopIteration and (
                opname[frame.f_code.co_code[frame.f_lasti]] in DELEGATIONS):
            return self.trace_local
        self._record(frame, 'exception', canonical(kind() if error is None else error, self._max_length), plan)
        return self.trace_local

    def _drop_empty_close(self) -> bool:
        """Whether the current frame was a generator that closed without running anything; forgets it then.

        Up to CPython 3.11 a generator that never ran is entered to be closed, up to 3.12 one that waits
        outside any `try` is; later versions do not enter it. Nothing happens there, so no event shows it.
        """
        number = self._numbers[-1]
        if len(self.events) < 2:
            return False
        entered, closed = self.events[-2:]
        if not (entered.event == 'call' and entered.frame == closed.frame == number
                and closed.event == 'exception' and closed.value == 'GeneratorExit()'):
            return False
        del self.events[-2:]
        if number == self._next_number - 1 and all(past.frame != number for past in self.events):
            self._next_number = number
        return True

    def _fail(self, error: BaseException) -> None:
        """An error of the recording itself, which in practice is a lack of memory or stack."""
        if isinstance(error, MemoryError):
            self.stop('memory_limit')
        elif isinstance(error, RecursionError):
            self.stop('depth_limit')
        else:
            self.stop(f'internal_error: {type(error).__name__}: {error}')

    def _enter(self, frame: FrameType, plan: FramePlan) -> None:
        number = None
        if plan.generator:
            number = self._left.pop(id(frame), None)
            # A fresh frame may reuse a dead one's id.
            if frame.f_lasti <= plan.start:
                number = None
        if number is None:
            number = self._next_number
            self._next_number += 1
        self._stack.append(frame)
        self._numbers.append(number)

    def _leave(self, frame: FrameType, plan: FramePlan) -> None:
        self._stack.pop()
        number = self._numbers.pop()
        # What runs when the frame's names are dropped (a generator is closed, `__del__` called) is no part of the call.
        self._is_over = self.enters_once and not self._stack
        if plan.generator:
            self._left[id(frame)] = number

    def _resynchronise(self, frame: FrameType, plan: FramePlan) -> None:
        """Some versions report no call when an exception is thrown into a generator (close, throw)."""
        while self._stack and frame not in self._stack and not _is_below(self._stack[-1], frame):
            self._forget()
        if frame in self._stack:
            while self._stack[-1] is not frame:
                self._forget()
            return
        self._enter(frame, plan)
        self._record(frame, 'call', None, plan)

    def _forget(self) -> None:
        """Take a frame off that was left without a `return` event."""
        self._stack.pop()
        self._numbers.pop()
        self._has_lost = True

    @property
    def has_lost(self) -> bool:
        """Whether a frame has no `return` event although the run is over: the program removed the frame's trace function."""
        return self._has_lost or len(self._stack) > 0

    def _record(self, frame: FrameType, event: str, value: str | None, plan: FramePlan) -> None:
        depth = len(self._stack)
        if len(self.events) >= self._max_events:
            self.stop('event_limit')
            return
        if depth > self._max_depth:
            self.stop('depth_limit')
            return
        if perf_counter() > self._deadline:
            self.stop('time_limit')
            return
        number = self._numbers[-1]
        covered = plan.inlined_names(frame.f_lasti) if plan.inlined and event != 'line' else NO_NAMES
        shown = self._locals(frame, plan, covered)
        if covered:
            self._restore(covered, number, shown)
        if self.stopped is None:
            self.events.append(Event(event, self._line(frame, number), depth, number, shown, value,
                                     frame.f_code.co_name))

    def _line(self, frame: FrameType, number: int) -> int:
        """The frame's line. CPython has none where `except*` raises the rest again: it stays the line of the latest event then."""
        if frame.f_lineno is not None:
            return frame.f_lineno
        return next((past.line for past in reversed(self.events) if past.frame == number), frame.f_code.co_firstlineno)

    def _locals(self, frame: FrameType, plan: FramePlan, covered: frozenset[str]) -> dict[str, str]:
        bound = frame.f_locals
        names = plan.names
        if covered:
            # Name by name: CPython 3.13.0 crashes on reading a cell that a comprehension has cleared.
            names = tuple(name for name in names if name not in covered)
        elif type(bound) is not dict:  # a write-through proxy since CPython 3.13
            bound = dict(bound)
        limit = self._max_length
        return {name: canonical(bound[name], limit) for name in names if name in bound}

    def _restore(self, covered: frozenset[str], number: int, shown: dict[str, str]) -> None:
        """Inside an inlined comprehension its variables cover the function's: show the function's."""
        before = next((past.locals for past in reversed(self.events) if past.frame == number), {})
        for name in covered:
            if name in before:
                shown[name] = before[name]


def _is_below(frame: FrameType, top: FrameType) -> bool:
    """Whether `frame` is a caller, at any distance, of `top`."""
    walker = top.f_back
    while walker is not None:
        if walker is frame:
            return True
        walker = walker.f_back
    return False
