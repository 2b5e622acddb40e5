"""The limits of a run, and mutations that keep to them."""

from __future__ import annotations

import random
import resource
import sys
import unittest

from foretrace.generator import LEVELS, Sample, mutate
from foretrace.generator.checks import run

from .samples import of_level


class Limits(unittest.TestCase):
    def test_events_are_counted(self):
        outcome = run("def f(n):\n    n += 1\n    return n\n", "f(1)")
        self.assertEqual((outcome.events, outcome.error, outcome.refused), (4, None, None))

    def test_comprehensions_are_hidden(self):
        self.assertEqual(run("def f(n):\n    return [i for i in range(n)]\n", "f(9)").events, 3)

    def test_endless_loop_is_refused(self):
        self.assertEqual(run("def f():\n    while True:\n        pass\n", "f()").refused, "events")

    def test_endless_loop_behind_a_handler_is_refused(self):
        source = "def f():\n    while True:\n        try:\n            x = 1\n        except Exception:\n            pass\n"
        self.assertEqual(run(source, "f()").refused, "events")

    def test_large_values_are_refused(self):
        self.assertEqual(run("def f(n):\n    for i in range(20):\n        n *= n\n    return n\n", "f(9)").refused,
                         "number")
        self.assertEqual(run("def f(s):\n    s = s * 90\n    return s\n", "f('ab')").refused, "size")
        self.assertEqual(run("def f(s):\n    return [s, s, s]\n", "f('a' * 50)").refused, "text")
        self.assertEqual(run("def f(x):\n    return [x, 'b' * 120]\n", "f(0.1)").refused, "text")

    def test_memory_is_bounded(self):
        """A value that is gone by the next event is seen by no look at the locals."""
        before = resource.getrlimit(resource.RLIMIT_AS)
        for body in ("return len(set(range(n)))", "return len([0] * (n * 8))",
                     "try:\n        return len([0] * (n * 8))\n    except Exception:\n        return 0"):
            with self.subTest(body):
                self.assertEqual(run(f"def f(n):\n    {body}\n", "f(40000000)").refused, "memory")
        self.assertEqual(run("x = [0] * 400000000\ndef f():\n    return 1\n", "f()").refused, "memory")
        self.assertEqual(resource.getrlimit(resource.RLIMIT_AS), before)

    def test_errors_are_named(self):
        self.assertEqual(run("def f(d):\n    return d['x']\n", "f({})").error, "KeyError")

    def test_syntax(self):
        self.assertTrue(run("def f(:\n", "f()").refused.startswith("syntax"))

    def test_tracing_is_given_back(self):
        seen = sys.gettrace()
        run("def f():\n    while True:\n        pass\n", "f()")
        self.assertIs(sys.gettrace(), seen)


class Mutations(unittest.TestCase):
    def test_mutations_differ_and_keep_to_the_limits(self):
        rng = random.Random(9)
        changed, names = 0, set()
        samples = [sample for level in LEVELS for sample in of_level(level)[:120]]
        for sample in samples:
            mutated = mutate(rng, sample)
            if mutated is sample:
                continue
            changed += 1
            self.assertNotEqual(mutated.source, sample.source)
            self.assertEqual(mutated.call, sample.call)
            outcome = run(mutated.source, mutated.call)
            self.assertIsNone(outcome.refused)
            self.assertEqual(outcome.error, next((t[7:] for t in mutated.tags if t.startswith("raises:")), None))
            names |= {tag for tag in mutated.tags if tag.startswith("mutated:")}
        self.assertGreater(changed / len(samples), 0.7)
        self.assertEqual(names, {f"mutated:{kind}" for kind in ("operator", "comparison", "constant", "method",
                                                                "function", "branches")})

    def test_repeatable(self):
        sample = of_level("short")[0]
        self.assertEqual(mutate(random.Random(1), sample), mutate(random.Random(1), sample))

    def test_loops_keep_ending(self):
        sample = Sample("def f(n):\n    while n > 0:\n        n -= 1\n    return n\n", "f(3)", ())
        for seed in range(30):
            self.assertIn("while n > 0:\n        n -= 1", mutate(random.Random(seed), sample).source)


if __name__ == "__main__":
    unittest.main()
