"""Hooks in the worker processes and the pin-memory thread."""

from time import monotonic_ns

from ...hooking import patches, tracebacks
from ...hooking.splice import Calls
from ...recording import control, session
from ..preparation import preparer
from . import dataloader, loading


def hook_worker(module):
    """torch.utils.data._utils.worker"""
    queues = ("index_queue", "data_queue")
    calls = Calls(enter=(begin_work, *queues, "worker_id"), becomes=queues, leave=(end_work,))
    patch = patches.of_function(module, "_worker_loop", calls)
    patches.keep(patch)
    if tracebacks.IS_NEEDED and isinstance(patch, patches.Attribute):
        patches.keep(patches.Attribute(module, "ExceptionWrapper", tracebacks.strip_wrapped))


def begin_work(index_queue, data_queue, worker_id):
    if not control.off:
        with control.guard:
            dataloader.in_worker = True
            own = preparer.begin("worker %d" % worker_id)
            own.is_worker = True
            tasks = _Tasks(index_queue, own)
            return tasks, _Results(data_queue, tasks, own)
    return index_queue, data_queue


def end_work():
    preparer.end()
    session.close_lane()


class _Queue:
    """Stands in for a queue. A loop goes on with it after the recording has ended: then it is in nobody's way."""

    def __init__(self, queue, of):
        self.queue = queue
        self.of = of

    def __getattr__(self, name):
        return getattr(self.queue, name)


class _Tasks(_Queue):
    """The queue a worker gets its tasks from: waiting on it is idleness."""

    def __init__(self, queue, own):
        super().__init__(queue, own)
        self.idle = own.lane.number("idle")
        self.since = monotonic_ns()
        self.count = 0

    def get(self, *args, **kwargs):
        task = self.queue.get(*args, **kwargs)
        if control.stopped():
            self.get = self.queue.get
        # The other messages are the end of the work, and the order to begin a further pass.
        elif type(task) is tuple:
            with control.guard:
                own = self.of
                own.task = self.count
                own.lane.span(self.idle, self.count, self.since, monotonic_ns())
            self.count += 1
        return task


class _Results(_Queue):
    """The queue of finished batches. A put only hands over: a thread of the queue sends it."""

    def __init__(self, queue, tasks, own):
        super().__init__(queue, own)
        self.tasks = tasks
        self.number = own.lane.number("put")

    def put(self, result, *args, **kwargs):
        start = monotonic_ns()
        self.queue.put(result, *args, **kwargs)
        now = self.tasks.since = monotonic_ns()
        if control.off:
            self.put = self.queue.put
        # An answer to the order to begin a further pass is no batch.
        elif type(result[0]) is int:
            with control.guard:
                lane = self.of.lane
                lane.span(self.number, self.of.task, start, now)
                # At once: an idle worker may be ended by a signal at any time.
                lane.flush()


def hook_pin_memory(module):
    """torch.utils.data._utils.pin_memory"""
    queues = ("in_queue", "out_queue")
    calls = Calls(enter=(begin_pinning, *queues), becomes=queues, leave=(session.close_lane,))
    patches.keep(patches.of_function(module, "_pin_memory_loop", calls))


def begin_pinning(in_queue, out_queue):
    if not control.off:
        with control.guard:
            of = loading.from_queue(in_queue)
            if of is not None:
                pinning = _Pinning(session.lane("pin"), of)
                return _Unpinned(in_queue, pinning), _Pinned(out_queue, pinning)
    return in_queue, out_queue


class _Pinning:
    def __init__(self, lane, of):
        self.lane = lane
        self.loading = of
        self.subject = lane.number("pin:" + of.name)
        self.since = 0


class _Unpinned(_Queue):
    def get(self, *args, **kwargs):
        result = self.queue.get(*args, **kwargs)
        if control.off:
            self.get = self.queue.get
        self.of.since = monotonic_ns()
        return result


class _Pinned(_Queue):
    def put(self, result, *args, **kwargs):
        self.queue.put(result, *args, **kwargs)
        if control.off:
            self.put = self.queue.put
            return
        with control.guard:
            pinning = self.of
            number = pinning.loading.numbers.get(result[0]) if type(result[0]) is int else None
            if number is not None:
                pinning.lane.span(pinning.subject, number, pinning.since, monotonic_ns())
                pinning.lane.flush()
