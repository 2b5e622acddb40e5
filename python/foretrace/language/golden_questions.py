"""Golden cases of evaluate and of entries with hidden arguments (docs/trace-language.md, sections 2 and 7)."""

from __future__ import annotations

import random
from typing import Any

from foretrace.trace.events import Trace
from foretrace.trace.replay import evaluate

from .annotate import AnnotatedTrace
from .encode import encode_keyframe
from .errors import ProgramError
from .evaluate import Answer, encode_answer, encode_evaluate, encode_evaluate_in
from .program import Program

_SOURCE = '''import math


def area(sides, count=0):
    """Words and slots: `count` is bound, `index` and `math` are not."""
    label = f'{sides!r:>{count}}'
    return label, math.prod(sides), sides.index(1)
'''
_ENTRY = "area([1, 2], 3)"

HIDDEN: list[tuple[str, str]] = [
    (_SOURCE, "area(...)"), (_SOURCE, "  area( ... )\n"), (_SOURCE, "area(\n    ...  # unknown\n)"),
    (_SOURCE, "area(..., )"), (_SOURCE, "area((...))"), (_SOURCE, "area([1], ...)"), (_SOURCE, "area(count=...)"),
    (_SOURCE, "area(*...)"), (_SOURCE, "math.area(...)"), (_SOURCE, "only_here(...)"), (_SOURCE, "area()(...)"),
    (_SOURCE, "area[...]"), (_SOURCE, "..."),
]
"""Entries beside which the program is the same: which ones hide their arguments, and which are no entries."""

EXPRESSIONS: list[str] = [
    "sides", " count\t", "sides[0] + count", "sides, count", "(sides)", "not sides", "sides if count else label",
    "lambda sides, *count: (sides, count)", "[label for label in sides if label]", "{count: 1, **label}", "{*sides}",
    "sum(count * 2 for count in sides)", "area(sides, count=-1)", "math.prod", "sides.index(1)", "sides.count",
    "f'{sides!r:>{count}} {count=}'", "f'{{}}' 'a' b'\\x00'", "'it\\'s \"\\u00e9\\n'", "rb'\\d'", "0x_FF + 1_000.5E3 - 2J",
    "sides[1:count:-1]", "sides @ count // 2 ** -1", "count <= 1 != 2 is not None", "...", "(sides,\r\n count)",
    "[sides,  # a comment\n count]", "print(sides, sep=label, end='')", "True", "'\\N{BULLET}'", r"'\N'", r"b'\N{BULLET}'",
    "", "  ", "# nothing", "sides = 1", "sides == 1; count", "*sides", "*sides, count", "sides\ncount", "sides count",
    "return sides", "(count := 1)", "[count := 1, sides]", "(yield sides)", "(yield)", "lambda: (yield)", "await sides",
    "(yield from sides)", "[label async for label in sides]", "f'{(count := 1)}'", "f'{count:=5}'", "unknown",
    "sides.unknown", "[unknown for unknown in sides]", "lambda unknown: sides", "area(unknown=1)", "f'{unknown}'",
    "f'{count:{unknown}}'", "'unknown'", "sides.append", "__name__", "\u00e9", "1 if", "sides[", "sides)", "a$b", "1__0", "count!",
    "'" + "x" * 62 + "'", "'" + "x" * 63 + "'", "count" + " + count" * 31, "count" + " + count" * 32, "'" + "\u00e9" * 31 + "'",
    "'" + "\u00e9" * 32 + "'", "\ufeffcount", "count\u00a0+ 1", "\uff43\uff4f\uff55\uff4e\uff54", "sides[(count)](label)",
]
"""Asked of one program: its tokens, or that it is refused."""

_STATES = 3
_QUESTIONS = 6


def golden_hidden_json() -> list[dict[str, Any]]:
    """Entries with the program they make (`hidden`: the arguments are unknown), or the code of the error."""
    out = []
    for source, call in HIDDEN:
        try:
            program = Program.parse(source, call)
        except ProgramError as error:
            out.append({"source": source, "call": call, "error": error.code})
            continue
        out.append({"source": source, "call": call, "hidden": program.hidden_arguments, "tokens": program.tokens,
                    "slots": program.slots})
    return out


def golden_expressions_json() -> list[dict[str, Any]]:
    """Expressions over one program: the tokens of the question, or the code of the error."""
    program = Program.parse(_SOURCE, _ENTRY)
    cases = []
    for expression in EXPRESSIONS:
        try:
            cases.append({"expression": expression, "tokens": encode_evaluate(program, expression)})
        except ProgramError as error:
            cases.append({"expression": expression, "error": error.code})
    return [{"source": _SOURCE, "call": _ENTRY, "cases": cases}]


def golden_answers_json(runs: list[tuple[Program, Trace, AnnotatedTrace]]) -> list[dict[str, Any]]:
    """Questions in states of real runs, with their answers."""
    out = []
    for seed, (program, trace, annotated) in enumerate(runs):
        draw = random.Random(seed)
        shallow = [i for i in range(len(annotated)) if annotated.depths[i] < 8]
        indices = sorted(draw.sample(shallow, min(_STATES, len(shallow))))
        asked = {i: _questions(draw, annotated, i) for i in indices}
        cases = []
        for i, answers in evaluate(trace, asked).items():
            stack = annotated.stack(i)
            keyframe = encode_keyframe(program, stack)
            for expression, answer in zip(asked[i], answers):
                if answer is not None:
                    cases.append({"stack": [frame.to_json() for frame in stack], "keyframe": keyframe,
                                  "expression": expression,
                                  "tokens": encode_evaluate_in(program, stack, expression), "outcome": answer[0], "text": answer[1],
                                  "answer": encode_answer(program, Answer(*answer), encode_evaluate_in(program, stack, expression))})
        if cases:
            out.append({"source": program.source, "call": program.call, "cases": cases})
    return out


def _questions(draw: random.Random, annotated: AnnotatedTrace, i: int) -> list[str]:
    names = list(annotated.frames[i].locals)
    if not names:
        return ["1 / 0"]
    a, b = draw.choice(names), draw.choice(names)
    texts = [a, f"({a}, {b})", f"{a} == {b}", f"{a} + {b}", f"len({a})", f"{a}[0]", f"[{b} for {b} in {a}]", f"{{{a}: {b}}}",
             f"f'{{{a}!r:>9}}|{{{b}=}}'", f"str({a})[::-1]", f"{a} if {b} else [{b}] * 2", f"(lambda *{a}: {a})({b}, 1)",
             f"{a}.append({b})", f"sorted(set({a}), key=repr)", f"int({a}) // 2 - 1.5", f"type({a})", f"b'%r' % {a}"]
    return draw.sample(texts, _QUESTIONS)
