"""Practice of what is asked in positions, with CPython's answers."""

from __future__ import annotations

import unittest
from random import Random

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language.annotate import annotate
from foretrace.language.evaluate import Answer, decode_answer
from foretrace.language.positions import POSITIONS
from foretrace.language.program import Program
from foretrace.training.positions import MOST_QUESTIONS, TEMPLATES, drawn, position_branch

from .test_workings import pairs

SOURCE = "def f(word, xs):\n    total = len(word)\n    return total + len(xs)\n"
CALL = "f('banana', [3, 1, 2])"


class Positions(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse(SOURCE, CALL, shows_workings=True)
        self.annotated = annotate(self.program, traced(Sample(SOURCE, CALL, ())))

    def test_most_questions_are_answered_in_positions(self):
        count = total = 0
        for seed in range(60):
            found = pairs(position_branch(Random(seed), self.annotated, 2, 2000).tokens)
            self.assertLessEqual(len(found), MOST_QUESTIONS)
            for question, answer, *_ in found:
                self.assertIsInstance(decode_answer(self.program, answer), Answer)
                total += 1
                count += bool(set(POSITIONS) & set(question))
        self.assertGreater(count, total * 0.6)

    def test_every_template_is_an_expression_and_names_are_operands_too(self):
        texts = [drawn(Random(seed), {"word": "banana", "xs": [3, 1, 2]}) for seed in range(2000)]
        for text in texts:
            compile(text, "<drawn>", "eval")
        self.assertTrue(150 < sum("word" in text or "xs" in text for text in texts) < 900)
        self.assertEqual(set(TEMPLATES), {"str", "list", "tuple", "dict", "set"})

    def test_there_is_no_branch_without_room(self):
        self.assertIsNone(position_branch(Random(1), self.annotated, 2, 20))


if __name__ == "__main__":
    unittest.main()
