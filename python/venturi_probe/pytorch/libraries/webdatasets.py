"""Hooks on webdataset: the functions that its pipelines call for a sample or a batch, from generators that run for long."""

from ...hooking import places
from ...hooking.splice import Calls, Splice, Unfit
from ...recording import control, facts
from ..preparation import watching

#: Stage → what it calls, and what kind of operator that is.
STAGES = {
    "_decode": ("f", "decode"),
    "_map": ("f", "transform"),
    "_map_dict": ("f", "transform"),
    "_select": ("predicate", "transform"),
    "_batched": ("collation_fn", "collate"),
}


def hook_filters(module):
    """webdataset.filters"""
    for stage, (callee, kind) in STAGES.items():
        try:
            function = vars(module).get(stage)
            places.keep(Splice(function, Calls(around={callee: ((_begin(kind), callee), (end_call,))})))
        except Unfit:
            # Not in this version, or not like this: it is part of the dataset's operator.
            pass


def _begin(kind):
    def begin_call(argument, function):
        try:
            watching.begin(facts.class_name(function), kind, facts.location_of_code(function))
        except Exception as error:
            control.fail(error)
        return argument

    return begin_call


def end_call(result):
    watching.end()
    return result
