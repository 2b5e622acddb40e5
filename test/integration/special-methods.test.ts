/** Methods that operators and functions of builtins enter, in real runs of programs made to break what is said of them. */
import { describe, expect, it } from 'vitest';
import { frozenNames } from '../../src/debugger/frozen.js';
import { leftBehind } from '../../src/debugger/left-behind.js';
import { parseProgram } from '../../src/debugger/program.js';
import { depth } from '../../src/debugger/state.js';
import { settledCaller, settledLine } from '../../src/session/settle.js';
import type { ModelAccess } from '../../src/session/submit-question.js';
import { realRun } from '../support/real-run.js';
import { stepOf } from '../support/scripted-step.js';

const vectors = `from functools import reduce

class Vec:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __setitem__(self, index, value):
        self.items[index] = value

    def __add__(self, other):
        return Vec(*[a + b for a, b in zip(self.items, other.items)])

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __neg__(self):
        return Vec(*[-x for x in self.items])

    def __eq__(self, other):
        return isinstance(other, Vec) and self.items == other.items

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        yield from self.items

    def __bool__(self):
        return any(self.items)

    def first(self):
        return self[0] if len(self) else None

    @staticmethod
    def zero(n, fill=0):
        return Vec(*[fill] * n)

    @classmethod
    def unit(cls, n):
        made = cls.zero(n)
        made[0] = 1
        return made

def main(n):
    a = Vec(1, 2)
    b = Vec.unit(2)
    c = a + b
    d = 0 + a
    flags = [a == b, a != b, 1 in a, 9 not in a, not b, bool(a)]
    total = sum(a)
    size = len(a) + len(list(b))
    low = a[0] if a else b[1]
    if b and not (a == c):
        low = -a[1] + n
    while len(c) > 2 or low > 5:
        low -= 3
    a[1] = low
    c = reduce(lambda x, y: x + y, [a, b])
    rest = [x for x in c]
    c += b
    return flags, total, size, low, rest, c.first(), (-c)[0]
`;

const shapes = `from dataclasses import dataclass
from typing import NamedTuple

@dataclass
class Point:
    x: int
    y: int = 0

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

class Pair(NamedTuple):
    left: int
    right: int = 5

class Base:
    kind = 'base'

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name

    def __lt__(self, other):
        return self.size() < other.size()

    def size(self):
        return len(self.name)

class Derived(Base):
    def __init__(self, name, more):
        super().__init__(name)
        self.more = more

    def size(self):
        return super().size() + self.more

class Shadow(Base):
    def __init__(self):
        self.name = 'shadow'
        self.size = lambda: 7

def area(pair, point):
    return pair.left * point.x

def main(n):
    things = [Derived('ab', 1), Base('abc'), Shadow()]
    p = Point(3) - Point(1, 2)
    w = area(Pair(2), p) + area(Pair(1, right=2), Point(n))
    texts = str(things[0]) + str(things[1])
    smaller = things[1] < things[0]
    best = min(things)
    things.append(Base(texts.upper()))
    sizes = [t.size() for t in things]
    thing = things[0]
    thing = Base('other')
    return p, w, texts, smaller, best.name, sizes, thing.size(), str(thing)
`;

const reprs = `class Number:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return str(self.value)

    def __len__(self):
        return self.value

    def grow(self):
        self.value += 1
        return self

class Chain:
    def __init__(self, *parts):
        self.parts = list(parts)

    def __iter__(self):
        return iter(self.parts)

    def __repr__(self):
        return ' -> '.join(str(part) for part in self)

    def __len__(self):
        return sum(1 for _ in self)

class Named:
    label = 'none'

    def __repr__(self):
        return f'Named({self.label})'

def main(n):
    x = Number(n)
    y = 3
    y = x
    chain = Chain(x, y, 4)
    size = len(chain) + len(x)
    same = chain.parts[0].grow()
    text = str(chain)
    named = Named()
    named.label = len(y)
    both = [len(part) if isinstance(part, Number) else part for part in chain]
    return size, same, text, named, both
`;

const access = { showsWorkings: false } as ModelAccess;

describe.each([
  ['vectors', vectors, 'main(4)', 26],
  ['shapes', shapes, 'main(2)', 10],
  ['reprs', reprs, 'main(2)', 6],
])('of %s', (_name, source, call, least) => {
  it('what is told to be entered is, and with what is told', async () => {
    const program = parseProgram(source, call);
    let told = 0;
    for (const { action, before, after } of await realRun(source, call)) {
      if (action.kind !== 'step_into') continue;
      const step = stepOf(program, before, 'step_into');
      const left = leftBehind(program, before, action);
      const { ended, entered, results } =
        (await settledCaller(access, step, left, undefined)) ?? settledLine(step);
      const going = depth(before) - Number(before.event === 'return');
      const frame = after.frames.at(-1);
      const isEntering = after.event === 'call' && depth(after) > going;
      const claims = ended === 'calls' || ended === 'enters';
      if (!isEntering) {
        // Something may be raised where it is not sure.
        expect
          .soft({ before, claims: claims && after.event !== 'exception' })
          .toEqual({ before, claims: false });
        const now = after.frames[going - 1]?.locals;
        for (const [name, value] of after.event === 'exception' ? [] : [...left, ...results.assigned])
          expect.soft({ before, name, value: now?.get(name) }).toEqual({ before, name, value });
        for (const name of frozenNames(program, before, action)) {
          const value = left.has(name) ? left.get(name) : before.frames[going - 1]?.locals.get(name);
          expect.soft({ before, name, value: now?.get(name) }).toEqual({ before, name, value });
        }
        continue;
      }
      expect.soft({ before, ended }).not.toEqual({ before, ended: 'ended' });
      if (!claims || entered === undefined) continue;
      told += 1;
      const values = new Map([...(frame?.locals ?? [])].filter(([name]) => entered.values.has(name)));
      expect
        .soft({ before, line: entered.line, values: entered.values })
        .toEqual({ before, line: frame?.line, values });
    }
    expect(told).toBeGreaterThanOrEqual(least);
  });
});
