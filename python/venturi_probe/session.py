"""The probe in one process: its folder, its lanes, and when it begins and ends."""

import atexit
import os
import platform
import sys
import threading
import time

from . import control, facts, room
from .lane import Lane

folder = None
#: Lanes by thread.
_lanes = {}
_forgetters = []
_finishers = []


def start(run_folder):
    """Records into a run that exists already. Called once per process."""
    global folder
    if folder is not None:
        return
    control.attach(run_folder)
    folder = run_folder
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)
    atexit.register(_close)
    from . import hooks, passing_on

    hooks.install()
    passing_on.install()


def record(name, batches=None, then_stop=False, limit=None, redact=False, stacks=False):
    """Begins a run by hand, in the folder NAME.venturi: for a notebook, or a program that wants to start late.

    `batches`: as many are recorded; with `then_stop` the program ends with them. `limit`: bytes the recording may take.
    `redact`: leaves paths and arguments out of it. `stacks`: samples the lines of Python that prepare elements.
    """
    from . import manifest

    run_folder = manifest.create(name, redact, batches)
    # In the environment, where processes that are spawned find it.
    os.environ["VENTURI_RUN"] = run_folder
    settings = {"BATCHES": batches, "LIMIT": limit, "THEN_STOP": 1 if then_stop else None, "REDACT": 1 if redact else None}
    settings["STACKS"] = 1 if stacks else None
    for setting, value in settings.items():
        if value is not None:
            os.environ["VENTURI_" + setting] = str(value)
    # Workers that are spawned, not forked, find the probe as a recorded command would.
    inject = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "inject")
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = inject if not before else inject + os.pathsep + before
    atexit.register(manifest.finish, run_folder)
    start(run_folder)
    return run_folder


def stop():
    """Ends the recording in every process; the program goes on."""
    control.mark(control.STOP)
    _close()


def lane(name):
    """This thread's lane; `name` is what it is called if it is new."""
    # Other than its ident, a thread's native id is not the next thread's.
    tid = threading.get_native_id()
    found = _lanes.get(tid)
    if found is None:
        pid = os.getpid()
        found = Lane(folder, "%s %d" % (name, pid), room.of_environment())
        _lanes[tid] = found
        found.clock("realtime", time.monotonic_ns(), time.time_ns())
    return found


def process_facts():
    torch = sys.modules.get("torch")
    return {
        "python": platform.python_version(),
        "torch": str(getattr(torch, "__version__", "")),
        "arguments": [] if facts.is_redacted() else list(getattr(sys, "argv", [])),
        "executable": None if facts.is_redacted() else sys.executable or None,
        "pid": os.getpid(),
        "rank": _rank(torch),
        "accelerator": _accelerator(torch),
        "threads": torch.get_num_threads() if hasattr(torch, "get_num_threads") else None,
    }


def _rank(torch):
    """Which of the processes of a training it is; None where it is the only one."""
    rank = os.environ.get("RANK")
    if rank is None:
        ranks = getattr(torch, "distributed", None)
        if getattr(ranks, "is_initialized", bool)():
            rank = str(ranks.get_rank())
    return rank


def _accelerator(torch):
    """What the program has begun to compute on, beside the host."""
    for name in ("cuda", "xpu"):
        if getattr(getattr(torch, name, None), "is_initialized", bool)():
            return name
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    return "mps" if mps is not None and mps.is_available() else None


def close_lane():
    """This thread ends."""
    found = _lanes.pop(threading.get_native_id(), None)
    if found is not None:
        try:
            found.close()
        except Exception as error:
            control.fail(error)


def on_fork(forget):
    """`forget` is called in every forked child, where nothing of the parent's recording counts."""
    _forgetters.append(forget)


def on_close(finish):
    """`finish` is called when the recording ends in this process, while lanes can still be written to."""
    _finishers.append(finish)


def _after_fork():
    for found in _lanes.values():
        try:
            found.abandon()
        except OSError:
            pass
    _lanes.clear()
    for forget in _forgetters:
        forget()


def _close():
    if not control.off:
        for finish in _finishers:
            try:
                finish()
            except Exception as error:
                control.fail(error)
    control.end()
    for tid in list(_lanes):
        found = _lanes.pop(tid, None)
        if found is None:
            continue
        try:
            found.close()
        except Exception as error:
            control.fail(error)
