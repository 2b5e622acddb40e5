"""The curves of a training run from its log: accuracy on probes as a table and an SVG picture, loss by field as a picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Callable, Dict, List, Tuple
from xml.sax.saxutils import escape

Point = Tuple[float, Dict[str, float]]  # million tokens, series -> share or nats a token

COLOURS = {"all": "#444444", "step_into": "#1f77b4", "step_over": "#2ca02c", "changed": "#d62728"}
LOSS_COLOURS = {"all": "#444444", "event": "#9467bd", "line": "#1f77b4", "name": "#2ca02c", "value": "#d62728"}
LOSS_WINDOW = 1.0  # million tokens whose losses are one point
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 400, 56, 44, 16, 120
LABEL_GAP = 14


def read_curve(log: Path) -> List[Point]:
    """The probes of a run's log.jsonl, in order. A run that was resumed from an older state keeps the newest of each."""
    points: Dict[float, Dict[str, float]] = {}
    tokens = 0
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        if entry["kind"] == "train":
            tokens = entry["tokens"]
        elif entry["kind"] == "probe":
            shares = {"all": entry["exact"], "changed": entry["changed"]}
            shares.update({name: entry["actions"][name]["exact"] for name in ("step_into", "step_over")})
            at = entry["tokens"] if isinstance(entry["tokens"], int) else tokens
            points[round(at / 1e6, 1)] = shares
    return sorted(points.items())


def read_losses(log: Path) -> List[Point]:
    """Mean losses in nats a token, of all answers and by field, over windows of LOSS_WINDOW. Where a run was resumed from an older state,
    what came after that state before is forgotten."""
    entries: List[Dict] = []
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        if entry["kind"] != "train" or "classes" not in entry:
            continue
        while entries and entries[-1]["tokens"] >= entry["tokens"]:
            entries.pop()
        entries.append(entry)
    windows: Dict[int, List[Dict]] = {}
    for entry in entries:
        windows.setdefault(int(entry["tokens"] / 1e6 / LOSS_WINDOW), []).append(entry)
    points = []
    for number, members in sorted(windows.items()):
        losses = {name: fmean(_loss(entry, name) for entry in members) for name in LOSS_COLOURS}
        points.append(((number + 0.5) * LOSS_WINDOW, losses))
    return points


def _loss(entry: Dict, name: str) -> float:
    return entry["loss"] if name == "all" else entry["classes"][name]["loss"]


def table(points: List[Point]) -> str:
    """Markdown: shares in percent by million tokens."""
    rows = ["| M tokens | " + " | ".join(COLOURS) + " |", "| --- " * (len(COLOURS) + 1) + "|"]
    for tokens, shares in points:
        rows.append(f"| {tokens:.1f} | " + " | ".join(f"{shares[name] * 100:.1f}" for name in COLOURS) + " |")
    return "\n".join(rows)


def _path(points: List[Tuple[float, float]]) -> str:
    return " ".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def picture(points: List[Point], title: str, colours: Dict[str, str] = COLOURS, highest: float = 1.0,
            label: Callable[[float], str] = _percent) -> str:
    """An SVG line chart against tokens, from 0 to `highest`; what is higher is cut off."""
    most = max(tokens for tokens, _ in points)

    def x(tokens: float) -> float:
        return LEFT + tokens / most * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - min(value / highest, 1.0) * (HEIGHT - BOTTOM - TOP)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f"<title>{escape(title)}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for step in range(6):
        value = highest * step / 5
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{label(value)}</text>')
    for step in range(5):
        tokens = most * step / 4
        parts.append(f'<text x="{x(tokens):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tokens:.0f}M</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">training tokens</text>')
    ends = []
    for name, colour in colours.items():
        line = [(x(tokens), y(values[name])) for tokens, values in points]
        parts.append(f'<path d="{_path(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends.append((line[-1][1], name))
    lowest = 0.0
    for height, name in sorted(ends):
        lowest = max(height + 4, lowest + LABEL_GAP)
        parts.append(f'<text x="{WIDTH - RIGHT + 6}" y="{lowest:.1f}" fill="{colours[name]}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main(arguments: List[str]) -> int:
    """`python -m foretrace curve RUN --out FILE.svg --loss FILE.svg`: the pictures to files, the table of accuracy to standard output."""
    parser = argparse.ArgumentParser(prog="foretrace curve", description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="directory of a training run")
    parser.add_argument("--out", type=Path, help="write the SVG picture of accuracy here")
    parser.add_argument("--loss", type=Path, help="write the SVG picture of losses by field here")
    options = parser.parse_args(arguments)
    points = read_curve(options.run / "log.jsonl")
    if not points:
        parser.exit(1, f"curve: expected probes in {options.run / 'log.jsonl'}, found none\n")
    if options.out:
        _write(options.out, picture(points, "Exact predictions on held-out programs against training tokens"))
    if options.loss:
        title = "Loss in nats a token, by field, against training tokens"
        losses = read_losses(options.run / "log.jsonl")
        _write(options.loss, picture(losses, title, LOSS_COLOURS, highest=1.5, label=lambda value: f"{value:.1f}"))
    print(table(points))
    return 0
