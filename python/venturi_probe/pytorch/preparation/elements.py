"""Hooks inside the preparation of a batch: fetching, elements and collation."""

from functools import wraps
from threading import get_ident
from time import monotonic_ns

from ...hooking import patches
from ...hooking.splice import Calls
from ...hooking.tracebacks import hide, strip
from ...recording import control, facts
from . import counting, preparer, stacks, watching
from .nesting import ELEMENT, END
from .preparer import preparers


def hook_fetchers(module):
    """torch.utils.data._utils.fetch"""
    for kind in (module._MapDatasetFetcher, module._IterableDatasetFetcher):
        fetch = kind.__dict__["fetch"]
        fetcher, index = fetch.__code__.co_varnames[:2]
        around = {fetcher + ".collate_fn": ((collating, fetcher, index), (collated, fetcher, index))}
        if "__getitems__" in fetch.__code__.co_names:
            around[fetcher + ".dataset.__getitems__"] = ((asked_for_all, fetcher), (given_all, fetcher))
        loops = {index: (by_element, fetcher)}
        calls = Calls(enter=(begin, fetcher, index), fail=(fail, fetcher), around=around, loops=loops)
        patches.keep(patches.of_function(kind, "fetch", calls, _fetch_around))


def hook_subset(module):
    """torch.utils.data.dataset: a Subset asks for the elements of a batch itself, one by one where its dataset can no more."""
    method = module.Subset.__dict__.get("__getitems__")
    if method is None:
        return
    subset, indices = method.__code__.co_varnames[:2]
    watching.splice(method, Calls(loops={indices: (by_element_of_subset,)}, inside=subset + ".dataset"))


def _of(fetcher):
    """The preparer whose batch this fetcher is fetching."""
    own = preparer.asked
    if own is None or own.fetcher is not fetcher:
        own = preparers.get(get_ident())
        if own is None or own.fetcher is not fetcher:
            return None
    return own


def begin(fetcher, index):
    own = preparer.asked
    if own is not None and own.fetcher is fetcher and own.is_plain:
        own.start = monotonic_ns()
        return
    own = preparers.get(get_ident())
    if own is None or control.off:
        return
    with control.guard:
        if own.is_worker and own.fetcher is None:
            own.fetcher = fetcher
            own.is_ready = False
            own.turn_to_next()
        # A loader that is used to prepare an element belongs to the work on that.
        if own.fetcher is fetcher:
            if stacks.are_wanted:
                stacks.watch()
            _begin_more(own, fetcher, index)
            own.start = monotonic_ns()


def _begin_more(own, fetcher, index):
    """More than the batch's times may be to be measured."""
    if own.is_timed:
        own.start_timing(index)
        watching.watch()
        own.element = _operator(own, fetcher)
        if not fetcher.auto_collation:
            own.extend((ELEMENT + own.element, monotonic_ns()))
    elif watching.watched:
        watching.unwatch()
    if own.is_measured:
        own.start_measuring()


def by_element(index, fetcher):
    """What a fetcher loops over: each asking for the next is a boundary between elements."""
    own = preparer.timing
    return index if own is None or own.fetcher is not fetcher else _boundaries(index, own.element, own.extend)


def by_element_of_subset(indices):
    own = watching.timing()
    return indices if own is None or not own.is_by_item else _boundaries(indices, own.element, own.extend)


def _boundaries(index, number, extend):
    mark = ELEMENT + number
    for one in index:
        extend((mark, monotonic_ns()))
        yield one
    extend((ELEMENT, monotonic_ns()))


def asked_for_all(index, fetcher):
    """The dataset makes the whole batch in one go, unless it is a Subset of one that cannot."""
    own = _of(fetcher)
    if own is not None and own.is_timed:
        with control.guard:
            dataset = fetcher.dataset
            own.is_by_item = _is_by_item(dataset)
            if not own.is_by_item:
                own.is_batched = True
                own.index = None
                kind = type(dataset)
                location = facts.location_of_code(getattr(kind, "__getitems__", None))
                own.extend((own.operator(kind.__name__ + ".__getitems__", "dataset", location), monotonic_ns()))
    return index


def given_all(data, fetcher):
    own = _of(fetcher)
    if own is not None and own.is_timed and own.is_batched:
        own.extend((END, monotonic_ns()))
    return data


def collating(data, fetcher, index):
    own = preparer.asked
    if own is not None and own.fetcher is fetcher and own.is_plain and type(data) is list:
        own.count = len(data)
        own.collating = monotonic_ns()
        return data
    own = _of(fetcher)
    if own is None:
        return data
    with control.guard:
        own.count = len(data if type(data) is list else index) if fetcher.auto_collation else 1
        if fetcher.collate_fn is not own.collate_fn:
            own.name_collation(fetcher.collate_fn)
        own.collating = now = monotonic_ns()
        if own.is_timed:
            if not fetcher.auto_collation:
                own.extend((ELEMENT, now))
            own.elements_end = len(own.events)
    return data


def collated(data, fetcher, index):
    own = preparer.asked
    if own is None or own.fetcher is not fetcher:
        own = _of(fetcher)
        if own is None:
            return data
    own.ended = monotonic_ns()
    own.is_ready = True
    if not own.is_plain:
        with control.guard:
            if not fetcher.auto_collation:
                own.count = counting.elements_in(data, index)
            _end_more(own, data)
    return data


def _end_more(own, data):
    _end_timing(own)
    if own.is_measured:
        own.stop_measuring(data)
    if own.is_worker:
        own.fetcher = None
        if not control.off:
            own.write_batch()
            own.write_now_and_then(own.ended)


def fail(fetcher):
    own = _of(fetcher)
    if own is not None:
        if own.is_worker:
            own.fetcher = None
        _end_timing(own)


def _end_timing(own):
    if own.is_timed:
        own.stop_timing()
        if not own.is_worker:
            watching.unwatch(shared_only=True)


def _fetch_around(original):
    """Where a fetcher's code cannot be spliced: its batches and their collation are timed, elements are not."""

    @hide
    @wraps(original)
    def fetch(self, index):
        begin(self, index)
        own = _of(self)
        collate_fn = self.collate_fn
        if own is not None:
            if own.is_timed:
                own.stop_timing()
                own.is_timed = False
            stand_in = self.collate_fn = hide(lambda data: collated(collate_fn(collating(data, self, index)), self, index))
            own.name_collation(collate_fn)
            own.collate_fn = stand_in
        try:
            return original(self, index)
        except BaseException as error:
            strip(error)
            fail(self)
            raise
        finally:
            self.collate_fn = collate_fn

    return fetch


def _operator(own, fetcher):
    """The dataset, named after what it holds where it only divides or joins others."""
    inner = fetcher.dataset
    for _ in range(8):
        held = getattr(inner, "dataset", None) if type(inner).__module__.startswith("torch.utils.data") else None
        if held is None:
            break
        inner = held
    method = "__iter__" if hasattr(fetcher, "dataset_iter") else "__getitem__"
    if method == "__iter__" or not fetcher.auto_collation:
        # Only indices of elements name them.
        own.index = None
    name = "%s.%s" % (type(inner).__name__, method.replace("iter", "next"))
    return own.operator(name, "dataset", facts.location_of_code(getattr(type(inner), method, None)))


def _is_by_item(dataset):
    """Whether it is a Subset, or one of another, whose own way to get a batch is to ask for elements one by one."""
    kinds = set()
    while type(dataset).__module__.startswith("torch.utils.data") and hasattr(dataset, "dataset"):
        kinds.add((type(dataset).__module__, type(dataset).__name__))
        dataset = dataset.dataset
    return kinds == {("torch.utils.data.dataset", "Subset")} and not callable(getattr(dataset, "__getitems__", None))
