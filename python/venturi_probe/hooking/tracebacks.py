"""Keeps the probe's own frames, where there must be some, out of what the program shows: exceptions and warnings."""

import sys

from ..recording.own import FOLDER, is_own

#: Frames of files with these two words in their name are passed over where a warning looks for the caller to name.
_PASSED_OVER = FOLDER + "importlib._bootstrap"


def hide(function):
    """Makes a function that calls the program's code no caller for warnings."""
    function.__code__ = function.__code__.replace(co_filename=_PASSED_OVER)
    return function


def strip(error):
    """To be called where a hook has caught an exception and is about to raise it again.

    From Python 3.11 on the hook's own frame goes too. Before, raising again brings it back: hooks further out then take
    it away, and the outermost one stays.
    """
    trace = error.__traceback__
    if trace is None:
        return
    inner = trace
    while inner.tb_next is not None:
        if is_own(inner.tb_next.tb_frame.f_code.co_filename):
            inner.tb_next = inner.tb_next.tb_next
        else:
            inner = inner.tb_next
    if is_own(trace.tb_frame.f_code.co_filename):
        error.__traceback__ = trace.tb_next


def strip_wrapped(wrapper):
    """`wrapper` writes the exception being handled down as text, to send it to another process."""

    def wrap(*args, **kwargs):
        error = sys.exc_info()[1]
        if error is not None:
            strip(error)
        return wrapper(*args, **kwargs)

    return wrap


IS_NEEDED = sys.version_info < (3, 11)
