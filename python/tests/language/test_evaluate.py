"""Questions and answers: what is refused, what comes back, and that any tokens decode to a value."""

import ast
import random
import unittest

from foretrace.language import tokens as T
from foretrace.language.encode import keyframe_at
from foretrace.language.errors import DecodeError, EncodeError, ProgramError
from foretrace.language.evaluate import MAX_EXPRESSION_TOKENS, Answer, decode_answer, encode_answer, encode_evaluate, known_in
from foretrace.language.frames import Frame
from foretrace.language.program import Program
from tests.language.support import runs

SOURCE = '''
def f(items, count):
    """`count` is a word that the program binds; `upper` is a word that it does not."""
    return [item.upper() for item in items[:count]]
'''


class Questions(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse(SOURCE, "f(['a'], 1)")

    def names(self, expression):
        return " ".join(T.to_names(encode_evaluate(self.program, expression)))

    def code(self, expression):
        with self.assertRaises(ProgramError, msg=expression) as caught:
            encode_evaluate(self.program, expression)
        return caught.exception

    def test_names_are_slots_first_and_words_then(self):
        slots = {name: T.NAMES[token] for name, token in self.program.slots.items()}
        self.assertEqual(self.names(" items[0] + count "), f"<|evaluate|> {slots['items']} [ 0 ] + {slots['count']}")
        self.assertEqual(self.names("len(item)"), f"<|evaluate|> <|w:len|> ( {slots['item']} )")

    def test_a_question_adds_no_slots(self):
        before = dict(self.program.slots)
        for expression in ("f(items, 2)", "sum(count for count in items)", "lambda item: item"):
            encode_evaluate(self.program, expression)
        self.code("elsewhere")
        self.assertEqual(self.program.slots, before)

    def test_unknown_names_are_refused_wherever_they_stand(self):
        for expression in ("other", "items.other", "f(other=1)", "[other for other in items]", "lambda other: 1",
                           "f'{other}'", "f'{count:{other}}'", "f'{other=}'"):
            self.assertEqual(self.code(expression).code, "invalid_expression")
        self.assertEqual((self.code("items + other").line, self.code("items + other").column), (1, 8))

    def test_only_single_expressions_without_effects_of_their_own(self):
        for expression in ("", " \n", "items = 1", "items; count", "items\ncount", "*items", "(count := 1)", "await items",
                           "(yield)", "(yield from items)", "lambda: (yield count)", "[item async for item in items]",
                           "f'{(count := 1)}'", "pass", "items[", "'\\N{BULLET}'", "items $ count", "\0", "\ud800"):
            self.assertEqual(self.code(expression).code, "invalid_expression", expression)

    def test_the_limit_is_on_the_code_tokens(self):
        fits, too_long = "'" + "x" * (MAX_EXPRESSION_TOKENS - 2) + "'", "'" + "x" * (MAX_EXPRESSION_TOKENS - 1) + "'"
        self.assertEqual(len(encode_evaluate(self.program, fits)), MAX_EXPRESSION_TOKENS + 1)
        self.assertEqual(self.code(too_long).code, "invalid_expression")

    def test_the_questions_tokens_are_those_of_the_same_code_in_an_entry(self):
        rng = random.Random(3)
        for _ in range(300):
            text = _random_expression(rng, ["items", "count", "item", "f"])
            try:
                found = encode_evaluate(self.program, text)
            except ProgramError as error:
                self.assertIn("at most", error.message)
                continue
            entry = Program.parse(SOURCE, f"f({text})").tokens
            self.assertEqual(entry[entry.index(T.ENTRY) + 3:-1], found[1:])


def _random_expression(rng, names, depth=3):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*names, "1", "-2.5", "'a'", "'é\\n'", "None", "True", "b'\\x00'"])
    part = [_random_expression(rng, names, depth - 1) for _ in range(3)]
    name = rng.choice(names)
    return rng.choice([
        f"({part[0]} + {part[1]})", f"({part[0]} if {part[1]} else {part[2]})", f"[{part[0]}, {part[1]}]",
        f"{{{part[0]}: {part[1]}}}", f"len({part[0]})", f"({part[0]})[{part[1]}]", f"[{part[0]} for {name} in {part[1]}]",
        f"(lambda {name}: {part[0]})", f"({part[0]}).upper()", f"f({part[0]}, key={part[1]})", f"(not {part[0]})",
        f"({part[0]} <= {part[1]} != {part[2]})", f"f'{{{name}!r:>9}}'"])


class Answers(unittest.TestCase):
    def test_every_value_of_real_runs_comes_back(self):
        count = 0
        for program, _, annotated in runs():
            texts = {text for frame in annotated.frames for text in (*frame.locals.values(), frame.value) if text is not None}
            for text in texts:
                for outcome in ("value", "exception"):
                    answer = Answer(outcome, text)
                    self.assertEqual(decode_answer(program, encode_answer(program, answer)), answer)
                    count += 1
        self.assertGreater(count, 500)

    def test_integers_in_columns_stand_last_digit_first(self):
        shown = Program.parse(SOURCE, "f(['a'], 1)", shows_workings=True)
        columns = known_in(shown, Frame(4), encode_evaluate(shown, "70 - 9"))
        self.assertEqual(columns, [T.EVALUATE, T.IT, *T.text_tokens("070-900")])
        for text, spelled in (("61", "-160"), ("-40", "-069"), ("0", "-000"), ("-5", "-599"), ("99", "-990")):
            answer = encode_answer(shown, Answer("value", text), columns)
            self.assertEqual(answer, [T.VALUE, T.IT, *T.text_tokens(spelled), T.END])
            self.assertEqual(decode_answer(shown, answer), Answer("value", text))
        columns[columns.index(T.CHARS["-"])] = T.CHARS["+"]
        for text, spelled in (("61", "16"), ("0", "0"), ("100", "001")):
            answer = encode_answer(shown, Answer("value", text), columns)
            self.assertEqual(answer, [T.VALUE, T.IT, *T.text_tokens(spelled), T.END])
            self.assertEqual(decode_answer(shown, answer), Answer("value", text))

    def test_integers_in_columns_have_no_zero_in_front(self):
        shown = Program.parse(SOURCE, "f(['a'], 1)")
        for spelled, position, expected in (("", 2, "another digit"), ("-", 3, "another digit"), ("00", 4, "another digit"), ("-0", 4, "another digit"), ("-128", 6, "another digit"),
                                            ("1-", 3, "a value token or <|end|>"), ("x", 2, "another digit")):
            found = decode_answer(shown, [T.VALUE, T.IT, *T.text_tokens(spelled), T.END])
            self.assertEqual((found.position, found.expected), (position, expected), spelled)
        self.assertEqual(decode_answer(shown, [T.EVENTS["exception"], T.IT, T.END]).position, 1)

    def test_an_unknown_outcome_is_refused(self):
        program = Program.parse(SOURCE, "f([], 0)")
        with self.assertRaises(EncodeError) as caught:
            encode_answer(program, Answer("return", "1"))
        self.assertEqual(caught.exception.code, "bad_answer")

    def test_any_tokens_decode_to_an_answer_or_to_an_error(self):
        rng = random.Random(9)
        program, _, annotated = runs()[0]
        kinds = set()
        for _ in range(3000):
            text = rng.choice(list(annotated.frames[0].locals.values()) or ["1"])
            tokens = encode_answer(program, Answer(rng.choice(("value", "exception")), text))
            for _ in range(rng.randint(0, 2)):
                at = rng.randrange(len(tokens) + 1)
                tokens[at:at + rng.randint(0, 1)] = [rng.randrange(-3, T.SIZE + 3)]
            found = decode_answer(program, tokens)
            kinds.add(type(found))
            if isinstance(found, Answer):
                self.assertEqual(tokens[-1], T.END)
            else:
                self.assertEqual(found.code, "bad_answer")
                self.assertLessEqual(found.position, len(tokens))
        self.assertEqual(kinds, {Answer, DecodeError})

    def test_a_cut_answer_keeps_its_mark(self):
        program = Program.parse(SOURCE, "f([], 0)")
        answer = Answer("value", "'aaaa…")
        self.assertIn(T.CUT, encode_answer(program, answer))
        self.assertEqual(decode_answer(program, encode_answer(program, answer)), answer)


class HiddenArguments(unittest.TestCase):
    def test_only_the_ellipsis_alone_in_the_brackets_hides(self):
        for call, hidden in (("f(...)", True), (" f( ... )\n", True), ("f(..., )", False), ("f((...))", False),
                             ("f(1, ...)", False), ("f(count=...)", False), ("f()", False), ("f(1)(...)", True)):
            self.assertEqual(Program.parse(SOURCE, call).hidden_arguments, hidden, call)

    def test_states_of_the_run_are_encoded_under_the_hidden_entry(self):
        for program, trace, annotated in runs()[:10]:
            callee = ast.get_source_segment(program.call, ast.parse(program.call, mode="eval").body.func)
            other = Program.parse(program.source, f"{callee}(...)")
            self.assertEqual(other.tokens[:other.tokens.index(T.ENTRY)], program.tokens[:program.tokens.index(T.ENTRY)])
            annotated.program = other
            try:
                for i in range(len(annotated)):
                    self.assertEqual(keyframe_at(annotated, i)[0], T.KEYFRAME)
            finally:
                annotated.program = program


if __name__ == "__main__":
    unittest.main()
