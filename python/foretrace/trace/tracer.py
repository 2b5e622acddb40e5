"""Running a program under the trace function, in this process.

A limit must end the run even if the program then loops for ever, and nothing may be raised inside the
trace function (CPython swallows it when a generator closes). So a limit only switches tracing off and arms
a timer; the timer's signal handler raises `_Stop` in the program, outside the trace function, and again
every few milliseconds for a program that swallows it. That ends all but two kinds of program: one that
catches BaseException in an endless loop, and one inside a single endless C call. For these
`Limits.kill` exists: a process made for one run passes a function that writes the trace and exits
(`sandbox.trace` does, and also has a parent that kills it).
"""

from __future__ import annotations

import builtins
import gc
import io
import random
import signal
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from foretrace.trace.errors import TraceError
from foretrace.trace.events import Trace
from foretrace.trace.guard import GUARD
from foretrace.trace.program import COLLECT, EntryCode, collect, compile_entry, compile_program, enters_once
from foretrace.trace.recorder import Recorder
from foretrace.trace.values import DEFAULT_LENGTH, canonical

RECURSION_LIMIT = 6_000
FIRST_STOP_SECONDS = 0.0002
NEXT_STOP_SECONDS = 0.01
BUSY_TICKS_MOST = 30


@dataclass(slots=True)
class Limits:
    """What one run may use."""

    max_events: int = 10_000
    max_depth: int = 400
    """Shown frames on the stack. Far below the recursion limit, whose exact place differs by version."""
    max_length: int = DEFAULT_LENGTH
    """Characters of one value."""
    seconds: float = 5.0
    """Wall time of the module body and the call together."""
    max_output: int = 65_536
    """Characters the program may print."""
    memory_bytes: int = 512 * 1024 * 1024
    """Address space; sandbox only."""
    file_bytes: int = 1024 * 1024
    """Size of a written file; sandbox only."""
    kill: Callable[[Trace], None] | None = None
    """Called at the first limit, with the trace so far; expected not to return."""


class _Stop(BaseException):
    """Raised in the program by the timer, to end it."""


class _Output(io.TextIOBase):
    """The program's stdout and stderr, kept up to a limit."""

    encoding = 'utf-8'
    errors = 'strict'

    def __init__(self, limit: int, on_full: Callable[[], None]) -> None:
        self.parts: list[str] = []
        self._room = limit
        self._on_full = on_full

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f'write() argument must be str, not {type(text).__name__}')
        if self._room >= 0:
            self.parts.append(text[:self._room])
            self._room -= len(text)
            if self._room < 0:
                self._on_full()
        return len(text)


class _Run:
    """One run and everything of the process that it changes and puts back."""

    def __init__(self, source: str, call: str, limits: Limits, make_recorder: Callable[..., Recorder]) -> None:
        self.source = source
        self.call = call
        self.limits = limits
        self.output = _Output(limits.max_output, self._output_full)
        self.recorder = make_recorder(limits.max_events, limits.max_depth, limits.max_length,
                                      perf_counter() + limits.seconds, self._limit_reached)
        self.running = False
        self.busy_ticks = 0

    def trace(self) -> Trace:
        """The trace so far."""
        return Trace(self.source, self.call, self.recorder.events, self.recorder.stopped,
                     ''.join(self.output.parts), self.limits.max_length)

    def _output_full(self) -> None:
        if self.running:
            self.recorder.stop('output_limit')

    def _limit_reached(self) -> None:
        if self.limits.kill is not None:
            self.limits.kill(self.trace())
        if self.running:
            signal.setitimer(signal.ITIMER_REAL, FIRST_STOP_SECONDS, NEXT_STOP_SECONDS)

    def _tick(self, number: int, frame: object) -> None:
        if not self.running:
            return
        if self.recorder.busy:
            # Up to CPython 3.12 a frame's `f_locals` keeps a deleted object until the frame's next event, so
            # its finalizer runs inside the trace function: after a while it must be that, and endless.
            self.busy_ticks += 1
            if self.busy_ticks < BUSY_TICKS_MOST:
                return
        self.busy_ticks = 0
        if self.recorder.stopped is None:
            self.recorder.stop('time_limit')
        raise _Stop

    def execute(self) -> Trace:
        code = compile_program(self.source)
        entry = compile_entry(self.call)
        with _Surroundings(self) as module:
            try:
                function, positional, named = self._prepare(code, entry, module)
                self._call(function, positional, named)
            except _Stop:
                self.running = False
        trace = self.trace()
        require_events(trace)
        return trace

    def _prepare(self, code: types.CodeType, entry: EntryCode, module: types.ModuleType) -> tuple:
        space = module.__dict__
        part = 'the module body'
        try:
            exec(code, space)
            part = 'the entry'
            function = eval(entry.callee, space)
            positional, named = eval(entry.arguments, space, {COLLECT: collect})
            if not callable(function):
                raise TypeError(f'{type(function).__name__} object is not callable')
            return function, positional, named
        except _Stop:
            raise
        except BaseException as error:
            actual = canonical(error, self.limits.max_length)
            raise TraceError('entry_failed', f'{part} raised', 'no exception', actual) from None

    def _call(self, function: Callable, positional: tuple, named: dict) -> None:
        recorder = self.recorder
        recorder.enters_once = enters_once(function)
        lost = False
        result = None  # kept until tracing ends: dropping a generator would run its end under the tracer
        try:
            sys.settrace(recorder.trace_call)
            try:
                result = function(*positional, **named)
            finally:
                lost = sys.gettrace() is not recorder.trace_call
                sys.settrace(None)
                self.running = False
        except _Stop:
            pass
        except BaseException:  # the trace already shows how the program ended
            pass
        self.running = False
        del result
        if (lost or recorder.has_lost) and recorder.stopped is None:
            recorder.stopped = 'tracing_lost'


class _Surroundings:
    """What a program sees of the process: streams, random numbers, `__main__`; put back afterwards."""

    def __init__(self, run: _Run) -> None:
        self._run = run

    def __enter__(self) -> types.ModuleType:
        run = self._run
        self._streams = sys.stdin, sys.stdout, sys.stderr, sys.argv
        self._main = sys.modules.get('__main__')
        self._recursion_limit = sys.getrecursionlimit()
        self._random_state = random.getstate()
        self._handler = signal.getsignal(signal.SIGALRM)
        self._collecting = gc.isenabled()
        self._unraisable = sys.unraisablehook
        sys.unraisablehook = self._report_unraisable
        module = types.ModuleType('__main__')
        module.__dict__['__builtins__'] = builtins
        random.seed(0)
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), run.output, run.output
        sys.argv = ['program.py']
        sys.modules['__main__'] = module
        sys.setrecursionlimit(max(self._recursion_limit, RECURSION_LIMIT))
        # When cycles are collected is chance, and `__del__` and weak references would show it.
        gc.disable()
        GUARD.give_up = self._give_up
        run.running = True
        signal.signal(signal.SIGALRM, run._tick)
        signal.setitimer(signal.ITIMER_REAL, max(run.limits.seconds, 0.001), NEXT_STOP_SECONDS)
        return module

    def _give_up(self) -> None:
        self._run.recorder.stop('time_limit')

    def _report_unraisable(self, report: object) -> None:
        if not issubclass(report.exc_type, _Stop):
            self._unraisable(report)

    def __exit__(self, *error: object) -> None:
        self._run.running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler if self._handler is not None else signal.SIG_DFL)
        GUARD.give_up = None
        sys.unraisablehook = self._unraisable
        sys.stdin, sys.stdout, sys.stderr, sys.argv = self._streams
        if self._main is not None:
            sys.modules['__main__'] = self._main
        sys.setrecursionlimit(self._recursion_limit)
        random.setstate(self._random_state)
        if self._collecting:
            gc.enable()


def require_events(trace: Trace) -> None:
    """Raise TraceError for a run without events: not_traced, or the limit that ended it before the call."""
    if trace.events:
        return
    if trace.stopped is not None:
        raise TraceError(trace.stopped, 'a limit ended the program before the call entered it')
    raise TraceError('not_traced', 'the call entered no frame of the program',
                     'a function of the program that runs when it is called', trace.call)


def run(source: str, call: str, limits: Limits | None = None,
        make_recorder: Callable[..., Recorder] = Recorder) -> Trace:
    """Trace one run in this process, which trusts the program not to harm it; see `sandbox.trace`.

    Only in the main thread, because limits are timers. Raises TraceError: invalid_python, invalid_entry,
    entry_failed (the module body, the callee or an argument raised), not_traced (the call entered no frame
    of the program, as a builtin or a generator function does), not_main_thread, and the code of a limit
    (see Trace.stopped) that was reached before the first event. `make_recorder` is called as `Recorder` is.
    """
    if threading.current_thread() is not threading.main_thread():
        raise TraceError('not_main_thread', 'programs are traced in the main thread', 'the main thread',
                         threading.current_thread().name)
    return _Run(source, call, limits if limits is not None else Limits(), make_recorder).execute()
