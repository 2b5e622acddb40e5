"""Ways of computing: all agree with the reference, the broken ones are passed over, updates on the GPU's path train."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from tests.training.support import needs_torch, random_document, random_model, torch
from tests.training.test_train import _Rows, _config

if torch is not None:
    import numpy
    from foretrace.training import attention, startup, train
    from foretrace.training.batch import Batch, Row
    from foretrace.training.model import KINDS, TINY
    from foretrace.training.torch_step import TorchStep


def _batch():
    documents = [random_document(1, 20, (13, 30, 7)), random_document(2, 30, (12,)), random_document(3, 5, (9, 9))]
    return Batch.of([Row.of(documents[:2]), Row.of(documents[2:])], context_weight=0.5)


@needs_torch
class KernelsTest(unittest.TestCase):
    def test_every_kernel_gives_the_loss_and_gradients_of_the_plain_model(self):
        for kind, (bias, norms) in KINDS.items():
            with self.subTest(kind):
                self._check(random_model(replace(TINY, attention_bias=bias, head_norms=norms)))

    def _check(self, model):
        batch = _batch()
        tokens, positions, mask = map(torch.from_numpy, batch.padded(128))
        flat = model(tokens, positions, mask).reshape(-1, TINY.vocab_size)[torch.from_numpy(batch.padded_index(128))]
        losses = torch.nn.functional.cross_entropy(flat, torch.from_numpy(batch.targets), reduction="none")
        total = float(batch.weights.sum())
        expected = torch.autograd.grad((losses * torch.from_numpy(batch.weights)).sum() / total, list(model.parameters()))
        for name in attention.names():
            with self.subTest(name):
                for value in model.parameters():
                    value.grad = torch.zeros_like(value)
                step = TorchStep(model, 128, 2, attention.kernel(name, torch.float32))
                found, hits = step.gradients(batch, total)
                torch.testing.assert_close(found, losses.detach(), rtol=1e-3, atol=1e-3)
                self.assertTrue(torch.equal(hits.bool(), flat.argmax(-1) == torch.from_numpy(batch.targets)))
                for value, slope in zip(model.parameters(), expected):
                    torch.testing.assert_close(value.grad, slope, rtol=1e-3, atol=1e-5)
                torch.testing.assert_close(step.logits(batch, batch.predict), flat.detach(), rtol=1e-3, atol=1e-3)

    def test_sums_by_class_are_those_of_the_positions(self):
        model, batch = random_model(TINY), _batch()
        for value in model.parameters():
            value.grad = torch.zeros_like(value)
        step = TorchStep(model, 128)
        losses, hits = step.gradients(batch, 10.0)
        step.accumulate(batch.padded_rows(128, 4), 10.0)
        sums = step.taken_sums()
        for row, weights in enumerate((losses.numpy(), hits.numpy(), None)):
            expected = numpy.bincount(batch.classes, weights=weights, minlength=sums.shape[1])
            numpy.testing.assert_allclose(sums[row, 1:], expected[1:], rtol=1e-3)
        self.assertFalse(step.taken_sums().any())

    def test_unknown_kernels_are_refused(self):
        with self.assertRaisesRegex(ValueError, "attention_unknown"):
            attention.kernel("sparse", torch.float32)


@needs_torch
class ChoiceTest(unittest.TestCase):
    def setUp(self):
        self.model, self.said = random_model(TINY), []
        for value in self.model.parameters():
            value.grad = torch.zeros_like(value)

    def chosen(self):
        return startup.chosen_step(self.model, 128, 2, compiled=False, log=self.said.append)

    def broken(self, attend):
        real = attention.kernel
        names = ["sdpa", "dense"]
        fake = lambda name, dtype: attention.Kernel(name, attention.visible, attend) if name == "sdpa" else real(name, dtype)
        return mock.patch.multiple(attention, kernel=fake, names=lambda: names)

    def test_a_kernel_that_raises_or_is_wrong_is_passed_over(self):
        def raises(q, k, v, mask):
            raise RuntimeError("no kernel image is available")

        def causal_only(q, k, v, mask):
            return attention.dense_attend(q, k, v, torch.ones_like(mask).tril())

        for attend, reason in ((raises, "no kernel image"), (causal_only, "kernel_wrong"),
                               (lambda q, k, v, mask: q * float("nan"), "kernel_wrong")):
            with self.subTest(reason), self.broken(attend):
                self.said.clear()
                step = self.chosen()
            self.assertEqual(step.kernel.name, "dense")
            self.assertIn(reason, self.said[0])
            self.assertFalse(any(p.grad.any() for p in self.model.parameters()))

    def test_nothing_that_works_is_an_error(self):
        def raises(q, k, v, mask):
            raise RuntimeError("broken")

        with self.broken(raises), mock.patch.object(attention, "names", lambda: ["sdpa"]):
            with self.assertRaisesRegex(RuntimeError, "no_way_to_train"):
                self.chosen()

    def test_less_memory_means_fewer_rows(self):
        def hungry(q, k, v, mask):
            if len(q) > 4:
                raise RuntimeError("CUDA out of memory")
            return attention.dense_attend(q, k, v, mask)

        with self.broken(hungry):
            step, _ = startup._attempt(self.model, 128, startup.Way("sdpa", False, 8), 0, self.said.append)
            self.assertIsNone(step)
            self.assertTrue(startup._attempt(self.model, 128, startup.Way("sdpa", False, 8), 0, self.said.append)[1])
            self.assertEqual(startup._attempt(self.model, 128, startup.Way("sdpa", False, 4), 0, self.said.append)[0].micro_rows, 4)

    def test_a_time_limit_stops_a_compilation(self):
        with self.assertRaisesRegex(startup.CompileTimeout, "compile_timeout"):
            with startup.time_limit(0.05):
                while True:
                    pass

    def test_compiled_ways_come_first_and_plain_products_last(self):
        with mock.patch.object(attention, "names", lambda: ["flex", "sdpa", "dense"]):
            names = [way.name for way in startup.ways(torch.device("cpu"), compiled=True)]
        self.assertEqual(names, ["flex, compiled", "sdpa, compiled", "sdpa, eager", "dense, eager"])


@needs_torch
class DevicePathTest(unittest.TestCase):
    def test_updates_of_the_device_path_are_those_of_the_plain_one(self):
        found = []
        for device in ("cpu", "cpu:0"):
            config = _config("adamw")
            config.device, config.compiled = device, False
            with tempfile.TemporaryDirectory() as folder, mock.patch.object(train, "Stream", _Rows):
                run = train.Run(Path(folder), config)
                run.fast = False
                results = [run.update() for _ in range(3)]
            found.append((results[-1]["loss"], results[-1]["seen"], run.model.model.norm.weight.detach()))
        numpy.testing.assert_allclose(found[0][0][1:], found[1][0][1:], rtol=1e-2)
        numpy.testing.assert_array_equal(found[0][1][1:], found[1][1][1:])
        torch.testing.assert_close(found[0][2], found[1][2], rtol=1e-3, atol=1e-4)

    def test_gradients_that_are_not_finite_change_nothing_and_many_end_the_run(self):
        config = _config("muon")
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(train, "Stream", _Rows):
            run = train.Run(Path(folder), config)
            with torch.no_grad():
                run.model.model.norm.weight[0] = float("nan")
            before = run.model.model.embed_tokens.weight.clone()
            with self.assertRaisesRegex(RuntimeError, "diverged"):
                for _ in range(train.MOST_SKIPPED + 1):
                    run.update()
        self.assertTrue(torch.equal(before, run.model.model.embed_tokens.weight))


if __name__ == "__main__":
    unittest.main()
