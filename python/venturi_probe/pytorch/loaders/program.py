"""The program that loaders belong to: what there is to say of its process."""

import os
import platform
import sys

from ...recording import facts


def process_facts():
    torch = sys.modules.get("torch")
    return {
        "python": platform.python_version(),
        "torch": str(getattr(torch, "__version__", "")),
        "arguments": [] if facts.is_redacted() else list(getattr(sys, "argv", [])),
        "executable": None if facts.is_redacted() else sys.executable or None,
        "pid": os.getpid(),
        "rank": _rank(torch),
        "accelerator": _accelerator(torch),
        "threads": torch.get_num_threads() if hasattr(torch, "get_num_threads") else None,
    }


def _rank(torch):
    """Which of the processes of a training it is; None where it is the only one."""
    rank = os.environ.get("RANK")
    if rank is None:
        ranks = getattr(torch, "distributed", None)
        if getattr(ranks, "is_initialized", bool)():
            rank = str(ranks.get_rank())
    return rank


def _accelerator(torch):
    """What the program has begun to compute on, beside the host."""
    for name in ("cuda", "xpu"):
        if getattr(getattr(torch, name, None), "is_initialized", bool)():
            return name
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    return "mps" if mps is not None and mps.is_available() else None
