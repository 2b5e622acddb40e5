"""What is made of other operations: what is put in order, sets, strings that are filled up."""

import random
import string
import unittest

from foretrace.language import tokens as T
from foretrace.language.frames import Frame
from foretrace.language.parts import expression
from foretrace.language.plans import plan_of
from foretrace.language.program import Program
from foretrace.language.told import told_value
from foretrace.language.truth import source_of, truth
from foretrace.trace.values import canonical

PROGRAM = Program.parse("def f():\n    return 0\n", "f()", shows_workings=True)
FRAME = Frame(2)


def made(text):
    """(value, questions, how many were counted) of an expression over literals; None where it is asked as it is."""
    code = [token for name in text.split("|") for token in _tokens(name)]
    part = expression(code)
    plan = plan_of(code, part, lambda inner: told_value(code, inner, lambda _: None))
    if plan is None:
        return None
    asked = []

    def value_of(written):
        asked.append(source_of(PROGRAM, written).replace(" ", ""))
        return truth(PROGRAM, FRAME)(written, ())[1:]

    value = plan.value(value_of)
    return value and source_of(PROGRAM, value).replace(" ", ""), asked, plan.questions


def _tokens(name):
    return [T.WORDS[name]] if name in T.WORDS else T.text_tokens(name)


def literal(value):
    """A value as code, words apart from what is around them."""
    return canonical(value).replace(", ", ",").replace(": ", ":")


class Plans(unittest.TestCase):
    def test_what_is_sorted_is_merged_by_comparisons(self):
        self.assertEqual(made("sorted|([3,1,2])"), ("[1,2,3]", ["1<3", "2<1", "2<3"], 3))
        self.assertEqual(made("sorted|(['b','a'],|reverse|=|True|)"), ("['b','a']", ["'b'<'a'"], 1))
        self.assertEqual(made("sorted|(['ab','c'],|key|=|len|)"), ("['c','ab']", ["len('ab')", "len('c')", "1<2"], 3))
        self.assertEqual(made("sorted|({'b':1,'a':2}.|items|())"), ("[('a',2),('b',1)]", ["'a'<'b'"], 1))
        self.assertEqual(made("max|(['b','ab','c'])"), ("'c'", ["'b'<'ab'", "'b'<'c'"], 2))
        self.assertEqual(made("min|((1,'b'),(1,'a'))"), None)
        self.assertEqual(made("min|([(1,'b'),(1,'a')])"), ("(1,'a')", ["'a'<'b'"], 1))
        for other in ("sorted|([1])", "sorted|([1,'a'])", "sorted|([1.5,2])", "sorted|([1,2],|key|=|abs|)", "max|([1,2])", "sorted|([(1,2),(1,)])", "len|([1,2])"):
            self.assertIsNone(made(other), other)

    def test_sets_are_gathered_by_looking_for_each_item(self):
        self.assertEqual(made("set|('aba')"), ("{'a','b'}", ["'b'in['a']", "'a'in['a','b']"], 2))
        self.assertEqual(made("{1,2}&{2,3}"), ("{2}", ["1in{2,3}", "2in{2,3}"], 2))
        self.assertEqual(made("{1}.|difference|({1,2})"), ("set()", ["1in{1,2}"], 1))
        for other in ("set|({1,2})", "set|([1])", "{1,2}|(3)", "set|([1,1.0])", "{1,2}+{3}", "{1}.|union|([1])", "{1,'a'}&{2}"):
            self.assertIsNone(made(other), other)

    def test_strings_are_filled_up_with_what_is_missing(self):
        self.assertEqual(made("'ab'.|ljust|(4,'*')"), ("'ab**'", ["len('ab')", "4-2", "'*'*2", "'ab'+'**'"], 4))
        self.assertEqual(made("'ab'.|zfill|(3)"), ("'0ab'", ["len('ab')", "3-2", "'0'+'ab'"], 4))
        self.assertEqual(made("'ab'.|rjust|(1)"), ("'ab'", ["len('ab')", "1-2"], 4))
        for other in ("'-5'.|zfill|(6)", "'ab'.|ljust|(40)", "'ab'.|center|(4)", "'ab'.|ljust|(4,'ab')"):
            self.assertIsNone(made(other), other)

    def test_whatever_is_made_is_what_cpython_says(self):
        rng, found = random.Random(7), 0
        for _ in range(1500):
            text = rng.choice((_sorting, _gathering, _padding))(rng)
            result = made(text)
            if result is None:
                continue
            value, asked, counted = result
            expected = canonical(eval(text.replace("|", " ").replace("~", "|"))).replace(", ", ",").replace(": ", ":").replace(" ", "")
            self.assertEqual(value, expected, text)
            self.assertLessEqual(len(asked), counted, text)
            found += 1
        self.assertGreater(found, 1000)


def _items(rng):
    size, kind = rng.randint(1, 12), rng.randrange(3)
    if kind == 0:
        return [rng.randrange(-20, 120) for _ in range(size)]
    texts = ["".join(rng.choices(string.ascii_letters[:6], k=rng.randint(0, 3))) for _ in range(size)]
    return texts if kind == 1 else [(text, rng.randrange(3)) for text in texts]


def _sorting(rng):
    items, name = _items(rng), rng.choice(("sorted", "sorted", "max", "min"))
    by_length = ",|key|=|len|" if not isinstance(items[0], int) and rng.random() < 0.3 else ""
    backwards = rng.choice(("", ",|reverse|=|True|", ",|reverse|=|False|")) if name == "sorted" else ""
    return f"{name}|({literal(rng.choice((list, tuple))(items))}{by_length}{backwards})"


def _gathering(rng):
    items = _items(rng)
    if rng.random() < 0.5 or isinstance(items[0], tuple):
        return f"set|({literal(items)})"
    first, second = (set(rng.choices(items, k=len(items))) for _ in range(2))
    return f"{literal(first)}{rng.choice('&^-')}{literal(second)}"


def _padding(rng):
    name, text = rng.choice(("ljust", "rjust", "zfill")), "".join(rng.choices("ab+-1", k=rng.randint(0, 8)))
    filler = rng.choice(("", ",'*'")) if name != "zfill" else ""
    return f"'{text}'.|{name}|({rng.randint(0, 12)}{filler})"


if __name__ == "__main__":
    unittest.main()
