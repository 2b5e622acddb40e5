"""The true states behind evaluation cases, and what is said about lines that are none."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

from foretrace.corpus import truth

SOURCE = "def double(n):\n    return n * 2\n\ndef f(xs):\n    t = 0\n    for x in xs:\n        t += double(x)\n    return t\n"
CASE = {
    "id": "one",
    "source": SOURCE,
    "call": "f([1, 2])",
    "actions": [{"action": "breakpoint", "lines": [2]}, {"action": "step_return"}, {"action": "inv_step_over"}],
    "states": [
        {"event": "line", "line": 6, "locals": {"xs": "[1, 2]", "t": "2", "x": "1"}},
        {"event": "line", "line": 2, "locals": {"n": "2"}},
        {"event": "return", "line": 2, "locals": {"n": "2"}, "value": "4"},
        {"event": "line", "line": 2},
    ],
}


def run(*lines: object) -> tuple:
    """Exit status, objects on standard output, text on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for line in lines:
                file.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = truth.main(["--data", path])
    return status, [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


class TruthTest(unittest.TestCase):
    def test_gives_the_hidden_half_of_every_state(self):
        status, (found,), _ = run(CASE)
        self.assertEqual(status, 0)
        self.assertEqual([state["index"] for state in found["states"]], [7, 10, 11, 10])
        stack = found["states"][1]["frames"]
        self.assertEqual(
            stack[0], {"line": 7, "its": [1], "locals": {"xs": "[1, 2]", "t": "2", "x": "2"}, "gots": [], "line_before": 6})
        self.assertEqual(stack[1], {"event": "line", "line": 2, "its": [], "locals": {"n": "2"}, "gots": [], "line_before": 1})
        self.assertEqual(found["states"][2]["frames"][1]["line_before"], 1)
        self.assertEqual(found["states"][2]["frames"][1]["value"], "4")

    def test_reads_of_a_long_program_what_the_call_reaches(self):
        long = SOURCE + "".join(f"def g{i}():\n    pass\n" for i in range(100))
        _, (refused,), _ = run({**CASE, "source": long})
        self.assertIn("program_too_long", refused["left_out"])
        _, (found,), _ = run({**CASE, "source": long, "excerpt": SOURCE})
        _, (expected,), _ = run(CASE)
        self.assertEqual(found["states"], expected["states"])
        self.assertEqual(found["source"], long)

    def test_reads_standard_input(self):
        command = [sys.executable, "-m", "foretrace", "truth", "--data", "-"]
        done = subprocess.run(command, input=json.dumps(CASE), capture_output=True, text=True, check=True)
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], run(CASE)[1])

    def test_leaves_out_what_this_run_does_not_show(self):
        wrong_value = {**CASE, "states": [*CASE["states"][:2], {"event": "return", "line": 2, "value": "5"}, CASE["states"][3]]}
        broken = {**CASE, "id": 7, "source": "def f(:"}
        status, found, _ = run(wrong_value, "", broken, {**CASE, "states": CASE["states"][:2]})
        self.assertEqual(status, 0)
        self.assertEqual([case["transitions"] for case in found], [3, 3, 3])
        self.assertEqual([bool(case["left_out"]) for case in found], [True] * 3)
        self.assertEqual(found[1]["id"], 7)

    def test_names_the_line_that_is_no_case(self):
        for line, said in [
            ("{", "line 2 is not JSON"),
            ("[]", "line 2 has no source"),
            ({**CASE, "call": 3}, "line 2 has no call (str)"),
            ({**CASE, "actions": [{"action": "jump"}]}, "line 2 has an unknown action"),
            ({**CASE, "states": [{}]}, "line 2 has a state without event or line"),
        ]:
            status, found, err = run(CASE, line)
            self.assertEqual((status, len(found)), (1, 1))
            self.assertIn(said, err)
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(truth.main(["--data", "/nowhere"]), 1)
        self.assertIn("/nowhere", err.getvalue())


if __name__ == "__main__":
    unittest.main()
