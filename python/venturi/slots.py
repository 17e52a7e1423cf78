"""Slots: files that the pipeline's threads write batches into, mapped into this process."""

import collections
import mmap
import os
import tempfile
import weakref

from .failure import PipelineError

#: Part of what is free in a folder that slots leave there.
_PART_LEFT_IN_FOLDER = 8

_POPULATE = getattr(mmap, "MAP_POPULATE", 0)


def _map(file, length):
    try:
        return mmap.mmap(file, length, flags=mmap.MAP_SHARED | _POPULATE)
    except OSError as error:
        raise PipelineError(
            "VENTURI_PROGRAM_FAILED",
            "a batch of %d bytes in shared memory cannot be mapped: %s" % (length, error),
            "allow this program more memory (ulimit -v), keep fewer batches, or ask for fewer slots=",
        ) from error


class Slots:
    """So many files without a name. `folder`: None for memory that belongs to no folder, where the system has that."""

    def __init__(self, count, folder=None, budget=None):
        self._files = []
        self._mapped = {}
        self._folder = None
        #: Slots whose tensors are gone. Collectors of any thread append to it: nothing else is safe there.
        self.released = collections.deque()
        try:
            self.paths = self._open(count, folder)
            #: Bytes that may lie in all of them.
            self.budget = budget if budget is not None else self._room()
        except BaseException as error:
            self.close()
            if not isinstance(error, OSError):
                raise
            raise PipelineError(
                "VENTURI_FILE_UNWRITABLE",
                "%d slots for batches cannot be made: %s" % (count, error),
                "give a folder= that can be written to, ask for fewer slots=, or allow more open files (ulimit -n)",
            ) from error

    def _open(self, count, folder):
        if folder is None and hasattr(os, "memfd_create"):
            self._files.extend(os.memfd_create("venturi-slot-%d" % slot) for slot in range(count))
            return ["/proc/%d/fd/%d" % (os.getpid(), file) for file in self._files]
        self._folder = tempfile.mkdtemp(prefix="venturi-slots-", dir=folder)
        paths = [os.path.join(self._folder, str(slot)) for slot in range(count)]
        for path in paths:
            self._files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        return paths

    def _room(self):
        """Bytes of the folder that slots may take; None for memory, of which the engine knows how much there is."""
        if self._folder is None:
            return None
        free = os.statvfs(self._folder)
        available = free.f_bavail * free.f_frsize
        return available - available // _PART_LEFT_IN_FOLDER

    def forget_names(self):
        """Both sides have the files open: from now on they vanish with the processes, whatever ends those."""
        if self._folder is None:
            return
        for path in self.paths:
            os.unlink(path)
        os.rmdir(self._folder)
        self._folder = None

    def lend(self, slot, size):
        """Memory of a slot, for tensors: (view, lease). The slot is free again when the last tensor that refers to it is gone."""
        mapped = self._mapped.get(slot)
        if mapped is None or len(mapped) < size:
            length = os.fstat(self._files[slot]).st_size
            mapped = self._mapped[slot] = _map(self._files[slot], length)
        # torch holds the object that it got a buffer from, as long as any tensor or view needs the memory: a view made for this lease alone.
        view = memoryview(mapped)
        lease = weakref.finalize(view, self.released.append, slot)
        lease.atexit = False
        return view, lease

    def close(self):
        """Tensors that are left keep their memory."""
        self._mapped = {}
        for file in self._files:
            os.close(file)
        self._files = []
        if self._folder is not None:
            for name in os.listdir(self._folder):
                os.unlink(os.path.join(self._folder, name))
            os.rmdir(self._folder)
            self._folder = None
