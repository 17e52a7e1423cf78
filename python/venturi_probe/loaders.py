"""Hooks on the consumer's side: which loaders there are, what they hand out, and how long that is waited for."""

import _thread
import os
import sys
import threading
import weakref
from functools import wraps
from time import monotonic_ns

from . import control, datasets, facts, identity, overrides, phases, preparer, process, session
from .consumer import Meter
from .device import DeviceSteps
from .tracebacks import strip

MOST_AHEAD = 256

#: A DataLoader inside a worker belongs to the work of that worker.
in_worker = False

#: Batches and passes are numbered through the process, over all loaders and epochs.
_batches = 0
_passes = 0
_consumed = 0
#: The iterators at work.
_loadings = weakref.WeakSet()
_said = set()
#: Work that was done before there was a loader: name, start, end.
_ahead = []


def _forget():
    _said.clear()
    _ahead.clear()
    for loading in list(_loadings):
        loading.is_parents = True


session.on_fork(_forget)


def _limit():
    text = os.environ.get("VENTURI_BATCHES", "")
    return int(text) if text.isdigit() else 0


_most = _limit()
#: The program is to end with the step of its last batch.
_ends_program = os.environ.get("VENTURI_THEN_STOP") == "1"


def done_ahead(name, start, end):
    """Work on data that no loader does, and that is over: it is told once there is a loader to tell it beside."""
    if not in_worker and len(_ahead) < MOST_AHEAD:
        _ahead.append((name, start, end))


class Loading:
    """One iterator over a loader; with persistent workers it makes many passes."""

    def __init__(self, iterator, name):
        self.name = name
        self.iterator = weakref.ref(iterator)
        self.pid = os.getpid()
        #: Who prepares batches where there are no workers.
        self.own = None
        #: In a forked child, where the parent goes on with it.
        self.is_parents = False
        self.lane = session.lane("main")
        process.begin(self.lane)
        self.workers = []
        self.tasks = []
        #: The loader's own numbers, which begin anew with each pass → ours.
        self.numbers = {}
        self.round = 0
        #: When the pass began: the first one before its workers were started.
        self.began = monotonic_ns()
        self.is_new = True
        self.arrived_last = None
        #: The batch now at the consumer, and since when.
        self.current = None
        self.since = 0
        self.device = DeviceSteps(self.lane, name)
        self.phased = phases.PhasedSteps(self.lane, name, self.iterator)
        phases.asked(self.began)
        self.meter = Meter(self.lane.tid)
        number = self.lane.number
        self.dispatch, self.arrive, self.wait, self.consume, self.begin, self.whole = (
            number(phase + ":" + name) for phase in ("dispatch", "arrive", "wait", "consume", "begin", "pass")
        )

    def begin_pass(self):
        global _passes
        self.round = _passes
        _passes += 1
        self.numbers = {}
        self.current = None
        now = monotonic_ns()
        if not self.is_new:
            self.began = now
        self.is_new = False
        self.lane.span(self.begin, self.round, self.began, now)

    def new_batch(self, start, end, task, pid):
        global _batches
        number = _batches
        _batches += 1
        lane = self.lane
        lane.span(self.dispatch, number, start, end)
        lane.task(self.dispatch, number, task, self.round, pid)
        return number

    def dispatched(self, index, worker, start, end):
        self.numbers[index] = self.new_batch(start, end, self.tasks[worker], self.workers[worker])
        self.tasks[worker] += 1

    def arrived(self, index, now):
        number = self.numbers.get(index) if type(index) is int else None
        if number is not None:
            self.arrived_last = index
            self.lane.span(self.arrive, number, now, now)

    def called(self, now):
        """The consumer asks for a batch, so it is done with the one before."""
        if self.current is not None:
            self.lane.span(self.consume, self.current, self.since, now)
        self.meter.step(self.lane, self.consume, self.current, now)
        self.current = None
        phases.asked(now)
        self.device.called(now)

    def returned(self, number, start, now):
        global _consumed
        if number is None:
            return
        self.lane.span(self.wait, number, start, now)
        self.meter.wait(self.lane, self.wait, number)
        process.sample(self.lane, now)
        self.current = number
        self.since = now
        self.lane.flush_soon(now)
        self.device.returned(number, now)
        if self.phased.until_watched:
            self.phased.until_watched -= 1
        else:
            self.phased.begin(number, start, now)
        _consumed += 1
        if _consumed == _most:
            control.mark(control.ENOUGH)
            session.stop()

    def ended(self, now):
        self.device.ended()
        self.lane.span(self.whole, self.round, self.began, now)
        process.sample(self.lane, now, last=True)
        self.lane.flush()


def _loading(iterator):
    """What is known of an iterator; None where it is not recorded."""
    if control.off:
        return None
    loading = iterator.__dict__.get("_venturi")
    return None if loading is None or loading.is_parents else loading


def loading_from(queue):
    """The iterator whose workers put their batches into this queue."""
    for loading in list(_loadings):
        iterator = loading.iterator()
        if iterator is not None and getattr(iterator, "_worker_result_queue", None) is queue:
            return loading
    return None


def hook_loaders(module):
    """torch.utils.data.dataloader"""
    control.mark(control.DATA_IMPORTED)
    module.DataLoader.__init__ = _made(module.DataLoader.__init__)
    base = module._BaseDataLoaderIter
    base.__init__ = _begun(base.__init__)
    base.__next__ = _next(base.__next__)
    _hook_workers_side(module._MultiProcessingDataLoaderIter)


def hook_stateful(module):
    """torchdata.stateful_dataloader.stateful_dataloader: a loader of its own make on the same base."""
    module.StatefulDataLoader.__init__ = _made(module.StatefulDataLoader.__init__)
    _hook_workers_side(module._StatefulMultiProcessingDataLoaderIter)


def _hook_workers_side(iterator):
    iterator._reset = _reset(iterator._reset)
    iterator._try_put_index = _try_put_index(iterator._try_put_index)
    iterator._get_data = _get_data(iterator._get_data)


def _made(original):
    @wraps(original)
    def __init__(self, *args, **kwargs):
        found = None
        if not control.off and not in_worker:
            try:
                request = identity.request_of(original, type(self), args, kwargs)
                found = request and identity.resolve(request)
                if found and overrides.are_wanted():
                    args, kwargs = overrides.change(original, self, args, kwargs, identity.known_as(found, type(self)))
            except Exception as error:
                control.fail(error)
        try:
            original(self, *args, **kwargs)
        except BaseException as error:
            strip(error)
            raise
        if found and not control.off:
            try:
                found.attach(self)
            except Exception as error:
                control.fail(error)

    return __init__


def _begun(original):
    @wraps(original)
    def __init__(self, loader, *args, **kwargs):
        if not control.stopped() and not in_worker:
            try:
                name = _introduce(loader)
                loading = Loading(self, name)
                self.__dict__["_venturi"] = loading
                _loadings.add(loading)
            except Exception as error:
                control.fail(error)
        try:
            original(self, loader, *args, **kwargs)
        except BaseException as error:
            strip(error)
            raise
        loading = _loading(self)
        if loading is not None and not getattr(self, "_num_workers", 0):
            loading.begin_pass()

    return __init__


def _introduce(loader):
    """The loader's name; what there is to know about it is said once."""
    found = identity.begun(loader)
    lane = session.lane("main")
    if not _said:
        facts.say(lane, {"process": session.process_facts()})
    while _ahead:
        done, start, end = _ahead.pop(0)
        lane.span(lane.number("ahead:" + done), 0, start, end)
    settings = _settings(loader)
    said = (found.key, found.remade_by, repr(settings))
    if said not in _said:
        _said.add(said)
        facts.say(lane, dict(found.facts(), settings=settings))
    return found.name


def _settings(loader):
    names = "batch_size num_workers prefetch_factor pin_memory persistent_workers drop_last timeout".split()
    settings = {name: getattr(loader, name, None) for name in names}
    settings["in_order"] = getattr(loader, "in_order", True)
    settings["dataset"] = type(loader.dataset).__name__
    settings["stream"] = overrides.is_stream(loader.dataset)
    settings["sampler"] = type(loader.sampler).__name__
    context = getattr(loader, "multiprocessing_context", None)
    settings["has_context"] = context is not None
    if settings["num_workers"]:
        import multiprocessing

        settings["start_method"] = (context or multiprocessing).get_start_method()
    settings["length"] = datasets.length(loader.dataset)
    return settings


def _next(original):
    @wraps(original)
    def __next__(self):
        loading = None if control.stopped() else _loading(self)
        if loading is None:
            if _ends_program and control.marked(control.ENOUGH) and self.__dict__.get("_venturi") is not None:
                _end_program()
            return original(self)
        own = None
        try:
            start = monotonic_ns()
            loading.called(start)
            if not self._num_workers:
                own = loading.own
                if own is None or own.ident != threading.get_ident() or own.is_over:
                    own = loading.own = preparer.begin("main")
                own.turn_to(loading.name)
                own.task += 1
                number = loading.new_batch(start, start, own.task, loading.pid)
        except Exception as error:
            control.fail(error)
            return original(self)
        try:
            data = original(self)
        except BaseException as error:
            strip(error)
            if isinstance(error, StopIteration):
                try:
                    loading.ended(monotonic_ns())
                except Exception as failure:
                    control.fail(failure)
            raise
        try:
            now = monotonic_ns()
            if own is None:
                # Without order nothing is kept for later: what arrived last is what is handed out.
                index = self._rcvd_idx - 1 if getattr(self, "_in_order", True) else loading.arrived_last
                number = loading.numbers.pop(index, None)
            loading.returned(number, start, now)
        except Exception as error:
            control.fail(error)
        return data

    return __next__


def _end_program():
    """The step of the last batch is done: the program ends as by its own sys.exit(), and so do its workers."""
    if threading.current_thread() is threading.main_thread():
        sys.exit(0)
    _thread.interrupt_main()


def _reset(original):
    @wraps(original)
    def _reset(self, *args, **kwargs):
        loading = _loading(self)
        if loading is not None:
            try:
                loading.workers = [worker.pid for worker in self._workers]
                if len(loading.tasks) != len(loading.workers):
                    loading.tasks = [0] * len(loading.workers)
                loading.begin_pass()
            except Exception as error:
                control.fail(error)
        elif not control.off and "_venturi" not in self.__dict__ and args[1:] != (True,) and not kwargs.get("first_iter"):
            # It made a pass before the probe was there: of its workers nothing can be seen.
            control.mark(control.KEPT)
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            strip(error)
            raise

    return _reset


def _try_put_index(original):
    @wraps(original)
    def _try_put_index(self):
        loading = _loading(self)
        if loading is None:
            return original(self)
        index = getattr(self, "_send_idx", None)
        start = monotonic_ns()
        try:
            result = original(self)
        except BaseException as error:
            strip(error)
            raise
        try:
            if self._send_idx != index:
                loading.dispatched(index, self._task_info[index][0], start, monotonic_ns())
        except Exception as error:
            control.fail(error)
        return result

    return _try_put_index


def _get_data(original):
    @wraps(original)
    def _get_data(self):
        try:
            result = original(self)
        except BaseException as error:
            strip(error)
            raise
        loading = _loading(self)
        if loading is not None:
            try:
                loading.arrived(result[0], monotonic_ns())
            except Exception as error:
                control.fail(error)
        return result

    return _get_data
