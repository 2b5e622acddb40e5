"""Quizzes: questions about the literals of a state, answered by CPython."""

from __future__ import annotations

import ast
import unittest
from random import Random

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.evaluate import Answer
from foretrace.language.program import Program
from foretrace.training.batch import UNSUPERVISED
from foretrace.trace.values import canonical
from foretrace.training.expressions import kind_of
from foretrace.training.operands import KINDS, operand
from foretrace.training.quiz import MOST_QUESTIONS, answered, drawn, literals, quiz_branch

SOURCE = "def f(xs, word, table, n):\n    half = n / 2\n    return xs, word, table, half\n"
CALL = "f([3, 1], 'ab', {'k': 2}, 7)"


class Quiz(unittest.TestCase):
    def setUp(self):
        self.annotated = annotate(Program.parse(SOURCE, CALL), traced(Sample(SOURCE, CALL, ())))
        self.texts = self.annotated.frames[2].locals

    def test_literals_are_the_short_values_that_spell_themselves(self):
        self.assertEqual(literals(self.texts), {"xs": [3, 1], "word": "ab", "table": {"k": 2}, "n": 7, "half": 3.5})
        self.assertEqual(literals({"z": "(1+2j)", "y": "2j", "pair": "(1j, 2j)"}), {"pair": (1j, 2j)})
        self.assertEqual(literals({"a": "<A object>", "b": "[0…", "c": "{1, 2}", "d": "1234567", "e": "'" + "x" * 60 + "'"}),
                         {"c": {1, 2}})

    def test_answers_are_those_of_python(self):
        values = literals(self.texts)
        self.assertEqual(answered("xs[0] < n", values), Answer("value", "True"))
        self.assertEqual(answered("word[5]", values), Answer("exception", "IndexError('string index out of range')"))
        self.assertIsNone(answered("word * 90", values))
        self.assertIsNone(answered("word[", values))

    def test_questions_draw_all_kinds_and_leave_the_values_alone(self):
        rng, values = Random(3), literals(self.texts)
        questions = [drawn(rng, self.texts, values) for _ in range(500)]
        for name in values:
            self.assertTrue(any(name in text for text in questions), name)
        for text in questions:
            answered(text, values)
        self.assertEqual(values, literals(self.texts))

    def test_some_questions_are_about_other_values(self):
        rng, values = Random(5), literals(self.texts)
        asked = {text for text in (drawn(rng, self.texts, values) for _ in range(400)) if answered(text, values) is not None}
        named = {text: {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)} for text in asked}
        fresh = [text for text, names in named.items() if not names & set(values)]
        self.assertTrue(60 < len(fresh) < len(asked) - 60, len(fresh))

    def test_other_values_are_of_their_kind_and_can_be_written(self):
        rng = Random(2)
        for kind in sorted(KINDS):
            made = [operand(rng, kind) for _ in range(200)]
            self.assertEqual({kind_of(canonical(value)) for value in made}, {kind})
            self.assertTrue(all(ast.literal_eval(canonical(value)) == value for value in made))
            self.assertGreater(len({canonical(value) for value in made}), 50)

    def test_a_branch_is_bounded_supervised_and_repeats(self):
        made = quiz_branch(Random(1), self.annotated, 2, 400)
        self.assertEqual(made, quiz_branch(Random(1), self.annotated, 2, 400))
        self.assertLessEqual(made.tokens.count(T.EVALUATE), MOST_QUESTIONS)
        self.assertGreater(made.tokens.count(T.EVALUATE), 3)
        self.assertEqual(len(made.tokens), len(made.classes))
        ends = [c for t, c in zip(made.tokens, made.classes) if t == T.END]
        self.assertEqual(len(ends), made.tokens.count(T.EVALUATE))
        self.assertNotIn(UNSUPERVISED, ends)
        self.assertLessEqual(len(quiz_branch(Random(1), self.annotated, 2, 120).tokens), 120)

    def test_a_state_without_literals_is_not_asked(self):
        source = "def f():\n    return 1\n"
        bare = annotate(Program.parse(source, "f()"), traced(Sample(source, "f()", ())))
        self.assertIsNone(quiz_branch(Random(1), bare, 0, 400))


if __name__ == "__main__":
    unittest.main()
