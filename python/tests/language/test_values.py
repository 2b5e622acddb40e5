import random
import unittest

from foretrace.language import tokens as T
from foretrace.language.errors import DecodeError
from foretrace.language.golden import HAND_VALUES
from foretrace.language.program import Program
from foretrace.language.values import decode_value, encode_value

from .support import runs


class Values(unittest.TestCase):
    def setUp(self):
        self.program = Program.parse("def f(n, count):\n  return n\n", "f(1, 2)")

    def names(self, text):
        return " ".join(T.to_names(encode_value(self.program, text)))

    def test_forms(self):
        for text, expected in (
            ("[1, (2,), None]", "[ 1 , ( 2 , ) , <|w:None|> ]"),
            ("{'k': b'x'}", "{ ' k ' : <|bytes|> ' x ' }"),
            ("f(n=1, count=2, other=0x1f)",
             "<|ref|> <|v0|> ( <|ref|> <|v1|> = 1 , <|w:count|> = 2 , o t h e r = 0 x 1 f )"),
            ("'a, b: \\' é'", "' a ,   b :   \\ '   <|xc3|> <|xa9|> '"),
            ("'ab…", "' a b <|cut|>"), ("[1, …", "[ 1 ,   <|cut|>"), ("[1,…", "[ 1 , <|cut|>"),
            ("'a…'", "' a <|xe2|> <|x80|> <|xa6|> '"),
            ("", "<|raw|>"), ("x,y", "<|raw|> x , y"), ("'open", "<|raw|> ' o p e n"),
                               ("a:b…", "<|raw|> a : b <|cut|>"),
        ):
            with self.subTest(text):
                self.assertEqual(self.names(text), expected)

    def test_every_value_comes_back(self):
        draw = random.Random(3)
        parts = ["'", '"', "\\", ", ", ",", ": ", ":", ")", " ", "b", "n", "count", "None", "é", "😀", "…", "\n", "1",
                 "_", "("]
        texts = HAND_VALUES + ["".join(draw.choices(parts, k=draw.randint(1, 12))) for _ in range(6000)]
        for text in texts:
            self.assertEqual(decode_value(self.program, encode_value(self.program, text)), text)
        raw = sum(encode_value(self.program, text)[0] == T.RAW for text in texts)
        self.assertGreater(raw, 100)
        self.assertLess(raw, len(texts) - 100)

    def test_real_values_come_back_and_are_mostly_compact(self):
        count = raw = 0
        for program, _, annotated in runs():
            for frame in annotated.frames:
                for text in [*frame.locals.values(), *([frame.value] if frame.value is not None else [])]:
                    tokens = encode_value(program, text)
                    self.assertEqual(decode_value(program, tokens), text)
                    count += 1
                    raw += tokens[0] == T.RAW
        self.assertLess(raw / count, 0.1)

    def test_lone_surrogate_becomes_the_replacement_character(self):
        self.assertEqual(decode_value(self.program, encode_value(self.program, "a\ud800")), "a\ufffd")

    def test_malformed_values_are_errors_with_a_place(self):
        quote, bytes_ = T.CHARS["'"], T.BYTE_BASE
        for tokens, position in (([], 0), ([quote], 1), ([T.REF], 1), ([T.REF, T.SLOT_BASE + 70], 1),
                                 ([T.BYTES, T.CHARS["a"]], 1),
                                 ([T.CHARS["1"], T.RAW], 1), ([T.CUT, T.CHARS["1"]], 1), ([bytes_ + 0x80], 0),
                                 ([bytes_ + 0xC3, T.CHARS["a"]], 1), ([bytes_ + 0xC3], 1),
                                 ([bytes_ + 0xED, bytes_ + 0xA0], 1),
                                 ([T.RAW, T.WORDS["None"]], 1), ([quote, T.WORDS["None"]], 1), ([T.END], 0), ([-1], 0),
                                 ([99999], 0), ([T.SLOT_BASE], 0), ([bytes_ + 0x41], 0)):
            with self.subTest(tokens):
                found = decode_value(self.program, tokens)
                self.assertIsInstance(found, DecodeError)
                self.assertEqual(found.position, position)

    def test_any_tokens_decode_to_a_value_or_an_error(self):
        draw = random.Random(5)
        likely = [T.RAW, T.CUT, T.REF, T.BYTES, T.SLOT_BASE, T.CHARS["'"], T.CHARS[","], T.CHARS["\\"],
                  T.BYTE_BASE + 0xC3,
                  T.BYTE_BASE + 0xA9, T.WORDS["None"], T.CHARS["1"]]
        kinds = set()
        for _ in range(5000):
            tokens = [draw.choice(likely) if draw.random() < 0.9 else draw.randrange(-3, T.SIZE + 3) for _ in range(6)]
            kinds.add(type(decode_value(self.program, tokens)))
        self.assertEqual(kinds, {str, DecodeError})


if __name__ == "__main__":
    unittest.main()
