"""Hooks on what puts transforms together: each transform inside is an operator on an element."""

from time import monotonic_ns

from ...hooking import patches
from ...hooking.splice import Calls, Splice
from ...recording import control, facts
from ..preparation import watching
from ..preparation.nesting import END, NEXT
from . import transform_calls


def _boundaries(transforms, numbers, extend):
    offset = 0
    for transform, number in zip(transforms, numbers):
        extend((number + offset, monotonic_ns()))
        offset = NEXT
        yield transform
    if offset:
        extend((END, monotonic_ns()))


def by_step(transforms, holder):
    """What a holder of transforms loops over: each asking for the next is a boundary between them."""
    own = watching.timing()
    if own is None:
        return transforms
    with control.guard:
        steps = list(transforms)
        return _boundaries(steps, own.chain(holder, steps), own.extend)
    return transforms


def _steps(function, looped_over):
    """`function` runs the transforms in `looped_over`, one after the other."""
    transform_calls.looping.add(function)
    holder = function.__code__.co_varnames[0]
    return Splice(function, Calls(loops={looped_over % holder: (by_step, holder)}))


def hook_compose(module):
    """torchvision.transforms.transforms, whose Compose has been the same loop in every version."""
    watching.add(_steps(module.Compose.__call__, "%s.transforms"))
    transform_calls.hook_plain_transforms(module)


def hook_compose_v2(module):
    """torchvision.transforms.v2._container"""
    watching.add(_steps(module.Compose.forward, "%s.transforms"))


def hook_sequential(module):
    """torch.nn.modules.container"""
    watching.add(_steps(module.Sequential.forward, "%s"), is_shared=True)
    transform_calls.hook_sequential(module)


def begin_transform(transform):
    kind = type(transform)
    watching.begin(kind.__name__, "transform", facts.location_of_code(getattr(kind, "apply", None)))


_NAMED_AFTER_CLASS = Calls(enter=(begin_transform, "self"), leave=(watching.end,))


def hook_albumentations(module):
    """albumentations.core.transforms_interface: what its transforms are made from."""
    watching.add(patches.of_function(module.BasicTransform, "__call__", _NAMED_AFTER_CLASS))


def hook_albumentations_compose(module):
    """albumentations.core.composition: checks, boxes and key points, beside the transforms inside."""
    watching.add(patches.of_function(module.Compose, "__call__", _NAMED_AFTER_CLASS))
