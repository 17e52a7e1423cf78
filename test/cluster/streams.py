"""How gRPC interleaves the streams of tensors, and what a receiver does after a stream's last byte, from captured packets and RunMetadata of the same steps."""

import os
import re
import statistics

import capture
import http2
import jobs

# A request for a tensor names it: `…;edge_12_conv0/kernel/read;0:0`.
EDGE = re.compile(rb"(edge_\d+_[\w/.]+);\d+:\d+")
LABEL = re.compile(r"(edge_\d+_\S+) from ")
# Of a step, in the name of its file.
NUMBER = re.compile(r"\d+")


def observe(network, job):
    """Trains with one worker, and gives for every tensor of every step what was seen of its stream, and the linear fit of the overhead after it."""
    jobs.start_anew()
    capturing = capture.Capture(network.servers[0])
    trained = jobs.perform(network, job)
    seen = streams_of(http2.frames(capturing.stop()))
    observed = [
        {**stream, "step": number, "end": end}
        for number, ends in _recorded(job.traces)
        for tensor, end in ends.items()
        for stream in [_nearest(seen.get(tensor, []), end)]
        if stream is not None
    ]
    return {
        "steps_per_second": trained["steps_per_second"],
        "observed": observed,
        "overhead": {direction: _line([s for s in observed if s["direction"] == direction]) for direction in ("down", "up")},
    }


def streams_of(flows):
    """Streams that carry tensors, by tensor."""
    found = {}
    for (source, target), frames in flows.items():
        # Responses come from the port that servers listen at; requests go the other way.
        requests = flows.get((target, source), [])
        names = {}
        for frame in requests:
            match = EDGE.search(frame.payload) if frame.kind == http2.DATA else None
            if match is not None:
                names[frame.stream] = match.group(1).decode()
        data = [frame for frame in frames if frame.kind == http2.DATA and frame.stream in names and frame.payload]
        for stream in _described(data):
            tensor = names[stream["stream"]]
            found.setdefault(tensor, []).append({**stream, "tensor": tensor, "direction": _direction(tensor)})
    return found


def _direction(tensor):
    """Parameters, which are read, go from a server to a worker; gradients go up."""
    return "down" if tensor.endswith(("/read", "/ordered")) else "up"


def _described(data):
    """What was seen of each stream of one connection. `before_switch` are the bytes after which another stream was served first; None where it came whole."""
    streams, previous = {}, None
    for frame in data:
        stream = streams.setdefault(
            frame.stream, {"stream": frame.stream, "bytes": 0, "first": frame.first, "last": frame.last, "switches": 0, "before_switch": None}
        )
        if stream["bytes"] > 0 and previous != frame.stream:
            stream["switches"] += 1
            if stream["before_switch"] is None:
                stream["before_switch"] = stream["bytes"]
        stream["bytes"] += len(frame.payload)
        stream["last"] = frame.last
        previous = frame.stream
    return streams.values()


def _nearest(streams, end):
    """The stream of a tensor whose last byte passed last before `end`."""
    earlier = [stream for stream in streams if stream["last"] <= end]
    return max(earlier, key=lambda stream: stream["last"], default=None)


def _recorded(traces):
    """Ends of the tensors' transfers as TensorFlow recorded them, in s since the epoch, for each step."""
    from tensorflow.core.protobuf import config_pb2

    for name in sorted(os.listdir(traces)):
        metadata = config_pb2.RunMetadata()
        with open(os.path.join(traces, name), "rb") as file:
            metadata.ParseFromString(file.read())
        ends = {}
        for device in metadata.step_stats.dev_stats:
            for node in device.node_stats:
                match = LABEL.search(node.timeline_label) if node.node_name == "RecvTensor" else None
                if match is not None:
                    ends[match.group(1)] = (node.all_start_micros + node.all_end_rel_micros) / 1e6
        yield int(NUMBER.search(name).group()), ends


def _line(streams):
    """Time from a stream's last byte to the recorded end against the stream's size: alpha in s/byte, beta in s, by least squares over the tensors' medians, which
    a thread that woke up late does not move."""
    times = {}
    for stream in streams:
        times.setdefault((stream["tensor"], stream["bytes"]), []).append(stream["end"] - stream["last"])
    points = [(size, statistics.median(found)) for (_, size), found in times.items()]
    if len({size for size, _ in points}) < 2:
        return None
    alpha, beta = statistics.linear_regression(*zip(*points))
    return {"alpha": alpha, "beta": beta, "tensors": len(points)}
