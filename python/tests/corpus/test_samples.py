"""Evaluation cases: every listed state is where the real run stops."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from foretrace.corpus import command, samples
from foretrace.corpus.programs import held_out_hashes, program_hash
from foretrace.trace import TraceError, run
from foretrace.trace.state_tree import step


def _shown(event):
    return event.event, event.line, event.depth, event.locals, event.value


class SamplesTest(unittest.TestCase):
    def test_cases_replay_on_the_real_run(self):
        found = list(samples.cases(12, 1))
        self.assertGreater(len(found), 12)
        self.assertEqual(len({case["id"] for case in found}), len(found))
        directions = set()
        for case in found:
            trace = run(case["source"], case["call"])
            wanted = [(s["event"], s["line"], s["depth"], s["locals"], s.get("value")) for s in case["states"]]
            directions.add(case["actions"][0]["action"].startswith("inv_"))
            self.assertEqual(len(wanted), len(case["actions"]) + 1)
            self.assertTrue(any(self._follows(trace, start, case["actions"], wanted)
                                for start in range(len(trace.events))), case["id"])
        self.assertEqual(directions, {False, True})

    def _follows(self, trace, at, actions, wanted):
        for index, state in enumerate(wanted):
            if _shown(trace.events[at]) != state:
                return False
            if index < len(actions):
                lines = actions[index].get("lines", ())
                try:
                    at = step(trace, at, actions[index]["action"], lines)
                except TraceError:
                    return False
        return True

    def test_the_held_out_range_ends(self):
        with self.assertRaisesRegex(ValueError, "evaluation_range"):
            list(samples.cases(1, 4))

    def test_every_case_is_of_a_held_out_program(self):
        held_out = held_out_hashes()
        self.assertTrue(all(program_hash(case["source"]) in held_out for case in samples.cases(20, 3)))

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cases.jsonl"
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(command.main(["eval", "--programs", "3", "--seed", "2", "--out", str(path)]), 0)
            cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            self.assertEqual(cases, list(samples.cases(3, 2)))
            self.assertEqual(output.getvalue(), f"{len(cases)} cases of 3 programs\n")
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(command.main(["eval", "--unseen", str(path) + "x", "--out", str(path)]), 1)
            self.assertRegex(said.getvalue(), r"^foretrace: unreadable_file: cannot read \S+x of --unseen\n  expected: .*seen RUN")
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(command.main(["eval", "--out", folder]), 1)
                for wrong in (["--seed", "4"], ["--seed", "-1"], ["--programs", "0"]):
                    with self.subTest(wrong), self.assertRaises(SystemExit) as caught:
                        command.main(["eval", "--out", str(path), *wrong])
                    self.assertEqual(caught.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
