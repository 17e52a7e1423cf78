"""Records what PyTorch's DataLoaders do, from inside the program and without edits to it.

`venturi record -- COMMAND` puts this into every Python that the command starts. By hand: `python -m venturi_probe
train.py`, or in a notebook `import venturi_probe; venturi_probe.record("first")` before the first loop over a loader.

Standard library only, Python 3.8 and newer. Whatever goes wrong in here ends the recording with one line on standard
error, never the program.
"""

from .by_hand import record
from .hooking import passing_on
from .pytorch import hooks
from .recording import session
from .recording.session import start, stop

__all__ = ["record", "span", "start", "stop"]

session.on_start(hooks.install)
session.on_start(passing_on.install)


def __getattr__(name):
    # Few programs use it, and it brings much along.
    if name == "span":
        from .pytorch.preparation.spans import span

        return span
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
