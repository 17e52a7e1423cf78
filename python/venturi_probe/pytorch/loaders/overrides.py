"""Settings that take the place of a program's own: `venturi tune` tries them without edits.

VENTURI_LOADERS is a JSON object: a loader's key, the call site (`FILE:LINE`), or its name → the arguments to change. Which
elements a loader gives, and in which order, never changes: what could do that is left as it is.
"""

import inspect
import json
import sys

from ...recording import settings

MAY_CHANGE = ("num_workers", "prefetch_factor", "pin_memory", "persistent_workers")
#: Their defaults alone are no error without workers.
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


def change(init, given, known_as):
    """The arguments with which a loader is to be made, in the place of `given`."""
    wanted = next((_by_loader[name] for name in known_as if name in _by_loader), None) or {}
    new = {key: value for key, value in wanted.items() if key in MAY_CHANGE}
    # A stream divides itself among its workers, or gives everything once per worker.
    if is_stream(given["dataset"]):
        new.pop("num_workers", None)
    if new.get("num_workers", given["num_workers"]) == 0:
        for key in WORKERS_ONLY:
            new.pop(key, None)
            # What a loader with workers was given for them is an error without.
            if "num_workers" in new and key in given:
                new[key] = inspect.signature(init).parameters[key].default
    return {key: new.get(key, value) for key, value in given.items()}
