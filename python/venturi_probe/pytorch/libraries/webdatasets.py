"""Hooks on webdataset: the functions that its pipelines call for a sample or a batch, from generators that run for long."""

from ...hooking import patches
from ...hooking.splice import Calls
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
        # One that is not in this version, or not like this, is part of the dataset's operator.
        patches.keep_inside(vars(module).get(stage), Calls(around={callee: ((_begin(kind), callee), (watching.end_call,))}))


def _begin(kind):
    def begin_call(argument, function):
        with control.guard:
            watching.begin(facts.class_name(function), kind, facts.location_of_code(function))
        return argument

    return begin_call
