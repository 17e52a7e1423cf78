"""Which loader is which. A loader is an object; one that is made anew for every pass is still the same.

It is told from others by the calls that led to it, and among those of the same calls by its dataset and settings.
"""

import os
import sys
import weakref

from . import datasets, naming, stack
from .request import Request

#: More than these from one call site are not told apart: a program may make thousands.
MOST_ALIKE = 64

#: By the calls that led to them, and by the innermost of these alone, in the order in which they were first made.
_by_calls = {}
_by_call_site = {}
#: Of each loader that is there, by its id.
_of_loaders = {}
#: How many there are of each key.
_keys = {}


def _reference(thing):
    try:
        return weakref.ref(thing)
    except TypeError:
        # Lists and the like.
        return lambda: None


class Identity:
    def __init__(self, made, turn):
        self.made = made
        self.library = made.library
        self.remade_by = None
        #: The how-manieth of those that one comprehension or loop made.
        self.turn = turn
        self.name = None
        number = _keys[made.text] = _keys.get(made.text, 0) + 1
        self.key = made.text if number == 1 else "%s #%d" % (made.text, number)
        #: The latest loader, what was asked of it, and whether it has been iterated.
        self.loader = lambda: None
        self.asked = None
        self.dataset = lambda: None
        self.order = lambda: None
        self.likeness = None
        self.is_iterated = False

    def take(self, request):
        self.asked = request.asked
        self.dataset = _reference(request.dataset)
        self.order = _reference(request.order)
        self.likeness = None

    def attach(self, loader):
        self.loader = _reference(loader)
        self.is_iterated = False
        key = id(loader)
        _of_loaders[key] = (weakref.ref(loader, lambda _: _of_loaders.pop(key, None)), self)

    def facts(self):
        return {
            "loader": self.name,
            "key": self.key,
            "pid": os.getpid(),
            "location": self.made.location,
            "stack": self.made.facts(),
            "library": self.library,
            "remadeBy": self.remade_by,
        }

    def is_over(self, request):
        """Whether its loader has the same dataset, and the same order in it."""
        loader = self.loader()
        dataset = self.dataset() if loader is None else loader.dataset
        return dataset is request.dataset and (request.order is None or self.order() is request.order)

    def is_free(self):
        """Its loader is through: another one from the same call site may take its part."""
        return self.is_iterated or self.loader() is None

    def is_like(self, request):
        return self.likeness is None or self.likeness == request.likeness

    def is_let_go(self, request):
        """Whether nobody but its loader has the dataset any more, and the new one is of its kind: as in a cross-validation."""
        if self.likeness is None or self.likeness.kind != request.likeness.kind:
            return False
        loader = self.loader()
        dataset = self.dataset() if loader is None else loader.dataset
        # What a variable alone refers to, to compare with.
        nobodys = object()
        return dataset is None or sys.getrefcount(dataset) - sys.getrefcount(nobodys) <= _held(loader, dataset, {})


def _held(holder, thing, seen):
    """How often a loader and its samplers refer to it."""
    if id(holder) in seen or not type(holder).__module__.startswith("torch.utils.data"):
        return 0
    seen[id(holder)] = holder
    values = list(datasets.attributes(holder).values())
    return sum(1 if value is thing else _held(value, thing, seen) for value in values)


def resolve(loader_class, given):
    """The identity of a loader that is about to be made with these arguments."""
    made = stack.Stack(sys._getframe(1), loader_class)
    request = Request(given, made)
    original = _original_of(request) if made.library else None
    if original is not None:
        if made.library != original.library:
            original.remade_by = made.library
        return original
    alike = _by_calls.setdefault(made.calls, [])
    found = _again(request, alike)
    if found is None:
        found = Identity(made, sum(not identity.is_free() for identity in alike))
        alike.append(found)
        _by_call_site.setdefault(made.calls[:1], []).append(found)
    found.take(request)
    return found


def _again(request, alike):
    """The identity of which the loader is made anew; None where it is another one."""
    same = [identity for identity in alike if identity.asked == request.asked]
    for identity in same:
        if identity.is_over(request):
            return identity
    free = [identity for identity in same if identity.is_free()]
    for identity in free:
        if identity.is_like(request):
            return identity
    for identity in free:
        if identity.is_let_go(request):
            return identity
    # From elsewhere, over the same dataset, when the one before is gone: a function that makes a loader whenever it is called.
    # Libraries keep theirs for longer, and make datasets anew.
    is_by_library = request.made.library is not None
    for identity in _by_call_site.get(request.made.calls[:1], ()):
        is_through = identity.is_free() if is_by_library else identity.loader() is None
        if identity.asked == request.asked and is_through:
            if identity.is_over(request) or (is_by_library and identity.likeness == request.likeness):
                return identity
    return alike[-1] if len(alike) >= MOST_ALIKE else None


def _original_of(request):
    """The identity of the loader that a library makes anew on the same dataset, with the same workers and collation."""
    by = request.made.library
    collate = request.given.get("collate_fn")
    whole = datasets.inside_shards(request.dataset)
    for reference, identity in reversed(list(_of_loaders.values())):
        loader = reference()
        if loader is None or not any(loader.dataset is dataset for dataset in whole):
            continue
        is_same = loader.collate_fn is collate and loader.num_workers == request.given.get("num_workers", 0)
        if is_same and (identity.library != by or identity.remade_by == by):
            return identity
    return None


def known_as(identity, loader_class):
    """What a loader may be called when it is made: its key, its call site, and names that the source gives it."""
    names = naming.likely_names(identity.made, loader_class, identity.turn)
    return [identity.key, identity.made.location] + names


def begun(loader):
    """The identity of a loader that is iterated; it has a name from now on."""
    reference, identity = _of_loaders.get(id(loader), (None, None))
    if identity is None or reference() is not loader:
        identity = _of_copy(loader)
        identity.attach(loader)
    if not identity.is_iterated:
        identity.is_iterated = True
        identity.likeness = datasets.likeness(loader.dataset, identity.order())
    if identity.name is None:
        identity.name = naming.name_of(identity, loader, sys._getframe(1))
    return identity


def _of_copy(loader):
    """A loader that nobody saw being made is a copy of another, or came from elsewhere."""
    for reference, identity in reversed(list(_of_loaders.values())):
        other = reference()
        if other is not None and other.dataset is loader.dataset:
            return identity
    return Identity(stack.Stack(None, type(loader)), 0)
