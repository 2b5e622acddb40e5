"""`corpus functions` end to end on small collections: what is kept, what is refused and why, the same every time."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from foretrace.corpus import batch_runs, collect, function_file, near_copy
from foretrace.corpus.batch_runs import CallRun, run_calls
from foretrace.corpus.collection import SourceFile
from foretrace.corpus.function_calls import candidates, chosen
from foretrace.corpus.functions_command import Gathered
from foretrace.corpus.linked_tests import Link
from foretrace.trace import run
from tests.corpus.support import read_lines, run_command, write_files
from tests.corpus.test_near_copy import PLANTED

COUNT = '''import math

SCALE = 2


def scaled(x):
    return x * SCALE


def count(words, least=0):
    """
    >>> count(["a", "bb", "a"])
    {'a': 2, 'bb': 1}
    """
    found = {}
    for word in words:
        if len(word) > least:
            found[word] = found.get(word, 0) + 1
        else:
            least -= 1
    return found


def root(x):
    if x < 0:
        raise ValueError("negative")
    return math.isqrt(scaled(x))


def unordered(words):
    return hash(words)


def endless(n):
    while n * n >= 0:
        n += 1


def no_inputs(thing):
    return thing


assert unordered("ab") and endless(1)
'''
TESTS = "from count import root\n\n\ndef test_root():\n    assert root(8) == 4\n    assert root(0) == 0\n"
STACK = '''class Stack:
    """
    >>> s = Stack()
    >>> s.push(3)
    >>> s.push(4)
    >>> s.pop()
    4
    """
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()
'''


class CollectTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.outcome = collect.collect(collect.Task(SourceFile("count.py", COUNT), (Link(TESTS, {"root": "root"}, ()),)))
        cls.functions = {function.name: function for function in cls.outcome.functions}

    def test_usable_functions_are_kept_and_the_others_counted(self):
        self.assertEqual(set(self.functions), {"count", "root"})
        self.assertEqual(self.outcome.dropped, {"no_inputs": 2, "nondeterministic": 1, "event_limit": 1})
        self.assertEqual(self.outcome.seen, 6)

    def test_sources_stand_alone_and_calls_run_in_them(self):
        for function in self.functions.values():
            with self.subTest(function.name):
                self.assertGreater(len(function.calls), 3)
                self.assertEqual(len(set(function.calls)), len(function.calls))
                for call in function.calls:
                    self.assertGreater(len(run(function.source, call).events), 1)
        self.assertIn("count(['a', 'bb', 'a'])", self.functions["count"].calls)
        self.assertIn("root(8)", self.functions["root"].calls)
        self.assertNotIn("SCALE", self.functions["count"].source)
        self.assertIn("SCALE", self.functions["root"].source)

    def test_variations_reach_lines_that_the_known_calls_do_not(self):
        function = self.functions["count"]
        reached = {event.line for call in function.calls for event in run(function.source, call).events}
        known = {event.line for event in run(function.source, function.calls[0]).events}
        self.assertGreater(reached, known)

    def test_scenarios(self):
        outcome = collect.collect(collect.Task(SourceFile("stack.py", STACK), ()))
        self.assertEqual([made.name for made in outcome.functions], ["Stack.push", "example_Stack"])
        self.assertIn("Stack().push(3)", outcome.functions[0].calls)
        self.assertEqual(outcome.functions[1].calls, ["example_Stack()"])
        self.assertEqual(run(outcome.functions[1].source, "example_Stack()").events[-1].value, "4")

    def test_code_for_python_2_and_3_is_read_as_python_3(self):
        text = "def f(n):\n    return [i for i in xrange(n)]\n\n\nassert f(2)\n"
        self.assertIn("in range(n)]", collect.collect(collect.Task(SourceFile("a.py", text), ())).functions[0].source)
        bound = "try:\n    xrange\nexcept NameError:\n    xrange = range\n"
        self.assertEqual(collect.modern(bound), bound)

    def test_a_planted_near_copy_is_refused(self):
        text = PLANTED + "\n\nassert mingle([1, 2, 30], 4)\nassert other(3) == 4\n\n\ndef other(x):\n    return x + 1\n"
        held_out = frozenset(near_copy.runs(PLANTED))
        task = collect.Task(SourceFile("a.py", text), ())
        self.assertEqual({made.name for made in collect.collect(task).functions}, {"mingle", "other"})
        with mock.patch.object(near_copy, "_held_out", return_value=held_out):
            outcome = collect.collect(task)
        self.assertEqual([made.name for made in outcome.functions], ["other"])
        self.assertEqual(outcome.dropped, {"near_copy": 1})


class RunsTest(unittest.TestCase):
    def test_calls_that_are_of_no_use_say_why(self):
        source = ("def f(x):\n    if x == 1:\n        while True:\n            x += 1\n    if x == 2:\n        return set('abc').pop()\n"
                  "    if x == 3:\n        raise ValueError(x)\n    if x == 4:\n        sum(range(10 ** 12))\n    return x\n")
        with mock.patch.object(batch_runs, "CPU_SECONDS", 2):
            found = run_calls(source, ["f(0)", "f(1)", "f(2)", "f(3)", "f(", "f(4)", "f(7)"])
        self.assertEqual([entry.refused for entry in found],
                         [None, "event_limit", "nondeterministic", None, "invalid_entry", "sandbox_failed", None])
        self.assertEqual([(entry.raised, entry.value) for entry in found if entry.refused is None],
                         [(False, "0"), (True, "ValueError(3)"), (False, "7")])

    def test_choice_prefers_new_lines_and_bounds_what_raises(self):
        runs = [CallRun("f(999)", None, 900, (1, 2), "5"), CallRun("f('far')", None, 900, (1, 7), "5")]
        runs += [CallRun(f"f({i})", None, 5, (1, 2), str(i)) for i in range(10)]
        runs += [CallRun("f('new')", None, 5, (1, 3), "1")]
        runs += [CallRun(f"f(-{i})", None, 4, (1, 2), f"ValueError({i})", True) for i in range(4)]
        runs += [CallRun("f(None)", None, 4, (1, 9), "TypeError('x')", True), CallRun("g()", "event_limit")]
        kept = [entry.call for entry in chosen(runs)]
        self.assertEqual(kept[:3], ["f(0)", "f('new')", "f('far')"])
        self.assertNotIn("f(999)", kept)
        self.assertEqual(len(kept), 8)
        self.assertNotIn("f(None)", kept)
        self.assertLessEqual(sum(entry.raised for entry in chosen(runs, 12)), 2)
        self.assertEqual(chosen([entry for entry in runs if entry.raised]), [])

    def test_candidates_repeat(self):
        self.assertEqual(candidates("a", ["f([1, 2])"], None), candidates("a", ["f([1, 2])"], None))
        self.assertNotEqual(candidates("a", ["f([1, 2])"], None), candidates("b", ["f([1, 2])"], None))


class CommandTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def test_the_file_repeats_and_is_split_by_file(self):
        files = {f"part{n}.py": f"def f{n}(x):\n    y = x * {n + 2}\n    return [y, x] + [{n}] * {n}\n\n\nassert f{n}({n})\n"
                 for n in range(10)}
        files["copy.py"] = files["part3.py"].replace("f3", "other")
        write_files(self.folder / "owner+things", files)
        texts = []
        for name, workers in (("a.jsonl", 1), ("b.jsonl", 2)):
            status, said, _ = run_command("functions", self.folder / "owner+things", "--out", self.folder / name, "--workers", workers)
            self.assertEqual(status, 0)
            texts.append((self.folder / name).read_text())
        self.assertEqual(texts[0], texts[1])
        entries = read_lines(self.folder / "a.jsonl")
        self.assertEqual(len({entry["id"] for entry in entries}), len(entries))
        self.assertEqual({entry["split"] for entry in entries}, {"train", "held"})
        for entry in entries:
            self.assertEqual(entry["split"], function_file.side("owner/things", entry["origin"]["path"]))
            self.assertEqual((entry["origin"]["repository"], entry["origin"]["licence"]), ("owner/things", "MIT"))
        self.assertIn("duplicate: 1", said)
        functions = function_file.read_functions(self.folder / "a.jsonl")
        self.assertEqual(sum(len(function.calls) for function in functions), len(entries))

    def gathered(self, functions, known=()):
        """What was gathered of [(side, source)]: functions f0, f1, ... of files of these sides, the `known` ones from an earlier file."""
        things = mock.Mock(licence="MIT")
        things.name = "owner/things"
        free = {side: [path for path in (f"{n}.py" for n in range(99)) if function_file.side("owner/things", path) == side]
                for side in function_file.SIDES}
        made = Gathered()
        made.add_known(function_file.RealFunction(source, ("f()",), ("f#0",), "owner/things", free[side].pop(), f"known{index}", side)
                       for index, (side, source) in enumerate(known))
        for index, (side, source) in enumerate(functions):
            function = collect.Function(free[side].pop(), f"f{index}", source, ["f()"], 9, source.encode())
            made.add(things, collect.Outcome([function], seen=1))
        return made

    def kept(self, gathered):
        return [(about["origin"]["name"], split) for about, _, split in gathered.split()]

    def test_held_copies_of_training_functions_are_left_out(self):
        gathered = self.gathered([("train", PLANTED), ("held", PLANTED.replace("19", "18")), ("held", "def f(a):\n    return a\n"),
                                  ("held", "def g(a):\n    return -a\n"), ("train", "def h(b):\n    return -b\n")])
        gathered.functions[3][1].hash = gathered.functions[4][1].hash
        self.assertEqual(self.kept(gathered), [("f0", "train"), ("f2", "held"), ("f4", "train")])
        self.assertEqual(gathered.dropped["held_copy_of_train"], 2)

    def test_what_an_earlier_file_holds_out_stays_held_out(self):
        copy = PLANTED.replace("19", "18")
        longer = PLANTED + "".join(f"    y{n} = [{n}, x]\n" for n in range(60))
        gathered = self.gathered([("train", copy), ("train", longer), ("held", copy.replace("18", "17")),
                                  ("train", "def f(a):\n    return a\n")], [("held", PLANTED), ("train", "def g(a):\n    return -a\n")])
        self.assertEqual(self.kept(gathered), [("known0", "held"), ("known1", "train"), ("f2", "held"), ("f3", "train")])
        self.assertEqual(gathered.dropped["train_copy_of_held"], 2)

    def test_a_file_is_added_to(self):
        text = "def f(x):\n    return [x, 1]\n\n\nassert f(1)\n"
        write_files(self.folder / "one", {"a.py": text})
        write_files(self.folder / "two", {"b.py": text.replace("f(", "g("), "c.py": text.replace("1]", "2]")})
        first, second = self.folder / "a.jsonl", self.folder / "b.jsonl"
        run_command("functions", self.folder / "one", "--out", first, "--workers", 1)
        status, said, _ = run_command("functions", self.folder / "two", "--with", first, "--out", second, "--workers", 1)
        self.assertEqual(status, 0)
        self.assertIn("duplicate: 1", said)
        self.assertTrue(second.read_text().startswith(first.read_text()))
        self.assertEqual({entry["origin"]["path"] for entry in read_lines(second)}, {"a.py", "c.py"})
        status, _, said = run_command("functions", self.folder / "two", "--with", self.folder / "none", "--out", second)
        self.assertEqual(status, 1)
        self.assertIn("functions_unreadable", said)

    def test_refusals(self):
        write_files(self.folder / "c", {"LICENSE": "GNU GENERAL PUBLIC LICENSE\n", "a.py": "def f(x):\n    return x\n\n\nassert f(1)\n"})
        out = self.folder / "out.jsonl"
        status, _, said = run_command("functions", self.folder / "c", "--out", out)
        self.assertEqual(status, 1)
        self.assertIn("licence_refused", said)
        self.assertFalse(out.exists())
        status, _, _ = run_command("functions", self.folder / "c", "--out", out, "--licence", "own", "--name", "me/c", "--workers", 1,
                                   "--limit", 1)
        self.assertEqual(status, 0)
        self.assertEqual(read_lines(out)[0]["origin"], {"repository": "me/c", "path": "a.py", "name": "f", "licence": "own"})
        for wrong in (["--workers", "0"], ["--limit", "0"], ["--name", "x", self.folder]):
            with self.subTest(wrong), self.assertRaises(SystemExit) as caught:
                run_command("functions", self.folder / "c", "--out", out, *wrong)
            self.assertEqual(caught.exception.code, 2)

    def test_files_of_another_form(self):
        path = self.folder / "f.jsonl"
        for text in ("{", "[]\n", json.dumps({"id": "a"}) + "\n"):
            path.write_text(text)
            with self.subTest(text), self.assertRaisesRegex(function_file.FunctionFileError, "functions_unreadable.*line 1"):
                function_file.read_functions(path)
        with self.assertRaisesRegex(function_file.FunctionFileError, "functions_unreadable"):
            function_file.digest(self.folder / "nowhere")


if __name__ == "__main__":
    unittest.main()
