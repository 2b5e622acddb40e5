"""Lines that decide a branch (docs/trace-language.md, section 6)."""

from __future__ import annotations

import ast
from typing import NamedTuple

_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)


class Body(NamedTuple):
    """Physical lines of what runs if a condition holds, or a loop has another item, both included."""

    first: int
    last: int


def conditions(tree: ast.Module) -> dict[int, Body]:
    """Physical line of the head -> body, for each `if`, `elif`, `while` and `for` whose condition ends on the line of the head and whose body
    begins on a later one. A constant condition decides nothing, a head that suspends its frame nothing there, and where the body leaves no code
    no event tells."""
    found: dict[int, Body] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            tested: ast.expr = node.iter
        elif isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, ast.Constant):
            tested = node.test
        else:
            continue
        first = node.body[0]
        begin = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))])
        is_one_line = tested.end_lineno == node.lineno < begin
        if is_one_line and not _suspends(tested) and not all(map(_leaves_no_code, node.body)):
            found[node.lineno] = Body(begin, node.body[-1].end_lineno or begin)
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
