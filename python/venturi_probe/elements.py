"""Hooks inside the preparation of a batch: fetching, elements, collation, and the operators on an element."""

import os
from functools import wraps
from operator import attrgetter
from threading import get_ident
from time import monotonic_ns

from . import control, facts, preparer
from .preparer import END, NEXT
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
            timed = own.is_timed()
            self.collate_fn = collate
            if timed:
                own.start_timing()
                _watch()
                setattr(self, attribute, _stand_in(attribute, self.dataset, source, own))
            elif _watching:
                _unwatch(_watching)
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
                    _unwatch([chain for chain in _watching if chain.is_shared])
        if control.off:
            return data
        try:
            indices = possibly_batched_index if self.auto_collation and attribute == "dataset" else None
            count = collate.count if self.auto_collation else 1
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


def _stand_in(attribute, dataset, source, own):
    inner = dataset
    # What divides or joins datasets is named after what it holds.
    for _ in range(8):
        held = getattr(inner, "dataset", None) if type(inner).__module__.startswith("torch.utils.data") else None
        if held is None:
            break
        inner = held
    method = "__getitem__" if attribute == "dataset" else "__iter__"
    location = facts.location_of_code(getattr(type(inner), method, None))
    number = own.operator("%s.%s" % (type(inner).__name__, method.replace("iter", "next")), "dataset", location)
    return (_Items if attribute == "dataset" else _Iterator)(source, own.append, number)


class _Items:
    """Stands in for a map-style dataset while a batch is timed."""

    __slots__ = ("dataset", "append", "number")

    def __init__(self, dataset, append, number):
        self.dataset = dataset
        self.append = append
        self.number = number

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
        return getattr(self.dataset, name)


class _Iterator:
    """Stands in for the iterator over an iterable dataset while a batch is timed."""

    __slots__ = ("source", "append", "number")

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


def _timing():
    """The preparer whose batch this thread is timing."""
    own = preparer.timing
    return own if own is not None and own.ident == get_ident() else None


class _Steps:
    """Stands in for a list of transforms: its loop asks for one after the other, and each asking is a boundary."""

    __slots__ = ("holder", "transforms")

    def __init__(self, holder, transforms):
        self.holder = holder
        self.transforms = transforms

    def __iter__(self):
        return self.transforms

    def __getattr__(self, name):
        return getattr(self.holder, name)


def _boundaries(transforms, numbers, append):
    offset = 0
    for transform, number in zip(transforms, numbers):
        append(number + offset)
        append(monotonic_ns())
        offset = NEXT
        yield transform
    if offset:
        append(END)
        append(monotonic_ns())


class _Chain:
    """A class whose method runs a list of transforms. Its method is ours while elements are timed, and no longer."""

    def __init__(self, holder, method, transforms_of, is_shared=False):
        self.holder = holder
        self.method = method
        self.transforms_of = transforms_of
        #: Models are made of these too.
        self.is_shared = is_shared
        self.original = self.hook = None

    def watch(self):
        current = self.holder.__dict__[self.method]
        if current is not self.original:
            self.original = current
            self.hook = _steps(current, self.transforms_of)
        setattr(self.holder, self.method, self.hook)

    def unwatch(self):
        if self.holder.__dict__[self.method] is self.hook:
            setattr(self.holder, self.method, self.original)


_chains = []
_watching = []


def _watch():
    for chain in _chains:
        if chain not in _watching:
            chain.watch()
            _watching.append(chain)


def _unwatch(chains):
    for chain in list(chains):
        chain.unwatch()
        # Another thread may have been quicker.
        if chain in _watching:
            _watching.remove(chain)


def _steps(original, transforms_of):
    @wraps(original)
    def call(self, *args, **kwargs):
        own = preparer.timing
        stand_in = self
        if own is not None and own.ident == get_ident():
            try:
                transforms = transforms_of(self)
                if type(transforms) is not list:
                    transforms = list(transforms)
                stand_in = _Steps(self, _boundaries(transforms, own.chain(self, transforms), own.append))
            except Exception as error:
                control.fail(error)
        try:
            return original(stand_in, *args, **kwargs)
        except BaseException as error:
            strip(error)
            raise

    return call


def hook_compose(module):
    """torchvision.transforms.transforms, whose Compose has been the same loop in every version."""
    _chains.append(_Chain(module.Compose, "__call__", attrgetter("transforms")))


def hook_compose_v2(module):
    """torchvision.transforms.v2._container"""
    _chains.append(_Chain(module.Compose, "forward", attrgetter("transforms")))


def hook_sequential(module):
    """torch.nn.modules.container"""
    _chains.append(_Chain(module.Sequential, "forward", lambda modules: modules._modules.values(), is_shared=True))


def hook_image(module):
    """PIL.Image"""
    original = module.open

    @wraps(original)
    def open(fp, *args, **kwargs):
        own = None
        if preparer.timing is not None:
            own = _timing()
        if own is None:
            return original(fp, *args, **kwargs)
        append = own.append
        try:
            number = own.operator("open", "open")
            own.files.append((len(own.events), fp if isinstance(fp, (str, os.PathLike)) else getattr(fp, "name", None)))
            append(number)
            append(monotonic_ns())
        except Exception as error:
            control.fail(error)
        try:
            return original(fp, *args, **kwargs)
        except BaseException as error:
            strip(error)
            raise
        finally:
            append(END)
            append(monotonic_ns())

    module.open = open


def hook_image_file(module):
    """PIL.ImageFile: an image is decoded when its pixels are first asked for."""
    original = module.ImageFile.load

    @wraps(original)
    def load(self):
        own = None
        if preparer.timing is not None and getattr(self, "tile", None):
            own = _timing()
        if own is None:
            return original(self)
        append = own.append
        try:
            append(own.operator("decode", "decode"))
            append(monotonic_ns())
        except Exception as error:
            control.fail(error)
        try:
            return original(self)
        except BaseException as error:
            strip(error)
            raise
        finally:
            append(END)
            append(monotonic_ns())

    module.ImageFile.load = load
