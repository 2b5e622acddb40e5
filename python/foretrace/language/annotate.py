"""A raw trace with what a debugger's screen hides: loop counters, values of calls, which frames stay between two events.

Rules: docs/trace-language.md, section 6 (counters, activations) and section 5 (gots).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Optional

from .frames import GOT_LIMIT, Frame, Stack
from .program import Program, ProgramScope

if TYPE_CHECKING:
    from foretrace.trace.event import Event
    from foretrace.trace.events import Trace


class AnnotatedTrace:
    """States of a trace. `frames[i]` is the frame of event i at event i, with its code line; `stack(i)` the whole stack.

    `below[i]`: the index of the event that shows the frame under that of event i (-1: none).
    `activations[i]`: a number for each time a frame was entered (a generator's resumption enters it again).
    `lines_before[i]`: the code line of the event before the latest `line` event in the activation of event i (None: there is none).
    """

    def __init__(self, program: Program):
        self.program = program
        self.frames: list[Frame] = []
        self.scopes: list[Optional[ProgramScope]] = []
        self.below: list[int] = []
        self.activations: list[int] = []
        self.depths: list[int] = []  # frames on the stack
        self.frame_ids: list[int] = []
        self.lines_before: list[Optional[int]] = []
        self._gots: dict[int, tuple[list[int], list[tuple[str, ...]]]] = {}  # frame id -> from which event on, gots

    def __len__(self) -> int:
        return len(self.frames)

    def stack(self, i: int) -> Stack:
        """The frames on the stack at event i, outermost first; the last one carries the event."""
        out = [self.frames[i]]
        k = self.below[i]
        while k >= 0:
            frame = self.frames[k]
            out.append(Frame(frame.line, frame.its, frame.locals, self.gots(self.frame_ids[k], i)))
            k = self.below[k]
        out.reverse()
        return out

    def chain(self, i: int) -> list[int]:
        """For each frame on the stack at event i, outermost first, the index of its latest event."""
        out = []
        while i >= 0:
            out.append(i)
            i = self.below[i]
        out.reverse()
        return out

    def common(self, i: int, j: int) -> int:
        """How many frames, from the outermost, stay on the stack all the way between events i and j."""
        if self.below[i] < 0 or self.below[j] < 0:
            i, j = self._outermost(i), self._outermost(j)
            return 1 if self.activations[i] == self.activations[j] else 0
        count = 0
        for a, b in zip(self.chain(i), self.chain(j)):
            if self.activations[a] != self.activations[b]:
                break
            count += 1
        return count

    def _outermost(self, i: int) -> int:
        while self.below[i] >= 0:
            i = self.below[i]
        return i

    def gots(self, frame_id: int, i: int) -> tuple[str, ...]:
        """The gots of a frame at event i."""
        history = self._gots.get(frame_id)
        if history is None:
            return ()
        at = bisect_right(history[0], i) - 1
        return history[1][at] if at >= 0 else ()

    def _set_gots(self, frame_id: int, start: int, values: tuple[str, ...]) -> None:
        starts, states = self._gots.setdefault(frame_id, ([], []))
        if starts and starts[-1] == start:
            states[-1] = values
        else:
            starts.append(start)
            states.append(values)


def annotate(program: Program, trace: "Trace") -> AnnotatedTrace:
    """The states of `trace`, which is a run of `program`. Locals that are no names of their scope are left out."""
    return _Annotator(program, trace).run()


class _Annotator:
    def __init__(self, program: Program, trace: "Trace"):
        self.program = program
        self.events: "list[Event]" = trace.events
        self.out = AnnotatedTrace(program)
        self.stack: list[list[int]] = []  # frame id, activation, index of the latest event
        self.counters: dict[int, dict[int, int]] = {}  # frame id -> line of `for` -> passes
        self.scope_of: dict[int, Optional[ProgramScope]] = {}
        # Generator expressions begin without a name that would tell which one of their line they are.
        self.names_of: dict[int, set[str]] = {}
        for event in self.events:
            self.names_of.setdefault(event.frame, set()).update(event.locals)
        self.entered = 0
        self.latest_line: dict[int, int] = {}  # activation -> line of its latest event
        self.line_before: dict[int, int] = {}  # activation -> line of the event before its latest `line` event

    def run(self) -> AnnotatedTrace:
        base = self.events[0].depth - 1 if self.events else 0
        for index, event in enumerate(self.events):
            frame_id, depth = event.frame, event.depth - base
            self._enter(index, event, depth)
            line = self.program.code_line_of(event.line)
            scope = self._scope(event, line)
            if event.event == "line":
                if self.out.gots(frame_id, index):
                    self.out._set_gots(frame_id, index, ())
                if scope is not None and scope.loops:
                    self._count(frame_id, scope, line)
            self._record(index, event, scope, line)
            if event.event == "return":
                self._got(index, event)
        return self.out

    def _enter(self, index: int, event: "Event", depth: int) -> None:
        stack = self.stack
        del stack[max(depth, 1):]
        if event.event == "call" or len(stack) < depth or stack[-1][0] != event.frame:
            del stack[depth - 1:]
            stack.append([event.frame, self.entered, index])
            self.entered += 1
        stack[-1][2] = index
        out = self.out
        out.below.append(stack[-2][2] if len(stack) > 1 else -1)
        out.activations.append(stack[-1][1])
        out.depths.append(len(stack))
        out.frame_ids.append(event.frame)

    def _scope(self, event: "Event", line: int) -> Optional[ProgramScope]:
        if event.frame not in self.scope_of:
            below = self.out.below[-1]
            caller = self.out.scopes[below] if below >= 0 else None
            self.scope_of[event.frame] = self.program.scope_of_call(
                line, event.function, self.names_of[event.frame], caller)
        return self.scope_of[event.frame]

    def _count(self, frame_id: int, scope: ProgramScope, line: int) -> None:
        """The counting rule."""
        around = scope.loops_of(line)
        before = self.counters.get(frame_id, {})
        after = {first: before.get(first, 0) for first in around}
        if line in after and line in before:
            after[line] += 1
        self.counters[frame_id] = after

    def _record(self, index: int, event: "Event", scope: Optional[ProgramScope], line: int) -> None:
        its: tuple[int, ...] = ()
        shown: dict[str, str] = {}
        if scope is not None:
            around = scope.loops_of(line)
            if around:
                counters = self.counters.get(event.frame, {})
                its = tuple(counters.get(first, 0) for first in around)
            values = event.locals
            shown = {name: values[name] for name in scope.names if name in values}
        activation = self.stack[-1][1]
        if event.event == "line" and activation in self.latest_line:
            self.line_before[activation] = self.latest_line[activation]
        self.latest_line[activation] = line
        self.out.lines_before.append(self.line_before.get(activation))
        self.out.scopes.append(scope)
        self.out.frames.append(
            Frame(line, its, shown, self.out.gots(event.frame, index), event.event,
                  event.value if event.event in ("return", "exception") else None))

    def _got(self, index: int, event: "Event") -> None:
        """A value returned joins the gots of the frame below, unless the call ended by an exception there."""
        if len(self.stack) < 2 or event.value is None:
            return
        caller = self.stack[-2][0]
        if index + 1 < len(self.events):
            following = self.events[index + 1]
            # CPython reports a frame that an exception leaves as one that returns None.
            if event.value == "None" and following.event == "exception" and following.frame == caller:
                return
        values = (*self.out.gots(caller, index + 1), event.value)[-GOT_LIMIT:]
        self.out._set_gots(caller, index + 1, values)
