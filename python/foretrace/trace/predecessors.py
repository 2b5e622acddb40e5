"""Whether a predicted earlier state really leads to a known one: execution is many-to-one, so many may.

A candidate is put into a real run: the run is repeated up to an event that stands where the candidate stands, the
locals of its frame are replaced by the candidate's, and the program goes on. Values are rebuilt from their text
where it is a literal; objects are taken over from the frame where the text is the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from foretrace.trace.bounded_writer import CUT
from foretrace.trace.errors import TraceError
from foretrace.trace.event import EVENT_KINDS, Event
from foretrace.trace.events import Trace
from foretrace.trace.replay import edit
from foretrace.trace.state_tree import REVERSE, step
from foretrace.trace.tracer import Limits

ANCHORS_MOST = 3
EXTRA_EVENTS = 200
LITERAL_CALLS = frozenset(('set()', 'frozenset()'))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A predicted state: event, physical line, locals by name, and the value of a return or exception."""

    event: str
    line: int
    locals: Mapping[str, str] = field(default_factory=dict)
    value: str | None = None

    @staticmethod
    def from_json(data: Mapping) -> Candidate:
        """Raises TraceError (bad_candidate) for anything that is no state."""
        found = Candidate(data.get('event'), data.get('line'), data.get('locals') or {}, data.get('value'))
        texts = isinstance(found.locals, dict) and all(isinstance(text, str) for text in found.locals.values())
        if found.event not in EVENT_KINDS or type(found.line) is not int or not texts:
            raise TraceError('bad_candidate', 'a candidate is a state', '{event, line, locals, value?}', repr(data)[:200])
        return found


def judge(trace: Trace, index: int, action: str, candidates: Sequence[Candidate], lines: Iterable[int] = (),
          limits: Limits | None = None) -> list[bool | None]:
    """For each candidate whether the forward movement that matches `action` leads from it to event `index`.

    `inv_step_into` and `inv_step_over` are matched by their forward twins; `inv_step_call` by running the frame from
    its call, `inv_continue` by running the entry, `inv_breakpoint` by going on without another stop on `lines`, until
    the known state occurs. States are equal in event, line, function, depth, locals and value. None: it cannot be
    told, for instance because a value is no literal or no event of the run stands where the candidate stands.
    Raises TraceError as `state_tree.step` does, and unknown_action for a forward action.
    """
    if action not in REVERSE:
        raise TraceError('unknown_action', 'predecessors belong to reverse actions', ', '.join(REVERSE), repr(action))
    lines = tuple(lines)
    target = step(trace, index, action, lines)
    limits = limits if limits is not None else Limits()
    task = _Task(trace, index, action, lines, target, limits)
    return [task.verdict(candidate) for candidate in candidates]


@dataclass(frozen=True, slots=True)
class _Task:
    trace: Trace
    index: int
    action: str
    lines: tuple[int, ...]
    target: int
    limits: Limits

    def verdict(self, candidate: Candidate) -> bool | None:
        real = self.trace.events[self.target]
        if (candidate.event, candidate.line, dict(candidate.locals), candidate.value) == (
                real.event, real.line, real.locals, real.value):
            return True
        if not self._fits(candidate, real):
            return False
        verdict: bool | None = None
        for anchor in self._anchors(candidate):
            found = self._run_from(anchor, candidate, None)
            if found is True or (found is False and anchor == self.target):
                return found
            if found is False and not self._in_loop(candidate.line):
                verdict = False
        if verdict is None and self._can_jump(candidate, real):
            return self._run_from(self.target, candidate, candidate.line)
        return verdict

    def _fits(self, candidate: Candidate, real: Event) -> bool:
        """Whether a movement of this kind can stop in a state of the candidate's kind at all."""
        if self.action in ('inv_continue', 'inv_step_call') and real.event == 'call':
            return (candidate.event, candidate.line) == (real.event, real.line)
        if self.action == 'inv_breakpoint' and real.event == 'line' and real.line in self.lines:
            return candidate.event == 'line' and candidate.line in self.lines
        return True

    def _anchors(self, candidate: Candidate) -> list[int]:
        """Events of the run that stand where the candidate stands, the likeliest first."""
        events, real = self.trace.events, self.trace.events[self.target]
        if self.action in ('inv_continue', 'inv_step_call') and real.event == 'call':
            return [self.target]
        places = [i for i, event in enumerate(events)
                  if event.event == candidate.event and event.line == candidate.line and event.depth == real.depth]
        places.sort(key=lambda i: (i != self.target, events[i].frame != real.frame, i >= self.index, abs(i - self.target)))
        return places[:ANCHORS_MOST]

    def _in_loop(self, line: int) -> bool:
        """Whether a `for` loop runs around the line: its iterator is state that a candidate does not show."""
        return any(isinstance(node, ast.For) and node.lineno <= line <= (node.end_lineno or node.lineno)
                   for node in ast.walk(ast.parse(self.trace.source)))

    def _can_jump(self, candidate: Candidate, real: Event) -> bool:
        return candidate.event == real.event == 'line' and candidate.line != real.line

    def _run_from(self, anchor: int, candidate: Candidate, line: int | None) -> bool | None:
        """Puts the candidate in the place of event `anchor` and looks where it leads."""
        here = self.trace.events[anchor]
        if candidate.value != here.value:
            return None  # what a call returns or raises cannot be replaced
        edits = _edits(here.locals, candidate.locals)
        if edits is None:
            return None
        more = 4 if self.action == 'inv_step_into' else len(self.trace.events) + EXTRA_EVENTS
        try:
            made = edit(self.trace, anchor, edits, replace(self.limits, kill=None), more, line)
            if made.events[anchor].locals != dict(candidate.locals):
                return None  # the texts were not what the values look like
            return _MATCHES[self.action](self, made, anchor)
        except TraceError as error:
            return False if error.code == 'unknown_name' else None

    def is_known(self, event: Event) -> bool:
        known = self.trace.events[self.index]
        return (event.event, event.line, event.depth, event.function, event.locals, event.value) == (
            known.event, known.line, known.depth, known.function, known.locals, known.value)


def _edits(here: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str | None] | None:
    """What makes the locals `wanted` of the locals `here`; None if a text is no literal and no object has it."""
    edits: dict[str, str | None] = {name: None for name in here if name not in wanted}
    for name, text in wanted.items():
        if here.get(name) == text:
            continue
        if not _is_literal(text):
            source = next((other for other, shown in here.items() if shown == text), None)
            if source is None or text.endswith(CUT):
                return None
            text = source
        edits[name] = text
    return edits


def _is_literal(text: str) -> bool:
    if text in LITERAL_CALLS:
        return True
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return text != '...' and not text.startswith(' ')


def _one_step(task: _Task, made: Trace, at: int) -> bool | None:
    return task.is_known(made.events[at + 1]) if at + 1 < len(made.events) else _unknown_end(made)


def _one_step_over(task: _Task, made: Trace, at: int) -> bool | None:
    found = made.index.next_over[at]
    return task.is_known(made.events[found]) if found >= 0 else _unknown_end(made)


def _in_the_frame(task: _Task, made: Trace, at: int) -> bool | None:
    if task.trace.events[task.index].event == 'call':
        return _one_step_over(task, made, at)
    frame = made.events[at].frame
    if any(event.frame == frame and task.is_known(event) for event in made.events[at + 1:]):
        return True
    return False if made.index.frame_return[at] >= 0 else _unknown_end(made)


def _until_a_stop(task: _Task, made: Trace, at: int) -> bool | None:
    for event in made.events[at + 1:]:
        if task.is_known(event):
            return True
        if event.event == 'line' and event.line in task.lines:
            return False
    return _unknown_end(made)


def _anywhere(task: _Task, made: Trace, at: int) -> bool | None:
    return any(task.is_known(event) for event in made.events[at + 1:]) or _unknown_end(made)


def _unknown_end(made: Trace) -> bool | None:
    """False where the run ended by itself without coming there, None where a limit ended it."""
    return False if made.stopped is None else None


_MATCHES: dict[str, Callable[[_Task, Trace, int], bool | None]] = {
    'inv_step_into': _one_step, 'inv_step_over': _one_step_over, 'inv_step_call': _in_the_frame,
    'inv_breakpoint': _until_a_stop, 'inv_continue': _anywhere,
}
