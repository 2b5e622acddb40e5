"""From one file of a collection, and the tests that import it, to self-contained functions with calls that run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..language.errors import ProgramError
from ..language.program import Program
from .collection import SourceFile
from .function_calls import candidates, drawable, usable_calls
from .known_calls import all_known
from .linked_tests import Link, is_test_file, parsed
from .module_closure import Module, NotSelfContained
from .near_copy import is_near_copy
from .platform_names import NODES
from .programs import program_hash
from .scenarios import Scenario, Targets
from .test_blocks import blocks

MOST_TOKENS = 1200
"""Tokens of a program; longer ones leave no room for states."""
SCENARIOS_KEPT = 6
"""Scenarios tried of one file."""
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class Task(NamedTuple):
    """One file with the tests that import it."""

    file: SourceFile
    tests: Tuple[Link, ...]


@dataclass
class Function:
    """A self-contained program with its calls. `tokens` is the length of the program with its first call."""

    path: str
    name: str
    source: str
    calls: List[str]
    tokens: int
    hash: bytes

    @property
    def key(self) -> Tuple[bytes, str]:
        """What no two functions share: methods of one class are one program, asked for by different entries."""
        return self.hash, self.name if "." in self.name else ""


@dataclass
class Outcome:
    """What one file gave: functions, and for all others looked at why they are of no use."""

    functions: List[Function] = field(default_factory=list)
    dropped: Counter = field(default_factory=Counter)
    seen: int = 0


class _Candidate(NamedTuple):
    name: str
    roots: Tuple[str, ...]
    extra: Optional[str]
    calls: List[str]
    drawable: Optional[Tuple[str, Dict[str, ast.expr]]]


def modern(text: str) -> str:
    """The text with Python 2's `xrange`, which many a collection still has, as `range`; as it is where it binds that name."""
    if "xrange" not in text or re.search(r"\bxrange\s*=|import .*\bxrange|def xrange", text):
        return text
    return re.sub(r"\bxrange\b", "range", text)


def collect(task: Task) -> Outcome:
    """Everything usable of one file."""
    outcome = Outcome()
    try:
        module = Module(modern(task.file.text))
        found = list(_candidates(module, task))
    except _UNREADABLE:
        outcome.dropped["file_unreadable"] += 1
        return outcome
    keys = set()
    for candidate in found:
        outcome.seen += 1
        try:
            function, reason = _function(module, task.file.path, candidate)
        except _UNREADABLE:
            function, reason = None, "unreadable"
        if function is not None and function.key in keys:
            function, reason = None, "duplicate"
        if function is None:
            outcome.dropped[reason] += 1
        else:
            keys.add(function.key)
            outcome.functions.append(function)
    return outcome


def _candidates(module: Module, task: Task) -> Iterator[_Candidate]:
    calls, scenarios = _inputs(module, task)
    tested_here = is_test_file(task.file.path)
    for name, function in module.functions.items():
        if tested_here and name.lower().startswith("test") or name == "main":
            continue
        known = calls.get(name, [])
        yield _Candidate(name, (name,), None, known, None if known else drawable(function, None))
    for owner in module.classes.values():
        if tested_here and "TestCase" in ast.unparse(ast.Tuple(owner.bases, ast.Load())):
            continue
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef) or method.name.startswith("_"):
                continue
            name = f"{owner.name}.{method.name}"
            known = calls.get(name, [])
            typed = None if known else drawable(method, owner)
            if known or typed is not None:
                yield _Candidate(name, (owner.name,), None, known, typed)
    for made in scenarios[:SCENARIOS_KEPT]:
        yield _Candidate(made.name, tuple(sorted(made.uses)), made.text, [f"{made.name}()"], None)


def _inputs(module: Module, task: Task) -> Tuple[Dict[str, List[str]], List[Scenario]]:
    """(calls by function, scenarios) of the file itself and of the tests that import it."""
    generators = frozenset(name for name, node in module.functions.items() if _is_generator(node))
    own = Targets({name: name for name in module.functions}, {name: name for name in module.classes}, generators)
    calls, scenarios = all_known(blocks(module.tree), own)
    for link in task.tests:
        tree = parsed(link.text)
        if tree is None:
            continue
        names = {**{name: name for name in (*module.functions, *module.classes)}, **link.names} if link.modules else link.names
        targets = Targets({key: name for key, name in names.items() if name in module.functions},
                          {key: name for key, name in names.items() if name in module.classes},
                          generators, frozenset(link.modules))
        more, found = all_known(blocks(tree), targets)
        scenarios += found
        for name, texts in more.items():
            calls[name] = list(dict.fromkeys([*calls.get(name, []), *texts]))
    return calls, scenarios


def _is_generator(function: ast.FunctionDef) -> bool:
    waiting: List[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return False


def _function(module: Module, path: str, candidate: _Candidate) -> Tuple[Optional[Function], str]:
    """(the function, "") or (None, why not)."""
    tried = candidates(f"{path}:{candidate.name}", candidate.calls, candidate.drawable)
    if not tried:
        return None, "no_inputs"
    try:
        nodes = tuple(name for name in NODES if any(f"{name}(" in call for call in tried))
        source = module.closure((*candidate.roots, *nodes), candidate.extra)
    except NotSelfContained as refused:
        return None, refused.code
    try:
        program = Program.parse(source, tried[0])
    except ProgramError as error:
        return None, error.code
    if len(program.tokens) > MOST_TOKENS:
        return None, "program_too_long"
    if is_near_copy(source):
        return None, "near_copy"
    kept, reason = usable_calls(source, candidate.name, tried)
    calls = [found.call for found in kept if _parses(source, found.call)]
    if not calls:
        return None, reason or "invalid_entry"
    return Function(path, candidate.name, source, calls, len(program.tokens), program_hash(source)), ""


def _parses(source: str, call: str) -> bool:
    try:
        Program.parse(source, call)
    except ProgramError:
        return False
    return True
