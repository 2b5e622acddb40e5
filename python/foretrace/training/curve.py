"""The accuracy curve of a training run: a table and an SVG picture from its log."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Dict, List, Tuple
from xml.sax.saxutils import escape

Point = Tuple[float, Dict[str, float]]  # million tokens, series -> share

COLOURS = {"all": "#444444", "step_into": "#1f77b4", "step_over": "#2ca02c", "changed": "#d62728"}
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


def table(points: List[Point]) -> str:
    """Markdown: shares in percent by million tokens."""
    rows = ["| M tokens | " + " | ".join(COLOURS) + " |", "| --- " * (len(COLOURS) + 1) + "|"]
    for tokens, shares in points:
        rows.append(f"| {tokens:.1f} | " + " | ".join(f"{shares[name] * 100:.1f}" for name in COLOURS) + " |")
    return "\n".join(rows)


def _path(points: List[Tuple[float, float]]) -> str:
    return " ".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))


def picture(points: List[Point], title: str) -> str:
    """An SVG line chart: exact shares against tokens."""
    most = max(tokens for tokens, _ in points)

    def x(tokens: float) -> float:
        return LEFT + tokens / most * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f"<title>{escape(title)}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for percent in range(0, 101, 20):
        height = y(percent / 100)
        parts.append(f'<path d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{percent} %</text>')
    for step in range(5):
        tokens = most * step / 4
        parts.append(f'<text x="{x(tokens):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tokens:.0f}M</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">training tokens</text>')
    ends = []
    for name, colour in COLOURS.items():
        line = [(x(tokens), y(shares[name])) for tokens, shares in points]
        parts.append(f'<path d="{_path(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends.append((line[-1][1], name))
    lowest = 0.0
    for height, name in sorted(ends):
        lowest = max(height + 4, lowest + LABEL_GAP)
        parts.append(f'<text x="{WIDTH - RIGHT + 6}" y="{lowest:.1f}" fill="{COLOURS[name]}">{name}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main(arguments: List[str]) -> int:
    """`python -m foretrace curve RUN --out FILE.svg`: the picture to a file, the table to standard output."""
    parser = argparse.ArgumentParser(prog="foretrace curve", description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="directory of a training run")
    parser.add_argument("--out", type=Path, help="write the SVG picture here")
    options = parser.parse_args(arguments)
    points = read_curve(options.run / "log.jsonl")
    if not points:
        parser.exit(1, f"curve: expected probes in {options.run / 'log.jsonl'}, found none\n")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(picture(points, "Exact predictions on held-out programs against training tokens"))
    print(table(points))
    return 0
