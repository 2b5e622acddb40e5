"""Names that sites for exercises give to submissions: they are bound, and arguments that need them are drawn."""

import unittest
from random import Random

from foretrace.corpus.collect import Task, collect
from foretrace.corpus.collection import SourceFile
from foretrace.corpus.platform_names import IMPORTS, NODES, draw_node
from foretrace.trace import run

SUBMISSION = '''class Solution:
    def most(self, words: List[str]) -> str:
        return max(Counter(words).items(), key=operator.itemgetter(1))[0] if words else ""

    def depth(self, root):
        """
        :type root: Optional[TreeNode]
        """
        return 1 + max(self.depth(root.left), self.depth(root.right)) if root else 0
'''


def flat(node):
    """The values of a list, or of a tree in order."""
    if node is None:
        return []
    return [node.val, *flat(node.next)] if hasattr(node, "next") else [*flat(node.left), node.val, *flat(node.right)]


class PlatformNamesTest(unittest.TestCase):
    def test_every_import_binds_its_name(self):
        for name, text in IMPORTS.items():
            bound = {}
            exec(text, bound)
            self.assertIn(name, bound)

    def test_a_submission_stands_alone(self):
        outcome = collect(Task(SourceFile("most.py", SUBMISSION), ()))
        self.assertEqual([function.name for function in outcome.functions], ["Solution.most", "Solution.depth"])
        most, depth = outcome.functions
        self.assertTrue(most.source.startswith("from collections import Counter\nfrom typing import List\nimport operator\n\n\nclass Solution:"))
        self.assertIn(NODES["TreeNode"], depth.source)
        self.assertTrue(any("TreeNode(" in call for call in depth.calls))
        for function in outcome.functions:
            for call in function.calls:
                self.assertGreater(len(run(function.source, call).events), 2)

    def test_what_a_module_binds_itself_is_its_own(self):
        own = "def deque(items):\n    return list(items)\n\n\ndef f(xs: list):\n    return deque(xs)\n\n\nassert f([1])\n"
        outcome = collect(Task(SourceFile("own.py", own), ()))
        self.assertNotIn("import", "".join(function.source for function in outcome.functions))

    def test_nodes_are_drawn_as_the_expressions_that_make_them(self):
        classes = {}
        for text in NODES.values():
            exec(text, classes)
        rng = Random(3)
        for kind in NODES:
            in_order = 0
            for size in range(40):
                values = iter(drawn := [rng.randint(-9, 99) for _ in range(size)])
                found = flat(eval(repr(draw_node(rng, kind, size, lambda: next(values))), classes))
                self.assertEqual(sorted(found), sorted(drawn))
                in_order += found == sorted(drawn)
            self.assertTrue(8 <= in_order <= 30)


if __name__ == "__main__":
    unittest.main()
