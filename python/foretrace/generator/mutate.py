"""Small changes of a program's syntax tree: operators, comparisons, constants, methods, functions, branches, conditions.

`mutate` keeps a generated program ending: inside `while` loops only constants of strings change, and nothing becomes a power
or a shift, so that no mutation makes a loop endless or a number explode. `mutant` changes any code anywhere; whoever asks for
it runs the result under limits.
"""

from __future__ import annotations

import ast
import random
from dataclasses import replace

from .checks import run
from .sample import Sample

_EVENT_LIMIT = 150
_ATTEMPTS = 12
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_METHODS = (
    ("upper", "lower", "title", "capitalize", "swapcase"), ("isdigit", "isalpha", "isalnum", "isupper", "islower"),
            ("startswith", "endswith"),
    ("find", "rfind"), ("ljust", "rjust", "center"), ("strip", "lstrip", "rstrip"), ("split", "rsplit"),
            ("keys", "values"),
    ("union", "intersection", "difference", "symmetric_difference"), ("issubset", "issuperset"),
            ("partition", "rpartition"),
    ("removeprefix", "removesuffix"), ("append", "remove"), ("add", "discard"),
)
_FUNCTIONS = (("max", "min"), ("any", "all"), ("sorted", "list"), ("sum", "len"), ("str", "repr"))
_METHOD_GROUP = {name: group for group in _METHODS for name in group}
_FUNCTION_GROUP = {name: group for group in _FUNCTIONS for name in group}


class _Sites(ast.NodeVisitor):
    """Collects what can be changed: (kind, node, function that changes it)."""

    def __init__(self, rng: random.Random, everywhere: bool = False) -> None:
        self.rng = rng
        self.everywhere = everywhere
        self.sites: list = []
        self.guarded = 0

    def visit_While(self, node: ast.While) -> None:
        self.guarded += not self.everywhere
        if self.everywhere:
            self.condition(node)
        self.generic_visit(node)
        self.guarded -= not self.everywhere

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if self.everywhere:
            self.sites.append(("condition", node, lambda: setattr(node, "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or())))
        self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        if self.everywhere and isinstance(node.lower, ast.Constant) and node.upper is None:
            self.sites.append(("slice", node, lambda: self.other_end(node)))
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if self.everywhere and isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
            self.sites.append(("order", node, lambda: node.value.elts.reverse()))
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Formatted strings stay: a changed piece may not unparse on every version."""

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not self.guarded and isinstance(node.op, _OPERATORS):
            self.sites.append(("operator", node, lambda: setattr(node, "op", self.other(_OPERATORS, node.op))))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if not self.guarded and isinstance(node.op, _OPERATORS):
            self.sites.append(("operator", node, lambda: setattr(node, "op", self.other(_OPERATORS[:3], node.op))))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if not self.guarded and isinstance(node.ops[0], _COMPARISONS):
            self.sites.append(("comparison", node, lambda: node.ops.__setitem__(0, self.other(_COMPARISONS, node.ops[0]))))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if type(value) is int and not self.guarded:
            self.sites.append(("constant", node, lambda: setattr(node, "value",
                                                           max(0, value + self.rng.choice((-2, -1, 1, 2, 5))))))
        elif type(value) is str and value:
            self.sites.append(("constant", node, lambda: setattr(node, "value", self.other_text(value))))
        elif type(value) is bool and not self.guarded:
            self.sites.append(("constant", node, lambda: setattr(node, "value", not value)))

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in _METHOD_GROUP and not self.guarded:
            group = _METHOD_GROUP[function.attr]
            self.sites.append(("method", node, lambda: setattr(function, "attr",
                                                         self.rng.choice([m for m in group if m != function.attr]))))
        elif isinstance(function, ast.Name) and function.id in _FUNCTION_GROUP and not self.guarded:
            group = _FUNCTION_GROUP[function.id]
            self.sites.append(("function", node, lambda: setattr(function, "id",
                                                           self.rng.choice([f for f in group if f != function.id]))))
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if not self.guarded and node.orelse and not isinstance(node.orelse[0], ast.If):
            self.sites.append(("branches", node, lambda: self.swap(node)))
        elif self.everywhere:
            self.condition(node)
        self.generic_visit(node)

    def condition(self, node: ast.If | ast.While) -> None:
        """A condition with the opposite meaning, as of branches that were mixed up."""
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            self.sites.append(("condition", node, lambda: setattr(node, "test", node.test.operand)))
        elif not isinstance(node.test, ast.Constant):
            self.sites.append(("condition", node, lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))))

    def other_end(self, node: ast.Slice) -> None:
        node.lower, node.upper = None, node.lower

    def visit_IfExp(self, node: ast.IfExp) -> None:
        if not self.guarded:
            self.sites.append(("branches", node, lambda: self.swap(node)))
        self.generic_visit(node)

    def swap(self, node: ast.If | ast.IfExp) -> None:
        node.body, node.orelse = node.orelse, node.body

    def other(self, group: tuple[type, ...], present: object):
        return self.rng.choice([kind for kind in group if not isinstance(present, kind)])()

    def other_text(self, value: str) -> str:
        at = self.rng.randrange(len(value))
        part = self.rng.random()
        if part < 0.4:
            return value[:at] + value[at + 1 :] or "x"
        if part < 0.7:
            return value[:at] + self.rng.choice("abcxyz019") + value[at + 1 :]
        return value[::-1]


def _changed(rng: random.Random, sample: Sample, everywhere: bool) -> tuple[str, list[str]] | None:
    """(text, what was changed) with one or two changes; None if they left the program as it was or there is no place for any.

    Raises IndexError where nothing can be changed at all."""
    tree = ast.parse(sample.source)
    finder = _Sites(rng, everywhere)
    finder.visit(tree)
    if not finder.sites:
        raise IndexError("no place for a change")
    made, differs = [], False
    for name, node, apply in rng.sample(finder.sites, min(len(finder.sites), rng.choice((1, 1, 2)))):
        before = ast.dump(node)
        apply()
        differs |= ast.dump(node) != before
        made.append(name)
    return (ast.unparse(ast.fix_missing_locations(tree)) + "\n", made) if differs else None


def _tagged(sample: Sample, source: str, made: list[str], error: str | None = None) -> Sample:
    kept = tuple(tag for tag in sample.tags if not tag.startswith("raises:"))
    raised = (f"raises:{error}",) if error else ()
    return replace(sample, source=source, tags=kept + tuple(f"mutated:{name}" for name in made) + raised)


def mutate(rng: random.Random, sample: Sample, event_limit: int = _EVENT_LIMIT) -> Sample:
    """The sample with one or two changes; the sample itself when no change keeps to the limits.

    Comments and layout are lost, as `ast.unparse` writes the text. A mutated program may raise.
    """
    for _ in range(_ATTEMPTS):
        try:
            changed = _changed(rng, sample, False)
        except IndexError:
            return sample
        if changed is None:
            continue
        source, made = changed
        outcome = run(source, sample.call, event_limit)
        if outcome.refused is None and outcome.events > 0:
            return _tagged(sample, source, made, outcome.error)
    return sample


def mutant(rng: random.Random, sample: Sample) -> Sample:
    """The sample with one or two changes anywhere, not run: it may raise, and it may not end. The sample itself when no
    change was found, or when its text cannot be parsed or written."""
    for _ in range(_ATTEMPTS):
        try:
            changed = _changed(rng, sample, True)
        except (IndexError, SyntaxError, ValueError, RecursionError):
            return sample
        if changed is not None:
            return _tagged(sample, *changed)
    return sample
