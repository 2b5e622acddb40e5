"""Trains one small model for one variant and probes it on the held-out transitions that all variants share."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy
import torch

from ..language import tokens as table
from . import checkpoint, cpu_step
from .ablation_documents import Example, Shards
from .batch import UNSUPERVISED, VALUE, Batch, Document, Row, pack
from .model import Llama, ModelConfig
from .optimizer import Optimizer
from .probe import transitions
from .schedule import learning_rate
from .stream import MIN_FILL
from .torch_step import TorchStep
from .variants import Variant, fitted, parted
from .variants_tokens import branches

PROBE_LENGTH = 2048  # longer than training rows: spelled names must not be left out
CHECKPOINT_SECONDS = 120.0
_QUESTIONS = {**table.ACTION_NAMES, table.EVALUATE: "evaluate"}


@dataclass(frozen=True)
class Recipe:
    """How every variant is trained. The rate rises over warmup_tokens and falls linearly to 0 at `tokens`."""

    tokens: int = 6_000_000
    seed: int = 1
    row_length: int = 1024
    batch_rows: int = 16
    micro_rows: int = 4
    warmup_tokens: int = 300_000
    optimizer: str = "muon"
    adam_rate: float = 2e-3
    muon_rate: float = 0.02
    weight_decay: float = 0.1
    clip: float = 1.0
    context_weight: float = 0.0
    transitions: int = 1000


class Label(NamedTuple):
    """A held-out delta or answer, as the base documents have it. first: it stands right behind a keyframe."""

    action: str
    changed: bool
    first: bool

    def groups(self) -> List[str]:
        """What it counts for."""
        found = ["all", self.action] + ["reverse"] * self.action.startswith("inv_")
        return found + ["changed"] * self.changed + ["first"] * self.first


def labels(tokens: Sequence[int], classes: Sequence[int]) -> List[Label]:
    """The deltas and answers of a branch."""
    found: List[Label] = []
    asked = 0
    for at, token in enumerate(tokens):
        if token in _QUESTIONS:
            asked = at
        elif token == table.END and classes[at] != UNSUPERVISED:
            found.append(Label(_QUESTIONS[tokens[asked]], VALUE in classes[asked:at], not found))
    return found


class Maker:
    """Makes a variant's documents from examples."""

    def __init__(self, variant: Variant, counted: Sequence[Example]):
        """counted: examples that transformations may count in."""
        self.variant = variant
        self.transform = variant.transform([e.document for e in counted]) if variant.transform else None

    def documents(self, example: Example) -> List[Document]:
        """The variant's documents of an example; several if branches stand alone."""
        given = example.document
        made = self.transform(given, example.names) if self.transform else given
        return parted(made) if self.variant.alone else [made]

    def training(self, example: Example, limit: int) -> List[Document]:
        """The same, cut to the row length."""
        return [d for d in (fitted(document, limit) for document in self.documents(example)) if d is not None]


def training_rows(maker: Maker, shards: Shards, length: int) -> Iterator[Row]:
    """A variant's rows without end, shard by shard; a last row that is mostly empty is left out."""
    shard = 0
    while True:
        examples = shards.shard(maker.variant.documents, shard)
        rows = pack([d for example in examples for d in maker.training(example, length)], length)
        if len(rows) > 1 and len(rows[-1].tokens) < MIN_FILL * length:
            rows.pop()
        yield from rows
        shard += 1


class Trial:
    """A model in training, and what it has used up."""

    def __init__(self, variant: Variant, recipe: Recipe, device: str = "cpu"):
        self.variant, self.recipe = variant, replace(recipe, **variant.training)
        self.model = Llama(ModelConfig(**variant.model), recipe.seed).to(device)
        for value in self.model.parameters():
            value.grad = torch.zeros_like(value)
        fast = device == "cpu" and cpu_step.available(self.model)
        self.step = cpu_step.CpuStep(self.model) if fast else TorchStep(self.model, recipe.row_length)
        r = self.recipe
        self.optimizer = Optimizer(self.model, r.optimizer, r.adam_rate, r.muon_rate, r.weight_decay, fast)
        self.tokens = self.rows = self.documents = 0
        self.seconds = 0.0

    def state(self) -> dict:
        """Everything `restore` takes."""
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state, "steps": self.optimizer.steps,
                "tokens": self.tokens, "rows": self.rows, "documents": self.documents, "seconds": self.seconds}

    def restore(self, state: dict) -> None:
        """Goes on from a state."""
        self.model.load_state_dict(state["model"])
        for name, value in self.optimizer.state.items():
            value.copy_(state["optimizer"][name])
        self.optimizer.steps = state["steps"]
        self.tokens, self.rows, self.documents = state["tokens"], state["rows"], state["documents"]
        self.seconds = state["seconds"]
        self.step.refresh()

    def finished(self) -> bool:
        return self.tokens >= self.recipe.tokens

    def update(self, rows: List[Row]) -> float:
        """One optimizer step; returns the mean weighted loss. The clock runs here alone: making rows is not counted."""
        began = time.monotonic()
        r = self.recipe
        batches = [Batch.of(rows[k:k + r.micro_rows], r.context_weight) for k in range(0, len(rows), r.micro_rows)]
        total = float(sum(b.weights.sum() for b in batches))
        for value in self.model.parameters():
            value.grad.zero_()
        loss = 0.0
        for batch in batches:
            losses, _ = self.step.gradients(batch, total)
            loss += float((losses.numpy() * batch.weights).sum()) / total
        self.optimizer.step(learning_rate(self.tokens, r.warmup_tokens, 0, r.tokens), r.clip)
        self.step.refresh()
        self.tokens += sum(len(b.tokens) for b in batches)
        self.rows += len(rows)
        self.documents += sum(len(row.lengths) for row in rows)
        self.seconds += time.monotonic() - began
        return loss


def trained(trial: Trial, rows: Iterator[Row], saved: Optional[Path] = None) -> None:
    """Trains to the end of the budget, from the checkpoint at `saved` if there is one."""
    if saved is not None and saved.exists():
        trial.restore(checkpoint.load(saved))
        for _ in range(trial.rows):
            next(rows)
    last = time.monotonic()
    while not trial.finished():
        loss = trial.update([next(rows) for _ in range(trial.recipe.batch_rows)])
        if time.monotonic() - last >= CHECKPOINT_SECONDS:
            last = time.monotonic()
            print(f"{trial.variant.name}: {trial.tokens} tokens, loss {loss:.3f}, {trial.seconds / 60:.1f} min", flush=True)
            if saved is not None:
                checkpoint.save(saved, trial.state())


def probe_parts(document: Document, limit: int) -> List[Tuple[Optional[Document], int]]:
    """A document as parts of at most `limit` tokens, branches in their order, with the answers in each; None instead of
    a part for a branch that does not fit behind its program alone."""
    parts: List[Tuple[Optional[Document], int]] = []
    program, classes = list(document.tokens[:document.lengths[0]]), list(document.classes[:document.lengths[0]])
    for tokens, targets in branches(document):
        count = len(labels(tokens, targets))
        last = parts[-1][0] if parts else None
        if last is not None and len(last) + len(tokens) <= limit:
            joined = Document(last.tokens + tokens, last.classes + targets, last.lengths + [len(tokens)])
            parts[-1] = joined, parts[-1][1] + count
        elif len(program) + len(tokens) <= limit:
            parts.append((Document(program + tokens, classes + targets, [len(program), len(tokens)]), count))
        else:
            parts.append((None, count))
    return parts


class Measured(NamedTuple):
    """hits: whether each answer's tokens all are the likeliest, in the order of the labels. Losses in nats an answer, of
    its values and of all of it: unlike losses a token they compare between spellings. too_long: answers left out."""

    hits: numpy.ndarray
    value_loss: float
    answer_loss: float
    too_long: int


def measured(step, documents: Sequence[Document], limit: int = PROBE_LENGTH, at_once: int = 8) -> Measured:
    """Teacher-forced answers. One that does not fit into `limit` tokens is none."""
    parts = [part for document in documents for part in probe_parts(document, limit)]
    fitting = [document for document, _ in parts if document is not None]
    right: List[bool] = []
    sums = numpy.zeros(2)
    for start in range(0, len(fitting), at_once):
        batch = Batch.of([Row.of([document]) for document in fitting[start:start + at_once]])
        scores = step.logits(batch, batch.predict).float().log_softmax(-1)
        hit = scores.argmax(-1).numpy() == batch.targets
        losses = -scores.gather(1, torch.from_numpy(batch.targets)[:, None])[:, 0].numpy()
        sums += losses[batch.classes == VALUE].sum(), losses.sum()
        right += [bool(hit[t.first:t.end].all()) for t in transitions(batch)]
    hits, at = [], 0
    for document, count in parts:
        hits += [False] * count if document is None else right[at:at + count]
        at += 0 if document is None else count
    missing = sum(count for document, count in parts if document is None)
    answered = max(1, len(right))
    return Measured(numpy.array(hits, dtype=bool), float(sums[0]) / answered, float(sums[1]) / answered, missing)


def run_variant(variant: Variant, recipe: Recipe, shards: Shards, saved: Optional[Path] = None,
                device: str = "cpu") -> Dict[str, object]:
    """Trains and probes; the result as it is kept in a file."""
    counted = shards.shard("base", 0)
    maker, trial = Maker(variant, counted), Trial(variant, recipe, device)
    trained(trial, training_rows(maker, shards, trial.recipe.row_length), saved)
    step = trial.step if isinstance(trial.step, cpu_step.CpuStep) else TorchStep(trial.model, PROBE_LENGTH)
    found = measured(step, [d for example in shards.probe(recipe.transitions) for d in maker.documents(example)])
    return {
        "variant": variant.name, "changes": variant.changes,
        "parameters": sum(p.numel() for p in trial.model.parameters()),
        "tokens": trial.tokens, "documents": trial.documents, "updates": trial.optimizer.steps,
        "minutes": round(trial.seconds / 60, 2), "value_loss": round(found.value_loss, 4),
        "answer_loss": round(found.answer_loss, 4), "too_long": found.too_long,
        "hits": "".join("1" if hit else "0" for hit in found.hits),
    }


def probe_labels(examples: Sequence[Example]) -> List[Label]:
    """The labels behind `Measured.hits`, the same for all variants."""
    return [label for example in examples for branch in branches(example.document) for label in labels(*branch)]
