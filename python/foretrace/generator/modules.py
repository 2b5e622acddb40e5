"""Idioms with the standard library's containers and functions: deque, defaultdict, Counter, heapq, bisect, itertools."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .loops import chosen


def queue(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    numbers = builder.source("filled_ints")
    builder.program.need("from collections import deque")
    held = builder.names.fresh(("queue", "q", "window", "dq"))
    builder.emit(f"{held} = deque({rng.choice((numbers.name, numbers.name, numbers.name + ', maxlen=3'))})")
    for _ in range(rng.randrange(1, 4)):
        builder.emit(rng.choice((f"{held}.append({rng.randrange(50)})", f"{held}.appendleft({rng.randrange(50)})",
                                 f"{held}.rotate({rng.choice((1, 2, -1))})",
                                 f"{held}.popleft()", f"{held}.pop()",
                                 f"{held}.extendleft([{rng.randrange(9)}, {rng.randrange(9)}])",
                                 f"{held}.extend([{rng.randrange(9)}])")))
    if rng.random() < 0.5:
        total, item = builder.local(T.INT, "0", builder.names.accumulator(T.INT)), builder.names.element(T.INT)
        with builder.block(f"while {held}:"):
            builder.emit(f"{item} = {held}.{rng.choice(('popleft', 'pop'))}()")
            with builder.block(f"if {item} > {rng.randrange(20, 60)} and len({held}) < 5:"):
                builder.emit(f"{held}.append({item} // 2)")
            builder.emit(f"{total.name} += {item}")
        return total
    return builder.local(T.LIST_INT, f"list({held})")


def default_table(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    builder.program.need("from collections import defaultdict")
    words = chosen(builder, last, T.LIST_STR, T.STR)
    table, w = builder.names.accumulator(T.DICT_STR_LIST), builder.names.element(T.STR)
    kind = rng.choice(("int", "list", "str", "set"))
    key = rng.choice((w, f"len({w})", f"{w}[:1]", f"{w}.lower()"))
    builder.emit(f"{table} = defaultdict({kind})")
    with builder.block(f"for {w} in {words.name}:"):
        builder.emit({"int": f"{table}[{key}] += 1", "list": f"{table}[{key}].append({w})",
                      "str": f"{table}[{key}] += {w}", "set": f"{table}[{key}].add(len({w}))"}[kind])
    return builder.local("dict", f"{'dict' if kind != 'set' else 'sorted'}({table})",
                         builder.names.fresh(("result", "plain", "out",
                                              "grouped"))) if kind != "set" else builder.local(
        T.INT, f"len({table})")


def tally(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    builder.program.need("from collections import Counter")
    sequence = chosen(builder, last, T.STR, T.LIST_STR, T.LIST_INT)
    held = builder.names.fresh(("counts", "tally", "c", "freq"))
    builder.emit(f"{held} = Counter({sequence.name})")
    part = rng.random()
    if part < 0.3:
        return builder.local(T.PAIRS, f"{held}.most_common({rng.randrange(1, 4)})")
    if part < 0.6:
        return builder.local("list", f"[k for k, v in {held}.items() if v {rng.choice(('== 1', '> 1', '% 2'))}]")
    if part < 0.8:
        builder.emit(f"{held}.update({sequence.name}[:{rng.randrange(1, 3)}])")
    return builder.local("dict", f"dict({held})", builder.names.fresh(("plain", "result", "out")))


def heap(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    builder.program.need("import heapq")
    numbers = builder.source("filled_ints")
    held = builder.names.fresh(("heap", "h", "pq"))
    out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
    if rng.random() < 0.5:
        builder.emit(f"{held} = list({numbers.name})")
        builder.emit(f"heapq.heapify({held})")
    else:
        n = builder.names.element(T.INT)
        builder.emit(f"{held} = []")
        with builder.block(f"for {n} in {numbers.name}:"):
            builder.emit(f"heapq.heappush({held}, {rng.choice((n, '-' + n))})")
    with builder.block(f"while {held} and len({out.name}) < {rng.randrange(2, 4)}:"):
        builder.emit(f"{out.name}.append(heapq.heappop({held}))")
    return out


def sorted_insert(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    builder.program.need("from bisect import bisect_left, insort" if rng.random() < 0.5
                         else "from bisect import bisect_right as bisect_left, insort")
    numbers = builder.source(T.LIST_INT)
    held, n = builder.local(T.LIST_INT, "[]", builder.names.fresh(("ordered", "ranked",
                                                                   "so_far"))), builder.names.element(T.INT)
    where = builder.local(T.LIST_INT, "[]", builder.names.fresh(("where", "ranks", "spots")))
    with builder.block(f"for {n} in {numbers.name}:"):
        builder.emit(f"{where.name}.append(bisect_left({held.name}, {n}))")
        builder.emit(f"insort({held.name}, {n})")
    return rng.choice((held, where))


def iterator_tools(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    tool = rng.choice(("accumulate", "chain", "groupby", "islice", "takewhile", "dropwhile", "combinations",
                       "permutations", "product", "zip_longest", "starmap", "repeat", "cycle"))
    builder.program.need(f"from itertools import {tool}" + (", islice" if tool == "cycle" else ""))
    xs = builder.source("filled_ints").name
    k = rng.randrange(1, 4)
    text = {
        "accumulate": f"list(accumulate({xs}, {rng.choice(('max', 'min', 'lambda a, b: a - b'))}))",
            "chain": f"list(chain({xs}, [{k}], {xs}[:{k}]))",
        "groupby": f"[(k, len(list(g))) for k, g in groupby({xs}, key=lambda n: n % 2)]",
            "islice": f"list(islice({xs}, {k - 1}, None, 2))",
        "takewhile": f"list(takewhile(lambda n: n {rng.choice('<>')} {rng.randrange(5, 50)}, {xs}))",
            "dropwhile": f"list(dropwhile(lambda n: n < {rng.randrange(5, 50)}, {xs}))",
        "combinations": f"[a + b for a, b in combinations({xs}[:3], 2)]",
            "permutations": f"[a * 10 + b for a, b in permutations({xs}[:3], 2)]",
        "product": f"[a * b for a, b in product({xs}[:2], [1, {k + 1}])]",
            "zip_longest": f"list(zip_longest({xs}, {xs}[{k}:]))",
            "starmap": f"list(starmap(pow, [({k}, 2), (2, {k})]))",
        "repeat": f"list(map(pow, {xs}[:3], repeat(2)))", "cycle": f"list(islice(cycle({xs}[:2]), {k + 2}))",
    }[tool]
    return builder.local("list", text, builder.names.accumulator(T.LIST_INT))


def keyed(builder: Builder, last: Variable | None) -> Variable:
    """operator and functools helpers."""
    rng = builder.rng
    part = rng.random()
    if part < 0.4:
        builder.program.need("from operator import itemgetter")
        return builder.local(T.PAIRS, f"sorted({builder.source(T.PAIRS).name}, key=itemgetter({rng.randrange(2)}))")
    if part < 0.7:
        builder.program.need("from functools import reduce")
        return builder.local(T.INT, f"reduce(lambda a, b: {rng.choice(('a + b', 'a * 2 + b', 'max(a, b)', 'a - b'))}, {builder.source('filled_ints').name})")
    builder.program.need("from functools import partial")
    held = builder.names.fresh(("add_base", "to_binary", "scaled"))
    if rng.random() < 0.5:
        builder.emit(f"{held} = partial(max, {rng.randrange(20)})")
    else:
        builder.emit(f"{held} = partial(pow, {rng.randrange(2, 4)})")
    return builder.local(T.LIST_INT, f"[{held}(n % 5) for n in {builder.source(T.LIST_INT).name}]")


def records(builder: Builder, last: Variable | None) -> Variable:
    """namedtuple records."""
    rng = builder.rng
    builder.program.need("from collections import namedtuple")
    name = rng.choice(("Point2", "Row", "Entry", "Sale"))
    x, y = rng.choice((("x", "y"), ("name", "price"), ("left", "right")))
    builder.emit(f"{name} = namedtuple({name!r}, {[x, y]!r})")
    held = builder.names.fresh(("p", "row", "entry"))
    builder.emit(f"{held} = {name}({builder.expression(T.INT, 0)[0]}, {rng.randrange(50)})")
    return builder.local(T.INT, f"{held}.{x} {rng.choice('+-*')} {held}.{y}")


MODULE_IDIOMS = (queue, default_table, tally, heap, sorted_insert, iterator_tools, iterator_tools, keyed, records)
