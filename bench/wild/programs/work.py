"""What the planted programs share: data that takes its time, a step that does, and the program's own tally.

Work sleeps, as storage and devices make programs do, so that two cores suffice for any number of workers.
"""

import argparse
import json
import os
import time
from contextlib import contextmanager

import torch
from torch.utils.data import Dataset

BATCH = 8

#: Seconds for an element of either split, for a training step, and what else is slow; batches per pass and passes.
CASES = {
    "train": dict(train=0.008, val=0.001, step=0.008, batches=(24, 6), epochs=2),
    "val": dict(train=0.001, val=0.012, step=0.012, batches=(16, 12), epochs=2),
    "step": dict(train=0.002, val=0.001, step=0.06, batches=(20, 5), epochs=2),
    # A tenth of the time is the loader's, and no more.
    "mostly-step": dict(train=0.001, val=0.001, step=0.08, batches=(16, 5), epochs=2),
    "hand-over": dict(train=0.002, val=0.001, step=0.008, batches=(16, 5), epochs=2, unpack=0.05),
    "start": dict(train=0.002, val=0.001, step=0.01, batches=(8, 2), epochs=4, start=0.5),
    "order": dict(train=0.001, val=0.001, step=0.02, batches=(36, 5), epochs=2, rare=0.3),
}


class Records(Dataset):
    """Rows that take a moment to come, and every fortieth perhaps far longer; as a pair, or by name."""

    def __init__(self, count, seconds, rare=0.0, names=None):
        self.seconds = seconds
        self.rare = rare
        self.names = names
        generator = torch.Generator().manual_seed(count)
        self.x = torch.randn(count, 16, generator=generator)
        self.y = self.x.sum(1, keepdim=True)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        time.sleep(self.rare if self.rare and index % 40 == 20 else self.seconds)
        pair = self.x[index], self.y[index]
        return pair if self.names is None else dict(zip(self.names, pair))


class Parcel:
    """A batch that takes its time to unpack in another process, as large nested objects do."""

    def __init__(self, x, y, seconds):
        self.parts = (x, y)
        self.seconds = seconds

    def __iter__(self):
        return iter(self.parts)

    def __reduce__(self):
        return unpack, (*self.parts, self.seconds)


def unpack(x, y, seconds):
    time.sleep(seconds)
    return Parcel(x, y, seconds)


class Packing:
    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, rows):
        x, y = torch.utils.data.default_collate(rows)
        return Parcel(x, y, self.seconds)


class Opening:
    """What a worker does before its first element: here, for a while, nothing."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, worker_id):
        time.sleep(self.seconds)


class Device(torch.nn.Module):
    """The end of a model whose step takes a while, as on a device that is waited for: without a way back, a third of it."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds

    def forward(self, x):
        time.sleep(self.seconds if self.training else self.seconds / 3)
        return x


class Plan:
    """Which part is slow, from the command line."""

    def __init__(self, names=None):
        parser = argparse.ArgumentParser()
        parser.add_argument("--slow", choices=CASES, default="train")
        parser.add_argument("--workers", type=int, default=1)
        parser.add_argument("--context", choices=("fork", "spawn"))
        options = parser.parse_args()
        case = CASES[options.slow]
        self.workers = options.workers
        self.context = options.context
        self.epochs = case["epochs"]
        self.device = Device(case["step"])
        train, val = (batches * BATCH for batches in case["batches"])
        self.train_set = Records(train, case["train"], case.get("rare", 0.0), names)
        self.val_set = Records(val, case["val"], names=names)
        self.collate = Packing(case["unpack"]) if "unpack" in case else None
        # A spawned worker takes long enough to start as it is.
        self.opening = Opening(case["start"]) if "start" in case and options.context != "spawn" else None
        torch.manual_seed(0)
        torch.set_num_threads(1)


class Tally:
    """Batches, elements and seconds of every loader, as the program itself sees them."""

    def __init__(self):
        self.loaders = {}

    def count(self, loader, elements):
        row = self.of(loader)
        row["batches"] += 1
        row["elements"] += int(elements)

    @contextmanager
    def clock(self, loader):
        began = time.perf_counter()
        yield
        self.of(loader)["seconds"] += time.perf_counter() - began

    def of(self, loader):
        return self.loaders.setdefault(loader, {"batches": 0, "elements": 0, "seconds": 0.0})

    def tell(self):
        """Counts to standard output; seconds, which are never twice the same, to the file that WILD_CLOCK names."""
        for name, row in self.loaders.items():
            print(f"tally {name}: {row['batches']} batches, {row['elements']} elements")
        if "WILD_CLOCK" in os.environ:
            with open(os.environ["WILD_CLOCK"], "w") as file:
                json.dump(self.loaders, file)
