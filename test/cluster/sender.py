"""A small gRPC service that sends a model's tensors as TensorFlow does, for the one case in which TensorFlow offers no switch: a receiver whose HTTP/2 window is small, so
that streams are interrupted. It stands in for gRPC of 2018, whose windows were."""

import concurrent.futures
import threading
import time

import grpc

import capture
import http2
from deployment import FORK, received, start
from streams import streams_of

PORT = 2223
METHOD = "/Tensors/Receive"
UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
READY_S = 20


def observe(network, job, window):
    """Sends all tensors `steps` times; gives what was seen of every stream. `window` is the receiver's, in bytes; None leaves it to gRPC."""
    network.shape(job.bits_per_second)
    server, worker = network.servers[0], network.workers[0]
    tensors = [(f"edge_{number}_{layer.name}/{name}/read", 4 * count) for number, (layer, name, count) in enumerate(_tensors(job))]
    capturing = capture.Capture(server)
    processes = [start(server, _serve, (dict(tensors),))]
    receiver, sender = FORK.Pipe(duplex=False)
    processes.append(start(worker, _receive, (f"{server.address}:{PORT}", tensors, job.steps, window, sender)))
    sender.close()
    try:
        (ends,) = received([receiver], time.monotonic() + job.limit_s, "was done")
    finally:
        for process in processes:
            process.kill()
            process.join()
    seen = streams_of(http2.frames(capturing.stop()))
    return {
        "observed": [
            {**stream, "step": number, "end": ends[number][tensor]}
            for tensor, found in seen.items()
            for number, stream in enumerate(sorted(found, key=lambda stream: stream["first"]))
        ]
    }


def _tensors(job):
    return [(layer, name, count) for layer in job.layers.layers for name, count in layer.tensors]


def _serve(sizes):
    """Answers once all tensors have been asked for, as a server does whose variables are read after the requests came."""
    everyone = threading.Barrier(len(sizes))

    def answer(request, _context):
        everyone.wait()
        return bytes(sizes[request.partition(b";")[0].decode()])

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(len(sizes)), options=UNLIMITED)
    server.add_generic_rpc_handlers([_Handler(answer)])
    server.add_insecure_port(f"0.0.0.0:{PORT}")
    server.start()
    server.wait_for_termination()


class _Handler(grpc.GenericRpcHandler):
    def __init__(self, answer):
        self._answer = grpc.unary_unary_rpc_method_handler(answer)

    def service(self, details):
        return self._answer if details.method == METHOD else None


def _receive(target, tensors, steps, window, sender):
    """Asks for all tensors at once, step after step, and sends the moments at which each was there."""
    options = list(UNLIMITED)
    if window is not None:
        options += [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", window)]
    channel = grpc.insecure_channel(target, options)
    grpc.channel_ready_future(channel).result(timeout=READY_S)
    call = channel.unary_unary(METHOD)
    moments = []
    for _ in range(steps):
        ends, pending = {}, []
        for tensor, _size in tensors:
            future = call.future(f"{tensor};0:0".encode())
            future.add_done_callback(lambda _, tensor=tensor: ends.setdefault(tensor, time.time()))
            pending.append(future)
        for future in pending:
            future.result()
        while len(ends) < len(tensors):
            time.sleep(0.001)
        moments.append(ends)
    sender.send(moments)
