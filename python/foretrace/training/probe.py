"""Teacher-forced accuracy on fixed held-out transitions: a delta counts when each of its tokens is the likeliest."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Dict, List, Sequence

import numpy

from ..language import tokens as table
from .batch import CLASS_NAMES, VALUE, Batch, Row


@dataclass
class Transition:
    """Indices [first, end) into a batch's predicted positions, all of one delta."""

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
        while int(batch.tokens[at]) not in table.ACTION_NAMES:
            at -= 1
        values = bool((batch.classes[first : index + 1] == VALUE).any())
        found.append(Transition(table.ACTION_NAMES[int(batch.tokens[at])], first, index + 1, values))
        first = index + 1
    return found


def probe(step, rows: Sequence[Row], micro_rows: int = 8) -> Dict[str, object]:
    """{"n", "exact", "changed", "actions": {ACTION: {"n", "exact"}}, "token_accuracy": {CLASS: accuracy}}.

    "changed" is the exact share among deltas that write at least one value."""
    counts, exact = defaultdict(int), defaultdict(int)
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
    return {
        "n": counts[""],
        "exact": round(exact[""] / max(1, counts[""]), 4),
        "changed": round(exact["changed"] / max(1, counts["changed"]), 4),
        "actions": {a: {"n": counts[a], "exact": round(exact[a] / counts[a], 4)} for a in table.ACTIONS if counts[a]},
        "token_accuracy": {CLASS_NAMES[c]: round(right[c] / seen[c], 4) for c in range(len(CLASS_NAMES)) if seen[c]},
    }
