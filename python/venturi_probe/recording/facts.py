"""What is said once: settings, locations in the source, names. It stands in a lane's dictionary as JSON."""

import json
import os
from functools import partial

from . import settings


def say(lane, fact):
    lane.number("facts:" + json.dumps(fact, default=str, sort_keys=True))


def is_redacted():
    """Whether paths and arguments stay out of the recording."""
    return settings.is_set("REDACT")


def shown_file(file):
    return os.path.basename(file) if is_redacted() else file


def location(file, line):
    return "%s:%d" % (shown_file(file), line)


def location_of_code(function):
    code = getattr(function, "__code__", None)
    return None if code is None else location(code.co_filename, code.co_firstlineno)


def location_of_frame(frame):
    return location(frame.f_code.co_filename, frame.f_lineno)


def class_name(thing):
    """Of a function its own name, of one with some arguments given that of the function, of anything else its class."""
    if isinstance(thing, partial):
        return class_name(thing.func)
    return getattr(thing, "__name__", None) or type(thing).__name__


def holds_others(transform):
    """Whether a transform is there to call others. What it has is looked at, and nothing of its own is called."""
    own = getattr(transform, "__dict__", {})
    return "transforms" in own or "transforms" in own.get("_modules", ())
