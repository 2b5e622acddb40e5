"""The line about to run, with the values of its names."""

from __future__ import annotations

import unittest

from foretrace.language import tokens as T
from foretrace.language.encode import encode_question
from foretrace.language.frames import Frame
from foretrace.language.here import encode_here, with_values
from foretrace.language.program import Program

SOURCE = """def f(xs, n):
    for x in xs:
        n = n + x
        n += xs.n
    return g(n) + len(xs) + len(xs)
def g(n):
    return n * 2
"""
PROGRAM = Program.parse(SOURCE, "f([1, 20, 3], 4)")


def here(line: int, its=(), **values: str) -> str:
    """The here line of a `line` state, its slots by name and without spaces between tokens."""
    return spelled(encode_here(PROGRAM, [Frame(line, its, values, event="line")]))


def spelled(tokens) -> str:
    return " ".join(PROGRAM.slot_names.get(token, T.NAMES[token]) for token in tokens)


class Here(unittest.TestCase):
    def test_names_are_followed_by_their_values(self):
        self.assertEqual(here(4, (0,), xs="[1]", n="4"), "<|here|> n 4 <|o:+=|> xs [ 1 ] . n")

    def test_a_target_has_no_value_and_what_is_not_bound_neither(self):
        self.assertEqual(here(3, (0,), n="4"), "<|here|> n = n 4 + x")

    def test_long_values_stand_once(self):
        shown = here(5, xs="[1, 2, 3, 4]", n="7")
        self.assertEqual(shown.count("[ 1 , 2 , 3 , 4 ]"), 1)
        self.assertEqual(here(5, xs="[1, 2]", n="7").count("[ 1 , 2 ]"), 2)

    def test_the_next_item_of_a_loop_is_marked(self):
        self.assertEqual(here(2, (1,), xs="[1, 20, 3]", x="1"), "<|here|> <|w:for|> x 1 <|w:in|> xs [ 1 , <|it|> 2 0 , 3 ] :")
        for passes, shown in ((0, "[ <|it|> ( 1 , 2 ) , ' , ] ' ]"), (1, "[ ( 1 , 2 ) , <|it|> ' , ] ' ]"),
                              (2, "[ ( 1 , 2 ) , ' , ] ' <|it|> ]"), (9, "[ ( 1 , 2 ) , ' , ] ' <|it|> ]")):
            self.assertIn(shown, here(2, (passes,), xs="[(1, 2), ',]']"))

    def test_a_loop_that_goes_backwards_is_counted_from_the_end(self):
        for iterable, shown in (("reversed(xs)", "[ 7 , <|it|> 8 , 9 ]"), ("xs[::-1]", "[ 7 , <|it|> 8 , 9 ]"), ("xs", "[ 7 , <|it|> 8 , 9 ]"),
                                ("xs[1:]", "[ 7 , 8 , <|it|> 9 ]")):
            self.assertIn(shown, self.loop_over(iterable, 1, "[7, 8, 9]"))
        self.assertIn("[ 7 , 8 , <|it|> 9 ]", self.loop_over("enumerate(reversed(xs))", 0, "[7, 8, 9]"))
        self.assertIn("[ 7 , 8 , 9 <|it|> ]", self.loop_over("reversed(xs)", 3, "[7, 8, 9]"))
        self.assertIn("' <|it|> \\ n b '", self.loop_over("xs[::-1]", 1, "'\\nb'"))

    def test_where_the_order_is_not_told_no_item_is_marked(self):
        for iterable in ("sorted(xs)", "sorted(xs, key=len)", "xs[::2]", "xs[1 * 1]", "reversed(xs[::2])", "reversed(xs[::-1])",
                         "sorted(xs[::-1])", "xs[::-1][1:]", "sorted(set(xs))", "reversed(range(len(xs)))", "xs[:][::-1]", "xs[:][0]"):
            self.assertNotIn("<|it|>", self.loop_over(iterable, 0, "[7, 8, 9]"), iterable)
        self.assertIn("[ 7 , <|it|> 8 , 9 ]", self.loop_over("reversed(xs[1:])", 2, "[7, 8, 9]"))  # where the slice begins, as elsewhere
        self.assertNotIn("<|it|>", self.loop_over("reversed(xs)", 0, "[7, 8…"))

    @staticmethod
    def loop_over(iterable: str, passes: int, xs: str) -> str:
        program = Program.parse(f"def f(xs):\n    for x in {iterable}:\n        pass\n", "f([])")
        code = program.line_tokens(2)
        return " ".join(program.slot_names.get(token, T.NAMES[token]) for token in with_values(program, code, Frame(2, (passes,), {"xs": xs})))

    def test_characters_are_counted_as_python_counts_them(self):
        text = repr("\né'x")  # in double quotes
        for passes, shown in ((0, '" <|it|> \\ n'), (1, "n <|it|> <|xc3|> <|xa9|>"), (2, "<|xa9|> <|it|> ' x"), (3, "' <|it|> x"),
                              (4, 'x <|it|> "'), (7, 'x <|it|> "')):
            self.assertIn(shown, here(2, (passes,), xs=text))

    def test_what_is_no_display_is_left_alone(self):
        self.assertIn("xs <|w:range|> ( 3 ) :", here(2, (1,), xs="range(3)"))
        self.assertIn("xs [ ] :".replace("[ ]", "[ <|it|> ]"), here(2, (1,), xs="[]"))

    def test_after_a_return_it_is_the_callers_line(self):
        stack = [Frame(5, (), {"xs": "[]", "n": "3"}), Frame(7, (), {"n": "3"}, event="return", value="6")]
        self.assertEqual(spelled(encode_here(PROGRAM, stack))[:25], "<|here|> <|w:return|> g (")
        self.assertEqual(encode_here(PROGRAM, stack[1:]), [])

    def test_other_states_and_reverse_actions_have_none(self):
        call, line = [Frame(1, (), {}, event="call")], [Frame(5, (), {}, event="line")]
        self.assertEqual(encode_here(PROGRAM, []) + encode_here(PROGRAM, call), [])
        self.assertEqual(encode_question(PROGRAM, line, "inv_step_over"), [T.ACTIONS["inv_step_over"]])
        self.assertEqual(encode_question(PROGRAM, line, "continue")[-1], T.ACTIONS["continue"])
        self.assertEqual(encode_question(PROGRAM, line, "continue")[0], T.HERE)

    def test_an_expression_gets_its_values_the_same_way(self):
        code = [PROGRAM.slots["n"], T.CHARS["+"], PROGRAM.slots["x"]]
        self.assertEqual(spelled(with_values(PROGRAM, code, Frame(3, (), {"n": "12"}))), "n 1 2 + x")


if __name__ == "__main__":
    unittest.main()
