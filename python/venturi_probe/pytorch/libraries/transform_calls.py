"""Transforms that are called by themselves, in no list of a holder's: each call is an operator on the element under way.

One that calls others is one operator, unless it is there to hold them: then they are operators inside it.
"""

from types import FunctionType

from ...hooking.splice import Calls
from ...recording import control, facts
from ..preparation import watching
from ..preparation.nesting import ELEMENT, END, NEXT

#: Calls under way in the batch that is being timed: its events, and whether the call is an operator.
_open = []
#: Classes whose instances hold others, whatever they are called.
_holders = []
#: Functions that are known to loop over what they hold: their calls are no operators beside those of what they loop over.
looping = set()


def begin_step(step):
    own = watching.timing()
    if own is None:
        return
    try:
        holder = own.steps.get(_innermost(own.events))
        if holder is not None and not holder[1]:
            # Most calls: of a transform that its holder has named, or by one that holds none.
            _open.append((own.events, False))
            return
        name, kind = facts.class_name(step), type(step)
        code = getattr(kind, "forward", None) or getattr(kind, "__call__", None)
        # Not the holder itself, as a holder around it calls it.
        is_counted = code not in looping and (holder is None or holder[0] != name)
        _open.append((own.events, is_counted))
        if is_counted:
            number = own.operator(name, "transform", facts.location_of_code(code) or facts.location_of_code(step))
            own.steps[number] = name, facts.holds_others(step) or issubclass(kind, tuple(_holders))
            watching.begin(name, "transform")
    except Exception as error:
        control.fail(error)


def end_step():
    own = watching.timing()
    if own is None:
        return
    # What a batch that failed left open is none of this one's.
    while _open and _open[0][0] is not own.events:
        del _open[0]
    if _open and _open.pop()[1]:
        watching.end()


def _innermost(events):
    """The number of the operator under way."""
    ended = 0
    for at in range(len(events) - 2, -1, -2):
        code = events[at]
        if code == END:
            ended += 1
        elif ended == 0:
            return code % NEXT
        elif code < NEXT:
            ended -= 1
        elif code >= ELEMENT:
            return None
    return None


_CALLS = Calls(enter=(begin_step, "self"), leave=(end_step,))


def hook_module(module):
    """torch.nn.modules.module: transforms and augmentations are modules, in torchvision, torchaudio, kornia and others."""
    watching.splice(module.Module.__call__, _CALLS, is_shared=True)


def hook_sequential(module):
    """torch.nn.modules.container"""
    _holders.append(module.Sequential)


def hook_plain_transforms(module):
    """torchvision.transforms.transforms: those that are no modules, in any version but for the holder of others."""
    for kind in list(vars(module).values()):
        if isinstance(kind, type) and kind.__module__ == module.__name__ and kind is not module.Compose:
            call = kind.__dict__.get("__call__")
            if isinstance(call, FunctionType):
                watching.splice(call, _CALLS)


def hook_torchio(module):
    """torchio.transforms.transform: what its transforms are made from."""
    watching.splice(module.Transform.__call__, _CALLS)


def hook_monai(module):
    """monai.transforms.transform: how its holders and datasets call a transform."""
    call = getattr(module, "_apply_transform", module.apply_transform)
    watching.splice(call, Calls(enter=(begin_step, call.__code__.co_varnames[0]), leave=(end_step,)))
