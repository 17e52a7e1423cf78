"""Training with PyTorch's DistributedDataParallel over gloo: gradients go in buckets around the workers while the backward pass runs on."""

import contextlib
import os

import torch
import torch.distributed as dist

from device import SleepingDevice

PORT = 29500
LEARNING_RATE = 1e-3
# Share of the model in a bucket: PyTorch's default of 25 MB holds a quarter of ResNet-50.
BUCKET_SHARE = 1 / 4
BYTES_PER_MB = 2**20
# Steps that are not traced: the first one sends all gradients in one bucket, after it PyTorch makes buckets in the order in which they came.
FIRST_STEPS = 2

# The first optimizer of a process loads 900 modules for seconds: before workers are forked, so that they need not.
torch.optim.SGD([torch.zeros(1, requires_grad=True)], LEARNING_RATE)


class _Sleep(torch.autograd.Function):
    """A layer that sleeps forward and backward; its gradients are zero."""

    @staticmethod
    def forward(context, activation, device, layer, *parameters):
        context.device, context.layer = device, layer
        context.shapes = [parameter.shape for parameter in parameters]
        device.forward(layer)
        return activation.clone()

    @staticmethod
    def backward(context, gradient):
        context.device.backward(context.layer)
        return (gradient, None, None, *[torch.zeros(shape) for shape in context.shapes])


class _Model(torch.nn.Module):
    def __init__(self, layers, device):
        super().__init__()
        self.layers, self.device = layers, device
        self.tensors = torch.nn.ModuleList(
            torch.nn.ParameterList(torch.nn.Parameter(torch.zeros(count)) for _, count in layer.tensors) for layer in layers
        )

    def forward(self, activation):
        self.device.begin_step()
        for layer, parameters in zip(self.layers, self.tensors):
            activation = _Sleep.apply(activation, self.device, layer, *parameters)
        return activation


def built_for(_job):
    """Processes are used once: the group of workers and the profiler belong to one training."""
    return None


@contextlib.contextmanager
def session(hosts, job, task):
    """A worker that is ready to train. Writes a trace of all of its steps at the end where the job wants it."""
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "eth0"
    dist.init_process_group(
        "gloo", init_method=f"tcp://{hosts.workers[0].address}:{PORT}", rank=task, world_size=len(hosts.workers)
    )
    layers = job.layers
    model = torch.nn.parallel.DistributedDataParallel(
        _Model(layers.layers, SleepingDevice(job, task)), bucket_cap_mb=layers.bytes * BUCKET_SHARE / BYTES_PER_MB
    )
    yield _Worker(model, _profiler(job, task))


class _Worker:
    """Does the steps of one training."""

    def __init__(self, model, profiler):
        self._model, self._profiler = model, profiler
        self._optimizer = torch.optim.SGD(model.parameters(), LEARNING_RATE)
        self._inputs = torch.zeros(1, requires_grad=True)

    def begin(self, _job):
        if self._profiler is not None:
            self._profiler.start()

    def step(self, _job, _number):
        self._optimizer.zero_grad()
        self._model(self._inputs).sum().backward()
        self._optimizer.step()
        if self._profiler is not None:
            self._profiler.step()

    def end(self, _job):
        if self._profiler is not None:
            self._profiler.stop()


def _profiler(job, task):
    if job.traces is None:
        return None
    return torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        record_shapes=True,
        schedule=torch.profiler.schedule(wait=FIRST_STEPS - 1, warmup=1, active=job.steps - FIRST_STEPS),
        on_trace_ready=lambda ready: ready.export_chrome_trace(os.path.join(job.traces, f"rank-{task}.json")),
    )
