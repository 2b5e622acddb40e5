"""The words and features that training data must contain."""

from __future__ import annotations

import ast
import json
import random
import re
import unittest
from pathlib import Path

from foretrace.generator import LEVELS
from foretrace.generator.catalogue import CHANGES, VALUES
from foretrace.generator.drills import drill_of
from foretrace.generator.sample import Sample

from .samples import of_level

TABLE = Path(__file__).resolve().parents[3] / "proto" / "trace-tokens.json"
_TYPES = (str, list, dict, set, tuple, int, float)
_NOT_ON_EVERY_VERSION_OR_PURPOSE = {"eval", "open", "input", "id", "hash", "dir", "locals", "memoryview", "from_bytes",
                                    "format_map"}
_BUILTINS = ("abs all any ascii bin bool bytes chr dict divmod enumerate filter float format frozenset getattr hasattr hex int isinstance iter "
             "len list map max min next oct ord pow print property range repr reversed round set setattr slice sorted staticmethod classmethod "
             "str sum super tuple type vars zip").split()
_FEATURES = {
    "recursion", "closure", "nonlocal", "generator", "lambda", "class", "property", "inheritance", "dataclass", "with",
             "try", "custom-error",
    "decorator", "star-arguments", "star-keywords", "default-argument", "higher-order", "loop-else", "match",
             "yield-from", "send",
    "__add__", "__eq__", "__len__", "__iter__", "__call__", "iterator-class", "attributes", "record-class", "linked-list",
             "search-tree", "table-class", "holding-class",
}
_NODES = (ast.For, ast.While, ast.If, ast.IfExp, ast.Try, ast.With, ast.Raise, ast.Assert, ast.Delete, ast.Lambda,
          ast.ListComp, ast.SetComp,
          ast.DictComp, ast.GeneratorExp, ast.Yield, ast.YieldFrom, ast.Nonlocal, ast.ClassDef, ast.Starred,
          ast.NamedExpr, ast.JoinedStr,
          ast.Slice, ast.Break, ast.Continue, ast.Pass, ast.BoolOp, ast.AugAssign, ast.AnnAssign, ast.Import,
          ast.ImportFrom, ast.Match)


def _words(samples: tuple[Sample, ...]) -> set[str]:
    return {word for sample in samples for word in re.findall(r"[A-Za-z_]\w*", sample.source)}


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rng = random.Random(8)
        cls.drills = tuple(drill_of(rng, operation) for operation in VALUES + CHANGES for _ in range(2))
        cls.all = cls.drills + tuple(sample for level in LEVELS for sample in of_level(level))
        cls.words = _words(cls.all)
        cls.table = json.loads(TABLE.read_text())["words"]

    def test_every_method_of_the_table(self):
        methods = {word for word in self.table if not word.startswith("__") for type_ in _TYPES if hasattr(type_, word)}
        missing = methods - self.words - _NOT_ON_EVERY_VERSION_OR_PURPOSE
        self.assertEqual(missing, set())

    def test_every_builtin(self):
        self.assertEqual(set(_BUILTINS) - self.words, set())

    def test_every_operator(self):
        text = "\n".join(sample.source for sample in self.all)
        missing = [operator for operator in json.loads(TABLE.read_text())["operators"] if operator not in text]
        self.assertLessEqual(set(missing), {"@=", "..."})

    def test_every_feature(self):
        tags = {tag for level in LEVELS for sample in of_level(level) for tag in sample.tags}
        self.assertEqual(_FEATURES - tags, set())

    def test_every_kind_of_statement(self):
        found = {type(node) for sample in self.all for node in ast.walk(ast.parse(sample.source))}
        self.assertEqual([node.__name__ for node in _NODES if node not in found], [])

    def test_every_operation_is_drilled(self):
        """The mixture of drills reaches most operations within a few thousand programs, none is out of reach."""
        reached = {tag for sample in of_level("drill") for tag in sample.tags}
        keys = {operation.key for operation in VALUES + CHANGES}
        self.assertGreater(len(keys & reached) / len(keys), 0.6)


if __name__ == "__main__":
    unittest.main()
