"""Calls are found in doctests, asserts, unit tests and tables; other blocks become scenarios; variations are of the same kind."""

import ast
import unittest
from random import Random

from foretrace.corpus.known_calls import all_known
from foretrace.corpus.scenarios import Targets
from foretrace.corpus.test_blocks import blocks
from foretrace.corpus.typed_inputs import draw_call, stated_types
from foretrace.corpus.variations import vary, vary_call


def found(text, functions=("f", "g"), classes=("Stack",), generators=(), modules=()):
    targets = Targets({name: name for name in functions}, {name: name for name in classes}, frozenset(generators), frozenset(modules))
    return all_known(blocks(ast.parse(text)), targets)


class KnownCallsTest(unittest.TestCase):
    def test_doctests(self):
        calls, _ = found('def f(a, b=0):\n    """\n    >>> xs = [1, 2]\n    >>> f(xs, b=-1)\n    [0]\n    >>> sorted(f({"k": g(2)}))\n'
                         '    >>> f(unknown)\n    >>> f([1\n    """\n')
        self.assertEqual(calls, {"f": ["f([1, 2], b=-1)"], "g": ["g(2)"]})

    def test_asserts_and_main(self):
        calls, _ = found("assert f(1) == 2\nfor x, y in [(3, 4), (5, 6)]:\n    assert f(x) == y\n"
                         "if __name__ == '__main__':\n    word = 'a' * 3\n    print(g(word, set()))\n    word = input()\n    g(word)\n")
        self.assertEqual(calls, {"f": ["f(1)", "f(3)", "f(5)"], "g": ["g('a' * 3, set())"]})

    def test_unit_tests(self):
        calls, _ = found("class T(unittest.TestCase):\n    def setUp(self):\n        self.items = (1,)\n"
                         "    def test_a(self):\n        with self.assertRaises(ValueError):\n            f(self.items)\n"
                         "        self.assertEqual(m.g(float('inf')), 2)\n        self.assertEqual(Stack(3).push(4), 1)\n"
                         "    def helper(self):\n        f(9)\n"
                         "@pytest.mark.parametrize('a, b', [(1, 2), (3, 4)])\ndef test_b(a, b):\n    assert f(a) == b\n", modules=("m",))
        self.assertEqual(calls, {"f": ["f((1,))", "f(1)", "f(3)"], "g": ["g(float('inf'))"], "Stack.push": ["Stack(3).push(4)"]})

    def test_a_block_that_builds_an_object_is_a_scenario(self):
        _, scenarios = found("class T(unittest.TestCase):\n    def setUp(self):\n        self.stack = Stack()\n"
                             "    def test_pop(self):\n        self.stack.push(1)\n        self.assertEqual(self.stack.size(), 1)\n"
                             "        self.assertEqual(1, self.stack.pop())\n")
        self.assertEqual([made.text for made in scenarios],
                         ["def test_pop():\n    stack = Stack()\n    stack.push(1)\n    stack.size()\n    return stack.pop()\n"])

    def test_generators_are_run_by_a_scenario(self):
        calls, scenarios = found('def f(n):\n    """\n    >>> list(f(3))\n    """\n    yield n\n', generators=("f",))
        self.assertEqual(calls, {})
        self.assertEqual([made.text for made in scenarios], ["def example_f():\n    return list(f(3))\n"])

    def test_helpers_of_a_test_class_are_no_scenario(self):
        self.assertEqual(found("class T:\n    def test_a(self):\n        s = Stack()\n        self.fill(s)\n        assert s.pop() == 1\n")[1], [])


class VariationsTest(unittest.TestCase):
    def test_variations_differ_repeat_and_keep_their_types(self):
        for value in (3, 2.5, True, "abc", b"ab", [1, 2], (1, "a"), {1, 2}, {"a": [1]}, [], "", {}):
            with self.subTest(value):
                made = [vary(Random(seed), value) for seed in range(40)]
                self.assertEqual(made, [vary(Random(seed), value) for seed in range(40)])
                self.assertEqual({type(item) for item in made}, {type(value)})
                if value != {}:
                    self.assertTrue({repr(item) for item in made} - {repr(value)})
                self.assertTrue(all(ast.literal_eval(repr(item)) == item for item in made if item != set()))

    def test_a_varied_call_is_a_call_of_the_same_function(self):
        for call in ("f([1, 2], k='a')", "Stack(2).push(3)"):
            varied = {vary_call(Random(seed), call) for seed in range(30)}
            self.assertGreater(len(varied), 8)
            for text in varied - {None}:
                self.assertEqual(ast.unparse(ast.parse(text, mode="eval").body.func).split("(")[0], call.split("(")[0])
        self.assertIsNone(vary_call(Random(1), "f(other())"))

    def test_arguments_are_drawn_by_stated_types(self):
        function = ast.parse("def f(a: int, b: 'List[List[str]]', c: dict[str, int] | None, d=1):\n    pass\n").body[0]
        types = stated_types(function, False)
        self.assertEqual(list(types), ["a", "b", "c"])
        for seed in range(30):
            a, b, c = [ast.literal_eval(item) for item in ast.parse(draw_call(Random(seed), "f", types), mode="eval").body.args]
            self.assertIsInstance(a, int)
            self.assertTrue(all(isinstance(cell, str) for row in b for cell in row))
            self.assertLessEqual(len({len(row) for row in b}), 1)
            self.assertTrue(all(isinstance(value, int) for value in c.values()))

    def test_types_in_docstrings(self):
        method = ast.parse('def f(self, nums, k):\n    """\n    :type nums: List[int]\n    :type k: int\n    """\n').body[0]
        self.assertEqual({name: ast.unparse(node) for name, node in stated_types(method, True).items()}, {"nums": "List[int]", "k": "int"})
        self.assertIsNone(stated_types(ast.parse("def f(a: Node):\n    pass\n").body[0], False))
        self.assertIsNone(stated_types(ast.parse("def f(a):\n    pass\n").body[0], False))


if __name__ == "__main__":
    unittest.main()
