"""The paper's algorithm 3.1 with its defects mended, as one would write it in Python: every event looks at every running chunk.

Reads {workers, steps, warmUp, batchSize, bandwidth, window, ops, profile, draws} as JSON from standard input: ops and their dependents once, durations by
profiled step, and which of these each worker takes. Prints CPU seconds of the simulation, its events and its throughput.
"""

import json
import sys
import time


class Op:
    __slots__ = ("unit", "work", "left", "waits", "dependents")

    def __init__(self, unit, work, waits):
        self.unit = unit
        self.work = work
        self.left = work
        self.waits = waits
        self.dependents = []


class Worker:
    def __init__(self, number):
        self.number = number
        self.queues = {}
        self.busy = set()
        self.ops_left = 0
        self.begun = 0
        self.ends = []


class Simulation:
    def __init__(self, given):
        self.given = given
        self.workers = [Worker(number) for number in range(given["workers"])]
        self.running = []
        self.now = 0.0
        self.events = 0

    def start_step(self, worker):
        draws = self.given["draws"][worker.number]
        durations = self.given["profile"][draws[worker.begun % len(draws)]]
        worker.begun += 1
        table = self.given["ops"]
        ops = []
        for position, op in enumerate(table):
            is_link = op["unit"] in ("down", "up")
            ops.append(Op(op["unit"], op["bytes"] if is_link else durations[position], op["waits"]))
        for position, op in enumerate(table):
            ops[position].dependents = [ops[dependent] for dependent in op["dependents"]]
        worker.ops_left = len(ops)
        for op in ops:
            if op.waits == 0:
                self.queue(worker, op)

    def queue(self, worker, op):
        worker.queues.setdefault(op.unit, []).append(op)
        if op.unit not in worker.busy:
            self.dispatch(worker, op.unit)

    def dispatch(self, worker, unit):
        waiting = worker.queues.get(unit)
        if not waiting:
            return
        op = waiting.pop(0)
        worker.busy.add(unit)
        size = op.left
        if unit in ("down", "up") and op.left == op.work and op.left > self.given["window"]:
            size = self.given["window"]
        op.left -= size
        self.running.append([size, worker, op])

    def end(self, worker, op):
        self.events += 1
        if op.left > 0:
            worker.queues[op.unit].append(op)
        else:
            for dependent in op.dependents:
                dependent.waits -= 1
                if dependent.waits == 0:
                    self.queue(worker, dependent)
            worker.ops_left -= 1
        worker.busy.discard(op.unit)
        self.dispatch(worker, op.unit)
        if worker.ops_left == 0:
            worker.ends.append(self.now)
            self.start_step(worker)

    def rates(self):
        bandwidth = self.given["bandwidth"]
        down = sum(1 for _, _, op in self.running if op.unit == "down")
        up = sum(1 for _, _, op in self.running if op.unit == "up")
        return {"down": bandwidth / max(1, down), "up": bandwidth / max(1, up)}

    def run(self):
        for worker in self.workers:
            self.start_step(worker)
        while all(len(worker.ends) < self.given["steps"] for worker in self.workers):
            rates = self.rates()
            first = min(self.running, key=lambda chunk: chunk[0] / rates.get(chunk[2].unit, 1.0))
            time_passed = first[0] / rates.get(first[2].unit, 1.0)
            for chunk in self.running:
                chunk[0] -= time_passed * rates.get(chunk[2].unit, 1.0)
            self.running.remove(first)
            self.now += time_passed
            self.end(first[1], first[2])
        opened = max(worker.ends[self.given["warmUp"] - 1] for worker in self.workers)
        counted = sum(1 for worker in self.workers for end in worker.ends if end > opened)
        return self.given["batchSize"] * counted / (self.now - opened)


def main():
    simulation = Simulation(json.load(sys.stdin))
    began = time.process_time()
    throughput = simulation.run()
    cpu = time.process_time() - began
    print(json.dumps({"cpu": cpu, "events": simulation.events, "throughput": throughput}))


main()
