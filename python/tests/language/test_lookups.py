"""What is told without a question: what stands where in a value, how many there are, numbers beside infinite ones, constants in other notations."""

import math
import random
import unittest

from foretrace.language import tokens as T
from foretrace.language.expression_parts import expression
from foretrace.language.literal_constants import constant_value
from foretrace.language.plans import plan_of
from foretrace.language.told import told_value
from foretrace.trace.values import canonical
from tests.language.test_plans import _tokens, literal


def told(text):
    """What an expression over literals comes to without a question, in the text of its tokens; None where it is asked."""
    code = [token for name in text.split("|") for token in _tokens(name)]
    plan = plan_of(code, expression(code), lambda inner: told_value(code, inner, _infinite(code)))
    value = plan.value(lambda _: None) if plan is not None else None
    return None if value is None else "".join(T.WORD_TEXT.get(token) or T.NAMES[token] for token in value)


def _infinite(code):
    """Of parts that stand in the place of values those that are no code: `inf` and `-inf`."""
    def known(part):
        tokens = tuple(code[part.first:part.end])
        return tokens if T.WORDS["inf"] in tokens and len(tokens) < 3 else None
    return known


class Lookups(unittest.TestCase):
    def test_items_slices_and_counts_are_told(self):
        for text, value in (("[3,1][0]", "3"), ("[3,1][-1]", "1"), ("(1,'a')[1]", "'a'"), ("{'a':1}['a']", "1"), ("'abc'[-3]", "'a'"),
                            ("[[1,2],[3]][0][1]", "2"), ("[1,2,3][1:]", "[2,3]"), ("(1,2,3)[:1]", "(1,)"), ("'abcd'[::-2]", "'db'"),
                            ("[1,2][:]", "[1,2]"), ("'abc'[5:]", "''"), ("len|([1,[2,3]])", "2"), ("len|('')", "0"), ("len|({1:2,3:4})", "2"),
                            ("2| in |[1,2]", "True"), ("'b'| not | in |{'a':1}", "True"), ("'bc'| in |'abcd'", "True"), ("1| in |{2,3}", "False"),
                            ("{'a':1}.|get|('b')", "None"), ("{'a':1}.|get|('b',7)", "7"), ("[5,6].|index|(6)", "1"), ("'abab'.|find|('b')", "1"),
                            ("'abab'.|find|('c')", "-1"), ("'abab'.|index|('ba')", "1")):
            self.assertEqual(told(text.replace(" ", "")), value, text)

    def test_what_raises_or_is_not_told_is_asked(self):
        for text in ("[3,1][2]", "{'a':1}['b']", "'ab'[2]", "[1][::0]", "[1,2].|index|(3)", "'ab'.|index|('c')", "1|in|[1.0,2]", "1|in|'ab'",
                     "[1]['a']", "'a\\\\nb'[0]", "'ab'.|find|('b',1)", "{1:2}.|find|(1)", "{1,2}[0]", "[1.5]['a':]"):
            self.assertIsNone(told(text), text)

    def test_what_is_told_is_what_cpython_says(self):
        rng, found = random.Random(3), 0
        for _ in range(2000):
            text = rng.choice((_subscript, _search, _infinities))(rng)
            value = told(text)
            if value is None:
                continue
            expected = eval(text.replace("|", " "), {"inf": math.inf})
            self.assertEqual(value, canonical(expected).replace(", ", ",").replace(": ", ":"), text)
            found += 1
        self.assertGreater(found, 1200)

    def test_sums_of_infinite_numbers_that_may_be_none_are_asked(self):
        for text in ("inf|-|inf", "inf|*2", "inf|+'a'", "max|(|inf|,'a')", "max|(|inf|,1,|key|=|abs|)", "inf|<'a'"):
            self.assertIsNone(told(text), text)


class Constants(unittest.TestCase):
    def test_have_the_values_that_they_spell(self):
        for text in ("0x10", "0XfF", "0b101", "0o17", "1_000", "00", "1e3", "1.50", "1E-7", ".5", "5.", "1e22", "0.00001", "12345678901234567890",
                     "'a' 'b'", "'a' \"b'\"", "'a\\n'", "7", "1.5"):
            code = [token for piece in text.split(" ") for token in T.text_tokens(piece)]
            value = constant_value(tuple(code))
            told_text = None if value is None else "".join(T.NAMES[token] for token in value)
            self.assertEqual(told_text, None if text == "'a' \"b'\"" else canonical(eval(text)), text)
        for text in ("3j", "0x1j", "1e5j"):
            self.assertIsNone(constant_value(tuple(T.text_tokens(text))), text)


def _value(rng):
    size, kind = rng.randint(0, 7), rng.randrange(5)
    if kind == 0:
        return "".join(rng.choices("abcd", k=size))
    numbers = [rng.randrange(-3, 12) for _ in range(size)]
    return (numbers, tuple(numbers), {number: str(number) for number in numbers}, [str(number) for number in numbers])[kind - 1]


def _subscript(rng):
    bound = lambda: rng.choice(("", str(rng.randrange(-9, 9))))
    step = rng.choice(("", ":", ":" + str(rng.randrange(1, 4)), ":-" + str(rng.randrange(1, 4))))
    index = f"{bound()}:{bound()}{step}" if rng.random() < 0.6 else str(rng.randrange(-9, 9))
    return f"{literal(_value(rng))}[{index}]"


def _search(rng):
    value = _value(rng)
    wanted = literal("".join(rng.choices("abcd", k=rng.randint(0, 2))) if isinstance(value, str) else rng.choice((rng.randrange(-3, 12), str(rng.randrange(9)))))
    if isinstance(value, dict) and rng.random() < 0.5:
        return f"{literal(value)}.|get|({wanted})"
    name = "find" if isinstance(value, str) and rng.random() < 0.3 else "index" if rng.random() < 0.3 else None
    if name and not isinstance(value, dict):
        return f"{literal(value)}.|{name}|({wanted})"
    return rng.choice((f"{wanted}|in|{literal(value)}", f"{wanted}|not|in|{literal(value)}", f"len|({literal(value)})"))


def _infinities(rng):
    number = lambda: rng.choice(("inf|", "-|inf|", str(rng.randrange(-20, 20)), str(rng.randrange(20) / 4)))
    if rng.random() < 0.4:
        numbers = ",|".join(number() for _ in range(rng.randint(2, 4)))
        return f"{rng.choice(('max', 'min'))}|(|{numbers}|)"
    return f"{number()}|{rng.choice('< > <= >= == != + -'.split())}|{number()}"


class Kinds(unittest.TestCase):
    def test_what_a_value_is_is_told(self):
        for text in ("isinstance|(3,|int|)", "isinstance|(|True|,|int|)", "isinstance|(-2.5,|int|)", "isinstance|('a',(|int|,|str|))",
                     "isinstance|([1],(|tuple|,|set|))", "isinstance|({1:2},|dict|)", "isinstance|({1},|set|)", "isinstance|(|None|,|str|)", "ord|('a')",
                     "ord|(' ')", "chr|(65)", "chr|(39)", "6&3", "6^3", "-5&3",
                     "1|<<|40", "-5|>>|1", "int|('-012')", "int|(7.9)",
                     "int|(-0.5)", "int|('0')", "str|(-12)", "str|('a')", "float|(3)", "float|('1.50')", "float|(-0.5)", "float|('-0')", "bool|('')",
                     "bool|([0])", "list|(|map|(|int|,'102'))", "','.|join|(|map|(|str|,[1,23]))", "list|(|map|(|int|,[]))"):
            self.assertEqual(told(text), canonical(eval(text.replace("|", " "))).replace(", ", ","), text)

    def test_others_are_asked(self):
        for text in ("isinstance|(3,3)", "isinstance|(3,(|int|,3))", "ord|('ab')", "chr|(10)", "chr|(92)", "chr|(-1)", "chr|('a')", "int|('1.5')", "int|('a')", "str|([1])",
                     "float|(0.00001)", "list|(|map|(|ord|,[1]))", "int|(|None|)", "1|<<|65",
                     "1|<<|-1", "6&1.5", "1" + "0" * 40 + "&1"):
            self.assertIsNone(told(text), text)


class Arrangements(unittest.TestCase):
    def test_items_one_behind_the_other_are_told(self):
        for text, value in (("[1,2]+[3]", "[1,2,3]"), ("'ab'+'c'", "'abc'"), ("(1,)+()", "(1,)"), ("'ab'*3", "'ababab'"), ("2*[0]", "[0,0]"),
                            ("''*9999999", "''"), ("[1]*-1", "[]"), ("list|('ab')", "['a','b']"), ("tuple|([1])", "(1,)"),
                            ("list|({'a':1}.|items|())", "[('a',1)]"), ("list|(|zip|([1,2],'ab'))", "[(1,'a'),(2,'b')]"),
                            ("list|(|range|(3))", "[0,1,2]"), ("', '.|join|(['a','b'])", "'a, b'"), ("''.|join|(|reversed|('ab'))", "'ba'"),
                            ("'-'.|join|([])", "''")):
            self.assertEqual(told(text), value, text)

    def test_others_are_asked(self):
        for text in ("[1]+(2,)", "'a'+1", "'a'*97", "[0]*97", "1.5*[0]", "list|({1,2})", "list|(5)", "','.|join|([1,2])", "tuple|([1],2)", "','.|join|({'b','a'})"):
            self.assertIsNone(told(text), text)

    def test_what_is_told_is_what_cpython_says(self):
        rng, found = random.Random(5), 0
        for _ in range(800):
            left, right = _value(rng), _value(rng)
            text = rng.choice((f"{literal(left)}+{literal(right)}", f"{literal(left)}*{rng.randrange(-1, 5)}", f"list|({literal(left)})",
                               f"list|(|enumerate|({literal(left)}))", f"'-'.|join|({literal(left)})"))
            value = told(text)
            if value is None:
                continue
            self.assertEqual(value, canonical(eval(text.replace("|", " "))).replace(", ", ",").replace(": ", ":"), text)
            found += 1
        self.assertGreater(found, 300)
