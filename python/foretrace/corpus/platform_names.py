"""What sites for programming exercises have ready for every submission: imports, and the nodes of linked lists and trees.

Files of solutions use these names without binding them, and run nowhere else as they stand."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, Sequence

_FROM = {
    "bisect": "bisect_left bisect_right insort insort_left insort_right",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "copy": "deepcopy",
    "functools": "cache cmp_to_key lru_cache partial reduce",
    "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    "itertools": "accumulate chain combinations count cycle groupby islice pairwise permutations product repeat starmap takewhile zip_longest",
    "math": "ceil comb factorial floor gcd hypot inf isqrt lcm log log2 perm pi sqrt",
    "operator": "itemgetter xor",
    "string": "ascii_lowercase ascii_uppercase digits",
    "typing": "Any Callable DefaultDict Deque Dict FrozenSet Generator Iterable Iterator List Mapping NamedTuple Optional Sequence Set Tuple "
              "Union",
}
_MODULES = "bisect collections copy functools heapq itertools math operator re string"

_LIST_NODE = """class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next"""
_TREE_NODE = """class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right"""

IMPORTS: Dict[str, str] = {
    **{module: f"import {module}" for module in _MODULES.split()},
    **{name: f"from {module} import {name}" for module, names in _FROM.items() for name in names.split()},
}
"""The import that binds a name."""

NODES: Dict[str, str] = {"ListNode": _LIST_NODE, "TreeNode": _TREE_NODE}
"""The definition of a class."""


class Expression(str):
    """Text that stands in a call as it is."""

    def __repr__(self) -> str:
        return str(self)


def draw_node(rng: Random, kind: str, size: int, value: Callable[[], int]) -> Expression:
    """A list or a tree of `size` nodes, `None` for 0, as the expression that makes it; four in ten are in order (trees: of search).

    kind: a key of NODES."""
    values = [value() for _ in range(size)]
    if rng.random() < 0.4:
        values.sort()
    return _list(values) if kind == "ListNode" else _tree(rng, values)


def _list(values: Sequence[int]) -> Expression:
    text = "None"
    for value in reversed(values):
        text = f"ListNode({value})" if text == "None" else f"ListNode({value}, {text})"
    return Expression(text)


def _tree(rng: Random, values: Sequence[int]) -> Expression:
    if not values:
        return Expression("None")
    root = rng.randrange(len(values))
    parts = [str(values[root]), _tree(rng, values[:root]), _tree(rng, values[root + 1:])]
    while parts[-1] == "None":
        parts.pop()
    return Expression(f"TreeNode({', '.join(parts)})")
