import json
import sys
import unittest

from foretrace.language.decode import Delta, apply_delta, decode_delta
from foretrace.language import tokens as T, worked_example
from foretrace.language.encode import encode_keyframe, encode_question
from foretrace.language.errors import DecodeError
from foretrace.language.evaluate import Answer, decode_answer, encode_evaluate_in
from foretrace.language.golden import DIRECTORY, documents
from foretrace.language.frames import Frame
from foretrace.language.program import Program

MADE_BY = (3, 11)
WORKINGS_LIMIT = 480 * 1024
SIZE_LIMIT = 880 * 1024


class Golden(unittest.TestCase):
    """If this fails after a change of the language on purpose: python -m foretrace.language.golden."""

    def test_committed_files_are_what_the_code_makes(self):
        for name, text in documents().items():
            if name in ("transitions.json", "answers.json", "workings.json") and sys.version_info[:2] != MADE_BY:
                continue  # line events inside statements differ a little between versions of CPython
            if name == "programs.json" and sys.version_info < MADE_BY:
                continue  # some of its programs use what 3.11 brought
            with self.subTest(name):
                self.assertEqual((DIRECTORY / name).read_text(encoding="utf-8"), text)
                self.assertLess(len(text), SIZE_LIMIT)

    def test_files_decode_on_their_own(self):
        actions = set()
        for item in json.loads((DIRECTORY / "transitions.json").read_text(encoding="utf-8")):
            program = Program.parse(item["source"], item["call"])
            for case in item["cases"]:
                delta = decode_delta(program, case["delta"], len(case["stack"]))
                self.assertIsInstance(delta, Delta)
                self.assertEqual(delta.pops, len(case["stack"]) - case["common"])
                stack = apply_delta(program, [Frame(**frame) for frame in case["stack"]], delta)
                self.assertEqual([frame.to_json() for frame in stack], case["next"])
                actions.add(case["action"])
        self.assertEqual(len(actions), 10)

    def test_answers_decode_on_their_own(self):
        outcomes = set()
        for item in json.loads((DIRECTORY / "answers.json").read_text(encoding="utf-8")):
            program = Program.parse(item["source"], item["call"])
            for case in item["cases"]:
                self.assertEqual(encode_keyframe(program, [Frame(**frame) for frame in case["stack"]]), case["keyframe"])
                self.assertEqual(decode_answer(program, case["answer"]), Answer(case["outcome"], case["text"]))
                outcomes.add(case["outcome"])
        self.assertEqual(outcomes, {"value", "exception"})

    def test_workings_are_well_formed_on_their_own(self):
        text = (DIRECTORY / "workings.json").read_text(encoding="utf-8")
        self.assertLess(len(text), WORKINGS_LIMIT)
        golden = json.loads(text)
        self.assertEqual(golden["version"], T.VERSION)
        self.assertGreater(sum(tree["line"] is not None for tree in golden["trees"]), 150)
        outcomes = set()
        for item in golden["programs"]:
            program = Program.parse(item["source"], item["call"], shows_workings=True)
            for case in item["cases"]:
                stack = [Frame(**frame) for frame in case["stack"]]
                asked = (encode_question(program, stack, case["action"]) if "action" in case
                         else encode_evaluate_in(program, stack, case["expression"]))
                self.assertEqual(asked, case["tokens"])
                for question in case["questions"]:
                    self.assertEqual(question["tokens"][0], T.EVALUATE)
                    answer = question["answer"] and decode_answer(program, [*question["answer"], T.END])
                    self.assertNotIsInstance(answer, DecodeError)
                    if "written" in question:
                        self.assertEqual(decode_answer(program, [*question["written"], T.END]), answer)
                    outcomes.add(answer and answer.outcome)
        self.assertEqual(outcomes, {"value", "exception", None})

    def test_the_specification_shows_the_worked_example(self):
        text = (DIRECTORY.parents[2] / "docs" / "trace-language.md").read_text(encoding="utf-8")
        for part in (worked_example.SOURCE, "`" + worked_example.CALL + "`", "\n".join(worked_example.lines())):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
