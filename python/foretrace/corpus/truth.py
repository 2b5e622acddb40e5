"""The true states behind evaluation cases: each case's program is run and traced, so that a question can be asked from the whole true state.

A case of `eval steps` (one JSON object a line) names a start state and the states its actions lead to, as a debugger shows
them. It does not hold the frame stack, loop counters and values of calls that a keyframe needs, nor the line before; those are recovered here.
Where a program is longer than the trace language can write, a case also has what the call reaches of it (`excerpt`, with all its lines where they were).
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Iterable, Iterator

from ..language.annotate import AnnotatedTrace, annotate
from ..language.errors import EncodeError, ProgramError
from ..language.program import Program
from ..trace import Limits, TraceError
from ..trace.sandbox import trace as traced
from ..trace.state_tree import ACTIONS, step


class BadCase(Exception):
    """A line that is not a case; the text says where and why."""


class LeftOut(Exception):
    """A case that cannot be asked; the text says why."""


def _shows(event: Any, state: dict[str, Any]) -> bool:
    """Whether a debugger that stops at `event` shows `state`."""
    if event.event != state["event"] or event.line != state["line"]:
        return False
    if "locals" in state and event.locals != state["locals"]:
        return False
    return "value" not in state or event.value == state["value"]


def _indices(trace: Any, case: dict[str, Any]) -> list[int]:
    """The events of the case's states: the first start from which every action leads to the state the case names."""
    states, actions = case["states"], case["actions"]
    if len(states) != len(actions) + 1:
        raise LeftOut(f"{len(actions)} actions need {len(actions) + 1} states, not {len(states)}")
    for start, event in enumerate(trace.events):
        if not _shows(event, states[0]):
            continue
        found = [start]
        try:
            for action in actions:
                found.append(step(trace, found[-1], action["action"], action.get("lines", ())))
        except TraceError:
            continue
        if all(_shows(trace.events[at], state) for at, state in zip(found, states)):
            return found
    raise LeftOut("this Python's run does not pass through the states of the case")


def _full_state(annotated: AnnotatedTrace, index: int) -> dict[str, Any]:
    frames = [frame.to_json() for frame in annotated.stack(index)]
    for frame, event in zip(frames, annotated.chain(index)):
        if annotated.lines_before[event] is not None:
            frame["line_before"] = annotated.lines_before[event]
    return {"index": index, "frames": frames}


def true_case(case: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """`{id, source, call, actions, states: [{index, frames}]}` or `{id, transitions, left_out: reason}`."""
    try:
        trace = traced(case["source"], case["call"], limits)
        annotated = annotate(Program.parse(case.get("excerpt", case["source"]), case["call"]), trace)
        states = [_full_state(annotated, index) for index in _indices(trace, case)]
    except (LeftOut, TraceError, ProgramError, EncodeError) as error:
        return {"id": case.get("id"), "transitions": len(case.get("actions", ())), "left_out": str(error)}
    return {"id": case.get("id"), "source": case["source"], "call": case["call"], "actions": case["actions"], "states": states}


def _read_case(number: int, line: str) -> dict[str, Any]:
    try:
        case = json.loads(line)
    except ValueError as error:
        raise BadCase(f"line {number} is not JSON: {error}") from None
    wanted = {"source": str, "call": str, "actions": list, "states": list}
    for name, kind in wanted.items():
        if not isinstance(case, dict) or not isinstance(case.get(name), kind):
            raise BadCase(f"line {number} has no {name} ({kind.__name__})")
    if not isinstance(case.get("excerpt", ""), str):
        raise BadCase(f"line {number} has an excerpt that is no str")
    for action in case["actions"]:
        if not isinstance(action, dict) or action.get("action") not in ACTIONS:
            raise BadCase(f"line {number} has an unknown action: {action!r:.80}")
    for state in case["states"]:
        if not isinstance(state, dict) or not {"event", "line"} <= state.keys():
            raise BadCase(f"line {number} has a state without event or line: {state!r:.80}")
    return case


def true_cases(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The true case of every line. Raises BadCase."""
    limits = Limits()
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield true_case(_read_case(number, line), limits)


def main(arguments: list[str]) -> int:
    """`python -m foretrace truth --data FILE`: one JSON object a case on standard output; `-` reads standard input."""
    parser = argparse.ArgumentParser(prog="foretrace truth", description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="cases of `eval steps`, one JSON object a line")
    options = parser.parse_args(arguments)
    try:
        with open(sys.stdin.fileno() if options.data == "-" else options.data, encoding="utf-8") as lines:
            for case in true_cases(lines):
                sys.stdout.write(json.dumps(case, ensure_ascii=False, separators=(",", ":")) + "\n")
    except (BadCase, OSError, UnicodeDecodeError) as error:
        print(f"foretrace truth: {options.data}: {error}", file=sys.stderr)
        return 1
    return 0
