"""One training of the cluster: what is asked for, its processes, and what was measured."""

import multiprocessing
import os
import time
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import wait
from typing import Optional

import throughput
from models import MODELS

FORK = multiprocessing.get_context("fork")
# Pause between two looks whether a worker has sent its results, in s.
TICK_S = 0.1


@dataclass(frozen=True)
class Job:
    """What is trained where; `mode` is async, sync (parameter servers) or allreduce."""

    id: str
    model: str
    model_bytes: int
    batch: int
    seconds_per_example: float
    bits_per_second: int
    workers: int
    servers: int = 1
    mode: str = "async"
    compute: str = "sleep"
    split: object = "round-robin"
    order: str = "default"
    seed: int = 0
    steps: int = 100
    # First steps that are left out of the throughput.
    warm_up: int = 50
    # Folder for the profiler's traces; None trains without a profiler.
    traces: Optional[str] = None
    # What the job may take altogether, in s.
    limit_s: float = 600
    options: dict = field(default_factory=dict)

    @property
    def layers(self):
        return MODELS[self.model](self.model_bytes)

    @property
    def seconds(self):
        """Compute of a step."""
        return self.batch * self.seconds_per_example


class Roles:
    """What processes do in a training, by runtime: see parameter_server.py and data_parallel.py."""

    def __init__(self, network, job):
        self.servers = network.servers[: job.servers] if job.mode != "allreduce" else []
        self.workers = network.workers[: job.workers]
        if job.mode == "allreduce":
            import data_parallel as runtime
        else:
            import parameter_server as runtime
        self.runtime = runtime


def perform(network, job):
    """Trains and gives the job with its measurements."""
    network.shape(job.bits_per_second)
    roles = Roles(network, job)
    barrier, stop = FORK.Barrier(job.workers + 1), FORK.Event()
    started = time.monotonic()
    processes, results = [], []
    if job.traces is not None:
        os.makedirs(job.traces, exist_ok=True)
    try:
        for task, host in enumerate(roles.servers):
            processes.append(_start(host, roles.runtime.serve, (roles, job, task)))
        for task, host in enumerate(roles.workers):
            receiver, sender = FORK.Pipe(duplex=False)
            processes.append(_start(host, _train, (roles, job, task, barrier, stop, sender)))
            sender.close()
            results.append(receiver)
        barrier.wait(timeout=job.limit_s)
        before = _Usage(processes)
        moments = _collected(results, processes, started + job.limit_s)
        return {**asdict(job), **_measurements(moments, job), **_Usage(processes).since(before)}
    finally:
        barrier.abort()
        for process in processes:
            process.kill()
            process.join()


def _start(host, function, arguments):
    def run():
        host.enter()
        function(*arguments)
        # Sessions and servers of the runtimes take their time to close, or never do when their peers are gone.
        os._exit(0)

    process = FORK.Process(target=run, daemon=True)
    process.start()
    return process


def _train(roles, job, task, barrier, stop, sender):
    """Steps of one worker until one of the workers has done all of its own."""
    moments = []
    with roles.runtime.session(roles, job, task) as step:
        barrier.wait()
        moments.append(time.monotonic())
        for number in range(job.steps):
            if stop.is_set() and job.mode == "async":
                break
            step(number)
            moments.append(time.monotonic())
        stop.set()
    sender.send(moments)


def _collected(results, processes, deadline):
    """What every worker sends at its end; an error where one ends without."""
    pending, found = dict(enumerate(results)), {}
    while pending:
        for receiver in wait(list(pending.values()), timeout=TICK_S):
            task = next(number for number, other in pending.items() if other is receiver)
            try:
                found[task] = receiver.recv()
            except EOFError:
                raise RuntimeError(f"worker {task} ended before its steps did") from None
            del pending[task]
        if time.monotonic() > deadline:
            raise RuntimeError(f"workers {sorted(pending)} were not done in time")
    return [found[task] for task in sorted(found)]


def _measurements(moments, job):
    origin = min(ends[0] for ends in moments)
    measured = throughput.between(moments, job.steps, job.warm_up)
    return {
        **measured,
        "examples_per_second": measured["steps_per_second"] * job.batch,
        # Moments at which each worker began and then ended its steps, in s.
        "moments": [[round(moment - origin, 6) for moment in ends] for ends in moments],
    }


class _Usage:
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
