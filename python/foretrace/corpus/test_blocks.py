"""The straight-line pieces of code in which people call their functions: doctests, tests, `__main__` parts, asserts."""

from __future__ import annotations

import ast
import doctest
import warnings
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Tuple

MOST_ROWS = 12
"""Rows of a table of inputs (a loop over a literal, `parametrize`) that are read."""

_PARSER = doctest.DocTestParser()
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Block:
    """Statements that run one after the other. `given`: what names stand for before the first one."""

    name: str
    statements: List[ast.stmt]
    given: Dict[str, ast.expr] = field(default_factory=dict)


def blocks(tree: ast.Module) -> Iterator[Block]:
    """Every block of a file: its doctests, its test functions and methods, its `__main__` part, its module level."""
    yield from _doctests(tree)
    loose: List[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_test(node.name):
            yield from _function(node, [])
        elif isinstance(node, ast.ClassDef):
            yield from _test_class(node)
        elif isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield Block("main", list(node.body))
        elif isinstance(node, (ast.Assert, ast.Assign, ast.Expr, ast.For)):
            loose.append(node)
    if any(not isinstance(node, ast.Assign) for node in loose):
        yield Block("module", loose)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            yield Block("main", list(node.body))


def _is_test(name: str) -> bool:
    return name.lower().startswith("test") or name.lower().endswith("test")


def _test_class(node: ast.ClassDef) -> Iterator[Block]:
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    setup = [statement for item in methods if item.name == "setUp" for statement in item.body]
    for item in methods:
        if _is_test(item.name) and item.args.args:
            yield from _function(item, setup)


def _function(node: ast.FunctionDef, setup: List[ast.stmt]) -> Iterator[Block]:
    body = [*setup, *node.body]
    tables = [row for decorator in node.decorator_list for row in _parametrised(decorator)]
    for row in tables[:MOST_ROWS] or [{}]:
        yield Block(node.name, body, row)


def _parametrised(node: ast.expr) -> Iterator[Dict[str, ast.expr]]:
    """The rows of `@pytest.mark.parametrize('a, b', [(1, 2), ...])`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize"
            and len(node.args) >= 2 and isinstance(node.args[1], (ast.List, ast.Tuple))):
        return
    if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
        names = [name.strip() for name in node.args[0].value.split(",") if name.strip()]
    elif isinstance(node.args[0], (ast.List, ast.Tuple)):
        names = [str(item.value) for item in node.args[0].elts if isinstance(item, ast.Constant)]
    else:
        return
    for row in node.args[1].elts:
        values = [row] if len(names) == 1 else list(getattr(row, "elts", ()))
        if len(values) == len(names):
            yield dict(zip(names, values))


def rows_of(loop: ast.For) -> Iterator[Dict[str, ast.expr]]:
    """What the names of a loop over a written-out list or tuple stand for, pass by pass."""
    if not isinstance(loop.iter, (ast.List, ast.Tuple)):
        return
    for row in loop.iter.elts[:MOST_ROWS]:
        found: Dict[str, ast.expr] = {}
        if _bind(loop.target, row, found):
            yield found


def _bind(target: ast.expr, value: ast.expr, found: Dict[str, ast.expr]) -> bool:
    if isinstance(target, ast.Name):
        found[target.id] = value
        return True
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        return len(target.elts) == len(value.elts) and all(_bind(t, v, found) for t, v in zip(target.elts, value.elts))
    return False


def _doctests(tree: ast.Module) -> Iterator[Block]:
    for node, name in _documented(tree):
        text = ast.get_docstring(node, clean=True)
        if text is None or ">>>" not in text:
            continue
        try:
            examples = _PARSER.get_examples(text)
        except ValueError:  # its own layout is broken
            continue
        statements: List[ast.stmt] = []
        for example in examples:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    statements += ast.parse(example.source).body
            except (SyntaxError, ValueError):
                continue
        if statements:
            yield Block(f"example_{name}" if name else "example", statements)


def _documented(tree: ast.Module) -> Iterator[Tuple[ast.AST, str]]:
    yield tree, ""
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITIONS):
            yield node, node.name.strip("_")
