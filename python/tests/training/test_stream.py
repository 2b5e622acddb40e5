"""The stream: documents are what the trace says, shards repeat, positions resume, held-out programs stay out."""

import os
import signal
import threading
import unittest
from random import Random
from unittest import mock

from tests.training.support import needs_torch, torch

if torch is not None:
    from foretrace.training import stream
    from foretrace.language import tokens as table
    from foretrace.training import branches, documents
    from foretrace.training.batch import CONTEXT, EVENT, LINE, NAME, OTHER, UNSUPERVISED, VALUE, Batch, Row
    from foretrace.training.probe import transitions

    NO_SOURCES = stream.Sources(frozenset())

SOURCE = "def f(items):\n    total = []\n    for x in items:\n        total.append(x + 1)\n    return total\n"


def _config(**changes):
    return stream.StreamConfig(seed=5, shard_documents=6, planned_rows=1000, held_out_programs=4, **changes)


def _same(rows):
    return [(row.tokens.tolist(), row.classes.tolist(), row.lengths) for row in rows]


def _document(seed=1):
    from foretrace.trace import run

    return documents.document(Random(seed), run(SOURCE, "f([3, 5])"), 512)


@needs_torch
class DocumentTest(unittest.TestCase):
    def test_classes_of_a_delta(self):
        names = ["<|pop|>", "<|line|>", "<|L3|>", "<|it|>", "2", "<|v1|>", "[", "<|ref|>", "<|v2|>", "]", "<|v3|>",
                 "<|del|>", "<|got|>", "7", "<|value|>", "'", "'", "<|end|>"]
        expected = [OTHER, EVENT, LINE, OTHER, OTHER, NAME, VALUE, VALUE, VALUE, VALUE, NAME, OTHER, OTHER, VALUE, OTHER,
                    VALUE, VALUE, OTHER]
        self.assertEqual(branches.classify(table.to_ids(names)), expected)

    def test_supervised_tokens_are_exactly_deltas_and_answers(self):
        made = _document()
        self.assertGreater(len(made.lengths), 3)
        outcomes = (table.WORDS["True"], table.WORDS["False"])
        supervised, inside, asked = [], False, False
        for token in made.tokens:
            begins = token in table.EVENT_NAMES or (token in outcomes and made.tokens[len(supervised) - 1] in table.ACTION_NAMES)
            supervised.append(inside and begins or (inside and supervised[-1]))
            if token == table.EVALUATE:  # the answer begins where a value or an exception is named
                asked, supervised[-1] = True, False
            elif asked and token in (table.VALUE, table.EVENTS["exception"]):
                inside, asked, supervised[-1] = True, False, True
            elif token in table.ACTION_NAMES:
                inside, supervised[-1] = True, False
            elif token in (table.END, table.KEYFRAME):
                inside = False
        found = [kind not in (UNSUPERVISED, CONTEXT) for kind in made.classes]
        self.assertEqual(found, [bool(x) for x in supervised])

    def test_probe_finds_every_delta_and_its_action(self):
        made = _document()
        actions = [table.ACTION_NAMES[t] for t in made.tokens if t in table.ACTION_NAMES]
        found = transitions(Batch.of([Row.of([made])]))
        self.assertEqual([t.action for t in found], actions)
        self.assertEqual(sum(t.end - t.first for t in found), len(Batch.of([Row.of([made])]).predict))

    def test_rows_bound_documents(self):
        self.assertLessEqual(len(_document(2)), 512)
        from foretrace.trace import run

        self.assertIsNone(documents.document(Random(1), run(SOURCE, "f([3, 5])"), 40))


@needs_torch
class StreamTest(unittest.TestCase):
    def test_a_shard_depends_on_seed_and_number_alone(self):
        first = _same(stream.shard_rows(_config(), 3, 0, NO_SOURCES))
        self.assertEqual(first, _same(stream.shard_rows(_config(workers=4), 3, 0, NO_SOURCES)))
        self.assertNotEqual(first, _same(stream.shard_rows(_config(), 4, 0, NO_SOURCES)))

    def test_workings_are_an_option_of_the_stream(self):
        self.assertTrue(_config().workings)
        plain, shown = (stream.shard_rows(_config(workings=workings), 3, 0, NO_SOURCES) for workings in (False, True))
        self.assertEqual(_same(shown), _same(stream.shard_rows(_config(), 3, 0, NO_SOURCES)))
        self.assertNotEqual(_same(plain), _same(shown))
        probes = [_same(stream.probe_rows(_config(workings=workings), 60)) for workings in (False, True)]
        self.assertNotEqual(*probes)

    def test_a_position_resumes_the_same_rows(self):
        config = _config(workers=2)
        whole = stream.Stream(config)
        self.addCleanup(whole.close)
        whole.take(3)
        position, expected = whole.position, _same(whole.take(8))
        resumed = stream.Stream(config, position)
        self.addCleanup(resumed.close)
        self.assertEqual(_same(resumed.take(8)), expected)
        self.assertEqual(resumed.position, whole.position)

    def test_a_dead_worker_is_replaced(self):
        source = stream.Stream(_config())
        self.addCleanup(source.close)
        source.take(1)
        os.kill(source._workers[0].process.pid, signal.SIGKILL)
        self.assertEqual(len(source.take(20)), 20)

    def test_asking_a_dead_worker_is_no_failure(self):
        source = stream.Stream(_config())
        self.addCleanup(source.close)
        worker = source._workers[0]
        worker.process.kill()
        worker.process.join()
        source._of(3).ask(3)
        source._next = 4
        self.assertEqual(len(source.take(12)), 12)

    def test_a_thread_that_waits_is_told_when_the_stream_stops(self):
        source = stream.Stream(_config())
        self.addCleanup(source.close)
        told = []

        def take():
            try:
                source.take(1_000_000)
            except stream.StreamError as error:
                told.append(str(error))

        waiting = threading.Thread(target=take)
        waiting.start()
        source.stop()
        waiting.join(60)
        self.assertEqual(told, ["stream_stopped: no more rows come"])
        # It is killed, and gone a moment later.
        source._workers[0].process.join(60)
        self.assertFalse(source._workers[0].process.is_alive())

    def test_held_out_programs_and_near_copies_are_not_trained_on(self):
        held_out = stream.held_out_hashes(4)
        evaluation = [stream.evaluation_sample(index) for index in range(4)]
        real, seen = stream.drawn, []

        def mostly_held_out(rng, progress):
            return evaluation[rng.randrange(4)] if rng.random() < 0.7 else real(rng, progress)

        def record(source):
            seen.append(source)
            return len(seen) == 1

        with mock.patch.object(stream, "drawn", mostly_held_out), \
                mock.patch.object(stream, "is_near_copy", record), \
                mock.patch.object(stream, "traced", wraps=stream.traced) as traced:
            stream.shard_documents(_config(mutated_share=0.0), 0, 0, stream.Sources(held_out))
        trained = [call.args[0].source for call in traced.call_args_list]
        self.assertFalse({sample.source for sample in evaluation} & set(trained))
        self.assertNotIn(seen[0], trained)
        self.assertGreaterEqual(len(trained), 6)

    def test_evaluation_programs_have_a_range(self):
        with self.assertRaisesRegex(ValueError, "evaluation_range"):
            stream.evaluation_sample(stream.EVALUATION_PROGRAMS)


if __name__ == "__main__":
    unittest.main()
