"""What is made of other operations: what is put in order, sets, strings that are filled up."""

import random
import string
import unittest

from foretrace.language import tokens as T
from foretrace.language.expression_parts import expression
from foretrace.language.frames import Frame
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
    if name in T.OPERATORS:
        return [T.OPERATORS[name]]
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
        for other in ("sorted|([1])", "sorted|([1,'a'])", "sorted|([1.5,2])", "sorted|([1,2],|key|=|abs|)", "max|([1,2])", "sorted|([(1,2),(1,)])"):
            self.assertIsNone(made(other), other)

    def test_of_lists_and_tuples_the_first_items_that_differ_are_compared(self):
        self.assertEqual(made("[1,5]>[1,0]"), ("True", ["5>0"], 1))
        self.assertEqual(made("('b',2)|<=|('a',9)"), ("False", ["'b'<='a'"], 1))
        self.assertEqual(made("[[1],2]<[[1,0]]"), ("True", [], 0))
        self.assertEqual([made(f"[1,2]{operator}[1]")[0] for operator in ("<", "|<=|", ">", "|>=|")], ["False", "False", "True", "True"])
        self.assertEqual([made(f"(1,){operator}(1,)")[0] for operator in ("<", "|<=|", ">", "|>=|")], ["False", "True", "False", "True"])
        for other in ("[1]<[1.0]", "[1]<(2,)", "['a']<[1]", "[1]|==|[2]"):
            self.assertIsNone(made(other), other)

    def test_the_greatest_of_many_is_found_one_by_one(self):
        self.assertEqual(made(f"max|({[1, 0] * 7})".replace(" ", ""))[:2], ("1", ["1-0", "1-1"] * 6 + ["1-0"]))
        self.assertIsNone(made("max|([1,0,3])"))

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

    def test_powers_are_products_and_divisions_go_digit_by_digit(self):
        self.assertEqual(made("2|**|5"), ("32", ["2*2", "4*2", "8*2", "16*2"], 4))
        self.assertEqual(made("10|**|9"), ("1000000000", [], 0))
        self.assertEqual(made("2|**|32")[0], "4294967296")
        self.assertLessEqual(made("2|**|32")[2], 256)
        self.assertEqual(made("98%26"), ("20", ["98-26", "72-26", "46-26", "20-26"], 7))
        self.assertEqual(made("7%26"), ("7", [], 2))
        self.assertEqual(made("-30|//|8"), ("-4", ["divmod(30,8)", "3+1"], 3))
        self.assertEqual(made("divmod|(130,25)"), ("(5,5)", ["13-25", "25*5", "130-125"], 13))
        self.assertEqual(made("12/8"), ("1.5", ["divmod(12,8)", "divmod(40,8)"], 6))
        for other in ("3|**|2", "1|**|5", "2|**|33", "100|**|10", "2|**|-3", "12|//|0", "12|//|-5", "12/0", "5/1000000"):
            self.assertIsNone((made(other) or (None,))[0], other)

    def test_long_integers_are_reckoned_in_blocks(self):
        self.assertEqual(made("1625625-42925"), ("1582700", ["1625-42", "625-925", "1583-1", "1000-300"], 12))
        self.assertEqual(made("9999999+1")[0], "10000000")
        self.assertEqual(made("1234567+99999"), ("1334566", ["567+999", "1234+99", "1333+1"], 12))
        self.assertEqual(made("1234567*7"), ("8641969", ["23*7", "7+1", "45*7", "861+3", "67*7", "415+4"], 8))
        self.assertEqual(made("12-1000000")[0], "-999988")
        self.assertEqual(made("1000000007|//|8")[0], "125000000")
        self.assertEqual(made("1007|//|8")[:2], ("125", ["divmod(10,8)", "divmod(20,8)", "divmod(47,8)"]))
        self.assertEqual(made("1000000007%1000")[0], "7")

    def test_numbers_with_decimals_are_compared_as_integers(self):
        self.assertEqual(made("1.5<12"), ("True", ["15-120"], 2))
        self.assertEqual(made("0.5|>=|0.25"), ("True", ["50-25"], 2))
        self.assertEqual(made("-0.5<3"), ("True", ["5+30"], 2))
        for other in ("1.5|==|12", "1e16<12", "0.1234567<12345678901234567.5"):
            self.assertIsNone(made(other), other)

    def test_halves_and_their_like_are_reckoned_with_as_integers(self):
        self.assertEqual(made("1.5+12"), ("13.5", ["15+120"], 2))
        self.assertEqual(made("2.0*3"), ("6.0", ["2*3"], 1))
        self.assertEqual(made("-0.25-0.5"), ("-0.75", ["25+50"], 2))
        self.assertEqual(made("7.5/2")[0], "3.75")
        for other in ("-0.0+1", "0.0078125*0.0078125"):
            self.assertIsNone((made(other) or (None,))[0], other)

    def test_floats_are_integers_times_powers_of_two(self):
        self.assertEqual(made("0.1+0.2")[0], "0.30000000000000004")
        self.assertEqual(made("6/4"), ("1.5", [], 0))
        self.assertEqual(made("7.5/-2"), ("-3.75", [], 0))
        self.assertEqual(made("15.13*32")[:2], ("484.16", []))
        self.assertEqual(made("1/3")[0], "0.3333333333333333")
        self.assertEqual(made("1/3")[1][:3], ["divmod(72,3)", "divmod(5,3)", "divmod(27,3)"])
        self.assertEqual(made("45/46")[0], "0.9782608695652174")
        self.assertEqual(made("-1168489029484.125*399")[0], "-466227122764165.9")
        self.assertEqual([made(text)[0] for text in ("0.1*0", "0/7", "0.1*-0.0", "-0.0/7")], ["0.0", "0.0", "-0.0", "-0.0"])
        for other in ("1/0", "1/0.0", "1e-05+0.1", "0.1|**|2", "0.1|//|3"):
            self.assertIsNone((made(other) or (None,))[0], other)

    def test_numbers_are_told_with_another_sign(self):
        self.assertEqual(made("abs|(-25.55555555555555)"), ("25.55555555555555", [], 0))
        self.assertEqual(made("abs|(3)"), ("3", [], 0))
        for other in ("abs|([1])", "abs|(1,2)", "abs|(|True|)"):
            self.assertIsNone(made(other), other)

    def test_integers_are_read_in_any_base(self):
        self.assertEqual(made("int|('101',2)"), ("5", [], 0))
        self.assertEqual(made("int|('-fF',16)"), ("-255", [], 0))
        for other in ("int|('0x1f',16)", "int|('12',2)", "int|('1',37)", "int|(1,2)", "int|('',2)"):
            self.assertIsNone(made(other), other)

    def test_whatever_is_made_is_what_cpython_says(self):
        rng, found = random.Random(7), 0
        for _ in range(4000):
            text = rng.choice((_sorting, _gathering, _padding, _reckoning))(rng)
            result = made(text)
            if result is None:
                continue
            value, asked, counted = result
            expected = canonical(eval(text.replace("|", " ").replace("~", "|"))).replace(", ", ",").replace(": ", ":").replace(" ", "")
            self.assertEqual(value, expected, text)
            self.assertLessEqual(len(set(asked)), counted, text)
            found += 1
        self.assertGreater(found, 2500)


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


def _reckoning(rng):
    digits = rng.choice((4, 4, 8, 13))
    left, right = rng.randint(-10 ** digits, 10 ** digits), rng.randint(1, 10 ** rng.randint(1, 3))
    kind = rng.randrange(8)
    if kind == 7:
        first, second = (rng.choice((rng.uniform(-1000, 1000), rng.randint(-9999, 9999) / 100)) for _ in range(2))
        operator = rng.choice("+-*/")
        return f"{first}{operator}{second if operator in '+-' else rng.randint(2, 999)}"
    if kind == 6:
        return f"{left}{rng.choice('+-*')}{rng.choice((right, rng.randint(10 ** 6, 10 ** digits)))}" if digits > 6 else f"{left}-{right}"
    if kind == 5:
        return f"{left / rng.choice((1, 2, 4, 8))}{rng.choice('+-*')}{rng.choice((right, -right / 4))}"
    if kind == 0:
        return f"divmod|({left},{right})"
    if kind == 1:
        return f"{rng.randint(2, 30)}|**|{rng.randint(2, 6)}"
    if kind == 2:
        return f"{abs(left)}/{rng.choice((2, 4, 5, 8, 10, 16, 20, 25, 40, 100))}"
    if kind == 3:
        return f"{left / rng.choice((1, 2, 4, 10))}{rng.choice(('<', '>', '|<=|', '|>=|'))}{right / rng.choice((1, 4, 100))}"
    return f"{left}{rng.choice(('|//|', '%'))}{right}"


if __name__ == "__main__":
    unittest.main()
