"""Makes the files in this folder: steps of a parameter server and a worker in one process, as TensorFlow records them.

    python make.py FOLDER    (TensorFlow 2; the files here are of 2.21.0)

step-0.pb, step-1.pb: RunMetadata of two steps, the second with the graphs of the devices; step-0.pbtxt and step-0.timeline.json: the first one
as text and as a timeline.
"""

import os
import socket
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import tensorflow as tf
from tensorflow.python.client import timeline

v1 = tf.compat.v1
v1.disable_eager_execution()


def free_address():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % taken.getsockname()[1]


cluster = tf.train.ClusterSpec({"ps": [free_address()], "worker": [free_address()]})
server = tf.distribute.Server(cluster, job_name="ps", task_index=0)
worker = tf.distribute.Server(cluster, job_name="worker", task_index=0)
with v1.device(v1.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:0")):
    weights = v1.get_variable("w", [64, 16], use_resource=True)
    bias = v1.get_variable("b", [16], use_resource=True)
    inputs = tf.random.uniform([8, 64])
    loss = tf.reduce_sum(tf.square(tf.matmul(inputs, weights) + bias))
    train = v1.train.GradientDescentOptimizer(0.001).minimize(loss)
    initialise = v1.global_variables_initializer()

with v1.Session(worker.target) as session:
    session.run(initialise)
    for _ in range(3):
        session.run(train)
    for step in range(2):
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=step == 1)
        metadata = v1.RunMetadata()
        session.run(train, options=options, run_metadata=metadata)
        name = os.path.join(sys.argv[1], "step-%d" % step)
        with open(name + ".pb", "wb") as file:
            file.write(metadata.SerializeToString())
        if step == 0:
            with open(name + ".pbtxt", "w") as file:
                file.write(str(metadata))
            with open(name + ".timeline.json", "w") as file:
                file.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
# The servers have no way to stop.
os._exit(0)
