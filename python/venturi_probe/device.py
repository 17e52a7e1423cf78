"""The consumer's step on a CUDA device, by events in its stream. Nothing here waits for the device.

Three events belong to a step: where the consumer asks for a batch, where it gets it, and where it asks for the next.
Between the first two the device has nothing new to do, between the last two lies the step's work. The device passes the
events when it comes to them; later steps ask whether it has, and only then for the times between them.
"""

import sys

#: What a step's events cost the host, in ns, and the share of a step they may cost.
COST_NS = 40_000
BUDGET = 0.0025
MAX_STRIDE = 64
#: Steps the device may lag behind before no more are begun.
MOST_PENDING = 64
MOST_SPARE = 8


class DeviceSteps:
    def __init__(self, lane, loader):
        self.lane = lane
        self.loader = loader
        self.subjects = None
        self.until_sampled = 0
        #: The step under way: its batch, its events, and when the consumer asked and got.
        self.asked = self.got = None
        self.number = None
        self.asked_at = self.got_at = 0
        self.pending = []
        self.spare = []

    def called(self, now):
        """The consumer asks for a batch: the step before is over, and perhaps the next is to be timed."""
        cuda = _cuda()
        if cuda is None:
            return
        end = None
        if self.got is not None:
            end = self._record(cuda)
            self.pending.append((self.number, self.asked_at, self.got_at, self.asked, self.got, end))
            self.until_sampled = min(MAX_STRIDE, int(COST_NS / (BUDGET * max(1, now - self.got_at))))
        self.asked = self.got = None
        self._collect()
        if self.until_sampled > 0:
            self.until_sampled -= 1
        elif len(self.pending) < MOST_PENDING:
            # Where one step ends the next begins.
            self.asked = end or self._record(cuda)
            self.asked_at = now

    def returned(self, number, now):
        if self.asked is None:
            return
        cuda = _cuda()
        if cuda is None:
            self.asked = None
            return
        self.got = self._record(cuda)
        self.number = number
        self.got_at = now

    def ended(self):
        """A pass is over. What the device has not come to yet is asked for in the next, if there is one."""
        self.asked = self.got = None
        self._collect()

    def _record(self, cuda):
        event = self.spare.pop() if self.spare else cuda.Event(enable_timing=True)
        event.record()
        return event

    def _collect(self):
        while self.pending and self.pending[0][5].query():
            number, asked_at, got_at, asked, got, end = self.pending.pop(0)
            try:
                idle, busy = asked.elapsed_time(got), got.elapsed_time(end)
            except RuntimeError:
                # The program went over to another device in between.
                continue
            if self.subjects is None:
                names = "device-wait:" + self.loader, "device:" + self.loader
                self.subjects = [self.lane.number(name) for name in names]
            wait, work = self.subjects
            self.lane.span(wait, number, asked_at, asked_at + int(idle * 1e6))
            self.lane.span(work, number, got_at, got_at + int(busy * 1e6))
            # The other two may belong to the steps before and after.
            if len(self.spare) < MOST_SPARE:
                self.spare.append(got)


def _cuda():
    """torch.cuda where the program itself has begun to use it, and is not capturing a graph right now."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized() or cuda.is_current_stream_capturing():
        return None
    return cuda
