"""How many elements a loader hands out at once where it makes no batches itself: `batch_size=None`.

What it hands out is then one element, or a batch that its dataset made. Nothing says which, so it is a batch only where all of
it agrees: an index that names many, a list of records, or fields that are all as long as each other and not all of them
rows of numbers, which one text alone would be.
"""

from collections.abc import Mapping

#: Deeper than this no record is looked into.
MOST_DEPTH = 3


def elements_in(data, index=None):
    if isinstance(index, (list, tuple)):
        return len(index)
    if type(data) is list and data and all(isinstance(one, (Mapping, tuple, str)) for one in data):
        return len(data)
    return (_length(data, 0) or 1) if _holds_many(data, 0) else 1


def _length(data, depth):
    """How long all fields are; None where they differ, or one has no length that would count elements."""
    dimensions = _dimensions(data)
    if dimensions is not None:
        return data.shape[0] if dimensions > 0 else None
    if isinstance(data, (list, tuple)) and depth > 0 and not _holds_fields(data):
        return len(data)
    if isinstance(data, Mapping):
        fields = list(data.values())
    elif isinstance(data, (list, tuple)):
        fields = data
    else:
        return None
    if not fields or depth == MOST_DEPTH:
        return None
    lengths = {_length(field, depth + 1) for field in fields}
    return lengths.pop() if len(lengths) == 1 else None


def _holds_many(data, depth):
    """Whether some part of it is more than a row of numbers."""
    dimensions = _dimensions(data)
    if dimensions is not None:
        return dimensions > 1
    if isinstance(data, (list, tuple)) and depth > 0 and not _holds_fields(data):
        return any(not isinstance(one, (int, float)) for one in data)
    fields = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else ()
    return depth < MOST_DEPTH and any(_holds_many(field, depth + 1) for field in fields)


def _dimensions(data):
    """Of a tensor or an array; None for anything else."""
    shape = getattr(data, "shape", None)
    try:
        return None if shape is None else len(shape)
    except TypeError:
        return None


def _holds_fields(data):
    return any(isinstance(one, Mapping) or _dimensions(one) is not None for one in data)
