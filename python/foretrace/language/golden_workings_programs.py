"""Programs of the golden file of workings."""

from __future__ import annotations

from .golden_workings_numbers import NUMBERS

PROGRAMS: list[tuple[str, str]] = [
    # Computed indices, augmented items, exceptions in the middle of an expression.
    ('''def rotate(xs, k):
    n = len(xs)
    for i in range(len(xs) // 2):
        xs[i], xs[n - 1 - i] = xs[n - 1 - i], xs[i]
        xs[(i + k) % n] += xs[i - 1] * 2 - 1
    grid = [xs[i:i + 2] for i in range(0, n, 2)]
    while grid and grid[-1][0] * 2 > k + n:
        grid[len(grid) - 1][k - 1] -= abs(grid[0][0] - grid[-1][1]) + k ** 2
        k = -k if grid[0][k % 2] == 1 and not xs[0] else k + 1
        if xs[k * 2 - 1] // (k - 3) == n or xs[n + k]:
            return xs[k + n * 2]
    return sum(xs) + grid[0][0], max(xs[k:], default=-1) / (len(grid) + 1)
''', "rotate([3, 1, 4, 1, 5, 9], 1)"),
    # Divisions by more than one digit, powers, fractions, numbers with decimals.
    ('''def reckon(n, m, x):
    q, r = divmod(n, m), -n % m
    n = r % 10 + n // 100 - 2 ** 5
    part = m / 8 + n / m
    while x > 1.5 or 0.25 < x <= q[0]:
        x = x - 2
    return 3 ** 13, m / 9, 1 / 100000
''', "reckon(1234, 45, 3.25)"),
    # Short circuits both ways, ternaries, truth of every kind of value.
    ('''def choose(a, b, text, items, table, pair, blob, zero):
    if a > b and items[a * 2] or text[a + 1] == 'c':
        a = b - a if a - b < 0 else items[9 - a]
    if not items and 1 / zero or len(text) * 2:
        b = text[1:] and (text or items)[0] + 'x'
    c = (table.get('k') or [a + 1])[0] if 'k' in table else table['z' * 2]
    d = a and b and items or c
    e = blob and blob[0] + 1 or zero or -zero or {} or pair[0] - pair[1]
    while (items[0] if zero else items[-1]) and (len(items) > 2 or pair[0] == pair[1]) and not (zero and items[7]):
        items = items[1:] + [items[0] - a] if len(items) < 3 or len(text) > 5 else items[:-1]
    elif_ = text.upper() + text[::-1] if c != d is not None else text * 3
    assert len(elif_) > a + len(pair), text + '!'
    return [x for x in items if x > a] or (a < len(text) <= c, c < a < 1 / zero, None is d, d is c)
''', "choose(1, 4, 'abc', [5, 0, 7], {'k': [], 'v': 1}, (2, 2), b'', 0.0)"),
    # Exceptions inside: a division, an index, a key, a type.
    ('''def guarded(xs, d, s, n):
    out = []
    for k in (0, 2, 9):
        try:
            out.append(xs[k + 1] + n // (k - 2))
        except ZeroDivisionError:
            out += [d[s + str(k)] + 1]
        except IndexError as error:
            out.append(len(out) * 2)
    try:
        n = s[0] + s[-1] + xs[0] + s[1]
    except TypeError:
        n = (n + 1) * (n - 1) % len(xs) + int(s + '7', 36)
    try:
        return d[s * 2] + d[s][n - 60:n]
    except KeyError:
        if s.index('b') + s.find('b') > 0:
            return int(s) + n
    finally:
        out[len(xs)] = n
''', "guarded([10, 20, 30, 40], {'ab2': 7, 'ab': 'text'}, 'ab', 40)"),
    # Values that repeat, long ones, ones that are cut, more than twelve in one line.
    ('''def long(a, b, c, words):
    text = (a * 3 + b)[:len(a) * 4] + a * 3 + (a * 3 + b)
    key = ''.join(words[1:] + words[1:]) + ' '.join(words[1:]) + ' '.join(words[1:])
    many = [a + b, b + a, a + a, b + b, a * 2, b * 2, a[0], b[0], a[1] + b[1], b[1] + a[1], len(a) + 1, len(b) + 1, c + 1, c + 2]
    tail = (a + b)[0] + (a + b)[1] + (a + b)[0] + str((c + 1) * (c + 1) + (c + 1)) + (b + a)[c] + a[c + 1] + b[c - 1] + a[c - 1] * c * c
    big = 2 ** 70 + (2 ** 70) % 97 + c ** 3 ** 2 + (1 << 40) + 2 ** 70000 % 97 + len('ab' * 10 ** 6) + len(range(10 ** 9))
    wide = [c + len(words)] * 90 + list(range(c * 40)) + [a + b + a + b + a + b + a + b + a + b + a + b + a + b + a + b + a + b + a + b]
    return len(text) + len(key) + len(many) - len(tail) + big % (c + 5), len(wide) // c
''', "long('alpha', 'be\\\\ta\\'s', 3, ['one', 'two', 'three', '…'])"),
    # Sets, deques, counters, dicts of dicts, comprehensions.
    ('''from collections import Counter, deque


def collections(edges, word):
    graph, seen, queue = {}, {0}, deque([0])
    for a, b in edges:
        graph[a] = graph.get(a, []) + [b]
    while queue and len(seen) < len(edges) + 2:
        node = queue.popleft()
        for other in [n for n in graph.get(node, []) if n not in seen]:
            seen |= {other, other * 2} & {other} | seen - {-1}
            queue.append(other + 0)
    counts = Counter(word)
    best = max(counts.values()) - counts['z'] + counts[word[0]]
    rows = {k: {v: k * v for v in range(k % 3)} for k in graph}
    queue += [sum(x * y for x, y in edges), len(set(word) | set('xyz')), sorted(word)[best - 1]]
    pairs = sorted([(v, k) for k, v in counts.items()], key=lambda p: (-p[0], p[1]))
    if not counts.keys() - set(word) and rows[1] == {0: 0} and list(zip(word, edges))[0][1] == (0, 1) and {*seen} >= {0, 1}:
        return [*pairs[0], *list(map(str, sorted(seen)))[1:]], dict(enumerate(queue))[1 + 1] + 'é'
    return any(len(row) > 1 for row in rows.values()), queue[-1] * 2, [[i + j for j in seen] for i in seen][0], word.split(word[1])[-1]
''', "collections([(0, 1), (0, 2), (1, 3), (2, 3)], 'banana')"),
    # User functions called in the middle, the caller's line after a return, methods, names that hide builtins.
    ('''class Box:
    size = 2

    def __init__(self, width, height):
        self.width = width * self.size
        self.height = height + width * 2 - 1

    def area(self, scale=1):
        return self.width * self.height * (scale + scale * 2)


def fib(n, depth=0):
    if n < 2 or depth > 2 * 4:
        return n * (depth + 1) - depth * n
    return fib(n - 1, depth + 1) + fib(n - 2, depth + 1) * (n % 2 + 1) - (n - n)


def run(n, len):
    max = n * 2 - 1
    box = Box(n - 1, n + 1)
    total = box.area(n * 2 - 4) + n * 3 + fib(max - n * 1) + n * 3
    items = [max + 1, fib(n + 1) + max * 2, box.size * 2, n / 2]
    for item in items[1:] + [n * n]:
        if fib(2) and item > n * 4 and (box.width + 1) * n or item == n * n:
            total += int(item) + items[n - 2] * len + (lambda x: x * 2 + n)(n + 1)
    return total, items[len - 1] + items[-len], len(items) if n > 9 * 9 else len * 2, f'{n + 1}' + str(n + 1), box.area() + n * 7
''', "run(3, 2)"),
    # Loops over ranges, nested subscripts, slices, strings, bytes, floats.
    ('''def table(rows, text, data, x):
    size = len(rows)
    best = [[0] * (size + 1) for _ in range(size + 1)]
    for i in range(len(rows) - 1, -1, -1):
        for j in range(len(rows[i]) - 1):
            best[i][j + 1] = max(best[i + 1][j], best[i][j]) + rows[i][j + 1] * (i + 1)
            if i + j == size or rows[i][j] > rows[i][j + 1] and text[i * 2:j + 3] != text[j - 2:][::-1]:
                x = round(x / 3 + 0.1 * j, 3) - -x * 1e-2
    data = data[1:] + data[:1] * 2 + b'\\x00\\'"' + bytes([size + 65])
    text = text[:size].upper() + text[-size:] + '%s-%d' % (text[0], size * 2) + "it's"[1 + 1:] + text.replace('a' + 'b', '\\n')
    if text.startswith(text[:2]) and text.find('C' * 1) >= size - 1 and data[0] - data[-1] in (1, data[0] - 65):
        return best[0][size - 1], text.split(text[1])[-1:], -x ** 2, x > 0 > -x, data.hex()
    return best[size - 1][1:size], (text * 2)[3:-3:2], data[size], divmod(size * 7, 4)[1] * -1, [rows[-1][-1]][0] << 2
''', "table([[1, 5, 2], [8, 3, 1], [4, 4, 9]], 'abcab', b'AB', 2.5)"),
    # Strings and collections in positions; lists that a statement puts in another order.
    ('''def texts(s, sep, words):
    words.sort(key=len)
    back = s[::-1] + s[1::2] + s.replace(sep, '') + s.replace('an', sep * 2)
    parts = s.split(sep) + list(s.partition('na')) + sorted(s) + list(reversed(words))
    found = s.find('na') + s.rfind('na') - s.count('an') * len(s) + words.index('to')
    words.reverse()
    trimmed = s.strip('ab') + s.lstrip(s[0]) + s.rstrip() + s.removeprefix('ba') + s.removesuffix('xyz')
    wide = s.ljust(14, '.') + s.rjust(9) + s.zfill(12) + 'ab' * 3 + 4 * sep + '-5'.zfill(6) + s.ljust(40)
    known = 'nan' in s and 'z' not in s and s == s[::-1] or s != 'banana-split' and sep in 'a-b'
    joined = sep.join(s) + ', '.join(words) + ''.join(reversed(s)) + ' '.join(sorted(words, reverse=True))
    words.sort(reverse=True)
    return max(words), min(words, key=len), list(enumerate(words)), set(s), [len(s), len('a' + sep), tuple(sep)]
''', "texts('banana-split', '-', ['to', 'be', 'or', 'not', \"isn't\", 'to'])"),
    ('''def gathered(xs, ys, table, one, two):
    xs.sort()
    later = xs[::-1] + ys[2:] + xs[-4:-1] + ys * 3 + 2 * xs[:1]
    ys.reverse()
    pairs = list(zip(xs, ys)) + list(table.items()) + list(enumerate(ys))
    count = table.get('b', 0) + table.get('q', 9) + sum(table.values()) + len(table) + xs.count(7) + xs.index(40)
    rows = {'k': [xs], 'm': [[]]}
    rows['k'].append(xs[1] + 1)
    held = [7 in xs, 8 not in ys, any(ys), all(xs), xs == ys, xs + [5] == ys, 5 in one, list(table), tuple(xs)]
    both = sorted(one | two) + sorted(one - two) + list(one & {1, 5, 40}) + sorted(one ^ two)
    more = one.union(two), one.intersection(two), two.difference(one), one.symmetric_difference({3}), {40, 7} - {7, 40}
    values = max(table.values()) - min(ys) + sorted(xs, reverse=True)[0] + max([[3], [1, 2]], key=len)[0] + dict(zip(ys, xs))[2]
    return sorted(table), sorted(table.items()), set(xs + ys), list(reversed(xs)), max(one), ''.join(list(table)), set(), later
''', "gathered([40, 7, 13, 7, 2, 100], [5, 2, 0, 5, 9, 1], {'b': 3, 'a': 12, 'c': 3, 'd': 40, 'e': 1}, {1, 5, 40, 9}, {5, 9, 12})"),
    # Comprehensions in comprehensions, loops over ranges.
    ('''def grids(n, xs, _):
    zero = [[0 for _ in range(n)] for _ in range(n + 1)]
    times = [[x * y + n for y in xs[:2]] for x in xs]
    same = [[x for x in range(x)] for x in xs] + [[y for y in row if y != _] for row in times]
    kept = [sum(x * y for y in range(n)) + (lambda x: x)(1) for x in xs], [[x for x in xs] + [x] for x in xs], [_ + sum(_ for _ in xs) for _ in xs]
    total = n
    for i in range(n, 9, 3):
        for j in reversed(range(i - 1)):
            total += i * j
        for k in range(total * 2, -total - 1, -50):
            total -= 1
    for i in range(len(xs)):
        for j in range(0, total, 0 + n * 9):
            total += [len(row) for row in [[i] * j for j in range(3)]][i % 2]
    for i in range(n, -n):
        total = [[[i for i in range(2)] for j in range(2)] for k in range(9)]
    return zero, same, [(i, [j for j in range(i)]) for i in range(3)], kept, [[k * j for k in range(9)] for j in range(9)]
''', "grids(2, [3, 1, 4], 0)"),
    # Generators, closures, walruses, lines of many kinds that show nothing or little.
    ('''def make(limit, seq):
    step = limit - len(seq)

    def inner(k):
        nonlocal step
        step += k * 2 - step // 2
        yield step + k * limit
        yield from (v * k for v in seq[k - 1:])

    total: int = sum(seq) - limit * 2
    out = [*inner(step - 1), *seq[::2], total]
    if (n := len(out) + 1) > limit * 2: return n - 1
    with open(__file__ if out[0] > limit ** 9 else '/dev/null') as f: limit = limit + len(out) - 1
    a = b = out[limit - limit] + 1; c = a * b
    del out[len(out) - 1], seq[limit - limit]
    out[len(seq) - 1]: int = seq[0] * limit
    d = {'k': limit + 1, limit * 2: seq[0] + 1, **{'z': [limit]}}
    d['z'][limit - limit] += d['k'] - d[limit * 2] * (seq[0] - 1)
    x, (y, *z) = seq[0] + 1, [seq[0] + 2, *seq[len(seq):], limit - 1]
    return inner, str(limit + 1) in str(d), ((x, y), z) == ([x] + [y], z), out[seq[0] - a] if a in d.values() else -limit
''', "make(4, [5, 6])"),
    # Comprehensions and generator expressions, item by item or left as they are.
    ('''def items(xs, s, d, pairs, n):
    a = [x * n - 1 for x in xs if x % 2 == 1]
    b = [s[i].upper() + c for i, c in enumerate(s)]
    c = sum(x * x for x in xs) + len([k for k in d if d[k] > n]) * 2
    e = ', '.join(str(x) for x in xs[1:] if x and not x == n) + s
    g = [(k, v + n, [q]) for k, (v, q) in pairs] + [(x,) for x in xs[:n - 1]]
    h = any(ch == 'c' for ch in s) and max((x - y for x, y in zip(xs, a)), default=0) > n
    i = [[y * x for y in range(x)] for x in (1, n)] if n > 1 else [x for x in set(xs)]
    j = [x ** 2 // -x for x in [-n, n - 1, -1.5]], [k / (k - 3) for k in xs], n + 1
    for k in range(len(pairs[0]) - n, len(d.copy()) + n):
        for q in enumerate(reversed(pairs[0][1])):
            i = [[k] * len(q[1:])]
    for k in sorted(xs[1:])[:n - 1]:
        j = k + len(xs[:k])
    for k in [x + 1 for x in xs if x > n]:
        if all(k > x for x in a) or k in [x - n for x in range(k, 0, -1) if (x + n) % 3]:
            return [x for x in xs for y in s], [f'{x}' for x in xs], {x: n for x in s}, sorted(-x for x in xs), (x for x in s)
    return [[0] * n for _ in range(n)], [1.50 for _ in s], [x for x in s + '\\n'], tuple(x + n for x in range(99)), [m(x) for x in xs]
def m(x): return x
''', "items([3, 1, 4, 5], 'abc', {'k': 1, 'v': 9}, [(1, (2, 'q')), (3, (4, 'z'))], 2)"),
    # Products of long integers, of which one factor may be negative or end with zeros, divisions, and what a step is not left to come to.
    ('''def grow(a, b, c, xs):
    area = a * b + c ** 2
    cube = c ** 3 - a * b * -c
    prices = [x * b for x in xs if x * a > 999]
    if a * b > cube and c * 100 < xs[0] * xs[1]:
        area -= a * 1200 * c
    area *= c
    a **= 2
    half, left = area // 7, cube % 9 + b % 8 - divmod(b, 4)[1]
    c //= -4 + 10
    xs[0] %= 5
    short, name = a * 0 + 7, 'x' * 12
    b = b * 2.5 if prices else b ** 4
    return area - 1000005 * 12, a * 12345678, c * True
''', "grow(19, 765, -34, [13, 402, 70])"),
    # What is made of others: in order, in sets, filled up; comparisons one after the other; what decides stands for all.
    ('''def arrange(words, pairs, marks, low, high):
    for at, word in enumerate(sorted(words, reverse=True)):
        pairs.append((word, at))
    for word in sorted(set(words), key=len):
        marks |= {word.rjust(6, '.')}
    for mark in sorted({'b', 'a'} ^ {'b', 'c'})[1:]:
        low += len(mark)
    pairs.sort()
    words.sort(key=len, reverse=False)
    if low < high <= len(words) < 12 and not (high < low < 1 / 0):
        low = (high or low) and words[0].zfill(12)[2:11]
    top = max(pairs) if pairs and low else min(words, key=len)
    text = '  '.join(words).split() + [0] * 12 + ['-' * 30 + str(high)]
    return text, top, {1, 3} & {3, 5} | {low}, words[0] <= words[-1] != top, set('banana') - {'a'}
''', "arrange(['fig', 'apple', 'fig', 'kiwi'], [('b', 1), ('a', 12), ('a', 3)], {'x'}, 3, 4)"),
    # Constants of the module, and what only looks like some.
    ('''import math
from string import digits as LETTERS
LIMIT = 1_000
SHOWN: int = 40
COLOURS = {
    'red': 1,  # not the last
    "blue": 2,
}
VOWELS = 'aeiou'
LETTERS = 'abc'
ORDER = ['b', 'a']
GROWING = [1]
NESTED = [[1], [2]]
TWICE = 1
TWICE = 2
TOTAL = 0
FIRST, SECOND = 1, 2
PRODUCT = 6 * 7
HEX = 0x10
SHADOW = 5
INSIDE = (3, 4)
for LOOPED in (1, 2):
    GROWING.append(LOOPED)

def count(key, n):
    global TOTAL
    TOTAL += 1
    SHADOW = n
    found = [INSIDE for INSIDE in (n, n + 1)]
    if key in COLOURS and COLOURS[key] + LIMIT > SHOWN:
        n = LIMIT - SHOWN + len(ORDER) * n
    while n % SHOWN and key[0] not in VOWELS:
        n -= COLOURS.get(key, SHOWN) + ORDER.index('a') + len(LETTERS) + GROWING[0] + NESTED[0][0]
        key = ORDER[n % 2] + VOWELS[1:3]
    for k in range(SHADOW):
        n += TWICE + FIRST + PRODUCT + HEX + k
    return n, sorted(COLOURS), found, LETTERS + VOWELS
''', "count('red', 3)"),
    # Constants of the module that are looked into and not shown: long ones, and what holds lists and dicts.
    ('''COLOURS = ['black', 'brown', 'red', 'orange', 'yellow', 'green', 'blue', 'violet', 'grey', 'white', 'silver', 'gold', 'copper', 'bronze', 'tin']
TOLERANCE = {
    'brown': 1, 'red': 2, 'green': 0.5, 'blue': 0.25, 'violet': 0.1, 'grey': 0.05, 'gold': 5, 'silver': 10, 'a:b': 'x', 'white': (1, 2),
    'orange': 3, 'copper': -4, 'bronze': 'seven', 'tin': None,
}
BANDS = {3: {'digits': 2, 'powers': 1}, 4: {'digits': 2, 'powers': 1, 'tolerance': 1}}
GRID = [[1, 2], [3, 4]]
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (2, 1), (1, 2), (-2, 1), (1, -2), (-1, 2), (2, -1), (-2, -1), (-1, -2))
PRIMES = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139}

def read(colour, n, key):
    if n in BANDS and key not in BANDS[n]:
        n = BANDS[n - 1]['powers'] + BANDS[n]['digits'] * 2
    if colour not in COLOURS or 'pink' in TOLERANCE:
        return TOLERANCE[colour]
    value = 10 * COLOURS.index(colour) + len(COLOURS) - GRID[n % 2][-1]
    found = TOLERANCE.get(colour, 20), TOLERANCE.get('pink', value), TOLERANCE.get('pink'), TOLERANCE.get('a:b')
    names = [COLOURS[i][0] + COLOURS[i + n] for i in (1, 3)]
    for dx, dy in STEPS[n:n + 2]:
        value += STEPS[n][0] * dx - STEPS[-1][1] + dy
    for letter in COLOURS[n]:
        names.append(letter + COLOURS[len(letter)])
    total = sum(TOLERANCE[name] for name in ('red', 'copper')) + (n + 4 in PRIMES)
    return TOLERANCE[COLOURS[n]] + COLOURS[n + 20] + total
''', "read('gold', 4, 'none')"),
    # Those of which the text does not tell what they hold: items are given away, deleted or not all alike.
    ('''TEXT = 'the quick brown fox jumps over the lazy dog and the quick brown fox jumps over the lazy dog, and then he does it all over again, twice'
MIXED = {1: 'one', 'two': 2, 3.5: [1]}
GIVEN = {'a': [1, 2], 'b': [3]}
DELETED = {'a': [1], 'b': [2]}
GONE = {'a': 1, 'b': 2}
LOOPED = [[1], [2]]

def change(n):
    row = GIVEN['a']
    row.append(n * 2)
    del DELETED['a'][0], GONE['a']
    for each in LOOPED:
        each.append(n + GIVEN['a'][0])
    return TEXT[n * 2] + str(len(MIXED) + MIXED['two']), GIVEN['a'][2] + n, len(DELETED['a']) + 1, 'a' in GONE, LOOPED[1][1] + n
''', "change(4)"),
    # What looks into values that are told, and numbers that are infinite or written in other ways.
    ('''def look(xs, text, d, k):
    best = worst = float('inf')
    for i in range(0, len(xs) - 1, 2):
        best = min(best, xs[i] + xs[-1 - i], 0x2f)
        part = text[i:][::-1] + text[-k:i + 3] + 'a' 'b'[i:]
        seen = (xs[i] in xs[:i], text[i] not in part, d.get(text[k], 1e2) * 2, part.find('c') + text.index(text[1]))
        worst = -worst + 5 if worst > best else max(worst, best - 1_0, 0b11 * k)
    row = [[1, 2], (3, 4)][k - 1][::-1] + xs[1:][k:k + 2] if k == 1 else xs[::2][len(d) - 1:]
    return row[len(row) - 1] + len(text[1:4] + 'é'), best - inf_of(worst), d['q'] if 'q' in d else d['a'] + xs[5 - k:][0]

def inf_of(value):
    return min(value, -float('inf') + 1, 2.5)
''', "look([4, 9, 2, 7, 5], 'abcabd', {'a': 3, 'c': 8}, 2)"),
    # Methods of texts that are told.
    ('''def spell(text, sep, k):
    parts = text.split(sep)
    words = '  to be '.split() + ['a b c'.split(' ', 1)[1], 'x,,y'.split(',')[k], ''.split(',')[0]]
    if text.startswith('a') and not text.endswith(sep) and text.count('aa') == text.count(sep) - k:
        text = text.replace(sep, '').strip('a') + text.lstrip('ab').rstrip('d') + ' it '.strip()
    for part in text.split('c'):
        k += len(part) + text.count(part + part)
    return parts, words + [text.replace('', '-')], k, text.split('', k), text.count(''), 'é e'.split(' ')
''', "spell('aaabcaad', 'bc', 1)"),
    # Numbers beside items that begin with another one than 0.
    ('''def number(xs, text, k):
    for i, x in enumerate(xs[1:], start=k):
        k = len(list(enumerate(text, i + x)))
    return dict(enumerate(xs, 3))[4] + k, list(enumerate(text, start=k))[-1], list(enumerate(text, text))
''', "number([4, 9, 2], 'abc', 2)"),
    # What stands in a defaultdict, and what is missing there.
    ('''from collections import defaultdict

def count(words, edges):
    seen, graph = defaultdict(int), defaultdict(list)
    for u, v in edges:
        graph[u].append(v)
        seen[u] += len(graph[v]) + 1
    best = max(seen[1] * 2, seen[5], len(graph[1]) - 1)
    while seen[2] > 0 and 2 in graph:
        best, graph[2][0] = best + graph[1][0] * seen[2], seen.get(7, -1)
        seen[2] = seen[2] - 1 if graph[2][-1] < 9 else len(seen) + seen[9]
    return [k for k in graph[1]] + [seen[w] for w in words], 3 not in seen or seen[3]
''', "count([1, 2, 8], [(1, 2), (1, 3), (2, 1), (3, 2)])"),
    # What values are, bits, tables too long to be gone through, asserts.
    ('''def table(n, text, xs):
    assert isinstance(n, (int, str)) and not isinstance(text, list), text
    rows = [[0] * (n * 2) for _ in range(n + 30)]
    deep = [[[n - 1] * 2 for _ in range(len(text) + i)] for i in range(40)]
    shift = [chr(ord(c) - ord('a') + 65) for c in text if ord(c) & 1]
    mask = (n << 3 | 5) ^ (n & 6) >> 1
    assert mask - n < 0 or len(xs) == n, mask + 1
    return ~mask + len(rows) + len(deep[0]), shift
''', "table(3, 'abc', [7, 8, 9])"),
    # Bits, signs and comparisons that are shown, sums and extremes of few digits.
    ('''def reduce_few(xs, mask, seen, half):
    for x in xs:
        mask ^= x
        mask |= x << 2
        mask &= ~x
        half /= 2
        seen |= {x}
        low = min(mask, x)
        isless = x < low
        low = -low
        total = sum([x, low]) + sum(xs[:2])
        if isless == (x >= 2):
            total >>= 1
    mask <<= 3
    return max(total, abs(low)), x in xs
''', "reduce_few([3, -1, 2], 5, {1}, 12.0)"),
]

PROGRAMS += NUMBERS
