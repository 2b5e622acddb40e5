"""An event: one stop of a debugger in a real run."""

from __future__ import annotations

from dataclasses import dataclass

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
