"""Settings that take the place of those a program gives its loaders: `venturi tune` tries them without edits.

VENTURI_LOADERS is a JSON object: the place a loader is made at (`FILE:LINE`), or its name → the arguments to change. Which
elements a loader gives, and in which order, never changes: what could do that is left as it is.
"""

import inspect
import json
import os
import sys

MAY_CHANGE = ("num_workers", "prefetch_factor", "pin_memory", "persistent_workers")


def _wanted():
    try:
        wanted = json.loads(os.environ.get("VENTURI_LOADERS") or "{}")
        return wanted if isinstance(wanted, dict) else {}
    except ValueError:
        return {}


_by_loader = _wanted()


def are_wanted():
    return bool(_by_loader)


def is_stream(dataset):
    data = sys.modules.get("torch.utils.data")
    return data is not None and isinstance(dataset, data.IterableDataset)


def change(init, loader, args, kwargs, name, location):
    """The arguments with which a loader is to be made."""
    wanted = _by_loader.get(location) or _by_loader.get(name)
    if not wanted:
        return args, kwargs
    bound = inspect.signature(init).bind(loader, *args, **kwargs)
    given = bound.arguments
    new = {key: value for key, value in wanted.items() if key in MAY_CHANGE}
    # A stream divides itself among its workers, or gives everything once per worker.
    if is_stream(given.get("dataset")):
        new.pop("num_workers", None)
    workers = new.get("num_workers", given.get("num_workers", 0))
    if workers == 0:
        # What only workers have is an error without them.
        if given.get("timeout") or given.get("multiprocessing_context") is not None:
            return args, kwargs
        for key in ("prefetch_factor", "persistent_workers"):
            new.pop(key, None)
            given.pop(key, None)
    given.update(new)
    return bound.args[1:], bound.kwargs
