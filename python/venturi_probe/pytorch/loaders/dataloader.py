"""Hooks on the consumer's side: which loaders there are, what they hand out, and how long that is waited for."""

import _thread
import sys
import threading
from time import monotonic_ns

from ...hooking import patches
from ...hooking.splice import Calls
from ...recording import control, facts, session, settings
from ..identity import datasets, registry
from ..preparation import preparer
from . import overrides, program
from .inline import Inline
from .loading import Loading

MOST_AHEAD = 256

#: A DataLoader inside a worker belongs to the work of that worker.
in_worker = False

#: Loaders that are being made, by id.
_making = {}
_said = set()
#: Work that was done before there was a loader: name, start, end.
_ahead = []


def _forget():
    _said.clear()
    _ahead.clear()


session.on_fork(_forget)

#: The program is to end with the step of its last batch.
_ends_program = settings.is_set("THEN_STOP")


def done_ahead(name, start, end):
    """Work on data that no loader does, and that is over: it is told once there is a loader to tell it beside."""
    if not in_worker and len(_ahead) < MOST_AHEAD:
        _ahead.append((name, start, end))


def _loading(iterator):
    """What is known of an iterator; None where it is not recorded."""
    loading = getattr(iterator, "_venturi", None)
    return None if loading is None or loading.is_parents or control.off else loading


def hook_loaders(module):
    """torch.utils.data.dataloader"""
    control.mark(control.DATA_IMPORTED)
    _hook_making(module.DataLoader)
    base = module._BaseDataLoaderIter
    patches.keep(patches.of_function(base, "__init__", Calls(enter=(begin, "self", "loader"), done=(begun, "self"))))
    calls = Calls(enter=(ask, "self"), fail=(miss, "self"), leave=(get, "self"))
    patch = patches.of_function(base, "__next__", calls)
    if _ends_program:
        # It is asked once more after the recording has ended.
        patch.put()
    else:
        patches.keep(patch)
    _hook_workers_side(module._MultiProcessingDataLoaderIter)


def hook_stateful(module):
    """torchdata.stateful_dataloader.stateful_dataloader: a loader of its own make on the same base."""
    _hook_making(module.StatefulDataLoader)
    _hook_workers_side(module._StatefulMultiProcessingDataLoaderIter)


def _hook_making(kind):
    init = kind.__init__
    code = init.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]

    def make(loader, *given):
        return _make(init, loader, dict(zip(names, given))).values()

    becomes = names if overrides.are_wanted() else ()
    calls = Calls(enter=(make, "self", *names), becomes=becomes, done=(made, "self"), fail=(unmade, "self"))
    patches.keep(patches.of_function(kind, "__init__", calls))


def _hook_workers_side(iterator):
    calls = {
        "_reset": Calls(enter=(reset, "self", "first_iter")),
        "_try_put_index": Calls(enter=(order, "self"), done=(ordered, "self")),
        "_get_data": Calls(value=(receive, "self")),
    }
    for name, wanted in calls.items():
        patches.keep(patches.of_function(iterator, name, wanted))


def _make(init, loader, given):
    """A loader is made: the arguments to make it with. One that a class of its own makes on the way is the same."""
    if not control.off and not in_worker and id(loader) not in _making:
        with control.guard:
            found = _making[id(loader)] = registry.resolve(type(loader), given)
            if overrides.are_wanted():
                return overrides.change(init, given, registry.known_as(found, type(loader)))
    return given


def made(loader):
    found = _making.pop(id(loader), None)
    if found and not control.off:
        with control.guard:
            found.attach(loader)


def unmade(loader):
    _making.pop(id(loader), None)


def begin(iterator, loader):
    """An iterator over a loader is made."""
    own = preparer.of_this_thread()
    if control.stopped() or in_worker or (own is not None and own.fetcher is not None):
        return
    with control.guard:
        kind = Loading if loader.num_workers else Inline
        iterator._venturi = kind(iterator, _introduce(loader))


def begun(iterator):
    loading = _loading(iterator)
    if loading is not None and isinstance(loading, Inline):
        with control.guard:
            loading.begin_pass()


def _introduce(loader):
    """The loader's name; what there is to know about it is said once."""
    found = registry.begun(loader)
    lane = session.lane("main")
    if not _said:
        facts.say(lane, {"process": program.process_facts()})
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


def ask(iterator):
    """The consumer asks for a batch."""
    try:
        loading = iterator._venturi
    except AttributeError:
        return
    if control.off:
        if _ends_program and control.marked(control.ENOUGH):
            _end_program()
    elif not loading.is_parents:
        try:
            loading.called(iterator)
        except Exception as error:
            control.fail(error)


def get(iterator):
    """It has it, unless it missed it."""
    try:
        loading = iterator._venturi
    except AttributeError:
        return
    if loading.asked is not None and not control.off:
        try:
            loading.returned(iterator)
        except Exception as error:
            control.fail(error)


def miss(iterator):
    loading = getattr(iterator, "_venturi", None)
    if loading is not None and loading.asked is not None and not control.off:
        with control.guard:
            loading.missed(is_end=isinstance(sys.exc_info()[1], StopIteration))


def _end_program():
    """The step of the last batch is done: the program ends as by its own sys.exit(), and so do its workers."""
    if threading.current_thread() is threading.main_thread():
        sys.exit(0)
    _thread.interrupt_main()


def reset(iterator, first_iter):
    """A pass begins, with workers that are there."""
    loading = _loading(iterator)
    if loading is not None:
        with control.guard:
            loading.begin_with_workers([worker.pid for worker in iterator._workers])
    elif not control.off and not hasattr(iterator, "_venturi") and not first_iter:
        # It made a pass before the probe was there: of its workers nothing can be seen.
        control.mark(control.KEPT)


def order(iterator):
    """A batch is ordered from a worker, if there is any left to order."""
    loading = _loading(iterator)
    if loading is not None:
        loading.order = getattr(iterator, "_send_idx", None), monotonic_ns()


def ordered(iterator):
    loading = _loading(iterator)
    if loading is not None and loading.order is not None:
        with control.guard:
            index, start = loading.order
            if iterator._send_idx != index:
                loading.dispatched(index, iterator._task_info[index][0], start, monotonic_ns())


def receive(result, iterator):
    """A batch comes from a worker."""
    loading = _loading(iterator)
    if loading is not None:
        with control.guard:
            loading.arrived(result[0], monotonic_ns())
    return result
