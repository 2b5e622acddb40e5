"""From source text and an entry to code objects: what is compiled, what a frame shows, what it hides."""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import sys
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType

from foretrace.trace.errors import TraceError
from foretrace.trace.introspection import PROGRAM_FILE

ENTRY_FILE = '<foretrace entry>'
SHOWN_IN_BRACKETS = ('<lambda>', '<genexpr>')
GENERATOR_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
_OWN_FRAMES = (ast.Lambda, ast.GeneratorExp)
_SINGLE = frozenset((*_COMPREHENSIONS, *_OWN_FRAMES))
_LEAVES = frozenset((ast.Name, ast.Constant, ast.Load, ast.Store))


@dataclass(slots=True)
class FramePlan:
    """What a trace shows of the frames of one code object."""

    code: CodeType
    hidden: bool
    """Comprehensions, class bodies, the module: their frames are no frames to the user."""
    names: tuple[str, ...]
    """The names whose values are shown, in the order they are shown."""
    generator: bool
    inlined: tuple[tuple[int, int, frozenset[str]], ...]
    """Comprehensions that CPython 3.12+ inlined: first and last bytecode offset, and their variables."""

    shortcuts: frozenset[int] | None
    """Bytecode offsets where the operands of an `and` or `or` meet again; None before CPython 3.12."""
    start: int
    """The bytecode offset at which a frame that has not run stands at most; one that has yielded is past it."""

    def inlined_names(self, offset: int) -> frozenset[str]:
        """The variables of the inlined comprehensions that run at this offset; empty outside them."""
        found: frozenset[str] = frozenset()
        for first, last, names in self.inlined:
            if first <= offset <= last:
                found |= names
        return found

    def is_inlined(self, offset: int) -> bool:
        """Whether an inlined comprehension runs at this offset."""
        return any(first <= offset <= last for first, last, _ in self.inlined)


def plan_frame(code: CodeType) -> FramePlan:
    """Read off a code object what its frames show."""
    hidden = not code.co_flags & inspect.CO_OPTIMIZED or (
        code.co_name.startswith('<') and code.co_name not in SHOWN_IN_BRACKETS)
    names = dict.fromkeys(code.co_varnames + code.co_cellvars + code.co_freevars)
    shown = tuple(name for name in names if not name.startswith('.') and name not in ('__class__', '__classdict__'))
    generator = bool(code.co_flags & GENERATOR_FLAGS)
    if sys.version_info < (3, 12):
        return FramePlan(code, hidden, shown, generator, (), None, _start(code))
    return FramePlan(code, hidden, shown, generator, _inlined_comprehensions(code), _shortcuts(code), _start(code))


def _start(code: CodeType) -> int:
    """Where the code resumes for the first time; before CPython 3.11 no instruction marks it, and a frame begins at -1."""
    return next((instruction.offset for instruction in dis.get_instructions(code) if instruction.opname == 'RESUME'), -1)


def _shortcuts(code: CodeType) -> frozenset[int]:
    found = set()
    before = ''
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith('POP_JUMP') and before == 'COPY':
            found.add(instruction.argval)
        before = instruction.opname
    return frozenset(found)


def _inlined_comprehensions(code: CodeType) -> tuple[tuple[int, int, frozenset[str]], ...]:
    """The bytecode ranges of inlined comprehensions.

    One begins with LOAD_FAST_AND_CLEAR for each of its variables and lasts to where its outermost loop
    ends; between them the variables hold the comprehension's values, after it the function's own again.
    What runs when an exception leaves it, to restore the variables, is a second range.
    """
    found = []
    start = None
    names: set[str] = set()
    instructions = list(dis.get_instructions(code))
    raising = [instruction.offset for instruction in instructions if instruction.opname == 'RERAISE']
    handlers = _exception_handlers(code)
    for instruction in instructions:
        name = instruction.opname
        if name == 'LOAD_FAST_AND_CLEAR':
            if start is None:
                start = instruction.offset
            names.add(instruction.argval)
        elif start is not None and name == 'FOR_ITER':
            end = instruction.argval
            found.append((start, end, frozenset(names)))
            for first, target in handlers:
                if start < first <= instruction.offset and target > end:
                    found.append((target, min(offset for offset in raising if offset >= target), frozenset(names)))
                    break
            start, names = None, set()
    return tuple(found)


def _exception_handlers(code: CodeType) -> list[tuple[int, int]]:
    """(first offset covered, offset of the handler), read from the code's exception table.

    Entries are four numbers, start, length, target and depth, in big-endian groups of six bits; see
    InternalDocs/exception_handling.md in CPython.
    """
    data = iter(code.co_exceptiontable)

    def number(byte: int) -> int:
        value = byte & 63
        while byte & 64:
            byte = next(data)
            value = value << 6 | byte & 63
        return value

    found = []
    for byte in data:
        start = number(byte)
        _length, target, _depth = number(next(data)), number(next(data)), number(next(data))
        found.append((2 * start, 2 * target))
    return found


@functools.lru_cache(maxsize=4)  # a run is replayed several times
def compile_program(source: str) -> CodeType:
    """The module's code. Raises TraceError `invalid_python` with line and column.

    A comprehension is one expression to a debugger's user, and where CPython puts its steps differs
    between versions; so every node of one gets the position of the whole. So does every node of a lambda, and
    those of a generator expression get the position of its element. The `if __name__ ==
    '__main__':` part is left out: the entry is the call that was asked for.
    """
    try:
        tree = ast.parse(source, PROGRAM_FILE)
        tree.body = [node for node in tree.body if not _is_main_guard(node)]
        for node in _collapsed(tree):
            if isinstance(node, ast.GeneratorExp):
                ast.copy_location(node, node.elt)
            _collapse(node)
        return compile(tree, PROGRAM_FILE, 'exec', dont_inherit=True)
    except SyntaxError as error:
        raise TraceError('invalid_python', error.msg, 'a program that this Python compiles',
                         line=error.lineno, column=error.offset) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise TraceError('invalid_python', f'the source cannot be compiled: {error}', line=1, column=1) from None


def _is_main_guard(node: ast.stmt) -> bool:
    return (isinstance(node, ast.If) and isinstance(node.test, ast.Compare)
            and isinstance(node.test.left, ast.Name) and node.test.left.id == '__name__')


def _collapsed(tree: ast.AST) -> list[ast.expr]:
    """The expressions whose inside has one position, outer ones before those inside them."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        if node.__class__ in _SINGLE:
            found.append(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                waiting.extend([item for item in value if isinstance(item, ast.AST)])
            elif isinstance(value, ast.AST) and value.__class__ not in _LEAVES:
                waiting.append(value)
    return found


def _collapse(comprehension: ast.expr) -> None:
    """Give every node inside, up to lambdas and generator expressions, the comprehension's position."""
    waiting = list(ast.iter_child_nodes(comprehension))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _OWN_FRAMES):
            continue
        if hasattr(node, 'lineno'):
            ast.copy_location(node, comprehension)
        waiting.extend(ast.iter_child_nodes(node))


def enters_once(callee: object) -> bool:
    """Whether a call of `callee` runs in one frame of the program: a function, a method, or a class in that of its `__init__`.

    Of anything else (a builtin, which may call back, a class with `__new__`) it is not known.
    """
    if isinstance(callee, type) and type(callee) is type and not isinstance(callee.__new__, FunctionType):
        callee = callee.__init__
    function = callee.__func__ if isinstance(callee, MethodType) else callee
    return isinstance(function, FunctionType) and function.__code__.co_filename == PROGRAM_FILE


@dataclass(slots=True)
class EntryCode:
    """The two halves of an entry, evaluated before tracing begins."""

    callee: CodeType
    arguments: CodeType
    """Evaluates to (positional, named), given the name COLLECT."""


COLLECT = '__foretrace_collect__'


@functools.lru_cache(maxsize=4)
def compile_entry(call: str) -> EntryCode:
    """Split an entry into callee and arguments. Raises TraceError `invalid_entry`."""
    expected = 'exactly one call expression, such as f([1, 2])'
    try:
        tree = ast.parse(call.strip(), ENTRY_FILE, mode='eval')
    except SyntaxError as error:
        raise TraceError('invalid_entry', 'the entry does not parse', expected, call, error.lineno,
                         error.offset) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise TraceError('invalid_entry', f'the entry does not parse: {error}', expected, call) from None
    node = tree.body
    if not isinstance(node, ast.Call):
        raise TraceError('invalid_entry', 'the entry is no call', expected, call)
    try:
        callee = compile(ast.Expression(node.func), ENTRY_FILE, 'eval', dont_inherit=True)
        collect = ast.copy_location(ast.Name(COLLECT, ast.Load()), node)
        gathered = ast.copy_location(ast.Call(collect, node.args, node.keywords), node)
        arguments = compile(ast.Expression(gathered), ENTRY_FILE, 'eval', dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise TraceError('invalid_entry', f'the entry does not compile: {error}', expected, call) from None
    return EntryCode(callee, arguments)


def collect(*positional: object, **named: object) -> tuple[tuple, dict]:
    """What COLLECT stands for."""
    return positional, named
