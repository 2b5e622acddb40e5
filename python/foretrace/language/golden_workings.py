"""Golden cases of workings: the parts of code lines, and what is worked out before steps and questions (docs/trace-language.md,
section 9)."""

from __future__ import annotations

import random
from typing import Any, Optional, Sequence

from foretrace.trace.tracer import Limits, run

from . import golden_programs_objects, golden_workings_expressions, golden_workings_statements, tokens as T
from .annotate import AnnotatedTrace, annotate
from .encode import encode_question
from .errors import ProgramError
from .evaluate import encode_evaluate, encode_evaluate_in
from .expression_parts import expression
from .frames import Frame, Stack
from .golden_workings_broken import CUT_SHORT, LOOSE
from .golden_workings_expressions import EXPRESSIONS
from .golden_workings_programs import PROGRAMS
from .here import going_on
from .line_parts import line
from .parts import Part
from .program import Program
from .spelled import as_answered
from .truth import truth
from .workings import Answer, worked_expression, worked_line

SOURCES: list[str] = golden_workings_expressions.SOURCES + golden_workings_statements.SOURCES
"""All that the parser of parts reads, and what it refuses."""

_LIMITS = Limits(max_events=2000, max_length=160)
_STEPS, _QUESTIONS = 10, 6  # cases of a program
_MOST_TOKENS = 460  # of what is asked
_ACTIONS = ("step_into", "step_over")


def golden_trees_json() -> list[dict[str, Any]]:
    """Each code line once, and lines that end too early; as a line and as an expression."""
    codes: dict[tuple[int, ...], None] = {(): None}
    for source in SOURCES:
        program = Program.parse(source, "f()")
        for number in program.code_lines:
            codes[tuple(program.line_tokens(number))] = None
    program = Program.parse(CUT_SHORT, "f()")
    for number in program.code_lines[1:]:
        code = program.line_tokens(number)
        for end in range(1, len(code) + 1):
            codes[tuple(code[:end])] = None
    for text in LOOSE:
        codes[tuple(token for name in text.split(" ") for token in _loose(program, name))] = None
    return [_tree_json(list(code)) for code in codes]


def _loose(program: Program, name: str) -> list[int]:
    """The tokens of a piece of code that no program has: a name, a word, an operator, a token's own name, or characters."""
    for tokens in (program.slots, T.WORDS, T.OPERATORS, T.IDS):
        if name in tokens:
            return [tokens[name]]
    return T.text_tokens(name)


def _tree_json(code: list[int]) -> dict[str, Any]:
    as_line, as_expression = line(code), expression(code)
    return {"code": code,
            "line": None if as_line is None else {"values": [_part_json(part) for part in as_line.values],
                                                  "inner": [_part_json(part) for part in as_line.inner]},
            "expression": None if as_expression is None else _part_json(as_expression)}


def _part_json(part: Part) -> list[Any]:
    bound = [sorted(part.bound)] if part.bound else []
    return [part.kind, part.first, part.end, [_part_json(inner) for inner in part.parts], *bound]


def golden_workings_json() -> list[dict[str, Any]]:
    """Steps from states of real runs and questions in them, each with the questions before it."""
    out = []
    for seed, (source, call) in enumerate(PROGRAMS + golden_programs_objects.PROGRAMS):
        program = Program.parse(source, call, shows_workings=True)
        annotated = annotate(program, run(source, call, _LIMITS))
        draw = random.Random(seed)
        cases = [*_steps(program, annotated, draw), *_expressions(program, annotated, draw)]
        out.append({"source": source, "call": call, "cases": cases})
    return out


def _steps(program: Program, annotated: AnnotatedTrace, draw: random.Random) -> list[dict[str, Any]]:
    """States in which something is worked out, those of lines not yet shown before others, and one in which nothing is."""
    found, shown, plain = [], set(), 0
    order = draw.sample(range(len(annotated)), len(annotated))
    for again in (False, True):
        for i in order:
            stack = annotated.stack(i)
            frame = going_on(stack)
            if len(found) >= _STEPS or frame is None or i in shown or (frame.line in shown and not again):
                continue
            action = _ACTIONS[len(found) % 2]
            asked, tokens = _asked(program, frame, action == "step_into"), encode_question(program, stack, action)
            plain += not asked
            if len(tokens) > _MOST_TOKENS or (not asked and plain > 1):
                continue
            shown |= {-i - 1, frame.line}
            found.append({"stack": _stack_json(stack), "action": action, "questions": asked, "tokens": tokens})
    return found


def _expressions(program: Program, annotated: AnnotatedTrace, draw: random.Random) -> list[dict[str, Any]]:
    """Expressions over the names of a state."""
    found: list[dict[str, Any]] = []
    texts = draw.sample(EXPRESSIONS, len(EXPRESSIONS))
    for text in texts:
        stack = annotated.stack(draw.randrange(len(annotated)))
        names = list(stack[-1].locals)
        if len(found) == _QUESTIONS or not names:
            continue
        text = text.format(a=draw.choice(names), b=draw.choice(names), c=draw.choice(names))
        try:
            asked = _asked(program, stack[-1], False, encode_evaluate(program, text)[1:])
        except ProgramError:  # `x` is no name of every program
            continue
        tokens = encode_evaluate_in(program, stack, text)
        if len(tokens) <= _MOST_TOKENS and len(stack) < 5:
            found.append({"stack": _stack_json(stack), "expression": text, "questions": asked, "tokens": tokens})
    return found


def _asked(program: Program, frame: Frame, enters: bool, code: Optional[Sequence[int]] = None) -> list[dict[str, Any]]:
    """The questions before a step from the frame's line, or before one for the expression `code`, also those without an answer. written: the
    answer as it is written behind its question, where that is something else."""
    known, asked = truth(program, frame), []

    def ask(part: Sequence[int], question: Sequence[int]) -> Optional[Answer]:
        answer = known(part, question)
        written = None if answer is None else as_answered(question, answer)
        is_aloud = written is not None and written != list(answer or ())
        asked.append({"tokens": list(question), "answer": None if answer is None else list(answer), **({"written": written} if is_aloud else {})})
        return answer

    if code is None:
        worked_line(program, program.line_tokens(frame.line), frame, ask, enters)
    else:
        worked_expression(program, code, frame, ask)
    return asked


def _stack_json(stack: Stack) -> list[dict[str, Any]]:
    return [frame.to_json() for frame in stack]
