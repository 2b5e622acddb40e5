"""A program: its tokens, its lines, its names and its scopes (docs/trace-language.md, sections 2 and 3)."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from functools import cached_property, lru_cache
from typing import Iterable, NamedTuple, Optional

from . import tokens as T
from .conditions import Body, conditions
from .errors import ProgramError
from .lexer import lex, normalise_source
from .scopes import Analysis, Scope, analyse
from .writer import CodeWriter

GRAMMAR = (3, 11)  # newer syntax is refused, so that a program is one program on every CPython
HIDDEN = [T.CHARS["("], T.OPERATORS["..."], T.CHARS[")"]]  # the end of an entry whose arguments are unknown


class ProgramScope(NamedTuple):
    """A scope with its lines as code lines (physical numbers of code lines, ascending)."""

    index: int
    name: str
    first_line: int
    last_line: int
    is_generator: bool
    names: tuple[str, ...]  # in slot order
    lines: tuple[int, ...]
    call_lines: tuple[int, ...]
    loops: dict[int, tuple[int, ...]]  # line -> lines of the `for` statements around it, outermost first
    parent: Optional[int]

    def loops_of(self, line: int) -> tuple[int, ...]:
        """The `for` lines of the loops whose range contains `line`, outermost first."""
        return self.loops.get(line, ())


class Program:
    """A source and its entry call. Made by `Program.parse`.

    `tokens`: `<|program|>` to the end of the entry. `code_lines`: physical number of code line k at index k - 1.
    `slots`: name -> token id. `scopes`: in source order. `tree`: the syntax tree of the
    source. `hidden_arguments`: the entry is written `f(...)`, which says
    that the arguments are unknown; such a program is never run. `shows_values`: questions show the line about to run and the
    values of its names, and deltas what a condition came to, as the language has it; False leaves all of it out (for the ablations).
    `assigned_once`: first and last line of the statement, for names that are bound by one assignment of the module's own level alone.
    `shows_workings`: these lines and questions also have the values of the expressions in them, where these can be worked out.
    `writes_patches`: deltas tell what changed in a value, where that is shorter than the value.
    """

    def __init__(self, source: str, call: str, tokens: list[int], code_lines: list[int], slots: dict[str, int],
                 analysis: Analysis, tree: ast.Module, shows_values: bool = True, shows_workings: bool = False,
                 writes_patches: bool = True):
        self.source = source
        self.call = call
        self.tokens = tokens
        self.code_lines = code_lines
        self.slots = slots
        self.tree = tree
        self.shows_values = shows_values
        self.writes_patches = writes_patches
        self.shows_workings = shows_workings and shows_values
        self.slot_names: dict[int, str] = {token: name for name, token in slots.items()}
        self.hidden_arguments = tokens[-len(HIDDEN):] == HIDDEN
        self.scopes = self._scopes(analysis.scopes)
        self.assigned_once = _assigned_once(tree, analysis)
        self.value_cache: dict[str, tuple[int, ...]] = {}  # of values.encode_value
        self.constant_cache: "Optional[tuple[dict[str, str], dict[int, Sequence[int]]]]" = None  # of constants
        self._line_starts = [at for at, token in enumerate(tokens) if T.LINE_BASE <= token < T.LINE_BASE + T.LINE_COUNT]

    @staticmethod
    def parse(source: str, call: str, shows_values: bool = True, shows_workings: bool = False,
              writes_patches: bool = True) -> "Program":
        """Raises ProgramError; see docs/trace-language.md, section 2, for the codes."""
        source = normalise_source(source)
        tree = _parse_source(source)
        call = normalise_source(call).strip()
        _check_entry(call)
        analysis, writer = _written(source)
        writer = writer.copy()
        writer.out.append(T.ENTRY)
        writer.code(lex(call))
        return Program(source, call, writer.out, writer.code_lines, writer.slots, analysis, tree,
                       shows_values, shows_workings, writes_patches)

    @cached_property
    def conditions(self) -> dict[int, Body]:
        """Code line -> body, of the lines that decide a branch: their heads stand there whole, with the colon at the end."""
        return {self.code_line_of(line): body for line, body in conditions(self.tree).items()
                if self.line_tokens(line)[-1] == T.CHARS[":"]}

    # Lines.

    def code_line_of(self, line: int) -> int:
        """The physical number of the last code line at or before `line` (of the first one, if none is).

        CPython may report a line inside a multi-line string, or of a docstring: neither is a code line.
        """
        if not self.code_lines:
            return line
        return self.code_lines[max(bisect_right(self.code_lines, line) - 1, 0)]

    def line_token(self, line: int) -> int:
        """The line token of physical `line`, by `code_line_of`."""
        return T.LINE_BASE + max(bisect_right(self.code_lines, line) - 1, 0)

    def line_tokens(self, line: int) -> list[int]:
        """The code tokens of the code line that physical `line` stands for, without its line and indentation tokens."""
        index = self.line_token(line) - T.LINE_BASE
        starts = self._line_starts
        end = starts[index + 1] if index + 1 < len(starts) else self.tokens.index(T.ENTRY)
        return self.tokens[starts[index] + 2:end]

    def line_of_token(self, token: int) -> Optional[int]:
        """The physical line of a line token; None if the token is none of this program's line tokens."""
        index = token - T.LINE_BASE
        return self.code_lines[index] if 0 <= index < len(self.code_lines) else None

    # Scopes.

    def scope_of_call(self, line: int, function: Optional[str] = None, names: Iterable[str] = (),
                      caller: Optional[ProgramScope] = None) -> Optional[ProgramScope]:
        """The scope of a frame from its first `call` event: its line, its function's name, the names it has and what calls it.

        Lambdas and generator expressions on one line are told apart by their names; where these do not
        decide, one that stands in `caller` counts, and the first such scope. None if no scope is called on this line.
        """
        line = self.code_line_of(line)
        simple = function.rpartition(".")[2] if function else None
        found = [scope for scope in self.scopes if line in scope.call_lines]
        found = [scope for scope in found if scope.name == simple] or found
        if caller is not None:
            found.sort(key=lambda scope: scope.parent != caller.index)
        return _best(found, names)

    def scope_of_state(self, line: int, names: Iterable[str] = ()) -> Optional[ProgramScope]:
        """The scope of a state of which only line and names are known: the innermost that fits."""
        line = self.code_line_of(line)
        found = [scope for scope in self.scopes if line in scope.lines or line in scope.call_lines]
        return _best(found[::-1], names)

    def _scopes(self, scopes: list[Scope]) -> list[ProgramScope]:
        index_of = {id(scope): index for index, scope in enumerate(scopes)}
        return [self._scope(index, scope, index_of) for index, scope in enumerate(scopes)]

    def _scope(self, index: int, scope: Scope, index_of: dict[int, int]) -> ProgramScope:
        lines = sorted({self.code_line_of(line) for line in scope.lines})
        call_lines = sorted({self.code_line_of(line) for line in scope.call_lines})
        loops: dict[int, tuple[int, ...]] = {}
        if scope.loops:
            for line in sorted({*lines, *call_lines}):
                around = tuple(first for first, last in scope.loops if first <= line <= last)
                if around:
                    loops[line] = around
        names = sorted((name for name in scope.names if name in self.slots), key=self.slots.__getitem__)
        parent = None if scope.parent is None else index_of[id(scope.parent)]
        return ProgramScope(index, scope.name, self.code_line_of(scope.first_line), scope.last_line,
                            scope.is_generator, tuple(names), tuple(lines), tuple(call_lines), loops, parent)


def _assigned_once(tree: ast.Module, analysis: Analysis) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and target.id in analysis.kept_names:
                found[target.id] = (node.lineno, node.end_lineno or node.lineno)
    return found


def _best(scopes: list[ProgramScope], names: Iterable[str]) -> Optional[ProgramScope]:
    """The first of `scopes` that lacks the fewest of `names`."""
    if len(scopes) < 2:
        return scopes[0] if scopes else None
    wanted = set(names)
    return min(scopes, key=lambda scope: len(wanted.difference(scope.names)))


@lru_cache(maxsize=4)
def _parse_source(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, feature_version=GRAMMAR)
    except SyntaxError as error:
        column = None if error.offset is None else max(error.offset - 1, 0)
        raise ProgramError("invalid_python", error.msg, error.lineno, column) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ProgramError("invalid_python", str(error) or type(error).__name__) from None


@lru_cache(maxsize=4)  # a program is parsed for its hash, its document and with hidden arguments
def _written(source: str) -> "tuple[Analysis, CodeWriter]":
    """The scopes of a source and its tokens; neither is to be changed."""
    try:
        analysis = analyse(_parse_source(source))
    except RecursionError:
        raise ProgramError("invalid_python", "nested too deeply") from None
    writer = CodeWriter(set(analysis.module_names).union(*(scope.names for scope in analysis.scopes)))
    writer.program(lex(source))
    return analysis, writer


def _check_entry(call: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(call, mode="eval", feature_version=GRAMMAR)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ProgramError("invalid_entry", f"expected one call expression, got {call[:80]!r} ({error})") from None
    if not isinstance(tree.body, ast.Call):
        raise ProgramError("invalid_entry", f"expected one call expression, got {call[:80]!r}")
