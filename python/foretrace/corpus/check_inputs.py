"""`python -m foretrace check-inputs`: does a function really give the known output for the inputs a model proposes?

JSON lines in, `{id, code, entry?, candidates: [arguments as text], output}`, and JSON lines out, in the same order,
`{id, right: [bool | null], verdicts: [text]}`. A candidate is right if `entry(candidate) == output`, as CruxEval judges it;
null: the problem itself cannot be judged, because its own code or output fails. Each candidate runs in a sandboxed process of its own.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterable, Iterator

from ..trace import Limits, TraceError
from ..trace.sandbox import trace as traced

DEFAULT_ENTRY = "f"
DEFAULT_SECONDS = 5.0
DEFAULT_JOBS = 2

# What runs in the sandbox. The program is compiled under another file name, so that it runs untraced and no limit of
# events ends it; of this text's own function a handful of events remain, the last of which holds the verdict.
_HARNESS = """
import sys
import types

def check(code, entry, arguments, output):
    module = types.ModuleType('program')
    sys.modules['program'] = module
    space = module.__dict__
    try:
        exec(compile(code, '<program>', 'exec', dont_inherit=True), space)
        function = space[entry]
        expected = eval(output, dict(space))
    except (Exception, SystemExit):
        return 'broken'
    try:
        positional, named = eval('__collect__(' + arguments + ')', {**space, '__collect__': lambda *a, **k: (a, k)})
        actual = function(*positional, **named)
        return 'right' if (expected == actual) is True else 'wrong'
    except (Exception, SystemExit):
        return 'raised'
"""

RIGHT, WRONG, RAISED, BROKEN, NO_ARGUMENTS = "right", "wrong", "raised", "broken", "no_arguments"
_OF_HARNESS = (RIGHT, WRONG, RAISED, BROKEN)


class BadRequest(Exception):
    """A line that is not a request; the text says where and why."""


def is_arguments(text: str) -> bool:
    """Whether the text between the brackets of a call makes one plain call: `1, b=2`, not `1)(2` and not `1) or f(2`."""
    try:
        tree = ast.parse(f"_({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)


def verdict(code: str, entry: str, arguments: str, output: str, limits: Limits) -> str:
    """Runs one candidate in the sandbox.

    'right', 'wrong', 'raised' (the call), 'broken' (the module body, the output, or no such function), 'no_arguments' (the text
    is none), or the code that the sandbox reports: time_limit, memory_limit, output_limit, sandbox_failed, ...
    """
    if not is_arguments(arguments):
        return NO_ARGUMENTS
    call = f"check({code!r}, {entry!r}, {arguments!r}, {output!r})"
    try:
        run = traced(_HARNESS, call, limits)
    except TraceError as error:
        return error.code
    if run.stopped is not None:
        return run.stopped
    last = run.events[-1]
    found = {repr(text): text for text in _OF_HARNESS}.get(last.value or "")
    # A MemoryError, or what else is no Exception, leaves the harness without a verdict.
    return found if last.event == "return" and found is not None else RAISED


def check(request: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The answer to one request; equal candidates run once."""
    known: dict[str, str] = {}
    for candidate in request["candidates"]:
        if candidate not in known:
            known[candidate] = verdict(request["code"], request.get("entry", DEFAULT_ENTRY), candidate, request["output"], limits)
    verdicts = [known[candidate] for candidate in request["candidates"]]
    right = [None if found == BROKEN else found == RIGHT for found in verdicts]
    return {"id": request.get("id"), "right": right, "verdicts": verdicts}


def _read_request(number: int, line: str) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except ValueError as error:
        raise BadRequest(f"line {number} is not JSON: {error}") from None
    if not isinstance(request, dict):
        raise BadRequest(f"line {number} is no JSON object")
    for name in ("code", "output", "entry"):
        if not isinstance(request.get(name, DEFAULT_ENTRY if name == "entry" else None), str):
            raise BadRequest(f"line {number} has no {name} (text)")
    candidates = request.get("candidates")
    if not isinstance(candidates, list) or not all(isinstance(candidate, str) for candidate in candidates):
        raise BadRequest(f"line {number} has no candidates (a list of texts)")
    return request


def answers(lines: Iterable[str], limits: Limits, jobs: int) -> Iterator[dict[str, Any]]:
    """The answer to every line, in order, `jobs` problems at a time. Raises BadRequest before anything runs."""
    requests = [_read_request(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda request: check(request, limits), requests)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foretrace check-inputs", description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="-", metavar="FILE", help="requests, one JSON object a line (default: standard input)")
    parser.add_argument("--seconds", type=float, default=DEFAULT_SECONDS, help="wall time of one candidate")
    parser.add_argument("--jobs", type=int, default=DEFAULT_JOBS, help="problems at a time")
    return parser


def main(arguments: list[str]) -> int:
    """Runs the command. Returns 0 (done), 1 (unreadable requests) or 2 (usage)."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not 0 < options.seconds < 1e6 or options.jobs < 1:
        parser.error("--seconds and --jobs are positive")
    limits = Limits(seconds=options.seconds)
    try:
        if options.data == "-":
            lines = sys.stdin.read().split("\n")
        else:
            with open(options.data, encoding="utf-8") as file:
                lines = file.read().split("\n")
        for answer in answers(lines, limits, options.jobs):
            sys.stdout.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
            sys.stdout.flush()
    except (BadRequest, OSError, UnicodeDecodeError) as error:
        print(f"foretrace check-inputs: {error}", file=sys.stderr)
        return 1
    return 0
