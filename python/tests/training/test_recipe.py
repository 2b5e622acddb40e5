"""A recipe as it is used: three runs one after the other, each from what the last one left, and the model at the end."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.training import checkpoint, export, recipe, schedule, shards
    from foretrace.training.model import TINY, Llama

PYTHON = Path(__file__).resolve().parents[2]


@needs_torch
class RecipeTest(unittest.TestCase):
    def run_command(self, *arguments):
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, "-m", "foretrace", "recipe", "h200", "--scale", "tiny",
                               "--minutes", "30", "--tokens", "6000", *map(str, arguments)],
                              cwd=PYTHON, env=environment, capture_output=True, text=True)

    def test_three_runs_and_the_model(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tokens = []
            for run in recipe.RUNS:
                out = folder / f"out{run}"
                done = self.run_command("--run", run, "--in", folder / "none", "--in", folder / f"out{run - 1}", "--out", out,
                                        "--work", folder / f"work{run}")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                tokens.append(checkpoint.load(folder / f"work{run}" / "checkpoint.pt")["tokens"])
                self.assertEqual("goes on from" in done.stdout, run > 1)
                self.assertEqual(shards.present(out), run < recipe.LAST_RUN)
            self.assertEqual(tokens, sorted(set(tokens)))
            self.assertEqual(export.read_model(out).config, TINY)
            self.assertEqual(json.loads((out / "config.json").read_text())["foretrace"]["tokens_trained"], tokens[-1])
            self.assertLessEqual(len(list(out.iterdir())), 8)
            log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
            self.assertEqual([entry["run"] for entry in log if entry["kind"] == "run"], [1, 2, 3])

    def test_a_training_that_fails_is_begun_again_more_carefully(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            done = self.run_command("--run", 3, "--out", folder / "o", "--work", folder / "w", "--override", '{"attention": "nonsense"}')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(export.read_model(folder / "o").config, TINY)
        self.assertGreaterEqual(done.stdout.count("training ended with status 1"), 2)
        self.assertIn("no_way_to_train", done.stderr)

    def test_a_state_of_another_model_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            model = Llama(TINY)
            state = {"model": model.state_dict(), "optimizer": {}, "steps": 0, "tokens": 0, "seconds": 0.0,
                     "position": [0, 0], "config": {"model": {**TINY.as_dict(), "hidden_size": 128}}, "recipe": ""}
            shards.write(Path(name) / "in", state)
            done = self.run_command("--run", 2, "--in", Path(name) / "in", "--out", Path(name) / "o", "--work",
                                    Path(name) / "w")
        self.assertEqual(done.returncode, 2)
        self.assertIn("recipe_shape", done.stderr)


@needs_torch
class PlanTest(unittest.TestCase):
    def test_the_model_is_within_what_is_shipped(self):
        config = recipe.planned("h200").config
        numbers = sum(p.numel() for p in Llama(recipe.H200_MODEL).parameters())
        self.assertLessEqual(numbers, 32_000_000)
        self.assertLessEqual(2 * numbers, 60 << 20)
        for rows in (config.batch_rows, config.late_batch_rows):
            self.assertEqual(rows % config.micro_rows, 0)
        config.check()

    def test_the_rate_falls_to_zero_by_the_clock_in_the_last_run_only(self):
        plan = recipe.planned("h200")
        self.assertIsNone(plan.clock(1, 9, 0.0).decay_from)
        clock = plan.clock(3, 9, 1000.0)
        clock.now = lambda: 1000.0 + clock.decay_from
        self.assertEqual(clock.factor(), 1.0)
        clock.now = lambda: 1000.0 + (clock.decay_from + clock.seconds) / 2
        self.assertAlmostEqual(clock.factor(), 0.5)
        clock.now = lambda: 1000.0 + clock.seconds
        self.assertEqual((clock.factor(), clock.over()), (0.0, True))
        self.assertLess(clock.seconds, 9 * 60)

    def test_a_clock_without_decay(self):
        clock = schedule.Clock(10.0, None, 0.0, lambda: 4.0)
        self.assertEqual((clock.factor(), clock.left(), clock.over()), (1.0, 6.0, False))


if __name__ == "__main__":
    unittest.main()
