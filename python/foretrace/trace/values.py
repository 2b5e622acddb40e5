"""The canonical repr: what a value looks like in a trace.

CPython's `repr`, made reproducible and safe. Sets are sorted by their items' repr, memory addresses and
module paths are removed, the length and the work are bounded, and a hostile `__repr__` neither hangs nor
raises. A cut value ends in CUT.
"""

from __future__ import annotations

import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable

from foretrace.trace.guard import GUARD

DEFAULT_LENGTH = 256
CUT = '…'
# Values visited for one repr. Only sets need more visits than characters: all items, to sort them.
WORK_LIMIT = 20_000
# More digits than CPython itself converts by default are shown by their leading ones.
INT_BITS_DIRECT = 8_192
INT_BITS_MOST = 262_144

_ADDRESS = re.compile(r' at 0x[0-9A-Fa-f]+')
_MODULE_IN_BRACKETS = re.compile(r"(?<=<)(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_][\w.]* object\b)")
_MAIN = re.compile(r"(?<=[<' ])__main__\.")

# The module that a traced program is: attributes are shown of objects of classes made there.
PROGRAM_MODULE = '__main__'

# A comprehension is no scope to the user, and from CPython 3.12 on not one in a qualified name either.
_COMPREHENSION = re.compile(r'<(?:list|set|dict)comp>\.(?:<locals>\.)?')

_MRO = type.__dict__['__mro__'].__get__
_DICT = type.__dict__['__dict__'].__get__
_NAME = type.__dict__['__name__'].__get__
_QUALNAME = type.__dict__['__qualname__'].__get__


class _Full(Exception):
    """The text has reached its limit."""


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
    except _Full:
        pass
    except Exception:  # e.g. a `__repr__` that changes the dict that holds it
        return _cut_to(_unrepresentable(kind), limit)
    return writer.text()


class _Writer:
    """Collects the text of one value and stops as soon as nothing more would be seen."""

    __slots__ = ('limit', 'parts', 'room', 'open', 'work')

    def __init__(self, limit: int, work: int = WORK_LIMIT) -> None:
        self.limit = limit
        self.parts: list[str] = []
        self.room = limit
        self.open: set[int] = set()
        self.work = work

    def text(self) -> str:
        text = ''.join(self.parts)
        if len(text) > self.limit:
            return text[:self.limit - 1] + CUT
        return text

    def emit(self, text: str) -> None:
        self.parts.append(text)
        self.room -= len(text)
        if self.room < 0:
            raise _Full

    def overflow(self) -> None:
        """End the text here although there is room: the rest costs too much to find."""
        self.parts.append(CUT)
        self.parts[:] = [_cut_to(''.join(self.parts), self.limit)]
        raise _Full

    def write(self, value: object) -> None:
        self.work -= 1
        if self.work < 0:
            self.overflow()
        kind = type(value)
        writer = _SCALARS.get(kind)
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
            self.emit(_unrepresentable(kind))
        finally:
            self.open.discard(key)

    def sequence(self, start: str, items: Iterable, end: str) -> None:
        self.emit(start)
        first = True
        for item in items:
            if not first:
                self.emit(', ')
            first = False
            self.write(item)
        self.emit(end)

    def pairs(self, start: str, items: Iterable, end: str) -> None:
        self.emit(start)
        first = True
        for key, item in items:
            if not first:
                self.emit(', ')
            first = False
            self.write(key)
            self.emit(': ')
            self.write(item)
        self.emit(end)

    def sorted_texts(self, items: Iterable) -> list[str]:
        """The items' own texts in order. Every item is visited: the smallest may come last."""
        texts = []
        for item in items:
            inner = _Writer(self.limit, self.work)
            inner.open = self.open
            try:
                inner.write(item)
            except _Full:
                pass
            self.work = inner.work
            if self.work < 0:
                self.overflow()
            texts.append(inner.text())
        texts.sort()
        return texts


def _cut_to(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit - 1] + CUT


def _unrepresentable(kind: type) -> str:
    return f'<unrepresentable {_NAME(kind)}>'


def _cycle_mark(kind: type) -> str:
    bases = _MRO(kind)
    if _writer_of(kind) is _write_object:
        return f'<{_scope_name(_QUALNAME(kind))} ...>'
    if OrderedDict in bases:
        return '...'
    if list in bases or deque in bases:
        return '[...]'
    if tuple in bases:
        return '(...)'
    if dict in bases or set in bases or frozenset in bases:
        return '{...}'
    return '...'


def _int_text(value: int, limit: int) -> str:
    bits = int.bit_length(value)
    if bits <= INT_BITS_DIRECT:
        return int.__repr__(value)
    if bits > INT_BITS_MOST:
        return _unrepresentable(int)
    digits = int(bits * 0.30102999566398120)  # at most one less than the true count
    head = abs(value) // 10 ** max(0, digits - limit - 2)
    return ('-' if value < 0 else '') + int.__repr__(head)[:limit] + CUT


def _str_text(value: str, limit: int) -> str:
    # The quote CPython chooses depends on the whole string, so choose it before cutting.
    if len(value) <= limit:
        return str.__repr__(value)
    head = str.__getitem__(value, slice(0, limit))
    if "'" in head or '"' in head or "'" in value:
        double = "'" in value and '"' not in value
        mark = '"' if double else "'"
        body = str.__repr__(head + '"' + "'")[1:-1]
        body = body[:-3]  # the added pair: `"` and `\'`
        return mark + (body.replace("\\'", "'") if double else body) + CUT
    return str.__repr__(head)[:-1] + CUT


def _bytes_text(value: bytes, limit: int) -> str:
    if len(value) <= limit:
        return bytes.__repr__(value)
    return bytes.__repr__(bytes.__getitem__(value, slice(0, limit)))[:-1] + CUT


def _plain_text(value: object, limit: int) -> str:
    return repr(value)


_SCALARS: dict[type, Callable[[object, int], str]] = {
    int: _int_text, str: _str_text, bytes: _bytes_text, bool: _plain_text, float: _plain_text,
    complex: _plain_text, type(None): _plain_text, type(Ellipsis): _plain_text,
    type(NotImplemented): _plain_text,
}


def _write_list(writer: _Writer, value: list) -> None:
    writer.sequence('[', list.__iter__(value), ']')


def _write_tuple(writer: _Writer, value: tuple) -> None:
    writer.sequence('(', tuple.__iter__(value), ',)' if tuple.__len__(value) == 1 else ')')


def _write_dict(writer: _Writer, value: dict) -> None:
    writer.pairs('{', dict.items(value), '}')


def _write_set(writer: _Writer, value: set | frozenset) -> None:
    kind = type(value)
    frozen = frozenset in _MRO(kind)
    base = frozenset if frozen else set
    bare = kind is set
    if not base.__len__(value):
        writer.emit(f'{_NAME(kind)}()')
        return
    writer.emit('{' if bare else f'{_NAME(kind)}({{')
    writer.emit(', '.join(writer.sorted_texts(base.__iter__(value))))
    writer.emit('}' if bare else '})')


def _write_deque(writer: _Writer, value: deque) -> None:
    most = deque.maxlen.__get__(value)
    writer.sequence(f'{_NAME(type(value))}([', deque.__iter__(value),
                    '])' if most is None else f'], maxlen={most})')


def _write_ordered_dict(writer: _Writer, value: OrderedDict) -> None:
    name = _NAME(type(value))
    if not dict.__len__(value):
        writer.emit(f'{name}()')
        return
    # The form of CPython 3.12; older ones print a list of pairs.
    writer.pairs(f'{name}({{', OrderedDict.items(value), '})')


def _write_default_dict(writer: _Writer, value: defaultdict) -> None:
    writer.emit(f'{_NAME(type(value))}(')
    writer.write(defaultdict.default_factory.__get__(value))
    writer.pairs(', {', dict.items(value), '})')


def _write_counter(writer: _Writer, value: Counter) -> None:
    name = _NAME(type(value))
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


def _scope_name(name: str) -> str:
    return _COMPREHENSION.sub('', name) if 'comp>.' in name else name


def _write_type(writer: _Writer, value: type) -> None:
    writer.emit(f"<class '{_scope_name(_QUALNAME(value))}'>")


def _write_function(writer: _Writer, value: types.FunctionType) -> None:
    writer.emit(f'<function {_scope_name(value.__qualname__)}>')


def _write_running(what: str) -> Callable[[_Writer, object], None]:
    def write(writer: _Writer, value: object) -> None:
        writer.emit(f'<{what} object {_scope_name(value.__qualname__)}>')
    return write


def _write_method(writer: _Writer, value: types.MethodType) -> None:
    function = value.__func__
    name = _scope_name(function.__qualname__) if type(function) is types.FunctionType else '?'
    writer.emit(f'<bound method {name} of ')
    writer.write(value.__self__)
    writer.emit('>')


def _write_module(writer: _Writer, value: types.ModuleType) -> None:
    name = types.ModuleType.__getattribute__(value, '__dict__').get('__name__')
    writer.emit(f'<module {name!r}>' if type(name) is str else '<module>')


def _write_exception(writer: _Writer, value: BaseException) -> None:
    args = BaseException.args.__get__(value)
    writer.sequence(f'{_NAME(type(value))}(', args, ')')


def _write_object(writer: _Writer, value: object) -> None:
    """The class, and for an object of the program's own classes what is stored in it: `<Point object {x: 1, y: 2}>`."""
    kind = type(value)
    writer.emit(f'<{_scope_name(_QUALNAME(kind))} object')
    first = True
    for name, item in _attributes(value):
        writer.emit(' {' if first else ', ')
        first = False
        writer.emit(f'{_as_written(kind, name)}: ')
        writer.write(item)
    writer.emit('>' if first else '}>')


def _attributes(value: object) -> Iterable[tuple[str, object]]:
    """What an object of the program's classes holds: its `__dict__`, then its slots. Read past whatever the class does on access."""
    own = [space for space in map(_DICT, _MRO(type(value))) if space.get('__module__') == PROGRAM_MODULE]
    for space in own:
        held = space.get('__dict__')
        if type(held) is types.GetSetDescriptorType:
            yield from [pair for pair in dict.items(held.__get__(value)) if type(pair[0]) is str and pair[0].isidentifier()]
            break
    for space in reversed(own):
        for name, member in space.items():
            if type(member) is types.MemberDescriptorType:
                try:
                    yield name, member.__get__(value)
                except AttributeError:  # an empty slot
                    pass


def _as_written(kind: type, name: str) -> str:
    """The name of an attribute as the class writes it: `__x` for `_Point__x`."""
    for base in _MRO(kind):
        private = f'_{_NAME(base).lstrip("_")}__'
        if name.startswith(private) and not name.endswith('__'):
            return name[len(private) - 2:]
    return name


def _write_named_tuple(writer: _Writer, value: tuple) -> None:
    kind = type(value)
    writer.emit(f'{_NAME(kind)}(')
    for position, (name, item) in enumerate(zip(kind._fields, tuple.__iter__(value))):
        writer.emit(f'{", " if position else ""}{name}=')
        writer.write(item)
    writer.emit(')')


def _write_guarded(writer: _Writer, value: object) -> None:
    """Whatever has a `__repr__` of its own: called under the guard, its text cleaned."""
    text = GUARD.call(_guarded_repr, value)
    if type(text) is not str:
        writer.emit(_unrepresentable(type(value)))
        return
    if len(text) > 4 * writer.limit + 4096:
        text = text[:4 * writer.limit + 4096]
    if '<' in text:
        text = _MAIN.sub('', _MODULE_IN_BRACKETS.sub('', _ADDRESS.sub('', text)))
    writer.emit(text)


def _guarded_repr(value: object) -> str:
    text = type(value).__repr__(value)
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
    int.__repr__: lambda writer, value: writer.emit(_int_text(value, writer.limit)),
    str.__repr__: lambda writer, value: writer.emit(_str_text(value, writer.limit)),
    bytes.__repr__: lambda writer, value: writer.emit(_bytes_text(value, writer.limit)),
    float.__repr__: lambda writer, value: writer.emit(float.__repr__(value)),
}


def _writer_of(kind: type) -> Callable:
    """The writer for a type that is not in the table. Looks only where a hostile type cannot interfere."""
    for base in _MRO(kind):
        space = _DICT(base)
        if '__repr__' not in space:
            continue
        found = space['__repr__']
        code = getattr(found, '__code__', None) if type(found) is types.FunctionType else None
        if code is not None and code.co_filename == _NAMED_TUPLE_FILE and tuple in _MRO(kind):
            return _write_named_tuple
        try:
            return _BY_REPR.get(found, _write_guarded)
        except BaseException:  # an unhashable `__repr__` attribute
            return _write_guarded
    return _write_object


# The file of the `__repr__` that collections.namedtuple gives its classes.
_NAMED_TUPLE_FILE = Counter.__repr__.__code__.co_filename
