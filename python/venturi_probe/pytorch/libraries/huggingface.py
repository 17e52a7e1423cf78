"""Hooks on Hugging Face datasets: reading rows, and the functions an author gave to set_transform and map."""

from inspect import unwrap
from time import monotonic_ns
from types import CodeType, FunctionType

from ...hooking import places
from ...hooking.splice import Calls, Splice, Unfit
from ...recording import control, facts
from ..loaders import dataloader
from ..preparation import watching


def _methods_calling(kind, attribute):
    """The class's own methods that call a function which the instance holds, with calls of ours around that."""
    for method in list(vars(kind).values()):
        if not isinstance(method, FunctionType) or not _mentions(method.__code__, attribute):
            continue
        holder = method.__code__.co_varnames[0]
        name = "%s.%s" % (holder, attribute)
        try:
            yield Splice(method, Calls(around={name: ((begin_function, name, holder), (end_function, name))}))
        except Unfit:
            # It calls no such function.
            pass


def _mentions(code, attribute):
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return attribute in code.co_names or any(_mentions(one, attribute) for one in inner)


def begin_function(argument, function, holder):
    try:
        # A filter holds the author's function beside one that calls it.
        wanted = vars(holder).get("mask_function", function)
        name = facts.class_name(wanted)
        watching.begin(name if wanted is function else "filter(%s)" % name, "transform", facts.location_of_code(wanted))
    except Exception as error:
        control.fail(error)
    return argument


def end_function(result, function):
    watching.end()
    return result


def hook_formatting(module):
    """datasets.formatting.formatting: set_transform makes a CustomFormatter."""
    for place in _methods_calling(module.CustomFormatter, "transform"):
        watching.add(place)


def hook_streams(module):
    """datasets.iterable_dataset: map and filter of a stream run when elements are asked for, by generators that run for long."""
    for name in ("MappedExamplesIterable", "FilteredExamplesIterable"):
        kind = getattr(module, name, None)
        for place in _methods_calling(kind, "function") if kind is not None else ():
            places.keep(place)


def hook_tables(module):
    """datasets.arrow_dataset: rows are read from a table, then brought into the form asked for."""
    watching.add(places.of_function(module, "query_table", watching.operator("query_table", "open")))
    watching.add(places.of_function(module, "format_table", watching.operator("format_table", "transform")))
    # Its decorators only hand on what they are given.
    original = unwrap(module.Dataset.map)
    calls = Calls(enter=(begin_map,), leave=(end_map, "function"))
    try:
        places.keep(Splice(original, calls))
    except Unfit:
        pass


#: When the calls of Dataset.map under way began.
_maps = []


def begin_map():
    _maps.append(monotonic_ns())


def end_map(function):
    """It does its work at once, or finds it done in a cache: before any loader, so only its length is kept."""
    try:
        start = _maps.pop()
        if not control.off:
            name = "map(%s)" % ("" if function is None else facts.class_name(function))
            dataloader.done_ahead(name, start, monotonic_ns())
    except Exception as error:
        control.fail(error)
