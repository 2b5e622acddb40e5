"""Compiles the training kernels with g++ when they are first needed, and calls them through ctypes.

Training works without them (see `cpu_step.available`), several times slower.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Optional

SOURCES = Path(__file__).with_name("kernels")
FLAGS = ("-O3", "-std=c++20", "-march=native", "-fno-math-errno", "-fopenmp", "-fPIC", "-shared")
NEEDED = ("avx512f", "avx512bw", "avx512vl", "avx512_bf16")

_library: Optional[ctypes.CDLL] = None


def supported() -> bool:
    """Whether this processor has the instructions the kernels are written in, and there is g++ to compile them."""
    if shutil.which("g++") is None:
        return False
    try:
        flags = Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return all(name in flags for name in NEEDED)


def _build() -> Path:
    files = sorted(SOURCES.glob("*.cpp"))
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for path in sorted(SOURCES.iterdir()):
        digest.update(path.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "foretrace"
    target = cache / f"kernels-{digest.hexdigest()[:16]}.so"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cache, suffix=".so", delete=False) as partial:
            subprocess.run(["g++", *FLAGS, *map(str, files), "-o", partial.name], check=True)
        os.replace(partial.name, target)
    return target


def library() -> ctypes.CDLL:
    """The compiled kernels. Raises subprocess.CalledProcessError or FileNotFoundError when g++ fails or is missing."""
    global _library
    if _library is None:
        _library = ctypes.CDLL(str(_build()))
    return _library


def call(name: str, *arguments) -> None:
    """Calls a kernel: tensors pass as their address (they must be contiguous), ints as int, floats as float."""
    converted = []
    for value in arguments:
        if value is None:
            converted.append(ctypes.c_void_p())
        elif isinstance(value, int):
            converted.append(ctypes.c_int(value))
        elif isinstance(value, float):
            converted.append(ctypes.c_float(value))
        elif isinstance(value, ctypes.c_long):
            converted.append(value)
        else:
            if not value.is_contiguous():
                raise ValueError(f"kernel_argument: {name} expects contiguous tensors, got strides {value.stride()}")
            converted.append(ctypes.c_void_p(value.data_ptr()))
    getattr(library(), name)(*converted)
