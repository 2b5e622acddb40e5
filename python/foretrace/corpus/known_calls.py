"""Calls with written-out arguments, found in blocks of code."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple

from .scenarios import Renamer, Scenario, Targets, scenario
from .test_blocks import Block, rows_of

LONGEST_CALL = 400

_PURE = frozenset({"bytearray", "bytes", "chr", "complex", "dict", "float", "frozenset", "int", "list", "range", "set", "str",
                   "tuple"})
"""Builtins that may stand in an argument."""


@dataclass(frozen=True)
class KnownCall:
    """A call as an entry; `name` is the function, or `Class.method`."""

    name: str
    call: str


def is_written_out(node: ast.expr, classes: FrozenSet[str]) -> bool:
    """Whether an expression is made of constants, containers, pure builtins and constructors of the program alone."""
    if isinstance(node, ast.Constant):
        return node.value is not Ellipsis
    if isinstance(node, ast.UnaryOp):
        return is_written_out(node.operand, classes)
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, (ast.Pow, ast.LShift)) and all(
            is_written_out(side, classes) for side in (node.left, node.right)) and _small_product(node)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(is_written_out(item, classes) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(item is not None and is_written_out(item, classes) for item in [*node.keys, *node.values])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return (node.func.id in _PURE or node.func.id in classes) and all(
            is_written_out(item, classes) for item in [*node.args, *(keyword.value for keyword in node.keywords)])
    return False


def _small_product(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return not isinstance(node.op, ast.Mult) or any(
        isinstance(side, ast.Constant) and isinstance(side.value, int) and abs(side.value) <= 100 for side in sides)


class _Reader:
    def __init__(self, targets: Targets) -> None:
        self.targets = targets
        self.classes = frozenset(targets.classes.values())
        self.names = frozenset(targets.functions.values())
        self.found: Dict[Tuple[str, str], KnownCall] = {}

    def statements(self, statements: List[ast.stmt], known: Dict[str, ast.expr]) -> None:
        for node in statements:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.expression(node.value, known)
                self.assign(node.targets[0], node.value, known)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self.expression(node.value, known)
                self.assign(node.target, node.value, known)
            elif isinstance(node, ast.For):
                for row in rows_of(node):
                    self.statements(node.body, {**known, **row})
            elif isinstance(node, (ast.With, ast.If, ast.Try)):
                self.statements(node.body, known)
            elif isinstance(node, (ast.Expr, ast.Assert, ast.Return)):
                for part in ast.iter_child_nodes(node):
                    self.expression(part, known)

    def assign(self, target: ast.expr, value: ast.expr, known: Dict[str, ast.expr]) -> None:
        key = target.id if isinstance(target, ast.Name) else (
            "self." + target.attr if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            and target.value.id == "self" else None)
        if key is None:
            for inner in ast.walk(target):
                if isinstance(inner, ast.Name):
                    known.pop(inner.id, None)
            return
        value = self.renamed(value, known)
        if is_written_out(value, self.classes):
            known[key] = value
        else:
            known.pop(key, None)

    def renamed(self, node: ast.AST, known: Mapping[str, ast.expr]) -> ast.AST:
        return Renamer(self.targets, known).visit(copy.deepcopy(node))

    def expression(self, node: ast.AST, known: Mapping[str, ast.expr]) -> None:
        for inner in ast.walk(self.renamed(node, known)):
            name = self.called(inner)
            if name is None or name in self.targets.generators:
                continue
            given = [*inner.args, *(keyword.value for keyword in inner.keywords)]
            if all(is_written_out(item, self.classes) for item in given) and all(keyword.arg for keyword in inner.keywords):
                text = ast.unparse(inner)
                if len(text) <= LONGEST_CALL and "\n" not in text:
                    self.found.setdefault((name, text), KnownCall(name, text))

    def called(self, node: ast.AST) -> Optional[str]:
        """The name of the function or `Class.method` that an expression calls, if it is one of the module's."""
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Name):
            return node.func.id if node.func.id in self.names else None
        if isinstance(node.func, ast.Attribute):
            holder = node.func.value
            if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id in self.classes \
                    and is_written_out(holder, self.classes):
                return f"{holder.func.id}.{node.func.attr}"
        return None


def known_calls(block: Block, targets: Targets) -> List[KnownCall]:
    """The calls of a block whose arguments are written out there, each once, in order."""
    reader = _Reader(targets)
    reader.statements(block.statements, dict(block.given))
    return list(reader.found.values())


def all_known(found: Iterator[Block], targets: Targets) -> Tuple[Dict[str, List[str]], List[Scenario]]:
    """(calls by function, scenarios) of many blocks."""
    calls: Dict[str, Dict[str, None]] = {}
    scenarios: Dict[str, Scenario] = {}
    for block in found:
        for known in known_calls(block, targets):
            calls.setdefault(known.name, {})[known.call] = None
        made = scenario(block, targets)
        if made is not None:
            scenarios.setdefault(made.text, made)
    return {name: list(texts) for name, texts in calls.items()}, list(scenarios.values())
