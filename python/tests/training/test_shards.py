"""States as shards: exact where they fit, smaller where they do not, never two states mixed."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.training.support import needs_torch, torch
from tests.training.test_train import _Rows, _config

if torch is not None:
    from foretrace.training import shards, train


@needs_torch
class ShardsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def run_of(self, name, state=None, updates=0):
        with mock.patch.object(train, "Stream", _Rows):
            run = train.Run(self.folder / name, _config("muon"), state)
            for _ in range(updates):
                run.update()
        return run

    def test_a_run_resumed_from_shards_equals_an_unbroken_one(self):
        whole, first = self.run_of("whole", updates=6), self.run_of("first", updates=3)
        written = shards.write(self.folder / "s", first.state(), shard_bytes=200_000)
        self.assertEqual(written["level"], [4, 4, 4])
        self.assertGreater(len(written["files"]), 2)
        for name in written["files"]:
            self.assertLess((self.folder / "s" / name).stat().st_size, 220_000)
        resumed = self.run_of("resumed", shards.read(self.folder / "s"), updates=3)
        self.assertEqual((whole.tokens, whole.position), (resumed.tokens, resumed.position))
        for (name, x), y in zip(whole.model.named_parameters(), resumed.model.parameters()):
            self.assertTrue(torch.equal(x, y), name)

    def test_smaller_budgets_keep_less_and_the_rate_rises_anew(self):
        state = self.run_of("a", updates=2).state()
        numbers = sum(v.numel() for v in state["model"].values())
        previous = None
        for level in shards.LEVELS:
            size = shards.write(self.folder / "l", state, shards._least_size(state, level) + numbers)["bytes"]
            self.assertTrue(previous is None or size <= previous)
            previous = size
        back = shards.read(self.folder / "l")
        for name, value in state["model"].items():
            self.assertLess(((back["model"][name] - value).norm() / value.norm()).item(), 0.004, name)
        self.assertFalse([name for name in back["optimizer"] if "q_proj" in name])
        self.assertIn("model.embed_tokens.weight.square", back["optimizer"])
        self.assertLess(self.run_of("b", back).update()["rate"], 0.05)
        with self.assertRaisesRegex(ValueError, "shards_budget"):
            shards.write(self.folder / "l", state, 1000)

    def test_rounded_numbers_are_the_nearest(self):
        values = torch.tensor([1.0, -1.00390625, 3.1415927, 0.0, -0.0, 1e-30, float("inf"), 3.3e38])
        top, rest = shards._planes(values, 2)
        found = shards._joined(top, rest, 2, [8])
        self.assertEqual(found[0], 1.0)
        self.assertLess((found[:3] / values[:3] - 1).abs().max().item(), 2.0**-8)
        self.assertEqual(found[6], float("inf"))

    def test_files_of_two_states_are_refused(self):
        state = self.run_of("a", updates=1).state()
        for name in ("one", "two"):
            shards.write(self.folder / name, state, shard_bytes=200_000)
        other = sorted((self.folder / "two").iterdir())[1]
        (self.folder / "one" / other.name).write_bytes(other.read_bytes())
        with self.assertRaisesRegex(ValueError, "shards_mixed"):
            shards.read(self.folder / "one")
        (self.folder / "two" / other.name).unlink()
        with self.assertRaisesRegex(ValueError, "shards_mixed"):
            shards.read(self.folder / "two")
        with self.assertRaisesRegex(FileNotFoundError, "shards_missing"):
            shards.read(self.folder / "none")


if __name__ == "__main__":
    unittest.main()
