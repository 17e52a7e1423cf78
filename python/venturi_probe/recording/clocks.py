"""Clocks of the system: a thread's time in the queue for a core, and how often short work is metered."""

import os
import threading

#: Duration in ns, and the stride of metering work that is shorter.
STRIDES = ((50_000, 128), (250_000, 32), (2_000_000, 8))


def stride_of(duration):
    for limit, stride in STRIDES:
        if duration < limit:
            return stride
    return 1


class QueueClock:
    """ns that a thread of this process has queued for a core, by the kernel's account; 0 where it keeps none."""

    def __init__(self, tid):
        self._open(tid)

    def _open(self, tid):
        try:
            self.fd = os.open("/proc/self/task/%d/schedstat" % tid, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            self.fd = -1

    def read(self):
        if self.fd < 0:
            return 0
        try:
            return int(os.pread(self.fd, 80, 0).split()[1])
        except OSError:
            # The thread has ended, and this one goes on in its place.
            self.close()
            self._open(threading.get_native_id())
            return 0

    def close(self, close=os.close):
        # At the end of a process modules lose their names before the last objects go: this one is kept.
        if self.fd >= 0:
            close(self.fd)
            self.fd = -1

    __del__ = close
