"""Places in other modules that are ours while elements are timed, and no longer."""

from functools import wraps
from threading import get_ident
from time import monotonic_ns

from ...hooking.splice import Calls
from ...hooking.tracebacks import hide, strip
from ...recording import control
from . import aside, preparer
from .preparer import END

_places = []
#: The places that are ours now, and those of them that models use too.
watched = []
_shared = []


def add(place, is_shared=False):
    """`place` can be put and taken."""
    _places.append(place)
    if is_shared:
        _shared.append(place)


def watch():
    if len(watched) == len(_places):
        return
    for place in _places:
        if place not in watched:
            place.put()
            watched.append(place)


def unwatch(shared_only=False):
    for place in _shared if shared_only else list(watched):
        # Another thread may have been quicker.
        if place in watched:
            watched.remove(place)
        place.take()


control.on_end(unwatch)


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


hide(call_timed)


def timed(original, name, kind, opens=False):
    """`original`, timed as the operator `name`, for what is no function of Python's own. `opens`: the first argument names a file."""

    @hide
    @wraps(original)
    def call(*args, **kwargs):
        own = timing()
        if own is None:
            return original(*args, **kwargs)
        if opens and args:
            opened(args[0])
        return call_timed(own, name, kind, None, original, args, kwargs)

    return call


def begin(name, kind, location=None):
    """An operator on the element under way begins; `end` ends it."""
    own = timing()
    if own is None:
        aside.begin(name, kind, location)
    else:
        try:
            own.append(own.operator(name, kind, location))
            own.append(monotonic_ns())
        except Exception as error:
            control.fail(error)


def end():
    own = timing()
    if own is None:
        aside.end()
    else:
        own.append(END)
        own.append(monotonic_ns())


def operator(name, kind, file=None):
    """Calls that time a function as the operator `name`; `file` is its argument that names the file it opens."""

    def enter(*given):
        if given:
            opened(given[0])
        begin(name, kind)

    return Calls(enter=(enter, file) if file else (enter,), leave=(end,))


def callee(name, kind, opens=False):
    """Calls around one callee inside a function, for Calls(around=…)."""

    def before(argument):
        if opens:
            opened(argument)
        begin(name, kind)
        return argument

    def after(result):
        end()
        return result

    # Several of them may stand in one function.
    before.__name__ += "_" + name
    after.__name__ += "_" + name
    return (before,), (after,)


def opened(file):
    """The element under way is made from this file."""
    own = timing()
    if own is not None:
        try:
            own.opened(file)
        except Exception as error:
            control.fail(error)
