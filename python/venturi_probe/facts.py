"""What is said once: settings, places in the source, names. It stands in a lane's dictionary as JSON."""

import json
import linecache
import os
import re
import sys
from functools import partial

_ASSIGNED = re.compile(r"(\w+)\s*(?::[^=;]+)?=\s*[\w.]*[Ll]oader\w*\(")
_RETURNED = re.compile(r"\breturn\s")
_LOADER = re.compile("[Ll]oader")
_OWN = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


def say(lane, fact):
    lane.number("facts:" + json.dumps(fact, default=str, sort_keys=True))


def is_redacted():
    """Whether paths and arguments stay out of the recording."""
    return os.environ.get("VENTURI_REDACT") == "1"


def _location(file, line):
    return "%s:%d" % (os.path.basename(file) if is_redacted() else file, line)


def location_of_code(function):
    code = getattr(function, "__code__", None)
    return None if code is None else _location(code.co_filename, code.co_firstlineno)


def _maker():
    """The frame in which a loader is made: of the author's own if its line names a loader, else the library's.

    Libraries make loaders too, or make an author's anew; the line that called such a library tells nothing.
    """
    frame = sys._getframe(1)
    library = None
    while frame is not None:
        file = frame.f_code.co_filename
        module = frame.f_globals.get("__name__") or ""
        if os.path.dirname(file) != _OWN and not module.startswith("torch."):
            library = library or frame
            is_authors = "-packages" + os.sep not in file and not file.startswith(_LIBRARY)
            if is_authors and _LOADER.search(linecache.getline(file, frame.f_lineno)):
                return frame
        frame = frame.f_back
    return library


def name_and_location(fallback):
    """What the author called the loader that is being made, as far as the line tells it, and that line."""
    frame = _maker()
    if frame is None:
        return fallback, None
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line)
    assigned = _ASSIGNED.search(text)
    if assigned:
        name = assigned.group(1)
    elif _RETURNED.search(text) and frame.f_code.co_name.isidentifier():
        name = frame.f_code.co_name
    else:
        name = fallback
    return name, _location(file, line)


def class_name(thing):
    """Of a function its own name, of one with some arguments given that of the function, of anything else its class."""
    if isinstance(thing, partial):
        return class_name(thing.func)
    return getattr(thing, "__name__", None) or type(thing).__name__
