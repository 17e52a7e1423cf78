"""Batches from what JSON says of them and the bytes of their tensors."""

import datetime
import json

from .failure import PipelineError

#: Types of numbers by their name on the way: those of torch, and for what an old torch lacks, the wider type that holds it.
_TYPES = {
    "i1": "int8",
    "u1": "uint8",
    "i2": "int16",
    "u2": "uint16",
    "i4": "int32",
    "u4": "uint32",
    "i8": "int64",
    "u8": "uint64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
}
_EPOCH = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)
#: Before torch 2.3: the type whose bits are taken, and the one the values fit into.
_WIDENED = {"u2": ("int16", "int32", 0xFFFF), "u4": ("int32", "int64", 0xFFFFFFFF)}


def _torch():
    try:
        import torch
    except ImportError as error:
        raise ImportError("venturi.batches() gives torch tensors, and this Python has no torch: install it") from error
    return torch


def _flat(name, memory, count, offset):
    torch = _torch()
    kind = getattr(torch, _TYPES[name], None)
    if count == 0:
        return torch.empty(0, dtype=kind or torch.int64)
    if kind is not None:
        return torch.frombuffer(memory, dtype=kind, count=count, offset=offset)
    if name in _WIDENED:
        bits, wide, mask = _WIDENED[name]
        narrow = torch.frombuffer(memory, dtype=getattr(torch, bits), count=count, offset=offset)
        return narrow.to(getattr(torch, wide)) & mask
    signed = torch.frombuffer(memory, dtype=torch.int64, count=count, offset=offset)
    if bool((signed < 0).any()):
        raise OverflowError("this torch has no uint64, and a number of a BigUint64Array is beyond int64")
    return signed


def _count(shape):
    count = 1
    for length in shape:
        count *= length
    return count


def _special(item, memory):
    what = item.get("$")
    if what is None:
        return item
    if what == "tensor":
        shape = item["shape"]
        return _flat(item["type"], memory, _count(shape), item["offset"]).reshape(shape)
    if what == "float":
        return float(item["text"].replace("Infinity", "inf"))
    if what == "int":
        return int(item["text"], 0)
    if what == "date":
        return None if item["ms"] is None else _EPOCH + datetime.timedelta(milliseconds=item["ms"])
    if what == "map":
        return dict(map(tuple, item["items"]))
    return set(item["items"])


def decode(text, memory):
    """The batch that a message tells of. Its tensors lie in `memory`, a writable buffer, and keep that alive."""
    try:
        return json.loads(text, object_hook=lambda item: _special(item, memory))["batch"]
    except (ArithmeticError, RecursionError, TypeError, ValueError) as error:
        # Numbers beyond what an old torch has, or lists in lists in lists.
        raise PipelineError(
            "VENTURI_NOT_CLONEABLE",
            "a batch cannot be made in Python: %s" % error,
            "make typed arrays, plain objects, arrays, texts and numbers of it in a map at the end of the pipeline",
        ) from error
