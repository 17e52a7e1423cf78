"""Files of a recording, in a folder where others may put something else."""

import errno
import os
import stat

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def open_regular(path):
    """A file for reading. A pipe in its place, which nobody writes to, must not stop the program: what was opened is asked."""
    fd = os.open(path, _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "it is not a file", path)
        return os.fdopen(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


def text_of(path):
    """A small file of the kernel's; nothing where it cannot be read."""
    try:
        with open(path, errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
