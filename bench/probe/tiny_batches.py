"""What recording costs a batch of four rows without workers: `tiny_batches.py FOLDER`. Prints one line of JSON.

Epochs with the probe and without it alternate in one process, first while it records, then after the recording has ended.
Without it, torch's functions are copies that were never touched. All times are CPU of the process, in µs per batch.
"""

import json
import sys
import time
from types import FunctionType

import torch
from torch.utils.data import DataLoader, TensorDataset, dataloader
from torch.utils.data._utils import fetch

import venturi_probe

BATCHES = 2000
ROUNDS = 20
HOOKED = [
    (dataloader.DataLoader, "__init__"),
    (dataloader._BaseDataLoaderIter, "__init__"),
    (dataloader._BaseDataLoaderIter, "__next__"),
    (fetch._MapDatasetFetcher, "fetch"),
]

torch.set_num_threads(1)


def copy(function):
    made = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def use(functions):
    for (holder, name), function in zip(HOOKED, functions):
        setattr(holder, name, function)


def epoch(loader):
    before = time.process_time_ns()
    for _ in loader:
        pass
    return (time.process_time_ns() - before) / 1e3 / BATCHES


def paired(loader, own, plain):
    differences, without = [], []
    for turn in range(ROUNDS):
        times = {}
        for name in ("own", "plain") if turn % 2 else ("plain", "own"):
            use(own if name == "own" else plain)
            times[name] = epoch(loader)
        differences.append(times["own"] - times["plain"])
        without.append(times["plain"])
    use(own)
    return differences, sorted(without)[ROUNDS // 2]


def main():
    own = [holder.__dict__[name] for holder, name in HOOKED]
    plain = [copy(function) for function in own]
    venturi_probe.record(sys.argv[1])
    loader = DataLoader(TensorDataset(torch.arange(4.0 * BATCHES)), batch_size=4)
    for functions in (plain, own):
        use(functions)
        epoch(loader)
    recording, bare = paired(loader, own, plain)
    venturi_probe.stop()
    epoch(loader)
    ended, _ = paired(loader, own, plain)
    # While it recorded: all rounds, and the first epoch.
    print(json.dumps({"recording": recording, "ended": ended, "bare": bare, "batches": BATCHES * (ROUNDS + 1)}))


main()
