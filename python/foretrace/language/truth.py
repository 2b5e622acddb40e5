"""What CPython answers to workings: expressions over literals, evaluated without running anything of the program."""

from __future__ import annotations

import ast
import math
import warnings
from collections import Counter, deque
from functools import lru_cache
from types import CodeType, SimpleNamespace
from typing import Optional, Sequence

from ..trace.guard import GUARD
from ..trace.values import canonical
from . import tokens as T
from .attributes import value_at
from .constants import tables
from .default_dicts import default_dicts
from .frames import Frame
from .known_calls import FUNCTIONS
from .literals import is_literal
from .program import Program
from .spelled import as_answered
from .values import decode_value, encode_value
from .workings import Answer, Ask, worked_expression, worked_line

LONGEST_POWER, LONGEST_FACTOR = 4, 6  # digits from which on no power or shift, and no repetition, is worked out
MOST_BITS, MOST_ITEMS = 1 << 16, 1_000_000  # of what an operator makes
_COLLECTIONS = {"inf": math.inf, "nan": math.nan, "set": set, "deque": deque, "Counter": Counter}
_DOT = T.CHARS["."]
_QUOTES = (T.CHARS["'"], T.CHARS['"'])
_OPERATOR_TEXT = {token: f" {text} " for text, token in T.OPERATORS.items()}


def true_line(program: Program, code: Sequence[int], frame: Frame, enters: bool = True) -> list[int]:
    """`worked_line` with the answers of CPython."""
    return worked_line(program, code, frame, truth(program, frame), enters)


def true_expression(program: Program, code: Sequence[int], frame: Frame) -> list[int]:
    """`worked_expression` with the answers of CPython."""
    return worked_expression(program, code, frame, truth(program, frame))


def asked_workings(program: Program, code: Sequence[int], frame: Frame, enters: bool = True) -> "list[tuple[Sequence[int], Answer]]":
    """The questions behind `true_line`, in their order, with their answers as they are written, also those that cannot be used."""
    known, found = truth(program, frame), []

    def ask(part: Sequence[int], question: Sequence[int]) -> Optional[Answer]:
        answer = known(part, question)
        if answer is not None:
            found.append((question, as_answered(question, answer)))
        return answer

    worked_line(program, code, frame, ask, enters)
    return found


def truth(program: Program, frame: Frame) -> Ask:
    """Answers questions for code tokens in the frame, as CPython does."""

    def ask(part: Sequence[int], _: Sequence[int]) -> Optional[Answer]:
        try:
            values = _values(program, part, frame)
        except _Unknown:
            return None
        compiled = _compiled(source_of(program, part)) if _is_cheap(part, values) else None
        found = None if compiled is None else GUARD.call(_evaluated, (compiled, values))
        return None if found is None else (found[0], *encode_value(program, found[1]))

    return ask


def _values(program: Program, part: Sequence[int], frame: Frame) -> dict[str, object]:
    """The literals that names in code tokens are bound to, and objects with the attributes that are read. Raises _Unknown."""
    values: dict[str, object] = {}
    told = {**tables(program), **default_dicts(program, frame)}
    for at, token in enumerate(part):
        if token not in T.SLOTS or part[at - 1:at] == (_DOT,):
            continue
        value, end = (told[token], at + 1) if token in told else value_at(program, part, at, frame)
        text = decode_value(program, value) if value is not None and is_literal(value) else None
        if not isinstance(text, str):
            continue
        *holders, last = [_name_of(program, part[name]) for name in range(at, end, 2)]
        held = values
        for holder in holders:
            held = vars(held.setdefault(holder, SimpleNamespace()))
        if last not in held:
            held[last] = _value(text)
    return values


def _name_of(program: Program, token: int) -> str:
    return program.slot_names.get(token) or T.WORD_TEXT[token]


def _evaluated(task: "tuple[CodeType, dict[str, object]]") -> "Optional[tuple[int, str]]":
    compiled, values = task
    try:
        return T.VALUE, canonical(eval(compiled, {"__builtins__": _BUILTINS, **values}))
    except (MemoryError, RecursionError, _Unknown):
        return None
    except Exception as error:  # whatever the operation raises is the answer
        return T.EVENTS["exception"], canonical(error)


def source_of(program: Program, code: Sequence[int]) -> str:
    """Python text that is written with these code tokens."""
    out: list[bytes] = []
    quote, escaped = None, False
    for token in code:
        name = program.slot_names.get(token)
        if name is not None and quote is None:
            out.append(f" {name} ".encode())
        elif T.WORD_BASE <= token < T.OPERATOR_BASE:
            out.append(f" {T.WORD_TEXT[token]} ".encode())
        elif token in _OPERATOR_TEXT:
            out.append(_OPERATOR_TEXT[token].encode())
        elif token == T.BYTES:
            out.append(b" b")
        elif T.BYTE_BASE <= token < T.BYTE_BASE + 256:
            out.append(bytes([token - T.BYTE_BASE]))
        else:
            out.append(T.NAMES[token].encode())
            if quote is None:
                quote = token if token in _QUOTES else None
            elif token == quote and not escaped:
                quote = None
            escaped = not escaped and token == T.CHARS["\\"]
    return b"".join(out).decode(errors="replace").strip()


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Optional[CodeType]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _Bounded().visit(ast.parse(text, mode="eval"))
            return compile(ast.fix_missing_locations(tree), "<working>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError, _Unknown):
        return None


def _value(text: str) -> object:
    """The value of a literal; a new object each time, so that nothing that is evaluated changes another value. Raises _Unknown for what
    only looks like one: the text of an object of the program (`1-2`, `Counter(3)`), or one that holds itself (`[[...]]`)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = eval(text, {"__builtins__": {}, **_COLLECTIONS})
    except Exception as error:
        raise _Unknown from error
    if canonical(found) != text:
        raise _Unknown
    return found


def _is_cheap(part: Sequence[int], values: dict[str, object]) -> bool:
    """Whether no operator can make a value explode: one call of C code could neither be interrupted nor bounded."""
    longest = max((value.bit_length() * 0.302 for value in values.values() if isinstance(value, int)), default=0)
    if any(token in part for token in (T.OPERATORS["**"], T.OPERATORS["<<"], T.WORDS["pow"])):
        return longest < LONGEST_POWER
    repeats = any(not isinstance(value, (int, float)) for value in values.values()) or any(token in part for token in _QUOTES)
    repeats = repeats or T.CHARS["["] in part or T.WORDS["range"] in part
    return longest < LONGEST_FACTOR or not (repeats and (T.CHARS["*"] in part or T.WORDS["range"] in part))


class _Unknown(Exception):
    """What CPython answers cannot be told from the literals, or not at a bounded price."""


class _Bounded(ast.NodeTransformer):
    """Makes calls of what can make a value explode: a single operation of C code could not be interrupted."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        return node if name is None else ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and not node.keywords:  # others raise what CPython's own say
            node.func.id = _CALLS.get((node.func.id, len(node.args)), node.func.id)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Raises _Unknown where it depends on whether two values are one object."""
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        for at, operator in enumerate(node.ops):
            if isinstance(operator, (ast.Is, ast.IsNot)) and not any(isinstance(side, ast.Constant) for side in operands[at:at + 2]):
                raise _Unknown
        return node


def _power(base: object, exponent: object, *modulus: object) -> object:
    if isinstance(base, int) and isinstance(exponent, int) and not modulus and base.bit_length() * exponent > MOST_BITS:
        raise _Unknown
    return pow(base, exponent, *modulus)


def _shifted(value: object, count: object) -> object:
    if isinstance(value, int) and isinstance(count, int) and value.bit_length() + count > MOST_BITS:
        raise _Unknown
    return value << count


def _times(left: object, right: object) -> object:
    sizes = [value if isinstance(value, int) else len(value) if hasattr(value, "__len__") else 0 for value in (left, right)]
    are_integers = isinstance(left, int) and isinstance(right, int)
    if not are_integers and sizes[0] * sizes[1] > MOST_ITEMS:
        raise _Unknown
    if are_integers and left.bit_length() + right.bit_length() > MOST_BITS:
        raise _Unknown
    return left * right


def _range(*bounds: object) -> range:
    found = range(*bounds)
    if found and abs(found[-1] - found[0]) // abs(found.step) > MOST_ITEMS:
        raise _Unknown
    return found


_OPERATORS = {ast.Pow: "<power>", ast.LShift: "<shifted>", ast.Mult: "<times>"}
_CALLS = {("pow", 2): "<power>", ("pow", 3): "<power>", **{("range", count): "<range>" for count in (1, 2, 3)}}
_BUILTINS = {**{name: getattr(__import__("builtins"), name) for name in FUNCTIONS},
             "<power>": _power, "<shifted>": _shifted, "<times>": _times, "<range>": _range}
