"""Patches: values told by what changed in them."""

from __future__ import annotations

import unittest
from random import Random

from foretrace.language import tokens as T
from foretrace.language.decode import Delta, DecodeError, apply_delta, decode_delta
from foretrace.language.encode import encode_delta
from foretrace.language.frames import Frame
from foretrace.language.golden_patches import changed, collection
from foretrace.language.patches import MOST_PATCHES, OPERATIONS, Patch, encode_change, patched
from foretrace.language.program import Program
from foretrace.language.values import encode_value
from foretrace.trace.values import canonical

PROGRAM = Program.parse("def f(a, xs):\n    return a\n", "f(1, [])")

CHANGES = [
    ("[1, 2, 3]", "[1, 2, 9]", "<|it|> 2 <|value|> 9"),
    ("[]", "[5]", "<|o:+=|> 5"),
    ("[7]", "[7, 10, 11, 12]", "<|o:+=|> 1 0 <|o:+=|> 1 1 <|o:+=|> 1 2"),
    ("[]", "[1, 2, 3]", None),
    ("{20, 9}", "{20, 30, 40, 9}", "<|o:+=|> 3 0 <|o:+=|> 4 0"),
    ("{'k': 1}", "{'k': 1, 'l': 2, 'm': 3}", "<|it|> ' l ' <|value|> 2 <|it|> ' m ' <|value|> 3"),
    ("[[1], 2]", "[[1, 3, 4], 2]", "<|it|> 0 <|value|> [ 1 , 3 , 4 ]"),
    ("[1, 2]", "[1]", "[ 1 ]"),  # as short
    ("[1, 2, 3]", "[1, 2]", "<|it|> - 1 <|del|>"),
    ("[1, 1, 2, 3]", "[1, 2, 3]", "<|it|> 0 <|del|>"),
    ("[5, 2, 9, 1]", "[1, 2, 9, 5]", "<|it|> 0 <|value|> 1 <|it|> 3 <|value|> 5"),
    ("[[0, 0], [0, 0]]", "[[0, 0], [0, 5]]", "<|it|> 1 <|it|> 1 <|value|> 5"),
    ("[[1], [2]]", "[[1], [2, 3]]", "<|it|> 1 <|o:+=|> 3"),
    ("['', 'ab', '']", "['', 'abc', '']", "<|it|> 1 <|o:+=|> ' c '"),
    ("{'a': 1, 'b': 2}", "{'a': 1, 'b': 3}", "<|it|> ' b ' <|value|> 3"),
    ("{}", "{(1, 2): [3]}", "<|it|> ( 1 , 2 ) <|value|> [ 3 ]"),
    ("{'x': 0}", "{'x': 0, (1, 2): [3]}", "<|it|> ( 1 , 2 ) <|value|> [ 3 ]"),
    ("{'a': 1, 'b': 2, 'c': 3}", "{'a': 1, 'c': 3}", "<|it|> ' b ' <|del|>"),
    ("{1, 3, 44}", "{1, 2, 3, 44}", "<|o:+=|> 2"),
    ("{1, 2, 3, 44}", "{1, 3, 44}", "<|it|> 2 <|del|>"),
    ("set()", "{1}", "{ 1 }"),
    ("'ab'", "'abc'", "<|o:+=|> ' c '"),
    ("''", "'abc'", "' a b c '"),
    ("'ab'", "\"ab'\"", "\" a b ' \""),
    ("deque([1, 2, 3], maxlen=3)", "deque([2, 3, 4], maxlen=3)", None),
    ("deque([1, 2])", "deque([2])", "<|it|> 0 <|del|>"),
    ("defaultdict(<class 'list'>, {})", "defaultdict(<class 'list'>, {0: [1]})", "<|it|> 0 <|value|> [ 1 ]"),
    ("Counter({'a': 2, 'b': 1})", "Counter({'b': 3, 'a': 2})", None),
    ("[1, 2, 3]", "(1, 2, 4)", None), ("(1, 2, 3)", "(1, 2, 4)", None), ("12", "123", None), ("[1, 2, 3]", "[9, 9, 9]", None),
    ("[1, 2…", "[1, 3…", None), ("{1: 2, 3: 4}", "{3: 4, 1: 2}", None),
]


class Changes(unittest.TestCase):
    def test_what_is_shorter_is_written(self):
        for before, after, expected in CHANGES:
            with self.subTest(f"{before} -> {after}"):
                found = list(encode_change(PROGRAM, before, after))
                self.assertEqual(found, list(encode_value(PROGRAM, after)) if expected is None else T.to_ids(expected.split()))

    def test_a_name_without_a_value_gets_its_value(self):
        self.assertEqual(encode_change(PROGRAM, None, "[1]"), encode_value(PROGRAM, "[1]"))

    def test_changes_of_random_collections_come_back(self):
        rng, patches = Random(3), 0
        for _ in range(4000):
            before = collection(rng, 3)
            after = changed(rng, before)
            delta = encode_delta(PROGRAM, [_state(before)], [_state(after)], 1)
            decoded = decode_delta(PROGRAM, delta, 1)
            self.assertIsInstance(decoded, Delta)
            self.assertEqual(apply_delta(PROGRAM, [_state(before)], decoded), [_state(after)])
            patches += any(isinstance(change, tuple) for change in decoded.frames[0].changes.values())
        self.assertGreater(patches, 1000)


class Fitting(unittest.TestCase):
    def test_what_does_not_fit_changes_nothing(self):
        one = encode_value(PROGRAM, "1")
        word = encode_value(PROGRAM, "'x'")
        for before, patch in [
            ("[1]", Patch((one,), T.VALUE, one)), ("[1]", Patch((one,), T.DEL)), ("[1]", Patch((word,), T.VALUE, one)),
            ("{2: 3}", Patch((one,), T.DEL)), ("{2: 3}", Patch((), OPERATIONS[1], one)), ("{2, 3}", Patch((one,), T.VALUE, one)),
            ("{1, 2}", Patch((), OPERATIONS[1], one)), ("'ab'", Patch((), OPERATIONS[1], one)), ("'ab'", Patch((one,), T.VALUE, word)),
            ("7", Patch((), OPERATIONS[1], one)), ("(1, 2)", Patch((one,), T.VALUE, one)), ("[1…", Patch((), OPERATIONS[1], one)),
            ("[7, 7]", Patch((one, one), T.VALUE, one)), ("\"a'b\"", Patch((), OPERATIONS[1], word)), ("[[1]]", Patch((one, one), T.DEL)),
        ]:
            self.assertEqual(patched(PROGRAM, before, [patch]), before)
        five, cut = encode_value(PROGRAM, "5"), (*encode_value(PROGRAM, "3"), T.CUT)
        # What is no value leaves what the patch before has made.
        self.assertEqual(patched(PROGRAM, "[1, 2]", [Patch((encode_value(PROGRAM, "0"),), T.VALUE, five), Patch((), OPERATIONS[1], cut)]), "[5, 2]")
        for last in ("{1}", "frozenset({1})", "Counter({1: 2})"):
            self.assertEqual(patched(PROGRAM, last, [Patch((one,), T.DEL)]), last)
        self.assertEqual(patched(PROGRAM, "{1: 2}", [Patch((one,), T.DEL)]), "{}")
        self.assertIsNone(patched(PROGRAM, None, [Patch((), OPERATIONS[1], one)]))

    def test_a_value_that_grows_too_long_is_cut(self):
        long = canonical([1] * 341)
        self.assertEqual(len(long), 1023)
        grown = patched(PROGRAM, long, [Patch((), OPERATIONS[1], encode_value(PROGRAM, "1"))])
        self.assertEqual(grown, canonical([1] * 342))
        self.assertTrue(grown.endswith("…"))

    def test_a_long_value_that_does_not_grow_stays_whole(self):
        long = str([10] * 90)
        index, last = encode_value(PROGRAM, "999"), tuple(T.text_tokens("-1"))
        self.assertEqual(patched(PROGRAM, long, [Patch((index,), T.VALUE, index)]), long)
        self.assertEqual(patched(PROGRAM, long, [Patch((last,), T.DEL)]), str([10] * 89))

    def test_malformed_patches_are_errors_with_a_place(self):
        start = ["<|line|>", "<|L2|>", "<|v1|>"]
        for text, position in [
            ("<|value|> 1", 3), ("<|it|> <|value|> 1", 4), ("<|it|> 1 <|end|>", 5), ("<|it|> 1 <|value|> <|end|>", 6),
            ("<|it|> 1 <|it|> 1 <|it|> 1 <|it|> 1", 9), ("<|o:+=|> <|del|>", 4), ("<|it|> 1 <|del|> <|del|>", 6),
            ("<|o:+=|> 1 " * 8 + "<|o:+=|> 1", 19), ("<|o:+=|> 1 <|value|> 1", 5),
        ]:
            with self.subTest(text):
                found = decode_delta(PROGRAM, T.to_ids(start + text.split()), 1)
                self.assertIsInstance(found, DecodeError)
                self.assertEqual(found.position, position)
                self.assertTrue(found.expected and found.actual)

    def test_at_most_so_many_patches_are_written(self):
        before, after = "[1, 2, 3, 4, 5, 6, 7]", "[9, 2, 9, 4, 9, 6, 7]"
        self.assertEqual(encode_change(PROGRAM, before, after), encode_value(PROGRAM, after))
        for more, patches in ((MOST_PATCHES, True), (MOST_PATCHES + 1, False)):
            found = encode_change(PROGRAM, "[7, 8]", canonical([7, 8] + list(range(more))))
            self.assertEqual(OPERATIONS[1] in found, patches)


def _state(value):
    return Frame(2, locals={"a": canonical(value)}, event="line")


if __name__ == "__main__":
    unittest.main()
