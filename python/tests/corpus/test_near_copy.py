"""The filter that keeps held-out programs out of training data."""

from __future__ import annotations

import io
import json
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from foretrace.corpus.near_copy import FINGERPRINTS, is_near_copy, load, main, overlap, runs
from tests.generator.samples import of_level

PLANTED = """\
def mingle(pebbles, tide):
    basket = []
    for pebble in pebbles:
        if pebble * 7 - tide > 19:
            basket.append((pebble, tide + 23))
            tide -= 11
        else:
            tide += pebble % 13
    return basket, tide
"""
RENAMED = PLANTED.replace("pebbles", "xs").replace("pebble", "x").replace("basket", "out").replace("mingle", "f").replace("tide", "n")
OTHER = """\
class Kiln:
    def __init__(self):
        self.heat = {}

    def fire(self, pot, minutes):
        self.heat[pot] = max(self.heat.get(pot, 400), minutes ** 2 - 77)
        return sorted(self.heat.values(), reverse=True)
"""


class NearCopy(unittest.TestCase):
    held_out = frozenset(runs(PLANTED))

    def test_a_planted_copy_is_found(self):
        self.assertEqual(overlap(PLANTED, self.held_out), 1.0)
        self.assertTrue(is_near_copy(PLANTED, self.held_out))

    def test_renaming_comments_and_layout_do_not_hide_it(self):
        laid_out = RENAMED.replace("    ", "  ").replace("    out = []", "    out = []  # note")
        self.assertEqual(overlap(laid_out, self.held_out), 1.0)

    def test_a_part_of_it_is_found(self):
        self.assertTrue(is_near_copy(PLANTED.replace("tide += pebble % 13", "tide = 0"), self.held_out))

    def test_another_program_passes(self):
        self.assertEqual(overlap(OTHER, self.held_out), 0.0)

    def test_few_shared_runs_do_not_count(self):
        self.assertEqual(overlap(PLANTED, frozenset(runs(PLANTED)[:5])), 0.0)
        self.assertGreater(overlap(PLANTED, frozenset(runs(PLANTED)[:6])), 0.0)

    def test_unparsable_text(self):
        self.assertEqual(runs("def f(:\n  '''"), [])
        self.assertEqual(overlap("(("), 0.0)

    def test_fingerprint_file(self):
        self.assertEqual(len(load()), FINGERPRINTS.stat().st_size // 8)
        self.assertGreater(len(load()), 10_000)
        with tempfile.TemporaryDirectory() as folder:
            broken = Path(folder) / "broken.bin"
            broken.write_bytes(b"123456789")
            with self.assertRaisesRegex(ValueError, "multiple of 8"):
                load(broken)

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "programs.jsonl"
            path.write_text("".join(json.dumps({"code": text}) + "\n" for text in (OTHER, OTHER)))
            output = io.StringIO()
            with redirect_stdout(output):
                status = main([str(path)])
            self.assertEqual((status, output.getvalue().strip()), (0, "2 programs, 0 near copies"))

    def test_generated_programs_rarely_match(self):
        """The smallest programs share common shapes with any code; the corpus drops those. Real programs pass."""
        for level, most in (("drill", 0.2), ("short", 0.07), ("medium", 0.03), ("long", 0.01)):
            samples = of_level(level)[:300]
            share = sum(is_near_copy(s.source) for s in samples) / len(samples)
            self.assertLessEqual(share, most, level)
            if level == "drill":
                self.assertGreater(share, 0, "hashes that match nothing at all are not made as `runs` makes them")


if __name__ == "__main__":
    unittest.main()
