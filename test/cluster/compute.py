"""What a worker does between the parameters' coming and the gradients' going, as TensorFlow operations."""

import numpy
import tensorflow.compat.v1 as tf

from device import SleepingDevice


class Sleeping:
    """Operations that sleep."""

    def __init__(self, job, task):
        self.task = task
        self.begin(job)

    def begin(self, job):
        """Steps from now on are those of this job."""
        self.device = SleepingDevice(job, self.task)

    def gradients(self, layers, reads):
        """Gradients per layer: each layer runs forward when its parameters are here, and the gradients come in reverse order."""
        token = tf.constant(numpy.zeros(1, numpy.float32))
        forward = []
        for layer, values in zip(layers, reads):
            token = self._forward(layer, token, values, is_first=not forward)
            forward.append(token)
        gradients = []
        for layer, kept in reversed(list(zip(layers, forward))):
            token, *found = self._backward(layer, token, kept)
            gradients.append(found)
        return gradients[::-1]

    def _forward(self, layer, token, values, is_first):
        def run(token, *_):
            if is_first:
                self.device.begin_step()
            self.device.forward(layer)
            return token

        return tf.numpy_function(run, [token, *values], tf.float32, name=f"{layer.name}/forward")

    def _backward(self, layer, token, kept):
        gradients = [numpy.zeros(count, numpy.float32) for _, count in layer.tensors]

        def run(token, _):
            self.device.backward(layer)
            return [token, *gradients]

        outputs = tf.numpy_function(run, [token, kept], [tf.float32] * (1 + len(gradients)), name=f"{layer.name}/backward")
        for output, (_, count) in zip(outputs[1:], layer.tensors):
            output.set_shape([count])
        return outputs


class Real:
    """Dense layers, computed and differentiated by TensorFlow on the worker's CPU. For models whose layers are a square kernel and a bias."""

    def __init__(self, job, task):
        self.batch = job.batch
        self.seed = task

    def begin(self, job):
        """The graph is all there is of a job."""

    def gradients(self, layers, reads):
        kernels, biases = zip(*reads)
        width = dict(layers[0].tensors)["bias"]
        activation = tf.random.normal([self.batch, width], seed=self.seed)
        for kernel, bias in zip(kernels, biases):
            activation = tf.nn.relu(tf.matmul(activation, tf.reshape(kernel, [width, width])) + bias)
        loss = tf.reduce_mean(tf.square(activation))
        return list(zip(tf.gradients(loss, kernels), tf.gradients(loss, biases)))


COMPUTE = {"sleep": Sleeping, "real": Real}
