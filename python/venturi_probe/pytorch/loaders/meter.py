"""What the consumer's side costs: CPU of its whole process, and its thread's wait for a core, batch by batch."""

from time import process_time_ns

from ...recording.clocks import QueueClock, stride_of
from ...recording.lane import CPU, MAX_U48


class Meter:
    """Of the thread it is made in. Other threads of the process (a pool's, the one that pins) count as its CPU."""

    def __init__(self, tid):
        self.queued = QueueClock(tid)
        #: Countdown to the next step that begins or ends a metered one, which is due below 0.
        self.left = 0
        #: One step in `stride` is metered; when the last one began, and the last reading of the clocks.
        self.stride = 1
        self.since = 0
        self.last = None

    def _read(self):
        return process_time_ns(), self.queued.read()

    def step(self, lane, subject, batch, now):
        """The consumer asks for a batch, and this was counted down to; `batch` is the one it is done with, if any."""
        if self.last is not None:
            if batch is not None:
                self.tell(lane, subject, batch)
            self.last = None
            if self.stride > 1:
                self.left = self.stride - 2
                return
        if self.since:
            self.stride = stride_of((now - self.since) / self.stride)
        self.left = 0
        self.since = now
        self.last = self._read()

    def tell(self, lane, subject, batch):
        """What was spent since the clocks were read last, if this step is metered."""
        if self.last is None:
            return
        now = self._read()
        spent, waited = now[0] - self.last[0], now[1] - self.last[1]
        self.last = now
        lane.words.extend((spent, min(max(0, waited), MAX_U48) | CPU, subject | batch << 32))
