"""What sampling lines costs: epochs with it and without it in turn, in one process. `stacks.py FOLDER` prints one line of JSON.

Ratios are of the CPU of the whole process: whoever looks is a thread of its own.
"""

import json
import sys
import time

import torch
from images import Images
from torch.utils.data import DataLoader

import venturi_probe

PAIRS = 12

torch.set_num_threads(1)
venturi_probe.record(sys.argv[1], stacks=True)
from venturi_probe.pytorch.preparation import stacks

loader = DataLoader(Images(64), batch_size=16)


def epoch(is_looked_at):
    stacks.are_wanted = is_looked_at
    stacks.stop()
    before = time.process_time_ns()
    for _ in loader:
        pass
    return time.process_time_ns() - before


epoch(True), epoch(False)
ratios = []
for turn in range(PAIRS):
    first = epoch(turn % 2 == 0)
    second = epoch(turn % 2 != 0)
    ratios.append((first / second if turn % 2 == 0 else second / first) - 1)
print(json.dumps({"ratios": ratios, "looks": stacks.taken}))
