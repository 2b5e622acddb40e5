"""Which files of a collection are tested by which others: imports of test files, resolved to paths."""

from __future__ import annotations

import ast
import posixpath
import re
import warnings
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .collection import SourceFile

_TEST_FILE = re.compile(r"(^|/)(tests?/.*|tests?_[^/]*|[^/]*_tests?|tests?)\.py$")
_KEPT_SOLUTIONS = (".meta/example.py", ".meta/exemplar.py")
"""Where collections of exercises keep the solution that a test of the same folder is for; the file beside it is a stub."""


class Link(NamedTuple):
    """A test file and what it calls the tested file's names: its own name -> the module's; names of the whole module."""

    text: str
    names: Dict[str, str]
    modules: Tuple[str, ...]


def is_test_file(path: str) -> bool:
    """Whether a file's name says that it holds tests."""
    return _TEST_FILE.search(path) is not None


def links(files: Sequence[SourceFile]) -> Dict[str, List[Link]]:
    """Tested path -> the tests that import it."""
    index = _Index(files)
    found: Dict[str, List[Link]] = {}
    for file in files:
        if not is_test_file(file.path):
            continue
        tree = parsed(file.text)
        if tree is None:
            continue
        named: Dict[str, Dict[str, str]] = {}
        modules: Dict[str, Set[str]] = {}
        for node in tree.body:
            for target, own, name in index.resolve(file.path, node):
                if name is None:
                    modules.setdefault(target, set()).add(own)
                else:
                    named.setdefault(target, {})[own] = name
        for target in sorted({*named, *modules}):
            found.setdefault(target, []).append(Link(file.text, named.get(target, {}), tuple(sorted(modules.get(target, ())))))
    return found


def parsed(text: str) -> Optional[ast.Module]:
    """The syntax tree, or None for text that is no Python of this version."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Index:
    """Finds files by the end of their path, and names in the files of a package."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self.texts = {file.path: file.text for file in files}
        self.by_name: Dict[str, List[str]] = {}
        self.folders: Dict[str, List[str]] = {}
        for path in self.texts:
            self.by_name.setdefault(posixpath.basename(path), []).append(path)
            self.folders.setdefault(posixpath.dirname(path), []).append(path)
        self.defined: Dict[str, Set[str]] = {}

    def resolve(self, path: str, node: ast.stmt) -> Iterator[Tuple[str, str, Optional[str]]]:
        """(tested path, name in the test, name in the tested module or None for the module itself)."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                target = self.file(path, alias.name)
                if target is not None and (alias.asname or "." not in alias.name):
                    yield target, alias.asname or alias.name, None
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            for alias in node.names:
                target = self.file(path, module)
                if target is None or posixpath.basename(target) == "__init__.py":
                    inner = self.file(path, f"{module}.{alias.name}") if module else None
                    if inner is not None:
                        yield inner, alias.asname or alias.name, None
                        continue
                    target = self.in_package(path, module, alias.name)
                if target is not None and alias.name != "*":
                    yield target, alias.asname or alias.name, alias.name
                elif target is not None:
                    for name in sorted(self.definitions(target)):
                        yield target, name, name

    def file(self, path: str, module: str) -> Optional[str]:
        """The file that a module name stands for, seen from the file at `path`."""
        if not module:
            return None
        folder = posixpath.dirname(path)
        tail = module.replace(".", "/") + ".py"
        beside = posixpath.join(folder, tail)
        if beside in self.texts:
            for kept in _KEPT_SOLUTIONS:
                solution = posixpath.join(folder, kept)
                if solution in self.texts:
                    return solution
            return beside
        ends = [key for key in self.by_name.get(posixpath.basename(tail), ()) if key == tail or key.endswith("/" + tail)]
        return min(ends, key=lambda key: (len(key), key)) if ends else None

    def in_package(self, path: str, module: str, name: str) -> Optional[str]:
        """The file of a package that defines a name."""
        tail = module.replace(".", "/")
        folders = [key for key in self.folders if key == tail or key.endswith("/" + tail)] if tail else []
        for folder in sorted(folders, key=lambda key: (len(key), key)):
            for key in sorted(self.folders[folder]):
                if name in self.definitions(key):
                    return key
        return None

    def definitions(self, path: str) -> Set[str]:
        """Functions and classes of a file's top level."""
        if path not in self.defined:
            tree = parsed(self.texts[path])
            self.defined[path] = {node.name for node in tree.body if isinstance(
                node, (ast.FunctionDef, ast.ClassDef))} if tree is not None else set()
        return self.defined[path]
