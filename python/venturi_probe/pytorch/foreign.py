"""Libraries that load data in ways of their own, past PyTorch's DataLoader: that one was imported is told, and no more."""

from ..recording import control

#: Module → its place among the bytes that the recording's processes share; `src/probes/pytorch/control.ts` has the names.
PLACES = {
    "ffcv.loader": 8,
    "nvidia.dali.pipeline": 9,
    "tensorflow.python.data": 10,
    "grain": 11,
    "ray.data": 12,
    "spdl.pipeline": 13,
    "torchdata.nodes.loader": 14,
}


def _marking(place):
    return lambda module: control.mark(place)


HOOKS = {name: _marking(place) for name, place in PLACES.items()}
