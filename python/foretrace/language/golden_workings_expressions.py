"""Expressions of the golden file of workings: code lines, part one, and what is asked in the states of its programs."""

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
]

EXPRESSIONS: list[str] = [
    "{a}", "{a} + {b}", "{a} * 2 + {b}", "({a} + {b}) * ({a} + {b})", "[{a} * 2, {b} * 2][0]", "{a}[len({b}) - 1]",
    "{a}[{b} + 1] + {a}[{b} - 1]",
    "{a} < {b} + 1 < {c} * 2", "{a} and {a}[0] or {b}", "not {a} or {b} == {c}", "{a} + 1 if {b} > 1 else {c} * 2",
    "len({a}) + len({a}) * 2",
    "{a}[{b} % len({a}):{b} + 2][::-1]", "sorted([x for x in {a}][1:])", "sum(x * 2 for x in {a}[1:])", "str({a} * 2) + str({b})[1:-1]",
    "{a} // ({b} - {b}) + {c}", "{a}, {b} + 1, ({c} * 2, [{a} - 1])", "f'{{{a} + 1}}' + str({b} + 1)", "(lambda {a}: {a} * 2)({b} + 1)",
    "-{a} ** 2 - -{b}", "max({a} + {b}, {b} * 3, key=str)", "{{{a} + 1: {b} * 2}}[{a} + 1]", "{a} is {b}", "{a} + 1 is None",
    "({a} or {b}) == ({a} and {b})",
    "dict([({a}, {b})])[{a}]", "{a}.index({b} + 1) + 1", "'a' * {a} * 2", "{a} == {b} == {c}", "{a}[0][{b} + 1]", "bool({a}) + bool({b})",
    "isinstance({a}, int) and {a} * 3 > {b} + 1", "list(range({a} + 1))[-1] * 2", "[{a} + {b}] * 3 + [{a} + {b}]", "({a},)[0] + ({b})",
    "{a} * {b}", "{a} ** 2 - {b} * {c}", "[v + {b} for v in {a}] + [{c}]", "sum(v * {b} for v in {a} if v)", "[v for v in range({a}) if v % 2 == {b} - 1]", "[(v, {b}) for v in {a}[::-1]][0]",
    "{a}.n * 2 + {b}.n", "{a}.x + {b}.x * 3", "len({a}.rows) + {a}.rows[{a}.at][0]", "{a}.val if {a}.next else {b}.val + 1",
]
"""With names of the state for a, b and c."""
