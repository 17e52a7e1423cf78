"""One training of the cluster: what is asked for, and what was measured."""

import os
import time
from dataclasses import asdict, dataclass
from typing import Optional

import throughput
from deployment import Deployments
from models import MODELS
from usage import Usage


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
    # Of a random order.
    seed: int = 0
    # Repeats of a job differ in how long operations sleep.
    round: int = 0
    # Of the first worker that is done.
    steps: int = 100
    # First steps that are left out of the throughput.
    warm_up: int = 50
    # Workers that are started: jobs with up to so many can follow without new processes.
    started: Optional[int] = None
    # Folder for the profiler's traces, of all steps after the first ones; None trains without a profiler.
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


_deployments = Deployments()


def perform(network, job):
    """Trains and gives the job with its measurements."""
    network.shape(job.bits_per_second)
    if job.traces is not None:
        os.makedirs(job.traces, exist_ok=True)
    deadline = time.monotonic() + job.limit_s
    with _deployments.of(network, job, deadline) as deployment:
        before = Usage(deployment.processes)
        moments = deployment.train(job, deadline)
        pids = [process.pid for process in deployment.processes]
        return {**asdict(job), **_measurements(moments, job), **Usage(deployment.processes).since(before), "pids": pids}


def prepare(network, job):
    """Starts what the job needs, where that is not kept from the one before."""
    with _deployments.of(network, job, time.monotonic() + job.limit_s):
        return {}


def start_anew():
    """The next training gets new processes, whose connections open after this."""
    _deployments.close()


def _measurements(moments, job):
    origin = min(ends[0] for ends in moments)
    measured = throughput.between(moments, job.warm_up)
    return {
        **measured,
        "examples_per_second": measured["steps_per_second"] * job.batch,
        # Moments at which each worker began and then ended its steps, in s.
        "moments": [[round(moment - origin, 6) for moment in ends] for ends in moments],
    }
