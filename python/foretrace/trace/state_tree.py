"""The state tree of one real run: from an event and an action to the next event."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from foretrace.trace.errors import TraceError
from foretrace.trace.event_index import NONE, EventIndex
from foretrace.trace.events import Trace

FORWARD = ('step_into', 'step_over', 'step_return', 'breakpoint', 'continue')
REVERSE = ('inv_step_into', 'inv_step_over', 'inv_step_call', 'inv_breakpoint', 'inv_continue')
ACTIONS = FORWARD + REVERSE


def _step_return(index: EventIndex, i: int, lines: Iterable[int]) -> int:
    return index.next_over[i] if index.events[i].event == 'return' else index.frame_return[i]


def _inv_step_call(index: EventIndex, i: int, lines: Iterable[int]) -> int:
    return index.previous_over[i] if index.events[i].event == 'call' else index.frame_call[i]


def _breakpoint(index: EventIndex, i: int, lines: Iterable[int]) -> int:
    found = index.next_line(i, lines)
    return index.end if found == NONE else found


def _inv_breakpoint(index: EventIndex, i: int, lines: Iterable[int]) -> int:
    return max(index.previous_line(i, lines), 0)


# Each answers for an `i` that has an event on the side it looks at.
_MOVES: dict[str, Callable[[EventIndex, int, Iterable[int]], int]] = {
    'step_into': lambda index, i, lines: i + 1,
    'step_over': lambda index, i, lines: index.next_over[i],
    'step_return': _step_return,
    'breakpoint': _breakpoint,
    'continue': lambda index, i, lines: index.end,
    'inv_step_into': lambda index, i, lines: i - 1,
    'inv_step_over': lambda index, i, lines: index.previous_over[i],
    'inv_step_call': _inv_step_call,
    'inv_breakpoint': _inv_breakpoint,
    'inv_continue': lambda index, i, lines: 0,
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
        found = move(trace.index, i, lines)
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
    index = trace.index
    if i < count - 1:
        found.append('step_into')
        if index.next_over[i] != NONE:
            found.append('step_over')
        if _step_return(index, i, ()) != NONE:
            found.append('step_return')
        if index.end != NONE:
            found += 'breakpoint', 'continue'
        elif index.lines_after(i):
            found.append('breakpoint')
    if i > 0:
        found.append('inv_step_into')
        if index.previous_over[i] != NONE:
            found.append('inv_step_over')
        if _inv_step_call(index, i, ()) != NONE:
            found.append('inv_step_call')
        found += 'inv_breakpoint', 'inv_continue'
    return found
