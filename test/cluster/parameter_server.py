"""Training with TensorFlow's distributed runtime: variables on parameter servers, workers with a session each, tensors over gRPC."""

import contextlib
import os
import random
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy
import tensorflow.compat.v1 as tf

from compute import COMPUTE

PORT = 2222
LEARNING_RATE = 1e-3
# Time in which a worker's requests for all tensors have reached their servers, in s: 36 requests take less than 1 ms.
REQUESTS_S = 0.005
# Pause between two looks whether the first worker has made the variables, in s.
LOOK_S = 0.1
# Random numbers that a server draws between two reads: they take about 0.1 ms.
PAUSE_NUMBERS = 20_000

tf.disable_v2_behavior()


def built_for(job):
    """What of a job its processes are built for. Trainings in which all of that is the same can follow each other on them."""
    of_graph = (job.model, job.model_bytes, job.servers, job.mode, job.compute, str(job.split), job.order)
    return (
        *of_graph,
        job.workers if job.mode == "sync" else None,
        job.batch if job.compute == "real" else None,
        job.seed if job.order == "random" else None,
    )


def serve(hosts, job, task):
    """A parameter server, until its process is ended."""
    tf.train.Server(_cluster(hosts), job_name="ps", task_index=task, config=_configuration()).join()


@contextlib.contextmanager
def session(hosts, job, task):
    """A worker that is ready to train."""
    cluster = _cluster(hosts)
    with tf.Graph().as_default():
        training = Training(cluster, task, job)
        server = tf.train.Server(cluster, job_name="worker", task_index=task, config=_configuration())
        # The session is not closed: its servers end with their processes.
        yield _Worker(training, training.session(server.target, task))


class _Worker:
    """Does the steps of trainings."""

    def __init__(self, training, opened):
        self._training, self._session = training, opened
        self._recorded = []

    def begin(self, job):
        self._training.compute.begin(job)
        self._recorded = []

    def step(self, job, number):
        if job.traces is None or number < job.warm_up:
            self._session.run(self._training.step)
            return
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        self._session.run(self._training.step, options=options, run_metadata=metadata)
        self._recorded.append((number, metadata))

    def end(self, job):
        """Writes what was recorded: between two steps it would be time that steps without a profiler do not take."""
        for number, metadata in self._recorded:
            with open(os.path.join(job.traces, f"step-{number:04d}.pb"), "wb") as file:
                file.write(metadata.SerializeToString())


def _cluster(hosts):
    addresses = lambda some: [f"{host.address}:{PORT}" for host in some]
    return tf.train.ClusterSpec({"ps": addresses(hosts.servers), "worker": addresses(hosts.workers)})


def _configuration():
    """Threads are few, for many hosts share this machine: the operations that sleep come one after the other in each worker. Those that have nothing to do do not spin,
    which would take time from other hosts."""
    return tf.ConfigProto(
        intra_op_parallelism_threads=1,
        inter_op_parallelism_threads=4,
        experimental=tf.ConfigProto.Experimental(disable_thread_spinning=True),
    )


def assignment(layers, servers, split):
    """Number of the server that holds each tensor, in the order of creation."""
    sizes = [count for layer in layers for _, count in layer.tensors]
    if split == "round-robin":
        return [number % servers for number in range(len(sizes))]
    if split == "greedy":
        loads, chosen = [0] * servers, []
        for size in sizes:
            least = loads.index(min(loads))
            loads[least] += size
            chosen.append(least)
        return chosen
    if isinstance(split, list):
        return split
    raise ValueError(f"unknown split {split}")


def order_of(layers, order, seed):
    """Positions of the tensors in the order in which servers are to send them; None leaves it to TensorFlow."""
    count = sum(len(layer.tensors) for layer in layers)
    positions = list(range(count))
    if order == "default":
        return None
    if order == "layer":
        return positions
    if order == "reverse":
        return positions[::-1]
    if order == "random":
        random.Random(seed).shuffle(positions)
        return positions
    raise ValueError(f"unknown order {order}")


class Training:
    """The graph of one worker."""

    def __init__(self, cluster, task, job):
        servers = cluster.num_tasks("ps")
        self.job, self.layers = job, job.layers.layers
        placed = iter(assignment(self.layers, servers, job.split))
        place = tf.train.replica_device_setter(
            cluster=cluster, worker_device=f"/job:worker/task:{task}", ps_strategy=lambda _: next(placed), ps_ops=["VariableV2"]
        )
        with tf.device(place):
            variables = [self._variables(layer) for layer in self.layers]
        with tf.device(f"/job:worker/task:{task}"):
            reads = self._reads(variables, order_of(self.layers, job.order, job.seed))
            self.compute = COMPUTE[job.compute](job, task)
            gradients = self.compute.gradients(self.layers, reads)
            pairs = [pair for layer in zip(gradients, variables) for pair in zip(*layer)]
            optimizer = tf.train.GradientDescentOptimizer(LEARNING_RATE)
            if job.mode == "sync":
                workers = cluster.num_tasks("worker")
                optimizer = tf.train.SyncReplicasOptimizer(optimizer, workers, total_num_replicas=workers)
                with tf.device("/job:ps/task:0"):
                    step = tf.train.get_or_create_global_step()
                self.step = optimizer.apply_gradients(pairs, global_step=step)
                self.optimizer, self.runner = optimizer, optimizer.get_chief_queue_runner()
                # With TensorFlow's default workers may be a step ahead: what comes late is dropped, and the last step then waits for ever.
                self.tokens = optimizer.get_init_tokens_op(num_tokens=0)
            else:
                self.step = optimizer.apply_gradients(pairs)
            self.initializers = tf.global_variables_initializer()
            self.uninitialized = tf.report_uninitialized_variables(tf.global_variables())

    def session(self, target, task):
        """A session in which the variables have their values. The first worker gives them; in asynchronous training the others begin after it did, by the
        barrier of the job."""
        opened = tf.Session(target, config=_configuration())
        if task == 0:
            opened.run(self.initializers)
        if self.job.mode == "sync":
            self._join(opened, task)
        return opened

    def _join(self, opened, task):
        """Puts the worker in step with the others. TensorFlow's own supervisor does the same, and looks every 30 s only."""
        while len(opened.run(self.uninitialized)) > 0:
            time.sleep(LOOK_S)
        opened.run(self.optimizer.chief_init_op if task == 0 else self.optimizer.local_step_init_op)
        if task == 0:
            self.runner.create_threads(opened, daemon=True, start=True)
            opened.run(self.tokens)

    def _variables(self, layer):
        with tf.variable_scope(layer.name):
            return [
                tf.get_variable(name, [count], initializer=tf.zeros_initializer(), use_resource=False)
                for name, count in layer.tensors
            ]

    def _reads(self, variables, order):
        """Values of the variables, read on their servers."""
        flat = [variable for layer in variables for variable in layer]
        values = [variable.value() for variable in flat] if order is None else _ordered_reads(flat, order)
        remaining = iter(values)
        return [[next(remaining) for _ in layer] for layer in variables]


def _ordered_reads(variables, order):
    """Reads that follow each other in a given order on each server. A server answers requests for tensors that it has in the order in which they come, so
    the first read waits until all requests are there: until a token arrives that the worker sends a little after them. Between two reads stands an operation
    that takes long enough for another thread to hand the tensor over to gRPC: threads take sends that wait at the same time in any order."""
    def token():
        time.sleep(REQUESTS_S)
        return numpy.zeros(1, numpy.float32)

    gate = tf.numpy_function(token, [], tf.float32, name="requests_sent")
    values, last = [None] * len(variables), {}
    for position in order:
        variable = variables[position]
        with tf.device(variable.device), tf.control_dependencies(last.get(variable.device, [gate])):
            values[position] = tf.identity(variable, name=f"{variable.op.name}/ordered")
            with tf.control_dependencies([values[position]]):
                pause = tf.random.uniform([PAUSE_NUMBERS], name=f"{variable.op.name}/pause")
        last[variable.device] = [pause]
    return values
