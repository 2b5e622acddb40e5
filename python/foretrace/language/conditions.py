"""Lines that decide a branch, and what a run decided on them (docs/trace-language.md, section 6)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, Optional

from . import tokens as T

if TYPE_CHECKING:
    from .annotate import AnnotatedTrace
    from .program import Program

_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)


class Body(NamedTuple):
    """Physical lines of what runs if a condition holds, or a loop has another item, both included."""

    first: int
    last: int


def conditions(program: "Program") -> dict[int, Body]:
    """Code line -> body, for each `if`, `elif`, `while` and `for` whose head stands with its colon on one line and whose body begins on a later
    one. A constant condition decides nothing, a head that suspends its frame nothing there, and where the body leaves no code no event tells."""
    found: dict[int, Body] = {}
    for node in ast.walk(program.tree):
        if isinstance(node, ast.For):
            tested: ast.expr = node.iter
        elif isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, ast.Constant):
            tested = node.test
        else:
            continue
        first = node.body[0]
        begin = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))])
        is_one_line = tested.end_lineno == node.lineno < begin and program.line_tokens(node.lineno)[-1] == T.CHARS[":"]
        if is_one_line and not _suspends(tested) and not all(map(_leaves_no_code, node.body)):
            found[program.code_line_of(node.lineno)] = Body(begin, node.body[-1].end_lineno or begin)
    return found


def _suspends(tested: ast.expr) -> bool:
    return any(isinstance(part, _SUSPENDS) for part in ast.walk(tested))


def _leaves_no_code(statement: ast.stmt) -> bool:
    """Whether CPython compiles the statement to nothing: it never stops there."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None and isinstance(statement.target, ast.Name)
    if isinstance(statement, ast.Delete):  # `del ()`
        return not any(isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)) for part in ast.walk(statement))
    return isinstance(statement, (ast.Global, ast.Nonlocal))


def outcome(annotated: "AnnotatedTrace", i: int) -> Optional[bool]:
    """What the condition on the line of event i came to (of a `for`: whether there is another item), if the next event tells: the frame goes
    on, in the body or not. None for other lines and events, and where a function is entered or something raised first."""
    here, scope = annotated.frames[i], annotated.scopes[i]
    body = annotated.program.conditions.get(here.line) if here.event == "line" else None
    if scope is None or scope.name.startswith("<"):  # a lambda or generator expression on that line
        return None
    if body is None or i + 1 >= len(annotated) or annotated.activations[i + 1] != annotated.activations[i]:
        return None
    after = annotated.frames[i + 1]
    if after.event not in ("line", "return") or (after.event == "line" and after.line == here.line):
        return None
    return after.event == "line" and body.first <= after.line <= body.last
