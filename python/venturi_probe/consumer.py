"""What the consumer's side costs: CPU of its whole process, and its thread's wait for a core, batch by batch."""

import os
from time import process_time_ns

from .lane import CPU, MAX_U48

#: Steps shorter than this, in ns, are metered one time in STRIDE.
CHEAP_NS = 2_000_000
STRIDE = 8


class Meter:
    """Of the thread it is made in. Other threads of the process (a pool's, the one that pins) count as its CPU."""

    def __init__(self, tid):
        try:
            self.schedule = os.open("/proc/self/task/%d/schedstat" % tid, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            self.schedule = -1
        self.turn = 0
        self.since = 0
        self.last = None

    def _read(self):
        queued = 0 if self.schedule < 0 else int(os.pread(self.schedule, 80, 0).split()[1])
        return process_time_ns(), queued

    def step(self, lane, subject, batch, now):
        """The consumer asks for a batch; `batch` is the one it is done with, None where there is none."""
        if batch is not None:
            self._tell(lane, subject, batch)
        is_cheap = now - self.since < CHEAP_NS
        self.since = now
        self.turn += 1
        self.last = None if is_cheap and self.turn % STRIDE else self._read()

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

    def close(self):
        if self.schedule >= 0:
            os.close(self.schedule)
            self.schedule = -1

    __del__ = close
