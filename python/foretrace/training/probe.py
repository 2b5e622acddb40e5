"""Teacher-forced accuracy on fixed held-out transitions: a delta counts when each of its tokens is the likeliest."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy

from ..corpus.function_cases import real_samples
from ..corpus.programs import traced
from ..language import tokens as table
from .batch import CLASS_NAMES, VALUE, Batch, Row, pack
from .documents import document
from .stream import probe_rows

BRANCHES = 4  # of each probed program
_QUESTIONS = {**table.ACTION_NAMES, table.EVALUATE: "evaluate"}
_OPENERS = {"'": "str", '"': "str", "[": "list", "(": "tuple", "{": "dict or set", "<|w:True|>": "bool",
            "<|w:False|>": "bool", "<|w:None|>": "none", "<|bytes|>": "bytes"}


@dataclass
class Transition:
    """Indices [first, end) into a batch's predicted positions, all of one delta or answer."""

    action: str
    first: int
    end: int
    has_values: bool


def transitions(batch: Batch) -> List[Transition]:
    """The deltas of a batch, in order. A delta ends with the end token; its action is the last action token before."""
    found, first = [], 0
    for index, target in enumerate(batch.targets):
        if target != table.END:
            continue
        at = batch.predict[first]
        while int(batch.tokens[at]) not in _QUESTIONS:
            at -= 1
        values = bool((batch.classes[first : index + 1] == VALUE).any())
        found.append(Transition(_QUESTIONS[int(batch.tokens[at])], first, index + 1, values))
        first = index + 1
    return found


def value_type(tokens: Sequence[int]) -> str:
    """The type of a spelled value: int, float, bool, none, str, bytes, list, tuple, "dict or set" or other."""
    first = table.NAMES[tokens[0]]
    if first.isdigit() or first == "-":
        return "float" if any(table.NAMES[token] in ".en" for token in tokens) else "int"
    return _OPENERS.get(first, "other")


def value_spans(batch: Batch) -> Iterator[Tuple[int, int]]:
    """[first, end) of each run of neighbouring predicted tokens that spell a value."""
    inside = (batch.classes == VALUE).astype(numpy.int8)
    apart = numpy.diff(batch.predict) != 1
    edges = numpy.flatnonzero((numpy.diff(inside) != 0) | apart) + 1
    for span in numpy.split(numpy.arange(len(inside)), edges):
        if len(span) and inside[span[0]]:
            yield int(span[0]), int(span[-1]) + 1


def probe(step, rows: Sequence[Row], micro_rows: int = 8) -> Dict[str, object]:
    """{"n", "exact", "changed", "actions": {ACTION: {"n", "exact"}}, "values": {TYPE: {"n", "exact"}},
    "token_accuracy": {CLASS: accuracy}}.

    "changed" is the exact share among deltas that write at least one value; a value is exact when all its tokens are."""
    counts, exact = defaultdict(int), defaultdict(int)
    kinds, exact_kinds = defaultdict(int), defaultdict(int)
    seen, right = numpy.zeros(len(CLASS_NAMES)), numpy.zeros(len(CLASS_NAMES))
    for start in range(0, len(rows), micro_rows):
        batch = Batch.of(rows[start : start + micro_rows])
        hit = step.logits(batch, batch.predict).argmax(-1).numpy() == batch.targets
        seen += numpy.bincount(batch.classes, minlength=len(CLASS_NAMES))
        right += numpy.bincount(batch.classes, weights=hit, minlength=len(CLASS_NAMES))
        for t in transitions(batch):
            good = bool(hit[t.first : t.end].all())
            for key in ("", t.action) + (("changed",) if t.has_values else ()):
                counts[key] += 1
                exact[key] += good
        for first, end in value_spans(batch):
            kind = value_type(batch.targets[first:end])
            kinds[kind] += 1
            exact_kinds[kind] += bool(hit[first:end].all())
    shares = {a: {"n": counts[a], "exact": round(exact[a] / counts[a], 4)} for a in (*table.ACTIONS, "evaluate") if counts[a]}
    return {
        "n": counts[""],
        "exact": round(exact[""] / max(1, counts[""]), 4),
        "changed": round(exact["changed"] / max(1, counts["changed"]), 4),
        "actions": shares,
        "values": {k: {"n": kinds[k], "exact": round(exact_kinds[k] / kinds[k], 4)} for k in sorted(kinds)},
        "token_accuracy": {CLASS_NAMES[c]: round(right[c] / seen[c], 4) for c in range(len(CLASS_NAMES)) if seen[c]},
    }


def function_rows(path: str, row_length: int, count: int, workings: bool = False) -> List[Row]:
    """Rows of held-out real functions with about `count` predictions, chosen alike every time."""
    samples = list(real_samples(Path(path), 0))
    Random("probe-functions").shuffle(samples)
    made, wanted = [], 0
    for name, sample in samples:
        trace = traced(sample)
        if trace is None:
            continue
        one = document(Random(f"probe:{name}"), trace, row_length, BRANCHES, shows_workings=workings)
        if one is not None:
            made.append(one)
            wanted += list(one.tokens).count(table.END)
        if wanted >= count:
            break
    return pack(made, row_length)


def _send(connection, function: Callable, given: tuple) -> None:
    """A process of its own: the rows, or what went wrong, through the pipe."""
    try:
        connection.send((function(*given), None))
    except Exception as error:  # to be reported there, whatever it is
        connection.send(([], f"{type(error).__name__}: {error}"))


class ProbeSets:
    """The rows of a run's probes, made at once or, in the background, by processes of their own."""

    def __init__(self, config, background: bool = False):
        self.micro_rows = config.micro_rows
        work = {"": (probe_rows, (config.stream(), config.probe_transitions))}
        if config.probe_functions:
            given = config.probe_functions, config.row_length, config.probe_transitions, config.stream().workings
            work["functions"] = (function_rows, given)
        self.sets: Dict[str, List[Row]] = {}
        self.waiting: Dict[str, tuple] = {}
        context = multiprocessing.get_context("spawn")
        for name, (function, given) in work.items():
            if not background:
                self.sets[name] = function(*given)
                continue
            receiving, sending = context.Pipe(duplex=False)
            process = context.Process(target=_send, args=(sending, function, given), daemon=True)
            process.start()
            sending.close()
            self.waiting[name] = process, receiving

    def _receive(self) -> None:
        for name, (process, connection) in list(self.waiting.items()):
            if not connection.poll():
                continue
            try:
                self.sets[name], wrong = connection.recv()
            except EOFError:
                wrong = "the process died"
            if wrong:
                print(f"probe {name or 'generated'}: no rows: {wrong}", flush=True)
            del self.waiting[name]
            process.join()

    def results(self, step) -> Optional[dict]:
        """The generated programs' shares, with "functions" beside them; None as long as there are no rows."""
        self._receive()
        shares = {name: probe(step, rows, getattr(step, "micro_rows", 0) or self.micro_rows)
                  for name, rows in self.sets.items() if rows}
        if "" not in shares:
            return None
        found = shares.pop("")
        return {**found, **shares}

    def close(self) -> None:
        """Ends the processes."""
        for process, connection in self.waiting.values():
            process.kill()
            process.join()
            connection.close()
