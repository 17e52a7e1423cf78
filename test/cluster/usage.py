"""CPU time of processes and of the machine."""

import os
import time


class Usage:
    """CPU time so far, of the cluster's processes and of the machine."""

    def __init__(self, processes):
        self.moment = time.monotonic()
        tick = os.sysconf("SC_CLK_TCK")
        self.processes = sum(_ticks(process.pid) for process in processes) / tick
        with open("/proc/stat") as file:
            words = [int(word) for word in file.readline().split()[1:9]]
        self.busy = (sum(words) - words[3] - words[4]) / tick

    def since(self, before):
        cores = (self.moment - before.moment) * os.cpu_count()
        return {
            "cpu_share": (self.processes - before.processes) / cores,
            "machine_cpu_share": (self.busy - before.busy) / cores,
        }


def _ticks(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
        return int(words[11]) + int(words[12])
    except FileNotFoundError:
        return 0
