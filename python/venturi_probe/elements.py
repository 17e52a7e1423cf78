"""Hooks inside the preparation of a batch: fetching, elements and collation."""

from functools import wraps
from time import monotonic_ns

from . import control, counting, facts, preparer, stacks, watching
from .preparer import END
from .tracebacks import strip


def hook_fetchers(module):
    """torch.utils.data._utils.fetch"""
    for kind, attribute in (("_MapDatasetFetcher", "dataset"), ("_IterableDatasetFetcher", "dataset_iter")):
        fetcher = getattr(module, kind)
        fetcher.fetch = _fetch(fetcher.fetch, attribute)


def _fetch(original, attribute):
    """Times a batch as a whole, and through stand-ins for the dataset and the collation what happens inside.

    The stand-ins are there for this one call; the fetcher's own code runs unchanged.
    """

    @wraps(original)
    def fetch(self, possibly_batched_index):
        own = preparer.of_this_thread()
        if control.off or own is None or own.busy:
            return original(self, possibly_batched_index)
        source, collate_fn = getattr(self, attribute), self.collate_fn
        collate = _Collate(collate_fn)
        timed = False
        try:
            own.busy = True
            if stacks.are_wanted:
                stacks.watch()
            timed = own.is_timed()
            self.collate_fn = collate
            if timed:
                own.start_timing()
                watching.watch()
                stand_in = _stand_in(attribute, self.dataset, source, own, possibly_batched_index)
                setattr(self, attribute, stand_in)
            else:
                watching.unwatch()
            clocks, start = own.clocks(), monotonic_ns()
        except Exception as error:
            control.fail(error)
        try:
            data = original(self, possibly_batched_index)
        except BaseException as error:
            strip(error)
            raise
        finally:
            own.busy = False
            self.collate_fn = collate_fn
            if timed:
                own.stop_timing()
                setattr(self, attribute, source)
                if not own.is_worker:
                    watching.unwatch(shared_only=True)
        if control.off:
            return data
        try:
            has_indices = self.auto_collation and attribute == "dataset" and not (timed and stand_in.is_batched)
            indices = possibly_batched_index if has_indices else None
            count = collate.count if self.auto_collation else counting.elements_in(data, possibly_batched_index)
            span = None
            if collate.end:
                number = own.operator(facts.class_name(collate_fn), "collate", facts.location_of_code(collate_fn))
                span = (number, collate.start, collate.end)
            own.prepared(start, clocks, span, count, indices, timed, data)
        except Exception as error:
            control.fail(error)
        return data

    return fetch


class _Collate:
    __slots__ = ("function", "start", "end", "count")

    def __init__(self, function):
        self.function = function
        self.start = self.end = self.count = 0

    def __call__(self, batch):
        try:
            self.count = len(batch)
        except TypeError:
            self.count = 1
        self.start = monotonic_ns()
        try:
            data = self.function(batch)
        except BaseException as error:
            strip(error)
            raise
        self.end = monotonic_ns()
        return data

    def __getattr__(self, name):
        return getattr(self.function, name)


def _stand_in(attribute, dataset, source, own, index):
    inner = dataset
    # What divides or joins datasets is named after what it holds.
    for _ in range(8):
        held = getattr(inner, "dataset", None) if type(inner).__module__.startswith("torch.utils.data") else None
        if held is None:
            break
        inner = held
    method = "__getitem__" if attribute == "dataset" else "__iter__"
    location = facts.location_of_code(getattr(type(inner), method, None))
    name = "%s.%s" % (type(inner).__name__, method.replace("iter", "next"))
    number = own.operator(name, "dataset", location)
    if attribute != "dataset":
        return _Iterator(source, own.append, number)
    return _Items(source, own, number, _is_by_item(source, inner, index))


def _is_by_item(dataset, inner, index):
    """Whether asking a Subset for elements one by one is what its own way to get a batch does."""
    if type(index) is not list or callable(getattr(inner, "__getitems__", None)):
        return False
    kinds = set()
    while dataset is not inner:
        kinds.add((type(dataset).__module__, type(dataset).__name__))
        dataset = dataset.dataset
    return kinds == {("torch.utils.data.dataset", "Subset")} and not any(isinstance(at, list) for at in index)


class _Items:
    """Stands in for a map-style dataset while a batch is timed."""

    __slots__ = ("dataset", "own", "append", "number", "is_by_item", "is_batched")

    def __init__(self, dataset, own, number, is_by_item):
        self.dataset = dataset
        self.own = own
        self.append = own.append
        self.number = number
        self.is_by_item = is_by_item
        #: The dataset made the whole batch in one go.
        self.is_batched = False

    def __getitem__(self, index):
        append = self.append
        append(self.number)
        append(monotonic_ns())
        try:
            item = self.dataset[index]
        except BaseException as error:
            strip(error)
            raise
        append(END)
        append(monotonic_ns())
        return item

    def __getattr__(self, name):
        if name != "__getitems__":
            return getattr(self.dataset, name)
        if self.is_by_item:
            raise AttributeError(name)
        found = getattr(self.dataset, name)
        return self._all_at_once if callable(found) else found

    def _all_at_once(self, indices):
        self.is_batched = True
        kind = type(self.dataset)
        location = facts.location_of_code(getattr(kind, "__getitems__", None))
        name = kind.__name__ + ".__getitems__"
        return watching.call_timed(self.own, name, "dataset", location, self.dataset.__getitems__, (indices,), {})


class _Iterator:
    """Stands in for the iterator over an iterable dataset while a batch is timed."""

    __slots__ = ("source", "append", "number")
    is_batched = False

    def __init__(self, source, append, number):
        self.source = source
        self.append = append
        self.number = number

    def __iter__(self):
        return self

    def __next__(self):
        append = self.append
        append(self.number)
        append(monotonic_ns())
        try:
            item = next(self.source)
        except BaseException as error:
            strip(error)
            raise
        append(END)
        append(monotonic_ns())
        return item
