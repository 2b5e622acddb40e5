"""Resuming, checkpoints and the optimizers, on a tiny model with in-memory rows."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.training.support import needs_torch, random_document, torch

if torch is not None:
    from foretrace.training import optimizer, schedule, train
    from foretrace.training.batch import Row
    from foretrace.training.model import TINY, ModelConfig

    WIDE = ModelConfig(hidden_size=128, num_hidden_layers=2, intermediate_size=192)


class _Rows:
    """A stream of random rows with the interface of corpus.stream.Stream."""

    def __init__(self, config, position):
        self.position = position

    def take(self, count):
        first = self.position[1]
        self.position = (0, first + count)
        return [Row.of([random_document(first + i, 12, (20, 9))]) for i in range(count)]

    def close(self):
        pass


def _config(kind, model=None, threads=1):
    """Threads that wait for each other on a busy machine make a tiny model ten times slower: one, unless they matter."""
    model = TINY if model is None else model
    return train.TrainConfig(threads=threads, batch_rows=4, late_batch_rows=8, late_from=600, warmup_tokens=500,
                             optimizer=kind, micro_rows=2, row_length=64, model=model.as_dict())


@needs_torch
class ResumeTest(unittest.TestCase):
    def _weights(self, directory, config, updates, restart_at=None):
        with mock.patch.object(train, "Stream", _Rows):
            run = train.Run(directory, config)
            for index in range(updates):
                if index == restart_at:
                    run.save()
                    run = train.Run(directory, config)
                run.update()
        return run

    def test_a_resumed_run_equals_an_unbroken_one_bit_for_bit(self):
        # The wide model runs on the compiled kernels where the processor has their instructions, and on two threads.
        for config in (_config("adamw"), _config("muon"), _config("muon", WIDE, threads=2)):
            with self.subTest(config), tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
                whole = self._weights(Path(a), config, 7)
                broken = self._weights(Path(b), config, 7, restart_at=4)
                self.assertEqual(whole.tokens, broken.tokens)
                self.assertEqual(whole.position, broken.position)
                for (name, x), y in zip(whole.model.named_parameters(), broken.model.parameters()):
                    self.assertTrue(torch.equal(x, y), name)
                for name, x in whole.optimizer.state.items():
                    self.assertTrue(torch.equal(x, broken.optimizer.state[name]), name)

    def test_loss_falls_on_repeated_rows(self):
        class Same(_Rows):
            def take(self, count):
                self.position = (0, 0)
                return super().take(count)

        with tempfile.TemporaryDirectory() as directory, mock.patch.object(train, "Stream", Same):
            config = _config("muon")
            config.batch_rows = config.late_batch_rows = config.micro_rows = 1
            run = train.Run(Path(directory), config)
            losses = [run.update()["loss"].sum() for _ in range(30)]
        self.assertLess(losses[-1], 0.7 * losses[0])


@needs_torch
class OptimizerTest(unittest.TestCase):
    def test_newton_schulz_gives_singular_values_near_one(self):
        source = torch.Generator().manual_seed(1)
        for shape in ((3, 32, 80), (2, 80, 32)):
            found = optimizer.orthogonalized(torch.randn(shape, generator=source))
            values = torch.linalg.svdvals(found)
            self.assertGreater(values.min().item(), 0.4)
            self.assertLess(values.max().item(), 1.4)

    def test_learning_rate_warms_up_holds_and_decays(self):
        rate = lambda tokens: schedule.learning_rate(tokens, 100, 1000, 200)
        self.assertAlmostEqual(rate(49), 0.5)
        self.assertEqual([rate(100), rate(999)], [1.0, 1.0])
        self.assertAlmostEqual(rate(1100), 0.5)
        self.assertEqual(rate(1300), 0.0)
        self.assertEqual(schedule.learning_rate(10**9, 100, -1, 0), 1.0)


@needs_torch
class ConfigTest(unittest.TestCase):
    def test_unknown_fields_are_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "c.json"
            path.write_text('{"sede": 1}')
            with self.assertRaisesRegex(ValueError, "config_unknown_field.*sede"):
                train.TrainConfig.read(path)


if __name__ == "__main__":
    unittest.main()
