"""Expressions evaluated in a frame of a running program, on copies, so that nothing of the run changes."""

from __future__ import annotations

import ast
import copy
import random
import re
import types
import warnings
from dataclasses import dataclass

from foretrace.trace.guard import GUARD
from foretrace.trace.program import PROGRAM_FILE
from foretrace.trace.values import canonical

UNSTABLE = re.compile(r"""0x[0-9a-f]{9}|[0-9a-f]{9}x0|<module \\?['"][\w.]+\\?['"] [f(]""", re.IGNORECASE)
"""In what is made of the text of an object: an address, another one in every run, or the place of a module, another one on every machine."""

EXPRESSION_FILE = '<foretrace expression>'
SHARED = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type, range, types.ModuleType,
          types.BuiltinFunctionType)
# Calls that change nothing but the iterators they are given.
QUIET_FUNCTIONS = frozenset((
    'abs all any ascii bin bool bytes callable chr complex dict divmod enumerate float format frozenset hash hex int '
    'isinstance issubclass len list max min oct ord pow range repr reversed round set slice sorted str sum tuple type '
    'zip').split())
QUIET_METHODS = frozenset((
    'bit_length capitalize casefold center conjugate copy count decode difference elements encode endswith expandtabs '
    'find get index intersection is_integer isalnum isalpha isascii isdecimal isdigit isdisjoint isidentifier islower '
    'isnumeric isprintable isspace issubset issuperset istitle isupper items join keys ljust lower lstrip most_common '
    'partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines '
    'startswith strip swapcase symmetric_difference title translate union upper values zfill').split())

_REFUSED = frozenset((ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))

Answer = tuple[str, str]
"""('value' or 'exception', its canonical text)."""


@dataclass(slots=True)
class Expression:
    """One compiled expression. `names`: all that it may read. `quiet`: it changes no object it is given."""

    text: str
    code: types.CodeType
    names: frozenset[str]
    quiet: bool


def compile_expression(text: str) -> Expression | None:
    """The expression, or None for a text that does not compile as one that may be asked (no `:=`, no `yield`)."""
    text = text.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            code = compile(text, EXPRESSION_FILE, 'eval', dont_inherit=True)
            if '(' not in text:  # no call, no assignment, no `yield`: what it reads is in the code
                return Expression(text, code, _names(code), True)
            tree = ast.parse(text, EXPRESSION_FILE, mode='eval')
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    quiet, waiting = True, [tree]
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind is ast.Call:
            quiet = quiet and _is_quiet(node.func)
        elif kind in _REFUSED:
            return None
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                waiting.extend([item for item in value if isinstance(item, ast.AST)])
            elif isinstance(value, ast.AST):
                waiting.append(value)
    return Expression(text, code, _names(code), quiet)


def _names(code: types.CodeType) -> frozenset[str]:
    """The global names that the code and what is nested in it read; names of attributes are among them."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if constant.__class__ is types.CodeType:
            found |= _names(constant)
    return frozenset(found)


def _is_quiet(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in QUIET_FUNCTIONS
    return isinstance(function, ast.Attribute) and function.attr in QUIET_METHODS


class FrameEvaluator:
    """Evaluates expressions in one frame where it stands now. Call it from the trace function only.

    What an expression changes is the copy of this evaluation: locals, the cells of closures among them, and the
    data in the module's globals. (State kept elsewhere, in class attributes say, is not copied: a caller that
    goes on with the run compares what follows with what it knows.) Copies are shared between expressions that
    change nothing.
    """

    def __init__(self, frame: types.FrameType, limit: int) -> None:
        self._limit = limit
        self._module = frame.f_globals
        self._locals = {name: value for name, value in dict(frame.f_locals).items() if name[0] != '.'}
        self._globals = {name: value for name, value in self._module.items()
                         if not isinstance(value, (types.FunctionType, type, types.ModuleType)) and name[:2] != '__'}
        self._copies: tuple[dict, dict] | None = None

    def answer(self, expression: Expression) -> Answer | None:
        """The answer, or None: a name could not be copied, it took too long, or it ended in a way of its own."""
        if self._copies is None:
            self._copies = GUARD.call(_copied, (self._locals, self._globals))
        if self._copies is None:
            return None
        names, data = self._copies
        space = {**self._module, **data, **names}
        for name in expression.names:
            if (name in self._locals and name not in names) or (
                    name in self._globals and name not in self._locals and name not in data):
                return None
        if not (expression.quiet and self._are_plain(expression.names)):
            self._copies = None  # the next one gets fresh ones
        module, saved = self._module, dict(self._module)
        state = random.getstate() if 'random' in saved else None
        module.update(data)
        try:
            return GUARD.call(_evaluated, (expression.code, space, self._limit))
        finally:
            module.clear()
            module.update(saved)
            if state is not None:
                random.setstate(state)

    def _are_plain(self, names: frozenset[str]) -> bool:
        """Whether none of the values is an iterator or an object with methods of its own."""
        for name in names:
            value = self._locals.get(name, self._globals.get(name))
            if value is not None and type(value).__module__ != 'builtins' or hasattr(value, '__next__'):
                return False
        return True


def _evaluated(task: tuple[types.CodeType, dict, int]) -> Answer | None:
    code, space, limit = task
    try:
        answer = 'value', canonical(eval(code, space), limit)
    except (RecursionError, MemoryError):
        return None  # where these come depends on the process
    except Exception as error:
        answer = 'exception', canonical(error, limit)
    return None if UNSTABLE.search(answer[1]) else answer


def _copied(spaces: tuple[dict, dict]) -> tuple[dict, dict]:
    """Copies of two name spaces that share what the originals share; what cannot be copied is left out."""
    memo: dict = {}
    dispatch = copy._deepcopy_dispatch
    plain = dispatch[types.FunctionType]
    dispatch[types.FunctionType] = _copy_function
    try:
        return tuple({name: value for name, value in ((name, _copy_or_missing(value, memo))
                                                      for name, value in space.items()) if value is not _MISSING}
                     for space in spaces)
    finally:
        dispatch[types.FunctionType] = plain


_MISSING = object()


def _copy_or_missing(value: object, memo: dict) -> object:
    if type(value) in SHARED:
        return value
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # generators, files and whatever has a __deepcopy__ of its own
        return _MISSING


def _copy_function(function: types.FunctionType, memo: dict) -> types.FunctionType:
    """A function with a closure gets cells of its own: what it rebinds stays in the copy."""
    if not function.__closure__ or function.__code__.co_filename != PROGRAM_FILE:
        return function
    cells = []
    waiting = []
    for cell in function.__closure__:
        made = memo.get(id(cell))
        if made is None:
            made = memo[id(cell)] = types.CellType()
            waiting.append((cell, made))
        cells.append(made)
    found = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                               tuple(cells))
    found.__kwdefaults__ = function.__kwdefaults__
    found.__qualname__ = function.__qualname__
    memo[id(function)] = found
    for cell, made in waiting:
        try:
            content = cell.cell_contents
        except ValueError:  # not yet bound
            continue
        made.cell_contents = copy.deepcopy(content, memo)
    found.__dict__.update(function.__dict__)
    return found


