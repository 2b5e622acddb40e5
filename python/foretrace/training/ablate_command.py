"""`python -m foretrace ablate`: one small model for each variant of language, data, shape and training, at equal tokens.

All variants share programs, their order, the seed, the schedule and the held-out transitions. A run lives in one
directory; the same command again goes on with what is missing. --dry-run counts tokens and trains nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import List

from .train_command import DONE, FAILED, TORCH_MISSING, USAGE

DRY_DOCUMENTS = 300


def main(arguments: list) -> int:
    """Run the command. Returns 0 (done), 1 (failed) or 2 (usage)."""
    options = _parser().parse_args(arguments)
    try:
        import torch
        from .ablation import Recipe
        from .ablation_documents import Plan, Shards
        from .variants import chosen
    except ModuleNotFoundError as error:
        print(f"foretrace ablate: {TORCH_MISSING} {error.name}", file=sys.stderr)
        return FAILED
    shards = None
    try:
        variants = chosen(options.variants)
        recipe = Recipe(tokens=options.tokens, seed=options.seed, warmup_tokens=min(300_000, options.tokens // 20),
                        transitions=options.transitions)
        plan = Plan(seed=options.seed, tokens=options.tokens, row_length=recipe.row_length)
        _check_setting(options.out, asdict(recipe), options.device)
        torch.set_num_threads(options.threads)
        shards = Shards(plan, options.documents or options.out / "documents", 0 if options.dry_run else 2)
    except ValueError as error:
        print(f"foretrace ablate: {error}", file=sys.stderr)
        return USAGE
    except OSError as error:
        print(f"foretrace ablate: {error}", file=sys.stderr)
        return FAILED
    try:
        if options.dry_run:
            _count(options, variants, shards)
        else:
            _run(options, variants, recipe, shards)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"foretrace ablate: {error}", file=sys.stderr)
        return FAILED
    finally:
        shards.close()
    return DONE


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"a positive number is expected, not {text}")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foretrace ablate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="directory of the results")
    parser.add_argument("--tokens", type=_positive, default=6_000_000, help="of each variant (default %(default)s)")
    parser.add_argument("--variants", default="all", metavar="A,B", help="names, or all (the default)")
    parser.add_argument("--documents", type=Path, metavar="DIR", help="shards of another run instead of OUT/documents")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=_positive, default=2)
    parser.add_argument("--transitions", type=_positive, default=1000, help="held-out ones to probe (default %(default)s)")
    parser.add_argument("--dry-run", type=_positive, nargs="?", const=DRY_DOCUMENTS, metavar="N",
                        help=f"count tokens in about N documents (default {DRY_DOCUMENTS}) of variants that have their own")
    return parser


def _check_setting(directory: Path, setting: dict, device: str) -> None:
    """A directory keeps the setting of its first run. Raises ValueError (setting_fixed)."""
    path = directory / "setting.json"
    wanted = {**setting, "device": device}
    if path.exists():
        stored = json.loads(path.read_text())
        if stored != wanted:
            raise ValueError(f"setting_fixed: {path} keeps {stored}, asked for {wanted}")
        return
    directory.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(wanted, indent=1) + "\n")


def _run(options, variants, recipe, shards) -> None:
    from .ablation import probe_labels, run_variant
    from .ablation_report import markdown, summary
    from .variants import ALL

    labels = probe_labels(shards.probe(recipe.transitions))
    setting = json.loads((options.out / "setting.json").read_text())
    for variant in variants:
        path = options.out / f"{variant.name}.json"
        if not path.exists():
            saved = options.out / f"{variant.name}.pt"
            _replace(path, json.dumps(run_variant(variant, recipe, shards, saved, options.device), indent=1) + "\n")
            saved.unlink(missing_ok=True)
        done = [options.out / f"{each.name}.json" for each in ALL]
        results = [json.loads(file.read_text()) for file in done if file.exists()]
        found = summary(results, labels, setting)
        _replace(options.out / "ablations.json", json.dumps(found, indent=1) + "\n")
        _replace(options.out / "ablations.md", markdown(found))
        share = next(e["shares"]["all"]["exact"] for e in found["variants"] if e["variant"] == variant.name)
        print(f"{variant.name}: {100 * share:.1f} % of {len(labels)} answers", flush=True)


def _count(options, variants, shards) -> None:
    """Statistics of the variants' documents from all of the curriculum, printed and written to statistics.{json,md}."""
    from .ablation import Maker
    from .ablation_report import statistics, statistics_markdown

    found: List[tuple] = []
    counted = shards.shard("base", 0)
    for variant in (v for v in variants if v.has_own_documents() or v.name == "base"):
        maker = Maker(variant, counted)
        examples = shards.spread(variant.documents, options.dry_run)
        whole = [d for example in examples for d in maker.documents(example)]
        cut = [d for example in examples for d in maker.training(example, shards.plan.row_length)]
        found.append((variant.name, statistics(whole, cut)))
    text = statistics_markdown(found, options.tokens)
    _replace(options.out / "statistics.json", json.dumps(dict(found), indent=1) + "\n")
    _replace(options.out / "statistics.md", text)
    print(text, end="")


def _replace(path: Path, text: str) -> None:
    partial = path.with_suffix(path.suffix + ".partial")
    partial.write_text(text)
    os.replace(partial, path)
