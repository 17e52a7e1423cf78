"""Patches of other modules, applied while elements are timed and no longer."""

from functools import wraps
from threading import get_ident
from time import monotonic_ns

from ...hooking.splice import Calls, Splice, Unfit
from ...hooking.tracebacks import hide, strip
from ...recording import control
from . import aside, preparer
from .nesting import END

_patches = []
#: The patches that are applied now, and those of them that models use too.
watched = []
_shared = []


def add(patch, is_shared=False):
    """`patch` can be put and taken. A module that is imported while an element is timed is patched at once."""
    _patches.append(patch)
    if is_shared:
        _shared.append(patch)
    if preparer.timing is not None:
        watch()


def splice(function, calls, is_shared=False):
    """Calls inside a function. One that cannot be spliced stays part of the operator around it."""
    try:
        add(Splice(function, calls), is_shared)
    except Unfit:
        pass


def watch():
    if len(watched) == len(_patches):
        return
    for patch in _patches:
        if patch not in watched:
            patch.put()
            watched.append(patch)


def unwatch(shared_only=False):
    for patch in _shared if shared_only else list(watched):
        # Another thread may have been quicker.
        if patch in watched:
            watched.remove(patch)
        patch.take()


control.on_end(unwatch)


def timing():
    """The preparer whose batch this thread is timing."""
    own = preparer.timing
    return own if own is not None and own.ident == get_ident() else None


def timed(original, name, kind, opens=False):
    """`original`, timed as the operator `name`, for what is no function of Python's own. `opens`: the first argument names a file."""

    @hide
    @wraps(original)
    def call(*args, **kwargs):
        if timing() is None:
            return original(*args, **kwargs)
        if opens and args:
            opened(args[0])
        begin(name, kind)
        try:
            return original(*args, **kwargs)
        except BaseException as error:
            strip(error)
            raise
        finally:
            end()

    return call


def begin(name, kind, location=None):
    """An operator on the element under way begins; `end` ends it."""
    own = timing()
    if own is None:
        aside.begin(name, kind, location)
    else:
        try:
            own.extend((own.operator(name, kind, location), monotonic_ns()))
        except Exception as error:
            control.fail(error)


def end():
    own = timing()
    if own is None:
        aside.end()
    else:
        own.extend((END, monotonic_ns()))


def end_call(result):
    """`end`, for Calls(around=…)."""
    end()
    return result


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

    # Several of them may stand in one function.
    before.__name__ += "_" + name
    return (before,), (end_call,)


def opened(file):
    """The element under way is made from this file."""
    own = timing()
    if own is not None:
        with control.guard:
            own.opened(file)
