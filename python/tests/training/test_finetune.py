"""Starts from other models: whose rows the new embeddings are, what is refused, a run that trains on."""

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from tests.training.support import needs_torch, random_model, torch
from tests.training.test_train import _Rows

if torch is not None:
    from foretrace.language import tokens as table
    from foretrace.training import export, finetune, safetensors, train
    from foretrace.training.model import KINDS, TINY

SPELLED = {"def": 0, "\u0120def": 1, "x": 2, "re": 3, "turn": 4, "1": 5, "\u0120": 6, "\u00ce": 7, "<|endoftext|>": 8, "+": 9,
           "=": 10, "\u0120=": 11}


@needs_torch
class FineTuneTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def foreign(self, head=False, kind="llama", **changes):
        """A random model of a kind with another vocabulary, in Hugging Face's form."""
        implied = dict(zip(export.IMPLIED, KINDS[kind]))
        shape = {name: value for name, value in TINY.as_dict().items() if name not in implied}
        model = random_model(replace(TINY, **implied))
        weights = dict(model.state_dict())
        source = torch.Generator().manual_seed(4)
        weights[finetune.EMBEDDING] = torch.randn(len(SPELLED), TINY.hidden_size, generator=source)
        if head:
            weights[finetune.HEAD] = torch.randn(len(SPELLED), TINY.hidden_size, generator=source)
        safetensors.write(self.folder / "model.safetensors", weights)
        config = {**shape, "model_type": kind, "vocab_size": len(SPELLED), "rope_theta": 100000.0, **changes}
        (self.folder / "config.json").write_text(json.dumps(config))
        (self.folder / "tokenizer.json").write_text(json.dumps({"model": {"type": "BPE", "vocab": SPELLED}}))
        return weights

    def test_rows_are_those_of_the_same_text(self):
        weights = self.foreign()
        config = finetune.read_config(self.folder)
        self.assertEqual((config.vocab_size, config.rope_theta), (table.SIZE, 100000.0))
        made = finetune.initial_weights(self.folder, config)
        old, new = weights[finetune.EMBEDDING], made[finetune.EMBEDDING]
        self.assertTrue(torch.equal(new[table.WORDS["def"]], old[1]))
        self.assertTrue(torch.allclose(new[table.WORDS["return"]], (old[3] + old[4]) / 2))
        self.assertTrue(torch.equal(new[table.CHARS["x"]], old[2]))
        self.assertTrue(torch.equal(new[table.CHARS[" "]], old[6]))
        self.assertTrue(torch.equal(new[table.BYTE_BASE + 0xCE], old[7]))
        self.assertLess((new[table.PROGRAM] - old.mean(0)).norm(), old.std() * TINY.hidden_size**0.5)
        self.assertFalse(torch.equal(new[table.PROGRAM], new[table.END]))
        name = "model.layers.1.mlp.up_proj.weight"
        self.assertTrue(torch.equal(made[name], weights[name]))

    def test_a_head_of_its_own_is_joined_with_the_embeddings(self):
        weights = self.foreign(head=True)
        made = finetune.initial_weights(self.folder, finetune.read_config(self.folder))
        row = made[finetune.EMBEDDING][table.CHARS["x"]]
        self.assertNotIn(finetune.HEAD, made)
        for whole in (weights[finetune.EMBEDDING], weights[finetune.HEAD]):
            self.assertGreater(torch.nn.functional.cosine_similarity(row, whole[2], 0), 0.3)

    def test_a_model_of_this_project_is_taken_as_it_is(self):
        model = random_model(TINY)
        export.write_model(self.folder, TINY, dict(model.state_dict()), {})
        state, shape = finetune.initial_state(self.folder)
        self.assertEqual(shape, TINY.as_dict())
        for name, value in model.state_dict().items():
            self.assertTrue(torch.equal(state["model"][name], value.to(torch.bfloat16).float()), name)

    def test_a_qwen_keeps_what_it_has_besides(self):
        for kind, name in (("qwen2", "q_proj.bias"), ("qwen3", "q_norm.weight")):
            with self.subTest(kind):
                weights = self.foreign(kind=kind, sliding_window=128, use_sliding_window=False, max_window_layers=1)
                config = finetune.read_config(self.folder)
                self.assertEqual(config.kind, kind)
                made = finetune.initial_weights(self.folder, config)
                part = f"model.layers.1.self_attn.{name}"
                self.assertTrue(torch.equal(made[part], weights[part]))
                export.write_model(self.folder / "out", config, made, {})
                back = export.read_model(self.folder / "out")
                self.assertEqual(back.config, config)
                self.assertTrue(torch.equal(dict(back.state_dict())[part], made[part].to(torch.bfloat16).float()))

    def test_what_is_refused(self):
        for code, changes in (("model_architecture", {"model_type": "gpt2"}), ("model_biases", {"attention_bias": True}),
                              ("model_rope", {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}),
                              ("model_rope", {"rope_parameters": {"rope_type": "yarn"}}),
                              ("model_biases", {"kind": "qwen3", "attention_bias": True}),
                              ("model_window", {"kind": "qwen2", "sliding_window": 128, "use_sliding_window": True}),
                              ("model_unreadable", {"hidden_size": None})):
            with self.subTest(code, changes=changes), self.assertRaisesRegex(finetune.FineTuneError, code):
                self.foreign(**changes)
                finetune.read_config(self.folder)
        self.foreign(intermediate_size=64)
        with self.assertRaisesRegex(finetune.FineTuneError, "model_shape"):
            finetune.initial_state(self.folder)
        (self.folder / "tokenizer.json").write_text("{}")
        with self.assertRaisesRegex(finetune.FineTuneError, "tokenizer_unreadable"):
            finetune.initial_state(self.folder)

    def test_training_goes_on_from_it(self):
        self.foreign()
        state, shape = finetune.initial_state(self.folder)
        config = train.TrainConfig(threads=1, batch_rows=2, late_batch_rows=2, micro_rows=2, row_length=64, model=shape)
        with mock.patch.object(train, "Stream", _Rows):
            run = train.Run(self.folder / "run", config, state)
            before = run.model.model.embed_tokens.weight.clone()
            self.assertTrue(torch.equal(before, state["model"][finetune.EMBEDDING]))
            run.update()
        self.assertFalse(torch.equal(before, run.model.model.embed_tokens.weight))


if __name__ == "__main__":
    unittest.main()
