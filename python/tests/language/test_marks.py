"""Marks before the items that a line looks up."""

from __future__ import annotations

import unittest

from foretrace.language import tokens as T
from foretrace.language.evaluate import encode_evaluate, known_in
from foretrace.language.frames import Frame
from foretrace.language.here import encode_here
from foretrace.language.program import Program

PROGRAM = Program.parse("def f(xs, i, d, s, m):\n    for j in xs[i:]:\n        j = 0\n    return xs[i]\n", "f([1], 0, {}, '', [])")
LOCALS = dict(xs="[10, 20, 30]", i="1", d="{'a': 1, 'b': [2, 3], (1, 2): 4}", s="'a\\nbé'", m="[[1, 2], [3, 4]]", j="0")


def asked(expression: str, **values: str) -> str:
    """The question for an expression, names spelled out, marks as ^ and without spaces between tokens."""
    frame = Frame(3, (), {**LOCALS, **values})
    return spelled(known_in(PROGRAM, frame, encode_evaluate(PROGRAM, expression))[1:])


def spelled(tokens) -> str:
    return "".join(PROGRAM.slot_names.get(token, T.NAMES[token]) for token in tokens).replace("<|it|>", "^")


class Marks(unittest.TestCase):
    def check(self, expression: str, expected: str, **values: str) -> None:
        self.assertEqual(asked(expression, **values), expected)

    def test_items_of_sequences(self):
        self.check("xs[i]", "xs[10,^20,30][i1]")
        self.check("xs[-1]", "xs[10,20,^30][-1]")
        self.check("xs[i + 1]", "xs[10,20,^30][i1+1]")
        self.check("xs[i - 1]", "xs[^10,20,30][i1-1]")
        self.check("xs[0]", "xs(^[1],)[0]", xs="([1],)")

    def test_an_item_that_is_not_there_is_at_the_end(self):
        self.check("xs[3]", "xs[10,20,30^][3]")
        self.check("xs[-4]", "xs[10,20,30^][-4]")
        self.check("d['z']", "d{'a':1,'b':[2,3],(1,2):4^}['z']")
        self.check("xs[0]", "xs[^][0]", xs="[]")

    def test_items_of_dicts_are_found_by_what_is_written(self):
        self.check("d['a']", "d{^'a':1,'b':[2,3],(1,2):4}['a']")
        self.check("d[m]", "d{'a':1,'b':[2,3],^(1,2):4}[m(1,2)]", m="(1, 2)")
        self.check("d[i]", "d{2:'x,',^1:{}}[i1]", d="{2: 'x,', 1: {}}")

    def test_items_of_items(self):
        self.check("m[i][0]", "m[[1,2],^[^3,4]][i1][0]")
        self.check("d['b'][i]", "d{'a':1,^'b':[2,^3],(1,2):4}['b'][i1]")
        self.check("m[i][9]", "m[[1,2],^[3,4^]][i1][9]")
        self.check("xs[i][0]", "xs[10,^20,30][i1][0]")  # 20 has no items

    def test_characters(self):
        self.check("s[i]", "s'a^\\nb<|xc3|><|xa9|>'[i1]")
        self.check("s[3]", "s'a\\nb^<|xc3|><|xa9|>'[3]")
        self.check("s[4]", "s'a\\nb<|xc3|><|xa9|>^'[4]")

    def test_a_character_has_no_items_of_its_own(self):
        self.check("s[0][0]", "s'^['[0][0]", s="'['")
        self.check("s[1][0:1]", "s'[^\"]'[1][0:1]", s="'[\"]'")
        self.assertEqual(asked("s[0]", s="'['").count("^"), 1)

    def test_two_lookups_that_end_at_one_token_have_one_mark(self):
        self.check("m[1][0]", "m[1,^[<|cut|>[1][0]", m="[1, […")

    def test_what_is_written_with_a_display_has_its_items(self):
        self.check("d[7][0]", "d<|w:defaultdict|>(<<|w:class|> 'list'>,{^7:[^5]})[7][0]", d="defaultdict(<class 'list'>, {7: [5]})")
        self.check("m[-1]", "m<|w:deque|>([1,^(2,3)])[-1]", m="deque([1, (2, 3)])")
        self.check("s[1]", "s<|w:range|>(0,3)[1]", s="range(0, 3)")

    def test_slices_have_a_mark_at_each_bound(self):
        self.check("xs[i:]", "xs[10,^20,30][i1:]")
        self.check("xs[:i]", "xs[10,^20,30][:i1]")
        self.check("xs[-2:9]", "xs[10,^20,30^][-2:9]")
        self.check("s[1:3]", "s'a^\\nb^<|xc3|><|xa9|>'[1:3]")

    def test_what_cannot_be_read_off_is_left_alone(self):
        for index in ("i * 2", "len(xs) - 1", "::2", "xs[0]", "i + i", "1.5", "-i", "True", "'a' + s", "1,"):
            self.assertNotIn("^", asked(f"xs[{index}]").split("]", 1)[0], index)
        self.assertNotIn("^", asked("d[i]", d="{1, 2}") + asked("i[0]") + asked("xs['a']") + asked("xs[i]", i="1.0"))
        self.assertNotIn("^", asked("xs[-1]", xs="[10, 20…") + asked("xs[-2:]", xs="[10, 20…"))

    def test_a_long_value_stands_again_for_other_marks(self):
        self.assertEqual(asked("xs[0] + xs[i] + xs[0] + len(xs)").count("[10,"), 1)
        self.assertEqual(asked("xs[0] + xs[i] + xs[0] + len(xs)").count("10,"), 2)

    def test_a_loop_over_a_slice_or_an_item_marks_the_next_one(self):
        for passes, shown in ((0, "xs[10,^20,30]"), (1, "xs[10,20,^30]"), (2, "xs[10,20,30^]"), (5, "xs[10,20,30^]")):
            state = [Frame(2, (passes,), LOCALS, event="line")]
            self.assertIn(shown, spelled(encode_here(PROGRAM, state)))
        program = Program.parse("def f(m):\n    for x in m[1]:\n        pass\n    for x in m[1:-1]:\n        pass\n", "f([])")
        frame = {"m": "[[1], [2, 3], [4]]"}
        self.assertIn("[ [ 1 ] , ^ [ 2 , ^ 3 ]", " ".join(T.to_names(encode_here(program, [Frame(2, (1,), frame, event="line")]))).replace("<|it|>", "^"))
        self.assertIn("[ 2 , 3 ] , ^ [ 4 ]", " ".join(T.to_names(encode_here(program, [Frame(4, (7,), frame, event="line")]))).replace("<|it|>", "^"))


if __name__ == "__main__":
    unittest.main()
