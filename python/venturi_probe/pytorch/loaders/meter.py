"""What the consumer's side costs: CPU of its whole process, and its thread's wait for a core, batch by batch."""

import os
from time import process_time_ns

from ...recording.lane import CPU, MAX_U48
from ...recording.stride import stride_of


class Meter:
    """Of the thread it is made in. Other threads of the process (a pool's, the one that pins) count as its CPU."""

    def __init__(self, tid):
        try:
            self.schedule = os.open("/proc/self/task/%d/schedstat" % tid, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            self.schedule = -1
        #: Steps until the next one that is to be metered, or was: whoever counts it down below 0 has one to tell of.
        self.left = 0
        #: Out of how many one is metered; when the last one began, and what the clocks showed last.
        self.stride = 1
        self.since = 0
        self.last = None

    def _read(self):
        queued = 0
        if self.schedule >= 0:
            try:
                queued = int(os.pread(self.schedule, 80, 0).split()[1])
            except OSError:
                # The thread it was made in has ended: another one goes on with the loader.
                self.close()
        return process_time_ns(), queued

    def step(self, lane, subject, batch, now):
        """The consumer asks for a batch, and this was counted down to; `batch` is the one it is done with, if any."""
        if self.last is not None:
            if batch is not None:
                self._tell(lane, subject, batch)
            self.last = None
            if self.stride > 1:
                self.left = self.stride - 2
                return
        if self.since:
            self.stride = stride_of((now - self.since) / self.stride)
        self.left = 0
        self.since = now
        self.last = self._read()

    def wait(self, lane, subject, batch):
        """It has the batch."""
        self._tell(lane, subject, batch)

    def _tell(self, lane, subject, batch):
        if self.last is None:
            return
        now = self._read()
        spent, queued = now[0] - self.last[0], now[1] - self.last[1]
        self.last = now
        lane.words.extend((spent, min(max(0, queued), MAX_U48) | CPU, subject | batch << 32))

    def close(self, close=os.close):
        # At the end of a process modules lose their names before the last objects go: this one is kept.
        if self.schedule >= 0:
            close(self.schedule)
            self.schedule = -1

    __del__ = close
