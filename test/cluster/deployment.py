"""Processes of a training. They are kept for the next one where that needs the same: starting them takes longer than some trainings do."""

import contextlib
import multiprocessing
import os
import time
import traceback
from multiprocessing.connection import wait

FORK = multiprocessing.get_context("fork")
# Pause between two looks whether a worker has sent its results, in s.
TICK_S = 0.1


class Deployments:
    """At most one deployment at a time."""

    def __init__(self):
        self._key, self._kept = None, None

    @contextlib.contextmanager
    def of(self, network, job, deadline):
        """The deployment for a job. One that failed is not kept."""
        key = _runtime(job).built_for(job)
        if self._kept is not None and (key != self._key or len(self._kept.workers) < job.workers):
            self.close()
        if self._kept is None:
            self._kept, self._key = Deployment(network, job), key
        try:
            self._kept.await_ready(deadline)
            yield self._kept
        except BaseException:
            self.close()
            raise
        if key is None:
            self.close()

    def close(self):
        if self._kept is not None:
            self._kept.close()
        self._key, self._kept = None, None


class Deployment:
    """Servers and workers, each a process on its host."""

    def __init__(self, network, job):
        self.servers = network.servers[: job.servers] if job.mode != "allreduce" else []
        self.workers = network.workers[: max(job.started or 0, job.workers)]
        # Steps that each worker has done.
        self.progress = FORK.RawArray("i", len(self.workers))
        self.processes, self._lines = [], []
        self._is_ready = False
        runtime = _runtime(job)
        for task, host in enumerate(self.servers):
            self.processes.append(start(host, runtime.serve, (self, job, task)))
        for task, host in enumerate(self.workers):
            own, other = FORK.Pipe()
            self.processes.append(start(host, _work, (self, runtime, job, task, other)))
            other.close()
            self._lines.append(own)

    def await_ready(self, deadline):
        if not self._is_ready:
            received(self._lines, deadline, "was ready to train")
            self._is_ready = True

    def train(self, job, deadline):
        """Trains with the first workers; gives the moments at which each began and ended its steps."""
        for task in range(len(self.workers)):
            self.progress[task] = 0
        lines = self._lines[: job.workers]
        for line in lines:
            line.send(job)
        received(lines, deadline, "was ready to train")
        for line in lines:
            line.send("go")
        return received(lines, deadline, "was done")

    def close(self):
        for process in self.processes:
            process.kill()
            process.join()


def _runtime(job):
    """What processes do in a training."""
    if job.mode == "allreduce":
        import data_parallel as runtime
    else:
        import parameter_server as runtime
    return runtime


def start(host, function, arguments):
    """A process on a host. Its end is never waited for by what it shares with others: a pipe that it holds is closed."""

    def run():
        try:
            host.enter()
            function(*arguments)
        except BaseException:
            traceback.print_exc()
        # Sessions and servers of the runtimes take their time to close, or never do when their peers are gone.
        os._exit(0)

    process = FORK.Process(target=run, daemon=True)
    process.start()
    return process


def _work(deployment, runtime, built_for, task, line):
    """Trainings of one worker, one after the other."""
    with runtime.session(deployment, built_for, task) as session:
        line.send("ready")
        while True:
            job = line.recv()
            session.begin(job)
            line.send("ready")
            line.recv()
            moments = _train(deployment.progress, session, job, task)
            session.end(job)
            line.send(moments)


def _train(progress, session, job, task):
    """Steps of one worker, until the training is over."""
    moments = [time.monotonic()]
    while not _is_over(job, progress, task):
        session.step(job, progress[task])
        moments.append(time.monotonic())
        progress[task] += 1
    return moments


def _is_over(job, progress, task):
    """Workers in step with each other do the same number of steps. The others go on until one has done its number and all have warmed up: until then, each
    has the others' traffic to compete with."""
    if job.mode != "async":
        return progress[task] >= job.steps
    done = progress[: job.workers]
    return max(done) >= job.steps and min(done) > job.warm_up


def received(lines, deadline, awaited):
    """One message of every worker; an error where one ends without, or takes too long."""
    pending, found = dict(enumerate(lines)), {}
    while pending:
        for line in wait(list(pending.values()), timeout=TICK_S):
            task = next(number for number, other in pending.items() if other is line)
            try:
                found[task] = line.recv()
            except (EOFError, ConnectionResetError):
                raise RuntimeError(f"worker {task} ended before it {awaited}: see standard error") from None
            del pending[task]
        if time.monotonic() > deadline:
            raise RuntimeError(f"not every worker {awaited} in time: {sorted(pending)}")
    return [found[task] for task in sorted(found)]
