"""Programs of the golden files, part one: statements, expressions, literals, and programs that are refused."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    # Plain loops, conditions and strings.
    ('''def f(text, n):
    """Counts."""
    count = 0  # a word that the program binds
    for c in text:
        if c == 'a' or c.isdigit():
            count += n
        elif c == "'":
            continue
    return count
''', "f('ab\\'1é', 2)"),
    ('''def f(n):
    out = []
    for i in range(n):
        for j in range(i):
            out.append((i, j))
        else:
            out.append((i,))
    while len(out) > 4:
        out.pop()
    return out
''', "f(3)"),
    ('''def f(d):
    keys = sorted(d)
    total = 0x1F + 1_000 + 0B11 + 1E2 + .5 + 2J.imag
    for k, v in d.items():
        d[k] = {v: [k, None, True]}
    del total
    return d, keys
''', "f({'x': 1, 'y': b'\\x00q'})"),
    # Strings of every prefix.
    ('''def f():
    a = 'it''s' "q\\"" r'\\d+' u'\\u00e9\\x41\\101\\q'
    b = b'\\x00\\377abc' rb'\\n' B"'"
    c = """line one
  line 'two' \\
joined""" + '\\t\\N{BULLET}'[:1]
    return a, b, c
''', "f()"),
    ('''def f():
    a = 'it''s' "q\\"" r'\\d+' u'\\u00e9\\x41\\101\\q\\0'
    b = b'\\x00\\377abc' rb'\\n' B"'"
    c = """line one
  line 'two' \\
joined""" + '\\t\\U0001f600'[:2]
    return a, b, c
''', "f()"),
    # f-strings.
    ('''def f(x, width, d):
    a = f"{x!r:>{width}}|{x:05.1f}|{{x}}|{x = }|{width=:>4}|{d['k']}"
    b = F'{"q" if x != 2 else f"{x!s}"}' f"""{
        x + 1:>7}\\t'"""
    c = rf'\\d{x}\\{{' + f'{(lambda y: y)(x)}{ {1: 2}[1] }' + f'{x:{"<"}{width}}'
    return a, b.strip(), c
''', "f(2.5, 8, {'k': 'é'})"),
    # Lines: continuation, brackets, semicolons, comments, tabs.
    ('''def f(
    a,
    b=2,  # second
):
\tc = a + \\
\t    b; d = [
\t\ta,
\t\t# nothing
\t\tb]

\tif (a and
\t        b): return (
\t        d
\t    )
\treturn c
''', "f(1)"),
    ('''class Text(str):
    "A docstring."
    size = 3

    def twice(self):
        """A docstring
        of two lines."""
        return self + self


def f(text):
    (
        "not a docstring: in brackets"
    )
    return Text(text).twice().upper(
    ).replace(
        'A',
        'b',
    )
''', "f('ab')"),
    # Unicode names, names in form NFKC.
    ('''def größe(ñ, ﬁ):
    Ａ = ñ * 2
    for й in ñ:
        Ａ += й
    return A, fi
''', "größe('né', 2)"),
    # Functions: default, star, keyword-only, positional-only, annotations.
    ('''def f(a, /, b: int = 1, *rest: str, key=None, **named) -> dict:
    c: list = [a, *rest]
    x, (y, *z) = c[0], c
    return {'b': b, **named, 'key': key, 'z': z}


def g(*args, **kwargs):
    return f(*args, **kwargs)
''', "g(1, 2, 'r', key='k', other=[1])"),
    # Closures, nonlocal, global, lambda.
    ('''LIMIT = 3
seen = 0


def outer(n):
    total = 0

    def add(k):
        nonlocal total
        global seen
        seen += 1
        total += k
        return total

    for i in range(n):
        add(i)
    return (lambda scale: total * scale + LIMIT)(2)
''', "outer(3)"),
    ('''def f(xs):
    key = lambda pair: (-pair[1], pair[0])
    fs = [lambda: x for x in xs]
    ordered = sorted(((x, len(x)) for x in xs), key=key)
    return ordered, fs[0]()
''', "f(['b', 'aa'])"),
    # Comprehensions and the walrus.
    ('''def f(xs):
    a = [y for x in xs if (y := x * 2) > 2 for z in range(y)]
    b = {x: {w for w in range(x)} for x in xs}
    if (n := len(a)) > 3 and any((last := x) > 1 for x in xs):
        return n, last, b
    return a, y
''', "f([1, 2])"),
    # Generators.
    ('''def numbers(n):
    for i in range(n):
        got = yield i
        if got:
            yield from (k * got
                        for k in range(2))
    return 'end'


def f(n):
    out = []
    it = numbers(n)
    out.append(next(it))
    out.append(it.send(5))
    for x in it:
        out.append(x)
    return out
''', "f(3)"),
    ('''def chain(n):
    yield from squares(n)


def squares(n):
    i = 0
    while i < n:
        yield i * i
        i += 1


def f(n):
    return sum(chain(n)) + max(x for x in squares(n))
''', "f(3)"),
    # Recursion.
    ('''def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
''', "fib(4)"),
    ('''def depth(n, acc):
    acc = acc + [n]
    if n == 0:
        return len(acc)
    return depth(n - 1, acc) + 1
''', "depth(30, [])"),
    ('''def total(tree):
    if isinstance(tree, int):
        return tree
    return sum([total(child) for child in tree]) + total(len(tree))
''', "total([1, [2, [3]], 4])"),
    # Programs that are refused.
    ("def f(:\n    pass\n", "f()"),
    ("def f():\n    pass\n", "f"),
    ("def f():\n    pass\n", "f(); f()"),
    ("def f():\n  return 'a\n", "f()"),
    ("\n".join(f"x{k} = {k}" for k in range(81)) + "\n", "print(1)"),
    ("x = 1\n" * 161, "print(1)"),
    ("".join("    " * k + "if 1:\n" for k in range(12)) + "    " * 12 + "pass\n", "print(1)"),
]
