"""A recording that a program begins itself."""

import atexit
import os

from .recording import own, session


def record(name, batches=None, then_stop=False, limit=None, redact=False, stacks=False):
    """Begins a run by hand, in the folder NAME.venturi: for a notebook, or a program that wants to start late.

    `batches`: as many are recorded; with `then_stop` the program ends with them. `limit`: bytes the recording may take.
    `redact`: leaves paths and arguments out of it. `stacks`: samples the lines of Python that prepare elements.
    """
    from .recording import manifest

    run_folder = manifest.create(name, "pytorch", redact, batches)
    # In the environment, where processes that are spawned find it.
    os.environ["VENTURI_RUN"] = run_folder
    settings = {"BATCHES": batches, "LIMIT": limit, "THEN_STOP": 1 if then_stop else None, "REDACT": 1 if redact else None}
    settings["STACKS"] = 1 if stacks else None
    for setting, value in settings.items():
        if value is not None:
            os.environ["VENTURI_" + setting] = str(value)
    # Workers that are spawned, not forked, find the probe as a recorded command would.
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = own.INJECT if not before else own.INJECT + os.pathsep + before
    atexit.register(manifest.finish, run_folder)
    session.start(run_folder)
    return run_folder
