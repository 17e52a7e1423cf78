"""Hooks in the worker processes and the pin-memory thread."""

from functools import wraps
from time import monotonic_ns

from . import control, loaders, preparer, session, tracebacks


def hook_worker(module):
    """torch.utils.data._utils.worker"""
    original = module._worker_loop
    names = original.__code__.co_varnames[: original.__code__.co_argcount]
    tasks, results, worker = (names.index(name) for name in ("index_queue", "data_queue", "worker_id"))

    @wraps(original)
    def _worker_loop(*args, **kwargs):
        if not control.off:
            try:
                loaders.in_worker = True
                own = preparer.begin("worker %d" % args[worker])
                own.is_worker = True
                changed = list(args)
                queue = changed[tasks] = _Tasks(args[tasks], own)
                changed[results] = _Results(args[results], queue, own)
                args = tuple(changed)
            except Exception as error:
                control.fail(error)
        try:
            return original(*args, **kwargs)
        finally:
            preparer.end()
            session.close_lane()

    module._worker_loop = _worker_loop
    if tracebacks.IS_NEEDED:
        module.ExceptionWrapper = tracebacks.strip_wrapped(module.ExceptionWrapper)


class _Tasks:
    """Stands in for the queue a worker gets its tasks from: waiting on it is idleness."""

    def __init__(self, queue, own):
        self.queue = queue
        self.own = own
        self.idle = own.lane.number("idle")
        self.since = monotonic_ns()
        self.count = 0

    def get(self, *args, **kwargs):
        task = self.queue.get(*args, **kwargs)
        # The other messages are the end of the work, and the order to begin a further pass.
        if type(task) is tuple and not control.stopped():
            try:
                own = self.own
                own.task = self.count
                own.lane.span(self.idle, self.count, self.since, monotonic_ns())
            except Exception as error:
                control.fail(error)
        if type(task) is tuple:
            self.count += 1
        return task

    def __getattr__(self, name):
        return getattr(self.queue, name)


class _Results:
    """Stands in for the queue of finished batches. A put only hands over: a thread of the queue sends it."""

    def __init__(self, queue, tasks, own):
        self.queue = queue
        self.tasks = tasks
        self.own = own
        self.number = own.lane.number("put")

    def put(self, result, *args, **kwargs):
        start = monotonic_ns()
        self.queue.put(result, *args, **kwargs)
        now = self.tasks.since = monotonic_ns()
        # An answer to the order to begin a further pass is no batch.
        if not control.off and type(result[0]) is int:
            try:
                lane = self.own.lane
                lane.span(self.number, self.own.task, start, now)
                # At once: an idle worker may be ended by a signal at any time.
                lane.flush()
            except Exception as error:
                control.fail(error)

    def __getattr__(self, name):
        return getattr(self.queue, name)


def hook_pin_memory(module):
    """torch.utils.data._utils.pin_memory"""
    original = module._pin_memory_loop

    @wraps(original)
    def _pin_memory_loop(in_queue, out_queue, *args, **kwargs):
        if not control.off:
            try:
                loading = loaders.loading_from(in_queue)
                if loading is not None:
                    pinning = _Pinning(session.lane("pin"), loading)
                    in_queue, out_queue = _Unpinned(in_queue, pinning), _Pinned(out_queue, pinning)
            except Exception as error:
                control.fail(error)
        try:
            return original(in_queue, out_queue, *args, **kwargs)
        finally:
            session.close_lane()

    module._pin_memory_loop = _pin_memory_loop


class _Pinning:
    def __init__(self, lane, loading):
        self.lane = lane
        self.loading = loading
        self.subject = lane.number("pin:" + loading.name)
        self.since = 0


class _Unpinned:
    def __init__(self, queue, pinning):
        self.queue = queue
        self.pinning = pinning

    def get(self, *args, **kwargs):
        result = self.queue.get(*args, **kwargs)
        self.pinning.since = monotonic_ns()
        return result

    def __getattr__(self, name):
        return getattr(self.queue, name)


class _Pinned:
    def __init__(self, queue, pinning):
        self.queue = queue
        self.pinning = pinning

    def put(self, result, *args, **kwargs):
        self.queue.put(result, *args, **kwargs)
        if control.off:
            return
        try:
            pinning = self.pinning
            number = pinning.loading.numbers.get(result[0]) if type(result[0]) is int else None
            if number is not None:
                pinning.lane.span(pinning.subject, number, pinning.since, monotonic_ns())
                pinning.lane.flush()
        except Exception as error:
            control.fail(error)

    def __getattr__(self, name):
        return getattr(self.queue, name)
