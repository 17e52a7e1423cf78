"""Settings that take the place of those a program gives its loaders: `venturi tune` tries them without edits.

VENTURI_LOADERS is a JSON object: a loader's key, the place it is made at (`FILE:LINE`), or its name → the arguments to change. Which
elements a loader gives, and in which order, never changes: what could do that is left as it is.
"""

import inspect
import json
import sys

from ...recording import settings

MAY_CHANGE = ("num_workers", "prefetch_factor", "pin_memory", "persistent_workers")
#: An error without them.
WORKERS_ONLY = ("prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context")


def _wanted():
    try:
        wanted = json.loads(settings.text("LOADERS") or "{}")
        return wanted if isinstance(wanted, dict) else {}
    except ValueError:
        return {}


_by_loader = _wanted()


def are_wanted():
    return bool(_by_loader)


def is_stream(dataset):
    data = sys.modules.get("torch.utils.data")
    return data is not None and isinstance(dataset, data.IterableDataset)


def change(init, loader, args, kwargs, known_as):
    """The arguments with which a loader is to be made."""
    wanted = next((_by_loader[name] for name in known_as if name in _by_loader), None)
    if not wanted:
        return args, kwargs
    try:
        bound = inspect.signature(init).bind(loader, *args, **kwargs)
    except TypeError:
        # The program's own mistake, which its constructor is to raise.
        return args, kwargs
    given = bound.arguments
    new = {key: value for key, value in wanted.items() if key in MAY_CHANGE}
    # A stream divides itself among its workers, or gives everything once per worker.
    if is_stream(given.get("dataset")):
        new.pop("num_workers", None)
    if new.get("num_workers", given.get("num_workers", 0)) == 0:
        for key in WORKERS_ONLY:
            new.pop(key, None)
            # A loader that had no workers before may have been given what stands for none of it.
            if "num_workers" in new:
                given.pop(key, None)
    given.update(new)
    return bound.args[1:], bound.kwargs
