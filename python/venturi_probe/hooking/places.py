"""What the probe puts into modules of others: each place can be taken back as it was."""

from functools import wraps

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


def keep(place):
    _kept.append(place)
    place.put()


def take_all():
    for place in _kept:
        place.take()


def put_all():
    """As they were before all were taken: for measurements with the probe and without it in one process."""
    for place in _kept:
        place.put()


control.on_end(take_all)


def of_function(holder, name, calls, otherwise=None):
    """Calls inside a function, or where it cannot be spliced around it; `otherwise` makes another one from it then."""
    try:
        return Splice(holder.__dict__[name], calls)
    except Unfit:
        return Attribute(holder, name, otherwise or (lambda function: _around(function, calls)))


def _around(function, calls):
    """Calls all but `around` and `loops` from a function of the probe's own that stands around the other."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def make(call, args, kwargs, *values):
        if call is not None:
            given = dict(zip(names, args), **kwargs)
            return call[0](*values, *(given.get(name) for name in call[1:]))

    @hide
    @wraps(function)
    def around(*args, **kwargs):
        entered = make(calls.enter, args, kwargs)
        if calls.becomes:
            args = list(args)
            for name, value in zip(calls.becomes, entered):
                if names.index(name) < len(args):
                    args[names.index(name)] = value
                else:
                    kwargs[name] = value
        try:
            value = function(*args, **kwargs)
        except BaseException as error:
            strip(error)
            make(calls.fail, args, kwargs)
            raise
        else:
            make(calls.done, args, kwargs)
        finally:
            make(calls.leave, args, kwargs)
        return value if calls.value is None else make(calls.value, args, kwargs, value)

    return around
