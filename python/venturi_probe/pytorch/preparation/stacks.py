"""Which line of Python a batch under preparation is at, now and then: for work that no operator divides.

A thread of the probe's own asks every 10 ms or so, and only while a batch is prepared. The thread that prepares answers,
where the interpreter can be interrupted: a stack that another thread reads while it changes brings some Pythons down.
An answer counts for the innermost line of the author's own code; where there is none between the loader and it, for the
innermost line. Answers are samples: docs/run-format.md says where they lie.
"""

import _thread
import os
import sys
from functools import lru_cache
from time import monotonic_ns

from ...recording import control, facts, room, session, settings
from ...recording.lane import Lane
from ...recording.own import is_own
from . import preparer

INTERVAL_NS = 10_000_000
#: How long, in s, whoever asks waits for a thread that computes: with Python's own 5 ms most would be asked when that
#: thread lets go by itself, to sleep or to read, and computing would hardly be seen.
SWITCH_S = 0.0005
#: A call that lets nobody else run is asked for as often as was due.
MOST_DUE = 1000
#: What a kill may cost of them.
FLUSH_NS = 100_000_000

#: Whether they were asked for, and how many were taken in this process.
are_wanted = settings.is_set("STACKS")
taken = 0

_asker = None
#: What the interpreter calls, and how it is made to: for as long as the process lives, since a call may be under way.
_interruption = None
#: Of the thread that prepares, which is the process's main thread: no other can be interrupted.
_lane = None
_flushed = 0


def watch():
    """This thread prepares a batch: it is to be asked meanwhile where it is."""
    global _asker, are_wanted
    if _asker is not None or control.off:
        return
    try:
        _asker = _Asker()
    except ImportError as error:
        are_wanted = False
        sys.stderr.write("venturi: lines are not sampled, because this Python lacks what that takes: %s\n" % error)


def stop():
    """Nobody asks any more; the next batch begins it anew."""
    global _asker
    found, _asker = _asker, None
    if found is not None:
        found.stop()


def close():
    """The recording ends in this process."""
    global _lane
    stop()
    found, _lane = _lane, None
    if found is not None:
        found.close()


def _forget():
    global _asker, _lane, taken
    # A thread is not forked with its process.
    _asker = None
    taken = 0
    found, _lane = _lane, None
    if found is not None:
        found.abandon()


session.on_fork(_forget)
session.on_close(close)
if are_wanted and hasattr(os, "register_at_fork"):
    # Newer Pythons warn of a fork in a process with threads: none of them is to be ours.
    os.register_at_fork(before=stop)


def _interrupted(_):
    """In the main thread, between two instructions of whatever it does."""
    found = _asker
    if found is not None:
        found.answer(sys._getframe(1))
    return 0


class _Asker:
    def __init__(self):
        global _interruption
        if _interruption is None:
            import ctypes

            answer = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_interrupted)
            _interruption = answer, ctypes.pythonapi.Py_AddPendingCall
        self.own = preparer.of_this_thread()
        #: Moments that were asked for, and how long each stands for.
        self.asked = []
        self.is_pending = False
        #: Released to end it; released when it has ended.
        self.ending, self.ended = _thread.allocate_lock(), _thread.allocate_lock()
        self.ending.acquire()
        self.ended.acquire()
        self.seed = os.getpid() | 1
        # Not by the module threading, whose list of threads is the program's to read.
        _thread.start_new_thread(self.run, ())

    def stop(self):
        self.ending.release()
        self.ended.acquire()

    def pause(self):
        """s until it is asked again: never in step with what the program does in turns."""
        self.seed = self.seed * 1103515245 + 12345 & 0x7FFFFFFF
        return (INTERVAL_NS // 2 + (self.seed >> 8) % INTERVAL_NS) / 1e9

    def run(self):
        switch = sys.getswitchinterval()
        try:
            sys.setswitchinterval(min(switch, SWITCH_S))
            last = monotonic_ns()
            while not self.ending.acquire(True, self.pause()) and not control.off:
                now = monotonic_ns()
                self.ask(now, now - last)
                last = now
        except Exception as error:
            control.fail(error)
        finally:
            sys.setswitchinterval(switch)
            self.ended.release()

    def ask(self, now, passed):
        if not self.own.is_at_work():
            return
        due = max(1, min(MOST_DUE, round(passed / INTERVAL_NS)))
        self.asked.extend([(now, passed // due)] * due)
        if not self.is_pending:
            # The main thread answers as soon as it can.
            answer, add = _interruption
            self.is_pending = add(answer, None) == 0

    def answer(self, frame):
        self.is_pending = False
        asked, self.asked = self.asked, []
        with control.guard:
            if self.own.is_at_work() and self.own.ident == _thread.get_ident() and not control.off:
                _write(self.own, symbol_of(frame), asked)


def _write(own, symbol, asked):
    global _lane, _flushed, taken
    if _lane is None:
        tid = own.lane.tid
        os.makedirs(os.path.join(session.folder, "samples"), exist_ok=True)
        _lane = Lane(session.folder, "thread %d" % tid, room.of_environment(), "samples", tid)
        source = {"profiler": "stacks", "events": ["wall-clock"], "frequency": 1_000_000_000 // INTERVAL_NS}
        facts.say(_lane, {"samples": source})
    number = _lane.number("symbol:" + symbol)
    for moment, passed in asked:
        _lane.sample(number, moment, passed)
    taken += len(asked)
    now = monotonic_ns()
    if now - _flushed > FLUSH_NS:
        _flushed = now
        _lane.flush()


_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
#: Whose a file is. Frames of the probe count for nobody.
_PROBES, _LIBRARYS, _AUTHORS = range(3)


def symbol_of(frame):
    """`NAME (FILE:LINE)` of the frame that a sample counts for."""
    shown = None
    while frame is not None and frame.f_globals.get("__name__") != "torch.utils.data._utils.fetch":
        code = frame.f_code
        whose, file = _what(code.co_filename)
        if whose == _AUTHORS or (whose == _LIBRARYS and shown is None):
            shown = "%s (%s:%s)" % (getattr(code, "co_qualname", code.co_name), file, frame.f_lineno)
        if whose == _AUTHORS:
            break
        frame = frame.f_back
    return shown or "[unknown] ([unknown])"


@lru_cache(maxsize=None)
def _what(file):
    """Whose a file is, and how it is shown."""
    if is_own(file):
        return _PROBES, _shown(file)
    is_library = "-packages" + os.sep in file or file.startswith((_STANDARD, "<frozen"))
    return _LIBRARYS if is_library else _AUTHORS, _shown(file)


def _shown(file):
    """Below the folder the program runs in as it is called there, else its last part."""
    if not facts.is_redacted():
        try:
            relative = os.path.relpath(file)
            if not relative.startswith(os.pardir):
                return relative
        except (OSError, ValueError):
            pass
    return os.path.basename(file)
