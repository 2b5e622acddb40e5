"""Reflowing: the same syntax tree, spread over more lines."""

from __future__ import annotations

import ast
import unittest
from random import Random

from foretrace.corpus.programs import drawn
from foretrace.generator.reflow import reflowed
from foretrace.generator.sample import Sample


class Reflow(unittest.TestCase):
    def test_the_syntax_tree_stays_and_lines_are_added(self):
        rng, longer, looks = Random(4), 0, set()
        for _ in range(150):
            sample = drawn(rng, rng.random())
            made = reflowed(rng, sample)
            self.assertEqual(ast.dump(ast.parse(made.source)), ast.dump(ast.parse(sample.source)), made.source)
            self.assertEqual(made.call, sample.call)
            longer += made.source.count("\n") > sample.source.count("\n")
            looks |= {line.strip() for line in made.source.split("\n")} & {")", "]", "}", "):"}
        self.assertGreater(longer, 100)
        self.assertGreaterEqual(len(looks), 3)

    def test_what_cannot_be_broken_stays(self):
        for source in ("def f(a):\n    return a\n", "x = [1,\n     2000000]\n", "def f(a):  # with a comment (and, brackets)\n    return a\n",
                       "x = 'a string (with, brackets)'\n", "not python ("):
            self.assertEqual(reflowed(Random(1), Sample(source, "f(1)", ())).source, source)

    def test_what_is_drawn_repeats(self):
        sample = drawn(Random(9), 0.5)
        self.assertEqual(reflowed(Random(2), sample), reflowed(Random(2), sample))


if __name__ == "__main__":
    unittest.main()
