"""The training stream with real functions: drawn from the training side alone, resumed exactly, tied to the file's content."""

import tempfile
import unittest
from itertools import islice
from pathlib import Path
from random import Random
from unittest import mock

from foretrace.corpus.function_draws import FunctionDraws
from foretrace.corpus.function_file import FunctionFileError
from foretrace.corpus.programs import program_hash
from foretrace.generator import Sample, mutant
from tests.corpus.support import function_line
from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.training import stream

TRAIN = [f"def train{n}(xs):\n    out = {n}\n    for x in xs:\n        if x > {n}:\n            out += x\n        else:\n            out -= 1\n"
         f"    return out\n" for n in range(4)]
HELD = "def held(text):\n    found = ''\n    for c in text:\n        found = c + found\n    return found\n"


def _write(path: Path) -> Path:
    lines = [function_line(f"train{n}", source, f"train{n}([{n}, {call}, 7])", index=call) for n, source in enumerate(TRAIN)
             for call in range(3)]
    # The same program on both sides, as a file made by hand may have it: it counts as held out.
    lines += [function_line("held", HELD, "held('abc')", "held"), function_line("same", HELD, "held('abd')")]
    path.write_text("".join(lines))
    return path


class DrawsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = _write(Path(holder.name) / "functions.jsonl")

    def test_functions_are_drawn_evenly_and_held_ones_never(self):
        draws = FunctionDraws(self.path)
        rng = Random(3)
        drawn = [draws.draw(rng) for _ in range(400)]
        self.assertEqual({sample.source for sample in drawn}, set(TRAIN))
        self.assertEqual(len({sample.call for sample in drawn}), 12)
        for source in TRAIN:
            self.assertGreater(sum(sample.source == source for sample in drawn), 60)
        self.assertEqual(draws.held, {program_hash(HELD)})

    def test_a_changed_or_empty_file_is_refused(self):
        with self.assertRaisesRegex(FunctionFileError, "functions_changed"):
            FunctionDraws(self.path, "0" * 32)
        self.path.write_text(function_line("held", HELD, "held('abc')", "held"))
        with self.assertRaisesRegex(FunctionFileError, "functions_empty"):
            FunctionDraws(self.path)


class MutantTest(unittest.TestCase):
    SOURCE = ("def f(xs, n=3):\n    while n > 1 and xs:\n        if not xs[1:]:\n            n -= 1\n        elif n % 2 == 0:\n            xs.append('ab'.upper())\n"
              "        n = n // 2\n    return max(xs), n if n else 0\n")

    def test_mutants_parse_differ_and_repeat(self):
        sample = Sample(self.SOURCE, "f([1, 2])", ("real",))
        kinds = set()
        for seed in range(150):
            found = mutant(Random(seed), sample)
            self.assertEqual(found, mutant(Random(seed), sample))
            self.assertNotEqual(program_hash(found.source), program_hash(sample.source))
            compile(found.source, "mutant", "exec")
            self.assertEqual((found.call, found.tags[0]), (sample.call, "real"))
            kinds.update(found.tags[1:])
        self.assertEqual(kinds, {f"mutated:{kind}" for kind in (
            "operator", "comparison", "constant", "method", "function", "branches", "condition", "slice", "order")})

    def test_what_cannot_change_stays(self):
        for source in ("def f(x):\n    return x\n", "def f(:\n"):
            sample = Sample(source, "f(1)", ())
            self.assertIs(mutant(Random(1), sample), sample)


@needs_torch
class FunctionStreamTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = _write(Path(holder.name) / "functions.jsonl")

    def config(self, **changes):
        return stream.StreamConfig(**{**dict(seed=5, shard_documents=6, planned_rows=1000, held_out_programs=4, functions=str(self.path),
                                             function_share=0.6, mutated_share=0.3), **changes})

    def test_a_position_resumes_the_same_rows(self):
        whole = stream.Stream(self.config(workers=2))
        self.addCleanup(whole.close)
        whole.take(3)
        position, expected = whole.position, whole.take(5)
        self.assertTrue(whole.config.functions_digest)
        resumed = stream.Stream(whole.config, position)
        self.addCleanup(resumed.close)
        self.assertEqual([row.tokens.tolist() for row in resumed.take(5)], [row.tokens.tolist() for row in expected])

    def test_a_changed_file_is_refused(self):
        config = self.config().pinned()
        self.assertEqual(config.pinned(), config)
        self.path.write_text(self.path.read_text() + "\n".join(self.path.read_text().splitlines()[:1]) + "\n")
        for make in (stream.Stream, stream.Sources.of, lambda config: config.pinned()):
            with self.assertRaisesRegex(stream.StreamError, "functions_changed"):
                make(config)

    def test_shares(self):
        sources = stream.Sources.of(self.config())
        drawn = list(islice(stream.shard_samples(self.config(), 0, 0, sources), 300))
        tags = [set(sample.tags) for sample, _ in drawn]
        real = sum("real" in found for found in tags)
        self.assertTrue(140 < real < 220, real)
        mutants = sum(any(tag.startswith("mutated:") for tag in found) for found in tags if "real" in found)
        self.assertTrue(0.15 * real < mutants < 0.45 * real, mutants)
        self.assertTrue(all("real" not in sample.tags for sample, _ in islice(
            stream.shard_samples(self.config(functions=""), 0, 0, stream.Sources(frozenset())), 30)))

    def test_held_functions_and_their_like_are_not_trained_on(self):
        sources = stream.Sources.of(self.config())
        held = Sample(HELD.replace("found", "built"), "held('abc')", ("real",))

        with mock.patch.object(stream, "drawn", return_value=held), mock.patch.object(stream, "_document", wraps=stream._document) as made:
            stream.shard_documents(self.config(mutated_share=0.0), 0, 0, sources)
        self.assertGreaterEqual(len(made.call_args_list), 6)
        self.assertFalse(any("built" in call.args[1].source for call in made.call_args_list))

    def test_a_near_copy_among_the_functions_is_not_trained_on(self):
        def refuses(source):
            return "train2" in source

        with mock.patch.object(stream, "is_near_copy", refuses), mock.patch.object(stream, "_document", wraps=stream._document) as made:
            stream.shard_documents(self.config(function_share=1.0, mutated_share=0.0, shard_documents=20), 0, 0, stream.Sources.of(self.config()))
        trained = {call.args[1].source for call in made.call_args_list}
        self.assertEqual(trained, set(TRAIN) - {TRAIN[2]})

    def test_runs_that_exhaust_memory_or_the_stack_are_left_out(self):
        from foretrace.trace import run

        deep = run("def f(x):\n    try:\n        raise RecursionError('deep')\n    except RecursionError:\n        return x\n", "f(1)")
        self.assertTrue(stream._exhausted(deep))
        self.assertFalse(stream._exhausted(run(HELD, "held('ab')")))


if __name__ == "__main__":
    unittest.main()
