/** `yield from` as CPython runs it, in programs that are meant to prove wrong what is said of it: the true answer to each step is taken as it is. */
import { expect, it } from 'vitest';
import { takenOtherwise } from '../support/true-answers.js';

const programs = [
  [
    'trees',
    'main((4, (2, (1, None, None), (3, None, None)), (5, None, None)))',
    `
def walk(t):
    if t is None:
        return 0
    v, l, r = t
    a = yield from walk(l)
    yield v
    b = yield from walk(r)
    return a + b + 1

def main(t):
    out = []
    for v in walk(t):
        out.append(v)
    return out, list(walk(t))
`,
  ],
  [
    'exceptions on their way through',
    'main(3)',
    `
def inner(n):
    for i in range(n):
        yield None
    raise ValueError('x')

def outer(n):
    try:
        yield from inner(n)
    except ValueError as e:
        yield str(e)
    finally:
        n = 0
    yield from [n]

def main(n):
    return list(outer(n))
`,
  ],
  [
    'texts, ranges and values that are returned',
    "main('ab')",
    `
def base(s):
    yield from s
    return s.upper()

def mid(s):
    r = yield from base(s)
    r2 = yield from base(r)
    yield from range(2)
    yield from ()
    yield from {'k': 1}
    return r2

def top(s):
    x = yield from mid(s)
    yield x

def main(s):
    return ', '.join(str(x) for x in top(s))
`,
  ],
  [
    'lists that are changed meanwhile',
    'main([3, 1])',
    `
def fill(out, n):
    for i in range(n):
        out.append(i)
        yield i
    out.append('end')

def each(xs):
    out = []
    for x in xs:
        yield from fill(out, x)
    yield out

def main(xs):
    for v in each(xs):
        w = v
    return w
`,
  ],
  [
    'methods',
    'main()',
    `
class Node:
    def __init__(self, v, kids=()):
        self.v = v
        self.kids = kids

    def walk(self):
        yield self.v
        for k in self.kids:
            yield from k.walk()

def main():
    t = Node(1, [Node(2), Node(3, [Node(4)])])
    return list(t.walk())
`,
  ],
  [
    'one that gives something while it is closed',
    'main()',
    `
def stubborn():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        yield 3

def outer():
    yield 0
    yield from stubborn()

def main():
    try:
        for x in outer():
            if x == 1:
                raise KeyError(x)
    except (KeyError, RuntimeError) as e:
        return repr(e)
    return None
`,
  ],
  [
    'what is sent and thrown',
    'main()',
    `
def acc():
    total = 0
    while True:
        x = yield total
        if x is None:
            return total
        total += x

def outer(res):
    r = yield from acc()
    res.append(r)

def main():
    res = []
    g = outer(res)
    next(g)
    g.send(3)
    g.send(4)
    try:
        g.send(None)
    except StopIteration:
        pass
    h = outer(res)
    next(h)
    try:
        h.throw(ValueError('bad'))
    except ValueError:
        pass
    h = outer(res)
    next(h)
    h.close()
    return res
`,
  ],
  [
    'one that raises, in a loop over another',
    'main()',
    `
def walk(n):
    if n > 0:
        yield n
        yield from walk(n - 1)
        yield from walk(n - 2)

def broken(n):
    for x in walk(n):
        yield from check(x)

def check(x):
    if x == 1:
        raise ValueError(x)
    yield x * 2

def main():
    got = []
    try:
        for y in broken(3):
            got.append(y)
    except ValueError:
        got.append(-1)
    return got, list(walk(3))
`,
  ],
  [
    'variables of the functions around',
    'main()',
    `
def count(n):
    i = 0
    def up():
        nonlocal i
        i += 1
        yield i
        i += 1
    while i < n:
        yield from up()
    yield i

def nothing():
    return
    yield

def main():
    def loc(k):
        yield from nothing()
        yield from count(k)
        z = yield from nothing()
        yield z
    return list(loc(3))
`,
  ],
  [
    'iterators that are given on',
    'main()',
    `
def gen(xs):
    while xs:
        yield xs.pop()
        xs.append(0) if len(xs) > 2 else None
        if len(xs) > 2:
            xs.pop()

def chain(*its):
    for it in its:
        yield from it

def main():
    a = [1, 2, 3]
    return list(chain(gen(a), [7, 8], (9,), 'x', gen([5])))
`,
  ],
  [
    'several on one line',
    'main()',
    `
def some(x):
    try:
        yield x
    finally:
        x = -x

def two(x):
    yield from some(x); x += 1
    if x: yield from some(x)
    return (yield from some(x + 1))

def main():
    it = two(5)
    r = [next(it), next(it)]
    del it
    for q in two(1):
        if q == 2:
            break
    return r, q, tuple(two(0))
`,
  ],
  [
    'loops that are left',
    'main()',
    `
def walk(n):
    if n:
        yield n
        yield from walk(n - 1)

def early(n):
    for x in walk(n):
        for y in walk(x):
            if y == 2:
                break
            yield y
        yield from walk(y)
        if x == 2:
            return 'done'

def main():
    r = []
    for x in early(3):
        if x == 1:
            break
        r.append(x)
    try:
        for a in early(2):
            r.append(a)
            1 / (a - 1)
    except ZeroDivisionError:
        pass
    return r, list(early(3))
`,
  ],
  [
    'generators that are kept',
    'main()',
    `
def it(n):
    k = 0
    while k < n:
        yield k
        k += 1

def keep(n):
    g = it(n)
    next(g)
    yield from it(1)
    return g

def main():
    a = list(keep(3))
    g = keep(2)
    b = next(g)
    c = list(g)
    values = it(3)
    next(values)
    values = list(it(2))
    return a, b, c, values
`,
  ],
  [
    'decorators',
    'main()',
    `
from functools import lru_cache, partial

def shout(f):
    def inner(*a):
        yield from map(str, f(*a))
    return inner

@shout
def nums(n):
    yield n
    yield n + 1

class T:
    def go(self, n):
        yield n
        return [n]

    def all(self, n):
        r = yield from self.go(n)
        yield from self.go(r[0] + 1)
        yield from sorted(self.go(9))

def main():
    t = T()
    p = partial(nums, 3)
    def run():
        yield from nums(1)
        yield from p()
        yield from t.all(5)
    return list(run())
`,
  ],
  [
    'values that decide',
    'main()',
    `
class E(Exception):
    pass

def a(n):
    if n == 2:
        raise E(n)
    yield n
    return n * 10

def b():
    for i in range(4):
        try:
            r = yield from a(i)
        except E as err:
            yield repr(err)
            continue
        else:
            if r > 20:
                return r
        finally:
            i = None

def c():
    r = yield from b()
    return (yield from a(r))

def main():
    out = []
    for x in c():
        out.append(x)
    return out, tuple(c())
`,
  ],
  [
    'None',
    'main()',
    `
def deep(n):
    if n == 0:
        yield None
        return
    got = yield from deep(n - 1)
    yield got
    if n == 2:
        raise ValueError(n)

def safe(n):
    try:
        yield from deep(n)
    except ValueError:
        return

def main():
    return list(safe(1)), list(safe(3)), [x for x in safe(2)]
`,
  ],
  [
    'objects that are gone over',
    'main()',
    `
class Tree:
    def __init__(self, v, l=None, r=None):
        self.v, self.l, self.r = v, l, r

    def __iter__(self):
        if self.l:
            yield from self.l
        yield self.v
        if self.r:
            yield from iter(self.r)

    def __len__(self):
        return 1

def main():
    t = Tree(2, Tree(1), Tree(3))
    s = 0
    for x in t:
        s += x
    return list(t), s
`,
  ],
  [
    'conditions',
    'main()',
    `
def f():
    x = yield from g()
    x = yield from g(x)
    while x < 4: x = yield from g(x)
    return x

def g(x=0):
    if x % 2: yield 'odd'
    else: yield 'even'
    return x + 1

def main():
    def drop():
        y = f()
        for t in y:
            if t == 'odd': y = None; break
        yield from f()
        return t
    def top():
        z = yield from drop()
        yield z
    return list(top())
`,
  ],
] as const;

it.each(programs)('%s', async (_, call, source) => {
  expect(await takenOtherwise(source, call)).toEqual([]);
});
