"""Every operation of the catalogue makes a program that compiles and, for some values, runs."""

from __future__ import annotations

import random
import unittest

from foretrace.generator.builder import Builder, Program
from foretrace.generator.catalogue import CHANGES, VALUES
from foretrace.generator.checks import run
from foretrace.generator.drills import drill_of
from foretrace.generator.operations import ADD, ATOM, Table

_SLIPS = {"TypeError", "NameError", "AttributeError", "UnboundLocalError"}


class Operations(unittest.TestCase):
    def test_every_operation_runs(self):
        rng = random.Random(5)
        for operation in VALUES + CHANGES:
            outcomes = [run(sample.source, sample.call) for sample in (drill_of(rng, operation) for _ in range(12))]
            with self.subTest(operation.key):
                self.assertFalse([o.refused for o in outcomes if (o.refused or "").startswith("syntax")])
                self.assertFalse([o.error for o in outcomes if o.error in _SLIPS])
                self.assertTrue(any(o.error is None and o.refused is None for o in outcomes))

    def test_only_risky_operations_raise(self):
        rng = random.Random(6)
        for operation in VALUES:
            if operation.risky or operation.weight == 0:
                continue
            for _ in range(6):
                sample = drill_of(rng, operation)
                with self.subTest(operation.key):
                    self.assertIsNone(run(sample.source, sample.call).error, sample)

    def test_keys_are_unique(self):
        keys = [operation.key for operation in VALUES + CHANGES]
        self.assertEqual(len(keys), len(set(keys)))

    def test_brackets_keep_the_meaning(self):
        table = Table("test")
        table.add("str", "{0:t}.upper()", "str")
        table.binary("int", "-", "int", "int", ADD)
        upper, minus = table.operations
        self.assertEqual(upper.render([("a + b", ADD)]), "(a + b).upper()")
        self.assertEqual(upper.render([("a", ATOM)]), "a.upper()")
        self.assertEqual(minus.render([("a - b", ADD), ("c - d", ADD)]), "a - b - (c - d)")

    def test_expressions_keep_their_type(self):
        rng = random.Random(7)
        for _ in range(400):
            builder = Builder(Program(rng))
            for kind in ("str", "list[int]", "int"):
                builder.parameter(kind)
            for type_, kind in (("int", int), ("str", str), ("list[int]", list), ("bool", bool)):
                text = builder.text(type_, 2)
                space = {p.name: p.value for p in builder.parameters}
                exec("\n".join(builder.program.imports), space)
                try:
                    value = eval(text, space)
                except (ValueError, IndexError, ZeroDivisionError, OverflowError, KeyError):
                    continue
                self.assertIsInstance(value, (kind, int) if kind is bool else kind, text)


if __name__ == "__main__":
    unittest.main()
