"""Classes whose objects hold several attributes: records, tables, linked lists, trees, objects that hold others."""

from __future__ import annotations

from random import Random

from . import types as T
from .builder import Builder, Program, Variable
from .functions import claim, define
from .names import ATTRIBUTES, CLASSES, METHODS
from .sample import Style


def record_class(program: Program, style: Style) -> None:
    """An object of two to four attributes of different kinds, and methods that read and change them."""
    rng = program.rng
    name = claim(program, CLASSES)
    number, other = rng.sample(ATTRIBUTES[T.INT], 2)
    held = {T.STR: rng.choice(ATTRIBUTES[T.STR]), T.LIST_INT: rng.choice(ATTRIBUTES[T.LIST_INT]),
            T.DICT_STR_INT: rng.choice(ATTRIBUTES[T.DICT_STR_INT])}
    kinds = rng.sample(tuple(held), rng.randrange(1, 4))
    start = {T.STR: rng.choice(("''", "'new'", "'a'")), T.LIST_INT: rng.choice(("[]", "[]", "[0]")), T.DICT_STR_INT: "{}"}
    lines = [f"class {name}:", f"\tdef __init__(self, {number}, {other}={rng.randrange(9)}):", f"\t\tself.{number} = {number}",
             f"\t\tself.{other} = {other}", *(f"\t\tself.{held[kind]} = {start[kind]}" for kind in kinds)]
    methods = rng.sample(METHODS, rng.choice((1, 2, 2, 3)))
    given = {}
    for method in methods:
        kind = rng.choice(kinds)
        given[method] = T.INT if kind == T.LIST_INT else T.STR
        lines += ["", f"\tdef {method}(self, item):", *_changes(rng, kind, held[kind], number, other)]
    define(program, lines)
    program.tag("record-class")

    def use(builder: Builder) -> Variable:
        made = builder.names.fresh(("obj", "rec", "it", "thing", "acc", name.lower()))
        second = f", {other}={rng.randrange(20)}" if rng.random() < 0.4 else ""
        builder.emit(f"{made} = {name}({builder.expression(T.INT, 0)[0]}{second})")
        for method in rng.choices(methods, k=rng.randrange(1, 4)):
            builder.emit(f"{made}.{method}({builder.expression(given[method], 0)[0]})")
        if rng.random() < 0.4:
            builder.emit(f"{made}.{number} {rng.choice(('+=', '-=', '*='))} {rng.randrange(2, 9)}")
        shown = rng.choice(((T.INT, f"{made}.{number} + {made}.{other}"), *((kind, f"{made}.{held[kind]}") for kind in kinds)))
        return builder.local(*shown)

    program.uses.append(use)


def _changes(rng: Random, kind: str, held: str, number: str, other: str) -> list[str]:
    """The body of a method with the parameter `item`."""
    first = {
        T.STR: (f"self.{held} += item", f"self.{held} = item + self.{held}", f"self.{held} = self.{held}.upper() + item[:2]",
                f"self.{held} = self.{held}.replace(item, '-')"),
        T.LIST_INT: (f"self.{held}.append(item)", f"self.{held}.append(item + self.{number})", f"self.{held} = self.{held} + [item]",
                     f"self.{held}.insert(0, item)", f"self.{held} = [v + item for v in self.{held}]"),
        T.DICT_STR_INT: (f"self.{held}[item] = self.{number}", f"self.{held}[item] = self.{held}.get(item, 0) + 1",
                         f"self.{held}[item[:1]] = len(item)")}[kind]
    then = (f"self.{number} += 1", f"self.{number} = len(self.{held})", f"self.{other} = self.{number} - self.{other}",
            f"self.{number}, self.{other} = self.{other}, self.{number}", f"self.{other} += self.{number} * 2")
    body = [f"\t\t{rng.choice(first)}"]
    condition = rng.choice((f"self.{number} > self.{other}", f"len(self.{held}) > {rng.randrange(3)}", "item in self." + held,
                            f"self.{other} % 2 == 0", f"not self.{held}"))
    if rng.random() < 0.5:
        body = [f"\t\tif {condition}:", f"\t\t\t{rng.choice(then)}", *body] if rng.random() < 0.5 else [*body, f"\t\tif {condition}:", f"\t\t\t{rng.choice(then)}"]
    elif rng.random() < 0.6:
        body.append(f"\t\t{rng.choice(then)}")
    if rng.random() < 0.25:
        body += [f"\t\tfor one in self.{held}:", f"\t\t\tself.{number} += {'one' if kind == T.LIST_INT else 'len(one)'}"]
    return body + [f"\t\treturn {rng.choice(('self', f'self.{number}', f'self.{held}'))}"] * (rng.random() < 0.4)


def linked_list(program: Program, style: Style) -> None:
    """Nodes that hold the next one, and a function that follows them."""
    rng = program.rng
    node = claim(program, ("Node", "ListNode", "Link", "Item2"))
    value, following = rng.choice(("val", "value", "data")), rng.choice(("next", "next", "rest"))
    walk = claim(program, ("walk", "collect_values", "sum_nodes", "length_of", "last_of", "reverse_nodes"))
    head = rng.choice(("head", "node", "first"))
    define(program, [f"class {node}:", f"\tdef __init__(self, {value}, {following}=None):", f"\t\tself.{value} = {value}",
                     f"\t\tself.{following} = {following}"])
    bodies = {
        "sums": ["\ttotal = 0", f"\twhile {head}:", f"\t\ttotal += {head}.{value}", f"\t\t{head} = {head}.{following}", "\treturn total"],
        "lists": ["\tout = []", f"\twhile {head} is not None:", f"\t\tout.append({head}.{value})", f"\t\t{head} = {head}.{following}",
                  "\treturn out"],
        "last": [f"\twhile {head}.{following}:", f"\t\t{head} = {head}.{following}", f"\treturn {head}.{value}"],
        "recursive": [f"\tif {head} is None:", "\t\treturn 0", f"\treturn {rng.choice(('1', f'{head}.{value}'))} + {walk}({head}.{following})"],
        "reversed": ["\tbefore = None", f"\twhile {head}:", f"\t\tafter = {head}.{following}", f"\t\t{head}.{following} = before",
                     f"\t\tbefore = {head}", f"\t\t{head} = after", f"\treturn before.{value}"],
        "drops": [f"\tcurrent = {head}", f"\twhile current and current.{following}:",
                  f"\t\tif current.{following}.{value} {rng.choice(('==', '<', '>'))} current.{value}:",
                  f"\t\t\tcurrent.{following} = current.{following}.{following}", "\t\telse:", f"\t\t\tcurrent = current.{following}",
                  f"\treturn {head}.{value}"]}
    kind = rng.choice(tuple(bodies))
    define(program, [f"def {walk}({head}):", *bodies[kind]])
    program.tag("linked-list")

    def use(builder: Builder) -> Variable:
        made = builder.names.fresh(("chain", "nodes", "start_node", "lst"))
        numbers = [rng.randrange(10) for _ in range(rng.randrange(1, 5))]
        if rng.random() < 0.5:
            text = "None"
            for number in reversed(numbers):
                text = f"{node}({number}{f', {text}' if text != 'None' else ''})"
            builder.emit(f"{made} = {text}")
        else:
            builder.emit(f"{made} = None")
            item = builder.names.element(T.INT)
            with builder.block(f"for {item} in {numbers}:"):
                builder.emit(f"{made} = {node}({item}, {made})")
        return builder.local(T.LIST_INT if kind == "lists" else T.INT, f"{walk}({made})")

    program.uses.append(use)


def search_tree(program: Program, style: Style) -> None:
    """Nodes with two branches: numbers are put in order, then looked for, counted or listed."""
    rng = program.rng
    node, put, use_of = claim(program, ("Node", "TreeNode", "Branch", "Leaf")), claim(program, ("insert", "put_in", "add_to")), \
        claim(program, ("depth_of", "in_order", "has", "size_of"))
    value = rng.choice(("val", "key", "value"))
    define(program, [f"class {node}:", f"\tdef __init__(self, {value}):", f"\t\tself.{value} = {value}", "\t\tself.left = None",
                     "\t\tself.right = None"])
    define(program, [f"def {put}(root, {value}):", "\tif root is None:", f"\t\treturn {node}({value})", f"\tif {value} < root.{value}:",
                     f"\t\troot.left = {put}(root.left, {value})", "\telse:", f"\t\troot.right = {put}(root.right, {value})", "\treturn root"])
    bodies = {
        T.INT: (["\tif root is None:", "\t\treturn 0", f"\treturn 1 + {rng.choice((f'max({use_of}(root.left), {use_of}(root.right))', f'{use_of}(root.left) + {use_of}(root.right)'))}"]),
        T.LIST_INT: (["\tif not root:", "\t\treturn []", f"\treturn {use_of}(root.left) + [root.{value}] + {use_of}(root.right)"]),
        T.BOOL: (["\twhile root is not None:", f"\t\tif root.{value} == {rng.randrange(9)}:", "\t\t\treturn True",
                  f"\t\troot = root.left if root.{value} > {rng.randrange(9)} else root.right", "\treturn False"])}
    kind = rng.choice(tuple(bodies))
    define(program, [f"def {use_of}(root):", *bodies[kind]])
    program.tag("search-tree")

    def use(builder: Builder) -> Variable:
        root, item = builder.names.fresh(("root", "tree", "top_node")), builder.names.element(T.INT)
        builder.emit(f"{root} = None")
        with builder.block(f"for {item} in {rng.sample(range(10), rng.randrange(1, 4))}:"):
            builder.emit(f"{root} = {put}({root}, {item})")
        return builder.local(kind, f"{use_of}({root})")

    program.uses.append(use)


def table_class(program: Program, style: Style) -> None:
    """An object around a list of a given size that methods index: sums, positions, a ring, a grid."""
    rng = program.rng
    name = claim(program, ("Table", "Ring", "Grid", "Tally", "Sums", "Slots", "Memo"))
    size, cells, at = rng.choice(("size", "n", "width")), rng.choice(("cells", "data", "tree", "slots")), rng.choice(("at", "pos", "used"))
    method, look = rng.sample(METHODS, 2)
    fill = rng.choice(("0", "0", "1", "None"))
    changes = (f"self.{cells}[self.{at}] = item", f"self.{cells}[item % self.{size}] = item", f"self.{cells}[self.{at} % self.{size}] = item * 2",
               f"self.{cells}[-1] = self.{at}")
    moves = (f"self.{at} += 1", f"self.{at} = (self.{at} + 1) % self.{size}", f"self.{at} = max(self.{at}, item % self.{size})")
    looks = (f"\t\treturn self.{cells}[self.{at} - 1]", f"\t\treturn self.{cells}[index % self.{size}]",
             f"\t\tif index >= self.{size}:\n\t\t\treturn -1\n\t\treturn self.{cells}[index]",
             f"\t\twhile index < self.{size} and self.{cells}[index]:\n\t\t\tindex += 1\n\t\treturn index")
    define(program, [f"class {name}:", f"\tdef __init__(self, {size}):", f"\t\tself.{size} = {size}", f"\t\tself.{cells} = [{fill}] * {size}",
                     f"\t\tself.{at} = 0", "", f"\tdef {method}(self, item):", f"\t\t{rng.choice(changes)}", f"\t\t{rng.choice(moves)}", "",
                     f"\tdef {look}(self, index):", *rng.choice(looks).split("\n")])
    program.tag("table-class")

    def use(builder: Builder) -> Variable:
        made = builder.names.fresh(("table", "ring", "grid", "t", "slots_"))
        builder.emit(f"{made} = {name}({rng.randrange(2, 6)})")
        item = builder.names.element(T.INT)
        with builder.block(f"for {item} in {[rng.randrange(12) for _ in range(rng.randrange(1, 4))]}:"):
            builder.emit(f"{made}.{method}({item})")
        return builder.local("Any", f"{made}.{look}({rng.randrange(3)})")

    program.uses.append(use)


def holding_class(program: Program, style: Style) -> None:
    """Objects in a list, a dict or an attribute of another object, which asks them or changes them."""
    rng = program.rng
    inner, outer = claim(program, CLASSES), claim(program, CLASSES)
    name, number = rng.choice(ATTRIBUTES[T.STR]), rng.choice(ATTRIBUTES[T.INT])
    held, keyed = rng.choice(("members", "parts", "entries_", "children")), rng.random() < 0.3
    add, ask = rng.sample(METHODS, 2)
    define(program, [f"class {inner}:", f"\tdef __init__(self, {name}, {number}):", f"\t\tself.{name} = {name}", f"\t\tself.{number} = {number}"])
    each = f"self.{held}.values()" if keyed else f"self.{held}"
    asks = rng.choice((
        [f"\t\treturn sum(one.{number} for one in {each})"],
        ["\t\ttotal = 0", f"\t\tfor one in {each}:", f"\t\t\ttotal += one.{number}", "\t\treturn total"],
        [f"\t\tfor one in {each}:", f"\t\t\tif one.{number} > {rng.randrange(9)}:", f"\t\t\t\tone.{number} -= 1", f"\t\treturn len(self.{held})"],
        [f"\t\treturn max([one.{number} for one in {each}])"]))
    put = f"self.{held}[{name}] = {inner}({name}, {number})" if keyed else f"self.{held}.append({inner}({name}, {number}))"
    define(program, [f"class {outer}:", "\tdef __init__(self):", f"\t\tself.{held} = {'{}' if keyed else '[]'}", "",
                     f"\tdef {add}(self, {name}, {number}):", f"\t\t{put}", "", f"\tdef {ask}(self):", *asks])
    program.tag("holding-class")

    def use(builder: Builder) -> Variable:
        made = builder.names.fresh(("group", "team_", "holder", "whole"))
        builder.emit(f"{made} = {outer}()")
        for label in rng.sample(("a", "b", "red", "Ann", "x1"), rng.randrange(1, 4)):
            builder.emit(f"{made}.{add}({label!r}, {builder.expression(T.INT, 0)[0]})")
        return builder.local(T.INT, f"{made}.{ask}()")

    program.uses.append(use)
