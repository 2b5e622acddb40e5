"""Deeper models: what they compute at first, that the new layers learn, what is refused."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from tests.training.support import needs_torch, random_model, torch
from tests.training.test_train import _Rows

if torch is not None:
    from foretrace.training import export, finetune, train
    from foretrace.training.deepen import deepened
    from foretrace.training.model import TINY, Llama


def _logits(weights, config):
    model = Llama(config)
    model.load_state_dict(weights)
    with torch.no_grad():
        return model(torch.arange(12)[None] * 7)


@needs_torch
class DeepenTest(unittest.TestCase):
    def setUp(self):
        self.config = replace(TINY, num_hidden_layers=3)
        self.weights = dict(random_model(self.config).state_dict())

    def test_a_deeper_model_computes_the_same(self):
        expected = _logits(self.weights, self.config)
        for layers in (3, 4, 5, 6):
            with self.subTest(layers=layers):
                weights, config = deepened(self.weights, self.config, layers)
                self.assertEqual(config.num_hidden_layers, layers)
                self.assertTrue(torch.equal(_logits(weights, config), expected))

    def test_new_layers_are_spread_among_the_old(self):
        weights, _ = deepened(self.weights, self.config, 5)
        silent = [n for n in range(5) if not weights[f"model.layers.{n}.mlp.down_proj.weight"].any()]
        self.assertEqual(silent, [2, 4])

    def test_fewer_layers_and_more_than_twice_as_many_are_refused(self):
        for layers in (2, 7):
            with self.subTest(layers=layers), self.assertRaisesRegex(ValueError, "layers_count: expected 3 to 6 layers"):
                deepened(self.weights, self.config, layers)

    def test_the_new_layers_learn(self):
        with tempfile.TemporaryDirectory() as temporary, mock.patch.object(train, "Stream", _Rows):
            folder = Path(temporary)
            export.write_model(folder, self.config, self.weights, {})
            state, shape = finetune.initial_state(folder, layers=4)
            options = train.TrainConfig(threads=1, batch_rows=2, late_batch_rows=2, micro_rows=2, row_length=64, model=shape)
            run = train.Run(folder / "run", options, state)
            new = run.model.model.layers[3]
            self.assertFalse(new.self_attn.o_proj.weight.any())
            run.update()
            self.assertTrue(new.self_attn.o_proj.weight.any())
            self.assertTrue(new.mlp.down_proj.weight.any())


if __name__ == "__main__":
    unittest.main()
