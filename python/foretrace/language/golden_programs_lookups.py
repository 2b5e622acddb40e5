"""Programs of the golden files, part four: lines that look items up, and conditions of all kinds."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    ('''from collections import Counter, defaultdict, deque
def f(xs, text, grid):
    i, k = 1, 'b'
    seen = {'a': [1, 2], 'b': {3: (4, 5)}, (1, 2): "it's", -3: 'é\\n'}
    n = xs[i] + xs[-1] - xs[i + 1] * xs[i-1]
    xs[0], xs[i] = xs[i], xs[0]
    grid[i][0] += grid[0][i] + grid[-1][-2]
    word = text[i] + text[i:] + text[:-2] + text[1:i+3] + text[-9:99]
    part = xs[1:][0] + xs[i:][i - 1]
    seen['a'][i] = seen['b'][3][1]
    seen[k] = seen[(1, 2)][3], seen[-3][0]
    counts = Counter(text)
    counts[k] += counts[text[0]] + counts['zz']
    table = defaultdict(list, {k: [[7, 8], [9]]})
    table[k][0][i] = table['x']
    line = deque(grid[0], maxlen=4)
    line[0] = line[-1]
    try:
        n = xs[9]
    except IndexError:
        n = seen.get(k)
    t = (n,)
    del xs[i], seen['a']
    for x in grid[i]:
        n = t[0]
    for c in text[1:]:
        n = c
    for c in xs[-2:i]:
        n = 1
    for key in table[k][1]:
        n = key, grid[0][int(i)], xs[len(xs) - 1], xs[::2], xs[i:][0]
    return text[i - 9], {1, 2} and i, xs [0], grid[i] [0] if i else n
''', "f([10, 20, 30, 40], 'aébc\\\\d', [[1, 2], [3, 4]])"),
    ('''def f(n, xs):
    if n > 2:
        pass
    elif n == 2: n += 1
    elif n:
        n = 5
    if (n and
            xs):
        n += 1
    if xs and all(x for x in xs):
        n += 1
    while n > 4:
        n -= 2
        if n == 3:
            continue
        elif not xs:
            break
    else:
        n = -1
    if g(n): n = 0
    if g(xs):
        @print
        def h(): pass
    while True:
        if n < -3:
            return n
        n -= 1
        if [x
            for x in xs]: xs.pop()
        if (n
            ):
            "a string"
    if n:
        n = 1
def g(x):
    if x:
        return False
    if not x:
        return True
def k(n):
    for i in range(3):
        try:
            if i / n > 1:
                global z
                z = i
        except ZeroDivisionError:
            if i:
                n = 1
        finally:
            if n == i:
                n += 1
    if n:
        with open(0) as h:
            if h:
                return
    if n > 9:
        n = 0
''', "print(f(3, [1]), f(2, []), f(7, [0, 2]), k(0), g(1), g(0))"),
    ('''def f(xs):
    total = 0
    it = iter(xs)
    while (x := next(it, None)) is not None:
        if (yield x):
            total += 1
        if x % 2 == 0 and x not in xs[1:]:
            total += xs[x]
    if total:
        yield total
def h(n):
    return [a if a > 1 else -a for a in f(n)
            if a]
''', "h([0, 1, 2, 3])"),
    ('''def f(s):
    for c in s[0]:
        s += c
    if s:
        y: int
    else:
        s = c
    for c in s[1]:
        c = s[0][0] + s[1][0:1] + s[1][0]
    return c
''', '''f("['")'''),
    ('''def f(xs, text, table):
    out = []
    for x in reversed(xs):
        out.append(x)
    for c in text[::-1]:
        out += [c]
    for c in text[::-2]:
        out += [c]
    for x in sorted(xs):
        out.append(x)
    for x in sorted(reversed(xs), reverse=True):
        out.append(x)
    for i, x in enumerate(reversed(table)):
        out[i] = x
    for x in reversed(xs[1:]):
        out[0] = x
    for x in reversed(''):
        return
    return out
''', "f([3, 1, 2], 'ab\\n', {'k': 1, 'j': 2})"),
]
