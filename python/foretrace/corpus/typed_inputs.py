"""Arguments drawn from what parameters say of their types: annotations, or `:type name: ...` in a docstring."""

from __future__ import annotations

import ast
import re
from random import Random
from typing import Any, Dict, List, Optional

from .platform_names import NODES, draw_node
from .variations import LETTERS, WORDS, as_set

_DOCUMENTED = re.compile(r"^\s*:type\s+(\w+):\s*(.+?)\s*$", re.MULTILINE)
_CONTAINERS = {"list": "list", "List": "list", "Sequence": "list", "Iterable": "list", "Collection": "list", "MutableSequence": "list",
               "set": "set", "Set": "set", "frozenset": "set", "dict": "dict", "Dict": "dict", "Mapping": "dict", "tuple": "tuple",
               "Tuple": "tuple", "Optional": "optional", "Union": "optional"}
_PLAIN = {"int": "int", "integer": "int", "str": "str", "string": "str", "float": "float", "bool": "bool", "bytes": "bytes",
          "complex": "float"}


def stated_types(function: ast.FunctionDef, method: bool) -> Optional[Dict[str, ast.expr]]:
    """The types of a function's required parameters, by annotations or `:type name: ...`; None if one is not told."""
    positional = [*function.args.posonlyargs, *function.args.args]
    required = positional[:len(positional) - len(function.args.defaults)][1 if method else 0:]
    if function.args.vararg or any(default is None for default in function.args.kw_defaults):
        return None
    documented = dict(_DOCUMENTED.findall(ast.get_docstring(function) or ""))
    found: Dict[str, ast.expr] = {}
    for parameter in required:
        stated = parameter.annotation
        if stated is None and parameter.arg in documented:
            try:
                stated = ast.parse(documented[parameter.arg], mode="eval").body
            except (SyntaxError, ValueError):
                return None
        if isinstance(stated, ast.Constant) and isinstance(stated.value, str):
            try:
                stated = ast.parse(stated.value, mode="eval").body
            except (SyntaxError, ValueError):
                return None
        if stated is None or not _can_draw(stated):
            return None
        found[parameter.arg] = stated
    return found


def _type_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _inside(node: ast.expr) -> List[ast.expr]:
    if isinstance(node, ast.Subscript):
        return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    return []


def _can_draw(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return _type_name(node.value) in _CONTAINERS and all(
            _can_draw(item) for item in _inside(node) if not (isinstance(item, ast.Constant) and item.value in (Ellipsis, None)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _can_draw(node.left)
    return _type_name(node) in _PLAIN or _type_name(node) in ("list", "List", "dict", "Dict") or _type_name(node) in NODES


def draw_call(rng: Random, prefix: str, types: Dict[str, ast.expr]) -> str:
    """A call with an argument drawn for each parameter; the sizes of nested lists agree."""
    size = rng.choice((0, 1, 2, 3, 3, 4, 4, 5, 6, 7))
    width = rng.choice((1, 2, 3, 3, 4))
    return f"{prefix}({', '.join(repr(_draw(rng, node, name, size, width, 0)) for name, node in types.items())})"


def _draw(rng: Random, node: ast.expr, name: str, size: int, width: int, depth: int) -> Any:
    if isinstance(node, ast.BinOp):
        return _draw(rng, node.left, name, size, width, depth)
    kind = _type_name(node.value if isinstance(node, ast.Subscript) else node)
    container = _CONTAINERS.get(kind)
    if kind in NODES:
        return draw_node(rng, kind, size if depth == 0 else width, lambda: _draw_plain(rng, "int", name, 1))
    if container is None:
        return _draw_plain(rng, _PLAIN[kind], name, depth)
    inside = [item for item in _inside(node) if not (isinstance(item, ast.Constant))] or [ast.Name("int", ast.Load())]
    count = size if depth == 0 else width
    if container == "optional":
        return _draw(rng, inside[0], name, size, width, depth)
    if container == "tuple":
        if len(inside) == 1 and len(_inside(node)) == 2:
            inside = inside * max(count, 1)
        return tuple(_draw(rng, item, name, size, width, depth + 1) for item in inside)
    if container == "dict":
        key, value = (inside * 2)[:2]
        return {_draw(rng, key, name, size, width, depth + 1): _draw(rng, value, name, size, width, depth + 1) for _ in range(count)}
    items = [_draw(rng, inside[0], name, size, width, depth + 1) for _ in range(count)]
    if container == "set":
        return as_set(items) or {1, 2}
    if depth == 0 and rng.random() < 0.3 and items and isinstance(items[0], (int, str)):
        items.sort()
    return items


def _draw_plain(rng: Random, kind: str, name: str, depth: int) -> Any:
    if kind == "int":
        if depth:
            return rng.choice((rng.randint(0, 9), rng.randint(0, 9), rng.randint(-5, 20), rng.randint(0, 1)))
        return rng.choice((rng.randint(0, 6), rng.randint(1, 12), rng.randint(2, 30), rng.randint(10, 200), rng.choice((0, 1, -1, -7))))
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "float":
        return rng.choice((float(rng.randint(0, 12)), round(rng.uniform(-3, 20), rng.choice((1, 2))), 0.5))
    if rng.random() < 0.4 and not depth:
        text = rng.choice(WORDS)
    else:
        letters = rng.choice(("ab", "abc", "abcde", LETTERS, "01", "0123456789", "()", "ABC", "ab "))
        text = "".join(rng.choice(letters) for _ in range(rng.choice((0, 1, 2, 3, 4, 5, 6, 8)) if not depth else rng.randint(1, 4)))
    return text.encode() if kind == "bytes" else text
