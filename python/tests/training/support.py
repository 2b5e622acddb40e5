"""Shared pieces of the training tests: skipping without PyTorch, random documents."""

from __future__ import annotations

import unittest
from random import Random

try:
    import numpy
    import torch
except ImportError:
    torch = None


def needs_torch(test):
    """Skips a test case where PyTorch or NumPy is missing."""
    return unittest.skipIf(torch is None, "needs PyTorch (Debian package python3-torch)")(test)


def random_document(seed: int, program: int, branches, vocabulary: int = 1025):
    """A document of random tokens; the second half of every branch is supervised, with all four classes."""
    from foretrace.training.batch import UNSUPERVISED, Document

    rng = Random(seed)
    lengths = [program, *branches]
    classes = [UNSUPERVISED] * program
    for size in branches:
        classes += [UNSUPERVISED] * (size // 2) + [rng.randint(1, 4) for _ in range(size - size // 2)]
    return Document([rng.randrange(vocabulary) for _ in range(sum(lengths))], classes, lengths)


def random_model(config, seed: int = 3):
    """A model whose logits and attention are far from uniform."""
    from foretrace.training.model import Llama

    model = Llama(config, seed)
    with torch.no_grad():
        for value in model.parameters():
            if value.dim() == 1:
                value.add_(0.2 * torch.randn(value.shape, generator=torch.Generator().manual_seed(seed)))
            else:
                value.mul_(4.0)
    return model
