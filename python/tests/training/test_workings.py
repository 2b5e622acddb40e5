"""Workings as exercises: questions that a step begins with, and the documents that show what they came to."""

from __future__ import annotations

import unittest
from random import Random

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.encode import keyframe_at
from foretrace.language.evaluate import Answer, decode_answer
from foretrace.language.program import Program
from foretrace.training.batch import EVENT, OTHER, UNSUPERVISED, VALUE
from foretrace.training.decisions import decision_branch
from foretrace.training.documents import document
from foretrace.training.sheets import sheet
from foretrace.training.workings import MOST_QUESTIONS, working_branch

SOURCE = """def f(xs, word, n):
    for i in range(len(xs) - 1):
        if xs[i] + n > xs[i + 1] * 2 and word[i] == 'a':
            xs[i], xs[i + 1] = xs[i + 1] - n, xs[i] // (n - 2)
        n = (n + 1) % len(word) + xs[-i - 1]
    return word[n % 2:] + word[:len(xs) - 1], g(n + 1) * (n - 1)
def g(k):
    return k
"""
CALL = "f([5, 1, 4], 'ab', 3)"


def pairs(tokens):
    """The questions of a branch, each with its answer."""
    found, at = [], tokens.index(T.EVALUATE)
    while at < len(tokens):
        end = tokens.index(T.END, at) + 1
        begin = max(k for k in range(at, end) if tokens[k] in (T.VALUE, T.EVENTS["exception"]))
        found.append((tokens[at:begin], tokens[begin:end], begin, end))
        at = end
    return found


class WorkingBranches(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse(SOURCE, CALL, shows_workings=True)
        self.annotated = annotate(self.program, traced(Sample(SOURCE, CALL, ())))
        self.lines = [i for i, frame in enumerate(self.annotated.frames) if frame.event == "line" and frame.line < 7]

    def test_a_branch_is_a_keyframe_with_questions_and_answers(self):
        outcomes = set()
        for i in self.lines:
            made = working_branch(Random(i), self.annotated, i, 900)
            frame = keyframe_at(self.annotated, i)
            self.assertEqual(made.tokens[:len(frame)], frame)
            self.assertEqual(made.tokens[len(frame)], T.EVALUATE)
            self.assertEqual(len(made.tokens), len(made.classes))
            asked = pairs(made.tokens)
            self.assertTrue(0 < len(asked) <= MOST_QUESTIONS)
            self.assertEqual(len({tuple(question) for question, *_ in asked}), len(asked))
            for question, answer, begin, end in asked:
                self.assertEqual(question.count(T.EVALUATE), 1)
                told = decode_answer(self.program, answer)
                self.assertIsInstance(told, Answer)
                outcomes.add(told.outcome)
                self.assertEqual(set(made.classes[begin - len(question):begin]), {UNSUPERVISED})
                self.assertEqual(made.classes[begin:end], [EVENT, *[VALUE] * (end - begin - 2), OTHER])
        self.assertIn("value", outcomes)

    def test_answers_are_those_of_python(self):
        made = working_branch(Random(1), self.annotated, self.lines[1], 900)
        names = self.program.slot_names
        spelled = {"".join(names.get(token, T.NAMES[token]) for token in question[1:]): decode_answer(self.program, answer).text
                   for question, answer, *_ in pairs(made.tokens)}
        self.assertEqual(spelled["5+n3"], "8")

    def test_a_branch_is_bounded_and_repeats(self):
        i = self.lines[2]
        self.assertEqual(working_branch(Random(1), self.annotated, i, 900), working_branch(Random(1), self.annotated, i, 900))
        for room in range(60, 400, 20):
            made = working_branch(Random(1), self.annotated, i, room)
            self.assertTrue(made is None or len(made.tokens) <= room)
            self.assertTrue(made is None or decode_answer(self.program, pairs(made.tokens)[-1][1]))

    def test_a_state_in_which_nothing_is_worked_out_is_not_asked(self):
        source = "def f(a):\n    return a\n"
        bare = annotate(Program.parse(source, "f(1)", shows_workings=True), traced(Sample(source, "f(1)", ())))
        self.assertIsNone(working_branch(Random(1), bare, 1, 400))


class Documents(unittest.TestCase):
    def setUp(self):
        self.trace = traced(Sample(SOURCE, CALL, ()))
        self.plain = Program.parse(SOURCE, CALL)

    def test_documents_show_workings_if_they_are_to(self):
        shown = [document(Random(seed), self.trace, 2048, replays=False, shows_workings=True) for seed in range(6)]
        plain = [document(Random(seed), self.trace, 2048, replays=False) for seed in range(6)]
        self.assertEqual(plain, [document(Random(seed), self.trace, 2048, replays=False, shows_workings=False) for seed in range(6)])
        lines = [self.lines_of(documents) for documents in (plain, shown)]
        self.assertTrue(any(T.WORDS["len"] in line for line in lines[0]))
        self.assertFalse(any(T.WORDS["len"] in line for line in lines[1]))

    def lines_of(self, documents) -> list:
        """The here lines of single steps in the documents."""
        found = []
        for made in documents:
            tokens = list(made.tokens)
            for at, token in enumerate(tokens):
                if token == T.HERE:
                    end = next(k for k in range(at, len(tokens)) if tokens[k] in T.ACTION_NAMES)
                    if T.ACTION_NAMES[tokens[end]] in ("step_into", "step_over"):
                        found.append(tokens[at:end])
        return found

    def test_sheets_ask_for_workings_if_they_are_shown(self):
        asked = [sheet(Random(seed), [self.trace], 4096, 24, shows) for shows in (False, True) for seed in range(4)]
        counts = [list(made.tokens).count(T.EVALUATE) for made in asked]
        self.assertGreater(sum(counts[4:]), sum(counts[:4]))
        self.assertEqual(asked[:4], [sheet(Random(seed), [self.trace], 4096, 24) for seed in range(4)])

    def test_decisions_are_asked_with_their_workings(self):
        trace = self.trace
        found = []
        for shows in (False, True):
            annotated = annotate(Program.parse(SOURCE, CALL, shows_workings=shows), trace)
            made = [decision_branch(Random(seed), annotated, 2, 900) for seed in range(30)]
            found.append("".join(T.NAMES[token] for branch in made if branch is not None for token in branch.tokens))
        self.assertIn("<|w:len|>", found[0])
        self.assertGreater(found[0].count("<|w:len|>"), found[1].count("<|w:len|>"))


if __name__ == "__main__":
    unittest.main()
