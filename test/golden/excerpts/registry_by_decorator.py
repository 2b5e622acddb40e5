# main(5)
"""A registry that is filled by decorators, aliases, loops and bound methods."""
import math

TABLE = {}
ORDER = []
T = TABLE

def register(key, *more):
    def enter(function):
        T[key] = function
        for other in more:
            T.setdefault(other, function)
        return function
    return enter

@register('twice', 'double')
def _a(n):
    return n * 2

@register('next')
def _b(n):
    return n + 1

def half(n): return n // 2

def square(n): return n * n

for f in (half, square):
    TABLE[f.__name__] = f
note = ORDER.append
note('next')
[note(k) for k in ('square', 'half')]
U = {'all': T}
U['all'].setdefault('negate', lambda n: -n)
U['all']['after'], ORDER[1:1] = U['all']['double'], ['negate', 'after']
U['all'].setdefault('next', half)

def cube_root(x):
    return math.copysign(abs(x) ** (1 / 3), x)

class Circle:
    def __init__(self, radius):
        self.radius = radius

    def circumference(self):
        return 2 * math.pi * self.radius

def main(n):
    for name in ORDER:
        n = TABLE[name](n)
    return n
