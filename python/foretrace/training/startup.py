"""Chooses, before training begins, how a `TorchStep` computes: each way is tried at full size against plain fp32 products.

A way that raises, is wrong, does not fit in memory or takes too long to compile is passed over; eager plain products
always remain.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Callable, List, Optional

import numpy
import torch

from . import attention
from .batch import Padded
from .fast_model import layer_function, layer_weights
from .model import Llama
from .torch_step import TorchStep, product_type

TOLERANCE = 0.03  # of the norm of the difference to the norm: bf16 products are within 0.01
CHECKED_ROWS = 2
LEAST_SECONDS = 20.0  # a compilation that has less is not begun
MICRO_ROWS = {"flex": 1.0, "flex_expanded": 1.0, "sdpa": 0.5, "dense": 0.125}  # what each kernel's memory allows


class CompileTimeout(RuntimeError):
    """A way of computing was not ready in time."""


@dataclass
class Way:
    """One way of computing, and what was measured of it."""

    kernel: str
    compiled: bool
    micro_rows: int = 0
    seconds: float = 0.0  # of one micro-batch, forward and backward
    error: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.kernel}, {'compiled' if self.compiled else 'eager'}"


def ways(device: torch.device, choice: str = "auto", compiled: Optional[bool] = None) -> List[Way]:
    """What there is to try, in order. Without compilation flex_attention would be plain products: it is left out."""
    can_compile = hasattr(torch, "compile") and device.type == "cuda" if compiled is None else compiled
    found = []
    for name in attention.names() if choice == "auto" else [choice]:
        if can_compile and name != "dense":
            found.append(Way(name, True))
        if not name.startswith("flex") or choice != "auto":
            found.append(Way(name, False))
    return sorted(found, key=lambda way: not way.compiled)


@contextmanager
def time_limit(seconds: float):
    """Raises CompileTimeout in the block after `seconds`; without effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread() or seconds <= 0:
        yield
        return

    def stop(*_):
        raise CompileTimeout(f"compile_timeout: expected an answer within {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def trial_rows(rows: int, length: int, vocabulary: int) -> Padded:
    """Random rows of documents with branches, of the shape that training uses."""
    source = numpy.random.RandomState(7)
    tokens = source.randint(0, vocabulary, (rows, length)).astype(numpy.int16)
    start, first, end, positions = (numpy.zeros((rows, length), numpy.int16) for _ in range(4))
    for row in range(rows):
        at = 0
        while at < length:
            program = min(length - at, int(source.randint(length // 16, length // 4)))
            pieces, base, at = [(at, program, False)], at, at + program
            while at < length and len(pieces) < 9:
                size = min(length - at, int(source.randint(1, length // 12 + 2)))
                pieces.append((at, size, True))
                at += size
            for begin, size, branch in pieces:
                where = slice(begin, begin + size)
                start[row, where] = begin
                first[row, where], end[row, where] = (base, base + program) if branch else (0, 0)
                positions[row, where] = numpy.arange(size) + (program if branch else 0)
    classes = source.randint(0, 5, (rows, length)).astype(numpy.int16)
    targets = source.randint(0, vocabulary, (rows, length)).astype(numpy.int16)
    return Padded(tokens, positions, start, first, end, targets, classes, (classes > 0).astype(numpy.float32))


def _layer_results(model: Llama, layer: Callable, kernel, rows: Padded, x, slope) -> List[torch.Tensor]:
    """The layer's output for the first rows, and the gradients of their sum with `slope`."""
    moved = [torch.from_numpy(a).to(x.device).long() for a in (rows.positions, rows.start, rows.first, rows.end)]
    cos, sin = model.cos[moved[0]][:, None], model.sin[moved[0]][:, None]
    # Parameters, and x not a leaf, as in training: compiled code for other kinds of tensors would be compiled anew.
    weights = [torch.nn.Parameter(w.detach().clone()) for w in layer_weights(model.model.layers[0])]
    leaf = x.detach().clone().requires_grad_()
    out = layer(leaf * 1.0, cos, sin, kernel.mask(*moved[1:]), *weights)
    (out[:CHECKED_ROWS] * slope).sum().backward()
    return [out[:CHECKED_ROWS].detach(), leaf.grad[:CHECKED_ROWS], *(w.grad for w in weights)]


def _difference(found: List[torch.Tensor], expected: List[torch.Tensor]) -> float:
    """The largest relative difference; NaN counts as infinite."""
    worst = 0.0
    for a, b in zip(found, expected):
        one = ((a.double() - b.double()).norm() / (b.double().norm() + 1e-12)).item()
        worst = max(worst, one if one == one else float("inf"))
    return worst


def layer_error(step: TorchStep, rows: Padded) -> float:
    """How far one layer of the step, run on `rows`, is from plain fp32 products: output and all gradients."""
    model = step.model
    source = torch.Generator().manual_seed(5)
    shape = (len(rows.tokens), rows.tokens.shape[1], model.config.hidden_size)
    x = torch.randn(shape, generator=source).to(step.device)
    slope = torch.randn(CHECKED_ROWS, *shape[1:], generator=source).to(step.device)
    found = _layer_results(model, step.fast.layer, step.kernel, rows, x, slope)
    few = rows.part(0, CHECKED_ROWS)
    plain = attention.kernel("dense", torch.float32)
    reference = layer_function(model.config, plain, torch.float32)
    expected = _layer_results(model, reference, plain, few, x[:CHECKED_ROWS], slope)
    return _difference(found, expected)


def _compiler(way: Way):
    return (lambda function: torch.compile(function, dynamic=False)) if way.compiled else None


def _synchronize(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def tried(model: Llama, row_length: int, way: Way, seconds: float) -> TorchStep:
    """The step of a way, checked and timed; raises what it raises, ValueError where it is wrong."""
    device = model.model.embed_tokens.weight.device
    with time_limit(seconds):
        step = TorchStep(model, row_length, way.micro_rows, attention.kernel(way.kernel, product_type(device)),
                         _compiler(way))
        rows = trial_rows(way.micro_rows, row_length, model.config.vocab_size)
        way.error = layer_error(step, rows)
        if not way.error <= TOLERANCE:
            raise ValueError(f"kernel_wrong: expected a relative difference up to {TOLERANCE}, got {way.error:.4f}")
        for _ in range(3):
            _synchronize(device)
            began = time.perf_counter()
            step.accumulate(rows, float(rows.weights.sum()))
            _synchronize(device)
            way.seconds = time.perf_counter() - began
    sums = step.taken_sums()
    if not numpy.isfinite(sums).all() or not all(torch.isfinite(p.grad).all() for p in model.parameters()):
        raise ValueError("kernel_wrong: expected finite losses and gradients")
    return step


def chosen_step(model: Llama, row_length: int, micro_rows: int, choice: str = "auto", compiled: Optional[bool] = None,
                seconds: float = 150.0, enough: float = 0.0, log: Callable = print) -> TorchStep:
    """The first way that works and trains at least `enough` tokens a second, else the fastest that works.

    micro_rows is for the kernel that needs the least memory; the others get a part of it, and all of them less when
    memory does not suffice. Compiled ways share `seconds`. Gradients are left at zero. Raises RuntimeError when
    nothing works."""
    deadline = time.monotonic() + seconds
    device = model.model.embed_tokens.weight.device
    best, best_way = None, None
    for way in ways(device, choice, compiled):
        left = deadline - time.monotonic()
        if way.compiled and left < LEAST_SECONDS:
            log(f"attention {way.name}: passed over: {left:.0f} s are left to start")
            continue
        if best is not None and not way.compiled:
            break  # eager ways are for when nothing compiles
        size = max(1, int(micro_rows * MICRO_ROWS[way.kernel])) if device.type == "cuda" else micro_rows
        step = None
        while step is None and size >= 1:
            way.micro_rows = max(size, min(CHECKED_ROWS, micro_rows))
            step, again = _attempt(model, row_length, way, left if way.compiled else 0, log)
            size = size // 2 if again else 0
        for value in model.parameters():
            value.grad = torch.zeros_like(value)
        if step is None:
            continue
        rate = way.micro_rows * row_length / way.seconds
        if best is None or rate > best_way.micro_rows * row_length / best_way.seconds:
            best, best_way = step, way
        if rate >= enough:
            break
    if best is None:
        raise RuntimeError("no_way_to_train: every way of computing failed; the lines above say why")
    log(f"attention: {best_way.name}, {best_way.micro_rows} rows at a time")
    return best


def _attempt(model: Llama, row_length: int, way: Way, seconds: float, log: Callable):
    """(the step or None, whether fewer rows may help)."""
    began = time.perf_counter()
    try:
        step = tried(model, row_length, way, seconds)
    except Exception as error:  # whatever a compiler or a driver may raise: the next way is tried
        text = " ".join(str(error).split())[:300]
        log(f"attention {way.name}, {way.micro_rows} rows: passed over: {type(error).__name__}: {text}")
        memory = "out of memory" in text.lower()
        if model.model.embed_tokens.weight.device.type == "cuda":
            torch.cuda.empty_cache()
        return None, memory and way.micro_rows > CHECKED_ROWS
    log(f"attention {way.name}, {way.micro_rows} rows: relative difference {way.error:.5f}, "
        f"{way.micro_rows * row_length / way.seconds:,.0f} tokens/s, ready after {time.perf_counter() - began:.0f} s")
    return step, False

