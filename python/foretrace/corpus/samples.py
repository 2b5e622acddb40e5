"""`python -m foretrace corpus eval`: evaluation cases from held-out generated programs, or held-out real functions.

One JSON object a line: {"id", "source", "call", "tags", "actions": [{"action", "lines"?}], "states": [{"event", "line",
"depth", "locals", "value"?}]}; states[0] is the start and states[k + 1] follows actions[k].
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random
from typing import FrozenSet, Iterator, Optional, Tuple

from ..generator.sample import Sample
from ..language.errors import ProgramError
from ..language.program import Program
from ..trace.errors import TraceError
from ..trace.event import Event
from ..trace.events import Trace
from ..trace.policy import choose_action
from ..trace.state_tree import step
from .function_cases import real_samples
from .near_copy import is_near_copy
from .programs import EVALUATION_PROGRAMS, evaluation_sample, program_hash, read_hashes, traced

DEFAULT_PROGRAMS = 200
WALK_LENGTHS = (4, 8)
SEED_STRIDE = 1024
"""Evaluation seed s begins at program s * SEED_STRIDE, so that small files of different seeds share nothing."""


def _state(event: Event) -> dict:
    state = {"event": event.event, "line": event.line, "depth": event.depth, "locals": event.locals}
    if event.value is not None:
        state["value"] = event.value
    return state


def walk(rng: Random, trace: Trace, reverse: bool) -> Optional[dict]:
    """A random walk by the data policy: {"actions", "states"}; None if it would have no action."""
    last = len(trace.events) - 1
    # A walk needs room: it starts in the half of the run that it leads away from, or anywhere in a short run.
    at = rng.randint(0, last - 1) if last < 8 else rng.randint(0, last // 2)
    if reverse:
        at = last - at
    actions, states = [], [_state(trace.events[at])]
    for _ in range(rng.randint(*WALK_LENGTHS)):
        chosen = choose_action(rng, trace, at, reverse=reverse)
        if chosen is None:
            break
        action, lines = chosen
        at = step(trace, at, action, lines)
        actions.append({"action": action, "lines": list(lines)} if lines else {"action": action})
        states.append(_state(trace.events[at]))
    return {"actions": actions, "states": states} if actions else None


def cases(programs: int, seed: int, seen: FrozenSet[bytes] = frozenset()) -> Iterator[dict]:
    """Two cases, one forward and one reverse, for each of `programs` held-out generated programs.

    Programs that cannot be traced in full, that the language refuses, that are near copies of a public test, or whose
    hash is in `seen` (`foretrace seen`) are passed over. Raises ValueError when the held-out range has too few programs."""
    first = seed * SEED_STRIDE
    drawn = ((f"generated-{index}", str(index), evaluation_sample(index)) for index in range(first, EVALUATION_PROGRAMS))
    return _cases(drawn, programs, seen, f"of seed {seed}, the range")


def real_cases(programs: Optional[int], functions: Path, seed: int, seen: FrozenSet[bytes] = frozenset()) -> Iterator[dict]:
    """Two cases for each of `programs` held-out functions of a file (None: all); as `cases` otherwise.

    Raises ValueError when the file has too few, or none."""
    drawn = ((name, name, sample) for name, sample in real_samples(functions, seed))
    return _cases(drawn, programs, seen, f"of {functions}, the file")


def _cases(samples: Iterator[Tuple[str, str, Sample]], programs: Optional[int], seen: FrozenSet[bytes],
           where: str) -> Iterator[dict]:
    made = 0
    for name, walk_seed, sample in samples:
        if made == programs:
            return
        trace = traced(sample)
        usable = trace is not None and not is_near_copy(sample.source) and _fits(sample)
        usable = usable and not (seen and program_hash(sample.source) in seen)
        if not usable:
            continue
        for reverse in (False, True):
            found = walk(Random(f"foretrace-walk:{walk_seed}:{reverse}"), trace, reverse)
            if found is not None:
                direction = "reverse" if reverse else "forward"
                yield {"id": f"{name}-{direction}", "source": sample.source, "call": sample.call, "tags": list(sample.tags), **found}
        made += 1
    if programs is not None and made < programs:
        raise ValueError(f"evaluation_range: expected {programs} programs {where} gave {made}")


def _fits(sample: Sample) -> bool:
    try:
        Program.parse(sample.source, sample.call)
    except ProgramError:
        return False
    return True


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--programs", type=int, help="each gives two cases; default 200, or all held-out functions")
    parser.add_argument("--seed", type=int, default=0, choices=range(EVALUATION_PROGRAMS // SEED_STRIDE))
    parser.add_argument("--functions", type=Path, help="a file of `corpus functions`: cases from its held-out functions")
    parser.add_argument("--unseen", type=Path, help="leave out the programs of this file, written by `foretrace seen`")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")


def _seen(path: Path) -> FrozenSet[bytes]:
    try:
        return read_hashes(path)
    except (OSError, ValueError) as error:
        raise TraceError("unreadable_file", f"cannot read {path} of --unseen",
                         "a file that `python -m foretrace seen RUN` wrote of a training run", str(error)) from None


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Run the command. Returns 0 (done) or 1 (failed); exits with 2 on wrong usage."""
    if options.programs is not None and options.programs < 1:
        parser.error(f"--programs: a positive number is expected, not {options.programs}")
    count, names = 0, set()
    try:
        seen = _seen(options.unseen) if options.unseen else frozenset()
        found = (cases(options.programs or DEFAULT_PROGRAMS, options.seed, seen) if options.functions is None
                 else real_cases(options.programs, options.functions, options.seed, seen))
        with open(options.out, "w", encoding="utf-8") as file:
            for case in found:
                file.write(json.dumps(case, ensure_ascii=False) + "\n")
                count += 1
                names.add(case["id"].rsplit("-", 1)[0])
    except TraceError as error:
        print(error.report(), file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"foretrace corpus eval: {error}", file=sys.stderr)
        return 1
    print(f"{count} cases of {len(names)} programs")
    return 0
