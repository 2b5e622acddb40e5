"""The worked example of docs/trace-language.md, section 8: `python -m foretrace.language.worked_example` prints it."""

from __future__ import annotations

from foretrace.trace.tracer import Limits, run

from . import tokens as T
from .annotate import annotate
from .context import Move, build_context
from .encode import keyframe_at
from .program import Program

SOURCE = '''def double(x):
    """Twice x."""
    return x * 2


def f(xs):
    total = 0
    for x in xs:  # two calls in one line
        total += double(x) + double(-1)
    return f'{total = }'
'''
CALL = "f([3, 'é'])"

# (event the transition starts from, action, lines, event it ends at, what it shows)
STEPS = [
    (3, "step_into", None, 4, "a step that enters a frame: the frame left behind comes first, then the new one"),
    (6, "step_into", None, 7, "the first call came back and the second begins: its value is a got of the caller"),
    (9, "step_into", None, 10, "a return to the caller; the loop has completed one pass"),
    (10, "step_over", None, 11, "the outcome first, there is another item: the one with the mark before it"),
    (3, "breakpoint", [3], 5, "into another frame by a breakpoint"),
    (4, "inv_step_over", None, 3, "back, out of the frame: it is not yet entered"),
    (10, "inv_continue", None, 0, "back to the start: names are unbound again"),
]


def lines() -> list[str]:
    """The example, one token string a line, each with a line that says what it is."""
    program = Program.parse(SOURCE, CALL)
    trace = run(program.source, program.call, Limits())
    annotated = annotate(program, trace)

    def show(tokens: list[int]) -> str:
        return " ".join("␠" if name == " " else name for name in T.to_names(tokens))

    out = ["program:"]
    text = show(program.tokens)
    out += ["    " + part for part in text.replace(" <|L", "\n<|L").replace(" <|entry|>", "\n<|entry|>").split("\n")]
    for i in sorted({step[0] for step in STEPS}):
        event = trace.events[i]
        out += [f"keyframe of event {i} ({event.event}, line {event.line}, in {event.function}):",
                "    " + show(keyframe_at(annotated, i))]
    for i, action, stops, j, why in STEPS:
        context = build_context(annotated, i, [Move(action, stops, j)])
        first, end = context.spans[0]
        out += [f"event {i} to event {j}: {why}:",
                "    " + show(context.tokens[context.keyframe_length:first]) + "   =>   " + show(context.tokens[first:end])]
    return out


if __name__ == "__main__":
    print("\n".join(lines()))
