"""Batches of a Venturi pipeline as torch tensors, for a training loop:

    import venturi

    batches = venturi.batches("pipeline.ts")
    for epoch in range(3):
        for images, labels in batches:
            ...

The pipeline runs in a Node process of its own, in as many threads as it says. Tensors lie in memory that both processes share: the
thread that makes a batch writes it there, and nothing is copied in Python. Standard library and torch only, Python 3.8 and newer.
"""

from .batches import Batches
from .failure import PipelineError, PipelineWarning

__all__ = ["Batches", "PipelineError", "PipelineWarning", "batches"]


def batches(pipeline, **options):
    """The batches of a pipeline file. Each iteration over the result is one pass. See `Batches` for the options."""
    return Batches(pipeline, **options)
