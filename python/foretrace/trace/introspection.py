"""Classes and what their objects hold, read past whatever a hostile class does on access."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable

# The module that a traced program is: attributes are shown of objects of classes made there.
PROGRAM_MODULE = '__main__'

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


def as_written(kind: type, name: str) -> str:
    """The name of an attribute as the class writes it: `__x` for `_Point__x`."""
    for base in mro_of(kind):
        private = f'_{name_of(base).lstrip("_")}__'
        if name.startswith(private) and not name.endswith('__'):
            return name[len(private) - 2:]
    return name
