"""Proposed inputs, judged by running them: right, wrong, raising, hanging, hostile."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from foretrace.__main__ import main as foretrace
from foretrace.corpus.check_inputs import BadRequest, answers, check, is_arguments, verdict
from foretrace.trace import Limits

DOUBLE = "def f(x, times=2):\n    if x == 'bad':\n        raise ValueError(x)\n    return x * times\n"
LIMITS = Limits(seconds=60.0)
SHORT = Limits(seconds=1.0)


def judge(code, arguments, output, limits=LIMITS):
    return verdict(code, "f", arguments, output, limits)


class Verdicts(unittest.TestCase):
    def test_every_candidate_has_its_own(self):
        candidates = ["3", "4", "2, times=3", "x=3", "'bad'", "", "1, 2, 3", "3", "undefined", "[]"]
        answer = check({"id": 7, "code": DOUBLE, "candidates": candidates, "output": "6"}, LIMITS)
        self.assertEqual(answer["id"], 7)
        self.assertEqual(answer["verdicts"], ["right", "wrong", "right", "right", "raised", "raised", "raised", "right", "raised", "wrong"])
        self.assertEqual(answer["right"], [True, False, True, True, False, False, False, True, False, False])

    def test_values_are_compared_not_texts(self):
        self.assertEqual(judge("def f(x):\n    return x\n", "{'b': 1.0, 'a': {2, 1}}", "{'a': {1, 2}, 'b': True}"), "right")
        self.assertEqual(judge("def f(x):\n    return x\n", "'é…'", "'é…'"), "right")
        self.assertEqual(judge("def f(x):\n    return x\n", "float('nan')", "float('nan')"), "wrong")

    def test_long_values_are_compared_whole(self):
        code = "def f(n):\n    return 'a' * n + 'b'\n"
        self.assertEqual(judge(code, "5000", repr("a" * 5000 + "b")), "right")
        self.assertEqual(judge(code, "5000", repr("a" * 5001)), "wrong")

    def test_long_runs_are_no_limit(self):
        code = "def f(n):\n    total = 0\n    for i in range(n):\n        total += 1\n    return total\n"
        self.assertEqual(judge(code, "50_000", "50000"), "right")

    def test_a_problem_that_cannot_be_judged(self):
        for code, output in (("raise ValueError\n", "1"), ("def g():\n    pass\n", "1"), ("def f(x)\n", "1"), (DOUBLE, "nothing"),
                             ("import sys\nsys.exit(0)\n", "1")):
            answer = check({"code": code, "candidates": ["1", "2"], "output": output}, LIMITS)
            self.assertEqual(answer["right"], [None, None], (code, output))

    def test_another_entry_and_no_main_part(self):
        code = "def g(x):\n    return -x\n\nif __name__ == '__main__':\n    raise SystemExit(1)\n"
        answer = check({"code": code, "entry": "g", "candidates": ["1"], "output": "-1"}, LIMITS)
        self.assertEqual(answer["right"], [True])

    def test_candidates_do_not_meet(self):
        code = "seen = []\n\ndef f(x, into=[]):\n    seen.append(x)\n    into.append(x)\n    return len(seen) + len(into)\n"
        answer = check({"code": code, "candidates": ["1", "2", "3"], "output": "2"}, LIMITS)
        self.assertEqual(answer["right"], [True, True, True])


class Hostile(unittest.TestCase):
    def test_text_that_is_no_list_of_arguments(self):
        for text in ("1)(2", "1) or f(2", "1); f(2", "(", "x for", "1 # ", "…", "\x00", "lambda", "1)\nf(2"):
            self.assertFalse(is_arguments(text), text)
        for text in ("", "1", "1, *[2], **{}", "x=1", "[\n1]", "(lambda: 1)()"):
            self.assertTrue(is_arguments(text), text)
        self.assertEqual(judge("def f(x):\n    return lambda y: 1\n", "1)(2", "1"), "no_arguments")

    def test_hanging(self):
        swallowing = "def f(x):\n    while True:\n        try:\n            pass\n        except BaseException:\n            pass\n"
        for code in (swallowing, "import time\ndef f(x):\n    time.sleep(600)\n"):
            self.assertEqual(judge(code, "1", "1", SHORT), "time_limit", code)

    def test_swallowing_the_end_is_no_answer(self):
        code = "def f(x):\n    while True:\n        try:\n            while True:\n                pass\n        except BaseException:\n            return 1\n"
        self.assertNotEqual(judge(code, "1", "1", SHORT), "right")

    def test_memory(self):
        self.assertIn(judge("def f(n):\n    return 'a' * n\n", "10 ** 11", "'a'"), ("raised", "memory_limit"))

    def test_leaving(self):
        for code in ("import os\ndef f(x):\n    os._exit(0)\n", "import sys\ndef f(x):\n    sys.exit(0)\n", "def f(x):\n    exit()\n"):
            self.assertIn(judge(code, "1", "1"), ("raised", "sandbox_failed"), code)

    def test_nothing_outside_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "made")
            for body in (f"open({path!r}, 'w')", f"__import__('os').system('touch {path}')", f"__import__('subprocess').run(['touch', {path!r}])"):
                self.assertEqual(judge(f"def f(x):\n    {body}\n    return 1\n", "1", "1"), "raised", body)
                self.assertEqual(judge("def f(x):\n    return 1\n", body, "1"), "raised", body)
            self.assertEqual(os.listdir(folder), [])

    def test_printing_is_no_answer(self):
        self.assertEqual(judge("def f(x):\n    print('right')\n    return 2\n", "1", "1"), "wrong")
        self.assertEqual(judge("def f(x):\n    while True:\n        print('right' * 99)\n", "1", "1"), "output_limit")


class Command(unittest.TestCase):
    def lines(self, text, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            out, complaint = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaint):
                code = foretrace(["check-inputs", "--data", file.name, *options])
        return code, out.getvalue(), complaint.getvalue()

    def test_answers_in_order(self):
        requests = [{"id": number, "code": DOUBLE, "candidates": [str(number), "2"], "output": "4"} for number in range(1, 4)]
        code, out, _ = self.lines("\n".join(map(json.dumps, requests)) + "\n\n", "--seconds", "60")
        self.assertEqual(code, 0)
        found = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(answer["id"], answer["right"]) for answer in found], [(1, [False, True]), (2, [True, True]), (3, [False, True])])

    def test_unreadable_requests(self):
        good = json.dumps({"code": DOUBLE, "candidates": [], "output": "4"})
        for line, why in (("{", "line 2 is not JSON"), ("[]", "line 2 is no JSON object"), ('{"code": 1}', "line 2 has no code"),
                          ('{"code": "", "output": "1", "candidates": [1]}', "line 2 has no candidates"),
                          ('{"code": "", "output": "1", "candidates": [], "entry": 3}', "line 2 has no entry")):
            code, out, complaint = self.lines(f"{good}\n{line}\n")
            self.assertEqual((code, out), (1, ""), line)
            self.assertIn(why, complaint)
        with self.assertRaises(BadRequest):
            list(answers(["{"], LIMITS, 1))


if __name__ == "__main__":
    unittest.main()
