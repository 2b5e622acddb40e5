"""Practice sheets and the inputs they run on."""

from __future__ import annotations

import unittest
from random import Random

from foretrace.corpus.programs import traced
from foretrace.generator.sample import Sample
from foretrace.language.tokens import NAMES
from foretrace.training.batch import CONTEXT, UNSUPERVISED
from foretrace.training.inputs import other_calls
from foretrace.training.sheets import sheet

SOURCE = "def f(items, k=1):\n    items.append(k)\n    if k > 3:\n        return sum(items)\n    return len(items) * k\n"
SAMPLE = Sample(SOURCE, "f([1, 2], k=4)", (), ("list[int]", "int"), ("f([7])",))


class OtherCalls(unittest.TestCase):
    def test_differ_from_the_call_and_from_each_other(self):
        calls = other_calls(Random(1), SAMPLE, 6)
        self.assertEqual(len(calls), len({*calls, SAMPLE.call}) - 1)
        self.assertGreaterEqual(len(calls), 5)
        self.assertTrue(all(call.startswith("f(") for call in calls))

    def test_are_the_same_for_the_same_randomness(self):
        self.assertEqual(other_calls(Random(5), SAMPLE, 4), other_calls(Random(5), SAMPLE, 4))

    def test_use_what_is_known_to_fit(self):
        self.assertTrue(any("f([7])" in other_calls(Random(seed), SAMPLE, 4) for seed in range(4)))

    def test_change_literals_where_no_kinds_are_known(self):
        calls = other_calls(Random(2), Sample(SOURCE, "f([1, 2], k=4)", ()), 4)
        self.assertTrue(calls)
        self.assertTrue(all(", k=" in call for call in calls))

    def test_of_a_call_without_arguments_there_are_none(self):
        self.assertEqual(other_calls(Random(1), Sample("def f():\n    return 1\n", "f()", ()), 4), [])
        self.assertEqual(other_calls(Random(1), Sample(SOURCE, "f(*[1, 2])", ()), 4), [])


class Sheets(unittest.TestCase):
    def setUp(self):
        calls = [SAMPLE.call, "f([9], k=2)", "f([], k=5)"]
        self.traces = [traced(Sample(SOURCE, call, ())) for call in calls]

    def made(self, seed, branches=12):
        return sheet(Random(seed), self.traces, 2048, branches)

    def test_branches_are_different_and_bounded(self):
        made = self.made(1)
        at, branches = 0, []
        for length in made.lengths:
            branches.append(tuple(made.tokens[at:at + length]))
            at += length
        self.assertEqual(at, len(made.tokens))
        self.assertEqual(len(branches), len(set(branches)))
        self.assertTrue(4 < len(branches) <= 13)

    def test_answers_are_supervised_and_the_program_is_not(self):
        made = self.made(2)
        self.assertEqual(set(made.classes[:made.lengths[0]]), {UNSUPERVISED})
        self.assertTrue(set(made.classes) - {UNSUPERVISED, CONTEXT})

    def test_show_states_of_every_run(self):
        shown = {token for seed in range(6) for token in self.made(seed).tokens}
        alone = {token for seed in range(6) for token in sheet(Random(seed), self.traces[:1], 2048, 12).tokens}
        self.assertTrue(shown - alone)

    def test_have_at_most_one_further_run_that_raises(self):
        source = "def f(items):\n    items.remove(1)\n    return items\n"
        traces = [traced(Sample(source, f"f({items})", ())) for items in ([1], [5551], [7773], [4, 1])]
        texts = [" ".join(NAMES[token] for token in sheet(Random(seed), traces, 2048, 24).tokens) for seed in range(4)]
        self.assertTrue(any("[ 5 5 5 1 ]" in text for text in texts))
        self.assertFalse(any("[ 7 7 7 3 ]" in text for text in texts))
        self.assertTrue(any("[ 4 , 1 ]" in text for text in texts))

    def test_keep_within_the_row(self):
        made = sheet(Random(3), self.traces, 120, 24)
        self.assertTrue(made is None or len(made.tokens) <= 120)


if __name__ == "__main__":
    unittest.main()
