"""Writes the golden files that hold the two implementations together: `python -m foretrace.language.golden [DIR]`.

Real runs of the golden programs; which events and actions are shown is drawn with a fixed seed.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, Optional

from foretrace.trace.errors import TraceError
from foretrace.trace.events import Trace
from foretrace.trace.state_tree import step
from foretrace.trace.tracer import Limits, run

from . import golden_programs, golden_programs_lines, golden_programs_lookups, golden_programs_more, golden_programs_objects, golden_programs_syntax
from . import golden_patches, golden_questions, golden_workings
from . import tokens as T
from .annotate import AnnotatedTrace, annotate
from .context import decided
from .encode import encode_delta, encode_keyframe, encode_question
from .errors import ProgramError
from .frames import Stack
from .program import Program
from .values import encode_value

DIRECTORY = Path(__file__).resolve().parents[3] / "test" / "golden" / "language"
PROGRAMS: list[tuple[str, str]] = (
    golden_programs.PROGRAMS + golden_programs_more.PROGRAMS + golden_programs_lines.PROGRAMS + golden_programs_lookups.PROGRAMS
    + golden_programs_syntax.PROGRAMS + golden_programs_objects.PROGRAMS)
LIMITS = Limits(max_events=2000, max_length=120)
CASES = 24
VALUE_CASES = 40

HAND_VALUES = [
    "", "'", "…", "1", "-1.5e-07", "None", "(1,)", "[1, (2,), {'a': b'c'}]", "b'ab'", 'b"\'"', "'é…'", "'abc…", "[1, …", "[1,…",
    "{'k':…", "{'k': …", "a, )", "a,  b", "x,y", "x:y", "x: y", "len(x)", "<class 'int'>", "'a\\'b\"'", "'\\\\'", "'open",
    "'a\\…", "😀", "'😀'", "'tab\t'", "1e5 0x1f", "été", "{...}", "f(n=3, None)", "bb'x'", "b", "slice(None, 3, None)",
    ", ", ",", ":", ": …", "'x', …", "raw'…",
]


def golden_programs_json() -> list[dict[str, Any]]:
    """What `Program.parse` makes of every program, or the code of its error."""
    out = []
    for source, call in PROGRAMS:
        try:
            program = Program.parse(source, call)
        except ProgramError as error:
            out.append({"source": source, "call": call, "error": error.code})
            continue
        scopes = [
            {"firstLine": scope.first_line, "lastLine": scope.last_line, "isGenerator": scope.is_generator,
             "names": scope.names, "lines": scope.lines, "callLines": scope.call_lines,
             "loops": {str(line): around for line, around in sorted(scope.loops.items())}}
            for scope in program.scopes
        ]
        out.append({"source": source, "call": call, "tokens": program.tokens, "codeLines": program.code_lines,
                    "slots": program.slots, "scopes": scopes})
    return out


def traced() -> list[tuple[Program, Trace, AnnotatedTrace]]:
    """The programs that parse and run, with their runs."""
    out = []
    for source, call in PROGRAMS:
        try:
            program = Program.parse(source, call)
            trace = run(program.source, program.call, LIMITS)
        except (ProgramError, TraceError):
            continue
        out.append((program, trace, annotate(program, trace)))
    return out


def golden_values_json() -> list[dict[str, Any]]:
    """Values of real states, and for the first program values chosen by hand."""
    out = []
    for index, (program, _, annotated) in enumerate(traced()):
        texts = dict.fromkeys(HAND_VALUES if index == 0 else [])
        for frame in annotated.frames:
            texts.update(dict.fromkeys(frame.locals.values()))
            if frame.value is not None:
                texts[frame.value] = None
        chosen = list(texts)[:VALUE_CASES + (len(HAND_VALUES) if index == 0 else 0)]
        cases = [{"text": text, "tokens": list(encode_value(program, text))} for text in chosen]
        out.append({"source": program.source, "call": program.call, "cases": cases})
    return out


def golden_transitions_json() -> list[dict[str, Any]]:
    """Transitions of real runs, all ten actions in turn."""
    out = []
    for index, (program, trace, annotated) in enumerate(traced()):
        draw = random.Random(index)
        cases = [_transition(program, [], annotated.stack(0), 0, "step_into", None)]  # the empty keyframe
        seen: set[tuple[int, str]] = set()
        actions = list(T.ACTIONS)
        for attempt in range(CASES * 8):
            if len(cases) == CASES:
                break
            case = _case(program, trace, annotated, draw, actions[attempt % len(actions)], seen)
            if case is not None:
                cases.append(case)
        out.append({"source": program.source, "call": program.call, "cases": cases})
    return out


def _case(program: Program, trace: Trace, annotated: AnnotatedTrace, draw: random.Random, action: str,
          seen: set[tuple[int, str]]) -> Optional[dict[str, Any]]:
    """One transition, or None where the event drawn has none or has been shown."""
    i = draw.randrange(len(annotated))
    lines: Optional[list[int]] = None
    if action.endswith("breakpoint"):
        every = sorted({event.line for event in trace.events})
        lines = sorted(draw.sample(every, min(len(every), draw.randint(1, 3))))
    if (i, action) in seen:
        return None
    seen.add((i, action))
    try:
        j = step(trace, i, action, lines or ())
    except TraceError:
        return None
    before, after, common = annotated.stack(i), annotated.stack(j), annotated.common(i, j)
    if len(before) + len(after) > 70 or (max(len(before), len(after)) > 12 and draw.random() < 0.7):
        return None  # deep stacks are long: a few are enough
    return _transition(program, before, after, common, action, lines, decided(annotated, i, action))


def _transition(program: Program, before: Stack, after: Stack, common: int, action: str,
                lines: Optional[list[int]], holds: Optional[bool] = None) -> dict[str, Any]:
    case: dict[str, Any] = {"stack": _stack_json(before), "action": action}
    if lines is not None:
        case["lines"] = lines
    case.update(common=common, keyframe=encode_keyframe(program, before),
                question=encode_question(program, before, action, lines),
                delta=encode_delta(program, before, after, common, holds=holds), next=_stack_json(after))
    if holds is not None:
        case["holds"] = holds
    return case


def _stack_json(stack: Stack) -> list[dict[str, Any]]:
    return [frame.to_json() for frame in stack]


def documents() -> dict[str, str]:
    """File name -> text of every golden file."""
    parts = {"programs.json": golden_programs_json(), "values.json": golden_values_json(),
             "transitions.json": golden_transitions_json(), "hidden.json": golden_questions.golden_hidden_json(),
             "expressions.json": golden_questions.golden_expressions_json(),
             "patches.json": golden_patches.golden_patches_json(),
             "answers.json": golden_questions.golden_answers_json(traced())}
    texts = {name: _list_text(items) + "\n" for name, items in parts.items()}
    texts["workings.json"] = (f'{{"version":{T.VERSION},"trees":{_list_text(golden_workings.golden_trees_json())},'
                              f'"programs":{_list_text(golden_workings.golden_workings_json())}}}\n')
    return texts


def _list_text(items: list[dict[str, Any]]) -> str:
    """A list with a line for each item."""
    return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=True, separators=(",", ":")) for item in items) + "\n]"


def main(arguments: list[str]) -> int:
    directory = Path(arguments[0]) if arguments else DIRECTORY
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in documents().items():
        (directory / name).write_text(text, encoding="utf-8")
        print(f"{directory / name}: {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
