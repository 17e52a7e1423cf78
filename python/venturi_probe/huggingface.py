"""Hooks on Hugging Face datasets: reading rows, and the functions an author gave to set_transform and map."""

from functools import wraps
from inspect import iscoroutinefunction
from time import monotonic_ns

from . import control, facts, loaders, watching
from .tracebacks import strip
from .watching import Spot, timed


class _Function:
    """Stands in for an attribute that holds an author's function: whoever reads it while elements are timed gets it timed.

    What the instance holds is not touched: it is pickled, and caches are named after it.
    """

    def __init__(self, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        try:
            function = instance.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name)
        own = watching.timing()
        if own is None or iscoroutinefunction(function):
            return function
        wanted = instance.__dict__.get("mask_function", function)
        name, location = facts.class_name(wanted), facts.location_of_code(wanted)
        if wanted is not function:
            name = "filter(%s)" % name

        def call(*args, **kwargs):
            now = watching.timing()
            if now is None:
                return function(*args, **kwargs)
            return watching.call_timed(now, name, "transform", location, function, args, kwargs)

        call.venturi_function = function
        return call

    def __set__(self, instance, value):
        # A copy that was made meanwhile read it from here.
        instance.__dict__[self.name] = getattr(value, "venturi_function", value)

    def __delete__(self, instance):
        del instance.__dict__[self.name]


def _function(name):
    return lambda original: _Function(name)


def hook_formatting(module):
    """datasets.formatting.formatting: set_transform makes a CustomFormatter."""
    watching.add(Spot(module.CustomFormatter, "transform", _function("transform")))


def hook_streams(module):
    """datasets.iterable_dataset: map and filter of a stream run when elements are asked for."""
    for name in ("MappedExamplesIterable", "FilteredExamplesIterable"):
        kind = getattr(module, name, None)
        if kind is not None and "__init__" in kind.__dict__:
            watching.add(Spot(kind, "function", _function("function")))


def hook_tables(module):
    """datasets.arrow_dataset: rows are read from a table, then brought into the form asked for."""
    watching.add(Spot(module, "query_table", lambda original: timed(original, "query_table", "open")))
    watching.add(Spot(module, "format_table", lambda original: timed(original, "format_table", "transform")))
    module.Dataset.map = _ahead(module.Dataset.map)


def _ahead(original):
    """Dataset.map does its work at once, or finds it done in a cache: before any loader, so only its length is kept."""

    @wraps(original)
    def map(*args, **kwargs):
        start = monotonic_ns()
        try:
            return original(*args, **kwargs)
        except BaseException as error:
            strip(error)
            raise
        finally:
            if not control.off:
                try:
                    function = args[1] if len(args) > 1 else kwargs.get("function")
                    name = "map(%s)" % ("" if function is None else facts.class_name(function))
                    loaders.done_ahead(name, start, monotonic_ns())
                except Exception as error:
                    control.fail(error)

    return map
