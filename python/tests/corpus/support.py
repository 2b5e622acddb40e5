"""Small collections written by the tests, and the command run on them."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from pathlib import Path
from typing import Dict, List, Tuple

from foretrace.corpus import command

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person\n"


def write_files(folder: Path, files: Dict[str, str]) -> Path:
    """Writes path -> text under a folder, with an MIT licence unless one is given."""
    for path, text in {"LICENSE": MIT, **files}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def commit(folder: Path) -> Path:
    """Puts a folder's files into a git repository; the git directory."""
    git = ["git", "-C", str(folder), "-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "files"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    return folder / ".git"


def run_command(*arguments: object) -> Tuple[int, str, str]:
    """(status, standard output, standard error) of `foretrace corpus ARGUMENTS`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = command.main([str(item) for item in arguments])
    return status, out.getvalue(), err.getvalue()


def read_lines(path: Path) -> List[dict]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def function_line(name: str, source: str, call: str, split: str = "train", path: str = "a.py", index: int = 0) -> str:
    """One line of a functions file."""
    return json.dumps({"id": f"owner/c/{path}:{name}#{index}", "source": source, "call": call, "split": split,
                       "origin": {"repository": "owner/c", "path": path, "name": name, "licence": "MIT"}}) + "\n"
