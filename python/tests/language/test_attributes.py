"""Attributes beside their names: of objects, and of what is written with its fields."""

from __future__ import annotations

import unittest

from foretrace.language import tokens as T
from foretrace.language.attributes import attribute_of, value_at
from foretrace.language.encode import encode_delta
from foretrace.language.frames import Frame
from foretrace.language.here import with_values
from foretrace.language.program import Program
from foretrace.language.truth import asked_workings, true_line
from foretrace.language.values import decode_value, encode_value

LINES = ("b.n = x", "b.n += x", "b.items[b.n] *= 2", "x = b.items[b.n + 1] + b.n * x", "for k in b.items:", "for k in range(b.n, p.x):",
         "for k in reversed(b.items):", "x = b.gone + b.n", "x = b.put(b.n) + b.n * 2", "b.items.sort()", "x = b.items[1:b.n]", "x = p.x * p.y",
         "b.items += [x]", "x = b.inner.n - b.inner.inner.n")
SOURCE = "def f(b, p, x, k, n, items, inner, gone, put, y):\n" + "".join(f"    {line}{' pass' if line.endswith(':') else ''}\n" for line in LINES)
PROGRAM = Program.parse(SOURCE, "f()", shows_workings=True)
BOX = "<Box object {n: 2, items: [5, 3, 8, 1], inner: <Box object {n: 30}>}>"
FRAME = Frame(2, (0,), {"b": BOX, "p": "Point(x=4, y='ab')", "x": "7"})


def code_of(line: str) -> "list[int]":
    code = list(PROGRAM.line_tokens(2 + LINES.index(line)))
    return code[:-1] if code[-1] == T.WORDS["pass"] else code


def spelled(tokens) -> str:
    return "".join(PROGRAM.slot_names.get(token, T.NAMES[token]) for token in tokens).replace("<|it|>", "^").replace("<|ref|>", "") \
        .replace("<|o:", "").replace("<|w:", "").replace("|>", "")


class Attributes(unittest.TestCase):
    def held(self, value: str, name: str) -> "str | None":
        found = attribute_of(PROGRAM, encode_value(PROGRAM, value), PROGRAM.slots[name])
        return None if found is None else decode_value(PROGRAM, found)

    def test_objects_and_fields_tell_theirs(self):
        self.assertEqual(self.held(BOX, "items"), "[5, 3, 8, 1]")
        self.assertEqual(self.held("<f.<locals>.Box object {x: '}>', n: <Box object {y: 4}>}>", "n"), "<Box object {y: 4}>")
        self.assertEqual(self.held("Point(x='(,=)', items={1: 2})", "items"), "{1: 2}")
        for value in ("<Box object>", "{'n': 1}", "<Box object {n: 1…", "deque([1], maxlen=3)", "Point(1, n=3)", "Counter({1: 2})",
                      "'Point(n=1)'", "[Point(n=1)]", "5", "()", "<function n>", "P()"):
            self.assertIsNone(self.held(value, "n"), value)

    def test_what_a_name_begins_is_read_as_far_as_it_is_told(self):
        for line, value, end in (("b.n = x", "2", 3), ("x = b.gone + b.n", BOX, 3), ("x = b.inner.n - b.inner.inner.n", "30", 7)):
            code = code_of(line)
            found = value_at(PROGRAM, code, 0 if line.startswith("b") else 2, FRAME)
            self.assertEqual(found, (encode_value(PROGRAM, value), end))
        self.assertEqual(value_at(PROGRAM, code_of("b.n = x"), 1, FRAME), (None, 2))

    def shown(self, line: str) -> str:
        return spelled(with_values(PROGRAM, code_of(line), FRAME))

    def test_the_here_line_has_them(self):
        whole = "<Boxobject{n:2,items:[5,3,8,1],inner:<Boxobject{n:30}>}>"
        self.assertEqual(self.shown("b.n = x"), "b.n=x7")
        self.assertEqual(self.shown("x = b.items[b.n + 1] + b.n * x"), "x=b.items[5,3,8,^1][b.n2+1]+b.n2*x7")
        self.assertEqual(self.shown("for k in b.items:"), "forkinb.items[^5,3,8,1]:")
        self.assertEqual(self.shown("for k in reversed(b.items):"), "forkinreversed(b.items[5,3,8,^1]):")
        self.assertEqual(self.shown("for k in range(b.n, p.x):"), "forkinrange(b.n2,p.x4)^2:")
        self.assertEqual(self.shown("x = b.gone + b.n").replace(" ", ""), f"x=b{whole}.gone+b.n2")
        self.assertEqual(self.shown("x = b.items[1:b.n]"), "x=b.items[5,^3,^8,1][1:b.n2]")

    def worked(self, line: str, enters: bool = True) -> str:
        return spelled(true_line(PROGRAM, code_of(line), FRAME, enters))

    def test_they_are_worked_with(self):
        self.assertEqual(self.worked("b.n += x"), "b.n=9")
        self.assertEqual(self.worked("b.items[b.n] *= 2"), "b.items[b.n]=16")
        self.assertEqual(self.worked("b.items += [x]"), "b.items+=[x]")
        self.assertEqual(self.worked("x = p.x * p.y"), "x='abababab'")
        self.assertEqual(self.worked("b.items.sort()"), "b.items.sort()<|value[1,3,5,8]")
        self.assertEqual(self.worked("x = b.items[1:b.n]"), "x=[3]")

    def test_not_behind_a_call_that_may_change_them(self):
        self.assertEqual(self.worked("x = b.put(b.n) + b.n * 2"), "x=b.put(b.n)+b.n*2")

    def test_not_where_one_is_not_told(self):
        self.assertEqual(self.worked("x = b.gone + b.n"), "x=b.gone+b.n")
        self.assertEqual(self.worked("x = b.inner.n - b.inner.inner.n"), "x=b.inner.n-b.inner.inner.n")

    def test_questions_have_them(self):
        asked = [spelled(question) for question, _ in asked_workings(PROGRAM, code_of("x = b.items[b.n + 1] + b.n * x"), FRAME)]
        self.assertEqual(asked[:2], ["<|evaluateb.n2+1", "<|evaluateb.n2*x7"])

    def test_changes_of_them_are_patches(self):
        after = Frame(3, (), {**FRAME.locals, "b": BOX.replace("n: 2", "n: 9").replace("n: 30", "n: 31")}, (), "line")
        before = Frame(2, (), FRAME.locals, (), "line")
        self.assertEqual(spelled(encode_delta(PROGRAM, [before], [after], 1)),
                         "<|line<|L3b^n<|value9^inner^n<|value31<|end")
