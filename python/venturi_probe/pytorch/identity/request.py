"""A loader that is about to be made: by whom, over what, and how."""

from functools import cached_property

from . import datasets

#: What tells loaders of the same dataset apart.
_ASKED = "batch_size num_workers shuffle drop_last".split()
_ORDERS = ("sampler", "batch_sampler")


class Request:
    def __init__(self, given, made):
        self.given = given
        self.made = made
        self.dataset = given["dataset"]
        self.order = next((given[name] for name in _ORDERS if given.get(name) is not None), None)
        self.asked = tuple(given.get(name) for name in _ASKED) + (type(self.order),)

    @cached_property
    def likeness(self):
        """Told only where it is asked for: the length is counted by the program's own code."""
        return datasets.likeness(self.dataset, self.order)
