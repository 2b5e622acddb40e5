import random
import unittest

from foretrace.language import tokens as T
from foretrace.language.evaluate import Answer, decode_answer, encode_answer, encode_checked, known_in
from foretrace.language.frames import Frame
from foretrace.language.positions import MOST_ITEMS, POSITIONS
from foretrace.language.program import Program
from foretrace.trace.values import canonical
from foretrace.training.positions import drawn

PROGRAM = Program.parse("def f(s, xs, d, o):\n    return s\n", "f('', [], {}, 0)", shows_workings=True)
VALUES = {"s": "banana", "xs": [3, 10, 3], "d": {"b": 2, "a": 1}, "o": {5, 10}}


def spelled(tokens):
    """Tokens as text, positions as `<1>`."""
    names = (f"<{token - POSITIONS[0] + 1}>" if token in POSITIONS else T.WORD_TEXT.get(token) or T.NAMES[token] for token in tokens)
    return "".join(name.replace("<|", "").replace("|>", " ") if len(name) > 3 else name for name in names)


def asked(text, value=None):
    """The question for an expression, and its answer, both without what every one begins with."""
    frame = Frame(2, locals={name: canonical(value) for name, value in VALUES.items()})
    question = known_in(PROGRAM, frame, encode_checked(PROGRAM, text))
    value = canonical(eval(text, {}, dict(VALUES))) if value is None else value
    answer = encode_answer(PROGRAM, Answer("value", value), question)
    return question, answer, value


class Positions(unittest.TestCase):
    def check(self, text, question, answer):
        found, written, value = asked(text)
        self.assertEqual((spelled(found[1:]), spelled(written[1:-1])), (question, answer), text)
        self.assertEqual(decode_answer(PROGRAM, written), Answer("value", value), text)

    def test_strings_are_gone_through_character_by_character(self):
        numbered = "'<1>b<2>a<3>n<4>a<5>n<6>a'"
        for call, answer in (("rfind('ana')", "<6><5><4>value 3"), ("partition('na')", "('<1>b<2>a<3>','na','<4><5>n<6>a')"),
                             ("partition('x')", "('<1>b<2>a<3>n<4>a<5>n<6>a','','')"), ("removeprefix('ba')", "'<1><2><3>n<4>a<5>n<6>a'"),
                             ("removesuffix('na')", "'<1>b<2>a<3>n<4>a<5><6>'")):
            self.check(f"s.{call}", f"{numbered}.{call}", answer)
        self.check("s == 'bandit'", f"{numbered}o:== '<1>b<2>a<3>n<4>d<5>i<6>t'", "<1><2><3><4>value False")

    def test_collections_are_gone_through_item_by_item(self):
        numbered = "[<1>3,<2>10,<3>3]"
        for text, question, answer in (
                ("xs.count(3)", f"{numbered}.count(3)", "<1>it 1<2><3>it 2value 2"),
                ("dict(zip(s[:2], xs))", "dict(zip('<1>b<2>a',[<3>3,<4>10,<5>3]))", "{<1>'b':<3>3,<2>'a':<4>10}"),
                ("any([0, '', 7, 1])", "any([<1>0,<2>'',<3>7,<4>1])", "<1><2><3>value True"),
                ("max([5, 9, 7])", "max([<1>5,<2>9,<3>7])", "<2>9")):
            self.check(text, question, answer)

    def test_what_is_short_long_or_spelled_otherwise_is_asked_as_it_is(self):
        for text in ("len(xs)", "s[1:]", "s.upper()", "'an' in s[:3]", "3 in xs", "'a' * 33", "[1] * 33", "[1, 2] * 12", "s.ljust(40)", "'-5'.zfill(6)", "s.count('')",
                     "len('it\\'s \"so\"')", "'é' * 2", "'ab' * 1", "xs == d", "sorted(xs, key=abs)", "sorted([1.5, 0])", "o | {1.5}", "list(range(5))", "s + s", f"len({'x' * 33!r})",
                     "sorted([])", "s.replace('a', 'b', 1)", "list(zip(xs, xs, xs))"):
            question, answer, value = asked(text)
            self.assertFalse(set(POSITIONS) & {*question, *answer}, text)
            self.assertEqual(decode_answer(PROGRAM, answer), Answer("value", value))

    def test_an_answer_that_is_none_of_them_is_written_as_it_is(self):
        question = asked("s.removeprefix('ba')")[0]
        self.assertEqual(encode_answer(PROGRAM, Answer("value", "'x'"), question), [T.VALUE, *T.text_tokens("'x'"), T.END])
        raised = encode_answer(PROGRAM, Answer("exception", "ValueError('x')"), question)
        self.assertEqual(raised[0], T.EVENTS["exception"])

    def test_whatever_is_drawn_for_practice_is_read_as_it_was_meant(self):
        rng, count = random.Random(4), 0
        for _ in range(1500):
            text = drawn(rng, VALUES)
            try:
                question, answer, value = asked(text)
            except Exception:  # it raises, or is too long
                continue
            self.assertEqual(decode_answer(PROGRAM, answer), Answer("value", value), text)
            count += bool(set(POSITIONS) & set(question)) and bool(set(POSITIONS) & set(answer))
        self.assertGreater(count, 600)

    def test_malformed_answers_are_refused(self):
        one, last = POSITIONS[0], POSITIONS[MOST_ITEMS - 1]
        for tokens, position, expected in (([one], 2, "a value"), ([one, T.IT], 3, "a position"), ([one, T.IT, T.CHARS["x"]], 3, "a position"),
                                           ([T.CHARS["1"], T.VALUE], 2, "a value token or <|end|>"), ([one, T.VALUE, one], 3, "a value"),
                                           ([last + 1], 1, "a value"), ([one, T.CHARS["'"], one, T.IT, T.CHARS["2"]], 6, "a position")):
            found = decode_answer(PROGRAM, [T.VALUE, *tokens, T.END])
            self.assertEqual((found.position, found.expected), (position, expected), tokens)
        self.assertEqual(decode_answer(PROGRAM, [T.VALUE, one, T.CHARS["7"], T.END]), Answer("value", "7"))
