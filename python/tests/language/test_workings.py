"""What is worked out before steps and questions, and CPython's answers to it."""

from __future__ import annotations

import time
import unittest
from random import Random
from typing import Optional
from unittest import mock

from foretrace.corpus.programs import drawn, traced
from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.encode import encode_question
from foretrace.language.errors import EncodeError, ProgramError
from foretrace.language.evaluate import Answer, decode_answer, encode_evaluate, encode_evaluate_in
from foretrace.language.frames import Frame
from foretrace.language.golden_workings_programs import PROGRAMS
from foretrace.language.line_values import LONGEST_RESULT
from foretrace.language.literals import is_literal
from foretrace.language.program import Program
from foretrace.language.truth import asked_workings, source_of, truth
from foretrace.language.workings import MOST_WORKINGS, worked_expression, worked_line
from foretrace.language.values import encode_value
from foretrace.trace.replay import evaluate
from foretrace.trace.tracer import Limits, run
from tests.language.support import runs

SOURCE = """def f(a, b, xs, d, s, o):
    {}
    return a
def g(k, z):
    return k
"""
LOCALS = dict(a="3", b="-2", xs="[10, 20, 30]", d="{'k': [1, 2], 'm': {}}", s="'abc'", o="<O object>", z="0.0")
ANSWERS = {T.VALUE: "value", T.EVENTS["exception"]: "exception"}
EQUAL_RUNS = 40  # generated programs whose workings are run again


class Case:
    """A state of one line, names bound as in LOCALS, and what is asked before a step from it."""

    def __init__(self, code: str, **values: str):
        self.program = Program.parse(SOURCE.format(code), "f(1, 2, 3, 4, 5, 6)", shows_workings=True)
        self.frame = Frame(2, (), {**LOCALS, **values}, event="line")
        self.code = self.program.line_tokens(2)
        self.asked = asked_workings(self.program, self.code, self.frame)

    def spelled(self, tokens) -> str:
        text = "".join(self.program.slot_names.get(token, T.NAMES[token]) for token in tokens)
        return text.replace("<|w:", " ").replace("|>", " ").replace("<|", " ")

    def answers(self, enters: bool = True) -> list[tuple[str, str]]:
        """The expressions without the values of their names, and what they came to."""
        found = []

        def ask(part, question) -> Optional[list[int]]:
            answer = truth(self.program, self.frame)(part, question)
            told = answer and decode_answer(self.program, [*answer, T.END])
            found.append((source_of(self.program, part).replace(" ", ""), told and told.text))
            return answer

        worked_line(self.program, self.code, self.frame, ask, enters)
        return found

    def shown(self, enters: bool = True) -> str:
        """The line with what was worked out, without the values of names."""
        known = truth(self.program, self.frame)
        return self.spelled(worked_line(self.program, self.code, self.frame, known, enters))


class Workings(unittest.TestCase):
    def check(self, code: str, *expected: tuple[str, Optional[str]], **values: str) -> None:
        self.assertEqual(Case(code, **values).answers(), list(expected), code)

    def test_parts_are_worked_out_in_the_order_in_which_they_run(self):
        self.check("a = xs[a - 1] * len(xs) + b * 2", ("a-1", "2"), ("xs[a-1]*len(xs)", "90"),
                   ("2*2", "4"), ("90-4", "86"))
        self.check("return (a + b) * (a - b), s + s", ("3-2", "1"), ("3+2", "5"), ("(a+b)*(a-b)", "5"))
        self.check("if a + 1 > b: \n        pass".replace(": \n", ":\n"), ("a+1", "4"), ("4+2", "6"))
        self.check("for q in range(len(xs) - 1):\n        pass", ("len(xs)-1", "2"))
        self.check("xs[a + b], xs[a - 1] = b * 2, a", ("2*2", "4"), ("3-2", "1"), ("a-1", "2"))
        self.check("assert -b > a, s + 'x'", ("-b>a", "False"))

    def test_what_the_step_shows_by_itself_is_not(self):
        for code in ("a / b", "return xs[a]", "a = b = s", "while a and b:\n        pass", "a = a if z else b"):
            self.check(code)
        self.check("g(a / 2)")
        self.check("g(a / s)", ("a/s", "TypeError(\"unsupported operand type(s) for /: 'int' and 'str'\")"))

    def test_a_step_is_left_no_sum_product_power_comparison_or_sign(self):
        self.check("return -a")
        self.assertEqual(Case("return -a").shown(), " return -3")
        self.assertEqual(Case("return g(abs(b - 1.5))").shown(), " return g(3.5)")
        self.check("while a < b:\n        pass", ("3+2", "5"))
        self.check("while a < 4:\n        pass", ("a<4", "True"))
        self.check("a = min(a, b)", ("3+2", "5"))
        self.check("a = a + b", ("3-2", "1"))
        self.check("return a ** 2", ("a**2", "9"))
        self.check("a = b * a if z else a * 2", ("a*2", "6"))

    def test_an_augmented_assignment_is_the_assignment_it_stands_for(self):
        self.check("a += b * 2", ("2*2", "4"), ("3-4", "-1"))
        self.assertEqual(Case("a -= 2").shown(), "a=1")
        self.assertEqual(Case("xs[a - 1] *= b").shown(), "xs[2]=-60")
        self.assertEqual(Case("d['k'][1] += 4").shown(), "d['k'][1]=6")
        self.assertEqual(Case("s += s").shown(), "s='abcabc'")
        self.assertEqual(Case("a += g(b)").shown(), "a=a+g(b)")
        self.assertEqual(Case("a *= a if z else b, a").shown(), "a=(-2,3,-2,3,-2,3)")
        for code in ("xs += [1]", "d['k'] += [1]", "o += 1", "a @= 2", "a.b += 1", "q += 1"):
            self.assertEqual(Case(code).shown(), Case(code).spelled(Case(code).code))

    def test_values_stand_in_place_of_what_was_worked_out(self):
        self.assertEqual(Case("a = xs[a - 1] * (len(xs) + b)").shown(), "a=30")
        self.assertEqual(Case("g(a + b, s + 'x')[a * 2].a").shown(), "g(1,'abcx')[6].a")
        self.assertEqual(Case("a = (b - 1) ** 2 - (b - 1)").shown(), "a=12")
        self.assertEqual(Case("g(((a + b)) * o)").shown(), "g(1*o)")
        self.assertEqual(Case("g((b - 1) ** o)").shown(), "g((-3) o:** o)")
        self.assertEqual(Case("a = g(a / z) + a * 2").shown(), "a=g( exception  ZeroDivisionError ('float division by zero'))+a*2")

    def test_the_steps_question_is_the_worked_line(self):
        case = Case("a = xs[a - 1] + a")
        shown = case.spelled(encode_question(case.program, [case.frame], "step_over"))
        self.assertEqual(shown.strip(), "here a=33 step_over")
        self.assertEqual([case.spelled(question) for question, _ in case.asked],
                         [" evaluate a3-1", " evaluate  it 030+300"])

    def test_marks_take_indices_that_were_worked_out(self):
        step = Case("return xs[len(xs) + a]")
        self.assertIn("xs[10,20,30 it ][6]", step.spelled(encode_question(step.program, [step.frame], "step_over")))
        nested = Case("return d['k'][a + a] * 2")
        self.assertIn("d{ it 'k':[1,2 it ],'m':{}}['k'][6]", nested.spelled(nested.asked[1][0]))

    def test_what_looks_into_a_value_is_told(self):
        self.assertEqual(Case("return g(xs[len(xs) + b:a * 1]) + d['k'][a - 2]").answers(), [("3-2", "1"), ("a*1", "3"), ("a-2", "1")])
        self.assertEqual(Case("return g(xs[-1], s[::-1], 20 in xs, xs.index(20))").shown(), " return g(30,'cba', True ,1)")
        self.assertEqual(Case("return xs[1]").shown(), " return 20")

    def test_operators_that_end_early_are_followed(self):
        self.check("return a > 1 and b > 1 and xs[9]", ("a>1", "True"), ("2+1", "3"))
        self.check("return a > 1 or xs[9]", ("a>1", "True"))
        self.check("return z or b'' and xs[9] or {} or xs[9]", ("b''andxs[9]", "b''"))
        self.check("return o and xs[9]")
        self.check("return -z or a * 2 or xs[9]", ("a*2", "6"))
        self.check("return d['m'] or s[1:1] or xs[a]", ("xs[a]", "IndexError('list index out of range')"))
        self.check("g(a + 1 if z else b + 1)", ("1-2", "-1"))
        self.check("g(a if o else b + 1)")
        self.check("return a < b + 1 < 1 / z", ("1-2", "-1"), ("3+1", "4"))
        self.check("if -1 < a - 1 < len(xs):\n        pass", ("a-1", "2"), ("1+2", "3"), ("2<3", "True"))
        self.assertEqual(Case("if -1 < a - 1 < len(xs):\n        pass").shown(), " if  True :")

    def test_the_truth_of_a_value_is_pythons(self):
        for text in ("0", "0.0", "-0.0", "0j", "''", "b''", "[]", "()", "{}", "set()", "deque([])", "Counter()", "None", "False"):
            self.check("return z or a + 1 or o", ("a+1", "4"), z=text)
        for text in ("1", "0.5", "'0'", "b'0'", "[0]", "(0,)", "{0: 0}", "{0}", "deque([0])", "Counter({'a': 0})", "nan", "True"):
            self.check("return z or a + 1", z=text)

    def test_an_exception_ends_them(self):
        self.check("return g(a / z) + xs[a - 1]", ("a/z", "ZeroDivisionError('float division by zero')"))
        self.check("return xs[9] + d['x'] + a * 2", ("xs[9]", "IndexError('list index out of range')"))
        self.check("return d['x'] + a * 2 + 1", ("d['x']", "KeyError('x')"))
        long = "abc" * 40
        self.assertGreater(len(long), LONGEST_RESULT)
        self.check("return d[s * 40] * (a + 1)", ("s*40", repr(long)), ("d[s*40]", f"KeyError({long!r})"))  # too long to be shown, and yet the end

    def test_unknown_names_and_calls_are_left_to_the_step(self):
        self.check("return g(o) + o.a + o[a] + q")
        self.check("return xs.pop() + xs.append(a * 2)", ("a*2", "6"))
        self.check("return g(a) * 2 + f'{a}' + len(o) + (lambda: a)() + (a + 1 for q in xs)")
        self.check("return len(xs) + xs.pop() + len(xs) + (a + 1) + len(s)", ("a+1", "4"))
        self.check("return (g(a), len(xs), a + 1, len(o) + len(xs))", ("a+1", "4"))
        self.check("return len([q + a for q in xs if q > g]) + sum([q * a for q in xs])", ("10*a", "30"), ("20*a", "60"), ("30*a", "90"),
                   ("30+60", "90"), ("90+90", "180"))
        self.check("return [xs.pop() for q in s], len(xs) + 1, len(s) + 1", ("len(s)+1", "4"))
        self.check("a = (xs.pop() if o.a else 0) + len(xs) * 2, f'{xs.pop()}' + str(len(xs)), (o.a and xs.pop()), xs[-1] + 1")

    def test_what_a_step_may_enter_stays_in_its_line(self):
        self.check("return sum(q * a for q in xs) + len(sorted(xs, key=lambda q: -q))")
        case = Case("return sum(q for q in xs)")
        code = encode_evaluate(case.program, "sum(q * a for q in xs) + 1")[1:]
        known = truth(case.program, case.frame)
        self.assertEqual(case.spelled(worked_expression(case.program, code, case.frame, known)), "180+1")

    def test_the_head_of_a_loop_keeps_its_items_and_raises_on_the_first_pass_only(self):
        head = "for q in zip(xs[1:], range(len(xs) - 1)):\n        pass"
        self.assertEqual(Case(head).shown(), " for q in  zip (xs[1:], range (2)):")
        for iterable, shown in (("range(len(d['k']))", " range (2)"), ("enumerate(list(xs[1:]))", " enumerate ( list (xs[1:]))"), (
                "sorted(xs[1:])", "[20,30]"), ("d['k'][a - 2:]", "d['k'][1:]"), ("zip(s * 2, range(min(xs[1:])))", " zip (s*2, range (20))"), (
                "d['k'].copy()", "d['k']. copy ()"), ("s.upper().split()", "'ABC'. split ()")):
            with self.subTest(iterable):
                self.assertEqual(Case(f"for q in {iterable}:\n        pass").shown(), f" for q in {shown}:")
        raising = Case("for q in range(a // z):\n        pass", z="0")
        known = truth(raising.program, raising.frame)
        for its, raises in (((0,), True), ((1,), False)):
            frame = Frame(2, its, raising.frame.locals, event="line")
            written = worked_line(raising.program, raising.code, frame, known)
            self.assertEqual(T.EVENTS["exception"] in written, raises)

    def test_what_a_loop_goes_over_in_order_has_a_mark(self):
        for iterable, its, shown in (("sorted(xs, reverse=True)", 1, "[30, it 20,10]"), ("enumerate(sorted(s))", 3, " enumerate (['a','b','c' it ])"),
                                     ("sorted(xs)[1:]", 0, " sorted (xs)[1:]"), ("set(s)", 0, " set (s)")):
            case = Case(f"for q in {iterable}:\n        pass")
            frame = Frame(2, (its,), case.frame.locals, event="line")
            written = worked_line(case.program, case.code, frame, truth(case.program, frame))
            self.assertEqual(case.spelled(written), f" for q in {shown}:")

    def test_constants_that_are_written_in_an_unusual_way_decide_nothing(self):
        for constant in ("0.00", "-0", "0b0", "'' ''", "..."):
            self.check(f"return g({constant} and len(s) > 2)", (f"{constant}andlen(s)>2".replace(" ", ""), mock.ANY))
        for constant in ("1", "'x'", "True", "2.5"):
            self.check(f"return g({constant} and s.upper())", ("s.upper()", "'ABC'"))
        self.check("return list(d.items())[0][0] + list(map(ascii, xs))[1]", ("list(map(ascii,xs))", "['10', '20', '30']"))

    def test_nothing_of_the_program_is_run(self):
        source = "def len(x):\n    return 99\n\ndef f(a, xs):\n    return len(xs) + str(a + 1).a + sorted(xs, key=len)[0] + abs(a - 1)\n"
        program = Program.parse(source, "f(1, [2])", shows_workings=True)
        frame = Frame(5, (), {"a": "1", "xs": "[2, 1]"}, event="line")
        asked = asked_workings(program, program.line_tokens(5), frame)
        told = [decode_answer(program, [*answer, T.END]).text for _, answer in asked]
        self.assertEqual(told, ["2", "0"])

    def test_what_only_looks_like_a_literal_has_no_answer(self):
        for text in ("((", "(1, 2", "[1)", "))"):
            self.check("return g(str(z) + a * 2)", ("a*2", "6"), z=text)
        for text in ("1-2", "Counter(3)", "2024-10-11", "[[...]]", "{1: 2, 1: 3}"):
            self.check("return g(str(z) + a * 2)", ("str(z)", None), ("a*2", "6"), ("str(z)+a*2", None), z=text)

    def test_identity_of_two_values_is_unknown(self):
        self.check("return g(xs is s, a is None, a is not b)", ("xsiss", None), ("aisNone", "False"), ("aisnotb", None))

    def test_big_powers_repetitions_and_loops_have_no_answer(self):
        began = time.process_time()
        for code in ("9 ** 9 ** 9", "2 ** 10 ** 9", "1 << 10 ** 9", "s * 10 ** 9", "[0] * 10 ** 9", "(a ** a ** a ** a) % 7",
                     "list(range(10 ** 9))", "sum(range(10 ** 9))", "'x' * a ** 99",
                     "sum([x * y for x in range(9999) for y in range(9999)])"):
            found = Case(f"return g({code}) + a")
            self.assertIsNone(found.answers()[-1][1], code)
        self.check("return g(a ** 2, 2 ** 64 - 1, s * 3, pow(a, 5, 7))", ("a**2", "9"), ("2**64", str(2 ** 64)),
                   ("616-1", "615"))
        self.check("return g(a ** 4 + 1)", ("a**4", None), ("a**4+1", None), a="12345")
        self.assertLess(time.process_time() - began, 20)

    def test_there_are_at_most_twelve(self):
        many = Case("return [g(" + ", ".join(f"a + {k}" for k in range(20)) + ")]")
        self.assertEqual(len(many.asked), MOST_WORKINGS)
        self.assertEqual(many.shown(), " return [g(" + ",".join(str(3 + k) if k < 12 else f"a+{k}" for k in range(20)) + ")]")

    def test_the_same_expression_is_asked_once(self):
        self.check("return g((a + 1) * (a + 1), a + 1)", ("a+1", "4"), ("(a+1)*(a+1)", "16"))
        self.assertEqual(Case("return g((a + 1) * (a + 1), a + 1)").shown(), " return g(16,4)")

    def test_long_values_are_asked_but_not_shown(self):
        case = Case("return g(s * 40, s * 40 + s)")
        self.assertEqual([text for text, _ in case.answers()], ["s*40", "s*40+s"])
        self.assertEqual(case.shown(), " return g(s*40,s*40+s)")

    def test_long_expressions_and_long_lines_end(self):
        self.check("return g(" + " + ".join(["a"] * 33) + ")", *((("+".join(["a"] * k)), str(3 * k)) for k in range(2, 14)))
        self.assertEqual(Case("return g(" + " + ".join(["o"] * 300) + ")").asked, [])

    def test_a_question_has_its_workings_too(self):
        case = Case("return a")
        shown = case.spelled(encode_evaluate_in(case.program, [case.frame], "xs[a - 1] + (len(xs) + b) * z"))
        self.assertEqual(shown, " evaluate 30.0")
        self.assertEqual(case.spelled(encode_evaluate_in(case.program, [case.frame], "xs[a - 1]")), " evaluate 30")

    def test_what_goes_on_in_the_caller_is_worked_out_there(self):
        program = Case("a = g(a + 1, b) * (a - 1)").program
        stack = [Frame(2, (), LOCALS), Frame(5, (), {"k": "4"}, event="return", value="4")]
        tokens = encode_question(program, stack, "step_into")
        shown = [program.slot_names.get(token, T.NAMES[token]) for token in tokens]
        self.assertEqual(shown[1:-1], ["a", "=", "g", "(", "4", ",", "b", "-", "2", ")", "*", "2"])

    def test_other_actions_and_states_have_none(self):
        program, stack = Case("a = a + b * 2").program, [Frame(2, (), LOCALS, event="line")]
        plain = Program.parse(program.source, program.call)
        for action in T.ACTIONS:
            lines = [2] if action.endswith("breakpoint") else None
            same = encode_question(program, stack, action, lines) == encode_question(plain, stack, action, lines)
            self.assertEqual(same, action not in ("step_into", "step_over"), action)
        for event, value in (("call", None), ("exception", "KeyError('x')"), ("return", "1")):
            state = [Frame(2, (), LOCALS, event=event, value=value)]
            self.assertEqual(len(encode_question(program, state, "step_over")), 1)

    def test_without_values_there_are_no_workings(self):
        self.assertFalse(Program.parse("def f():\n    pass\n", "f()", shows_values=False, shows_workings=True).shows_workings)

    def test_by_default_every_token_is_as_it_was(self):
        for program, _, annotated in runs():
            self.assertFalse(program.shows_workings)
            self.assertEqual(program.tokens, Program.parse(program.source, program.call, shows_workings=True).tokens)
            for i in range(0, len(annotated), 7):
                stack = annotated.stack(i)
                shown = encode_question(program, stack, "step_into")
                self.assertEqual(shown, [*encode_question(program, stack, "step_return")[:-1], T.ACTIONS["step_into"]])
                names = list(stack[-1].locals)[:2]
                if len(names) == 2:
                    asked = encode_evaluate(program, f"({names[0]} + 1) * {names[1]}")
                    written = encode_evaluate_in(program, stack, f"({names[0]} + 1) * {names[1]}")
                    self.assertEqual([token for token in asked if token not in written], [])
                    self.assertIn(T.CHARS["+"], written)


class Truth(unittest.TestCase):
    def check_run(self, source: str, call: str, trace) -> int:
        """Every working of a run is what the expression comes to in the program itself; how many there were."""
        try:
            program = Program.parse(source, call, shows_workings=True)
            annotated = annotate(program, trace)
        except (ProgramError, EncodeError):
            return 0
        asked: dict[int, list[str]] = {}
        expected: dict[int, list[Answer]] = {}
        for i in range(len(annotated)):
            frame = annotated.frames[i]
            if frame.event == "line" and len(asked) < 30:
                self.collect(program, frame, asked.setdefault(i, []), expected.setdefault(i, []))
        count = 0
        for i, answers in evaluate(trace, {i: texts for i, texts in asked.items() if texts}).items():
            for text, mine, real in zip(asked[i], expected[i], answers):
                if real is not None:
                    self.assertEqual(mine, Answer(*real), f"{text} in {annotated.frames[i].locals} of\n{source}")
                    count += 1
        return count

    def collect(self, program: Program, frame: Frame, texts: list[str], answers: list[Answer]) -> None:
        known = truth(program, frame)

        def ask(part, question):
            answer = known(part, question)
            self.assertEqual(question[0], T.EVALUATE)
            if answer is not None:
                texts.append(source_of(program, part))
                answers.append(decode_answer(program, [*answer, T.END]))
                self.assertEqual(answers[-1].outcome, ANSWERS[answer[0]])
            return answer

        worked_line(program, program.line_tokens(frame.line), frame, ask, False)

    def test_workings_of_generated_programs_are_what_runs_compute(self):
        count = 0
        for seed in range(EQUAL_RUNS * 6):
            sample = drawn(Random(seed), seed / (EQUAL_RUNS * 6))
            trace = traced(sample)
            if trace is not None:
                count += self.check_run(trace.source, trace.call, trace)
        self.assertGreater(count, 300)

    def test_workings_of_dense_programs_are_what_runs_compute(self):
        count = sum(self.check_run(source, call, run(source, call, Limits(max_events=2000))) for source, call in PROGRAMS)
        self.assertGreater(count, 150)

    def test_sources_are_those_of_the_tokens(self):
        program = Program.parse("def f(a, b):\n    return a\n", "f(1, 2)")
        for text in ("a if b else-1", "not a", "a is not b", "1 if a else 2", "'it\\'s' + \"\\\"\"", "b'\\x00\\''[0]", "'é' * 2",
                     "a.count(b)", "[a for a in b if a]", "lambda a: - -a ** 2", "a[1:, ::2]", "0x1f - 1e-5", "{**a, 'k': b}", "1.5.real",
                     "a<b<=1!=2", "..."):
            code = encode_evaluate(program, text)[1:]
            again = encode_evaluate(program, source_of(program, code))[1:]
            self.assertEqual(again, code, text)

    def test_literals_are_what_is_written_with_constants_alone(self):
        program = Program.parse("def f(a):\n    return a\n", "f(1)")
        for text in ("1", "-1.5e-07", "'a\\'<'", "[1, (2,), {'a': b'c'}]", "None", "{1, 2}", "deque([1])", "Counter({'a': 2})",
                     "nan", "-inf", "(1+2j)"):
            self.assertTrue(is_literal(encode_value(program, text)), text)
        for text in ("", "'abc…", "[1, …", "<f object>", "range(0, 3)", "f(n=3)", "[a]", "{'k': <a>}", "'open",
                     "defaultdict(<class 'int'>, {})"):
            self.assertFalse(is_literal(encode_value(program, text)), text)


if __name__ == "__main__":
    unittest.main()
