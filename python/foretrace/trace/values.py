"""The canonical repr: what a value looks like in a trace.

CPython's `repr`, made reproducible and safe. Sets are sorted by their items' repr, memory addresses and
module paths are removed, the length and the work are bounded. An object of the program's classes shows what
it holds, whatever a `__repr__` of its own would write: no code of the program runs for it. The `__repr__` of
other modules neither hangs nor raises. A cut value ends in CUT.
"""

from __future__ import annotations

import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial

from foretrace.trace.bounded_writer import BoundedWriter, Full, cut_to, unrepresentable
from foretrace.trace.guard import GUARD
from foretrace.trace.introspection import (
    as_written, attributes, class_value, dict_of, fields_of, is_of_data_class, is_written_by_program, mro_of, name_of, qualname_of, scope_name,
)
from foretrace.trace.scalar_texts import SCALARS, bytes_text, int_text, str_text

DEFAULT_LENGTH = 1024

_ADDRESS = re.compile(r' at 0x[0-9A-Fa-f]+')
_MODULE_IN_BRACKETS = re.compile(r"(?<=<)(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_][\w.]* object\b)")
_MAIN = re.compile(r"(?<=[<' ])__main__\.")


def canonical(value: object, limit: int = DEFAULT_LENGTH) -> str:
    """The canonical repr of `value`, at most `limit` characters, never raising."""
    kind = type(value)
    if kind is str:
        if len(value) <= limit:
            text = repr(value)
            if len(text) <= limit:
                return text
    elif kind is int:
        if -(10 ** 30) < value < 10 ** 30:
            return repr(value)
    elif kind is bool or value is None or kind is float:
        return repr(value)
    writer = _Writer(limit)
    try:
        writer.write(value)
    except Full:
        pass
    except Exception:  # e.g. a `__repr__` that changes the dict that holds it
        return cut_to(unrepresentable(kind), limit)
    return writer.text()


class _Writer(BoundedWriter):
    """Writes each value as its kind is written, one that holds itself by a mark."""

    __slots__ = ()

    def write(self, value: object) -> None:
        self.work -= 1
        if self.work < 0:
            self.overflow()
        kind = type(value)
        writer = SCALARS.get(kind)
        if writer is not None:
            self.emit(writer(value, self.limit))
            return
        writer = _WRITERS.get(kind)
        if writer is None:
            writer = _writer_of(kind)
        key = id(value)
        if key in self.open:
            self.emit(_cycle_mark(kind))
            return
        self.open.add(key)
        try:
            writer(self, value)
        except RecursionError:
            self.emit(unrepresentable(kind))
        finally:
            self.open.discard(key)


def _cycle_mark(kind: type) -> str:
    bases = mro_of(kind)
    if _writer_of(kind) is _write_object:
        return f'<{scope_name(qualname_of(kind))} ...>'
    if OrderedDict in bases:
        return '...'
    if list in bases or deque in bases:
        return '[...]'
    if tuple in bases:
        return '(...)'
    if dict in bases or set in bases or frozenset in bases:
        return '{...}'
    return '...'


def _write_list(writer: _Writer, value: list) -> None:
    writer.sequence('[', list.__iter__(value), ']')


def _write_tuple(writer: _Writer, value: tuple) -> None:
    writer.sequence('(', tuple.__iter__(value), ',)' if tuple.__len__(value) == 1 else ')')


def _write_dict(writer: _Writer, value: dict) -> None:
    writer.pairs('{', dict.items(value), '}')


def _write_set(writer: _Writer, value: set | frozenset) -> None:
    kind = type(value)
    frozen = frozenset in mro_of(kind)
    base = frozenset if frozen else set
    bare = kind is set
    if not base.__len__(value):
        writer.emit(f'{name_of(kind)}()')
        return
    writer.emit('{' if bare else f'{name_of(kind)}({{')
    writer.emit(', '.join(writer.sorted_texts(base.__iter__(value))))
    writer.emit('}' if bare else '})')


def _write_deque(writer: _Writer, value: deque) -> None:
    most = deque.maxlen.__get__(value)
    writer.sequence(f'{name_of(type(value))}([', deque.__iter__(value),
                    '])' if most is None else f'], maxlen={most})')


def _write_ordered_dict(writer: _Writer, value: OrderedDict) -> None:
    name = name_of(type(value))
    if not dict.__len__(value):
        writer.emit(f'{name}()')
        return
    # The form of CPython 3.12; older ones print a list of pairs.
    writer.pairs(f'{name}({{', OrderedDict.items(value), '})')


def _write_default_dict(writer: _Writer, value: defaultdict) -> None:
    writer.emit(f'{name_of(type(value))}(')
    writer.write(defaultdict.default_factory.__get__(value))
    writer.pairs(', {', dict.items(value), '})')


def _write_counter(writer: _Writer, value: Counter) -> None:
    name = name_of(type(value))
    items = list(dict.items(value))
    if not items:
        writer.emit(f'{name}()')
        return
    if all(type(count) in (int, float, bool) for _, count in items):
        items.sort(key=lambda item: -item[1])
    writer.pairs(f'{name}({{', items, '})')


def _write_view(name: str) -> Callable[[_Writer, object], None]:
    def write(writer: _Writer, value: object) -> None:
        writer.sequence(f'{name}([', iter(value), '])')
    return write


def _write_type(writer: _Writer, value: type) -> None:
    writer.emit(f"<class '{scope_name(qualname_of(value))}'>")


def _write_function(writer: _Writer, value: types.FunctionType) -> None:
    writer.emit(f'<function {scope_name(value.__qualname__)}>')


def _write_running(what: str) -> Callable[[_Writer, object], None]:
    def write(writer: _Writer, value: object) -> None:
        writer.emit(f'<{what} object {scope_name(value.__qualname__)}>')
    return write


def _write_method(writer: _Writer, value: types.MethodType) -> None:
    function = value.__func__
    name = scope_name(function.__qualname__) if type(function) is types.FunctionType else '?'
    writer.emit(f'<bound method {name} of ')
    writer.write(value.__self__)
    writer.emit('>')


def _write_module(writer: _Writer, value: types.ModuleType) -> None:
    name = types.ModuleType.__getattribute__(value, '__dict__').get('__name__')
    writer.emit(f'<module {name!r}>' if type(name) is str else '<module>')


def _write_exception(writer: _Writer, value: BaseException) -> None:
    args = BaseException.args.__get__(value)
    writer.sequence(f'{name_of(type(value))}(', args, ')')


def _write_object(writer: _Writer, value: object) -> None:
    """The class, and for an object of the program's own classes what is stored in it: `<Point object {x: 1, y: 2}>`."""
    kind = type(value)
    writer.emit(f'<{scope_name(qualname_of(kind))} object')
    first = True
    for name, item in attributes(value):
        writer.emit(' {' if first else ', ')
        first = False
        writer.emit(f'{as_written(kind, name)}: ')
        writer.write(item)
    writer.emit('>' if first else '}>')


def _write_named_tuple(writer: _Writer, value: tuple) -> None:
    kind = type(value)
    _write_fields(writer, name_of(kind), zip(kind._fields, tuple.__iter__(value)))


def _write_data_class(writer: _Writer, value: object) -> None:
    """All fields that are bound, as the `__repr__` that a data class is given writes them: `Point(x=1, y=2)`."""
    kind = type(value)
    held = dict(attributes(value))
    _write_fields(writer, scope_name(qualname_of(kind)), (
        (name, item) for name in fields_of(kind)
        for item in ([held[name]] if name in held else class_value(kind, name))))


def _write_fields(writer: _Writer, name: str, fields: Iterable[tuple[str, object]]) -> None:
    """`Name(field=value, ..)`."""
    writer.emit(f'{name}(')
    for position, (field, item) in enumerate(fields):
        writer.emit(f'{", " if position else ""}{field}=')
        writer.write(item)
    writer.emit(')')


def _write_guarded(method: object) -> Callable[[_Writer, object], None]:
    """By the `__repr__` of another module: called under the guard, its text cleaned."""
    def write(writer: _Writer, value: object) -> None:
        text = GUARD.call(partial(_guarded_repr, method), value)
        if type(text) is not str:
            writer.emit(unrepresentable(type(value)))
            return
        if len(text) > 4 * writer.limit + 4096:
            text = text[:4 * writer.limit + 4096]
        if '<' in text:
            text = _MAIN.sub('', _MODULE_IN_BRACKETS.sub('', _ADDRESS.sub('', text)))
        writer.emit(text)
    return write


def _guarded_repr(method: object, value: object) -> str:
    text = method.__get__(value, type(value))()
    return text if type(text) is str else str.__str__(text)


_WRITERS: dict[type, Callable] = {
    list: _write_list, tuple: _write_tuple, dict: _write_dict, set: _write_set, frozenset: _write_set,
    deque: _write_deque, OrderedDict: _write_ordered_dict, defaultdict: _write_default_dict,
    Counter: _write_counter, type: _write_type, types.FunctionType: _write_function,
    types.MethodType: _write_method, types.ModuleType: _write_module,
    type({}.keys()): _write_view('dict_keys'), type({}.values()): _write_view('dict_values'),
    type({}.items()): _write_view('dict_items'),
    types.GeneratorType: _write_running('generator'), types.CoroutineType: _write_running('coroutine'),
    types.AsyncGeneratorType: _write_running('async_generator'),
}

# By the `__repr__` a subclass inherits. dict_* views and scalars cannot hold surprises of their own.
_BY_REPR: dict[object, Callable] = {
    list.__repr__: _write_list, tuple.__repr__: _write_tuple, dict.__repr__: _write_dict,
    set.__repr__: _write_set, frozenset.__repr__: _write_set, deque.__repr__: _write_deque,
    OrderedDict.__repr__: _write_ordered_dict, defaultdict.__repr__: _write_default_dict,
    Counter.__repr__: _write_counter, type.__repr__: _write_type, object.__repr__: _write_object,
    BaseException.__repr__: _write_exception,
    int.__repr__: lambda writer, value: writer.emit(int_text(value, writer.limit)),
    str.__repr__: lambda writer, value: writer.emit(str_text(value, writer.limit)),
    bytes.__repr__: lambda writer, value: writer.emit(bytes_text(value, writer.limit)),
    float.__repr__: lambda writer, value: writer.emit(float.__repr__(value)),
}


def _writer_of(kind: type) -> Callable:
    """The writer for a type that is not in the table. Looks only where a hostile type cannot interfere."""
    is_own = False
    for base in mro_of(kind):
        space = dict_of(base)
        if '__repr__' not in space or (is_own and _is_mixed_in(kind, base)):
            continue
        found = space['__repr__']
        if is_written_by_program(found):
            is_own = True
            if '_fields' in space and tuple in mro_of(kind):  # in place of the one that named tuples are given
                return _write_named_tuple
            continue
        code = getattr(found, '__code__', None) if type(found) is types.FunctionType else None
        if code is not None and code.co_filename == _NAMED_TUPLE_FILE and tuple in mro_of(kind):
            return _write_named_tuple
        if is_of_data_class(found):
            return _write_data_class
        try:
            return _BY_REPR.get(found) or _write_guarded(found)
        except BaseException:  # an unhashable `__repr__` attribute
            return _write_guarded(found)
    return _write_object


def _is_mixed_in(kind: type, base: type) -> bool:
    """Whether an enumeration has this class for its values: members are not written as these are."""
    return dict_of(base).get('__module__') != Enum.__module__ and Enum in mro_of(kind)


# The file of the `__repr__` that collections.namedtuple gives its classes.
_NAMED_TUPLE_FILE = Counter.__repr__.__code__.co_filename
