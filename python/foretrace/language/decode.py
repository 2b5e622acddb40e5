"""Deltas from untrusted tokens: a state machine that emits each part as it completes, and their effect on a stack.

Malformed input is a value (`DecodeError`), never an exception. Grammar: docs/trace-language.md, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, NamedTuple, Optional, Union

from . import tokens as T
from .errors import DecodeError
from .frames import STACK_LIMIT, Frame, Stack
from .patches import ADD, DEEPEST, MOST_PATCHES, OPERATIONS, Patch, patched
from .program import Program
from .values import ValueDecoder, token_name

MAX_COUNT_DIGITS = 9
_OUTCOMES = {T.WORDS["True"]: True, T.WORDS["False"]: False}


class Decoded(NamedTuple):
    """One completed part of a delta.

    `kind` and its fields: pop; push; event (text); line (number); it (number); local (name, text; text None: deleted); patched (name, what
    `changes` has of it now); got (text); value (text); end.
    """

    kind: str
    name: Optional[str] = None
    text: Optional[str] = None
    number: Optional[int] = None
    patches: tuple[Patch, ...] = ()


@dataclass
class FrameDelta:
    """What a delta says of one frame. `changes`: name -> new value, the patches of the old one, or None where the name is deleted."""

    line: int = 0
    its: list[int] = field(default_factory=list)
    changes: dict[str, Union[str, tuple[Patch, ...], None]] = field(default_factory=dict)
    gots: list[str] = field(default_factory=list)
    event: Optional[str] = None
    value: Optional[str] = None


@dataclass
class Delta:
    """A whole delta: what a condition came to, frames left, and the frames written, outermost first; the last one carries the event."""

    holds: Optional[bool] = None
    pops: int = 0
    frames: list[FrameDelta] = field(default_factory=list)


class DeltaDecoder:
    """Reads a delta token by token. After the end or an error further tokens change nothing.

    `depth`: frames on the stack before the delta; more pops than that are an error.
    """

    def __init__(self, program: Program, depth: int):
        self.program = program
        self.depth = depth
        self.delta = Delta()
        self.error: Optional[DecodeError] = None
        self.done = False
        self.position = 0
        # start, line, digits0, digits, changes0, changes, local, key, keyed, operand, patched, gots, got, value, last
        self._state = "start"
        self._digits = ""
        self._name = ""
        self._value: Optional[ValueDecoder] = None
        self._spelled: list[int] = []  # the tokens of that value
        self._patch = Patch((), T.DEL)  # the one being read

    def feed(self, token: int) -> list[Decoded]:
        """What `token` completes, in order."""
        if self.done or self.error is not None:
            return []
        out: list[Decoded] = []
        self._step(token, out)
        self.position += 1
        return out

    def finish(self) -> Union[Delta, DecodeError]:
        """The delta, or what is wrong; tokens that stop before `<|end|>` are wrong."""
        if self.error is not None:
            return self.error
        if not self.done:
            return DecodeError("unfinished_delta", self.position, self._expected(), "the end of the tokens")
        return self.delta

    # The machine. Each state's method consumes the token, or closes the state and hands the token on.

    def _step(self, token: int, out: list[Decoded]) -> None:
        state = self._state
        if self._value is not None:
            if self._value.accepts(token):
                self._value.take(token)
                self._spelled.append(token)
                return
            if not self._close_value(token, out):
                return
            state = self._state
        if state == "start":
            self._start(token, out)
        elif state == "line":
            self._line(token, out)
        elif state in ("digits0", "digits"):
            self._count(token, out)
        elif state == "local" and token == T.DEL:
            self._frame().changes[self._name] = None
            out.append(Decoded("local", name=self._name))
            self._state = "changes"
        elif state in ("local", "keyed") and token in (T.IT, *OPERATIONS):
            self._patched(token, out)
        elif state == "keyed":
            self._fail(token)
        elif state in ("local", "key", "operand", "got", "value"):
            self._open_value(token)
        else:
            self._after(token, out)

    def _frame(self) -> FrameDelta:
        return self.delta.frames[-1]

    def _fail(self, token: int, expected: Optional[str] = None) -> None:
        self.error = DecodeError("bad_delta", self.position, expected or self._expected(), token_name(token))

    def _start(self, token: int, out: list[Decoded]) -> None:
        """Before a frame: what a condition came to, pops, a push or the event."""
        if token in _OUTCOMES and self.position == 0:
            self.delta.holds = _OUTCOMES[token]
        elif token == T.POP and not self.delta.frames:
            if self.delta.pops >= self.depth:
                self._fail(token, f"at most {self.depth} pops")
                return
            self.delta.pops += 1
            out.append(Decoded("pop"))
        elif token == T.PUSH:
            self.delta.frames.append(FrameDelta())
            out.append(Decoded("push"))
            self._state = "line"
        elif token in T.EVENT_NAMES:
            self.delta.frames.append(FrameDelta(event=T.EVENT_NAMES[token]))
            out.append(Decoded("event", text=T.EVENT_NAMES[token]))
            self._state = "line"
        else:
            self._fail(token)

    def _line(self, token: int, out: list[Decoded]) -> None:
        line = self.program.line_of_token(token)
        if line is None:
            self._fail(token)
            return
        self._frame().line = line
        out.append(Decoded("line", number=line))
        self._state = "changes0"

    def _count(self, token: int, out: list[Decoded]) -> None:
        if token in T.DIGITS and len(self._digits) < MAX_COUNT_DIGITS and self._digits != "0":
            self._digits += chr(token - T.CHAR_BASE + 0x20)
            self._state = "digits"
        elif self._state == "digits0":
            self._fail(token)
        else:
            number = int(self._digits)
            self._frame().its.append(number)
            out.append(Decoded("it", number=number))
            self._state = "changes0"
            self._after(token, out)

    def _patched(self, token: int, out: list[Decoded]) -> None:
        """The next item of a patch's path, or what is done with the last: what adds to a value or begins a patch may stand alone."""
        if self._state == "local" and token == T.VALUE or token == T.IT and len(self._patch.path) == DEEPEST:
            self._fail(token)
        elif token == T.IT:
            self._state = "key"
        elif token == T.DEL:
            self._end_patch(self._patch._replace(operation=token), out)
        else:
            self._patch = self._patch._replace(operation=token)
            self._state = "operand"

    def _end_patch(self, patch: Patch, out: list[Decoded]) -> None:
        known = self._frame().changes.get(self._name)
        patches = (*(known if isinstance(known, tuple) else ()), patch)
        self._frame().changes[self._name] = patches
        out.append(Decoded("patched", name=self._name, patches=patches))
        self._patch = Patch((), T.DEL)
        self._state = "patched" if len(patches) < MOST_PATCHES else "changes"

    def _after(self, token: int, out: list[Decoded]) -> None:
        """Between the parts of a frame."""
        state = self._state
        if state == "patched" and token in (T.IT, ADD):
            self._patched(token, out)
            return
        state = self._state = "changes" if state == "patched" else state
        if token == T.IT and state == "changes0":
            self._digits, self._state = "", "digits0"
        elif token in self.program.slot_names and state in ("changes0", "changes"):
            name = self.program.slot_names[token]
            if state == "changes" and self.program.slots[self._name] >= token:
                self._fail(token, "slots in ascending order")
                return
            self._name, self._state = name, "local"
        elif token == T.GOT and state in ("changes0", "changes", "gots"):
            self._state = "got"
        elif token == T.VALUE and state != "last" and self._frame().event in ("return", "exception"):
            self._state = "value"
        elif token == T.END and (state == "last" or self._frame().event in ("call", "line")):
            self.done = True
            out.append(Decoded("end"))
        elif token in (T.PUSH, *T.EVENT_NAMES) and self._frame().event is None:
            self._state = "start"
            self._start(token, out)
        else:
            self._fail(token)

    def _open_value(self, token: int) -> None:
        decoder = ValueDecoder(self.program)
        if not decoder.accepts(token):
            self._fail(token)
            return
        decoder.take(token)
        self._value, self._spelled = decoder, [token]

    def _close_value(self, token: int, out: list[Decoded]) -> bool:
        """Ends the value before `token`; False if it may not end there."""
        assert self._value is not None
        missing = self._value.missing()
        if missing is not None:
            self._fail(token, missing)
            return False
        text, self._value = self._value.text(), None
        frame = self._frame()
        if self._state == "local":
            frame.changes[self._name] = text
            out.append(Decoded("local", name=self._name, text=text))
            self._state = "changes"
        elif self._state == "key":
            self._patch = self._patch._replace(path=(*self._patch.path, tuple(self._spelled)))
            self._state = "keyed"
        elif self._state == "operand":
            self._end_patch(self._patch._replace(operand=tuple(self._spelled)), out)
        elif self._state == "got":
            frame.gots.append(text)
            out.append(Decoded("got", text=text))
            self._state = "gots"
        else:
            frame.value = text
            out.append(Decoded("value", text=text))
            self._state = "last"
        return True

    def _expected(self) -> str:
        """What may stand next, in words."""
        state = self._state
        if self._value is not None:
            return self._value.missing() or "a value token or the end of the value"
        if state == "start":
            return "<|push|> or an event" if self.delta.frames else "<|pop|>, <|push|> or an event"
        fixed = {"line": "a line of the program", "digits0": "a digit", "local": "a value, <|del|>, <|it|> or <|o:+=|>", "key": "an index or a key",
                 "keyed": "<|it|>, <|value|>, <|o:+=|> or <|del|>", "operand": "a value", "got": "a value", "value": "a value",
                 "last": "<|end|>", "digits": "a digit or the next part"}
        if state in fixed:
            return fixed[state]
        event = self._frame().event
        parts = {"changes0": "<|it|>, a name, <|got|>", "changes": "a name, <|got|>", "gots": "<|got|>",
                 "patched": "<|it|>, <|o:+=|>, a name, <|got|>"}[state]
        return f"{parts} or " + ("<|push|> or an event" if event is None else
                                 "<|value|>" if event in ("return", "exception") else "<|end|>")


def decode_delta(program: Program, tokens: Iterable[int], depth: int) -> Union[Delta, DecodeError]:
    """The delta of `tokens`, or what is wrong with it. Tokens after `<|end|>` are wrong."""
    decoder = DeltaDecoder(program, depth)
    for token in tokens:
        if decoder.done:
            return DecodeError("bad_delta", decoder.position, "the end of the tokens", token_name(token))
        decoder.feed(token)
        if decoder.error is not None:
            break
    return decoder.finish()


def apply_delta(program: Program, stack: Stack, delta: Delta, shown: Optional[int] = None) -> Union[Stack, DecodeError]:
    """The stack after `delta`. `shown` as in `encode_delta`. The stack given is not changed."""
    if not delta.frames or delta.pops > len(stack) or delta.frames[-1].event is None:
        return DecodeError("bad_delta", 0, f"at most {len(stack)} pops and a frame with an event",
                           f"{delta.pops} pops, {len(delta.frames)} frames")
    visible = min(len(stack), STACK_LIMIT) if shown is None else shown
    common = len(stack) - delta.pops
    out = list(stack[:max(common - 1, 0)])
    base: dict[str, str] = {}
    if common > 0 and delta.pops < visible:
        base = stack[common - 1].locals
    for part in delta.frames:
        values = dict(base)
        for name, change in part.changes.items():
            value = patched(program, values.get(name), change) if isinstance(change, tuple) else change
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
        out.append(Frame(part.line, tuple(part.its), values, tuple(part.gots), part.event, part.value))
        base = {}
    return out
