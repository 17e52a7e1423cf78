"""The probe in one process: its folder, its lanes, and when it begins and ends."""

import atexit
import os
import threading
import time

from . import control, room, settings
from .lane import Lane

folder = None
#: Lanes by thread.
_lanes = {}
_starters = []
_forgetters = []
_finishers = []


def start(run_folder):
    """Records into a run that exists already. Called once per process."""
    global folder
    if folder is not None:
        return
    control.attach(run_folder)
    folder = run_folder
    settings.keep()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)
    atexit.register(_close)
    for install in _starters:
        install()


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


def close_lane(tid=None):
    """This thread ends, or the one of that number."""
    found = _lanes.pop(threading.get_native_id() if tid is None else tid, None)
    if found is not None:
        with control.guard:
            found.close()


def on_start(install):
    """`install` is called when this process begins to record."""
    _starters.append(install)


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
            with control.guard:
                finish()
    control.end()
    for tid in list(_lanes):
        close_lane(tid)
