"""The process as a whole, twice a second: CPU, memory, storage. One lane of the process says it for all."""

import os
from time import monotonic_ns, process_time_ns

from . import session
from .files import text_of

SAMPLE_NS = 500_000_000
#: A lane that has said nothing for so long has been left by its thread, and another takes over.
SILENT_NS = 4 * SAMPLE_NS
#: Passes that follow on each other faster than this share a last sample.
LAST_NS = 50_000_000
#: Interval of reading private memory, which takes a walk over all pages.
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
    storage = _storage()
    memory = {RESIDENT_MEMORY: _resident(), SHARED_MEMORY: _bytes_in("/proc/self/status", "RssShmem:"), **_shared_space()}
    if now - own.last_private > PRIVATE_NS:
        own.last_private = now
        memory[PRIVATE_MEMORY] = _bytes_in("/proc/self/smaps_rollup", "Private_")
    for metric, value in memory.items():
        if value is not None:
            lane.counter(subject, metric, now, value)
    if storage is not None and own.storage is not None:
        lane.counter(subject, STORAGE_ASKED, now, storage[0] - own.storage[0])
        lane.counter(subject, STORAGE_READ, now, storage[1] - own.storage[1])
    return True


def _resident():
    words = text_of("/proc/self/statm").split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE") if len(words) > 1 else None


def _bytes_in(path, name):
    """Of the lines whose name begins so; None where there is none."""
    lines = [line.split() for line in text_of(path).splitlines() if line.startswith(name)]
    return sum(int(line[1]) for line in lines) * 1024 if lines else None


def _shared_space():
    """Bytes used and present in the folder for shared memory."""
    try:
        space = os.statvfs(SHARED_FOLDER)
    except (OSError, AttributeError):
        return {}
    used = (space.f_blocks - space.f_bfree) * space.f_frsize
    return {SHARED_SPACE_USED: used, SHARED_SPACE: space.f_blocks * space.f_frsize}


def _storage():
    """Bytes asked for by read calls, and bytes that came from a device; None where the system does not say."""
    counts = dict(line.partition(": ")[::2] for line in text_of("/proc/self/io").splitlines())
    return (int(counts["rchar"]), int(counts["read_bytes"])) if "rchar" in counts and "read_bytes" in counts else None
