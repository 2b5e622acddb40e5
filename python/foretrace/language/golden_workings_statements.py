"""Code lines of the golden file of workings, part two: statements, heads of bodies, and lines that go on elsewhere."""

from __future__ import annotations

SOURCES: list[str] = [
    # Statements.
    '''async def f(a, b, c, d, g, xs, ys, s, n, i, j, k):
    a = 1
    a = b = c + 1
    a, b = b, a + b
    (a, b) = c
    [a, *b] = xs
    a, (b, c) = d
    a, = xs
    *a, b = xs
    xs[i + 1] = a
    xs[i + 1], xs[j - 1] = xs[j - 1], xs[i + 1]
    xs[i][j + 1] = ys[j][i + 1] = a * 2
    xs[a:b + 1] = [c]
    a.b = c + d
    a.b[c + 1].d = n
    (a.b)[c * 2].d[n] = k
    *xs[i + 1:], a = b
    a = *xs, b
    a = b,
    a = b == c
    a = b if c else d
    a = lambda x: x
    a = yield
    a = yield b
    a = await b
    await a
    a + await b
    yield
    yield a, b
    (yield a)
    a = (b := c)
    (a := b)
    g(a := b)
    a += 1
    a -= b * c
    a **= 2
    a //= b, c
    a += *xs, 1
    a @= b
    a >>= b
    a <<= b
    a &= b
    a |= {c}
    a ^= b
    a %= b
    a /= b
    xs[i + 1] += ys[j] * 2
    xs[i][j] -= 1
    a.b += c
    a.b[i + 1] += c
    a: int
    a: int = b + c
    a: list[int] = [b]
    a: 'x' = yield
    xs[i + 1]: int
    xs[i + 1]: int = a
    a.b: c = d
    (a): int = 1
    return
    return a
    return a, b
    return *xs, a
    return a if b else c
    return (a)
    return -a
    return yield_
    assert a
    assert a < b, c + 1
    assert (a, b)
    assert a, yield_
    assert not a
    pass
    break_ = 1
    del a
    del xs[i + 1]
    raise a
    raise ValueError(a + 1) from b
    raise
    global zz
    import os
    from os import path
    a; b
    a = 1; b = 2
    a = 1;
    print(a, b)
    xs.append(a * b)
    xs[i](a)
    match = 1
    match(a)
    type = a
    _ = a
''',
    # Heads and bodies.
    '''async def f(a, b, c, d, g, xs, ys, s, n, i, j, k):
    if a:
        pass
    elif a > b:
        pass
    elif (a, b):
        pass
    elif a if b else c:
        pass
    else:
        pass
    if not a: return b
    if a: pass
    if (a := b):
        pass
    if a == {b: c}[d]:
        pass
    if xs[a:b]:
        pass
    if lambda: a:
        pass
    if await a:
        pass
    while a < b and xs[a]:
        break
    else:
        pass
    while True:
        continue
    while (yield):
        pass
    for x in xs:
        pass
    for x in range(len(xs) - 1, -1, -1):
        pass
    for x, y in zip(xs, ys):
        pass
    for (x, y) in xs:
        pass
    for x, (y, *z) in xs:
        pass
    for *x, y in xs:
        pass
    for x, *y, in xs:
        pass
    for x, in xs:
        pass
    for [x, y] in xs:
        pass
    for a.b in xs:
        pass
    for a[i + 1] in xs:
        pass
    for a[i].b, x in xs:
        pass
    for x in a, b:
        pass
    for x in *xs, *ys:
        pass
    for x in a,:
        pass
    for x in xs[1:]:
        pass
    for x in xs or ys:
        pass
    for x in xs if a else ys:
        pass
    for x in [y for y in xs]: pass
    for x in (yield):
        pass
    for x in xs: a += x
    else:
        pass
    async for x in xs:
        pass
    with a as b, c:
        pass
    with a(b + 1): pass
    try:
        pass
    except (a, b) as e:
        pass
    finally:
        pass
    match a:
        case [x, y]:
            pass
        case {'k': x}:
            pass
        case x if x > 1:
            pass
        case 1 | 2:
            pass
        case _:
            pass
    match a, b:
        case _: pass
    class K(a, metaclass=b):
        x: int = a + 1
    @g(a + 1)
    def h(x, y=a + 1, *z, w: int = 2, **v) -> a:
        nonlocal b
        return x
    lambda x: (yield)
''',
    # Lines that go on elsewhere.
    '''def f(a, b, c, d, g, xs, ys, s, n, i, j, k):
    a = (b +
         c * d)
    a = b + \\
        c * d
    g(a + 1,
      b * 2,
      key=c
      )
    xs = [
        a + 1,
        b,
        c]
    d = {
        'k': a + 1,
        'v': b + 1
    }
    if (a and
            b):
        pass
    if a < b \\
            < c:
        pass
    s = ('a'
         'b')
    s = """a
b""" + s
    s = f"""{a}
{b}"""
    return [
        x
        for x in xs
        if x
    ]
    return (a
            if b
            else c)
    xs[
        i + 1
    ] = a
    a = (
        yield
    )
''',
]
