"""A sleep in place of a device's compute."""

import random
import time

# A backward pass takes twice the forward pass: it has two products per layer in place of one.
FORWARD_SHARE = 1 / 3
# Half the widths of the uniform distributions around 1 of two factors of an operation's time: one for all operations of a step, as inputs of different length
# have, and one for each. Without the first, workers that began together stay in step with each other for hundreds of steps, and a hundred
# steps tell the throughput of one moment of that.
STEP_JITTER = 0.3
OPERATION_JITTER = 0.1


class SleepingDevice:
    """Runs layers by sleeping: each takes its share of the step's time, times jitter."""

    def __init__(self, job, task):
        self._seconds = job.seconds
        self._random = random.Random(f"{job.round}/{task}")
        self._factor = 1.0

    def begin_step(self):
        self._factor = self._jitter(STEP_JITTER)

    def forward(self, layer):
        self._sleep(layer.share * FORWARD_SHARE)

    def backward(self, layer):
        self._sleep(layer.share * (1 - FORWARD_SHARE))

    def _sleep(self, share):
        time.sleep(self._seconds * share * self._factor * self._jitter(OPERATION_JITTER))

    def _jitter(self, half_width):
        return self._random.uniform(1 - half_width, 1 + half_width)
