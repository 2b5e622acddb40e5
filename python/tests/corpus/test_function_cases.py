"""Evaluation data from held-out functions: cases and calls replay on real runs, training functions never occur."""

import ast
import tempfile
import unittest
from pathlib import Path

from foretrace.corpus.calls_command import split_call, value_of
from foretrace.corpus.function_cases import line_bucket
from foretrace.corpus.programs import held_out_hashes, program_hash
from foretrace.generator import Sample
from foretrace.trace import run
from tests.corpus.support import function_line, read_lines, run_command

HELD = "def f(a, b=1):\n    total = 0\n    for x in a:\n        total += x * b\n    return total\n"
RAISING = "def g(a):\n    b = a + 1\n    raise ValueError(b)\n"
METHOD = "class Box:\n    def get(self, x):\n        y = x\n        return y\n"
TRAINED = "def h(a):\n    c = [a]\n    return c\n"


class FunctionCasesTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.functions = self.folder / "functions.jsonl"
        self.functions.write_text(
            function_line("f", HELD, "f([1, 2])", "held", "b.py") + function_line("f", HELD, "f([4], b=3)", "held", "b.py", 1)
            + function_line("g", RAISING, "g(3)", "held", "c.py") + function_line("Box.get", METHOD, "Box().get(2)", "held", "d.py")
            + function_line("h", TRAINED, "h(3)"))
        self.out = self.folder / "out.jsonl"

    def test_cases(self):
        status, said, _ = run_command("eval", "--functions", self.functions, "--out", self.out)
        cases = read_lines(self.out)
        self.assertEqual((status, said), (0, f"{len(cases)} cases of 3 programs\n"))
        self.assertEqual({case["source"] for case in cases}, {HELD, RAISING, METHOD})
        self.assertEqual({case["id"].rsplit("-", 1)[1] for case in cases}, {"forward", "reverse"})
        for case in cases:
            self.assertEqual(case["tags"], ["real", "owner/c", "lines:1-10"])
            shown = [(event.event, event.line, event.locals) for event in run(case["source"], case["call"]).events]
            for state in case["states"]:
                self.assertIn((state["event"], state["line"], state["locals"]), shown)
        before = self.out.read_text()
        run_command("eval", "--functions", self.functions, "--out", self.out)
        self.assertEqual(self.out.read_text(), before)

    def test_calls_of_functions(self):
        status, said, _ = run_command("calls", "--programs", 1, "--functions", self.functions, "--out", self.out)
        self.assertEqual((status, said), (0, "1 calls\n"))
        (found,) = read_lines(self.out)
        self.assertEqual((found["code"], found["entry"]), (HELD, "f"))
        self.assertIn((found["input"], found["output"]), (("[1, 2]", "3"), ("[4], b=3", "12")))

    def test_calls_of_generated_programs(self):
        status, _, _ = run_command("calls", "--programs", 6, "--out", self.out)
        self.assertEqual(status, 0)
        held_out = held_out_hashes(32)
        for entry in read_lines(self.out):
            self.assertIn(program_hash(entry["code"]), held_out)
            events = run(entry["code"], f"{entry['entry']}({entry['input']})").events
            self.assertEqual(events[-1].value, entry["output"])
            self.assertNotEqual(events[-2].event, "exception")
            ast.literal_eval(entry["output"])

    def test_too_few(self):
        for what in ("eval", "calls"):
            status, _, said = run_command(what, "--programs", 9, "--functions", self.functions, "--out", self.out)
            self.assertEqual(status, 1)
            self.assertIn("evaluation_range: expected 9", said)
        self.functions.write_text(function_line("h", TRAINED, "h(3)"))
        status, _, said = run_command("eval", "--functions", self.functions, "--out", self.out)
        self.assertEqual(status, 1)
        self.assertIn("functions_empty", said)

    def test_parts_of_a_call(self):
        self.assertEqual(split_call("f([1], k = 'a')"), ("f", "[1], k='a'"))
        self.assertIsNone(split_call("Box().get(2)"))
        self.assertIsNone(split_call("f()"))

    def test_values(self):
        self.assertEqual(value_of(Sample(HELD, "f([2])", ())), "2")
        self.assertIsNone(value_of(Sample(RAISING, "g(2)", ())))
        self.assertIsNone(value_of(Sample("def f(x):\n    return object\n", "f(1)", ())))

    def test_line_buckets(self):
        self.assertEqual([line_bucket("x\n\n" * count) for count in (1, 10, 11, 40, 41)], ["1-10", "1-10", "11-20", "21-40", "41-"])


if __name__ == "__main__":
    unittest.main()
