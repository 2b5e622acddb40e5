"""`train` and `export` as commands: what they make of their arguments and of a directory that exists."""

import contextlib
import io
import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from foretrace.training import export_command, train_command
from tests.training.support import needs_torch, random_model, torch

if torch is not None:
    from foretrace.training import checkpoint, export, train
    from foretrace.training.model import TINY


@needs_torch
class TrainCommandTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name) / "run"

    def run_command(self, *arguments):
        """(exit status, configuration that training was started with or None, standard error)."""
        with mock.patch.object(train, "train") as started, contextlib.redirect_stderr(io.StringIO()) as said:
            status = train_command.main(["--out", str(self.directory), *arguments])
        return status, started.call_args.args[1] if started.called else None, said.getvalue()

    def test_the_same_command_again_goes_on_with_the_same_decay(self):
        self.assertEqual(self.run_command()[0], 0)
        checkpoint.save(self.directory / "checkpoint.pt", {"tokens": 700})
        first = self.run_command("--decay-tokens", "300")[1]
        self.assertEqual((first.decay_from, first.decay_tokens), (700, 300))
        checkpoint.save(self.directory / "checkpoint.pt", {"tokens": 900})
        self.assertEqual(self.run_command("--decay-tokens", "300")[1], first)
        self.assertEqual(self.run_command()[1], first)
        status, started, said = self.run_command("--decay-tokens", "400")
        self.assertEqual((status, started), (2, None))
        self.assertIn("decay_fixed", said)

    def test_a_run_keeps_its_configuration(self):
        given = self.directory.with_name("given.json")
        given.write_text('{"seed": 8}')
        self.assertEqual(self.run_command("--config", str(given))[1].seed, 8)
        self.assertEqual(self.run_command()[1].seed, 8)
        status, started, said = self.run_command("--config", str(given))
        self.assertEqual((status, started), (2, None))
        self.assertIn("config_fixed", said)

    def test_a_run_that_fails(self):
        with mock.patch.object(train, "train", side_effect=RuntimeError("stream_worker: lost")), \
                contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(train_command.main(["--out", str(self.directory)]), 1)
        self.assertIn("stream_worker", said.getvalue())


@needs_torch
class ExportCommandTest(unittest.TestCase):
    def test_checkpoint_to_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            run, out = Path(folder) / "run", Path(folder) / "model"
            with mock.patch.object(train, "Stream"):
                train.Run(run, train.TrainConfig(model=TINY.as_dict())).save()
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(export_command.main([str(run / "checkpoint.pt"), "--out", str(out)]), 0)
            self.assertEqual(json.loads(said.getvalue())["out"], str(out))
            self.assertEqual(export.read_model(out).config, TINY)
            self.assertNotIn("cpu_dtype", json.loads((out / "config.json").read_text())["foretrace"])
            with contextlib.redirect_stdout(io.StringIO()) as said:
                export_command.main([str(run / "checkpoint.pt"), "--out", str(out), "--cpu-dtype", "int8"])
            self.assertEqual(json.loads(said.getvalue())["cpu_dtype"], "int8")
            self.assertEqual(json.loads((out / "config.json").read_text())["foretrace"]["cpu_dtype"], "int8")

    def test_mean_with_another_model(self):
        with tempfile.TemporaryDirectory() as folder:
            run, out, other = (Path(folder) / name for name in ("run", "model", "other"))
            with mock.patch.object(train, "Stream"):
                begun = train.Run(run, train.TrainConfig(model=TINY.as_dict()))
            begun.save()
            weights = {name: value.detach().clone() for name, value in begun.model.state_dict().items()}
            export.write_model(other, TINY, {name: value + 1 for name, value in weights.items()}, {"tokens_trained": 7, "recipe": "r"})

            def export_mean(directory):
                command = [str(run / "checkpoint.pt"), "--out", str(out), "--mean-with", str(directory)]
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
                    return export_command.main(command), said.getvalue()

            self.assertEqual(export_mean(other), (0, ""))
            for name, value in export.read_model(out).state_dict().items():
                self.assertTrue(torch.allclose(value, weights[name] + 0.5, atol=0.01), name)
            about = json.loads((out / "config.json").read_text())["foretrace"]
            self.assertEqual(about["averaged_with"], {"tokens_trained": 7, "recipe": "r"})
            status, said = export_mean(Path(folder) / "missing")
            self.assertEqual((status, "mean_unreadable" in said), (1, True))
            wider = replace(TINY, intermediate_size=2 * TINY.intermediate_size)
            export.write_model(other, wider, dict(random_model(wider).state_dict()), {})
            status, said = export_mean(other)
            self.assertEqual((status, "mean_shape" in said), (1, True))

    def test_unreadable_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("missing", None), ("empty", b""), ("broken", b"PK\3\4 no checkpoint"), ("text", b"hello")):
                path = Path(folder) / name
                if data is not None:
                    path.write_bytes(data)
                with self.subTest(name), contextlib.redirect_stderr(io.StringIO()) as said:
                    self.assertEqual(export_command.main([str(path), "--out", folder]), 1)
                self.assertIn("checkpoint_unreadable", said.getvalue())


if __name__ == "__main__":
    unittest.main()
