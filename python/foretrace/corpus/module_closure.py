"""A module's text cut down to what some of its functions need: helpers, classes, constants and allowed imports."""

from __future__ import annotations

import __future__
import ast
import builtins
import dis
import warnings
from dataclasses import dataclass, field
from types import CodeType
from typing import Dict, FrozenSet, Iterable, Iterator, List, Optional, Set, Tuple

from .platform_names import IMPORTS, NODES

ALLOWED_MODULES = frozenset({
    "__future__", "abc", "array", "base64", "binascii", "bisect", "calendar", "cmath", "collections", "collections.abc",
    "colorsys", "contextlib", "copy", "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools",
    "hashlib", "heapq", "html", "itertools", "json", "keyword", "math", "numbers", "operator", "re", "statistics", "string",
    "struct", "textwrap", "types", "typing", "unicodedata",
})
"""Modules of the standard library whose functions answer the same every time."""

REFUSED_NAMES = frozenset({
    "__builtins__", "__file__", "__import__", "__loader__", "__spec__", "breakpoint", "compile", "copyright", "credits", "eval",
    "exec", "exit", "globals", "help", "id", "input", "license", "memoryview", "open", "quit",
})
"""Builtins that reach outside the program or differ between runs."""

_REFUSED_ATTRIBUTES = frozenset({
    "__builtins__", "__code__", "__globals__", "__loader__", "__subclasses__", "fromtimestamp", "now", "today", "utcnow",
})
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__annotations__", "__module__", "__qualname__", "__classdict__"}
_READS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_GUARDS = frozenset({"__name__", "TYPE_CHECKING"})


class NotSelfContained(Exception):
    """A function that cannot be cut out of its module. `code`: import_refused, name_refused, name_unknown, layout."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(f"{code}: {what}")
        self.code = code


@dataclass
class Statement:
    """A top-level statement: its physical lines, the names it binds, changes and needs."""

    node: ast.stmt
    first: int
    last: int
    binds: Set[str] = field(default_factory=set)
    changes: Set[str] = field(default_factory=set)
    needs: Set[str] = field(default_factory=set)


class Module:
    """A parsed file. Raises SyntaxError, ValueError or RecursionError for text that is no Python."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.tree = ast.parse(text)
            self.lazy_annotations = any(
                isinstance(node, ast.ImportFrom) and node.module == "__future__"
                and any(alias.name == "annotations" for alias in node.names) for node in self.tree.body)
            self.statements = [self._statement(node) for node in self.tree.body if not _is_guard(node)]
        self.bindings: Dict[str, List[int]] = {}
        for index, statement in enumerate(self.statements):
            for name in statement.binds | statement.changes:
                self.bindings.setdefault(name, []).append(index)
        self.functions: Dict[str, ast.FunctionDef] = {
            node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        self.classes: Dict[str, ast.ClassDef] = {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}

    def _statement(self, node: ast.stmt) -> Statement:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        found = Statement(node, first, node.end_lineno or node.lineno)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.binds = {(alias.asname or alias.name.split(".")[0]) for alias in node.names}
        else:
            found.needs = self._needs([node])
            found.binds, found.changes = _bound(node), _changed(node)
        return found

    def _needs(self, nodes: List[ast.stmt]) -> Set[str]:
        flags = __future__.annotations.compiler_flag if self.lazy_annotations else 0
        code = compile(ast.Module(nodes, []), "<module>", "exec", flags, dont_inherit=True)
        return set(_names_read(code))

    def closure(self, roots: Iterable[str], extra: Optional[str] = None) -> str:
        """The text of everything that the names of `roots` need, in the module's order; `extra` is text put behind it. Names that
        nothing binds, but sites for exercises do, are bound at the top.

        Raises NotSelfContained."""
        waiting, wanted, chosen, given = list(roots), set(), set(), set()
        if extra is not None:
            waiting += self._needs(ast.parse(extra).body) - _bound_by(extra)
        while waiting:
            name = waiting.pop()
            if name in wanted:
                continue
            wanted.add(name)
            if name not in self.bindings:
                if name in IMPORTS or name in NODES:
                    given.add(name)
                elif name in REFUSED_NAMES or name not in _BUILTINS:
                    raise NotSelfContained("name_refused" if name in REFUSED_NAMES else "name_unknown", name)
                continue
            for index in self.bindings[name]:
                if index not in chosen:
                    chosen.add(index)
                    waiting += self.statements[index].needs
        parts = [table[name] for table in (IMPORTS, NODES) for name in sorted(given & table.keys())]
        parts += [part for index in sorted(chosen) for part in self._text(self.statements[index], wanted)]
        if self.lazy_annotations:
            parts.insert(0, "from __future__ import annotations")
        return _joined(parts + ([extra.rstrip("\n")] if extra is not None else []))

    def _text(self, statement: Statement, wanted: Set[str]) -> List[str]:
        node = statement.node
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return [text for text in _import_texts(node, wanted)]
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Import, ast.ImportFrom)):
                list(_import_texts(inner, None))
            elif isinstance(inner, ast.Attribute) and inner.attr in _REFUSED_ATTRIBUTES:
                raise NotSelfContained("name_refused", inner.attr)
        if any(other is not statement and other.first <= statement.last and statement.first <= other.last
               for other in self.statements):
            raise NotSelfContained("layout", f"two statements on line {statement.first}")
        left_out = set(_docstring_lines(node))
        return ["\n".join(self.lines[number - 1].rstrip() for number in range(statement.first, statement.last + 1)
                          if number not in left_out)]


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        getattr(inner, "id", getattr(inner, "attr", None)) in _GUARDS for inner in ast.walk(node.test))


def _names_read(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in _READS:
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_read(constant)


def _bound(node: ast.stmt) -> Set[str]:
    """Names that a top-level statement binds in the module."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(inner.name)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name.split(".")[0] for alias in inner.names)
    return found


def _bound_by(text: str) -> Set[str]:
    return set().union(*(_bound(node) for node in ast.parse(text).body))


def _root(node: ast.expr) -> Optional[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _changed(node: ast.stmt) -> Set[str]:
    """Names whose objects a top-level statement fills: `table[0] = 1`, `names.append(x)`, also inside a loop."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return set()
    found: Set[Optional[str]] = set()
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Attribute, ast.Subscript)) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            found.add(_root(inner))
        elif isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call) and isinstance(inner.value.func, ast.Attribute):
            found.add(_root(inner.value.func))
    return {name for name in found if name is not None}


def _import_texts(node: ast.stmt, wanted: Optional[Set[str]]) -> Iterator[str]:
    """One line an import that binds a wanted name (all, for None). Raises NotSelfContained for modules not allowed."""
    for alias in node.names:
        bound = alias.asname or alias.name.split(".")[0]
        if wanted is not None and bound not in wanted:
            continue
        module = node.module if isinstance(node, ast.ImportFrom) else alias.name
        if getattr(node, "level", 0) or module not in ALLOWED_MODULES or alias.name == "*":
            raise NotSelfContained("import_refused", "." * getattr(node, "level", 0) + (module or "") + (" *" if alias.name == "*" else ""))
        renamed = f" as {alias.asname}" if alias.asname else ""
        if module != "__future__":
            yield f"from {module} import {alias.name}{renamed}" if isinstance(node, ast.ImportFrom) else f"import {module}{renamed}"


def _docstring_lines(node: ast.stmt) -> Iterator[int]:
    """The lines of docstrings that stand before other statements, on lines of their own."""
    for inner in ast.walk(node):
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or len(inner.body) < 2:
            continue
        first, second = inner.body[0], inner.body[1]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str) \
                and first.lineno > inner.lineno and second.lineno > first.end_lineno:
            yield from range(first.lineno, first.end_lineno + 1)


def _joined(parts: List[str]) -> str:
    out: List[str] = []
    for index, part in enumerate(parts):
        if index:
            plain = not any(text.lstrip().startswith(("def ", "class ", "@", "async ")) for text in (part, parts[index - 1]))
            out.append("\n" if plain else "\n\n\n")
        out.append(part.strip("\n"))
    return "".join(out) + "\n"


def names_of(nodes: Iterable[ast.AST]) -> FrozenSet[str]:
    """Every plain name that stands in the nodes."""
    return frozenset(inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name))


def parameters(node: ast.FunctionDef, method: bool = False) -> Tuple[List[ast.arg], int]:
    """The positional parameters (without `self` for a method) and how many of them have no default."""
    found = [*node.args.posonlyargs, *node.args.args]
    required = len(found) - len(node.args.defaults)
    return (found[1:], max(required - 1, 0)) if method else (found, required)
