"""What the probe puts into modules of others: each patch can be taken back."""

from functools import wraps
from inspect import signature

from ..recording import control
from .splice import Splice, Unfit
from .tracebacks import hide, strip

_MISSING = object()


class Attribute:
    """An attribute of a class or a module. `dress` makes what stands there meanwhile from what stood there before."""

    def __init__(self, holder, name, dress):
        self.holder = holder
        self.name = name
        self.dress = dress
        self.original = self.hook = None

    def put(self):
        current = self.holder.__dict__.get(self.name, _MISSING)
        if current is self.hook:
            return
        if self.hook is None or current is not self.original:
            self.original = current
            self.hook = self.dress(current)
        setattr(self.holder, self.name, self.hook)

    def take(self):
        if self.holder.__dict__.get(self.name) is not self.hook:
            return
        if self.original is _MISSING:
            delattr(self.holder, self.name)
        else:
            setattr(self.holder, self.name, self.original)


#: What is in its place until the recording ends.
_kept = []


def keep(patch):
    _kept.append(patch)
    patch.put()


def keep_inside(function, calls):
    """Calls inside a function that can be spliced; any other stays unwatched."""
    try:
        keep(Splice(function, calls))
    except Unfit:
        pass


def take_all():
    for patch in _kept:
        patch.take()


def put_all():
    """As they were before all were taken: for measurements with the probe and without it in one process."""
    for patch in _kept:
        patch.put()


control.on_end(take_all)


def of_function(holder, name, calls, otherwise=None):
    """Calls inside a function, or where it cannot be spliced around it; `otherwise` makes another one from it then."""
    try:
        return Splice(holder.__dict__[name], calls)
    except Unfit:
        return Attribute(holder, name, otherwise or (lambda function: _around(function, calls)))


def _around(function, calls):
    """Calls all but `around` and `loops` from a function of the probe's own that stands around the other."""
    bind = signature(function).bind

    def make(call, given, *values):
        return None if call is None else call[0](*values, *(given.get(name) for name in call[1:]))

    @hide
    @wraps(function)
    def around(*args, **kwargs):
        given = {}
        try:
            bound = bind(*args, **kwargs)
        except TypeError:
            # The program's own mistake, which the function is to raise.
            pass
        else:
            bound.apply_defaults()
            given = bound.arguments
            entered = make(calls.enter, given)
            given.update(zip(calls.becomes, entered or ()))
            args, kwargs = bound.args, bound.kwargs
        try:
            value = function(*args, **kwargs)
        except BaseException as error:
            strip(error)
            make(calls.fail, given)
            raise
        else:
            make(calls.done, given)
        finally:
            make(calls.leave, given)
        return value if calls.value is None else make(calls.value, given, value)

    return around
