"""Drills: statements on the literals of a state, and what CPython leaves behind them."""

from __future__ import annotations

import unittest
from random import Random
from typing import Iterator
from unittest import mock

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.decode import apply_delta, decode_delta
from foretrace.language.program import Program
from foretrace.language.truth import source_of
from foretrace.trace.values import canonical
from foretrace.training import drills
from foretrace.training.batch import EVENT, LINE, UNSUPERVISED
from foretrace.training.drills import MOST_DRILLS, drill_branch
from foretrace.training.quiz import literals
from foretrace.training.statement_templates import STATEMENTS

SOURCE = """def f(xs, word, n, counts):
    for x in xs:
        n += x
    total = g(n)
    return total, word, counts
def g(k):
    return k
"""
CALL = "f([3, 1, 2], 'abc', 7, {'a': 1})"


class Drills(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse(SOURCE, CALL, shows_workings=True)
        self.annotated = annotate(self.program, traced(Sample(SOURCE, CALL, ())))
        self.places = [i for i, frame in enumerate(self.annotated.frames) if frame.event == "line"]

    def test_only_events_names_and_values_are_learnt(self):
        for seed in range(60):
            made = drill_branch(Random(seed), self.annotated, self.places[1], 900)
            self.assertEqual(len(made.tokens), len(made.classes))
            count = made.tokens.count(T.HERE)
            self.assertTrue(1 <= count <= MOST_DRILLS)
            self.assertNotIn(LINE, made.classes)
            self.assertEqual(made.classes.count(EVENT), count)
            self.assertEqual([kind for token, kind in zip(made.tokens, made.classes) if token == T.END].count(UNSUPERVISED), 0)

    def test_a_statement_leaves_what_python_says(self):
        program = Program.parse(SOURCE, CALL, shows_values=False)
        annotated = annotate(program, traced(Sample(SOURCE, CALL, ())))
        events = set()
        for seed in range(120):
            i = self.places[seed % 2]
            with mock.patch.object(drills, "FRESH_SHARE", 0):
                made = drill_branch(Random(seed), annotated, i, 900)
            before = annotated.stack(i)
            for text, delta in _exercises(program, made.tokens):
                after = apply_delta(program, before, decode_delta(program, delta, len(before)))[-1]
                values = literals(before[-1].locals)
                events.add(after.event)
                try:
                    exec(text, {}, values)
                except Exception as error:
                    self.assertEqual((after.event, after.value), ("exception", canonical(error)), text)
                else:
                    self.assertEqual((after.event, after.line), ("line", annotated.frames[i + 1].line))
                    self.assertEqual(after.locals, {name: canonical(value) for name, value in values.items()}, text)
        self.assertEqual(events, {"line", "exception"})

    def test_there_is_none_where_the_run_goes_elsewhere(self):
        call = next(i for i in self.places if self.annotated.frames[i + 1].event == "call")
        self.assertIsNone(drill_branch(Random(1), self.annotated, call, 900))
        self.assertIsNone(drill_branch(Random(1), self.annotated, len(self.annotated) - 1, 900))

    def test_all_templates_are_statements_that_run(self):
        fields = dict(a="a", b="b", c="3", d="2", e="'x'", i="0", j="1", k="'k'", m="0", n="4", o="9", v="v", w="3", xs="xs", t="t", u="u")
        for templates in STATEMENTS.values():
            for text in templates:
                compile(text.format(**fields), text, "exec")
                self.assertTrue(text.startswith(("{a}", "{t}", "del {a}")), text)


def _exercises(program: Program, tokens: "list[int]") -> "Iterator[tuple[str, list[int]]]":
    """The statements of a branch, as text, each with its delta."""
    while T.HERE in tokens:
        tokens = tokens[tokens.index(T.HERE) + 1:]
        action = next(at for at, token in enumerate(tokens) if token in T.ACTION_NAMES)
        end = tokens.index(T.END)
        if T.FSTRING not in tokens[:action]:  # which `source_of` does not write
            yield source_of(program, tokens[:action]), tokens[action + 1:end + 1]
