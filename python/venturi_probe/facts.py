"""What is said once: settings, places in the source, names. It stands in a lane's dictionary as JSON."""

import json
import linecache
import os
import re
import sys

_ASSIGNED = re.compile(r"^\s*(?:self\.)?(\w+)\s*(?::[^=]+)?=\s*[\w.]*\(")
_RETURNED = re.compile(r"^\s*return\b")
_OWN = os.path.dirname(os.path.abspath(__file__))


def say(lane, fact):
    lane.number("facts:" + json.dumps(fact, default=str, sort_keys=True))


def location_of_code(function):
    code = getattr(function, "__code__", None)
    return None if code is None else "%s:%d" % (code.co_filename, code.co_firstlineno)


def user_frame():
    """The innermost frame outside torch and the probe."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if not module.startswith("torch.") and os.path.dirname(frame.f_code.co_filename) != _OWN:
            return frame
        frame = frame.f_back
    return None


def name_and_location(fallback):
    """What the author called the thing that is being made, as far as the line it is made on tells, and that line."""
    frame = user_frame()
    if frame is None:
        return fallback, None
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line)
    assigned = _ASSIGNED.match(text)
    if assigned:
        name = assigned.group(1)
    elif _RETURNED.match(text) and frame.f_code.co_name.isidentifier():
        name = frame.f_code.co_name
    else:
        name = fallback
    return name, "%s:%d" % (file, line)


def class_name(thing):
    """Of a function its own name, of anything else that of its class."""
    return getattr(thing, "__name__", None) or type(thing).__name__
