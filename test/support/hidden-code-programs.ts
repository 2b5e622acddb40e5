/** Programs made to break what is said of code that runs where no call shows it, and of names that only stand for values of builtins: name, call, source. */
export const hiddenCodePrograms: readonly (readonly [name: string, call: string, source: string])[] = [
  [
    'generators that are left before their end',
    'run(4)',
    `log = []


def numbers(n):
    try:
        for i in range(n):
            yield i
    finally:
        log.append(n)


def plain(n):
    for i in range(n):
        yield i * 2


def first(n):
    for x in plain(n):
        if x > 1:
            return x
    return None


def stop(n):
    total = 0
    for x in numbers(n):
        for y in plain(3):
            total += y
            if y == 2:
                break
        if x == 1:
            break
    return total


def fails(n):
    for x in plain(n):
        if x == 2:
            raise ValueError(x)
    return 0


def run(n):
    out = [first(n), stop(n)]
    try:
        out.append(fails(n))
    except ValueError as e:
        out.append(str(e))
    for x in plain(2):
        out.append(x)
        try:
            fails(3)
        except ValueError:
            continue
    return out, len(log)
`,
  ],
  [
    'generators that are kept, and dropped',
    'run()',
    `def gen(tag, n):
    for i in range(n):
        yield (tag, i)


class Box:
    def __init__(self):
        self.kept = gen("kept", 3)
        self.items = []

    def swap(self):
        self.kept = gen("new", 2)
        return next(self.kept)

    def drop(self):
        self.items.append(self.kept)
        self.kept = None
        self.items.pop()
        x = self.items
        return len(x)


def run():
    box = Box()
    a = next(box.kept)
    b = box.swap()
    c = box.drop()
    g = gen("local", 2)
    d = next(g)
    g = 5
    e = list(zip(gen("z", 5), [1, 2]))
    f = any(i == 1 for _, i in gen("any", 4))
    return a, b, c, d, e, f, g
`,
  ],
  [
    'objects that are generators, gone over and asked',
    'run()',
    `class Tree:
    def __init__(self, value, kids=()):
        self.value = value
        self.kids = list(kids)

    def __iter__(self):
        yield self.value
        for kid in self.kids:
            yield from kid

    def __len__(self):
        return 1 + sum(len(k) for k in self.kids)

    def __contains__(self, x):
        return any(x == v for v in self)

    def __bool__(self):
        return self.value > 0


def find(tree, x):
    for v in tree:
        if v == x:
            return v
    return None


def run():
    t = Tree(1, [Tree(2), Tree(0, [Tree(4)])])
    out = [find(t, 2), 4 in t, len(t), 9 in t]
    a, *rest = t
    out.append((a, rest))
    for kid in t.kids:
        if kid:
            out.append(kid.value)
        if not kid and kid.kids:
            out.append(max(kid))
    values = {v: str(v) for v in t}
    return out, values, sorted(t), "".join(str(v) for v in t)
`,
  ],
  [
    'functions in attributes that are called like methods',
    'run()',
    `class Job:
    def __init__(self, name, run):
        self.name = name
        self.run = run
        self.count = 0


class Worker:
    def __init__(self):
        self.done = []
        self.hooks = {}

    def run(self, job):
        job.count += 1
        self.done.append(job.name)
        return job.run(job)

    def on(self, name, hook):
        self.hooks[name] = hook

    def fire(self, name):
        hook = self.hooks.get(name, quiet)
        return hook(self)


def quiet(w):
    w.done.append("quiet")
    return 0


def double(job):
    job.count *= 2
    return job.count


def grow(w):
    w.done = w.done + ["grown"]
    w.hooks = {}
    return len(w.done)


def run():
    w = Worker()
    jobs = [Job("a", double), Job("b", lambda j: j.count + 10)]
    out = []
    for job in jobs:
        out.append(w.run(job))
    w.on("x", grow)
    for name in ["y", "x", "x"]:
        out.append(w.fire(name))
    best = max(jobs, key=lambda j: j.count)
    names = [j.name for j in jobs if j.count > 1]
    return out, w.done, best.name, names
`,
  ],
  [
    'attributes that setattr sets, methods and constants of classes among them',
    'run([("show", None), ("x", 5)])',
    `class Thing:
    limit = 3

    def __init__(self):
        self.x = 1

    def show(self):
        return "shown"

    def area(self):
        return self.x * self.limit


def other():
    return "other"


def run(pairs):
    t = Thing()
    u = Thing()
    out = [t.show(), t.area()]
    for key, value in pairs:
        setattr(t, key, other if value is None else value)
    out.append(t.show())
    out.append(t.area() if "x" in vars(t) else 0)
    setattr(Thing, "limit", 10)
    out.append(u.area())
    name = "are" + "a"
    out.append(getattr(u, name)())
    return out
`,
  ],
  [
    'keys with a hash of their own, operators and loops over objects',
    'run()',
    `class P:
    def __init__(self, x):
        self.x = x

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, P) and self.x == other.x

    def __repr__(self):
        return f"P({self.x})"


class Q:
    def __init__(self, n):
        self.n = n
        self.bag = [n] * n

    def __iter__(self):
        return iter(self.bag)

    def __len__(self):
        return self.n

    def __add__(self, other):
        return Q(self.n + other.n)

    def __lt__(self, other):
        return self.n < other.n


def merge(parts):
    total = Q(0)
    for part in parts:
        total = total + part
    return total


def run():
    seen = {P(1): "one", 1: "int"}
    out = [seen[P(1)], seen.get(1), P(2) in seen, 1 in seen]
    q = Q(2)
    box = {"q": q, "n": 3}
    for name, value in box.items():
        if value:
            out.append(name)
    for x in q:
        out.append(x)
    m = merge([Q(1), q])
    out.append(m.n + box["n"])
    a, b = q
    out.append([a, b, len(m)])
    out.append(sorted([Q(3), Q(1)])[0].n)
    out.append(min(Q(5), Q(4)).n)
    s = {P(1), P(2), P(1)}
    return out, len(s)
`,
  ],
  [
    'members of enumerations by value and by name',
    'run(["blue", "green", "red"])',
    `from enum import Enum, IntEnum


class Color(Enum):
    RED = "red"
    BLUE = "blue"

    def flip(self):
        return Color.BLUE if self is Color.RED else Color.RED


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Paint:
    def __init__(self, color, level):
        self.color = color
        self.level = level

    def mix(self, other):
        return Paint(Color(other), max(self.level, Level["HIGH"]))


def run(names):
    out = []
    p = Paint(Color("red"), Level(1))
    for name in names:
        try:
            p = p.mix(name)
            out.append(p.color.flip().name)
        except ValueError as e:
            out.append(str(e))
    try:
        out.append(Level["NONE"])
    except KeyError:
        out.append("key")
    return out, p.level + 1, Level(p.level).name
`,
  ],
  [
    'comprehensions and generator expressions in others, with calls',
    'run([[1, 2], [3, 4]], [[1, 0], [2, 1]])',
    `def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def bump(xs, n):
    xs.append(n)
    return len(xs)


def table(rows):
    return "\\n".join(
        "|".join(str(c).rjust(2) for c in row if c != 2)
        for row in rows
        if row
    )


def run(a, b):
    m = [[dot(r, c) for c in b] for r in a]
    t = {k: [dot(r, r) + k for r in a] for k in range(2)}
    n = sum(sum(dot(r, c) for c in b) for r in a)
    grow = []
    lens = [bump(grow, i) for i in range(3)]
    nested = [[bump(grow, j) for j in range(i)] for i in range(3)]
    s = "/".join("".join("ab"[x % 2] for x in row) for row in a)
    return m, t, n, lens, nested, s, table(a), any(all(x > 1 for x in r) for r in a)
`,
  ],
  [
    'functions that are written by the names of others',
    'run()',
    `import functools


def trace(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args) + 1

    return inner


def twice(x):
    return 2 * x


class Acc:
    def __init__(self):
        self.n = 0

    @trace
    def add(self, k):
        self.n += k
        return self.n


def run():
    f = trace(twice)
    a = Acc()
    g = a.add
    h = twice
    return f(3), g(2), a.add(1), h(4), [fn(1) for fn in (f, twice)]
`,
  ],
  [
    'objects that are gone over by methods called like those of builtins',
    'run([1, 2, 3])',
    `class Node:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


class Stack:
    def __init__(self, items=()):
        self.top = None
        self.size = 0
        for i in items:
            self.push(i)

    def push(self, v):
        self.top = Node(v, self.top)
        self.size += 1

    def __iter__(self):
        node = self.top
        while node is not None:
            yield node.v
            node = node.next

    def update(self, other):
        for v in other:
            self.push(v)
        return self

    def copy(self):
        return Stack(reversed(list(self)))


def run(xs):
    s = Stack(xs)
    t = s.copy()
    t.update(s)
    d = {}
    d.update({"a": t.size})
    total = 0
    for v in t:
        if v < 2:
            continue
        total += v
        if total > 4:
            break
    pairs = [(i, v) for i, v in enumerate(s)]
    it = iter(s)
    nxt = next(it)
    it = None
    return total, pairs, d, nxt, list(t)
`,
  ],
  [
    'dicts that make what is missing',
    'run(["ab", "ac", "ab"])',
    `from collections import defaultdict


class Ctr:
    made = 0

    def __init__(self):
        Ctr.made += 1
        self.n = 0

    def hit(self):
        self.n += 1
        return self


def zero():
    return Ctr()


def run(words):
    by = defaultdict(zero)
    log = defaultdict(lambda: defaultdict(int))
    for w in words:
        by[w].hit()
        log[w[0]][w] += 1
        if by["none"].n > 5:
            break
    rows = sorted((k, v.n) for k, v in by.items())
    top = max(by, key=lambda k: by[k].n)
    ready = [v.hit().n for v in by.values() if v.n]
    return rows, top, Ctr.made, ready, {k: dict(v) for k, v in log.items()}
`,
  ],
  [
    'names and attributes that stand for literals or for objects',
    'run()',
    `class Mode:
    def __bool__(self):
        return False

    def __iter__(self):
        yield 1
        yield 2

    def __getitem__(self, i):
        return i * 10

    def __call__(self, x):
        return x + 1


class Conf:
    def __init__(self, flag):
        self.flag = flag
        self.rows = [1, 2]
        self.name = "n"

    def reset(self):
        self.rows = Mode()
        self.name = self.rows
        return self

    def total(self):
        out = 0
        for r in self.rows:
            out += r
        if self.name:
            out += 100
        if self.flag:
            out += 1000
        x, y = self.rows
        return out + x * y


def pick(kind):
    rows = [3]
    if kind:
        rows = Mode()
    s = 0
    for r in rows:
        s += r
    return s, rows[0], 2 in rows


def run():
    c = Conf(0)
    a = c.total()
    b = c.reset().total()
    d = Conf(Mode()).total()
    f = Mode()
    return a, b, d, pick(0), pick(1), f(2), [f(i) for i in f]
`,
  ],
  [
    'generators and objects side by side in the head of a loop',
    'run()',
    `class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __iter__(self):
        return iter([self.a, self.b])

    def __bool__(self):
        return self.a > 1


def numbers(n):
    for i in range(n):
        yield i


def run():
    out = []
    for g in numbers(2), numbers(3):
        for i in g:
            out.append(i)
            if i == 1:
                break
    for x in 'ab', Pair(1, 2), Pair(3, 4):
        if x:
            out.append(len(list(x)))
    for a, b in [5, 6], Pair(7, 8):
        out.append((a, b))
        break
    return out
`,
  ],
];
