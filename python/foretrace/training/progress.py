"""What a training run reports: sums between two lines, records in log.jsonl, lines on standard output."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Optional

import numpy

from .batch import CLASS_NAMES, CONTEXT, UNSUPERVISED

PEAK_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12}  # dense bf16, by the vendor


def peak_flops(device_name: str) -> Optional[float]:
    """The vendor's dense bf16 rate of a GPU by its name, or None."""
    return next((rate for name, rate in PEAK_FLOPS.items() if name in device_name), None)


def step_flops(parameters: int, layers: int, attention_width: int, tokens: int, visible: int) -> float:
    """Floating-point operations of forward and backward: 6 a parameter and token, 12 a layer, width and visible pair."""
    return 6.0 * parameters * tokens + 12.0 * layers * attention_width * visible


class Progress:
    """Sums between two progress lines."""

    def __init__(self) -> None:
        self.loss, self.hits, self.seen = (numpy.zeros(len(CLASS_NAMES)) for _ in range(3))
        self.fresh = self.reused = self.skipped = 0
        self.flops = 0.0

    def add(self, result: dict) -> None:
        """Adds what `Run.update` returned."""
        self.loss += result["loss"]
        self.hits += result["hits"]
        self.seen += result["seen"]
        self.fresh += result["fresh"]
        self.reused += result["reused"]
        self.skipped += not math.isfinite(result["norm"])
        self.flops += result["flops"]

    def summary(self, seconds: float, waited: float, peak: Optional[float]) -> dict:
        """Losses and accuracies by class, the share of `seconds` spent waiting for rows, of rows that were fresh, and
        of the device's peak rate that was used."""
        real = [c for c in range(len(CLASS_NAMES)) if c not in (CONTEXT, UNSUPERVISED)]
        supervised = max(1.0, float(self.seen[real].sum()))
        classes = {CLASS_NAMES[c]: {"loss": round(self.loss[c] / self.seen[c], 4),
                                    "accuracy": round(self.hits[c] / self.seen[c], 4)}
                   for c in range(len(CLASS_NAMES)) if self.seen[c] and c != UNSUPERVISED}
        found = {"loss": round(float(self.loss[real].sum()) / supervised, 4),
                 "accuracy": round(float(self.hits[real].sum()) / supervised, 4),
                 "supervised": int(self.seen[real].sum()), "waiting": round(waited / max(1e-9, seconds), 3),
                 "fresh": round(self.fresh / max(1, self.fresh + self.reused), 3), "classes": classes}
        if self.skipped:
            found["skipped_updates"] = self.skipped
        if peak:
            found["mfu"] = round(self.flops / max(1e-9, seconds) / peak, 4)
        return found


def record(directory: Path, entry: dict) -> None:
    """Adds an entry to the run's log.jsonl."""
    with open(directory / "log.jsonl", "a") as file:
        file.write(json.dumps(entry) + "\n")


def line(entry: dict) -> str:
    """A train entry for people."""
    classes = " ".join(f"{n} {c['loss']:.3f}/{c['accuracy']:.2f}" for n, c in entry["classes"].items())
    extra = f" waiting {entry['waiting']:.0%}" if entry["waiting"] >= 0.01 else ""
    extra += f" fresh {entry['fresh']:.0%}" if entry["fresh"] < 1 else ""
    extra += f" mfu {entry['mfu']:.1%}" if "mfu" in entry else ""
    extra += f" SKIPPED {entry['skipped_updates']} updates" if "skipped_updates" in entry else ""
    return (f"{entry['tokens'] / 1e6:8.2f}M {entry['tokens_per_s']:6.0f} tok/s loss {entry['loss']:.4f} "
            f"acc {entry['accuracy']:.3f} | {classes} | rate {entry['rate']:.3f} norm {entry['norm']:.2f}{extra}")


def probe_line(entry: dict) -> str:
    """A probe entry for people: exact shares in percent."""
    def shares(found: dict) -> str:
        actions = " ".join(f"{name} {100 * a['exact']:.1f}" for name, a in found["actions"].items())
        values = " ".join(f"{name} {100 * v['exact']:.1f}" for name, v in found["values"].items())
        return f"n {found['n']} exact {100 * found['exact']:.1f} changed {100 * found['changed']:.1f} | {actions} | values {values}"

    text = f"probe {entry['tokens'] / 1e6:.2f}M generated: {shares(entry)}"
    return text + (f"\nprobe {entry['tokens'] / 1e6:.2f}M functions: {shares(entry['functions'])}" if "functions" in entry else "")
