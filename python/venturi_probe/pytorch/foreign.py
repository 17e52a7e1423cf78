"""Libraries that load data in ways of their own, past PyTorch's DataLoader: that one was imported is told, and no more."""

from ..recording import control

#: Module → its offset in the bytes that the recording's processes share; `src/probes/pytorch/control.ts` has the names.
OFFSETS = {
    "ffcv.loader": 8,
    "nvidia.dali.pipeline": 9,
    "tensorflow.python.data": 10,
    "grain": 11,
    "ray.data": 12,
    "spdl.pipeline": 13,
    "torchdata.nodes.loader": 14,
}


def _marking(offset):
    return lambda module: control.mark(offset)


HOOKS = {name: _marking(offset) for name, offset in OFFSETS.items()}
