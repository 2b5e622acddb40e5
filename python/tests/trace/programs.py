"""Programs that the tests trace: the examples, and more for what the examples do not use."""

import os
import re

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'examples')

CLASSES = '''
import functools
class Base:
    def __init__(self, x):
        self.x = x
    @property
    def double(self):
        return self.x * 2
    def __eq__(self, other):
        return self.x == other.x
class Derived(Base):
    def __init__(self, x):
        super().__init__(x + 1)
        self.y = [x]
def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper
@logged
def twice(n):
    return n * 2
def f(n):
    d = Derived(n)
    e = Base(n).double + d.double
    def outer():
        nonlocal e
        e += 1
        def inner(): return e
        return inner
    z = twice(outer()())
    order = sorted([3, 1, 2], key=lambda v: -v)
    class Local:
        size = 2
    same = d == Derived(n)
    return z, order, same
'''

LOOPS = '''
def f(n):
    t = 0
    for i in range(n): t += i
    while True:
        n += 1
        if n > 6:
            break
        elif n % 2:
            continue
        t += n
    for a in 'ab':
        if a == 'z':
            break
    else:
        t = -t
    return (t
            if t else
            n)
'''

RAISING = '''
def inner(n):
    try:
        if n:
            raise KeyError(n)
        return n
    except KeyError:
        raise
    finally:
        n = 0
def middle(n):
    return inner(n) + 1
def f(n):
    total = 0
    for i in range(2):
        try:
            total += middle(i)
        except KeyError as error:
            total += error.args[0]
        else:
            total += 10
    return middle(n)
'''

COMPREHENSIONS = '''
def square(x):
    return x * x
def f(n):
    x = 7
    a = [square(x)
         for x in range(n)
         if x]
    b = {k: [square(j) for j in range(k)] for k in range(2)}
    c = {square(v) for v in a}
    return a, b, c, x
'''

GENERATORS = '''
def count(n):
    for i in range(n):
        yield i
def both(n):
    got = yield from count(n)
    return 5
def f(n):
    items = []
    for i in both(n):
        items.append(i)
    total = sum(y * 2 for y in items)
    return total
'''

SHORTCUTS = '''
def same(x):
    return x
def f(n):
    a = same(n) and same(2)
    b = n and same(0) or same(3)
    for i in range(2): c = same(i) or same(n)
    while n > 0: n -= same(1) and 1
    while n < 2:
        n += 1 if same(n) or same(1) else 2
    return a, b, c, [same(k) and k for k in range(2)]
'''

MORE = {'classes': (CLASSES, 'f(3)'), 'loops': (LOOPS, 'f(2)'), 'raising': (RAISING, 'f(1)'),
        'comprehensions': (COMPREHENSIONS, 'f(3)'), 'generators': (GENERATORS, 'f(2)'),
        'shortcuts': (SHORTCUTS, 'f(2)')}


def examples():
    """name -> (source, call), the call read from the first comment of each example."""
    found = {}
    for name in sorted(os.listdir(EXAMPLES)):
        if name.endswith('.py'):
            with open(os.path.join(EXAMPLES, name), encoding='utf-8') as file:
                source = file.read()
            found[name] = source, re.match(r'# Debug: (.*)\n', source).group(1)
    return found


def every():
    """The examples and the programs of this file."""
    return {**examples(), **MORE}
