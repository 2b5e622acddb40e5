"""Evaluation cases: every listed state is where the real run stops."""

import unittest

from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.corpus import samples
    from foretrace.trace import run
    from foretrace.trace.state_tree import step


def _shown(event):
    return event.event, event.line, event.depth, event.locals, event.value


@needs_torch
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
                except Exception:
                    return False
        return True

    def test_the_held_out_range_ends(self):
        with self.assertRaisesRegex(ValueError, "evaluation_range"):
            list(samples.cases(1, 4))


if __name__ == "__main__":
    unittest.main()
