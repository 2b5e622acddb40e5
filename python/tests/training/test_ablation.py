"""Ablations: equal budgets, resuming, the same held-out answers for every variant, the tables."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from random import Random
from unittest import mock

from tests.training.support import needs_torch, random_model, torch

if torch is not None:
    import numpy

    from foretrace.generator.levels import generate
    from foretrace.corpus.programs import traced
    from foretrace.language import tokens as T
    from foretrace.language.program import Program
    from foretrace.training import ablate_command, ablation, ablation_documents, ablation_report, checkpoint, cpu_step, variants
    from foretrace.training.ablation_documents import Example, Plan
    from foretrace.training.batch import VALUE, Batch, Row
    from foretrace.training.documents import document
    from foretrace.training.model import TINY, ModelConfig
    from foretrace.training.stream import Sources
    from foretrace.training.torch_step import TorchStep
    from foretrace.training.variants import Variant
    from foretrace.training.variants_tokens import branches

    SHAPE = TINY.as_dict()


def _examples(count, seed=0):
    rng, found = Random(seed), []
    while len(found) < count:
        trace = traced(generate(rng, "drill"))
        made = document(Random(seed), trace, 500, 5, replays=False, shows_values=False) if trace is not None else None
        if made is not None:
            found.append(Example(made, tuple(Program.parse(trace.source, trace.call).slots)))
    return found


def _tiny(name, **model):
    """A variant with a tiny model."""
    variant = variants.BY_NAME[name]
    return Variant(name, "", variant.documents, variant.transform, {**SHAPE, **variant.model, **model}, variant.training,
                   variant.alone)


class _Shards:
    """Shards in memory: every shard and the probe have the same examples."""

    def __init__(self, examples):
        self.examples = examples

    def shard(self, kind, number):
        return self.examples

    def probe(self, transitions):
        return self.examples


@needs_torch
class TrainingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        cls.shards = _Shards(_examples(6))
        cls.recipe = ablation.Recipe(tokens=6000, row_length=512, batch_rows=2, warmup_tokens=500)

    def rows(self, variant):
        return ablation.training_rows(ablation.Maker(variant, self.shards.examples), self.shards, 512)

    def test_budget_and_counts_are_those_of_the_rows(self):
        variant = _tiny("base")
        trial = ablation.Trial(variant, self.recipe)
        ablation.trained(trial, self.rows(variant))
        rows = self.rows(variant)
        used = [next(rows) for _ in range(trial.rows)]
        self.assertEqual(trial.tokens, sum(len(row.tokens) for row in used))
        self.assertEqual(trial.documents, sum(len(row.lengths) for row in used))
        self.assertEqual(trial.rows, 2 * trial.optimizer.steps)
        self.assertTrue(6000 <= trial.tokens < 6000 + 2 * 512)

    def test_a_resumed_trial_equals_an_unbroken_one(self):
        for name in ("base", "no_branch_sharing", "context_loss_10"):
            variant = _tiny(name)
            with self.subTest(name), tempfile.TemporaryDirectory() as directory:
                whole = ablation.Trial(variant, self.recipe)
                ablation.trained(whole, self.rows(variant))
                saved, broken, rows = Path(directory) / "a.pt", ablation.Trial(variant, self.recipe), self.rows(variant)
                for _ in range(3):
                    broken.update([next(rows) for _ in range(2)])
                checkpoint.save(saved, broken.state())
                resumed = ablation.Trial(variant, self.recipe)
                ablation.trained(resumed, self.rows(variant), saved)
                self.assertEqual((resumed.tokens, resumed.documents), (whole.tokens, whole.documents))
                for (key, x), y in zip(whole.model.named_parameters(), resumed.model.parameters()):
                    self.assertTrue(torch.equal(x, y), key)

    def test_variants_differ_in_what_they_say(self):
        recipe = ablation.Recipe(tokens=1, row_length=512, batch_rows=2)
        trial = ablation.Trial(_tiny("adamw"), recipe)
        self.assertEqual((trial.optimizer.muon, trial.recipe.batch_rows), ([], 2))
        self.assertTrue(ablation.Trial(_tiny("base"), recipe).optimizer.muon)
        self.assertEqual(ablation.Trial(_tiny("batch_32"), recipe).recipe.batch_rows, 32)
        paired = ablation.Trial(_tiny("digits_pairs"), recipe)
        self.assertEqual(paired.model.model.embed_tokens.weight.shape[0], T.SIZE + 100)

    def test_every_variant_answers_the_same_held_out_questions(self):
        expected = len(ablation.probe_labels(self.shards.examples))
        self.assertGreater(expected, 20)
        for variant in variants.ALL:
            maker = ablation.Maker(variant, self.shards.examples)
            made = [d for example in self.shards.examples for d in maker.documents(example)]
            parts = [part for d in made for part in ablation.probe_parts(d, ablation.PROBE_LENGTH)]
            self.assertEqual(sum(count for _, count in parts), expected, variant.name)
            size = variant.model.get("vocab_size", T.SIZE)
            self.assertTrue(all(max(d.tokens) < size for d in made), variant.name)

    def test_shapes_cost_about_as_much_as_the_base(self):
        def matrices(variant):
            model = ablation.Llama(ModelConfig(**variant.model))
            return sum(p.numel() for n, p in model.named_parameters() if p.dim() == 2 and "embed" not in n)

        base = matrices(variants.BY_NAME["base"])
        for name in ("wide_shallow", "narrow_deep", "ffn_large", "heads_8"):
            self.assertLess(abs(matrices(variants.BY_NAME[name]) / base - 1), 0.05, name)

    def test_kernels_know_the_head_counts_of_the_shapes(self):
        for name in ("narrow_deep", "heads_8", "wide_shallow"):
            shape = {**ModelConfig().as_dict(), **variants.BY_NAME[name].model, "num_hidden_layers": 1}
            model = random_model(ModelConfig(**shape))
            if not cpu_step.available(model):
                self.skipTest("needs a processor with AVX-512 BF16")
            batch = Batch.of([Row.of([self.shards.examples[0].document])])
            fast = cpu_step.CpuStep(model).logits(batch, batch.predict)
            slow = TorchStep(model, 512).logits(batch, batch.predict)
            alike = torch.nn.functional.cosine_similarity(fast.flatten(), slow.flatten(), dim=0)
            self.assertGreater(float(alike), 0.999, name)

    def test_a_variant_as_a_whole(self):
        result = ablation.run_variant(_tiny("edit"), self.recipe, self.shards)
        found = ablation_report.summary([result], ablation.probe_labels(self.shards.examples), {})
        self.assertEqual(found["variants"][0]["shares"]["all"]["n"], len(result["hits"]))
        self.assertGreater(result["value_loss"], 0)
        self.assertGreater(result["answer_loss"], result["value_loss"])
        self.assertIn(f"| edit |  | {result['parameters']:,} | 0.01 |", ablation_report.markdown(found))


@needs_torch
class MeasuringTest(unittest.TestCase):
    """A step that always knows the answer but for some tokens."""

    class Knowing:
        def __init__(self, wrong=()):
            self.wrong, self.asked = set(wrong), 0

        def logits(self, batch, positions):
            scores = torch.zeros(len(positions), T.SIZE)
            for k, target in enumerate(batch.targets):
                scores[k, (int(target) + (self.asked in self.wrong)) % T.SIZE] = 50.0
                self.asked += 1
            return scores

    def setUp(self):
        self.examples = _examples(4, seed=3)
        self.documents = [example.document for example in self.examples]
        self.labels = ablation.probe_labels(self.examples)

    def test_one_wrong_token_spoils_one_answer(self):
        right = ablation.measured(self.Knowing(), self.documents)
        self.assertTrue(right.hits.all())
        self.assertEqual((len(right.hits), right.too_long), (len(self.labels), 0))
        self.assertLess(right.answer_loss, 1e-6)
        for wrong in (0, 7, 40):
            found = ablation.measured(self.Knowing({wrong}), self.documents)
            self.assertEqual((~found.hits).sum(), 1)
            self.assertAlmostEqual(found.answer_loss, 50.0 / len(self.labels), places=3)

    def test_packaging_does_not_matter(self):
        step = TorchStep(random_model(TINY), 512)
        whole = ablation.measured(step, self.documents, 512)
        alone = ablation.measured(step, [d for each in self.documents for d in variants.parted(each)], 512)
        self.assertEqual(whole.hits.tolist(), alone.hits.tolist())
        self.assertAlmostEqual(whole.answer_loss, alone.answer_loss, places=3)

    def test_a_branch_that_does_not_fit_is_not_answered(self):
        longest = max(d.lengths[0] + max(d.lengths[1:]) for d in self.documents)
        found = ablation.measured(self.Knowing(), self.documents, longest - 1)
        self.assertEqual(len(found.hits), len(self.labels))
        self.assertEqual((~found.hits).sum(), found.too_long)
        self.assertGreater(found.too_long, 0)
        self.assertEqual(ablation.measured(self.Knowing(), self.documents, longest).too_long, 0)

    def test_labels_agree_with_the_probe_of_training(self):
        from foretrace.training.probe import transitions
        for each in self.examples:
            batch = Batch.of([Row.of([each.document])])
            expected = [(t.action, t.has_values) for t in transitions(batch)]
            self.assertEqual([(x.action, x.changed) for x in ablation.probe_labels([each])], expected)


@needs_torch
class DocumentsTest(unittest.TestCase):
    def setUp(self):
        self.plan = Plan(tokens=20_000, shard_documents=5, branches=8, held_out_programs=2)

    def drawn(self, kind, shard=0):
        return ablation_documents.shard_examples(self.plan, kind, shard, 0, Sources(frozenset()))

    def test_branch_lengths_and_programs(self):
        base, k1, k7 = (self.drawn(kind) for kind in ("base", "k1", "k7"))
        programs = [[list(e.document.tokens[:e.document.lengths[0]]) for e in found] for found in (base, k1, k7)]
        self.assertEqual(programs[0], programs[1])
        self.assertEqual(programs[0], programs[2])
        mean = []
        for found in (base, k1, k7):
            answers = [ablation.labels(*branch) for example in found for branch in branches(example.document)]
            moves = [len(each) for each in answers if each[0].action != "evaluate"]
            mean.append(sum(moves) / len(moves))
        self.assertEqual(mean[1], 1)
        self.assertLess(mean[0], mean[2])
        self.assertEqual(_plain(self.drawn("base")), _plain(base))

    def test_the_curriculum_of_a_kind(self):
        self.assertEqual([self.plan.progress("final", 0), self.plan.progress("base", 0)], [1.0, 0.0])
        self.assertEqual(self.plan.progress("base", 7), 1.0)
        self.assertNotEqual(_plain(self.drawn("base")), _plain(self.drawn("drills")))
        self.assertEqual(_plain(self.drawn("base", 6)), _plain(self.drawn("drills", 6)))

    def test_names_are_those_of_the_slots(self):
        for example in self.drawn("base"):
            slots = [t - T.SLOT_BASE for t in example.document.tokens if T.SLOT_BASE <= t < T.WORD_BASE]
            self.assertLess(max(slots), len(example.names))

    def test_shards_are_kept_and_their_plan_checked(self):
        with tempfile.TemporaryDirectory() as directory:
            made = self.drawn("base")
            shards = ablation_documents.Shards(self.plan, Path(directory))
            with mock.patch.object(shards, "_made", return_value=made) as drawn:
                first, again = shards.shard("base", 0), shards.shard("base", 0)
            drawn.assert_called_once()
            self.assertEqual(_plain(first), _plain(made))
            self.assertEqual(_plain(again), _plain(made))
            with self.assertRaisesRegex(ValueError, "documents_other"):
                ablation_documents.Shards(Plan(seed=9), Path(directory))


def _plain(examples):
    return [(list(d.tokens), list(d.classes), list(d.lengths), names) for d, names in examples]


@needs_torch
class ReportTest(unittest.TestCase):
    def test_interval(self):
        low, high = ablation_report.interval(50, 100)
        self.assertAlmostEqual(low, 0.4038, places=3)
        self.assertAlmostEqual(high, 0.5962, places=3)
        self.assertEqual(ablation_report.interval(0, 0), (0.0, 1.0))
        self.assertTrue(all(ablation_report.interval(0, n)[0] >= 0 for n in range(1, 99)))
        self.assertLess(ablation_report.interval(10, 10)[0], 1.0)

    def test_paired_difference(self):
        gain, half = ablation_report.difference("1110" * 25, "1010" * 25)
        self.assertAlmostEqual(gain, 0.25)
        self.assertAlmostEqual(half, 1.96 * (0.25 * 0.75 / 100) ** 0.5, places=6)
        self.assertEqual(ablation_report.difference("0110", "0110"), (0.0, 0.0))

    def test_groups(self):
        labels = [ablation.Label("step_into", True, True), ablation.Label("inv_continue", False, False)]
        found = ablation_report.shares("10", labels)
        self.assertEqual({group: (s["n"], s["exact"]) for group, s in found.items()},
                         {"all": (2, 0.5), "step_into": (1, 1.0), "changed": (1, 1.0), "first": (1, 1.0),
                          "inv_continue": (1, 0.0), "reverse": (1, 0.0)})
        with self.assertRaisesRegex(ValueError, "answers_differ"):
            ablation_report.shares("1", labels)

    def test_statistics(self):
        documents = [example.document for example in _examples(3)]
        found = ablation_report.statistics(documents, documents[:2])
        labels = [x for d in documents for b in branches(d) for x in ablation.labels(*b)]
        values = sum(list(d.classes).count(VALUE) for d in documents)
        self.assertAlmostEqual(found["answer_values"], values / len(labels))
        self.assertAlmostEqual(found["program"], numpy.mean([d.lengths[0] for d in documents]))
        self.assertAlmostEqual(found["document"], numpy.mean([len(d) for d in documents[:2]]))


@needs_torch
class CommandTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name) / "out"

    def run_command(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()) as out:
            status = ablate_command.main(["--out", str(self.directory), "--threads", "1", *arguments])
        return status, said.getvalue(), out.getvalue()

    def test_finished_variants_are_not_run_again(self):
        examples, ran = _examples(3), []

        def run(variant, recipe, shards, saved, device):
            ran.append((variant.name, recipe.tokens))
            hits = "1" * len(ablation.probe_labels(examples))
            return {"variant": variant.name, "changes": "", "parameters": 5, "tokens": 700, "documents": 2, "updates": 1,
                    "minutes": 0.1, "value_loss": 1.0, "answer_loss": 2.0, "too_long": 0, "hits": hits}

        with mock.patch.object(ablation_documents.Shards, "probe", lambda *_: examples), \
                mock.patch.object(ablation, "run_variant", run):
            self.assertEqual(self.run_command("--tokens", "700", "--variants", "edit")[0], 0)
            status, _, out = self.run_command("--tokens", "700", "--variants", "base,edit")
            self.assertEqual(status, 0)
            self.assertIn("base: 100.0 %", out)
            self.assertEqual(ran, [("edit", 700), ("base", 700)])
            status, said, _ = self.run_command("--tokens", "800", "--variants", "base")
        self.assertEqual(status, 2)
        self.assertIn("setting_fixed", said)
        found = json.loads((self.directory / "ablations.json").read_text())
        self.assertEqual([v["variant"] for v in found["variants"]], ["base", "edit"])
        self.assertEqual(found["variants"][1]["against_base"]["difference"], 0.0)
        self.assertIn("| edit |", (self.directory / "ablations.md").read_text())

    def test_statistics_without_training(self):
        with mock.patch.object(ablation_documents.Shards, "_made", lambda *_: _examples(4)):
            status, _, out = self.run_command("--dry-run", "4", "--variants", "base,spelled,adamw")
        self.assertEqual(status, 0)
        self.assertEqual(out, (self.directory / "statistics.md").read_text())
        self.assertIn("| spelled |", out)
        self.assertNotIn("adamw", out)

    def test_a_variant_that_there_is_not(self):
        status, said, _ = self.run_command("--variants", "base,bigger")
        self.assertEqual(status, 2)
        self.assertIn("variant_unknown", said)


if __name__ == "__main__":
    unittest.main()
