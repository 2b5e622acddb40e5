"""Single operations on values of growing size."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from foretrace.corpus.operations import LONGEST_VALUE, SIZES, operations
from foretrace.trace.values import canonical

ROOT = Path(__file__).resolve().parents[2]


class Operations(unittest.TestCase):
    def test_values_are_those_of_python_and_drawn_by_seed(self):
        cases = list(operations(2, seed=3))
        self.assertEqual(cases, list(operations(2, seed=3)))
        self.assertNotEqual(cases, list(operations(2, seed=4)))
        self.assertEqual(len({case["id"] for case in cases}), len(cases))
        for case in cases:
            values = {name: ast.literal_eval(text) for name, text in case["locals"].items()}
            self.assertEqual(canonical(eval(case["expression"], {}, values)), case["value"])
            self.assertLessEqual(len(case["value"]), LONGEST_VALUE)

    def test_every_operation_comes_in_its_sizes(self):
        sizes = Counter((case["operation"].split(":")[0], case["size"]) for case in operations(3))
        self.assertEqual({size for kind, size in sizes if kind == "str"}, set(range(len(SIZES))))
        self.assertEqual({size for kind, size in sizes if kind == "dict"}, {0, 1})
        self.assertTrue(all(count >= 3 for count in sizes.values()))

    def test_the_command_writes_them(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "operations.jsonl"
            call = [sys.executable, "-m", "foretrace", "corpus", "operations", "--count", "1", "--out", str(out)]
            done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = out.read_text(encoding="utf-8").splitlines()
            self.assertEqual([json.loads(line) for line in lines], list(operations(1)))
            self.assertEqual(subprocess.run([*call[:-3], "0", *call[-2:]], cwd=ROOT, capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
