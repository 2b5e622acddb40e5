"""Sums as exercises: operations on integers, most of them in columns, with CPython's answers."""

from __future__ import annotations

import ast
import unittest
from random import Random

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.evaluate import decode_answer
from foretrace.language.program import Program
from foretrace.training.sums import MOST_QUESTIONS, drawn, sum_branch

from .test_workings import pairs

DIVIDE = T.OPERATORS["//"]
SOURCE = "def f(n, word):\n    total = n * 25\n    return total + n\n"


class Sums(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse(SOURCE, "f(71, 'x')", shows_workings=True)
        self.annotated = annotate(self.program, traced(Sample(SOURCE, "f(71, 'x')", ())))

    def test_answers_are_those_of_python(self):
        columns = 0
        for seed in range(60):
            branch = sum_branch(Random(seed), self.annotated, 2, 2000)
            found = pairs(branch.tokens)
            self.assertTrue(4 < len(found) <= MOST_QUESTIONS)
            for question, answer, *_ in found:
                told = decode_answer(self.program, answer)
                self.assertEqual(told.outcome, "value" if "Zero" not in told.text else "exception")
                if question[1] != T.IT:
                    continue
                columns += 1
                at = next(at for at, token in enumerate(question) if token == DIVIDE or T.NAMES[token] in "+-*")
                digits = ("".join(T.NAMES[token] for token in part) for part in (question[2:at], question[at + 1:]))
                left, right = (int(part if question[at] == DIVIDE else part[::-1]) for part in digits)
                expected = divmod(left, right) if question[at] == DIVIDE else eval(f"{left} {T.NAMES[question[at]]} {right}")
                self.assertEqual(ast.literal_eval(told.text), expected)
        self.assertGreater(columns, 300)

    def test_names_of_the_state_are_operands_too(self):
        texts = [drawn(Random(seed), ["n", "total"]) for seed in range(200)]
        self.assertTrue(20 < sum("total" in text for text in texts) < 120)
        self.assertFalse(any("total" in drawn(Random(seed), []) for seed in range(50)))

    def test_there_is_no_branch_without_room(self):
        self.assertIsNone(sum_branch(Random(1), self.annotated, 2, 20))


if __name__ == "__main__":
    unittest.main()
