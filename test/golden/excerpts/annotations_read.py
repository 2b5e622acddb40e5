# main(12)
from __future__ import annotations
import re
'not the docstring: an import is before it'
import sys
import typing

count: Number = 3
size: typing.List[Number]
Number = int

class Node:
    'a documented class'
    value: Number
    after: typing.Optional[Node]
    extra: Extra

class Plain:
    def junk_first(self): return 1
    'no docstring, because of the method before'
    x: Unknown = 1

class Extra: pass

def check_positive(n): return n > 0

def check_even(n): return n % 2 == 0

def check_small(n, limit: Number = 100): return n < limit

check_all = None

def __getattr__(name):
    if name.startswith('lazy_'):
        return name[5:] * 2
    raise AttributeError(name)

def __dir__(): return ['b', 'a']

def unused_words(text):
    return re.findall(r'\w+', text)

class Unused:
    def check_it(self): return self
    def lazy(self): return unused_words('a b')

def main(n):
    found = [(name, main.__globals__[name](n)) for name in sorted(main.__globals__)
             if name[:6] == 'che' + 'ck_' and main.__globals__[name]]
    module = sys.modules[__name__]
    notes = sorted(typing.get_type_hints(Node)), sorted(typing.get_type_hints(module))
    hints = [str(hint) for hint in typing.get_type_hints(check_small).values()]
    docs = __doc__, Plain.__doc__, Node.__doc__, Plain.__annotations__
    return found, notes, hints, docs, module.lazy_ab, dir(module)
