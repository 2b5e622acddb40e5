"""Classes and what their objects hold, read past whatever a hostile class does on access."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable

# The module that a traced program is: attributes are shown of objects of classes made there.
PROGRAM_MODULE = '__main__'
# The file of its code, and of what `dataclass` writes for a class.
PROGRAM_FILE = '<foretrace program>'
_WRITTEN_FOR_CLASSES = '<string>'

# A comprehension is no scope to the user, and from CPython 3.12 on not one in a qualified name either.
_COMPREHENSION = re.compile(r'<(?:list|set|dict)comp>\.(?:<locals>\.)?')

# What `type` itself says: no metaclass is asked.
mro_of = type.__dict__['__mro__'].__get__
dict_of = type.__dict__['__dict__'].__get__
name_of = type.__dict__['__name__'].__get__
qualname_of = type.__dict__['__qualname__'].__get__


def scope_name(name: str) -> str:
    """A qualified name without the comprehensions in it."""
    return _COMPREHENSION.sub('', name) if 'comp>.' in name else name


def attributes(value: object) -> Iterable[tuple[str, object]]:
    """What an object of the program's classes holds: its `__dict__`, then its slots."""
    own = [space for space in map(dict_of, mro_of(type(value))) if space.get('__module__') == PROGRAM_MODULE]
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


def is_written_by_program(method: object) -> bool:
    """Whether what a class has by some name is a function of the program, or wraps one."""
    return any(function.__code__.co_filename == PROGRAM_FILE for function in _wrapped(method))


def is_of_data_class(method: object) -> bool:
    """Whether it is what `dataclass` gave a class of the program."""
    return any(function.__code__.co_filename == _WRITTEN_FOR_CLASSES
               and dict.get(function.__globals__, '__name__') == PROGRAM_MODULE for function in _wrapped(method))


def _wrapped(method: object) -> Iterable[types.FunctionType]:
    """A function and the one that it says it wraps."""
    if type(method) is types.FunctionType:
        yield method
        inner = method.__dict__.get('__wrapped__')
        if type(inner) is types.FunctionType:
            yield inner


def fields_of(kind: type) -> Iterable[str]:
    """The fields of a data class, in order, those among them that its own `__repr__` leaves out."""
    for space in map(dict_of, mro_of(kind)):
        if '__dataclass_fields__' in space:
            return [name for name, field in dict.items(space['__dataclass_fields__'])
                    if field._field_type.name == '_FIELD']  # no class variable, nothing for `__post_init__` alone
    return []


def class_value(kind: type, name: str) -> Iterable[object]:
    """What all objects of a class share by a name, if that is a value, not a descriptor."""
    for space in map(dict_of, mro_of(kind)):
        if name in space:
            if not any('__get__' in dict_of(base) for base in mro_of(type(space[name]))):
                yield space[name]
            return


def as_written(kind: type, name: str) -> str:
    """The name of an attribute as the class writes it: `__x` for `_Point__x`."""
    for base in mro_of(kind):
        private = f'_{name_of(base).lstrip("_")}__'
        if name.startswith(private) and not name.endswith('__'):
            return name[len(private) - 2:]
    return name
