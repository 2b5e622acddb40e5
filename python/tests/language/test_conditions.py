"""Lines that decide a branch, and what a run decided on them."""

from __future__ import annotations

import unittest

from foretrace.language import tokens as T
from foretrace.language.annotate import annotate
from foretrace.language.conditions import Body
from foretrace.language.context import Move, build_context
from foretrace.language.decode import decode_delta
from foretrace.language.encode import encode_delta
from foretrace.language.outcomes import outcome
from foretrace.language.program import Program
from foretrace.trace.tracer import run

SOURCE = """def f(n):
    if n > 2:
        n = 3
    elif g(n):
        n = 1
    while n > 1:
        n -= 1
    if n / (n - 1):
        return 7
def g(n):
    if n == 0:
        return True
"""


class Conditions(unittest.TestCase):
    def test_which_lines_are_conditions(self):
        program = Program.parse("""def f(x):
    if x: x = 1
    if (x and
            x):
        x = 2
    while True:
        if x[1:]:
            "nothing"
            break
        elif (yield x):
            pass
        else:
            pass
    if (x
        ):
        pass
    for y in x:
        pass
    for y in (1,
              2):
        pass
    return [y
            for y in x
            if y]
""", "f(1)")
        self.assertEqual(program.conditions, {7: Body(8, 9), 17: Body(18, 18)})

    def test_a_body_without_code_tells_nothing(self):
        for body in ("y: int", "(y): int", "global z", "del (), []", "global z; y: int"):
            source = f"def f(x):\n    if x:\n        {body}\n    else:\n        x = 1\n    return x\n"
            program = Program.parse(source, "f(1)")
            self.assertEqual(program.conditions, {}, body)
            annotated = annotate(program, run(source, "f(1)"))
            self.assertEqual([event.line for event in annotated.frames], [1, 2, 6, 6], body)
            self.assertIsNone(outcome(annotated, 1))
        for body in ("y: int = 1", "x.y: int", "x[0]: int", "del x", "1", "pass", "y: int; 1"):
            program = Program.parse(f"def f(x):\n    if x:\n        {body}\n    else:\n        x = 1\n", "f(1)")
            self.assertEqual(list(program.conditions), [2], body)

    def test_what_a_run_decided(self):
        program = Program.parse(SOURCE, "f(0)")
        annotated = annotate(program, run(SOURCE, "f(0)"))
        decided = [(frame.line, outcome(annotated, i)) for i, frame in enumerate(annotated.frames) if frame.event == "line"]
        self.assertEqual(decided, [(2, False), (4, None), (11, True), (12, None), (5, None), (6, False), (8, None)])

    def test_a_loop_decides_whether_there_is_another_item(self):
        source = "def f(xs):\n    for x in xs:\n        y = x\n"
        annotated = annotate(Program.parse(source, "f([1, 2])"), run(source, "f([1, 2])"))
        decided = [outcome(annotated, i) for i, frame in enumerate(annotated.frames) if (frame.event, frame.line) == ("line", 2)]
        self.assertEqual(decided, [True, True, False])

    def test_an_exception_decides_nothing(self):
        annotated = annotate(Program.parse(SOURCE, "f(1)"), run(SOURCE, "f(1)"))
        found = {frame.line: outcome(annotated, i) for i, frame in enumerate(annotated.frames) if frame.event == "line"}
        self.assertIsNone(found[8])
        self.assertIs(found[11], False)  # the function ends there

    def test_a_generator_expression_on_the_line_decides_nothing(self):
        source = "def f(xs):\n    if any(x for x in xs):\n        return 1\n"
        annotated = annotate(Program.parse(source, "f([0, 2])"), run(source, "f([0, 2])"))
        decided = [outcome(annotated, i) for i, frame in enumerate(annotated.frames) if frame.line == 2]
        self.assertGreater(len(decided), 4)
        self.assertEqual(set(decided), {None})

    def test_single_steps_say_it_and_it_is_read_back(self):
        program = Program.parse(SOURCE, "f(5)")
        annotated = annotate(program, run(SOURCE, "f(5)"))
        for action, first in (("step_into", T.WORDS["True"]), ("step_over", T.WORDS["True"]), ("continue", T.EVENTS["return"])):
            target = 2 if action != "continue" else len(annotated) - 1
            context = build_context(annotated, 1, [Move(action, None, target)])
            delta = context.tokens[slice(*context.spans[0])]
            self.assertEqual(delta[0], first)
            self.assertIs(decode_delta(program, delta, 1).holds, True if action != "continue" else None)

    def test_it_stands_at_the_very_beginning(self):
        program = Program.parse(SOURCE, "f(5)")
        annotated = annotate(program, run(SOURCE, "f(5)"))
        delta = encode_delta(program, annotated.stack(1), annotated.stack(2), 1, holds=False)
        self.assertIs(decode_delta(program, delta, 1).holds, False)
        self.assertEqual(decode_delta(program, [delta[0], *delta], 1).code, "bad_delta")
        self.assertEqual(decode_delta(program, [T.POP, *delta], 1).code, "bad_delta")


if __name__ == "__main__":
    unittest.main()
