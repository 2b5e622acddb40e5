"""Typed random Python programs to make training traces from.

`generate` gives one program of a level, `mixture` one program of a curriculum.
"""

from .levels import LEVELS, GeneratorError, generate
from .mixture import mixture, shares
from .mutate import mutant, mutate
from .sample import Sample

__all__ = ["LEVELS", "GeneratorError", "Sample", "generate", "mixture", "mutant", "mutate", "shares"]
