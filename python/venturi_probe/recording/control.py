"""A few bytes that all processes of a recording share: a file that the recording's parent made, mapped by each."""

import mmap
import os
import sys

from .own import is_own

SIZE = 16
STOP = 0
WARNED = 1
LOADED = 2
DATA_IMPORTED = 3
#: As many batches as were asked for are recorded; older records made room for newer ones.
ENOUGH = 4
ROTATED = 5
#: A loader goes on with workers that were started before the recording.
KEPT = 6

_bytes = None
#: Nothing is recorded while this is set.
off = True
_enders = []


def make(folder):
    with open(os.path.join(folder, "control"), "xb") as file:
        file.write(bytes(SIZE))


def attach(folder):
    global _bytes, off
    fd = os.open(os.path.join(folder, "control"), os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    try:
        _bytes = mmap.mmap(fd, SIZE)
    finally:
        os.close(fd)
    off = False
    _bytes[LOADED] = 1


def mark(offset):
    if _bytes is not None:
        _bytes[offset] = 1


def marked(offset):
    return _bytes is not None and bool(_bytes[offset])


def on_end(undo):
    """`undo` is called when this process records no more; not where it ends with the recording under way."""
    _enders.append(undo)


def end():
    """This process records no more: what was put into modules of others is taken away."""
    global off
    off = True
    while _enders:
        try:
            _enders.pop()()
        except Exception:
            # What cannot be taken away sees that nothing is recorded.
            pass


def stopped():
    """Whether any process of the recording ended it; cheap enough to ask per batch."""
    if not off and _bytes[STOP]:
        end()
    return off


_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def _is_ours(error):
    """An exception that a signal handler of the program's raised while the probe was at work is not the probe's."""
    trace = error.__traceback__
    if trace is None:
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_filename
    file = os.path.abspath(name)
    # The last: a part of the probe that is not there.
    return is_own(file) or (file.startswith(_LIBRARY) and "-packages" not in file) or name.startswith("<frozen importlib")


def fail(error):
    """Ends the recording for all processes. One line says why, whoever meets the failure first."""
    if not _is_ours(error):
        raise error
    end()
    try:
        # What comes after the end of a recording, in a hook that was under way, harms nobody.
        first = _bytes is None or not (_bytes[WARNED] or _bytes[STOP])
        if first:
            mark(WARNED)
            mark(STOP)
            reason = "%s: %s" % (type(error).__name__, error)
            sys.stderr.write("venturi: recording stopped (%s); the program goes on\n" % reason.replace("\n", " "))
            sys.stderr.flush()
    except Exception:
        pass


class _Guard:
    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if isinstance(error, Exception):
            fail(error)
        return isinstance(error, Exception)


#: `with guard:` stands around what a hook does of its own: what goes wrong there ends the recording, and not the program.
guard = _Guard()
