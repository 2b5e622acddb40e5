"""What a level promises: repeatable, within limits, varied, raising rarely."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

from foretrace.generator import LEVELS, generate, mixture, shares
from foretrace.generator.checks import EVENT_LIMIT, run

from .samples import COUNTS, of_level

ROOT = Path(__file__).resolve().parents[2]


class Repeatable(unittest.TestCase):
    def test_same_seed_same_programs(self):
        for level in LEVELS:
            first, second = random.Random(11), random.Random(11)
            self.assertEqual([generate(first, level) for _ in range(40)], [generate(second, level) for _ in range(40)])
            self.assertEqual(first.getstate(), second.getstate())

    def test_other_seed_other_programs(self):
        for level in LEVELS:
            self.assertNotEqual(generate(random.Random(1), level), generate(random.Random(2), level))

    def test_mixture_repeats(self):
        self.assertEqual([mixture(random.Random(3), at / 10) for at in range(11)],
                         [mixture(random.Random(3), at / 10) for at in range(11)])

    def test_hash_seed_changes_nothing(self):
        script = ("import random\nfrom foretrace.generator import mixture\n"
                  "print([mixture(random.Random(k), k / 150) for k in range(150)])")
        found = []
        for seed in ("0", "1"):
            environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
            found.append(subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True,
                                        check=True).stdout)
        self.assertGreater(len(found[0]), 10_000)
        self.assertEqual(*found)


class Limits(unittest.TestCase):
    def test_every_program_runs_within_the_limits(self):
        for level in LEVELS:
            for sample in of_level(level)[:600]:
                outcome = run(sample.source, sample.call)
                self.assertIsNone(outcome.refused, sample)
                self.assertLessEqual(outcome.events, EVENT_LIMIT)
                self.assertEqual(outcome.error is not None, any(tag.startswith("raises:") for tag in sample.tags),
                                 sample)

    def test_share_that_raises(self):
        for level in LEVELS:
            raising = sum(any(tag.startswith("raises:") for tag in sample.tags) for sample in of_level(level))
            self.assertTrue(0.03 < raising / COUNTS[level] < 0.13, (level, raising))

    def test_programs_are_distinct(self):
        for level in LEVELS:
            self.assertGreater(len({(s.source, s.call) for s in of_level(level)}) / COUNTS[level], 0.95)

    def test_levels_grow(self):
        middle = {level: statistics.median(run(s.source, s.call).events for s in of_level(level)[:300])
                  for level in LEVELS}
        self.assertLess(middle["drill"], 10)
        self.assertLess(middle["drill"], middle["short"])
        self.assertLess(middle["short"], middle["long"])
        lines = {level: statistics.median(s.source.count("\n") for s in of_level(level)) for level in LEVELS}
        self.assertTrue(lines["drill"] < lines["short"] < lines["medium"] < lines["long"], lines)

    def test_unknown_level(self):
        with self.assertRaisesRegex(ValueError, "level: expected one of drill"):
            generate(random.Random(0), "huge")


class Curriculum(unittest.TestCase):
    def test_drills_first_and_never_gone(self):
        start, end = shares(0.0), shares(1.0)
        self.assertGreater(start["drill"], 0.7)
        self.assertGreater(end["drill"], 0.1)
        self.assertGreater(end["long"], start["long"])
        for at in (0.0, 0.3, 1.0):
            self.assertAlmostEqual(sum(shares(at).values()), 1.0)

    def test_progress_is_clipped(self):
        self.assertEqual(shares(-3), shares(0.0))
        self.assertEqual(shares(7), shares(1.0))

    def test_mixture_follows_the_shares(self):
        rng = random.Random(4)
        tags = [mixture(rng, 1.0).tags for _ in range(400)]
        found = {level: sum(level in tag for tag in tags) / 400 for level in LEVELS}
        for level, share in shares(1.0).items():
            self.assertAlmostEqual(found[level], share, delta=0.09)


if __name__ == "__main__":
    unittest.main()
