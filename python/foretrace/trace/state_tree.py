"""Actions on one real run: from an event and an action to the next event.

The indices are computed once in O(n), so that an action costs O(1), a breakpoint O(lines * log n).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from foretrace.trace.errors import TraceError
from foretrace.trace.events import Event, Trace

FORWARD = ('step_into', 'step_over', 'step_return', 'breakpoint', 'continue')
REVERSE = ('inv_step_into', 'inv_step_over', 'inv_step_call', 'inv_breakpoint', 'inv_continue')
ACTIONS = FORWARD + REVERSE
NONE = -1


class StateTree:
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


def _step_return(tree: StateTree, i: int, lines: Iterable[int]) -> int:
    return tree.next_over[i] if tree.events[i].event == 'return' else tree.frame_return[i]


def _inv_step_call(tree: StateTree, i: int, lines: Iterable[int]) -> int:
    return tree.previous_over[i] if tree.events[i].event == 'call' else tree.frame_call[i]


def _breakpoint(tree: StateTree, i: int, lines: Iterable[int]) -> int:
    found = tree.next_line(i, lines)
    return tree.end if found == NONE else found


def _inv_breakpoint(tree: StateTree, i: int, lines: Iterable[int]) -> int:
    return max(tree.previous_line(i, lines), 0)


# Each answers for an `i` that has an event on the side it looks at.
_MOVES: dict[str, Callable[[StateTree, int, Iterable[int]], int]] = {
    'step_into': lambda tree, i, lines: i + 1,
    'step_over': lambda tree, i, lines: tree.next_over[i],
    'step_return': _step_return,
    'breakpoint': _breakpoint,
    'continue': lambda tree, i, lines: tree.end,
    'inv_step_into': lambda tree, i, lines: i - 1,
    'inv_step_over': lambda tree, i, lines: tree.previous_over[i],
    'inv_step_call': _inv_step_call,
    'inv_breakpoint': _inv_breakpoint,
    'inv_continue': lambda tree, i, lines: 0,
}


def step(trace: Trace, i: int, action: str, lines: Iterable[int] = ()) -> int:
    """The index of the event where `action` from event `i` stops.

    Raises TraceError: past_end or past_start where the run has no such event (a run that a limit stopped
    lacks the end that `continue` and a breakpoint that is never reached look for, and may lack the return that
    step_over or step_return looks for), unknown_action, no_lines (a breakpoint without lines),
    index_out_of_range.
    """
    move = _MOVES.get(action)
    if move is None:
        raise TraceError('unknown_action', 'no such action', ', '.join(ACTIONS), repr(action))
    count = len(trace.events)
    if not 0 <= i < count:
        raise TraceError('index_out_of_range', 'no such event', f'0 to {count - 1}', str(i))
    reverse = action.startswith('inv_')
    if action.endswith('breakpoint'):
        lines = tuple(lines)
        if not lines:
            raise TraceError('no_lines', 'a breakpoint needs lines', 'at least one line', 'none')
    found = NONE
    if i > 0 if reverse else i < count - 1:
        found = move(trace.tree, i, lines)
    if found == NONE:
        if reverse:
            raise TraceError('past_start', f'{action} finds nothing before event {i}')
        what = f'{action} finds nothing after event {i}'
        if trace.stopped is not None:
            what += f' of a run that was stopped ({trace.stopped}) before its end'
        raise TraceError('past_end', what)
    return found


def available(trace: Trace, i: int) -> list[str]:
    """The actions that lead somewhere from event `i`, forward ones first, in the order of ACTIONS.

    In a run that a limit stopped, `breakpoint` leads somewhere only with a line that is still reached.
    """
    found = []
    count = len(trace.events)
    tree = trace.tree
    if i < count - 1:
        found.append('step_into')
        if tree.next_over[i] != NONE:
            found.append('step_over')
        if _step_return(tree, i, ()) != NONE:
            found.append('step_return')
        if tree.end != NONE:
            found += 'breakpoint', 'continue'
        elif tree.lines_after(i):
            found.append('breakpoint')
    if i > 0:
        found.append('inv_step_into')
        if tree.previous_over[i] != NONE:
            found.append('inv_step_over')
        if _inv_step_call(tree, i, ()) != NONE:
            found.append('inv_step_call')
        found += 'inv_breakpoint', 'inv_continue'
    return found
