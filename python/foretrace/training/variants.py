"""The ablations: what each variant changes of documents, model or training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Sequence

from ..language import tokens as table
from . import variants_spelling, variants_states
from .batch import CONTEXT, UNSUPERVISED, Document

STRING_PAIRS = 128

Transform = Callable[[Document, Sequence[str]], Document]
"""A document and the names that its slots stand for -> the variant's document."""


@dataclass(frozen=True)
class Variant:
    """`documents`: how they are drawn (see `ablation_documents.KINDS`). `transform`: makes the transformation, given
    some documents to count in; None: documents stay. `model` and `training`: fields of ModelConfig and
    `ablation.Recipe`. `alone`: each branch in a document of its own."""

    name: str
    changes: str
    documents: str = "base"
    transform: Optional[Callable[[Sequence[Document]], Transform]] = None
    model: Dict[str, int] = field(default_factory=dict)
    training: Dict[str, object] = field(default_factory=dict)
    alone: bool = False

    def has_own_documents(self) -> bool:
        """Whether its documents are not those of the base."""
        return self.documents != "base" or self.transform is not None or self.alone


def _plain(change: Callable[[Document], Document]) -> Callable[[Sequence[Document]], Transform]:
    """A transformation that needs neither names nor counts."""
    return lambda counted: lambda document, names: change(document)


def _string_pairs(counted: Sequence[Document]) -> Transform:
    pairs = variants_spelling.frequent_pairs(counted, STRING_PAIRS)
    return lambda document, names: variants_spelling.strings_paired(document, pairs)


def program_targets(document: Document) -> Document:
    """The program's tokens as the context that is predicted, and keyframes not."""
    classes = [UNSUPERVISED if c == CONTEXT else c for c in document.classes]
    length = document.lengths[0]
    return Document(document.tokens, [CONTEXT] * length + classes[length:], document.lengths)


ALL: List[Variant] = [
    Variant("base", "as shipped, without the line about to run"),
    Variant("spelled", "names in characters instead of slots",
            transform=lambda counted: variants_spelling.spelled),
    Variant("digits_reversed", "integers least significant digit first",
            transform=_plain(variants_spelling.digits_reversed)),
    Variant("digits_pairs", "integers two digits a token", transform=_plain(variants_spelling.digits_paired),
            model={"vocab_size": table.SIZE + variants_spelling.DIGIT_PAIRS}),
    Variant("strings_pairs", f"{STRING_PAIRS} frequent pairs of letters in strings as tokens", transform=_string_pairs,
            model={"vocab_size": table.SIZE + STRING_PAIRS}),
    Variant("edit", "changed strings and containers as edits of the old value, where shorter",
            transform=_plain(variants_states.edited)),
    Variant("full_state", "deltas list all locals", transform=_plain(variants_states.full_states)),
    Variant("k1", "one action and delta a branch", documents="k1"),
    Variant("k7", "mostly long branches", documents="k7"),
    Variant("context_loss_10", "loss on keyframes too, weight 0.1", training={"context_weight": 0.1}),
    Variant("context_loss_25", "loss on keyframes too, weight 0.25", training={"context_weight": 0.25}),
    Variant("program_loss", "loss on programs too, weight 0.1", transform=_plain(program_targets),
            training={"context_weight": 0.1}),
    Variant("curriculum_none", "the final mixture from the start", documents="final"),
    Variant("curriculum_drills", "drills only for the first half", documents="drills"),
    Variant("wide_shallow", "hidden 384, 3 layers, 6 heads, ffn 848",
            model={"hidden_size": 384, "num_hidden_layers": 3, "num_attention_heads": 6, "intermediate_size": 848}),
    Variant("narrow_deep", "hidden 192, 11 layers, 3 heads, 1 KV head, ffn 480",
            model={"hidden_size": 192, "num_hidden_layers": 11, "num_attention_heads": 3, "num_key_value_heads": 1,
                   "intermediate_size": 480}),
    Variant("ffn_large", "5 layers, ffn 832", model={"num_hidden_layers": 5, "intermediate_size": 832}),
    Variant("heads_8", "8 heads, ffn 464", model={"num_attention_heads": 8, "intermediate_size": 464}),
    Variant("adamw", "AdamW (2e-3) for the matrices too", training={"optimizer": "adamw"}),
    Variant("batch_8", "8 rows an update", training={"batch_rows": 8}),
    Variant("batch_32", "32 rows an update", training={"batch_rows": 32}),
    Variant("rate_half", "half the learning rates", training={"adam_rate": 1e-3, "muon_rate": 0.01}),
    Variant("rate_double", "twice the learning rates", training={"adam_rate": 4e-3, "muon_rate": 0.04}),
    Variant("no_branch_sharing", "each branch behind a program of its own", alone=True),
]
BY_NAME: Dict[str, Variant] = {variant.name: variant for variant in ALL}


def chosen(text: str) -> List[Variant]:
    """The variants of a comma-separated list, or of "all". Raises ValueError (variant_unknown)."""
    names = [name.strip() for name in text.split(",")]
    if names == ["all"]:
        return ALL
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise ValueError(f"variant_unknown: expected all or some of {', '.join(BY_NAME)}, got {', '.join(unknown)}")
    return [BY_NAME[name] for name in dict.fromkeys(names)]


def parted(document: Document) -> List[Document]:
    """One document for each branch, each with the program."""
    length = document.lengths[0]
    tokens, classes, out, at = list(document.tokens), list(document.classes), [], length
    for size in document.lengths[1:]:
        out.append(Document(tokens[:length] + tokens[at:at + size], classes[:length] + classes[at:at + size],
                            [length, size]))
        at += size
    return out


def fitted(document: Document, limit: int) -> Optional[Document]:
    """The document without the branches at its end that do not fit into `limit` tokens; None if none fits."""
    tokens, lengths = 0, []
    for length in document.lengths:
        if tokens + length > limit:
            break
        tokens += length
        lengths.append(length)
    if len(lengths) < 2:
        return None
    return Document(document.tokens[:tokens], document.classes[:tokens], lengths)
