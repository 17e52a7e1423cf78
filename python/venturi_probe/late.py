"""The way into a process that runs already: `venturi record --attach` has its interpreter call this between two lines of the program.

Loops over a loader that are under way go on unseen, and the next one is recorded. Workers that a loader keeps from pass to pass
and that were started before cannot be seen, so that neither is their loader: that is marked.
"""

import os

from .recording import control, session
from .recording.own import PACKAGES

ENTRY = """
import os, sys
os.environ.update(%r)
sys.path.insert(0, %r)
try:
    import venturi_probe
    venturi_probe.start(os.environ["VENTURI_RUN"])
except Exception as error:
    sys.stderr.write("venturi: this Python is not recorded: %%s: %%s\\n" %% (type(error).__name__, error))
finally:
    sys.path.remove(%r)
"""


class _Entry:
    """Starts the probe in the process that reads it, where nothing of the probe has to be there yet."""

    def __init__(self, environment):
        self.environment = environment

    def __reduce__(self):
        return exec, (ENTRY % (self.environment, PACKAGES, PACKAGES), {})


def enter(environment):
    """Records from now on. `environment` is what a recorded command would have been given."""
    if session.folder is not None:
        raise RuntimeError("this process is recorded already, or was")
    os.environ.update(environment)
    session.start(environment["VENTURI_RUN"])
    _hand_on(environment)


def _hand_on(environment):
    """A fork server that runs already has none of our environment: what its children are told brings the probe along."""
    from multiprocessing import spawn

    original = spawn.get_preparation_data

    def get_preparation_data(name):
        data = original(name)
        if not control.off:
            data["venturi"] = _Entry(environment)
        return data

    spawn.get_preparation_data = get_preparation_data
