"""Measures the probe from inside: `measure.py CASE FOLDER`. Prints one line of JSON. All times are this thread's CPU."""

import json
import os
import sys
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

import venturi_probe
from images import Images
from venturi_probe.hooking import patches
from venturi_probe.pytorch.preparation import elements, nesting, preparer, watching

torch.set_num_threads(1)
cpu = time.thread_time_ns


class Tiny(Dataset):
    """Elements of about 10 µs with four transforms that do nothing: the worst case."""

    def __init__(self, count):
        self.count = count
        self.transform = transforms.Compose([Nothing(), Nothing(), Nothing(), Nothing()])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        total = 0
        for number in range(440):
            total += number
        return self.transform(total)


class Nothing:
    def __call__(self, value):
        return value


def epoch(loader):
    before = cpu()
    for _ in loader:
        pass
    return cpu() - before


def without_hooks(work):
    """Runs with the code that was there before the probe: not even a call passes through it."""
    patches.take_all()
    watching.unwatch()
    try:
        return work()
    finally:
        patches.put_all()


def paired(loader, rounds):
    """Epochs with the probe and without it in turn, so that what else the machine does meets both."""
    ratios, plain = [], []
    epoch(loader)
    for turn in range(rounds):
        times = {}
        for hooked in (True, False) if turn % 2 else (False, True):
            times[hooked] = epoch(loader) if hooked else without_hooks(lambda: epoch(loader))
        ratios.append(times[True] / times[False] - 1)
        plain.append(times[False])
    return ratios, sorted(plain)[len(plain) // 2]


def lane_bytes(folder):
    lanes = os.path.join(folder, "lanes")
    return sum(os.path.getsize(os.path.join(lanes, name)) for name in os.listdir(lanes))


def images(folder):
    count = 64
    loader = DataLoader(Images(count), batch_size=32)
    ratios, off = paired(loader, 48)
    before = lane_bytes(folder)
    spans = 0
    passes = 4
    write = preparer.Preparer.write_elements

    def counted(self):
        nonlocal spans
        # One END or NEXT per span; ELEMENT ends one too, but for the first.
        spans += sum(1 for code in self.events[::2] if code == nesting.END or code > nesting.NEXT) - 1
        write(self)

    preparer.Preparer.write_elements = counted
    for _ in range(passes):
        epoch(loader)
    written = lane_bytes(folder) - before
    # Per batch: dispatch, prepare, collate, wait, consume.
    batches = passes * count // 32
    return {
        "ratios": ratios,
        "cpuPerImage": off / count,
        "spansPerImage": spans / (passes * count),
        "bytesPerImage": written / (passes * count),
        "bytesPerEvent": written / (spans + 5 * batches),
    }


def tiny(folder):
    count = 6400
    ratios, off = paired(DataLoader(Tiny(count), batch_size=64, collate_fn=len), 40)
    return {"ratios": ratios, "cpuPerElement": off / count}


def cold(folder):
    """What one span costs when the caches hold other things: our hooks, and Lotus's way of logging.

    Lotus's custom PyTorch asks psutil for the process, formats a line and appends it to a file that it opens anew.
    """
    sweep = np.zeros(32 * 1024 * 1024 // 8)
    rounds = 150
    dataset = Tiny(1)
    loader = DataLoader(dataset, batch_size=1)
    for _ in loader:
        pass
    own = preparer.begin("main")

    def swept(work, prepare=None):
        times = []
        for _ in range(rounds):
            if prepare:
                prepare()
            sweep.sum()
            before = cpu()
            work()
            times.append(cpu() - before)
        times.sort()
        return times[len(times) // 2]

    def begin(indices=(0,)):
        nonlocal index
        own.start_timing(None)
        watching.watch()
        own.element = own.operator("Tiny.__getitem__", "dataset")
        index = elements._boundaries(indices, own.element, own.extend)

    def get_all():
        for at in index:
            dataset[at]

    index = None
    plain_cost = without_hooks(lambda: swept(lambda: [dataset[at] for at in (0,)]))
    hooked_cost = swept(get_all, begin)
    # An element of four transforms is five spans; a batch of 32 such elements is encoded and handed over in one go.
    begin(range(32))
    get_all()
    own.stop_timing()
    events = list(own.events)
    own.elements_end = len(events)

    def encode():
        own.events = events
        own.write_elements()
        own.lane.flush()

    encode_cost = swept(encode)
    log = os.path.join(folder, "lotus.log")
    try:
        import psutil
    except ImportError:
        psutil = None

    def lotus():
        start = time.time_ns()
        duration = time.time_ns() - start
        pid = psutil.Process(os.getpid()).pid if psutil else os.getpid()
        with open("%s_worker_pid_%d" % (log, pid), "a") as file:
            file.write(f"SRandomResizedCrop,{start},{duration}\n")

    nothing = swept(lambda: None)
    ours = max(0, hooked_cost - plain_cost) / 5 + max(0, encode_cost - nothing) / (32 * 5)
    return {"ours": ours, "lotus": swept(lotus) - nothing, "psutil": psutil is not None, "batch": batch_cost(swept)}


def batch_cost(swept):
    """What a batch costs beside its elements: everything around a fetch of one element that is not timed."""
    loader = DataLoader(Tiny(400), batch_size=1, collate_fn=len)
    own = preparer.begin("main")
    iterator = None

    def step():
        for pace in own.paces.values():
            pace.until_timed = 10
        next(iterator)

    iterator = iter(loader)
    hooked = swept(step)

    def plain():
        nonlocal iterator
        iterator = iter(loader)
        return swept(step)

    return max(0, hooked - without_hooks(plain))


if __name__ == "__main__":
    case, name = sys.argv[1:]
    run = venturi_probe.record(name)
    print(json.dumps({"images": images, "tiny": tiny, "cold": cold}[case](run)))
