"""Places in other modules that are ours while elements are timed, and no longer."""

from functools import wraps
from threading import get_ident
from time import monotonic_ns

from . import control, preparer
from .preparer import END
from .tracebacks import strip

_MISSING = object()


class Spot:
    """An attribute of a class or a module. `dress` makes what stands there meanwhile from what stood there before."""

    def __init__(self, holder, name, dress, is_shared=False):
        self.holder = holder
        self.name = name
        self.dress = dress
        #: Models use it too.
        self.is_shared = is_shared
        self.original = self.hook = None

    def watch(self):
        current = self.holder.__dict__.get(self.name, _MISSING)
        if self.hook is None or current is not self.original:
            self.original = current
            self.hook = self.dress(current)
        setattr(self.holder, self.name, self.hook)

    def unwatch(self):
        if self.holder.__dict__.get(self.name) is not self.hook:
            return
        if self.original is _MISSING:
            delattr(self.holder, self.name)
        else:
            setattr(self.holder, self.name, self.original)


_spots = []
_watched = []


def add(spot):
    _spots.append(spot)


def watch():
    for spot in _spots:
        if spot not in _watched:
            spot.watch()
            _watched.append(spot)


def unwatch(shared_only=False):
    for spot in list(_watched):
        if shared_only and not spot.is_shared:
            continue
        spot.unwatch()
        # Another thread may have been quicker.
        if spot in _watched:
            _watched.remove(spot)


def timing():
    """The preparer whose batch this thread is timing."""
    own = preparer.timing
    return own if own is not None and own.ident == get_ident() else None


def call_timed(own, name, kind, location, function, args, kwargs):
    """Calls a function as an operator on the element under way."""
    append = own.append
    try:
        append(own.operator(name, kind, location))
        append(monotonic_ns())
    except Exception as error:
        control.fail(error)
    try:
        return function(*args, **kwargs)
    except BaseException as error:
        strip(error)
        raise
    finally:
        append(END)
        append(monotonic_ns())


def timed(original, name, kind, before=None):
    """`original`, timed as the operator `name`; `before` is told the arguments first."""

    @wraps(original)
    def call(*args, **kwargs):
        own = timing()
        if own is None:
            return original(*args, **kwargs)
        if before is not None:
            try:
                before(own, args)
            except Exception as error:
                control.fail(error)
        return call_timed(own, name, kind, None, original, args, kwargs)

    return call


def opened_file(own, args):
    """The first argument names the file of the element under way."""
    own.opened(args[0] if args else None)
