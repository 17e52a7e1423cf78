"""Records what PyTorch's DataLoaders do, from inside the program and without edits to it.

`venturi record -- COMMAND` puts this into every Python that the command starts. By hand: `python -m venturi_probe
train.py`, or in a notebook `import venturi_probe; venturi_probe.record("first")` before the first loop over a loader.

Standard library only, Python 3.8 and newer. Whatever goes wrong in here ends the recording with one line on standard
error, never the program.
"""

from .session import record, start, stop
from .spans import span

__all__ = ["record", "span", "start", "stop"]
