"""The index over the events of one run that actions are answered from.

It is computed once in O(n), so that an action costs O(1), a breakpoint O(lines * log n).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from foretrace.trace.event import Event

NONE = -1


class EventIndex:
    """Index arrays over the events of one run; NONE where there is no such event.

    `end` is the event at which the run ended; NONE for a run that a limit stopped: its last event is only the last
    one that was seen.

    As a tree, the depth of a node is the depth of the call stack: the children of an event are the events
    one frame deeper that happen before the next event at its depth or above.
    """

    __slots__ = ('events', 'end', 'parent', 'next_over', 'previous_over', 'frame_return', 'frame_call', '_line_events',
                 '_children')

    def __init__(self, events: Sequence[Event], complete: bool = True) -> None:
        count = len(events)
        self.events = events
        self.end = count - 1 if complete else NONE
        self.parent = [NONE] * count
        self.next_over = [NONE] * count
        self.previous_over = [NONE] * count
        self.frame_return = [NONE] * count
        self.frame_call = [NONE] * count
        self._line_events: dict[int, list[int]] = {}
        self._children: list[list[int]] | None = None
        latest: list[int] = []  # by depth: the latest event of the frame that is there now
        calls: list[int] = []  # by depth: the call event of that frame
        for i, event in enumerate(events):
            depth = event.depth
            if event.event == 'line':
                self._line_events.setdefault(event.line, []).append(i)
            for closed in latest[depth - 1:]:
                self.next_over[closed] = i
            del latest[depth:], calls[depth:]
            if len(latest) < depth:
                latest.append(i)
                calls.append(i)
                # The first event of a frame whose sibling is gone: nearest earlier one not deeper.
                self.previous_over[i] = latest[depth - 2] if depth > 1 else NONE
            else:
                self.previous_over[i] = latest[depth - 1]
                latest[depth - 1] = i
                if event.event == 'call':
                    calls[depth - 1] = i
            self.parent[i] = latest[depth - 2] if depth > 1 else NONE
            self.frame_call[i] = calls[depth - 1]
        self._find_returns()

    def _find_returns(self) -> None:
        following: list[int] = []  # by depth: the return event that comes next there
        for i in range(len(self.events) - 1, -1, -1):
            event = self.events[i]
            depth = event.depth
            del following[depth:]
            following.extend([NONE] * (depth - len(following)))
            if event.event == 'return':
                following[depth - 1] = i
            self.frame_return[i] = following[depth - 1]
            if event.event == 'call':
                following[depth - 1] = NONE

    def children(self, i: int) -> list[int]:
        """The events one frame deeper that belong to event `i`, in order. NONE gives the roots."""
        if self._children is None:
            self._children = [[] for _ in range(len(self.events) + 1)]
            for child, parent in enumerate(self.parent):
                self._children[parent].append(child)  # the roots' parent is -1: the last list
        return self._children[i]

    def next_line(self, i: int, lines: Iterable[int]) -> int:
        """The first `line` event after `i` on one of the lines, or NONE."""
        best = NONE
        for line in lines:
            found = self._line_events.get(line)
            if found:
                at = bisect_right(found, i)
                if at < len(found) and (best == NONE or found[at] < best):
                    best = found[at]
        return best

    def previous_line(self, i: int, lines: Iterable[int]) -> int:
        """The last `line` event before `i` on one of the lines, or NONE."""
        best = NONE
        for line in lines:
            found = self._line_events.get(line)
            if found:
                at = bisect_left(found, i) - 1
                if at >= 0 and found[at] > best:
                    best = found[at]
        return best

    def lines_after(self, i: int) -> list[int]:
        """The lines that some `line` event after `i` is on, ascending."""
        return sorted(line for line, found in self._line_events.items() if found[-1] > i)

    def lines_before(self, i: int) -> list[int]:
        """The lines that some `line` event before `i` is on, ascending."""
        return sorted(line for line, found in self._line_events.items() if found[0] < i)
