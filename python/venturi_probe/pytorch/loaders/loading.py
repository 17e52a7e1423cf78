"""One iterator over a loader, as its consumer sees it: what it is asked for, what it hands out, and how long that takes."""

import os
import weakref
from itertools import count
from threading import get_ident
from time import monotonic_ns

from ...recording import control, process, session, settings
from ...recording.lane import FLUSH_NS
from ..steps import phases
from ..steps.device import DeviceSteps
from .meter import Meter


class Counts:
    """Batches and passes are numbered through the process, over all loaders, epochs and threads."""

    __slots__ = ("next_batch", "next_pass", "consumed", "most")

    def __init__(self):
        # No two threads get the same number of these.
        self.next_batch, self.next_pass = count().__next__, count().__next__
        self.consumed = 0
        #: Batches after which the recording ends; 0 where it goes on.
        self.most = settings.number("BATCHES") or 0


counts = Counts()
#: By loader, at the end of its last pass: steps until the next watched one, and the stride of metering.
_habits = {}
#: The iterators at work.
_loadings = weakref.WeakSet()


def _forget():
    for loading in list(_loadings):
        loading.is_parents = True


session.on_fork(_forget)


class Loading:
    """With persistent workers it makes many passes."""

    __slots__ = (
        "name iterator pid is_parents ident lane workers tasks numbers round began is_new arrived_last asked order current since "
        "device phased meter dispatch arrive wait consume begin whole __weakref__"
    ).split()

    def __init__(self, iterator, name):
        self.name = name
        self.iterator = weakref.ref(iterator)
        self.pid = os.getpid()
        #: In a forked child, where the parent goes on with it.
        self.is_parents = False
        lane = session.lane("main")
        process.begin(lane)
        self.workers = []
        self.tasks = []
        #: The loader's own numbers, which begin anew with each pass → ours.
        self.numbers = {}
        self.round = 0
        #: When the pass began: the first one before its workers were started.
        self.began = monotonic_ns()
        self.is_new = True
        self.arrived_last = None
        #: When the consumer asked for the batch it has not got yet, and the order to a worker under way: its number and start.
        self.asked = None
        self.order = None
        #: The batch now at the consumer, and since when.
        self.current = None
        self.since = 0
        phases.asked(self.began)
        self._settle(lane, *_habits.get(name, (phases.FIRST, 1)))
        _loadings.add(self)

    def _settle(self, lane, watched, stride):
        """What is recorded of it stands in this lane, that of the thread it is in."""
        name = self.name
        self.ident = get_ident()
        self.lane = lane
        self.device = DeviceSteps(lane, name)
        self.phased = phases.PhasedSteps(lane, name, self.iterator)
        self.phased.until_watched = max(phases.FIRST, watched)
        self.meter = Meter(lane.tid)
        self.meter.stride = stride
        number = lane.number
        self.dispatch, self.arrive, self.wait, self.consume, self.begin, self.whole = (
            number(phase + ":" + name) for phase in ("dispatch", "arrive", "wait", "consume", "begin", "pass")
        )

    def move(self, lane):
        """Another thread goes on with the iterator."""
        self.device.ended()
        self._settle(lane, self.phased.until_watched, self.meter.stride)

    def begin_pass(self):
        self.round = counts.next_pass()
        self.numbers = {}
        self.current = None
        now = monotonic_ns()
        if not self.is_new:
            self.began = now
        self.is_new = False
        self.lane.span(self.begin, self.round, self.began, now)

    def begin_with_workers(self, pids):
        self.workers = pids
        if len(self.tasks) != len(pids):
            self.tasks = [0] * len(pids)
        self.begin_pass()

    def dispatched(self, index, worker, start, end):
        self.numbers[index] = number = counts.next_batch()
        self.lane.span(self.dispatch, number, start, end)
        self.lane.task(self.dispatch, number, self.tasks[worker], self.round, self.workers[worker])
        self.tasks[worker] += 1

    def arrived(self, index, now):
        number = self.numbers.get(index) if type(index) is int else None
        if number is not None:
            self.arrived_last = index
            self.lane.span(self.arrive, number, now, now)

    def called(self, iterator):
        """The consumer asks for a batch, so it is done with the one before."""
        if self.ident != get_ident():
            self.move(session.lane("main"))
        self.asked = now = monotonic_ns()
        self.meter.left -= 1
        self.consumed(now, self.meter.left < 0)
        phases.asked(now)
        if now > self.device.look_at:
            self.device.called(now)

    def consumed(self, now, is_metered):
        if self.current is not None:
            self.lane.span(self.consume, self.current, self.since, now)
        if is_metered:
            self.meter.step(self.lane, self.consume, self.current, now)
        self.current = None

    def returned(self, iterator):
        """It gets one."""
        now = monotonic_ns()
        # Without order nothing is kept for later: what arrived last is what is handed out.
        index = iterator._rcvd_idx - 1 if getattr(iterator, "_in_order", True) else self.arrived_last
        number = self.numbers.pop(index, None)
        if number is not None:
            self.lane.span(self.wait, number, self.asked, now)
            self.meter.tell(self.lane, self.wait, number)
            self.has(number, self.asked, now)
        self.asked = None

    def has(self, number, asked, now):
        """The batch is at the consumer now."""
        self.current = number
        self.since = now
        # A call to the system costs microseconds: batches on each other's heels share one.
        if now > self.lane.flush_at:
            self.write(now)
        if self.device.asked is not None:
            self.device.returned(number, now)
        if self.phased.until_watched:
            self.phased.until_watched -= 1
        else:
            self.phased.begin(number, asked, now)
        counts.consumed += 1
        if counts.consumed == counts.most:
            enough()

    def write(self, now):
        if control.stopped():
            return
        process.sample(self.lane, now)
        self.lane.flush_at = now + FLUSH_NS
        self.lane.flush()

    def missed(self, is_end):
        """It gets none: because of an exception, or because the pass is over."""
        self.asked = None
        if is_end:
            self.ended()

    def ended(self):
        now = monotonic_ns()
        _habits[self.name] = self.phased.until_watched, self.meter.stride
        self.device.ended()
        self.lane.span(self.whole, self.round, self.began, now)
        process.sample(self.lane, now, last=True)
        self.lane.flush()


def enough():
    """As many batches as were asked for are recorded."""
    control.mark(control.ENOUGH)
    session.stop()


def from_queue(queue):
    """The iterator whose workers put their batches into this queue."""
    for loading in list(_loadings):
        iterator = loading.iterator()
        if iterator is not None and getattr(iterator, "_worker_result_queue", None) is queue:
            return loading
    return None
