"""How many bytes a batch holds, as far as its tensors and arrays say it."""

import sys

#: Deeper than this no batch is looked into.
MOST_DEPTH = 6
#: The first batches of a lane that are measured at all are, then one in this many: most are alike.
FIRST = 4
STRIDE = 16


def is_due(measured):
    return measured < FIRST or measured % STRIDE == 0


def bytes_of(data):
    """Of tensors and arrays, and of what Python's own containers hold of them: no function of the program's is called."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    tensor, array = getattr(torch, "Tensor", ()), getattr(numpy, "ndarray", ())
    if torch is None:
        return _bytes_of(data, tensor, array, 0)
    # Classes derived from tensors may see everything that is asked of them.
    with torch._C.DisableTorchFunction():
        return _bytes_of(data, tensor, array, 0)


def _bytes_of(data, tensor, array, depth):
    if isinstance(data, tensor):
        return data.element_size() * data.nelement()
    if isinstance(data, array):
        return data.size * data.itemsize
    if isinstance(data, (bytes, bytearray)):
        return len(data)
    if isinstance(data, str):
        return str.__len__(data)
    if depth == MOST_DEPTH:
        return 0
    if isinstance(data, dict):
        return sum(_bytes_of(value, tensor, array, depth + 1) for value in dict.values(data))
    for kind in (list, tuple):
        if isinstance(data, kind):
            return sum(_bytes_of(value, tensor, array, depth + 1) for value in kind.__iter__(data))
    return 0
