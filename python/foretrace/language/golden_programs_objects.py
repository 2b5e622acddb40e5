"""Programs of the golden files, part five: objects with attributes, and what is written with its fields."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    ('''class Table:
    def __init__(self, rows, n):
        self.rows = rows
        self.n, self.__hidden = n, -n
        self.at = 0
        self.seen = {}
        self.me = self
    def step(self, point, other):
        self.n += point.x * 12 - self.at
        self.rows[self.at][point.y - 1] += self.n
        self.seen[self.n] = self.seen.get(self.n, 0) + len(self.rows)
        self.rows[self.at + 1][0], self.__hidden = self.__hidden, self.rows[-1][0]
        for row in self.rows[1:]:
            for i in range(self.at, self.n % 3 + 1):
                self.at = max(self.at, i % 2) if self.at < 5 and self.rows else 0
        for row in self.rows[::-1]:
            self.n = (self.n + row[0]) % 100
        for k in reversed(self.rows):
            self.n -= 1
        self.order = [v * self.n for row in self.rows for v in row] or self.rows[0]
        self.order.sort(reverse=True)
        other.order = self.order[self.at:2] + self.order.copy()
        if self.n < 40 < self.__hidden or not other.order or self.missing:
            self.order.reverse()
        return [v + self.n for v in self.rows[0]], self.n < 40 < self.__hidden, self.order[-1] * other.order[self.n % 2]
class Point:
    missing = 0
    def __init__(self, x, y):
        self.x = x
        self.y = y
def main(n, text):
    table = Table([[1, 2], [3, 4], [5, 6]], n + 1)
    point = Point(x=n % 2 + 1, y=1)
    table.missing = text[n:].upper() + text
    found = [table.step(point, table), text]
    table.me.step(Point(2, 2), point)
    point.y = point
    table.missing = table.missing.strip('T') + point.order[0] * text[:1]
    del table.me, table.seen
    return found, table.missing
''', "main(2, 'cat')"),
    ('''from collections import namedtuple
from dataclasses import dataclass
Point = namedtuple('Point', 'x y')
@dataclass
class Pair:
    first: int
    items: list
class Node:
    def __init__(self, val, next=None):
        self.val = val
        self.next = next
class Empty:
    pass
class Slots:
    __slots__ = ('n', 'unset', 'text')
    def __init__(self, n):
        self.n = n
        self.text = "it's {a: 1}>"
def walk(head):
    total = 0
    while head.next:
        total += head.val
        head = head.next
    for k in reversed(head.items):
        total += k[head.val - 3]
    return total
def main(n):
    pair = Pair(n, [Point(n, 2)])
    pair.first += len(pair.items) * pair.items[0].x
    e, s = Empty(), Slots(n)
    s.text = s.text[1:4] + s.text.upper() * s.n
    point = pair.items[0]
    head = Node(1, Node(2))
    head.next.next = Node(3)
    head.next.next.items = [(n, point.y), (pair.first + point.x, 4)]
    e.last = head.next.next.items[point.x - 1][n]
    for e.last in head.next.next.items[0]:
        head.val = [e.last * v for v in range(point.x)]
    head.val = point.x + point.y * 10 - head.val[-1]
    return walk(head), str(pair.first), e, s
''', "main(1)"),
]
