"""Hooks on what puts transforms together: each transform inside is an operator on an element."""

from functools import wraps
from operator import attrgetter
from time import monotonic_ns

from . import control, facts, watching
from .preparer import END, NEXT
from .tracebacks import strip
from .watching import Spot


class _Steps:
    """Stands in for a list of transforms: its loop asks for one after the other, and each asking is a boundary."""

    __slots__ = ("holder", "transforms")

    def __init__(self, holder, transforms):
        self.holder = holder
        self.transforms = transforms

    def __iter__(self):
        return self.transforms

    def __getattr__(self, name):
        return getattr(self.holder, name)


def _boundaries(transforms, numbers, append):
    offset = 0
    for transform, number in zip(transforms, numbers):
        append(number + offset)
        append(monotonic_ns())
        offset = NEXT
        yield transform
    if offset:
        append(END)
        append(monotonic_ns())


def _steps(transforms_of):
    """Dresses a method that runs a list of transforms."""

    def dress(original):
        @wraps(original)
        def call(self, *args, **kwargs):
            own = watching.timing()
            stand_in = self
            if own is not None:
                try:
                    transforms = transforms_of(self)
                    if type(transforms) is not list:
                        transforms = list(transforms)
                    stand_in = _Steps(self, _boundaries(transforms, own.chain(self, transforms), own.append))
                except Exception as error:
                    control.fail(error)
            try:
                return original(stand_in, *args, **kwargs)
            except BaseException as error:
                strip(error)
                raise

        return call

    return dress


def hook_compose(module):
    """torchvision.transforms.transforms, whose Compose has been the same loop in every version."""
    watching.add(Spot(module.Compose, "__call__", _steps(attrgetter("transforms"))))


def hook_compose_v2(module):
    """torchvision.transforms.v2._container"""
    watching.add(Spot(module.Compose, "forward", _steps(attrgetter("transforms"))))


def hook_sequential(module):
    """torch.nn.modules.container"""
    steps = _steps(lambda modules: modules._modules.values())
    watching.add(Spot(module.Sequential, "forward", steps, is_shared=True))


def _named_after_class(original):
    @wraps(original)
    def call(self, *args, **kwargs):
        own = watching.timing()
        if own is None:
            return original(self, *args, **kwargs)
        location = facts.location_of_code(getattr(type(self), "apply", None))
        return watching.call_timed(own, type(self).__name__, "transform", location, original, (self,) + args, kwargs)

    return call


def hook_albumentations(module):
    """albumentations.core.transforms_interface: what its transforms are made from."""
    watching.add(Spot(module.BasicTransform, "__call__", _named_after_class))


def hook_albumentations_compose(module):
    """albumentations.core.composition: checks, boxes and key points, beside the transforms inside."""
    watching.add(Spot(module.Compose, "__call__", _named_after_class))
