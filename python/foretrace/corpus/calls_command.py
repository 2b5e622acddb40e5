"""`python -m foretrace corpus calls`: calls with their values from held-out programs or functions, for `eval cruxeval`.

One JSON object a line: {"id", "code", "input", "output", "entry"}; the call is `entry(input)`, `output` the repr of its value.
Runs that raise, and values that are cut or cannot be written as a literal, are left out.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from pathlib import Path
from typing import Iterator, Optional, Tuple

from ..generator.sample import Sample
from ..language.errors import ProgramError
from ..language.program import Program
from .function_cases import real_samples
from .near_copy import is_near_copy
from .programs import EVALUATION_PROGRAMS, evaluation_sample, traced

LONGEST_OUTPUT = 100
DONE, FAILED = 0, 1


def split_call(call: str) -> Optional[Tuple[str, str]]:
    """(function, text of the arguments) of a call of a plain name; None for methods and calls without arguments."""
    tree = ast.parse(call.strip(), mode="eval").body
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or not (tree.args or tree.keywords):
        return None
    arguments = [ast.unparse(item) for item in tree.args]
    arguments += [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in tree.keywords if keyword.arg]
    return tree.func.id, ", ".join(arguments)


def value_of(sample: Sample) -> Optional[str]:
    """The repr of the value that the entry returns, if it is a literal; None for runs that raise or are of no use."""
    trace = traced(sample)
    if trace is None:
        return None
    last = trace.events[-1]
    raised = last.event != "return" or len(trace.events) > 1 and trace.events[-2].event == "exception" \
        and trace.events[-2].frame == last.frame and last.value == "None"
    if raised or last.value is None or len(last.value) > LONGEST_OUTPUT:
        return None
    try:
        ast.literal_eval(last.value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return last.value


def _generated() -> Iterator[Tuple[str, Sample]]:
    for index in range(EVALUATION_PROGRAMS):
        yield f"generated-{index}", evaluation_sample(index)


def calls(programs: int, functions: Optional[Path], seed: int = 0) -> Iterator[dict]:
    """`programs` entries of held-out generated programs, or of the held-out functions of a file.

    Raises ValueError when there are not as many."""
    made = 0
    for name, sample in real_samples(functions, seed) if functions is not None else _generated():
        if made == programs:
            return
        parts = split_call(sample.call)
        if parts is None or is_near_copy(sample.source) or not _fits(sample):
            continue
        output = value_of(sample)
        if output is not None:
            made += 1
            yield {"id": name, "code": sample.source, "input": parts[1], "output": output, "entry": parts[0], "tags": list(sample.tags)}
    if made < programs:
        raise ValueError(f"evaluation_range: expected {programs} held-out programs that return a value, got {made}")


def _fits(sample: Sample) -> bool:
    try:
        Program.parse(sample.source, sample.call)
    except ProgramError:
        return False
    return True


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--programs", type=int, default=200, help="default 200")
    parser.add_argument("--functions", type=Path, help="a file of `corpus functions`; without it, generated programs")
    parser.add_argument("--seed", type=int, default=0, help="decides which functions, and which of their calls")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Run the command. Returns 0 (done) or 1 (failed); exits with 2 on wrong usage."""
    if options.programs < 1:
        parser.error(f"--programs: a positive number is expected, not {options.programs}")
    try:
        with open(options.out, "w", encoding="utf-8") as file:
            for entry in calls(options.programs, options.functions, options.seed):
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    except (OSError, ValueError) as error:
        print(f"foretrace corpus calls: {error}", file=sys.stderr)
        return FAILED
    print(f"{options.programs} calls")
    return DONE
