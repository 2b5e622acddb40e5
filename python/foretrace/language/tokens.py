"""The token table: every token of the trace language, its name and its id (docs/trace-language.md, section 1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterable

_TABLE_PATH = Path(__file__).resolve().parents[3] / "proto" / "trace-tokens.json"
TABLE: dict[str, Any] = json.loads(_TABLE_PATH.read_text(encoding="utf-8"))
VERSION: int = TABLE["version"]

LINE_COUNT: int = TABLE["lines"]
INDENT_COUNT: int = TABLE["indents"]
SLOT_COUNT: int = TABLE["slots"]


def _names() -> list[str]:
    names: list[str] = list(TABLE["special"])
    names += [f"<|L{k}|>" for k in range(1, LINE_COUNT + 1)]
    names += [f"<|I{k}|>" for k in range(INDENT_COUNT)]
    names += [f"<|v{k}|>" for k in range(SLOT_COUNT)]
    names += [f"<|w:{word}|>" for word in TABLE["words"]]
    names += [f"<|o:{operator}|>" for operator in TABLE["operators"]]
    names += [chr(code) for code in range(0x20, 0x7F)]
    names += [f"<|x{byte:02x}|>" for byte in range(256)]
    return names


NAMES: list[str] = _names()
IDS: dict[str, int] = {name: index for index, name in enumerate(NAMES)}
SIZE: int = len(NAMES)
if len(IDS) != SIZE:
    raise ValueError(f"token_table: {SIZE - len(IDS)} names in {_TABLE_PATH.name} occur twice")

SPECIAL_COUNT: int = len(TABLE["special"])
LINE_BASE: int = IDS["<|L1|>"]  # the token of code line k is LINE_BASE + k - 1
INDENT_BASE: int = IDS["<|I0|>"]
SLOT_BASE: int = IDS["<|v0|>"]
WORD_BASE: int = SLOT_BASE + SLOT_COUNT
OPERATOR_BASE: int = WORD_BASE + len(TABLE["words"])
CHAR_BASE: int = IDS[" "]
BYTE_BASE: int = IDS["<|x00|>"]

WORDS: dict[str, int] = {word: WORD_BASE + index for index, word in enumerate(TABLE["words"])}
WORD_TEXT: dict[int, str] = {token: word for word, token in WORDS.items()}
OPERATORS: dict[str, int] = {operator: OPERATOR_BASE + index for index, operator in enumerate(TABLE["operators"])}
CHARS: dict[str, int] = {chr(0x20 + index): CHAR_BASE + index for index in range(95)}
SLOTS = range(SLOT_BASE, SLOT_BASE + SLOT_COUNT)
DIGITS = range(CHARS["0"], CHARS["9"] + 1)

PAD = IDS["<|pad|>"]
PROGRAM = IDS["<|program|>"]
ENTRY = IDS["<|entry|>"]
KEYFRAME = IDS["<|keyframe|>"]
FRAME = IDS["<|frame|>"]
IT = IDS["<|it|>"]
VALUE = IDS["<|value|>"]
REF = IDS["<|ref|>"]
RAW = IDS["<|raw|>"]
CUT = IDS["<|cut|>"]
DEL = IDS["<|del|>"]
POP = IDS["<|pop|>"]
PUSH = IDS["<|push|>"]
END = IDS["<|end|>"]
GOT = IDS["<|got|>"]
FSTRING = IDS["<|fstring|>"]
FEND = IDS["<|fend|>"]
BYTES = IDS["<|bytes|>"]
EVALUATE = IDS["<|evaluate|>"]
HERE = IDS["<|here|>"]

EVENTS: dict[str, int] = {name: IDS[f"<|{name}|>"] for name in ("call", "line", "return", "exception")}
EVENT_NAMES: dict[int, str] = {token: name for name, token in EVENTS.items()}
FORWARD_ACTIONS = ("step_into", "step_over", "step_return", "breakpoint", "continue")
REVERSE_ACTIONS = ("inv_step_into", "inv_step_over", "inv_step_call", "inv_breakpoint", "inv_continue")
ACTIONS: dict[str, int] = {name: IDS[f"<|{name}|>"] for name in FORWARD_ACTIONS + REVERSE_ACTIONS}
ACTION_NAMES: dict[int, str] = {token: name for name, token in ACTIONS.items()}


def text_tokens(text: str) -> list[int]:
    """One token for each printable ASCII character of `text`, one for each UTF-8 byte of any other character.

    A lone surrogate cannot be written in UTF-8 and counts as U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return [CHAR_BASE - 0x20 + code for code in text.encode("ascii")]
    out: list[int] = []
    for char in text:
        token = CHARS.get(char)
        if token is not None:
            out.append(token)
        else:
            if "\ud800" <= char <= "\udfff":
                char = "\ufffd"
            out += [BYTE_BASE + byte for byte in char.encode("utf-8")]
    return out


def to_names(ids: Iterable[int]) -> list[str]:
    """The names of `ids`, as in tokenizer.json. Raises IndexError for an id outside the vocabulary."""
    return [NAMES[token] for token in ids]


def to_ids(names: Iterable[str]) -> list[int]:
    """The ids of `names`. Raises KeyError for a name that is no token."""
    return [IDS[name] for name in names]


def tokenizer_json() -> dict[str, Any]:
    """A Hugging Face `tokenizer.json`: WordLevel over the whole table, the special tokens as added tokens.

    Text never passes through it: it records the vocabulary for tools that expect the file.
    """
    added = [
        {"id": index, "content": name, "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for index, name in enumerate(NAMES[:SPECIAL_COUNT])
    ]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": None, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": dict(IDS), "unk_token": NAMES[PAD]},
    }
