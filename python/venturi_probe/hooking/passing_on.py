"""Programs that a recorded one starts are recorded too, also where it set PYTHONPATH anew for them.

Only where the rest of the environment was handed on: who gives a program an environment of its own means it to have no more.
"""

import os
import sys

from ..recording import control
from ..recording.own import INJECT
from .tracebacks import strip


def install():
    """Hooks the two ways in which subprocess and multiprocessing start programs: the one of their own, and the system's."""
    try:
        import _posixsubprocess
    except ImportError:
        return
    original = _posixsubprocess.fork_exec
    # From Python 3.8 to 3.14: None for the process's own, or a list of b"NAME=value".
    _posixsubprocess.fork_exec = _passing_on(original, 5, _listed)
    # What was imported before has it by a name of its own.
    started = sys.modules.get("subprocess")
    if started is not None and getattr(started, "_fork_exec", None) is original:
        started._fork_exec = _posixsubprocess.fork_exec
    for name in ("posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            setattr(os, name, _passing_on(getattr(os, name), 2, _mapped))


def _passing_on(original, at, passed_on):
    """`original`, whose environment is its argument number `at`."""

    def start(*args, **kwargs):
        if not control.off and len(args) > at:
            with control.guard:
                args = args[:at] + (passed_on(args[at]),) + args[at + 1 :]
        try:
            return original(*args, **kwargs)
        except BaseException as error:
            strip(error)
            raise

    start.__name__ = start.__qualname__ = original.__name__
    return start


def _listed(given):
    entries = [name + b"=" + value for name, value in os.environb.items()] if given is None else given
    path = _path(dict(bytes(entry).partition(b"=")[::2] for entry in entries))
    if path is None:
        return given
    return [entry for entry in entries if not bytes(entry).startswith(b"PYTHONPATH=")] + [b"PYTHONPATH=" + path]


def _mapped(given):
    found = {os.fsencode(name): os.fsencode(value) for name, value in dict(given).items()}
    path = _path(found)
    if path is None:
        return given
    found[b"PYTHONPATH"] = path
    return found


def _path(found):
    """The PYTHONPATH that carries the probe on; None where it needs no help, or is not wanted."""
    path = found.get(b"PYTHONPATH", b"")
    inject, separator = os.fsencode(INJECT), os.fsencode(os.pathsep)
    run = os.environb.get(b"VENTURI_RUN")
    if run is None or found.get(b"VENTURI_RUN") != run or inject in path.split(separator):
        return None
    return separator.join((inject, path)) if path else inject
