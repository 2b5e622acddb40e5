"""Programs of the golden files, part five: syntax that the two parsers see differently."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    # Class patterns with keywords, which capture.
    ('''class P:
    __match_args__ = ('x',)

    def __init__(self, x, y):
        self.x = x
        self.y = y


def f(p):
    match p:
        case P(x=1, y=count):
            return count
        case P(2, y=[item, *rest]):
            return item, rest
        case P(y=None as key, x=(
                low, high)):
            return key, low, high
''', "f(P((3, 4), None))"),
    # Branches of functions that may be suspended.
    ('''class Given:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        yield self.value
        return self.value


async def items(n):
    while n:
        n -= 1
        yield n


async def work(n):
    total = 0
    if n > 1:
        total = await Given(n)
    async for item in items(n):
        if item:
            total += item
    for x in [1, 2]:
        total -= x
    return total


def f(n):
    job = work(n)
    while True:
        try:
            job.send(None)
        except StopIteration as stop:
            return stop.value
''', "f(2)"),
    # What is parsed and never run.
    ('''def rare(a, b, *c: *Ts):
    match a < b and not c or a not in b:
        case {Color.RED: x, A.B.C: [y, *z], **rest}: pass
        case(): pass
    match d := (
            a), *b, e if c else g:
        case[] | P(x=1, y=h): pass
    a[1, *b] = a[*b, 1:2, *c]
    for i in a, *b:
        for *j, k in *a, *b: pass
    l = [m for *n, m in a if (o for p, *q in n)]
    r = lambda a, /, s=lambda t, u,: 0, *v,: s
    print >>a, r
    return f'{a[*b]}{(lambda w, /, y: w)(1, 2)!r:>{a[1, *b]}}'


def decorated(a):
    @not a
    @b := a
    @a if b else a
    def g(): return b
    return g


def f(n):
    return n
''', "f(1)"),
    # Too long, and too many names before that.
    ("".join(f"name_{index} = 1\n" for index in range(161)), "print(1)"),
]
