"""Blocks of code as functions without parameters: what a test does with an object or a generator, to be run as a program."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import FrozenSet, List, Mapping, Optional

from .test_blocks import Block

MOST_STATEMENTS = 16
"""Statements of a scenario."""

_ASSERTED_FIRST = ("assertEqual", "assertEquals", "assertTrue", "assertFalse", "assertCountEqual", "assertAlmostEqual", "assertListEqual",
                   "assertDictEqual", "assertSetEqual", "assertTupleEqual", "assertIs", "assertIsNone", "assertIsNotNone", "assertIn",
                   "assertNotEqual", "assertNotIn", "assertIsInstance", "assertGreater", "assertLess", "assertSequenceEqual",
                   "assertMultiLineEqual", "assertGreaterEqual", "assertLessEqual", "assertIsNot")


@dataclass(frozen=True)
class Targets:
    """What a block may call: `functions` and `classes` by the name the block uses -> name in the module; generators by
    their module name; `modules`: names that stand for the whole module."""

    functions: Mapping[str, str]
    classes: Mapping[str, str]
    generators: FrozenSet[str] = frozenset()
    modules: FrozenSet[str] = frozenset()


@dataclass(frozen=True)
class Scenario:
    """A function without parameters that does what a block did; `text` is its definition, `uses` the names it calls."""

    name: str
    text: str
    uses: FrozenSet[str]


class Renamer(ast.NodeTransformer):
    """Puts what names stand for in their place, and module names in place of the block's own."""

    def __init__(self, targets: Targets, known: Mapping[str, ast.expr]) -> None:
        self.targets, self.known = targets, known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            if node.id in self.known:
                return copy.deepcopy(self.known[node.id])
            renamed = self.targets.functions.get(node.id) or self.targets.classes.get(node.id)
            if renamed:
                return ast.Name(renamed, ast.Load())
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name):
            if node.value.id in self.targets.modules:
                return ast.Name(node.attr, node.ctx)
            if node.value.id == "self" and isinstance(node.ctx, ast.Load) and "self." + node.attr in self.known:
                return copy.deepcopy(self.known["self." + node.attr])
        self.generic_visit(node)
        return node


def scenario(block: Block, targets: Targets) -> Optional[Scenario]:
    """A block as a function of its own, which returns what its last statement showed; None if it leans on more than itself.

    Only blocks that build objects, run generators or pass functions along are worth one."""
    if block.given or len(block.statements) > MOST_STATEMENTS:
        return None
    body: List[ast.stmt] = []
    for node in block.statements:
        changed = _plain(node)
        if changed is None:
            return None
        body += changed
    while body and not isinstance(body[-1], ast.Expr):
        body.pop()
    if not body:
        return None
    body[-1] = ast.Return(body[-1].value)
    body = [_SelfNames().visit(copy.deepcopy(node)) for node in body]
    body = [Renamer(targets, {}).visit(node) for node in body]
    read = {inner.id for node in body for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)}
    uses = read & (set(targets.classes.values()) | set(targets.functions.values()))
    if "self" in read or not uses & (set(targets.classes.values()) | set(targets.generators)) or len(body) < 2 and not (
            uses & set(targets.generators)):
        return None
    name = _free_name(block.name, {*read, *targets.functions.values(), *targets.classes.values()})
    definition = ast.FunctionDef(name=name, args=ast.arguments([], [], None, [], [], None, []), body=body, decorator_list=[],
                                 returns=None, type_comment=None)
    if hasattr(ast, "TypeAlias"):  # Python 3.12's nodes have this field too
        definition.type_params = []
    return Scenario(name, ast.unparse(ast.fix_missing_locations(definition)) + "\n", frozenset(uses))


class _SelfNames(ast.NodeTransformer):
    """`self.stack` of a test becomes the local `stack`."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self" and not node.attr.startswith("assert"):
            return ast.Name(node.attr, node.ctx)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "self":
            return node  # a helper of the test class: `self` stays, and the scenario is refused
        self.generic_visit(node)
        return node


def _plain(node: ast.stmt) -> Optional[List[ast.stmt]]:
    """A statement with asserts reduced to what they look at; None for statements that no scenario holds."""
    if isinstance(node, ast.Assert):
        test = node.test
        looked_at = test.left if isinstance(test, ast.Compare) else test.operand if isinstance(test, ast.UnaryOp) else test
        return [ast.Expr(looked_at)]
    if isinstance(node, ast.Expr):
        value = node.value
        if isinstance(value, ast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            if name == "print":
                return [ast.Expr(value.args[0])] if value.args else []
            if name in _ASSERTED_FIRST and value.args:
                calls = [item for item in value.args if any(isinstance(inner, ast.Call) for inner in ast.walk(item))]
                return [ast.Expr((calls or value.args)[0])]
        if isinstance(value, ast.Constant):
            return []
        return [node]
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.For, ast.Delete)):
        unsuited = any(isinstance(inner, ast.Assert) or isinstance(inner, ast.Attribute) and inner.attr.startswith("assert")
                       for inner in ast.walk(node))
        return None if unsuited else [node]
    return None


def _free_name(name: str, taken: set) -> str:
    while name in taken:
        name += "_case"
    return name
