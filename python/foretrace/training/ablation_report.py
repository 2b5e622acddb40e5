"""What the ablations found as JSON and as a Markdown table, and the statistics of documents that need no training."""

from __future__ import annotations

import math
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from ..language import tokens as table
from .ablation import Label
from .batch import UNSUPERVISED, VALUE, Document
from .variants_tokens import branches

GROUPS = ("all", "step_into", "step_over", "changed", "reverse", "first")
Z = 1.96
_QUESTIONS = frozenset((*table.ACTION_NAMES, table.EVALUATE))


def interval(right: int, n: int) -> Tuple[float, float]:
    """95 % interval of a share (Wilson, 1927)."""
    if not n:
        return 0.0, 1.0
    share, z = right / n, Z * Z / n
    middle, half = share + z / 2, Z * math.sqrt(share * (1 - share) / n + z / (4 * n))
    return max(0.0, (middle - half) / (1 + z)), min(1.0, (middle + half) / (1 + z))


def difference(hits: str, base: str) -> Tuple[float, float]:
    """(share of `hits` less that of `base`, half of its 95 % interval), paired answer by answer."""
    gained = sum(a > b for a, b in zip(hits, base))
    lost = sum(a < b for a, b in zip(hits, base))
    n = max(1, len(hits))
    return (gained - lost) / n, Z * math.sqrt(max(0.0, gained + lost - (gained - lost) ** 2 / n)) / n


def shares(hits: str, labels: Sequence[Label]) -> Dict[str, Dict[str, float]]:
    """{group: {"n", "exact", "low", "high"}}. Raises ValueError (answers_differ) if hits and labels are not as many."""
    if len(hits) != len(labels):
        raise ValueError(f"answers_differ: expected {len(labels)} answers, got {len(hits)}")
    counts: Dict[str, List[int]] = {}
    for hit, label in zip(hits, labels):
        for group in label.groups():
            count = counts.setdefault(group, [0, 0])
            count[0] += 1
            count[1] += hit == "1"
    out = {}
    for group, (n, right) in sorted(counts.items()):
        low, high = interval(right, n)
        out[group] = {"n": n, "exact": round(right / n, 4), "low": round(low, 4), "high": round(high, 4)}
    return out


def summary(results: Sequence[dict], labels: Sequence[Label], setting: dict) -> dict:
    """What ablations.json holds."""
    base = next((r["hits"] for r in results if r["variant"] == "base"), None)
    variants = []
    for result in results:
        entry = {**result, "tokens_per_document": round(result["tokens"] / max(1, result["documents"]), 1),
                 "shares": shares(result["hits"], labels)}
        if base is not None and result["variant"] != "base":
            gain, half = difference(result["hits"], base)
            entry["against_base"] = {"difference": round(gain, 4), "half_interval": round(half, 4)}
        variants.append(entry)
    return {"setting": setting, "variants": variants}


def markdown(found: dict) -> str:
    """The table of a summary."""
    counts: Dict[str, int] = {}
    for entry in found["variants"]:
        counts.update({group: int(share["n"]) for group, share in entry["shares"].items()})
    head = ["variant", "changes", "parameters", "M tokens", "documents", "tokens a document", "value loss", "answer loss",
            *(f"{group} (n = {counts.get(group, 0)})" for group in GROUPS), "against base", "minutes"]
    lines = [_line(head), _line(["---"] * len(head))]
    for entry in found["variants"]:
        lines.append(_line([
            entry["variant"], entry["changes"], f"{entry['parameters']:,}", f"{entry['tokens'] / 1e6:.2f}",
            f"{entry['documents']:,}", f"{entry['tokens_per_document']:.0f}", f"{entry['value_loss']:.3f}",
            f"{entry['answer_loss']:.3f}", *(_share(entry["shares"].get(group)) for group in GROUPS),
            _gain(entry.get("against_base")), f"{entry['minutes']:.1f}"]))
    return "\n".join(lines) + "\n\n" + _NOTES


_NOTES = """Shares of answers of which each token is the likeliest, in percent, with 95 % intervals (Wilson) as if answers
were independent; answers about one program are not, so the true intervals are somewhat wider. *first*: answers right behind
a keyframe. *changed*: answers that write a value. Losses: held-out nats an answer, of its values and of all of it. *against
base*: difference of *all* in points, paired, with its 95 % interval. One run and one seed each. Minutes are those of
training alone, on a machine that may have done other work.
"""


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _share(share: Optional[dict]) -> str:
    return f"{100 * share['exact']:.1f} ({100 * share['low']:.1f}-{100 * share['high']:.1f})" if share else ""


def _gain(gain: Optional[dict]) -> str:
    return f"{100 * gain['difference']:+.1f} ± {100 * gain['half_interval']:.1f}" if gain else ""


def statistics(whole: Sequence[Document], cut: Sequence[Document]) -> Dict[str, float]:
    """Means of tokens. Of `whole` documents: program, keyframe, answer and the values in an answer. Of the same ones `cut`
    to the row length: document, branches, share of tokens that are answers, and answers for every 1,000 tokens."""
    keyframes, _, answers, answer_tokens, value_tokens = _counts(whole)
    _, branch_count, cut_answers, cut_answer_tokens, _ = _counts(cut)
    total = sum(map(len, cut))
    return {
        "documents": len(cut),
        "program": sum(d.lengths[0] for d in whole) / max(1, len(whole)),
        "keyframe": keyframes, "answer": answer_tokens / max(1, answers), "answer_values": value_tokens / max(1, answers),
        "document": total / max(1, len(cut)), "branches": branch_count / max(1, len(cut)),
        "answer_share": cut_answer_tokens / max(1, total), "answers_per_1000": 1000 * cut_answers / max(1, total),
    }


def _counts(documents: Sequence[Document]) -> Tuple[float, int, int, int, int]:
    """Mean tokens of a keyframe; branches, answers, tokens of answers, tokens of values in them."""
    keyframes = branch_count = answers = answer_tokens = value_tokens = 0
    for document in documents:
        for tokens, classes in branches(document):
            branch_count += 1
            asked = next(k for k, token in enumerate(tokens) if token in _QUESTIONS)
            keyframes += asked
            targets = [c for c in classes[asked:] if c != UNSUPERVISED]
            answer_tokens += len(targets)
            value_tokens += targets.count(VALUE)
            answers += sum(t == table.END and c != UNSUPERVISED for t, c in zip(tokens, classes))
    return keyframes / max(1, branch_count), branch_count, answers, answer_tokens, value_tokens


def statistics_markdown(found: Sequence[Tuple[str, Dict[str, float]]], budget: int) -> str:
    """The table of (variant, statistics); `budget`: tokens of a run."""
    head = ["variant", "program", "keyframe", "answer", "values in it", "document", "branches", "answer tokens %",
            "answers per 1,000 tokens", "documents in the budget", "counted"]
    lines = [_line(head), _line(["---"] * len(head))]
    for name, s in found:
        lines.append(_line([
            name, f"{s['program']:.1f}", f"{s['keyframe']:.1f}", f"{s['answer']:.2f}", f"{s['answer_values']:.2f}",
            f"{s['document']:.0f}", f"{s['branches']:.1f}", f"{100 * s['answer_share']:.1f}",
            f"{s['answers_per_1000']:.1f}", f"{budget / max(1, s['document']):,.0f}", f"{s['documents']:,.0f}"]))
    return "\n".join(lines) + "\n"
