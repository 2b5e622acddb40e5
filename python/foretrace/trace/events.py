"""What one real run of a program leaves behind: a flat list of events."""

from __future__ import annotations

from dataclasses import dataclass, field

from foretrace.trace.event import Event
from foretrace.trace.event_index import EventIndex
from foretrace.trace.values import DEFAULT_LENGTH


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
    _index: EventIndex | None = field(default=None, repr=False, compare=False)

    @property
    def index(self) -> EventIndex:
        """The index over the events that actions are answered from, built at first use."""
        if self._index is None:
            self._index = EventIndex(self.events, self.stopped is None)
        return self._index

    def stack(self, i: int) -> list[int]:
        """For each frame on the stack at event `i`, outermost first, the index of its latest event <= i.

        Ends with `i` itself. A frame is still on the stack at its own `return` event.
        """
        parent = self.index.parent
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
