"""Programs of the golden files, part two: exceptions, classes, patterns, values of every kind."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    # Exceptions.
    ('''def risky(n):
    if n > 1:
        raise ValueError(f'too big: {n}')
    return n


def f(n):
    log = []
    try:
        log.append(risky(n))
    except (ValueError, KeyError) as error:
        log.append(str(error))
    else:
        log.append('fine')
    finally:
        log.append('done')
    return log
''', "f(2)"),
    ('''def f(xs):
    for x in xs:
        try:
            if x == 0:
                continue
            y = 10 // x
        except ZeroDivisionError:
            y = None
        finally:
            xs = xs[1:]
    assert len(xs) == 1, (
        'left over', xs)
    return y
''', "f([0, 5])"),
    ('''def down(n):
    if n == 0:
        return {}['missing']
    return down(n - 1)


def f():
    try:
        down(2)
    except LookupError:
        pass
    down(1)
''', "f()"),
    # Context managers, decorators.
    ('''class Log:
    def __init__(self):
        self.lines = []

    def __enter__(self):
        return self.lines

    def __exit__(self, kind, error, trace):
        return kind is KeyError


def f():
    log = Log()
    with log as lines, (
            Log()) as other:
        lines.append(1)
        raise KeyError('swallowed')
    return log.lines, other
''', "f()"),
    ('''import functools


def twice(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args) + function(*args)
    return inner


@twice
@twice
def g(x):
    return [x]


def f(x):
    @twice
    def local(y): return (y,)
    return g(x), local(x)
''', "f('a')"),
    # Classes.
    ('''class Point:
    kind = 'point'

    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __repr__(self):
        return f'Point(x={self.x}, y={self.y})'

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    @property
    def size(self):
        return abs(self.x) + abs(self.y)

    @classmethod
    def origin(cls):
        return cls(0)


class Named(Point):
    def __init__(self, name):
        super().__init__(1, 2)
        self.__name = name


def f(n):
    p = Point.origin() + Point(n)
    return p, p.size, Named('q')
''', "f(-3)"),
    ('''class Counter:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


def f(n):
    out = 0
    for value in Counter(n):
        out = out * 10 + value
    return out
''', "f(2)"),
    # match.
    ('''def f(items):
    out = []
    for item in items:
        match item:
            case 0 | 1:
                out.append('small')
            case [x, *rest] if rest:
                out.append(rest)
            case {'k': value, **more}:
                out.append((value, more))
            case str() as text:
                out.append(text)
            case _:
                pass
    return out
''', "f([1, [1, 2, 3], {'k': 1, 'z': 2}, 's', None])"),
    # Values: sets, nested, floats, cut, raw, quotes.
    ('''import collections


def f():
    a = {3, 1, 2}
    b = frozenset()
    c = collections.OrderedDict(a=1)
    d = float('inf'), -0.0, 1e-07, 3 + 4j, ...
    e = 'it\\'s "both"', "it's", '\\\\', '\\x7f\\u200b'
    g = list(range(400)), 'x' * 2000
    h = [[], {}, (), (1,), {'a': {'b': (2,)}}]
    return range(3), slice(1), int, len, h
''', "f()"),
    ('''class Odd:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def f():
    items = [Odd(t) for t in ("a,b", "it's", 'x:y', '', 'f(x=1, None)', 'é…z', 'line\\nbreak', 'a, )', 'b""')]
    one = items[0]
    two = items[1]
    three = items[3]
    four = items[5]
    return items
''', "f()"),
    ('''def f(text):
    data = bytearray(text.encode('utf-8'))
    b = bytes(data[:2])
    view = b'\\'' + b
    del data[0], view
    return {b: data}
''', "f('héé')"),
    # Deletions, swaps, chained comparison, while-else, nested data changed in a callee.
    ('''def push(stack, x):
    stack.append(x)
    del x


def f(n):
    stack = [0]
    while 0 < n <= 3:
        push(stack, n)
        n, last = n - 1, n
    else:
        del last
    stack[0], stack[-1] = stack[-1], stack[0]
    return stack
''', "f(2)"),
    # Imports, words as attribute names, a library calling back.
    ('''from collections import defaultdict, deque as dq
import heapq
import os.path


def f(words):
    import math
    groups = defaultdict(list)
    for word in words:
        groups[len(word)].append(word)
    queue = dq(sorted(words, key=lambda w: (len(w), w)))
    queue.rotate(1)
    heap = list(queue)
    heapq.heapify(heap)
    return dict(groups), heap[0], math.floor(2.5), os.path.join('a', 'b')
''', "f(['bb', 'a', 'cc'])"),
    # Two frames that are entered one after the other from outside, and scopes on one line.
    ('''class Pair:
    def __new__(cls, n):
        made = super().__new__(cls)
        return made

    def __init__(self, n):
        self.items = list(map(lambda a: a + 1, filter(lambda b: b > n, range(n + 3))))
''', "Pair(1)"),
    ('''def f(n): return n * 2 if n else (lambda: 0)()
def g(xs): return [f(x) for x in xs] + list(f(y) for y in xs)
''', "g([0, 3])"),
    # Async functions are parsed though never run here.
    ('''async def work(source):
    async with source as s:
        async for item in s:
            await item
    return [x async for x in source]


def f(count):
    len = count
    return len
''', "f(3)"),
    # Empty patterns, alone and inside others.
    ('''def shape(value):
    match value:
        case [] | ():
            return 'empty'
        case {'items': [], **rest}:
            return rest
        case [[], last]:
            return last
        case {}:
            return value


def f(values):
    return [shape(value) for value in values]
''', "f([[], [[], 7], {'items': [], 'n': 1}, {'z': 2}])"),
]
