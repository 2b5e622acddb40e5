"""A known run, run again: with locals edited at one of its events, or with expressions evaluated at some.

The program must do again what it did: where a replay meets an event that the known run does not have, it has
lost its way and says so (`diverged`), or leaves the answers out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FrameType

from foretrace.trace.errors import TraceError
from foretrace.trace.evaluation import Answer, Expression, FrameEvaluator, compile_expression
from foretrace.trace.event import Event
from foretrace.trace.events import Trace
from foretrace.trace.guard import GUARD
from foretrace.trace.program import FramePlan
from foretrace.trace.recorder import Recorder
from foretrace.trace.tracer import Limits, run
from foretrace.trace.values import canonical

DELETED = None
"""In edits: the name is unbound."""

Edits = Mapping[str, 'str | None']
Visit = Callable[[int, FrameType, FramePlan], 'dict[str, str] | None']


class ReplayRecorder(Recorder):
    """Records the known events again without looking at their values, except at `stops`, where it calls `visit`.

    `visit(index, frame, plan)` answers None, or the locals to show instead: then the run is another from there
    on, and all that follows is recorded anew. After the last stop of an unedited run the replay ends.
    """

    def __init__(self, *limits: object, known: Sequence[Event], stops: Sequence[int], visit: Visit) -> None:
        super().__init__(*limits)
        self._known = known
        self._stops = frozenset(stops)
        self._last = max(stops)
        self._visit = visit
        self.edited = False
        self.diverged = False

    def _record(self, frame: FrameType, event: str, value: str | None, plan: FramePlan) -> None:
        index = len(self.events)
        if self.edited or index > self._last:
            super()._record(frame, event, value, plan)
            return
        past = self._known[index]
        same = (past.event == event and past.line == frame.f_lineno and past.frame == self._numbers[-1]
                and past.depth == len(self._stack))
        if same and index not in self._stops:
            self.events.append(past)
            return
        super()._record(frame, event, value, plan)
        if index in self._stops and len(self.events) > index:
            self._arrive(index, frame, plan)

    def _arrive(self, index: int, frame: FrameType, plan: FramePlan) -> None:
        here = self.events[index]
        if here != self._known[index]:
            # It may be the entry of a generator that only closes, which the recorder takes back.
            if here.event != 'call':
                self.diverged = True
                self.stop('diverged')
            return
        shown = self._visit(index, frame, plan)
        if shown is not None:
            self.edited = True
            self.events[index] = Event(here.event, here.line, here.depth, here.frame, shown, here.value, here.function)
        elif index == self._last and self.stopped is None:
            self.stop('replayed')


def evaluate(trace: Trace, asked: Mapping[int, Sequence[str]], limits: Limits | None = None,
             ) -> dict[int, list[Answer | None]]:
    """For each event index the answers to the expressions asked there, in one replay of `trace`.

    An answer is ('value', text) or ('exception', text), or None: the text does not compile, a value it needs
    could not be copied, it took too long, or the replay did not come there. Raises TraceError: index_out_of_range.
    """
    limits = _limits(trace, limits)
    answers: dict[int, list[Answer | None]] = {index: [None] * len(texts) for index, texts in asked.items()}
    compiled = {text: compile_expression(text) for texts in asked.values() for text in texts}
    stops = [index for index, texts in asked.items() if any(compiled[text] for text in texts)]
    _require_indices(trace, asked)
    if not stops:
        return answers

    def visit(index: int, frame: FrameType, plan: FramePlan) -> None:
        evaluator = FrameEvaluator(frame, limits.max_length)
        answers[index] = [None if compiled[text] is None else evaluator.answer(compiled[text])
                          for text in asked[index]]

    try:
        _replay(trace, stops, visit, limits)
    except TraceError:
        pass  # the answers found so far stand
    return answers


def edit(trace: Trace, index: int, edits: Edits, limits: Limits | None = None, more: int | None = None,
         line: int | None = None) -> Trace:
    """The run of `trace` with locals of the frame at event `index` changed there; events before it are the known ones.

    `edits`: name -> a Python expression, evaluated in that frame before any edit, or None to unbind the name.
    `more`: how many events after `index` at most; the trace then ends as `event_limit`. `line`: of a `line` event,
    go on from this line of the same function instead, as a debugger's `jump` does.
    Raises TraceError: index_out_of_range, unknown_name (not a name of the frame), edit_failed (an expression does
    not compile or raises, this CPython, 3.12 or later, cannot unbind, or it cannot jump there), diverged.
    """
    limits = _limits(trace, limits, None if more is None else index + 1 + more)
    _require_indices(trace, [index])
    compiled = {name: None if text is DELETED else _compiled_edit(name, text) for name, text in edits.items()}
    failed: list[TraceError] = []
    arrived: list[int] = []

    def visit(at: int, frame: FrameType, plan: FramePlan) -> dict[str, str] | None:
        arrived.append(at)
        try:
            if line is not None and line != frame.f_lineno:
                _jump(frame, line)
            return _edit_frame(frame, plan, compiled, limits.max_length)
        except TraceError as error:
            failed.append(error)
            return None

    found = _replay(trace, [index], visit, limits)
    if failed:
        raise failed[0]
    if line is not None and arrived:
        _show_jump(found, index, line)
    if not arrived:
        raise TraceError('diverged', 'the run did not come to the event again', str(trace.events[index].to_json()),
                         f'{len(found.events)} events, {found.stopped or "ended"}')
    return found


def _limits(trace: Trace, limits: Limits | None, more: int | None = None) -> Limits:
    """The limits given, with the length of values that the known run has: its events are compared."""
    found = replace(limits) if limits is not None else Limits()
    found.max_length = trace.max_length
    if more is not None:
        found.max_events = min(found.max_events, more)
    return found


def _replay(trace: Trace, stops: Sequence[int], visit: Visit, limits: Limits) -> Trace:
    def make_recorder(*values: object) -> Recorder:
        return ReplayRecorder(*values, known=trace.events, stops=stops, visit=visit)

    return run(trace.source, trace.call, limits, make_recorder)


def _require_indices(trace: Trace, indices: Sequence[int]) -> None:
    for index in indices:
        if not 0 <= index < len(trace.events):
            raise TraceError('index_out_of_range', 'no such event', f'0 to {len(trace.events) - 1}', str(index))


def _compiled_edit(name: str, text: str) -> Expression:
    found = compile_expression(text)
    if found is None:
        raise TraceError('edit_failed', f'the new value of {name} does not compile', 'an expression', text)
    return found


def _jump(frame: FrameType, line: int) -> None:
    """Raises TraceError (edit_failed) where CPython refuses: another function, into a loop or handler."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # "assigning None to unbound local"
            frame.f_lineno = line
    except ValueError as error:
        raise TraceError('edit_failed', f'cannot go on from line {line}', 'a line of the same block', str(error)) from None


def _show_jump(trace: Trace, index: int, line: int) -> None:
    """The jump's own event gets its new line; a second event of the same state is one too many."""
    here = trace.events[index]
    trace.events[index] = replace(here, line=line)
    if trace.events[index + 1:index + 2] == [trace.events[index]]:
        del trace.events[index + 1]


def _edit_frame(frame: FrameType, plan: FramePlan, edits: Mapping[str, Expression | None],
                limit: int) -> dict[str, str]:
    """Changes the frame's locals; returns what it shows then. Nothing is changed if anything fails.

    Up to CPython 3.12 the names are written back when the trace function returns, from the one dictionary that
    `f_locals` gives, and reading `f_locals` again before then would undo the edits; from 3.13 on they are written
    through.
    """
    bound = frame.f_locals
    values: dict[str, object] = {}
    for name, expression in edits.items():
        if name not in plan.names:
            raise TraceError('unknown_name', 'no name of the frame', ', '.join(plan.names), name)
        if expression is not None:
            result = GUARD.call(_edited_value, (expression, {**frame.f_globals, **dict(bound)}))
            if result is None:
                raise TraceError('edit_failed', f'the new value of {name} raised or took too long', 'a value',
                                 expression.text)
            values[name] = result[0]
    deleted = [name for name, expression in edits.items() if expression is None and name in bound]
    if deleted and sys.version_info >= (3, 12):  # 3.12 would give them the value None
        raise TraceError('edit_failed', 'names cannot be unbound from outside on this CPython', 'CPython 3.10 or 3.11',
                         ', '.join(deleted))
    for name, value in values.items():
        bound[name] = value
    for name in deleted:
        del bound[name]
    return {name: canonical(bound[name], limit) for name in plan.names if name in bound}


def _edited_value(task: tuple[Expression, dict]) -> tuple[object]:
    return (eval(task[0].code, task[1]),)
