"""What a recording was asked for, by VENTURI_… in the environment: as it was when the recording began, whatever the program does to it."""

import os

_given = os.environ


def keep():
    global _given
    _given = {name: value for name, value in os.environ.items() if name.startswith("VENTURI_")}


def text(name):
    return _given.get("VENTURI_" + name, "")


def is_set(name):
    return text(name) == "1"


def number(name):
    """None where there is none."""
    return int(text(name)) if text(name).isdigit() else None
