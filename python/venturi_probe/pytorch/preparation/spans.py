"""A user's own spans: parts of the preparation of an element, or of its collation, that get a name."""

import sys
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from time import monotonic_ns

from ...hooking.tracebacks import strip
from ...recording import control, facts
from . import watching
from .nesting import insert

#: A name made from data, one for every element, would fill the lane's dictionary: what comes after these shares one.
MOST_NAMES = 256
OTHERS = "others"

#: Spans under way in the batch that is being timed, by one thread: who began, its events, when, where.
_open = []
_names = set()


class span:
    """`with span("decode"):` or `@span("decode")`: an operator of that name, while a batch is prepared and timed.

    Anywhere else, and in a program that is not recorded, it does nothing. Of a generator each step is a span. One that is
    still open when its element is done, or that overlaps another one in its thread, is left out.
    """

    __slots__ = ("name", "location")

    def __init__(self, name):
        if not isinstance(name, str):
            raise TypeError('a span needs a name: with span("decode"):, or @span("decode")')
        self.name = name
        self.location = None

    def __enter__(self):
        own = watching.timing()
        if own is not None:
            with control.guard:
                _begin(self, own, self.location or facts.location_of_frame(sys._getframe(1)))
        return self

    def __exit__(self, kind, error, trace):
        own = watching.timing()
        if own is not None:
            with control.guard:
                _end(self, own, monotonic_ns())

    def __call__(self, function):
        location = facts.location_of_code(function)
        if isasyncgenfunction(function):
            # Whoever steps through it does other things in between, and there is no telling what.
            return function
        if iscoroutinefunction(function):
            return _awaited(function, self.name, location)
        if isgeneratorfunction(function):
            return _stepped(function, self.name, location)
        return _called(function, self.name, location)


def _begin(which, own, location):
    # What a batch left open has no end.
    while _open and _open[0][1] is not own.events:
        del _open[0]
    _open.append((which, own.events, monotonic_ns(), location))


def _end(which, own, end):
    for at in range(len(_open) - 1, -1, -1):
        if _open[at][0] is which:
            _, events, start, location = _open.pop(at)
            if events is own.events:
                insert(events, own.operator(_operator(which.name), "span", location), start, end)
            return


def _operator(name):
    if name not in _names:
        if len(_names) >= MOST_NAMES:
            name = OTHERS
        _names.add(name)
    # Operators of ours may have the same name: Pillow's is called decode.
    return "span(%s)" % name


def _new(name, location):
    """One for a single call: the function may call itself, or be called by several threads."""
    made = span(name)
    made.location = location
    return made


def _called(function, name, location):
    @wraps(function)
    def call(*args, **kwargs):
        try:
            with _new(name, location):
                return function(*args, **kwargs)
        except BaseException as error:
            strip(error)
            raise

    return call


def _awaited(function, name, location):
    @wraps(function)
    async def call(*args, **kwargs):
        try:
            with _new(name, location):
                return await function(*args, **kwargs)
        except BaseException as error:
            strip(error)
            raise

    return call


def _stepped(function, name, location):
    @wraps(function)
    def steps(*args, **kwargs):
        inner = function(*args, **kwargs)
        resume, given = inner.send, None
        while True:
            try:
                with _new(name, location):
                    item = resume(given)
            except StopIteration as stop:
                return stop.value
            except BaseException as error:
                strip(error)
                raise
            try:
                resume, given = inner.send, (yield item)
            except GeneratorExit:
                inner.close()
                raise
            except BaseException as error:
                resume, given = inner.throw, error

    return steps
