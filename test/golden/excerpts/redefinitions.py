# main(3)
from math import floor as lower

def step(n): return n + 1

first_step = step

def step(n): return first_step(n) * 2

step = (lambda inner: lambda n: inner(n) + 1000)(step)

def len(x): return 42
SIZE = len('x')
del len
def sorted(x): return 'mine'
if SIZE: del sorted
ITEMS = [3, 1]; alias = ITEMS; alias += [2]
WORD = other = 'a'; other += 'b'
TOTAL = 1
TOTAL += 4
TOTAL *= len(ITEMS)
head, *MIDDLE, tail = 'abcd'
(A, [B, *C]), D = (1, (2, 3, 4)), C if 'C' in dir() else None
A, B = B, A
for key, (low, high) in {'x': (1, 2), 'y': (3, 4)}.items(): pass
GRID = ROWS = [[0] * 2] * 2
ROWS[0][1] = 5
ROWS.append(key)

class Old:
    def hi(self): return 'old'
    def bye(self): return 'bye'

class Old(Old):
    def hi(self): return super().hi() + '!'
kept = Old
class Old: hi = kept.hi
old, Old = kept(), Old
try: del missing
except NameError as error: FLAG = type(error).__name__
def twice(n): return n * 2
twice, half = lambda n: n / 2, twice
lower, upper = abs, lower
del alias[0], ROWS[0]
def grow(by):
    global TOTAL
    TOTAL += by; ITEMS.append(by)
grow(-7)

class Unused:
    def twice(self): return self
    def half(self): return twice(4)
def unused_grid(size):
    return [[0] * size for _ in range(size)]

def main(n):
    n = step(n)
    words = WORD, other, head, MIDDLE, tail, FLAG
    numbers = TOTAL, SIZE, A, B, C, D, low, high, len('abc')
    n += twice(4) + half(4) + lower(-3.5) + upper(2.5)
    return n, words, numbers, sorted(ITEMS), GRID, old.hi(), hasattr(Old(), 'bye')
