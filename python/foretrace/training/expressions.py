"""Expressions worth asking in a state: parts of the program's own lines, names, and small ones drawn by type."""

from __future__ import annotations

import ast
from random import Random
from typing import Dict, Iterator, List, Mapping, Set

from ..language.program import Program

MAX_CHARACTERS = 60
_OWN_NAMES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_LOAD = ast.Load()
NAMED, REFUSED = 1, 2
_ASKED = frozenset((ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript,
                    ast.Attribute, ast.IfExp, ast.JoinedStr,
          ast.List, ast.Tuple, ast.Dict, ast.Set, *_OWN_NAMES))
_REFUSED = frozenset((ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
# What reaches outside the state, or has no value worth asking.
_REFUSED_NAMES = frozenset(
    "print input open exit quit exec eval compile id hash globals locals vars dir super next setattr delattr "
    "breakpoint help __import__ memoryview object iter List Dict Tuple Set Optional Union Any Callable Iterable "
    "Iterator".split())


class SourceExpressions:
    """The expressions of a program by physical line, and the names that each `for` line iterates over.

    `attributes`: every attribute name of the program, in order of appearance.
    """

    def __init__(self, program: Program):
        self.by_line: Dict[int, List[str]] = {}
        self.iterated: Dict[int, Set[str]] = {}
        self._attributes: Dict[str, None] = {}
        self._lines = program.source.split("\n")
        for statement in program.tree.body:
            self._visit(statement, True)
        self.attributes = list(self._attributes)

    def _visit(self, node: ast.AST, asked: bool) -> int:
        """Takes the expressions in `node`, itself too if `asked`; returns what is in it: NAMED, REFUSED or both."""
        kind = type(node)
        if kind is ast.Name:
            return REFUSED if node.id in _REFUSED_NAMES or node.id.startswith("__") else NAMED
        if kind is ast.Constant:
            return 0
        inside = REFUSED if kind in _REFUSED else 0
        # The variables of a comprehension have no values outside it, and an f-string's parts no place of their own.
        taken = asked and kind not in _OWN_NAMES and kind is not ast.JoinedStr
        for field in node._fields:
            child = getattr(node, field, None)
            if type(child) is list:
                for item in child:
                    if isinstance(item, ast.AST):
                        inside |= self._visit(item, taken)
            elif isinstance(child, ast.AST) and not isinstance(child, (ast.expr_context, ast.operator)):
                # The `x.append` of a call is no value worth asking, nor is an annotation.
                called = kind is ast.Call and field == "func"
                inside |= self._visit(child, taken and not called and field not in ("annotation", "returns"))
                if called and taken and type(child) is ast.Attribute:
                    self._visit(child.value, True)
        if kind is ast.For:
            names = {part.id for part in ast.walk(node.iter) if type(part) is ast.Name}
            self.iterated.setdefault(node.lineno, set()).update(names)
        elif kind is ast.Attribute:
            self._attributes[node.attr] = None
            if node.attr.startswith("__") and not node.attr.endswith("__"):
                inside |= REFUSED
        if asked and inside == NAMED and kind in _ASKED and type(getattr(node, "ctx", _LOAD)) is ast.Load:
            self._take(node)
        return inside

    def _take(self, node: ast.expr) -> None:
        if node.lineno != node.end_lineno or node.end_col_offset - node.col_offset > MAX_CHARACTERS:
            return
        line = self._lines[node.lineno - 1]
        if line.isascii():
            text = line[node.col_offset:node.end_col_offset]
        else:
            text = line.encode()[node.col_offset:node.end_col_offset].decode()
        found = self.by_line.setdefault(node.lineno, [])
        if text not in found:
            found.append(text)


_INTEGER = ("{a} + {c}", "{a} - {b}", "{a} * {c}", "{a} % {d}", "{a} // {d}", "{a} == {c}", "{a} > {b}",
            "{a} <= {c}", "-{a}",
            "abs({a})", "str({a})", "{a} in ({c}, {b})", "max({a}, {c})", "divmod({a}, {d})", "[{a}] * {d}",
            "{a} / {d}",
            "f'{{{a}}}-{{{b}}}'", "range({a})", "{a} and {b}", "bool({a})", "{a} % 2 == 0", "float({a})", "{a} != {b}")
_FLOAT = ("{a} + {c}", "{a} * 2", "round({a}, 1)", "int({a})", "{a} > {b}", "-{a}", "{a} // 1", "str({a})",
          "{a} == {c}")
_TEXT = ("len({a})", "{a}[0]", "{a}[-1]", "{a}[{c}]", "{a}[:{d}]", "{a}[{d}:]", "{a}[::-1]", "{a}.upper()",
         "{a}.lower()", "{a} + {e}",
         "{e} in {a}", "{a}.count({e})", "{a}.find({e})", "{a}.split({e})", "{a}.split()",
         "{a}.replace({e}, '-')", "{a} == {b}",
         "{a} * 2", "list({a})", "{a}.isdigit()", "{a}.isalpha()", "sorted({a})", "{a}.title()", "{a}.startswith({e})",
         "{a}.strip()", "{e}.join({a})", "f'{{{a}:>{d}}}|'", "{a}[1:-1]", "set({a})", "{a}.swapcase()", "{a}.islower()")
_SEQUENCE = ("len({a})", "{a}[0]", "{a}[-1]", "{a}[{c}]", "{a}[:{d}]", "{a}[{d}:]", "{a}[::-1]", "{a}[1:-1]",
             "{e} in {a}", "{a}.count({e})",
             "{a}.index({e})", "sum({a})", "max({a})", "min({a})", "sorted({a})", "set({a})", "{a} + {a}",
             "{a} * 2", "bool({a})",
             "tuple({a})", "list({a})", "not {a}", "[{v} for {v} in {a} if {v}]", "[{v} * 2 for {v} in {a}]",
             "{a} == {b}",
             "dict(enumerate({a}))", "list(zip({a}, range(3)))", "any({a})", "all({a})", "{a}[::2]",
             "sorted({a}, reverse=True)")
_LIST_ONLY = ("{a}.pop()", "{a}.append({e})", "{a} + [{e}]", "{a}.copy()", "{a}.sort()", "{a}.pop(0)",
              "{a}.extend({a})")
_MAPPING = ("len({a})", "list({a})", "{a}[{e}]", "{a}.get({e})", "{a}.get({e}, 0)", "{e} in {a}",
            "{a}.keys()", "{a}.values()",
            "{a}.items()", "sorted({a})", "sum({a}.values())", "max({a})", "{a}.pop({e})", "dict({a})", "bool({a})",
            "list({a}.items())[0]", "{a}.setdefault({e}, 1)", "{{{v}: 1 for {v} in {a}}}")
_SET = ("len({a})", "{e} in {a}", "sorted({a})", "{a} | {{{e}}}", "{a} & {{{e}, 1}}", "{a} - {{{e}}}",
        "{a} ^ {{{e}}}", "list({a}) == []",
        "max({a})", "{a} == {b}", "{a}.issubset({b})", "{{{v} for {v} in {a} if {v}}}", "{a}.add({e})")
_TRUTH = ("not {a}", "{a} and {b}", "{a} or {b}", "int({a})", "{a} is True", "{a} == {b}", "{c} if {a} else {d}")
_NOTHING = ("{a} is None", "{a} or {c}", "{a} is not None", "not {a}", "{a} == {b}")
_ANY = ("{a}", "({a}, {b})", "{a} == {b}", "{a} is None", "type({a})", "str({a})", "bool({a})", "[{a}, {b}]",
        "isinstance({a}, int)",
        "f'{{{a}}}'", "f'{{{a}!r}}'", "{{'k': {a}}}", "{a} != {b}", "callable({a})", "repr({a})",
        "isinstance({a}, str)")


def kind_of(text: str) -> str:
    """The kind of value a canonical text shows: int, float, str, list, tuple, dict, set, bool, none or other."""
    first = text[:1]
    if first in "'\"":
        return "str" if first else "other"
    if first == "[":
        return "list"
    if first == "(":
        return "other" if text.endswith("j)") and "," not in text else "tuple"  # (1+2j) is a complex number
    if first == "{":
        return "dict" if text == "{}" or _is_mapping(text) else "set"
    if text in ("True", "False"):
        return "bool"
    if text == "None":
        return "none"
    body = text[1:] if first == "-" else text
    if body.isdigit():
        return "int"
    return "float" if body[:1].isdigit() and body.replace(".", "", 1).replace("e-", "", 1).isdigit() else "other"


def _is_mapping(text: str) -> bool:
    """Whether the first item of a text in braces has a colon outside quotes and brackets."""
    depth, quote, escaped = 0, "", False
    for char in text[1:]:
        if quote:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0 and char == ":":
            return True
        elif depth == 0 and char == ",":
            return False
    return False


_TEMPLATES = {"int": _INTEGER, "float": _FLOAT, "str": _TEXT, "list": _SEQUENCE + _LIST_ONLY,
              "tuple": _SEQUENCE, "dict": _MAPPING,
              "set": _SET, "bool": _TRUTH, "none": _NOTHING}


def drawn_expression(rng: Random, values: Mapping[str, str], slots: List[str], attributes: List[str]) -> str:
    """An expression over the names of a state (name -> canonical text), its operator chosen by the value's type."""
    name = rng.choice(list(values))
    kind = kind_of(values[name])
    if kind == "other" and attributes and rng.random() < 0.6:
        return f"{name}.{rng.choice(attributes)}"
    templates = _ANY if kind == "other" or rng.random() < 0.15 else _TEMPLATES[kind]
    same = [other for other, text in values.items() if other != name and kind_of(text) == kind]
    return rng.choice(templates).format(a=name, b=rng.choice(same) if same else rng.choice(list(values)),
                                        c=rng.choice((0, 1, 2, 3, 5, 10, -1)), d=rng.randint(1, 5),
                                        e=_item(rng, kind, values[name]), v=rng.choice(slots) if slots else name)


def _item(rng: Random, kind: str, text: str) -> str:
    """Something that may or may not be in the value: one of its items where it is short enough to be read."""
    if kind == "str":
        inside = [char for char in text[1:-1] if char.isalnum() and char.isascii()]
        return repr(rng.choice(inside) if inside and rng.random() < 0.8 else rng.choice("aeot ,"))
    if kind in ("list", "tuple", "dict", "set") and len(text) < 80 and rng.random() < 0.8:
        try:
            items = list(ast.literal_eval(text))
        except (ValueError, SyntaxError, TypeError):
            items = []
        if items:
            found = repr(rng.choice(items))
            if len(found) < 24:
                return found
    return rng.choice(("0", "1", "2", "'a'", "'x'", "None"))


def own_expressions(found: SourceExpressions, first: int, last: int) -> Iterator[str]:
    """The program's expressions on lines first to last."""
    for line in range(first, last + 1):
        yield from found.by_line.get(line, ())
