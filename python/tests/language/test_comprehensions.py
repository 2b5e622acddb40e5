"""Comprehensions that are worked out item by item: what is asked, what takes their place, when they stay as they are."""

import ast
import unittest
from random import Random

from foretrace.corpus.programs import drawn, traced
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.augmented import as_assignment
from foretrace.language.errors import EncodeError, ProgramError
from foretrace.language.frames import Frame
from foretrace.language.line_parts import line
from foretrace.language.program import Program
from foretrace.language.truth import source_of, true_line
from foretrace.language.line_values import begins
from foretrace.trace.values import canonical
from tests.language.test_workings import LOCALS, Case

VALUES = {name: eval(text) for name, text in LOCALS.items() if name != "o"}  # literals of the tests
ALIKE = (
    "[k * 2 for k in xs]", "[k for k in xs if k > 10]", "[k for k in xs if k > 99]", "[]", "[k.upper() for k in s]", "[(z, k) for z, k in enumerate(s)]",
    "[z + k for z, k in zip(xs, range(a))]", "[k for k in d]", "[k[0] for k in d.items()]", "[k ** 2 for k in (b, 3)]", "[-k for k in xs if k]",
    "[k for k in range(a, 20, 5)]", "[[k, z] for k, (z, q) in [(1, ('a', 2)), (3, ('b', 4))]]", "[(k,) for k in s]", "[() for k in s]", "[1.5 for k in s]",
    "[k if k > 10 else -1 for k in xs]", "[xs[k] for k in range(len(xs))]", "[k == 'b' or k > 'b' for k in s]", "[k for k in \"it's\"]",
    "[s for k in xs]", "[[q * k for q in xs] for k in (1, 2)]", "[k.bit_length() for k in xs]", "[k for k in ''.join(['a', 'b'])]",
    "[k for k in s if k != 'a' if k != 'c']", "[k for k, in [[1], [2]]]", "[float(k) for k in xs]", "[None for k in s if not k]",
    "[k for k in reversed(xs)]", "[(k, z) for k, z in d.items()]", "[k for k in d.keys()]", "[k for k in d.values()]", "[k for k in zip(s)]", "[k for k in zip()]",
    "[k for k in range(5, b, -2)]", "[k for k in range(0)]", "[k for k in enumerate(zip(s, reversed(range(a))))]", "[0 for _ in range(24)]", "[(k + z) * 2 for k, z in zip(xs, xs[1:])]",
    "[{k: z, 'q': [k]} for k, z in zip(s, xs)]", "[{1: k} for k in s]",
    "[-2.5 for k in s]", '["x" for k in s]',
)
LEFT = (
    "[k for k in {1, 2}]", "[k for k in xs for q in xs]", "[~k for k in (0, 1.5)]", "[g(k) for k in xs]", "[{k: 1, 10: 2} for k in xs]", "[{k: 1, 1.5: 2} for k in xs]", "[{k, 10} for k in xs]", "[k for k in o]", "[k / z for k in xs]", "{k: 1 for k in s}", "{k for k in s}",
    "[k for k in range(25)]", "[k for k in range(1.0)]", "[k for k in range(1, 2, 0)]", "[k for k in zip(*[xs, xs])]", "[k for k in enumerate(s, 1.0)]",
    "[k for k in reversed(enumerate(s))]", "[k for k in map(abs, xs)]", "[k for k in filter(None, xs)]", "[k for k in xs.items()]", "[k for k in range(10 ** 9)]",
    "[k for k, q in s]", "[(lambda k: k)(k) for k in xs]", "[k for k in 'a\\n']", "[1j for k in s]",
    "[[k for k in k] for k in s]", "[k for k, *q in [[1, 2]]]", "[k + q + k + q + k for k in xs for q in range(3)]",
)


class Comprehensions(unittest.TestCase):
    def test_the_list_that_takes_their_place_is_cpythons(self):
        for text in ALIKE:
            with self.subTest(text):
                self.assertEqual(_shown(f"a = {text}"), f"a={canonical(eval(text, dict(VALUES)))}".replace(" ", ""))

    def test_others_stay_as_they_are(self):
        for text in LEFT:
            with self.subTest(text):
                self.assertIn(" for ", Case(f"return {text}").shown())

    def test_each_item_is_asked_for(self):
        case = Case("return [k * a - 1 for k in xs if k > a + 7]")
        self.assertEqual(case.answers(), [
            ("a+7", "10"), ("10-10", "0"), ("20-10", "10"), ("20*a", "60"), ("20*a-1", "59"), ("30-10", "20"), ("30*a", "90"), ("30*a-1", "89")])
        self.assertEqual(Case("return [k + 1 for k in (1, 2, 1)]").answers(), [("1+1", "2"), ("2+1", "3")])

    def test_what_iterators_give_is_not_asked(self):
        self.assertEqual(Case("return [k for k in enumerate(range(len(xs) - 1))]").answers(), [("len(xs)-1", "2")])

    def test_items_that_are_alike_are_asked_once(self):
        self.assertEqual(Case("return [b * (a + len(xs)) for _ in range(24)]").answers(), [
            ("a+len(xs)", "6"), ("2*6", "12")])

    def test_what_is_the_same_for_all_items_is_asked_of_those_that_are_not_gone_through(self):
        self.assertEqual(Case("return [[0] * (a + 40) for k in range(a + 50)]").answers()[:2], [("a+50", "53"), ("a+40", "43")])
        self.assertEqual(Case("return [[k, a * 2] for k in range(a + 50)]").shown(), " return [[k,6] for k in  range (53)]")
        self.assertEqual(Case("return [[k * a for j in range(k + a)] for k in range(90)]").answers(), [])

    def test_generators_are_lists_for_what_takes_them_unless_they_are_entered(self):
        for text, shown in (("sum(k * 2 for k in xs) / a", "40.0"), ("g(max((k for k in xs), default=0))", "g(30)"), ("'-'.join(k.upper() for k in s)[a:]",
                            "'-C'"), ("g(any(k > 10 for k in xs))", "g( True )"), ("g(sorted((k for k in xs), key=lambda q: -q))", "g([30,20,10])")):
            with self.subTest(text):
                self.assertEqual(Case(f"a = {text}").shown(enters=False), f"a={shown}")
                self.assertIn(" for ", Case(f"a = {text}").shown())
        self.assertEqual(Case("return sum(k * 2 for k in xs)").shown(enters=False), " return 120")
        self.assertEqual(Case("return sorted(k * 2 for k in xs)").shown(enters=False), " return [20,40,60]")
        self.assertIn(" for ", Case("return iter(k for k in xs)").shown(enters=False))

    def test_those_in_others_are_worked_out_too(self):
        for text, shown in (("[[0 for _ in range(a)] for _ in range(2)]", "[[0,0,0],[0,0,0]]"), ("[[q * k for q in (1, 2)] for k in (3, 4)]", "[[3,6],[4,8]]"),
                            ("[sum(q for q in range(k)) for k in (2, 3)]", "[1,3]"), ("[[k for k in s] for k in (1, 2)]", "[['a','b','c'],['a','b','c']]")):
            self.assertEqual(Case(f"g({text})").shown(enters=False), f"g({shown})")
        self.assertEqual([text for text, _ in Case("g([[q * k for q in (1, 2)] for k in (3, 3)])").answers()], ["1*3", "2*3"])
        self.assertIn(" for ", Case("g([[q * k for q in range(9)] for k in range(9)])").shown())

    def test_an_item_that_raises_leaves_them(self):
        case = Case("g([k / (k - 20) for k in xs])")
        self.assertIn("ZeroDivisionError", str(case.answers()[-1]))
        self.assertIn("exception", case.shown())
        self.assertEqual(Case("g(any(10 / (k - 20) < 0 for k in xs))").answers(enters=False)[-1][1], "True")

    def test_the_head_of_a_loop_keeps_them(self):
        self.assertIn(" for k in xs", Case("for q in [k for k in xs]:\n        pass").shown())

    def test_long_lists_and_many_questions_leave_them(self):
        self.assertNotIn(" for ", Case("return [s + 'abcdef' for k in range(7)]").shown())
        self.assertIn(" for ", Case("return [s + 'abcdef' for k in range(9)]").shown())
        self.assertNotIn(" for ", Case("return [(k + 1) * (k + 2) * k for k in range(14)]").shown())
        self.assertNotIn(" for ", Case("return [(k + 1) * (k + 2) * (k + 3) for k in range(14)]").shown())
        self.assertIn(" for ", Case("return [(k + 1) * (k + 2) * (k + 3) for k in range(24)]").shown())

    def test_a_line_has_a_limit(self):
        case = Case("return " + ", ".join(f"[k + {number} for k in range(20)]" for number in range(1, 14)))
        self.assertEqual(len(case.asked), 241)  # the thirteenth as a whole
        self.assertEqual(case.answers()[-1][0], "[k+13forkinrange(20)]")

    def test_questions_have_the_values_of_names(self):
        case = Case("return [xs[k] + a for k in range(2)]")
        self.assertEqual([case.spelled(question) for question, _ in case.asked], [
            " evaluate  it 010+300", " evaluate  it 020+300"])


class Programs(unittest.TestCase):
    def test_lines_compute_what_they_computed(self):
        """Lines of generated programs with comprehensions: the value is the same when what was worked out stands in its place."""
        count = 0
        for seed in range(300):
            trace = traced(drawn(Random(seed), 0.8))
            if trace is None:
                continue
            try:
                program = Program.parse(trace.source, trace.call, shows_workings=True)
                annotated = annotate(program, trace)
            except (ProgramError, EncodeError):
                continue
            for frame in annotated.frames:
                code = program.line_tokens(frame.line) if frame.event == "line" else []
                if T.WORDS["for"] in code[1:]:
                    code = as_assignment(code, *begins(program, code, frame))
                if T.WORDS["for"] in code[1:]:
                    count += self.check(program, frame, code)
        self.assertGreater(count, 25)

    def check(self, program: Program, frame: Frame, code: "list[int]") -> bool:
        worked = true_line(program, code, frame, enters=False)
        before, after = line(code), line(worked)
        if worked == code or before is None or after is None:
            return False
        values = {name: value for name, value in ((name, _literal(text)) for name, text in frame.locals.items()) if value is not None}
        parts = [(tokens, (found.values or found.inner[-1:])[0]) for tokens, found in ((code, before), (worked, after))]
        texts = [source_of(program, tokens[part.first:part.end]) for tokens, part in parts]
        written, left = (_computed(text, values) for text in texts)
        if written == "NameError":  # of an object, whose attributes are read
            return False
        self.assertEqual(written, left, texts)
        return True


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def _computed(text: str, values: "dict[str, object]") -> str:
    try:
        return canonical(eval(text, dict(values)))
    except Exception as error:
        return type(error).__name__


def _shown(code: str) -> str:
    return Case(code).shown().replace(" ", "")


if __name__ == "__main__":
    unittest.main()
