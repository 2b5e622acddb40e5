"""Keyframes, actions and deltas as tokens (docs/trace-language.md, sections 5 and 6).

The functions over stacks serve any source of states; those over an annotated trace only look the stacks up.
"""

from __future__ import annotations

from functools import partial
from typing import Iterable, Optional

from . import tokens as T
from .annotate import AnnotatedTrace
from .errors import EncodeError
from .frames import STACK_LIMIT, Frame, Stack
from .here import encode_here
from .patches import encode_change
from .program import Program
from .truth import true_line
from .values import encode_value

_EMPTY = Frame(0)


def encode_keyframe(program: Program, stack: Stack) -> list[int]:
    """The keyframe of a stack; the empty stack is the state before the entry's call.

    Raises EncodeError (bad_state, unknown_name).
    """
    out = [T.KEYFRAME]
    if not stack:
        return out
    for frame in stack[-STACK_LIMIT:-1]:
        out.append(T.FRAME)
        _position(program, frame, out)
        _locals(program, frame.locals, out)
        _gots(program, frame, out)
    current = stack[-1]
    out.append(_event(current))
    _position(program, current, out)
    _locals(program, current.locals, out)
    _gots(program, current, out)
    _value(program, current, out)
    return out


def encode_action(program: Program, action: str, lines: Optional[Iterable[int]] = None) -> list[int]:
    """An action; `lines` are the physical lines of the breakpoints, each standing for its code line.

    Raises EncodeError (unknown_action, unknown_line).
    """
    token = T.ACTIONS.get(action)
    if token is None:
        raise EncodeError("unknown_action", f"expected one of {', '.join(T.ACTIONS)}, got {action!r}")
    out = [token]
    if action.endswith("breakpoint"):
        out += sorted({program.line_token(line) for line in lines or ()})
        if len(out) == 1:
            raise EncodeError("unknown_line", f"{action} expects at least one line")
    return out


def encode_question(program: Program, stack: Stack, action: str,
                    lines: Optional[Iterable[int]] = None) -> list[int]:
    """What stands between a state and the delta: for a forward action the line about to run, then the action.

    Raises EncodeError (unknown_action, unknown_line, bad_state).
    """
    if action not in T.FORWARD_ACTIONS:
        return encode_action(program, action, lines)
    is_worked = program.shows_workings and action in ("step_into", "step_over")
    worked = partial(true_line, enters=action == "step_into") if is_worked else None
    return encode_here(program, stack, worked) + encode_action(program, action, lines)


def encode_delta(program: Program, before: Stack, after: Stack, common: int, shown: Optional[int] = None,
                 holds: Optional[bool] = None) -> list[int]:
    """The delta from stack `before` to stack `after`.

    `common`: how many frames, from the outermost, stay on the stack between the two (`AnnotatedTrace.common`).
    `shown`: how many frames of `before`, from the top, the context shows; by default those a keyframe shows.
    Changes of a frame that the context does not show are written as if it had been empty.
    `holds`: what the condition on the line about to run came to (`conditions.outcome`), for a step_into or step_over from there.
    Raises EncodeError (bad_state, unknown_name).
    """
    if not 0 <= common <= min(len(before), len(after)) or not after:
        raise EncodeError("bad_state", f"{common} common frames of stacks of {len(before)} and {len(after)}")
    out = [] if holds is None else [T.WORDS[str(holds)]]
    out += [T.POP] * (len(before) - common)
    base = _base(before, common, shown)
    first = max(common - 1, 0)
    for index in range(first, len(after) - 1):
        frame = after[index]
        out.append(T.PUSH)
        _position(program, frame, out)
        _changes(program, base.locals if index == common - 1 else _EMPTY.locals, frame.locals, out)
        _gots(program, frame, out)
    current = after[-1]
    out.append(_event(current))
    _position(program, current, out)
    _changes(program, base.locals if len(after) == common else _EMPTY.locals, current.locals, out)
    _gots(program, current, out)
    _value(program, current, out)
    out.append(T.END)
    return out


def shown_after(shown: int, pops: int, depth: int, common: int) -> int:
    """How many frames, from the top, a context shows after a delta with `pops` pops.

    `shown`: before the delta. `depth`: frames on the stack after it. `common`: frames that stayed on it. The last
    common frame is always written.
    """
    return max(shown - pops, min(common, 1)) + depth - common


def keyframe_at(annotated: AnnotatedTrace, i: int) -> list[int]:
    """The keyframe of event i."""
    return encode_keyframe(annotated.program, annotated.stack(i))


def delta_between(annotated: AnnotatedTrace, i: int, j: int, shown: Optional[int] = None) -> list[int]:
    """The delta from event i to event j (which may be earlier)."""
    return encode_delta(annotated.program, annotated.stack(i), annotated.stack(j), annotated.common(i, j), shown)


def _base(before: Stack, common: int, shown: Optional[int]) -> Frame:
    """What the changes of the last common frame are relative to."""
    if common == 0:
        return _EMPTY
    visible = min(len(before), STACK_LIMIT) if shown is None else shown
    return before[common - 1] if common > len(before) - visible else _EMPTY


def _event(frame: Frame) -> int:
    token = T.EVENTS.get(frame.event or "")
    if token is None:
        raise EncodeError("bad_state", f"the current frame's event: expected one of {', '.join(T.EVENTS)}, "
                          f"got {frame.event!r}")
    return token


def _position(program: Program, frame: Frame, out: list[int]) -> None:
    out.append(program.line_token(frame.line))
    for count in frame.its:
        out.append(T.IT)
        out += T.text_tokens(str(count))


def _slots_of(program: Program, names: Iterable[str]) -> list[tuple[int, str]]:
    slots = program.slots
    try:
        found = [(slots[name], name) for name in names]
    except KeyError as error:
        raise EncodeError("unknown_name", f"expected a name of the program, got {error.args[0]!r}") from None
    found.sort()
    return found


def _locals(program: Program, values: dict[str, str], out: list[int]) -> None:
    for slot, name in _slots_of(program, values):
        out.append(slot)
        out += encode_value(program, values[name])


def _changes(program: Program, before: dict[str, str], after: dict[str, str], out: list[int]) -> None:
    if before is after:
        return
    names = [name for name, value in after.items() if before.get(name) != value]
    names += [name for name in before if name not in after]
    for slot, name in _slots_of(program, names):
        out.append(slot)
        if name in after:
            out += encode_change(program, before.get(name), after[name])
        else:
            out.append(T.DEL)


def _gots(program: Program, frame: Frame, out: list[int]) -> None:
    for value in frame.gots:
        out.append(T.GOT)
        out += encode_value(program, value)


def _value(program: Program, frame: Frame, out: list[int]) -> None:
    if frame.event in ("return", "exception"):
        if frame.value is None:
            raise EncodeError("bad_state", f"a {frame.event} state has no value")
        out.append(T.VALUE)
        out += encode_value(program, frame.value)
