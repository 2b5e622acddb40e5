# main([Version(3), Vector(4), Settings(NAME='n', SIZE=2), Pair(1), 0])
from collections import namedtuple
from collections.abc import Mapping
from typing import NamedTuple

LOG = []

class Pair(namedtuple('Pair', 'left right', defaults=(9,))):
    __slots__ = ()
    def __new__(cls, left, *rest): return super().__new__(cls, left * 2, *rest)
    @classmethod
    def _make(cls, items):
        LOG.append('made')
        return super()._make(items)
    def __getnewargs__(self): return (0, 0)
    def swapped(self): return self[::-1]

class Version(NamedTuple):
    major: int
    minor: int = len('four')
    def __eq__(self, other): return self.major == other
    def __repr__(self): return 'v%d' % self.major

class Loose(type):
    def __instancecheck__(cls, other): return hasattr(other, 'swap' + 'ped')

class Swappable(metaclass=Loose): pass

class Vector:
    __match_args__ = ('x', 'y')
    def __init__(self, x): self.x = x
    @property
    def length(self): return self.x + 1

class Settings(Mapping):
    def __init__(self, **items): self.stored = items
    def __getitem__(self, key): return self.stored[key]
    def __iter__(self): return iter(self.stored)
    def __len__(self): return len(self.stored)
    def get(self, key, default=None): return self.stored.get(key.upper(), default)
    def unused(self): return 0

class Known: latest = Version(3)

Vector.__match_args__ = ('length', 'x')
Pair.__new__.__defaults__ = None; Pair.left = property(lambda self: self[0] + 1)

def unused_sum(vectors):
    return sum(vector.x for vector in vectors)

def main(things):
    out = []
    for thing in things:
        match thing:
            case Known.latest: out.append('latest')
            case Vector(5, x=low): out.append(low)
            case {'name': name, 'size': size}: out.append((name, size))
            case Swappable(left=left): out.append(left)
            case _: out.append(thing)
    pair = Pair(1)._replace(right=4)
    return out, pair, LOG
