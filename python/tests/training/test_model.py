"""Masks, positions and gradients: a branch in a row is the branch alone behind its program."""

import unittest

from tests.training.support import needs_torch, random_document, random_model, torch

if torch is not None:
    import numpy
    from foretrace.training import cpu_step
    from foretrace.training.batch import CONTEXT, UNSUPERVISED, Batch, Document, Row, pack
    from foretrace.training.model import TINY, ModelConfig
    from foretrace.training.torch_step import TorchStep

    WIDE = ModelConfig(hidden_size=128, num_hidden_layers=2, intermediate_size=192)


def _rows():
    documents = [random_document(1, 20, (13, 30, 7)), random_document(2, 61, (52,)), random_document(3, 5, (9, 9))]
    return [Row.of(documents[:2]), Row.of(documents[2:])], documents


@needs_torch
class MaskTest(unittest.TestCase):
    def test_branch_in_row_equals_branch_alone(self):
        rows, documents = _rows()
        model = random_model(TINY)
        tokens, positions, mask = map(torch.from_numpy, Batch.of(rows).padded(256))
        with torch.no_grad():
            together = model(tokens, positions, mask)
            for row, at, document in ((0, 0, documents[0]), (0, len(documents[0]), documents[1]), (1, 0, documents[2])):
                program, start = document.lengths[0], document.lengths[0]
                for length in document.lengths[1:]:
                    alone = document.tokens[:program] + document.tokens[start : start + length]
                    expected = model(torch.tensor([alone]))[0, program:]
                    found = together[row, at + start : at + start + length]
                    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
                    start += length

    def test_mask_shows_program_and_own_past_only(self):
        _, _, mask = Batch.of([Row.of([random_document(1, 3, (2, 2))])]).padded(8)
        expected = ["1.......", "11......", "111.....", "1111....", "11111...", "111..1..", "111..11.", ".......1"]
        self.assertEqual(["".join("1" if x else "." for x in row) for row in mask[0]], expected)


@needs_torch
class LossMaskTest(unittest.TestCase):
    def test_only_supervised_tokens_of_the_same_branch_are_predicted(self):
        u, c = UNSUPERVISED, CONTEXT
        document = Document(list(range(10, 19)), [u, u, 1, c, 2, 3, 1, c, 4], [2, 4, 3])
        batch = Batch.of([Row.of([document])])
        # Token 12 opens a branch and 16 the next: nothing in their own branch predicts them.
        self.assertEqual(batch.targets.tolist(), [14, 15, 18])
        self.assertEqual(batch.predict.tolist(), [3, 4, 7])
        self.assertEqual(batch.classes.tolist(), [2, 3, 4])
        weighted = Batch.of([Row.of([document])], context_weight=0.25)
        self.assertEqual(weighted.targets.tolist(), [13, 14, 15, 17, 18])
        self.assertEqual(weighted.weights.tolist(), [0.25, 1, 1, 0.25, 1])

    def test_packing_keeps_every_document_whole(self):
        documents = [random_document(i, 10 + i, (20, 5 + i)) for i in range(30)]
        rows = pack(documents, 128)
        self.assertTrue(all(len(row.tokens) <= 128 for row in rows))
        found = sorted(tuple(lengths) for row in rows for lengths in row.lengths)
        self.assertEqual(found, sorted(tuple(d.lengths) for d in documents))
        with self.assertRaisesRegex(ValueError, "document_too_long"):
            pack([random_document(1, 100, (40,))], 128)


@needs_torch
class CpuStepTest(unittest.TestCase):
    def setUp(self):
        self.model = random_model(WIDE)
        if not cpu_step.available(self.model):
            self.skipTest("needs a processor with AVX-512 BF16 and g++ (Debian package g++)")

    def test_loss_and_gradients_equal_autograd(self):
        rows, _ = _rows()
        batch = Batch.of(rows, context_weight=0.5)
        total = float(batch.weights.sum())
        found = {}
        for name, step in (("torch", TorchStep(self.model, 256)), ("cpu", cpu_step.CpuStep(self.model))):
            for value in self.model.parameters():
                value.grad = torch.zeros_like(value)
            loss, _ = step.gradients(batch, total)
            found[name] = loss, {n: p.grad.clone() for n, p in self.model.named_parameters()}
        torch.testing.assert_close(found["cpu"][0], found["torch"][0], rtol=0.05, atol=0.1)
        for name, expected in found["torch"][1].items():
            actual = found["cpu"][1][name]
            cosine = torch.nn.functional.cosine_similarity(actual.flatten(), expected.flatten(), 0).item()
            self.assertGreater(cosine, 0.998, name)
            self.assertAlmostEqual((actual.norm() / expected.norm()).item(), 1.0, delta=0.02, msg=name)

    def test_a_document_alone_in_its_batch_gives_the_same_states(self):
        _, documents = _rows()
        step = cpu_step.CpuStep(self.model)
        together, alone = Batch.of([Row.of(documents)]), Batch.of([Row.of(documents[:1])])
        size = len(documents[0])
        both, one = (step.hidden(batch, torch.arange(size))[0] for batch in (together, alone))
        self.assertTrue(torch.allclose(both.float(), one.float(), atol=0.05))


if __name__ == "__main__":
    unittest.main()
