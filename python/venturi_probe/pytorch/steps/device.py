"""The consumer's step on a CUDA device, by events in its stream. Nothing here waits for the device.

Three events belong to a step: where the consumer asks for a batch, where it gets it, and where it asks for the next.
Between the first two the device has nothing new to do, between the last two lies the step's work. The device passes the
events when it comes to them; later steps ask whether it has, and only then for the times between them.
"""

import sys
from functools import wraps

from ...recording import session

#: What a step's events cost the host, in ns, and the share of a step they may cost.
COST_NS = 40_000
BUDGET = 0.0025
MAX_STRIDE = 64
#: How often, in ns, to see whether a program that did not compute on a device does now.
LOOK_NS = 1_000_000
#: Steps the device may lag behind before no more are begun.
MOST_PENDING = 64

#: Those with steps that the device has not come to the end of yet.
_lagging = set()
_is_off = False


#: What a forked child has of its parent's. An event that is freed asks the device, and who asks it in a child dies of it.
_parents = []


def leave_to_parent(*things):
    _parents.extend(things)


def _forget():
    # A forked child has no word with its parent's device.
    global _is_off
    leave_to_parent(*_lagging)
    _lagging.clear()
    _is_off = True


def _finish():
    for steps in list(_lagging):
        steps.ended()


session.on_fork(_forget)
session.on_close(_finish)


def _quietly(method):
    """A device that failed says so at every call, ours too. The program hears it at its own next one."""

    @wraps(method)
    def call(self, *args):
        global _is_off
        if _is_off:
            return
        try:
            method(self, *args)
        except Exception:
            _is_off = True

    return call


class DeviceSteps:
    """The steps of one iterator over a loader."""

    def __init__(self, lane, loader):
        self.lane = lane
        self.loader = loader
        self.subjects = None
        #: Where the program does not compute on a device: when to see again whether it does. 0 where it does.
        self.look_at = 0
        self.until_sampled = 0
        #: The step under way: its batch, its events, and when the consumer asked and got.
        self.asked = self.got = None
        self.number = None
        self.asked_at = self.got_at = 0
        #: ns of the last step that the device has come to the end of.
        self.last_step = 0
        self.pending = []

    @_quietly
    def look(self, now):
        """Whether the program computes on a device by now."""
        self.look_at = 0 if cuda_in_use() is not None else now + LOOK_NS

    @_quietly
    def called(self, now):
        """The consumer asks for a batch: the step before is over, and perhaps the next is to be timed."""
        cuda = cuda_in_use()
        self.look_at = 0
        if cuda is None:
            self.look_at = now + LOOK_NS
            self.asked = self.got = None
            return
        end = None
        if self.got is not None:
            end = _passed(cuda)
            self.pending.append((self.number, self.asked_at, self.got_at, self.asked, self.got, end))
            _lagging.add(self)
            step = max(1, now - self.got_at, self.last_step)
            self.until_sampled = min(MAX_STRIDE, int(COST_NS / (BUDGET * step)))
        self.asked = self.got = None
        self._collect()
        if self.until_sampled > 0:
            self.until_sampled -= 1
        elif len(self.pending) < MOST_PENDING:
            # Where one step ends the next begins.
            self.asked = end or _passed(cuda)
            self.asked_at = now

    @_quietly
    def returned(self, number, now):
        cuda = None if self.asked is None else cuda_in_use()
        if cuda is not None:
            self.got = _passed(cuda)
            self.number = number
            self.got_at = now

    @_quietly
    def ended(self):
        """No more steps for now. What the device has not come to yet is asked for again when the program ends."""
        self.asked = self.got = None
        self._collect()

    def _collect(self):
        while self.pending and self.pending[0][-1].query():
            number, asked_at, got_at, asked, got, end = self.pending.pop(0)
            try:
                idle, busy = asked.elapsed_time(got), got.elapsed_time(end)
            except (RuntimeError, ValueError):
                # The program went over to another device in between.
                continue
            if self.subjects is None:
                names = "device-wait:" + self.loader, "device:" + self.loader
                self.subjects = [self.lane.number(name) for name in names]
            wait, work = self.subjects
            self.last_step = int(busy * 1e6)
            self.lane.span(wait, number, asked_at, asked_at + int(idle * 1e6))
            self.lane.span(work, number, got_at, got_at + self.last_step)
        if not self.pending:
            _lagging.discard(self)


def _passed(cuda):
    event = cuda.Event(enable_timing=True)
    event.record()
    return event


def cuda_in_use():
    """torch.cuda where the program itself has begun to use it, and is not capturing a graph right now."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized() or cuda.is_current_stream_capturing():
        return None
    return cuda
