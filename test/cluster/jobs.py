"""One training of the cluster: what is asked for, its processes, and what was measured."""

import multiprocessing
import os
import time
import traceback
from dataclasses import asdict, dataclass
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
    # Of the first worker that is done.
    steps: int = 100
    # First steps that are left out of the throughput.
    warm_up: int = 50
    # Folder for the profiler's traces; None trains without a profiler.
    traces: Optional[str] = None
    # What the job may take altogether, in s.
    limit_s: float = 300

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
    # Steps that each worker has done.
    progress = FORK.RawArray("i", job.workers)
    deadline = time.monotonic() + job.limit_s
    processes, results, gate = [], [], _Gate()
    if job.traces is not None:
        os.makedirs(job.traces, exist_ok=True)
    try:
        for task, host in enumerate(roles.servers):
            processes.append(start(host, roles.runtime.serve, (roles, job, task), gate))
        for task, host in enumerate(roles.workers):
            receiver, sender = FORK.Pipe(duplex=False)
            processes.append(start(host, _train, (roles, job, task, gate, progress, sender), gate))
            sender.close()
            results.append(receiver)
        received(results, deadline, "was ready to train")
        before = _Usage(processes)
        gate.open()
        moments = received(results, deadline, "was done")
        return {**asdict(job), **_measurements(moments, job), **_Usage(processes).since(before)}
    finally:
        gate.open()
        for process in processes:
            process.kill()
            process.join()


class _Gate:
    """Lets all workers begin at the same moment: a pipe of which only this process holds the writing end, until it closes it. Nothing of it can be left locked by a
    process that was ended, as a barrier of `multiprocessing` can."""

    def __init__(self):
        self._reading, self._writing = os.pipe()

    def hold(self):
        """In a process that was forked: leaves the opening to the parent."""
        os.close(self._writing)

    def wait(self):
        os.read(self._reading, 1)

    def open(self):
        if self._writing is not None:
            os.close(self._writing)
            os.close(self._reading)
            self._writing = None


def start(host, function, arguments, gate=None):
    """A process on a host. Its end is never waited for by what it shares with others: a pipe that it holds is closed."""

    def run():
        try:
            if gate is not None:
                gate.hold()
            host.enter()
            function(*arguments)
        except BaseException:
            traceback.print_exc()
        # Sessions and servers of the runtimes take their time to close, or never do when their peers are gone.
        os._exit(0)

    process = FORK.Process(target=run, daemon=True)
    process.start()
    return process


def _train(roles, job, task, gate, progress, sender):
    """Steps of one worker, until the training is over."""
    moments = []
    with roles.runtime.session(roles, job, task) as step:
        sender.send("ready")
        gate.wait()
        moments.append(time.monotonic())
        while not _is_over(job, progress, task):
            step(progress[task])
            moments.append(time.monotonic())
            progress[task] += 1
    sender.send(moments)


def _is_over(job, progress, task):
    """Workers in step with each other do the same number of steps. The others go on until one has done its number and all have warmed up: until then, each
    has the others' traffic to compete with."""
    if job.mode != "async":
        return progress[task] >= job.steps
    return max(progress) >= job.steps and min(progress) > job.warm_up


def received(results, deadline, awaited):
    """One message of every worker; an error where one ends without, or takes too long."""
    pending, found = dict(enumerate(results)), {}
    while pending:
        for receiver in wait(list(pending.values()), timeout=TICK_S):
            task = next(number for number, other in pending.items() if other is receiver)
            try:
                found[task] = receiver.recv()
            except EOFError:
                raise RuntimeError(f"worker {task} ended before it {awaited}: see standard error") from None
            del pending[task]
        if time.monotonic() > deadline:
            raise RuntimeError(f"not every worker {awaited} in time: {sorted(pending)}")
    return [found[task] for task in sorted(found)]


def _measurements(moments, job):
    origin = min(ends[0] for ends in moments)
    measured = throughput.between(moments, job.warm_up)
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
