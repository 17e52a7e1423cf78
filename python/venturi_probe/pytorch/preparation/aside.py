"""Operators that run in other threads while a batch is prepared: a dataset's own pool, or a library's."""

from threading import get_ident
from time import monotonic_ns

from . import preparer

#: Operators under way, by thread; None for one that began while nothing was timed.
_open = {}


def begin(name, kind, location):
    batch = preparer.timing
    stack = _open.get(get_ident())
    if batch is None:
        if stack:
            stack.append(None)
        return
    if stack is None:
        stack = _open[get_ident()] = []
    stack.append((batch, batch.aside, name, kind, location, monotonic_ns()))


def end():
    stack = _open.get(get_ident())
    begun = stack.pop() if stack else None
    if begun is not None:
        batch, aside, name, kind, location, start = begun
        # What ends after its batch counts for none: that one is written.
        if batch.aside is aside and preparer.timing is batch:
            aside.append((name, kind, location, start, monotonic_ns()))
    if stack is not None and not stack:
        del _open[get_ident()]
