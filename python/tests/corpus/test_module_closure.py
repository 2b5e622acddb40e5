"""What a function needs of its module comes along; everything else, and what reaches outside, does not."""

import ast
import unittest

from foretrace.corpus.module_closure import Module, NotSelfContained

TEXT = '''"""About."""
import os
import math, string
from collections import defaultdict, OrderedDict as Ordered
from typing import (List,
                    Optional)

LIMIT = 3
TABLE = {}
TABLE["a"] = LIMIT
for _item in range(2):
    TABLE[_item] = math.pi
UNUSED = os.getcwd()


class Base:
    """Docs."""
    size = LIMIT


@staticmethod
def helper(x: Optional[int]):
    """Helps.

    >>> helper(1)
    """

    return lambda: other(x)  # keep


def other(x):
    return x


class Child(Base):
    def make(self):
        return defaultdict(list)


def f(xs: List[int]):
    LIMIT = len(xs)
    return helper(LIMIT)


def g():
    return TABLE, Child


def uses_os():
    return os.getcwd()


def opens(path):
    with open(path) as file:
        return file


def lost():
    return nowhere


def inside():
    import random
    return random.random()


def clock(x):
    return x.now()


def mixed(): return 1; value = 2
a = 1; b = a


if __name__ == "__main__":
    print(f([1]))
'''


class ClosureTest(unittest.TestCase):
    def setUp(self):
        self.module = Module(TEXT)

    def names(self, *roots):
        tree = ast.parse(self.module.closure(roots))
        return [ast.unparse(node).split("\n")[0] for node in tree.body]

    def test_helpers_and_imports_come_along(self):
        text = self.module.closure(["f"])
        space = {}
        exec(compile(text.replace("@staticmethod\n", ""), "f", "exec"), space)
        self.assertEqual(space["f"]([1, 2])(), 2)
        self.assertEqual(text.split("\n\n\n")[0], "from typing import List\nfrom typing import Optional")
        for absent in ("LIMIT =  3", "import os", "Helps", "TABLE", "__main__", "About"):
            self.assertNotIn(absent, text)
        self.assertIn("# keep", text)

    def test_tables_come_with_what_fills_them(self):
        self.assertEqual(self.names("g"), [
            "import math", "from collections import defaultdict", "LIMIT = 3", "TABLE = {}", "TABLE['a'] = LIMIT",
            "for _item in range(2):", "class Base:", "class Child(Base):", "def g():"])

    def test_extra_text_stands_behind(self):
        text = self.module.closure([], "def run():\n    return other(4)\n")
        self.assertEqual(text, "def other(x):\n    return x\n\n\ndef run():\n    return other(4)\n")

    def test_what_reaches_outside_is_refused(self):
        for root, code in (("uses_os", "import_refused"), ("opens", "name_refused"), ("lost", "name_unknown"), ("clock", "name_refused"),
                           ("inside", "import_refused"), ("b", "layout")):
            with self.subTest(root), self.assertRaises(NotSelfContained) as caught:
                self.module.closure([root])
            self.assertEqual(caught.exception.code, code)

    def test_annotations_that_are_not_evaluated_are_not_needed(self):
        module = Module("from __future__ import annotations\nimport numpy as np\n\n\ndef f(x: np.ndarray) -> int:\n    return x\n")
        self.assertEqual(module.closure(["f"]), "from __future__ import annotations\n\n\ndef f(x: np.ndarray) -> int:\n    return x\n")

    def test_imports_of_the_collection_are_refused(self):
        for text in ("from .x import y", "from x.z import y", "from math import *"):
            with self.subTest(text), self.assertRaises(NotSelfContained):
                Module(text + "\n\n\ndef f():\n    return y\n").closure(["f"])


if __name__ == "__main__":
    unittest.main()
