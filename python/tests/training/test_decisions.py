"""Decisions: conditions on the literals of a state, decided by CPython."""

from __future__ import annotations

import unittest
from random import Random

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.program import Program
from foretrace.training.batch import OTHER, UNSUPERVISED
from foretrace.training.decisions import MOST_DECISIONS, decided, decision_branch, own_conditions
from foretrace.training.quiz import literals

SOURCE = """def f(xs, word, n):
    if n > len(xs) and word:
        n = g(n)
    elif xs.pop() == n or g(n) or n ** 9:
        n = 2
    while any(x > n for x in xs):
        n += 1
    return n
def g(k):
    if k:
        return 1
"""
CALL = "f([3, 1], 'ab', 7)"
OUTCOMES = (T.WORDS["True"], T.WORDS["False"])


class Decisions(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse(SOURCE, CALL)
        self.annotated = annotate(self.program, traced(Sample(SOURCE, CALL, ())))
        self.values = literals(self.annotated.frames[1].locals)

    def test_conditions_are_decided_as_python_decides_them(self):
        self.assertIs(decided("n > len(xs) and word", self.values), True)
        self.assertIs(decided("not n", self.values), False)
        self.assertIsNone(decided("n / 0", self.values))
        self.assertIsNone(decided("open", self.values))
        self.assertIs(decided("xs.pop() == 1", self.values), True)
        self.assertEqual(self.values["xs"], [3, 1])

    def test_conditions_of_the_program_are_asked_if_nothing_but_values_decides_them(self):
        self.assertEqual(own_conditions(self.program, self.values), ["n > len(xs) and word", "any(x > n for x in xs)"])
        self.assertEqual(own_conditions(self.program, {"k": 1}), ["k"])

    def test_only_outcomes_are_learnt_and_they_are_balanced(self):
        held, count = 0, 0
        for seed in range(40):
            made = decision_branch(Random(seed), self.annotated, 1, 600)
            self.assertEqual(len(made.tokens), len(made.classes))
            learnt = [token for token, kind in zip(made.tokens, made.classes) if kind == OTHER]
            self.assertLessEqual(len(learnt), MOST_DECISIONS)
            self.assertTrue(set(learnt) <= set(OUTCOMES))
            self.assertEqual(made.tokens.count(T.HERE), len(learnt))
            self.assertEqual(made.classes[made.tokens.index(T.HERE):].count(UNSUPERVISED) + len(learnt), len(made.tokens) - made.tokens.index(T.HERE))
            held, count = held + learnt.count(OUTCOMES[0]), count + len(learnt)
        self.assertGreater(held, count * 0.4)
        self.assertLess(held, count * 0.6)

    def test_a_branch_is_bounded_and_repeats(self):
        made = decision_branch(Random(1), self.annotated, 1, 90)
        self.assertLessEqual(len(made.tokens), 90)
        self.assertEqual(made, decision_branch(Random(1), self.annotated, 1, 90))

    def test_a_state_without_literals_decides_nothing(self):
        source = "def f():\n    return 1\n"
        bare = annotate(Program.parse(source, "f()"), traced(Sample(source, "f()", ())))
        self.assertIsNone(decision_branch(Random(1), bare, 1, 400))


if __name__ == "__main__":
    unittest.main()
