"""Draws from the functions file for the training stream: a function uniformly, then one of its calls."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import FrozenSet

from ..generator.sample import Sample
from .function_file import FunctionFileError, digest, of_side, read_functions
from .programs import program_hash


class FunctionDraws:
    """The training side of a functions file, and the hashes of its held-out side."""

    def __init__(self, path: Path, expected: str = "") -> None:
        """`expected` is the digest that the file must have ("": any). Raises FunctionFileError: functions_unreadable,
        functions_changed, functions_empty."""
        check(path, expected)
        functions = read_functions(path)
        held = {function.source for function in of_side(functions, "held")}
        self.held: FrozenSet[bytes] = frozenset(program_hash(source) for source in held)
        self.functions = [function for function in of_side(functions, "train") if function.source not in held]
        if not self.functions:
            raise FunctionFileError("functions_empty", str(path), "functions of the training side", "none")

    def draw(self, rng: Random) -> Sample:
        """One function and one of its calls, with the others."""
        function = self.functions[rng.randrange(len(self.functions))]
        call = function.calls[rng.randrange(len(function.calls))]
        return Sample(function.source, call, ("real", function.repository), more_calls=tuple(function.calls))


def check(path: Path, expected: str) -> str:
    """The digest of a functions file, which must be `expected` unless that is "". Raises FunctionFileError."""
    found = digest(path)
    if expected and found != expected:
        raise FunctionFileError("functions_changed", str(path), f"the file that the run began with ({expected})", found)
    return found
