"""Code lines of the golden file of workings: all that the parser of parts reads, and what it refuses."""

from __future__ import annotations

SOURCES: list[str] = [
    # Operators, calls, subscripts, constants.
    '''def f(a, b, c, d, g, xs, ys, s, n, i, j, k):
    a
    (a)
    ((a))
    a + b * c - d // n % k
    (a + b) * (c - d)
    a - b - c
    a << 1 | b & 3 ^ c >> 2
    a @ b / c
    -a ** -b
    -1
    +1 - -2
    -(1)
    --1
    -2 ** 2
    2 ** 3 ** 2
    (2 ** 3) ** 2
    2 ** -1
    a ** -b ** c
    ~a + ~1
    - + ~ a
    not a
    not not a == b
    not a in xs
    a < b
    a < b <= c != d
    a not in xs
    a is not None
    a is None
    a == b is not c not in xs
    a == (b == c)
    a and b
    a and b or c and not d
    (a or b) and (c or d)
    a if b else c
    a if b else c if d else n
    (a if b else c) if d else n
    a + b if c < d else -n
    a if (b if c else d) else n
    lambda: 0
    lambda x: x + a
    lambda x, *y, z, **w: (x, y, z, w)
    lambda x, /, y: x * y
    lambda *, x: x
    lambda x=1: x
    lambda x: lambda y: x + y
    (lambda x: x)(a)
    a if b else lambda x: x
    None
    True and False
    ...
    0x1F - 1
    0xe-1
    0xE+a
    0o17 + 0b101
    1e5-3
    1.5e-7 + a
    1E+10*2
    1_000
    .5 + 5. - 1.25
    2j * 1.5j
    1.5.real
    1..real
    1 .real
    1if a else 2
    0
''',
    # Calls, attributes, subscripts, slices.
    '''def f(a, b, c, d, g, xs, ys, s, n, i, j, k, key, args, kw):
    g()
    g(a)
    g(a,)
    g(a, b + c)
    g(a)(b)(c)
    g(*xs)
    g(*xs, *ys, a)
    g(**kw)
    g(a, *xs, key=b, **kw)
    g(key=b + c)
    g(sep=a, end='')
    g(key=lambda x: x[1])
    g(x for x in xs)
    g((x for x in xs), a)
    g(a == b, c)
    g(not a, -b)
    g(a if b else c, d)
    g(*a or b)
    len(xs) - 1
    len(xs[1:]) + len(set(ys))
    s.upper()
    s.upper().lower
    s.count('a') + xs.count(a)
    a.b.c.d
    a.b[c].d(n).key
    (a + b).c
    [1, 2].index(a)
    'abc'.find(s)
    'a'.join(s)[0]
    xs[0]
    xs[-1]
    xs[i + 1]
    xs[i][j]
    xs[ys[i]][ys[j]]
    xs[i * n + j]
    xs[:]
    xs[::]
    xs[a:]
    xs[:b]
    xs[a:b]
    xs[a:b:c]
    xs[::2]
    xs[:b:]
    xs[a::c]
    xs[::-1]
    xs[a + 1:len(xs) - 1]
    xs[a, b]
    xs[a,]
    xs[a:b, c]
    xs[:, ::2, ...]
    xs[a:b,]
    xs[(a, b)]
    xs[a if b else c]
    xs[a if b else c:d]
    xs[lambda: a]
    xs[not a]
    xs[*ys]
    xs[(a := 1)]
    xs[a := 1]
    d['k']['v']
    d[a, b][c]
    {}[a]
    [[a, b], [c, d]][i][j]
    (a, b)[i]
    g[a](b).c[d:n]
''',
    # Displays, comprehensions, strings.
    '''def f(a, b, c, d, g, xs, ys, s, n, i, j, k):
    ()
    (a,)
    (a, b)
    (a, b,)
    a,
    a, b
    a, b,
    *xs,
    *xs, a
    a, *xs, *ys
    []
    [a]
    [a, b + 1,]
    [*xs, a, *ys]
    [*xs | ys]
    {}
    {a}
    {a, b}
    {*xs, a}
    {a: b}
    {a: b, c: d,}
    {**a}
    {**a, 'k': b + 1, **c | d}
    {a: {b: c}}
    {a if b else c: d if n else k}
    {'a': lambda: 0, 'b': [1]}
    ([a], {b}, (c,))
    [[(a)]]
    [x for x in xs]
    [x + 1 for x in xs if x]
    [x for x in xs if x if x > 1]
    [x for y in ys for x in y]
    [x for y in ys if y for x in y if x]
    [x for x in xs or ys]
    [x for x in (xs if a else ys)]
    [x if x else y for x, y in xs]
    [x for x, *y in xs]
    [x for x, in xs]
    [x for (x, y), z in xs]
    [x for x in xs if a and b or c]
    [(x, y) for x in range(n) for y in range(x)]
    [x async for x in xs]
    [[x for x in y] for y in ys]
    [g[0] for g[0] in xs]
    {x for x in xs}
    {x: y for x, y in d}
    {x: [y for y in x] for x in d if x}
    (x for x in xs)
    sum(x * x for x in xs)
    any(x > a for x in xs) and all(x for x in ys if x)
    dict((x, y) for x, y in zip(xs, ys))
    sorted(xs, key=lambda x: (-x[1], x[0]))
    'a'
    'it''s' "q" 'é'
    "'"
    'a\\'b\\\\'
    'a' + 'b' * 2
    b'ab'
    b'a' b"\\x00'"
    b'a'[0] + b'b'[i]
    'a' f'{a}' 'b'
    f'{a}'
    f'{a + 1:>{b}}|{c!r}'
    f'{a}' f"{f'{b}'}"
    f'{a}'.upper() + 'b'
    f''
    f'{{}}'
    'x' in s and '[' not in s
    '%s' % (a,)
    s[f'{a}']
''',
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

CUT_SHORT = '''def f(a, b, c, xs, s):
    xs[a + 1:] = [-b ** 2 if a not in {1: 'q', **c} else (lambda x: x)(1.5e-3)]
    for (a, *b), c in sorted(x for x in f'{a}' if not x):
        pass
    g(*xs, key=b'\\'', **c)[::a].d.e += 0xfe - 1, ~a @ b
    assert a <= b is not c or a << 1 & b, 'é'
'''
"""Each of its lines is also cut at every token."""

LOOSE: list[str] = [
    ")", "]", "}", "( ]", "( a ]", "[ a )", "{ a )", "( a ) )", "a b", "a ( b", "a [ ]", "a [ : : : ]", "a [ b c ]", "a [ b : c d ]",
    "a , , b", "( , )", "( a , , b )", "[ , ]", "{ a b }", "a ( , )", "a ( b c )", "a ( b , , c )", "* a", "* a b", "* * a", "** a",
    "a *", "a ** * b", "a + ", "a not b", "a is", "a in", "a not in", "not", "not in a", "and a", "a and", "a if b", "a if b else",
    "if a", "if :", "if a : b", "while :", "for in xs :", "for a xs :", "for a in :", "for a in xs", "for a in xs : b", "for 1 in xs :",
    "elif a :", "else :", "return return", "return a b", "assert", "assert a ,", "a =", "a = = b", "= a", "a : ", "a : b =", "a : b c",
    "a += ", "a += b = c", "a += b += c", "a = b += c", "a : b += c", "a . 1", "a .", ". a", "a . if", ". 5", "5 . a", "5 . . a", "a ...",
    "... . a", "0 x", "0 x g", "1 e - a", "1 e + 5", "1 e", "0 x e - 1", "1 . 5 . 6", "' a", "' a '", "' a \\ ' '", "' a \\", '" \' "',
    "<|bytes|>", "<|bytes|> a", "<|bytes|> ' a '", "<|bytes|> ' a ' ' b '", "' a ' a", "<|fstring|>", "<|fstring|> <|fend|>", "<|fend|>",
    "<|fstring|> { <|fstring|> <|fend|> }", "<|fstring|> { <|fstring|> <|fend|> } <|fend|> . a", "<|fstring|> ' <|fend|> ' a '", "lambda",
    "lambda :", "lambda a", "lambda a = 1 : a", "lambda a , b : a , b", "lambda len : len", "lambda ( a ) : a", "[ a for ]", "[ a for b ]",
    "[ a for b in ]", "[ a for b in c d ]", "[ a , b for c in xs ]", "[ a , b for c in xs , ]", "[ a for b in xs , c ]",
    "{ a : b , c for b in xs }", "{ a : }", "{ : a }", "{ a : b : c }", "{ ** a : b }", "{ * a : b }", "{ a , b : c }",
    "( a for b in xs if )", "a ( b for c in xs , s )", "a ( b = )", "a ( 1 = b )", "a ( if = b )", "a ( len = b )", "a ( b == c )",
    "a ( ** b , * c )", "a ( * b for b in xs )", "a ( b := c )",
    "a := b", "print", "print a", "None", "None = a", "a ; b", "; ", "@ a", "a @", "a -> b", "a ! b", "$", "<|L1|>", "<|end|>", "a <|end|>",
    "<|value|> 1", "<|it|> a", "a <|value|>", "( <|xc3|> )", "' <|xc3|> <|xa9|> '", "async", "await a", "yield", "a , yield", "a , not b",
    "a , lambda : b", "a , and", "a , = b", "a , : b", "a , ; b", "xs [ a , ] = b", "xs [ * a ]", "( * a )", "( * a , )", "return * a",
    "for a , b , in xs :", "for * in xs :", "for a . b [ c ] ( s ) in xs :", "for ( a in xs :", "~", "- - - a", "+ 1", "- 1 . 5", "- ( 1 )",
    "- ( a )", "- ( 1 + a )", "- 1 ** 2", "( ( ( ( a ) ) ) )", "( ( a ) , )", "( ( a , ) )", "[ ( a ) ] ( ( b ) )", "a < b < c , d < s",
    "a if b else c , d", "not a , not b", "a or b if c or d else s or xs", "xs [ a ] [ b ] . c ( s ) [ : ]",
]
"""Code that no program has, its pieces apart."""
