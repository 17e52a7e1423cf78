"""The calls that led to a loader: those of the author's own code, and what libraries did in between."""

import linecache
import os
import sys
from functools import lru_cache

from ...recording import facts
from ...recording.own import is_own

_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))
#: Where installed commands lie.
_COMMANDS = os.path.dirname(os.path.abspath(sys.executable or ""))

OURS, TORCH, PYTHON, PACKAGE, AUTHOR = range(5)
_TORCH = ("torch", "torchdata")
#: How the user of a library knows it; else by its package.
_KNOWN_AS = {"timm": "timm.data", "pytorch_lightning": "lightning", "lightning_fabric": "lightning"}

MOST_FRAMES = 12
MOST_TEXT = 200


class Frame:
    """One call on the stack, without what lives in it: a frame itself would keep that alive."""

    __slots__ = ("code", "at", "line", "is_direct", "is_constructor")

    def __init__(self, frame, is_direct, is_constructor=False):
        self.code = frame.f_code
        #: The instruction, which tells two calls on one line apart.
        self.at = frame.f_lasti
        self.line = frame.f_lineno
        #: Whether it called the frame before it itself, and not through a library.
        self.is_direct = is_direct
        #: Of the loader's own class.
        self.is_constructor = is_constructor

    @property
    def file(self):
        return self.code.co_filename

    @property
    def function(self):
        return self.code.co_name

    def fact(self):
        fact = {"file": facts.shown_file(self.file), "line": self.line, "function": self.function}
        if not facts.is_redacted():
            text = linecache.getline(self.file, self.line).strip()
            if text:
                fact["text"] = text[:MOST_TEXT]
        return fact


def _kind(frame):
    file = frame.f_code.co_filename
    if file[:1] == "<":
        # Code that a library generated is the library's; without a file it was typed, or given to `python -c`.
        file = "" if file.startswith("<frozen") else frame.f_globals.get("__file__") or "<typed>"
    return _kind_in(file, frame.f_globals.get("__name__"))


@lru_cache(maxsize=None)
def _kind_in(file, module):
    file, top = str(file), str(module).partition(".")[0]
    if not file or file.startswith(_LIBRARY + os.sep) and "-packages" + os.sep not in file:
        return PYTHON
    if is_own(file):
        return OURS
    if top in _TORCH:
        return TORCH
    return PACKAGE if os.path.dirname(file) == _COMMANDS or _is_installed(file, top) else AUTHOR


def _is_installed(file, top):
    """Whether it lies where packages are installed: for an interpreter, or into a folder of one's own (`pip install --target`)."""
    if "-packages" + os.sep in file:
        return True
    before, found, _ = file.rpartition(os.sep + top + os.sep)
    folder = before if found else os.path.dirname(file)
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder or "."))
    except OSError:
        return False


class Stack:
    """Where a loader is being made."""

    def __init__(self, frame, loader_class):
        #: The author's own calls, innermost first.
        self.authors = []
        #: What libraries called between the author and the constructor: names of functions, innermost first.
        self.functions = []
        self.library = None
        calls = []
        constructors = {getattr(vars(owner).get("__init__"), "__code__", None) for owner in loader_class.__mro__}
        between = []
        is_direct = True
        while frame is not None:
            kind = _kind(frame)
            code = frame.f_code
            if kind == AUTHOR:
                self.authors.append(Frame(frame, is_direct, code in constructors))
                calls.append((code, frame.f_lasti))
                is_direct = True
            elif kind != OURS:
                is_direct = False
                if kind != TORCH and not self.authors:
                    calls.append((code, frame.f_lasti))
                    # The constructor of a library's own kind of loader is still called by the author.
                    if kind == PACKAGE and code not in constructors:
                        self.functions.append(code.co_name)
                        between.append(frame.f_globals.get("__name__") or "")
            frame = frame.f_back
        self.calls = tuple(calls)
        if between:
            self.library = _name_of_library(between)

    @property
    def text(self):
        """Known when a loader is made, and the same in every process and run of the program."""
        frames = self.authors[:MOST_FRAMES]
        if frames:
            return " < ".join("%s:%d %s" % (os.path.basename(f.file), f.line, f.function) for f in frames)
        return " < ".join([self.library or "unknown"] + self.functions[:MOST_FRAMES])

    @property
    def location(self):
        return facts.location(self.authors[0].file, self.authors[0].line) if self.authors else None

    def facts(self):
        return [frame.fact() for frame in self.authors[:MOST_FRAMES]]


def _name_of_library(modules):
    top = modules[0].partition(".")[0]
    if top == "transformers" and any(module.startswith("transformers.trainer") for module in modules):
        return "transformers.Trainer"
    return _KNOWN_AS.get(top, top)


def authors_frame(frame):
    """The author's innermost call, from this one on; None where there is none."""
    while frame is not None and _kind(frame) != AUTHOR:
        frame = frame.f_back
    return None if frame is None else Frame(frame, True)


def kind_of_class(owner):
    module = getattr(owner, "__module__", None)
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return AUTHOR if module == "__main__" else PYTHON
    return _kind_in(file, module)
