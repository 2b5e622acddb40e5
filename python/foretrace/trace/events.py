"""What one real run of a program leaves behind: a flat list of events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from foretrace.trace.values import DEFAULT_LENGTH

if TYPE_CHECKING:
    from foretrace.trace.state_tree import StateTree

EVENT_KINDS = ('call', 'line', 'return', 'exception')


@dataclass(slots=True)
class Event:
    """One stop of a debugger in one frame of the program."""

    event: str
    """'call', 'line', 'return' or 'exception'."""
    line: int
    """Physical line number, 1-based."""
    depth: int
    """Shown frames on the stack, this one included: 1 is the entry frame."""
    frame: int
    """Number of the frame, from 0 in order of first sight. A resumed generator keeps its number."""
    locals: dict[str, str]
    """Name -> canonical value, of the names bound at this moment."""
    value: str | None
    """The returned value or the exception; None for 'call' and 'line'."""
    function: str
    """Name of the function, `<lambda>` or `<genexpr>`."""

    def to_json(self) -> dict:
        """A JSON object with every field; `value` is left out where there is none."""
        data = {'event': self.event, 'line': self.line, 'depth': self.depth, 'frame': self.frame,
                'function': self.function, 'locals': self.locals}
        if self.value is not None:
            data['value'] = self.value
        return data

    @staticmethod
    def from_json(data: dict) -> Event:
        """The event that `to_json` wrote. Raises ValueError for an unknown event kind."""
        if data['event'] not in EVENT_KINDS:
            raise ValueError(f"event is one of {EVENT_KINDS}, not {data['event']!r}")
        return Event(data['event'], data['line'], data['depth'], data['frame'], data['locals'],
                     data.get('value'), data['function'])


@dataclass(slots=True)
class Trace:
    """One run: the events of the program's own frames, the entry's `call` first."""

    source: str
    call: str
    events: list[Event]
    stopped: str | None = None
    """None for a run that ended by itself, else the limit that ended it: event_limit, time_limit,
    output_limit, memory_limit, depth_limit; or tracing_lost (the program removed or replaced the trace function, also that of one frame)."""
    output: str = ''
    """What the program printed (stdout and stderr), cut at the output limit."""
    max_length: int = DEFAULT_LENGTH
    """Characters that one value may have; longer ones are cut."""
    _tree: StateTree | None = field(default=None, repr=False, compare=False)

    @property
    def tree(self) -> StateTree:
        """The index over the events that actions are answered from, built at first use."""
        if self._tree is None:
            from foretrace.trace.state_tree import StateTree
            self._tree = StateTree(self.events, self.stopped is None)
        return self._tree

    def stack(self, i: int) -> list[int]:
        """For each frame on the stack at event `i`, outermost first, the index of its latest event <= i.

        Ends with `i` itself. A frame is still on the stack at its own `return` event.
        """
        parent = self.tree.parent
        found = []
        while i >= 0:
            found.append(i)
            i = parent[i]
        found.reverse()
        return found

    def to_json(self) -> dict:
        """A JSON object that holds the whole trace."""
        return {'source': self.source, 'call': self.call, 'stopped': self.stopped, 'output': self.output,
                'max_length': self.max_length, 'events': [event.to_json() for event in self.events]}

    @staticmethod
    def from_json(data: dict) -> Trace:
        """The trace that `to_json` wrote."""
        return Trace(data['source'], data['call'], [Event.from_json(event) for event in data['events']],
                     data['stopped'], data['output'], data.get('max_length', DEFAULT_LENGTH))
