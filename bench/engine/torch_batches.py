"""Consumes a DataLoader's batches and measures it between the first and the last of them, workers included."""

import json
import os
import time


def process_cpu(pid):
    """CPU seconds of another process, all its threads: the clock that clock_getcpuclockid(3) names."""
    return time.clock_gettime((~pid << 3) | 2)


def measure(loader, count, batch, add):
    began = time.process_time()
    batches = iter(loader)
    pids = [worker.pid for worker in batches._workers]

    def reading():
        return time.process_time() + sum(map(process_cpu, pids)), time.perf_counter()

    taken, total = 0, 0
    for whole in batches:
        total += add(whole)
        taken += 1
        if taken == 1:
            first = reading()
        if taken * batch >= count:
            last = reading()
    # What the workers were ahead by at the first batch counts as not yet done: in the peer's favour.
    left = count - batch
    print(
        json.dumps(
            {
                "cpu": (last[0] - first[0]) / left,
                "wall": (last[1] - first[1]) / left,
                "totalCpu": (last[0] - began) / count,
                "sum": total,
            }
        )
    )
