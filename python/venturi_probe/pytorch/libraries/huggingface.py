"""Hooks on Hugging Face datasets: reading rows, and the functions an author gave to set_transform and map."""

from inspect import unwrap
from time import monotonic_ns
from types import CodeType, FunctionType

from ...hooking import patches
from ...hooking.splice import Calls
from ...recording import control, facts
from ..loaders import dataloader
from ..preparation import watching


def _splice_methods_calling(kind, attribute, splice):
    """`splice` puts calls of ours around those of a function which an instance holds, in the class's own methods."""
    for method in list(vars(kind).values()):
        if isinstance(method, FunctionType) and _mentions(method.__code__, attribute):
            holder = method.__code__.co_varnames[0]
            name = "%s.%s" % (holder, attribute)
            splice(method, Calls(around={name: ((begin_function, name, holder), (watching.end_call,))}))


def _mentions(code, attribute):
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return attribute in code.co_names or any(_mentions(one, attribute) for one in inner)


def begin_function(argument, function, holder):
    with control.guard:
        # A filter holds the author's function beside one that calls it.
        wanted = vars(holder).get("mask_function", function)
        name = facts.class_name(wanted)
        watching.begin(name if wanted is function else "filter(%s)" % name, "transform", facts.location_of_code(wanted))
    return argument


def hook_formatting(module):
    """datasets.formatting.formatting: set_transform makes a CustomFormatter."""
    _splice_methods_calling(module.CustomFormatter, "transform", watching.splice)


def hook_streams(module):
    """datasets.iterable_dataset: map and filter of a stream run when elements are asked for, by generators that run for long."""
    for name in ("MappedExamplesIterable", "FilteredExamplesIterable"):
        if hasattr(module, name):
            _splice_methods_calling(getattr(module, name), "function", patches.keep_inside)


def hook_tables(module):
    """datasets.arrow_dataset: rows are read from a table, then brought into the form asked for."""
    watching.add(patches.of_function(module, "query_table", watching.operator("query_table", "open")))
    watching.add(patches.of_function(module, "format_table", watching.operator("format_table", "transform")))
    # Its decorators only hand on what they are given.
    patches.keep_inside(unwrap(module.Dataset.map), Calls(enter=(begin_map,), leave=(end_map, "function")))


#: When the calls of Dataset.map under way began.
_maps = []


def begin_map():
    _maps.append(monotonic_ns())


def end_map(function):
    """It does its work at once, or finds it done in a cache: before any loader, so only its length is kept."""
    with control.guard:
        start = _maps.pop()
        if not control.off:
            name = "map(%s)" % ("" if function is None else facts.class_name(function))
            dataloader.done_ahead(name, start, monotonic_ns())
