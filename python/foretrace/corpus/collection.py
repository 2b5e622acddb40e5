"""Public collections as their users have them: a directory of Python files or a git directory, with their licence."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

LARGEST_FILE = 200_000
"""Bytes; larger files are tables or generated code."""

PERMISSIVE = ("MIT", "BSD", "Apache-2.0", "ISC", "PSF-2.0", "Unlicense", "CC0-1.0", "Zlib", "0BSD")
"""Licences whose collections are read without being asked to."""

_SIGNS: Tuple[Tuple[str, str], ...] = (
    ("permission is hereby granted, free of charge", "MIT"), ("mit license", "MIT"), ("apache license", "Apache-2.0"),
    ("redistribution and use in source and binary forms", "BSD"), ("isc license", "ISC"),
    ("permission to use, copy, modify, and/or distribute", "ISC"), ("python software foundation", "PSF-2.0"),
    ("unencumbered software released into the public domain", "Unlicense"), ("cc0 1.0", "CC0-1.0"), ("zlib license", "Zlib"),
)
_COPYLEFT = re.compile(r"gnu (affero |lesser |library )?general public license", re.IGNORECASE)
_TITLE_CHARACTERS = 300
_LICENCE_LINES = 60
_LICENCE_NAME = re.compile(r"(licen[cs]e|copying|unlicense)", re.IGNORECASE)
_REFUSED_PATH = re.compile(r"human[_-]?eval|crux[_-]?eval|mbpp", re.IGNORECASE)
"""Files named after a public test are never read."""

_FOLDER_NAMES = frozenset({"repo", ".git", "repo.git"})


class CollectionError(ValueError):
    """A collection that cannot be read. `code`: collection_unreadable, licence_unknown, licence_refused."""

    def __init__(self, code: str, what: str, expected: str, actual: str) -> None:
        super().__init__(f"{code}: {what}: expected {expected}, got {actual}")
        self.code = code


@dataclass(frozen=True)
class SourceFile:
    """One Python file: its path inside the collection, with forward slashes, and its text."""

    path: str
    text: str


@dataclass(frozen=True)
class Collection:
    """A named collection with its licence; files in order of their paths."""

    name: str
    licence: str
    files: Tuple[SourceFile, ...]


def collection_name(path: Path) -> str:
    """What a collection is called by default: its directory's name, `owner+name` read as `owner/name`."""
    parts = [part for part in path.resolve().parts if part not in _FOLDER_NAMES]
    return parts[-1].replace("+", "/") if parts else "collection"


def read_collection(path: Path, name: Optional[str] = None, licence: Optional[str] = None) -> Collection:
    """The Python files under a directory, or of the newest commit of a git directory.

    `licence` overrules what the licence file says. Raises CollectionError."""
    found = _git_texts(path) if _is_git_directory(path) else _directory_texts(path)
    texts = {key: text for key, text in found if not _REFUSED_PATH.search(key)}
    stated = licence if licence is not None else detect_licence(
        {key: text for key, text in texts.items() if "/" not in key and _LICENCE_NAME.search(key)}, path)
    files = tuple(SourceFile(key, texts[key]) for key in sorted(texts) if key.endswith(".py"))
    if not files:
        raise CollectionError("collection_unreadable", str(path), "a directory or git directory with Python files", "none")
    return Collection(name or collection_name(path), stated, files)


def detect_licence(texts: Dict[str, str], path: Path) -> str:
    """The licence that the first lines of a licence file name. Raises CollectionError for others than PERMISSIVE."""
    for key in sorted(texts):
        head = " ".join("\n".join(texts[key].splitlines()[:_LICENCE_LINES]).lower().split())
        if _COPYLEFT.search(head[:_TITLE_CHARACTERS]):
            raise CollectionError("licence_refused", str(path), f"one of {', '.join(PERMISSIVE)}, or --licence", f"a GNU licence in {key}")
        for sign, licence in _SIGNS:
            if sign in head:
                return licence
    raise CollectionError("licence_unknown", str(path), f"a licence file that names one of {', '.join(PERMISSIVE)}, or --licence",
                          f"{', '.join(sorted(texts)) or 'no licence file'}")


def _wanted(key: str) -> bool:
    return key.endswith(".py") or ("/" not in key and _LICENCE_NAME.search(key) is not None)


def _text(data: bytes) -> Optional[str]:
    if len(data) > LARGEST_FILE or b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return None


def _is_git_directory(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir()


def _directory_texts(path: Path) -> Iterator[Tuple[str, str]]:
    if not path.is_dir():
        raise CollectionError("collection_unreadable", str(path), "a directory or a git directory", "neither")
    for folder, below, names in os.walk(path):
        below[:] = sorted(item for item in below if item not in (".git", "node_modules", "__pycache__"))
        for name in sorted(names):
            file = Path(folder) / name
            key = file.relative_to(path).as_posix()
            if _wanted(key) and file.is_file() and not file.is_symlink():
                text = _text(file.read_bytes())
                if text is not None:
                    yield key, text


def _git(path: Path, *arguments: str, given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(["git", f"--git-dir={path}", "-c", "safe.directory=*", *arguments], input=given,
                              capture_output=True, check=False)
    except OSError as error:
        raise CollectionError("collection_unreadable", str(path), "git to read it", str(error)) from None
    if done.returncode:
        raise CollectionError("collection_unreadable", str(path), f"git {arguments[0]} to succeed",
                              done.stderr.decode(errors="replace").strip()[:200])
    return done.stdout


def _git_texts(path: Path) -> Iterator[Tuple[str, str]]:
    blobs: List[Tuple[str, bytes]] = []
    for entry in _git(path, "ls-tree", "-r", "-z", "HEAD").split(b"\0"):
        about, _, key = entry.partition(b"\t")
        mode, _, rest = about.partition(b" ")
        if mode in (b"100644", b"100755") and _wanted(key.decode("utf-8", "replace")):
            blobs.append((key.decode("utf-8", "replace"), rest.split(b" ")[1]))
    data = _git(path, "cat-file", "--batch", given=b"".join(name + b"\n" for _, name in blobs))
    at = 0
    for key, _ in blobs:
        end = data.index(b"\n", at)
        header = data[at:end].split(b" ")
        at = end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[2])
        text = _text(data[at:at + size])
        at += size + 1
        if text is not None:
            yield key, text
