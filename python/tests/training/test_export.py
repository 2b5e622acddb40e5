"""The exported directory: format, round trip, shards, golden logits."""

import json
import struct
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path

from tests.training.support import needs_torch, random_model, torch

if torch is not None:
    from foretrace.language import tokens as table
    from foretrace.training import export, finetune, safetensors
    from foretrace.training.model import TINY


@needs_torch
class ExportTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.directory = Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def test_weights_survive_a_round_trip_in_bf16(self):
        model = random_model(TINY)
        export.write_model(self.directory, TINY, dict(model.state_dict()), {"tokens_trained": 5})
        back = export.read_model(self.directory)
        for (name, x), y in zip(model.named_parameters(), back.parameters()):
            self.assertTrue(torch.equal(x.to(torch.bfloat16).float(), y), name)

    def test_header_is_what_the_format_says(self):
        safetensors.write(self.directory / "x", {"a": torch.ones(2, 3), "b": torch.zeros(4, dtype=torch.bfloat16)})
        data = (self.directory / "x").read_bytes()
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + length])
        self.assertEqual(length % 8, 0)
        self.assertEqual(header["a"], {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]})
        self.assertEqual(header["b"], {"dtype": "BF16", "shape": [4], "data_offsets": [24, 32]})
        self.assertEqual(len(data), 8 + length + 32)

    def test_large_models_are_cut_into_shards_with_an_index(self):
        tensors = {f"t{i}": torch.full((10,), float(i)) for i in range(5)}
        names = safetensors.write_sharded(self.directory, tensors, 100)
        index = json.loads((self.directory / "model.safetensors.index.json").read_text())
        self.assertEqual(len(names), 3)
        self.assertEqual(index["metadata"]["total_size"], 200)
        for name, value in tensors.items():
            found = safetensors.read(self.directory / index["weight_map"][name])[name]
            self.assertTrue(torch.equal(found, value))

    def test_config_names_the_architecture_and_the_tokens(self):
        export.write_model(self.directory, TINY, dict(random_model(TINY).state_dict()), {"language_version": 1})
        config = json.loads((self.directory / "config.json").read_text())
        self.assertEqual(config["architectures"], ["LlamaForCausalLM"])
        self.assertEqual((config["vocab_size"], config["tie_word_embeddings"]), (table.SIZE, True))
        self.assertEqual(config["eos_token_id"], table.IDS["<|end|>"])
        self.assertEqual(config["foretrace"], {"language_version": 1})
        tokenizer = json.loads((self.directory / "tokenizer.json").read_text())
        self.assertEqual(tokenizer["model"]["vocab"], table.IDS)

    def test_a_model_that_learnt_with_workings_says_so(self):
        state = {"tokens": 7, "recipe": "x", "model": dict(random_model(TINY).state_dict())}
        for options, expected in (({"workings": True}, True), ({"workings": False}, None), ({}, None)):
            state["config"] = {"model": asdict(TINY), "stream_options": options}
            about = export.export_state(state, self.directory)
            written = json.loads((self.directory / "config.json").read_text())["foretrace"]
            self.assertEqual((about.get("workings"), written.get("workings")), (expected, expected))

    def test_tokens_are_those_of_the_run_and_of_what_it_began_with(self):
        state = {"tokens": 7, "recipe": "x", "model": dict(random_model(TINY).state_dict())}
        state["config"] = {"model": asdict(TINY), "initial_tokens": 35}
        self.assertEqual(export.export_state(state, self.directory)["tokens_trained"], 42)
        self.assertEqual(finetune.tokens_seen(self.directory), 42)

    def test_golden_logits_are_those_of_the_exported_weights(self):
        export.export_tiny(self.directory)
        stored = json.loads((self.directory / "golden.json").read_text())
        model = export.read_model(self.directory)
        for case in stored["cases"]:
            logits = model(torch.tensor([case["tokens"]]))[0]
            for position, expected in zip(case["positions"], case["logits"]):
                torch.testing.assert_close(logits[position], torch.tensor(expected), rtol=1e-4, atol=1e-4)
                self.assertGreater(max(expected) - min(expected), 1.0)
        self.assertLess((self.directory / "golden.json").stat().st_size, 300 << 10)


if __name__ == "__main__":
    unittest.main()
