"""Training with TensorFlow's distributed runtime: variables on parameter servers, workers with a session each, tensors over gRPC."""

import contextlib
import os
import random
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy
import tensorflow.compat.v1 as tf

PORT = 2222
LEARNING_RATE = 1e-3
# A backward pass takes twice the forward pass: it has two products per layer in place of one.
FORWARD_SHARE = 1 / 3
# Half the width of the uniform distributions around 1 of two factors of an operation's time: one for all operations of a step, as inputs of
# different length have, and one for each.
JITTER = 0.1

tf.disable_v2_behavior()


def serve(roles, job, task):
    """A parameter server, until its process is ended."""
    tf.train.Server(_cluster(roles), job_name="ps", task_index=task, config=_configuration()).join()


@contextlib.contextmanager
def session(roles, job, task):
    """A worker that is ready to train: gives the function that does one step."""
    cluster = _cluster(roles)
    with tf.Graph().as_default():
        training = Training(cluster, task, job)
        server = tf.train.Server(cluster, job_name="worker", task_index=task, config=_configuration())
        with training.session(server.target, task) as opened:
            yield lambda number: _step(opened, training.step, job.traces, number)


def _step(opened, operation, traces, number):
    if traces is None:
        opened.run(operation)
        return
    metadata = tf.RunMetadata()
    opened.run(operation, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    with open(os.path.join(traces, f"step-{number:04d}.pb"), "wb") as file:
        file.write(metadata.SerializeToString())


def _cluster(roles):
    addresses = lambda hosts: [f"{host.address}:{PORT}" for host in hosts]
    return tf.train.ClusterSpec({"ps": addresses(roles.servers), "worker": addresses(roles.workers)})


def _configuration():
    """Threads are few, for many hosts share this machine: the operations that sleep come one after the other in each worker."""
    return tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=4)


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
        self.compute = COMPUTE[job.compute](job.seconds, seed=(job.seed, task))
        placed = iter(assignment(self.layers, servers, job.split))
        place = tf.train.replica_device_setter(
            cluster=cluster, worker_device=f"/job:worker/task:{task}", ps_strategy=lambda _: next(placed), ps_ops=["VariableV2"]
        )
        with tf.device(place):
            variables = [self._variables(layer) for layer in self.layers]
        with tf.device(f"/job:worker/task:{task}"):
            reads = self._reads(variables, order_of(self.layers, job.order, job.seed))
            gradients = self._gradients(reads)
            pairs = [pair for layer in zip(gradients, variables) for pair in zip(*layer)]
            optimizer = tf.train.GradientDescentOptimizer(LEARNING_RATE)
            if job.mode == "sync":
                workers = cluster.num_tasks("worker")
                optimizer = tf.train.SyncReplicasOptimizer(optimizer, workers, total_num_replicas=workers)
                with tf.device("/job:ps/task:0"):
                    step = tf.train.get_or_create_global_step()
                self.step = optimizer.apply_gradients(pairs, global_step=step)
                self.hook = optimizer.make_session_run_hook(is_chief=task == 0)
            else:
                self.step = optimizer.apply_gradients(pairs)

    def session(self, target, task):
        """A session in which the variables have their values."""
        if self.job.mode == "sync":
            return tf.train.MonitoredTrainingSession(
                master=target, is_chief=task == 0, hooks=[self.hook], config=_configuration(), log_step_count_steps=None,
                save_checkpoint_secs=None, save_summaries_steps=None, save_summaries_secs=None,
            )
        opened = tf.Session(target, config=_configuration())
        # The first worker makes the variables; the others begin after it does.
        if task == 0:
            opened.run(tf.global_variables_initializer())
        return opened

    def _variables(self, layer):
        with tf.variable_scope(layer.name):
            return [
                tf.get_variable(name, [count], initializer=tf.zeros_initializer(), use_resource=False)
                for name, count in layer.tensors
            ]

    def _reads(self, variables, order):
        """Values of the variables, read on their servers; in a given order each server reads one after the other."""
        flat = [variable for layer in variables for variable in layer]
        if order is None:
            values = [variable.value() for variable in flat]
        else:
            values, last = [None] * len(flat), {}
            for position in order:
                variable = flat[position]
                with tf.device(variable.device), tf.control_dependencies(last.get(variable.device, [])):
                    values[position] = tf.identity(variable, name=f"{variable.op.name}/ordered")
                last[variable.device] = [values[position]]
        remaining = iter(values)
        return [[next(remaining) for _ in layer] for layer in variables]

    def _gradients(self, reads):
        """Gradients per layer: each layer runs forward when its parameters are here, and the gradients come in reverse order."""
        token = tf.constant(numpy.zeros(1, numpy.float32))
        forward = []
        for layer, values in zip(self.layers, reads):
            token = self.compute.forward(layer, token, values)
            forward.append(token)
        gradients = []
        for layer, kept, values in reversed(list(zip(self.layers, forward, reads))):
            token, *found = self.compute.backward(layer, token, kept, values)
            gradients.append(found)
        return gradients[::-1]


class Sleeping:
    """Sleep in place of a device's compute: as long as the layer's share of `seconds`, times jitter."""

    def __init__(self, seconds, seed):
        self.seconds = seconds
        self.random = random.Random(str(seed))
        self.factor = 1.0
        self.begun = False

    def _jitter(self):
        return self.random.uniform(1 - JITTER, 1 + JITTER)

    def _sleep(self, seconds):
        time.sleep(seconds * self.factor * self._jitter())

    def forward(self, layer, token, values):
        seconds = self.seconds * layer.share * FORWARD_SHARE
        is_first = not self.begun
        self.begun = True

        def run(token, *_):
            if is_first:
                self.factor = self._jitter()
            self._sleep(seconds)
            return token

        return tf.numpy_function(run, [token, *values], tf.float32, name=f"{layer.name}/forward")

    def backward(self, layer, token, kept, _values):
        seconds = self.seconds * layer.share * (1 - FORWARD_SHARE)
        gradients = [numpy.zeros(count, numpy.float32) for _, count in layer.tensors]

        def run(token, _):
            self._sleep(seconds)
            return [token, *gradients]

        outputs = tf.numpy_function(run, [token, kept], [tf.float32] * (1 + len(gradients)), name=f"{layer.name}/backward")
        for output, (_, count) in zip(outputs[1:], layer.tensors):
            output.set_shape([count])
        return outputs


COMPUTE = {"sleep": Sleeping}
