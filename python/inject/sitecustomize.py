"""Starts the probe in every Python that a recorded command starts, then gives way to the sitecustomize it shadows."""

import os
import sys


def _start_probe(here):
    run = os.environ.get("VENTURI_RUN")
    # Without this file the recording is over, and the program goes on.
    if not run or not os.path.exists(os.path.join(run, "control")):
        return
    packages = os.path.dirname(here)
    sys.path.insert(0, packages)
    try:
        import venturi_probe

        venturi_probe.start(run)
    except Exception as error:
        sys.stderr.write("venturi: this Python is not recorded: %s: %s\n" % (type(error).__name__, error))
    finally:
        # The program sees the path it would have seen without the probe.
        for folder in (packages, here):
            if folder in sys.path:
                sys.path.remove(folder)


def _chain():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_start_probe(os.path.dirname(os.path.abspath(__file__)))
_chain()
