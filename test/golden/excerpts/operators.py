# main(['four'])
import operator

class Money:
    def __init__(self, cents): self.cents = cents
    def __add__(self, other): return Money(self.cents + other.cents)
    def __radd__(self, other): return Money(self.cents + other)
    def __lt__(self, other): return self.cents < other.cents
    def __eq__(self, other): return self.cents == other.cents
    def __hash__(self): return self.cents % 2
    def __format__(self, spec): return spec + str(self.cents)
    def __bool__(self): return self.cents != 0
    def __neg__(self): return Money(-self.cents)
    def rounded(self): return round(self.cents, -2)

class Place:
    def __init__(self, at): self.at = at
    def __index__(self): return self.at

class Point:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return self.x == other.x

class Lazy(dict):
    def __missing__(self, key): return Money(len(key))

class Bag:
    def __contains__(self, item): return item == 3
    def __iter__(self): yield from (Place(1), Place(0))
    def __reversed__(self): return iter('ba')
    def __len__(self): return 0

def _make(kind, *args): return kind(*args)

NONE = Money(0)
SHARED = [_make(Money, 5), _make(Money, 3), NONE]
def _more(): SHARED.append(_make(Money, 1))
_more()
PLACES = list(_make(Bag))
INDEX = _make(Lazy, {'': SHARED[0]})

class Interval:
    def __init__(self, low, high): self.low, self.high = low, high
    def __and__(self, other): return Interval(max(self.low, other.low), min(self.high, other.high))

def unused_clamp(value, low, high):
    return operator.index(max(low, min(value, high)))

def main(names, bag=Bag()):
    out = [f'{INDEX[name]:>}' for name in names]
    total = sum(SHARED, 1)
    first = sorted(SHARED)[PLACES[0]]
    same = len({Money(5), *SHARED}), 3 in bag, list(reversed(bag)), not bag, not NONE
    try:
        {Point(1)}
    except TypeError:
        out.append('unhashable')
    return out, total, first, same, operator.neg(first)
