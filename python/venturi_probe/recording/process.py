"""The process as a whole, twice a second: CPU, memory, storage. One lane of the process says it for all."""

import os
from time import monotonic_ns, process_time_ns

from . import session

SAMPLE_NS = 500_000_000
#: A lane that has said nothing for so long has been left by its thread, and another takes over.
SILENT_NS = 4 * SAMPLE_NS
#: Passes that follow on each other faster than this share a last sample.
LAST_NS = 50_000_000
#: What is its own takes a walk over all its pages.
PRIVATE_NS = 5_000_000_000
#: Metrics of docs/run-format.md.
STORAGE_ASKED, STORAGE_READ, PROCESS_CPU, RESIDENT_MEMORY = 48, 49, 64, 65
SHARED_MEMORY, SHARED_SPACE_USED, SHARED_SPACE = 66, 67, 68
#: Where batches lie on their way from a worker to the consumer.
SHARED_FOLDER = "/dev/shm"
PRIVATE_MEMORY = 69

_sampler = None


def _forget():
    global _sampler
    _sampler = None


session.on_fork(_forget)


class _Sampler:
    def __init__(self, lane):
        self.lane = lane
        self.subject = lane.number("process")
        self.began = monotonic_ns()
        self.last = 0
        self.last_private = 0
        # Totals count from here.
        self.cpu = process_time_ns()
        self.storage = _storage()


def begin(lane):
    global _sampler
    if _sampler is None:
        _sampler = _Sampler(lane)


def sample(lane, now, last=False):
    """Says whether a sample was due, and is this lane's to take; the last one of a pass is due sooner."""
    global _sampler
    own = _sampler
    if own is not None and own.lane is not lane and now - max(own.began, own.last) > SILENT_NS:
        own = _sampler = _Sampler(lane)
    if own is None or own.lane is not lane or now - own.last <= (LAST_NS if last else SAMPLE_NS):
        return False
    own.last = now
    subject = own.subject
    lane.counter(subject, PROCESS_CPU, now, (process_time_ns() - own.cpu) // 1000)
    resident, storage = _resident(), _storage()
    if resident is not None:
        lane.counter(subject, RESIDENT_MEMORY, now, resident)
    shared, space = _shared(), _shared_space()
    if shared is not None:
        lane.counter(subject, SHARED_MEMORY, now, shared)
    if space is not None:
        lane.counter(subject, SHARED_SPACE_USED, now, space[0])
        lane.counter(subject, SHARED_SPACE, now, space[1])
    if now - own.last_private > PRIVATE_NS:
        own.last_private = now
        private = _private()
        if private is not None:
            lane.counter(subject, PRIVATE_MEMORY, now, private)
    if storage is not None and own.storage is not None:
        lane.counter(subject, STORAGE_ASKED, now, storage[0] - own.storage[0])
        lane.counter(subject, STORAGE_READ, now, storage[1] - own.storage[1])
    return True


def _resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _shared():
    """Bytes of memory shared with other processes that this one has touched."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith("RssShmem:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _shared_space():
    """Bytes used and present in the folder for shared memory."""
    try:
        space = os.statvfs(SHARED_FOLDER)
    except (OSError, AttributeError):
        return None
    return (space.f_blocks - space.f_bfree) * space.f_frsize, space.f_blocks * space.f_frsize


def _private():
    try:
        with open("/proc/self/smaps_rollup") as file:
            lines = [line.split() for line in file if line.startswith("Private_")]
        return sum(int(line[1]) for line in lines) * 1024
    except (OSError, ValueError, IndexError):
        return None


def _storage():
    """Bytes asked for by read calls, and bytes that came from a device; None where the system does not say."""
    try:
        with open("/proc/self/io") as file:
            counts = dict(line.split(": ") for line in file.read().splitlines())
        return int(counts["rchar"]), int(counts["read_bytes"])
    except (OSError, KeyError, ValueError):
        return None
