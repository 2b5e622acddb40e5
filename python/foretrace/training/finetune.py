"""A start from trained weights: a model of this project as it is, or another Llama or Qwen whose embeddings are replaced.

A foreign model's trunk is kept; each row of the new table begins as the foreign embedding of the same text. Its
tokenizer is read directly (byte-level BPE: the vocabulary in tokenizer.json spells bytes as printable characters).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import torch

from ..language import tokens as table
from . import safetensors
from .deepen import deepened
from .model import KINDS, Llama, ModelConfig

SHAPE_FIELDS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size")
NOISE = 0.1  # of the table's own spread, on rows that no foreign token stands for
EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"


class FineTuneError(ValueError):
    """A directory that cannot be started from; the text begins with a code."""


def _refused(code: str, what: str, expected, actual) -> FineTuneError:
    return FineTuneError(f"{code}: {what}: expected {expected}, got {actual}")


def tokens_seen(directory: Path) -> int:
    """How many tokens a model of this project was trained on; 0 for others."""
    about = json.loads((directory / "config.json").read_text()).get("foretrace")
    seen = about.get("tokens_trained") if isinstance(about, dict) else None
    return seen if isinstance(seen, int) else 0


def read_config(directory: Path) -> ModelConfig:
    """The shape of a Llama, Qwen2 or Qwen3 directory, with this project's vocabulary and at most 2,048 positions.

    Raises FineTuneError: model_unreadable, model_architecture, model_rope (scaled positions), model_biases (of other projections),
    model_window (of fewer positions)."""
    path = directory / "config.json"
    try:
        stored = json.loads(path.read_text())
        shape = {name: int(stored[name]) for name in SHAPE_FIELDS if name != "num_key_value_heads"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refused("model_unreadable", str(path), "config.json of a Llama", repr(error)) from None
    kind = stored.get("model_type")
    if kind not in KINDS:
        raise _refused("model_architecture", str(path), f"model_type {', '.join(KINDS)}", kind)
    attention_bias, head_norms = KINDS[kind]
    rope = stored.get("rope_parameters") or stored.get("rope_scaling") or {}
    if rope.get("rope_type", rope.get("type", "default")) not in ("default", None):
        raise _refused("model_rope", str(path), "positions without scaling", rope)
    if stored.get("rope_interleaved"):
        raise _refused("model_rope", str(path), "positions that rotate halves", "interleaved pairs")
    biased = not attention_bias and (stored.get("attention_bias") or stored.get("mlp_bias"))
    if biased or stored.get("hidden_act", "silu") != "silu":
        raise _refused("model_biases", str(path), "no biases and silu",
                       {k: stored.get(k) for k in ("attention_bias", "mlp_bias", "hidden_act")})
    shape["num_key_value_heads"] = int(stored.get("num_key_value_heads") or shape["num_attention_heads"])
    default = ModelConfig()
    window = stored.get("sliding_window") if stored.get("use_sliding_window", kind == "llama") else None
    if window is not None and window < default.max_position_embeddings:
        raise _refused("model_window", str(path), f"windows of {default.max_position_embeddings} positions or none", window)
    return ModelConfig(
        vocab_size=table.SIZE, **shape,
        head_dim=int(stored.get("head_dim") or shape["hidden_size"] // shape["num_attention_heads"]),
        rope_theta=float(rope.get("rope_theta", stored.get("rope_theta", 10000.0))),
        max_position_embeddings=min(default.max_position_embeddings, int(stored.get("max_position_embeddings", 2048))),
        rms_norm_eps=float(stored.get("rms_norm_eps", default.rms_norm_eps)), attention_bias=attention_bias, head_norms=head_norms)


def byte_characters() -> Dict[int, str]:
    """How byte-level BPE spells each byte: printable Latin-1 as itself, the others from U+0100 on (GPT-2's table)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    spelled = {byte: chr(byte) for byte in plain}
    for index, byte in enumerate(byte for byte in range(256) if byte not in spelled):
        spelled[byte] = chr(0x100 + index)
    return spelled


def read_vocabulary(directory: Path) -> Dict[bytes, int]:
    """{bytes of a token: id} of a byte-level BPE tokenizer.json; tokens that spell no bytes are left out.

    Raises FineTuneError (tokenizer_unreadable)."""
    path = directory / "tokenizer.json"
    try:
        vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
        items = vocabulary.items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _refused("tokenizer_unreadable", str(path), "a byte-level BPE vocabulary", repr(error)) from None
    bytes_of = {char: byte for byte, char in byte_characters().items()}
    return {bytes(bytes_of[char] for char in text): number for text, number in items
            if text and all(char in bytes_of for char in text)}


def token_texts() -> List[Optional[bytes]]:
    """What each token of this project stands for in a program or a value; None for structure without a text."""
    texts: List[Optional[bytes]] = [None] * table.SIZE
    for words in (table.WORDS, table.OPERATORS, table.CHARS):
        for text, token in words.items():
            texts[token] = text.encode()
    for byte in range(256):
        texts[table.BYTE_BASE + byte] = bytes([byte])
    return texts


def pieces(text: bytes, vocabulary: Dict[bytes, int]) -> List[int]:
    """Foreign tokens that spell `text`: the longest match from the left each time; bytes that none spells are skipped.

    A word is looked up behind a space first, as tokenizers write words."""
    if b" " + text in vocabulary and text[:1].isalpha():
        return [vocabulary[b" " + text]]
    found, at = [], 0
    while at < len(text):
        end = next((end for end in range(len(text), at, -1) if text[at:end] in vocabulary), at)
        if end > at:
            found.append(vocabulary[text[at:end]])
        at = max(end, at + 1)
    return found


def new_table(foreign: torch.Tensor, vocabulary: Dict[bytes, int], seed: int = 0) -> torch.Tensor:
    """[1025, hidden_size]: the mean of the pieces of each token's text; for structure the mean of all, and noise."""
    rows = foreign.float()
    mean, spread = rows.mean(0), rows.std()
    source = torch.Generator().manual_seed(seed)
    made = []
    for text in token_texts():
        found = [n for n in (pieces(text, vocabulary) if text else ()) if n < len(rows)]
        noise = NOISE * spread * torch.randn(len(mean), generator=source)
        made.append(rows[found].mean(0) if found else mean + noise)
    return torch.stack(made)


def read_weights(directory: Path) -> Dict[str, torch.Tensor]:
    """All tensors of a directory's safetensors files as fp32. Raises FineTuneError (model_unreadable)."""
    weights: Dict[str, torch.Tensor] = {}
    try:
        for path in sorted(directory.glob("model*.safetensors")):
            weights.update(safetensors.read(path))
    except (OSError, ValueError, KeyError) as error:
        raise _refused("model_unreadable", str(directory), "safetensors files", repr(error)) from None
    if EMBEDDING not in weights:
        raise _refused("model_unreadable", str(directory), f"safetensors files with {EMBEDDING}", sorted(weights)[:4])
    return {name: value.float() for name, value in weights.items() if not name.endswith("rotary_emb.inv_freq")}


def initial_weights(directory: Path, config: ModelConfig, seed: int = 0) -> Dict[str, torch.Tensor]:
    """The weights that `model.Llama(config)` starts with. Output matrices of their own are joined with the embeddings:
    the new table is the mean of both made ones. Raises FineTuneError (model_shape, and those of the readers)."""
    weights = read_weights(directory)
    head = weights.pop(HEAD, None)
    if not _own(directory):
        vocabulary = read_vocabulary(directory)
        own = new_table(weights[EMBEDDING], vocabulary, seed)
        if head is not None and not torch.equal(head, weights[EMBEDDING]):
            second = new_table(head, vocabulary, seed)
            own = (own + second * (own.std() / second.std().clamp(min=1e-9))) / 2
        weights[EMBEDDING] = own
    return _checked(weights, config)


def _own(directory: Path) -> bool:
    """Whether the directory's tokens are those of this project."""
    try:
        return json.loads((directory / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"] == table.IDS
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _checked(weights: Dict[str, torch.Tensor], config: ModelConfig) -> Dict[str, torch.Tensor]:
    expected = {name: tuple(value.shape) for name, value in Llama(config).state_dict().items()}
    actual = {name: tuple(value.shape) for name, value in weights.items()}
    wrong = sorted(name for name in expected.keys() | actual.keys() if expected.get(name) != actual.get(name))
    if wrong:
        name = wrong[0]
        raise _refused("model_shape", f"{len(wrong)} tensors, {name}", expected.get(name), actual.get(name))
    return weights


def initial_state(directory: Path, seed: int = 0, layers: Optional[int] = None) -> Tuple[dict, dict]:
    """(state for `train.Run`, the fields of its model); with `layers`, of the model made deeper (see `deepen`).

    Raises FineTuneError, and ValueError (layers_count)."""
    config = read_config(directory)
    weights = initial_weights(directory, config, seed)
    if layers is not None:
        weights, config = deepened(weights, config, layers)
    state = {"model": weights, "optimizer": {}, "steps": 0, "tokens": 0, "seconds": 0.0, "position": (0, 0)}
    return state, config.as_dict()
